"""Eviction from a full level: spill, split and compress in level 1; move_oldest, widen, shorten in level 2."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from recollect.hierarchy.eviction import EvictionContext, effective_policy, relieve
from recollect.hierarchy.file_forms import ItemForms
from recollect.hierarchy.model import Item
from recollect.hierarchy.policies import PROFILES, Policy
from recollect.hierarchy.window_state import State, find_item, items_at, level_size

NOW = 1_700_000_000
WHOLE, PART, OUTLINE = 1.0, 0.5, 0.1


class Scale(ItemForms):
    """Forms of things as shares of their size; what is named here is gone."""

    def __init__(self, sizes: dict[str, int], gone: tuple[str, ...] = ()) -> None:
        self._sizes, self._gone = sizes, gone

    def made(self, item: Item, form: Any, level: Any, max_bytes: int = 0, terms: Any = ()) -> Item | None:
        if item.name in self._gone:
            return None
        whole = self._sizes.get(item.name, 0)
        size = {"whole": whole, "part": min(max_bytes, whole), "outline": int(whole * OUTLINE)}[form]
        return msgspec.structs.replace(item, form=form, size_bytes=size, tokens=size // 4, level=level)


def items(level: int, *sizes: int, ages: tuple[int, ...] = (), **fields: Any) -> tuple[Item, ...]:
    return tuple(
        Item(
            name=f"f{level}{place}",
            level=level,  # type: ignore[arg-type]
            form="whole",
            size_bytes=size,
            tokens=size // 4,
            why="asked for",
            placed_at=NOW,
            used_at=NOW - (ages[place] if ages else 0),
            **fields,
        )
        for place, size in enumerate(sizes)
    )


def policy(**changes: Any) -> Policy:
    return msgspec.structs.replace(PROFILES["standard"], **changes)


def relieved(state: State, rules: Policy, *, kept: tuple[str, ...] = (), gone: tuple[str, ...] = ()) -> State:
    sizes = {item.name: item.size_bytes for item in state.items}
    after = relieve(state, EvictionContext(rules, Scale(sizes, gone), NOW, kept))
    assert effective_policy(after, rules).level1.fits(*level_size(after, 1))
    assert effective_policy(after, rules).level2.fits(*level_size(after, 2))
    return after


def test_what_fits_stays_as_it_is() -> None:
    state = State(items=items(1, 10_000, 20_000) + items(2, 400_000))
    assert relieved(state, policy()) == state


@pytest.mark.promise("H5", "H4")
def test_spilling_moves_what_was_used_longest_ago_to_level_2() -> None:
    state = State(items=items(1, 20_000, 20_000, 20_000, ages=(10, 99, 50)))
    after = relieved(state, policy(relief1=("spill",)))
    assert [item.name for item in items_at(after, 1)] == ["f10", "f12"]
    assert [(item.name, item.form) for item in items_at(after, 2)] == [("f11", "whole")]
    (event,) = after.events
    assert (event.from_level, event.to_level, event.trigger) == (1, 2, "space")
    assert event.reason == "level 1 is full; least recently used"


@pytest.mark.promise("H5")
def test_spilling_spares_what_was_just_asked_for_and_what_was_named() -> None:
    state = State(items=items(1, 20_000, 20_000, ages=(99, 90), is_pinned=True) + items(1, 0, 0, 20_000)[2:])
    after = relieved(state, policy(relief1=("spill",)), kept=("f10",))
    assert [item.name for item in items_at(after, 1)] == ["f10", "f11"]


@pytest.mark.promise("H5")
def test_splitting_keeps_a_part_of_a_large_file_and_the_whole_below() -> None:
    state = State(items=items(1, 45_000, 10_000))
    after = relieved(state, policy(relief1=("split",)))
    assert [(item.name, item.form, item.size_bytes) for item in items_at(after, 1)] == [
        ("f11", "whole", 10_000),
        ("f10", "part", 9_375),
    ]
    assert [(item.name, item.form, item.size_bytes) for item in items_at(after, 2)] == [("f10", "whole", 45_000)]
    (event,) = after.events
    assert (event.from_level, event.to_level) == (1, 1)
    assert "an excerpt stays" in event.reason
    assert (after.promotions, after.demotions) == (0, 0), "nothing changed its level"


@pytest.mark.promise("H5")
def test_compressing_keeps_an_outline_and_the_whole_below() -> None:
    state = State(items=items(1, 30_000, 30_000))
    after = relieved(state, policy(relief1=("compress",)))
    assert sorted(item.form for item in items_at(after, 1)) == ["outline", "whole"]
    assert [item.form for item in items_at(after, 2)] == ["whole"]
    assert "the outline stays" in after.events[0].reason


@pytest.mark.promise("H5")
def test_what_no_way_of_the_policy_makes_fit_gives_way_all_the_same() -> None:
    state = State(items=items(1, 60_000, is_pinned=True))
    after = relieved(state, policy(relief1=()), kept=("f10",))
    assert [item.level for item in after.items] == [2]
    huge = relieved(State(items=items(2, 600_000)), policy(relief2=()), kept=("f20",))
    assert huge.items == ()
    assert huge.events[0].to_level == 3


@pytest.mark.promise("H5")
def test_a_file_that_is_gone_makes_room_too() -> None:
    state = State(items=items(1, 30_000, 30_000))
    after = relieved(state, policy(relief1=("split",)), gone=("f10", "f11"))
    assert len(after.items) == 1
    assert after.events[0].to_level == 3


@pytest.mark.promise("H4", "H5")
def test_level_2_lets_go_of_what_was_used_longest_ago() -> None:
    state = State(items=items(2, 200_000, 200_000, 200_000, ages=(5, 500, 50)))
    after = relieved(state, policy())
    assert [item.name for item in items_at(after, 2)] == ["f20", "f22"]
    (event,) = after.events
    assert (event.name, event.from_level, event.to_level, event.trigger) == ("f21", 2, 3, "space")


@pytest.mark.promise("H5")
def test_of_what_was_placed_together_the_least_likely_goes_first() -> None:
    after = relieved(State(items=items(2, 200_000, 200_000, 200_000)), policy())
    assert [item.name for item in items_at(after, 2)] == ["f20", "f21"]


@pytest.mark.promise("H5")
def test_level_2_is_widened_as_far_as_the_window_of_the_model_allows() -> None:
    state = State(items=items(2, 300_000, 300_000))
    rules = policy(relief2=("widen",))
    after = relieved(state, rules)
    assert len(after.items) == 2
    assert after.level2_bytes == 600_000
    narrow = relieved(state, msgspec.structs.replace(rules, context_tokens=160_000))
    assert len(narrow.items) == 1, "no room: what was used longest ago goes"
    assert narrow.level2_bytes == 0


@pytest.mark.promise("H5")
def test_retention_is_shortened_until_level_2_fits() -> None:
    ages = (0, 500, 1_000)
    after = relieved(State(items=items(2, 200_000, 200_000, 200_000, ages=ages)), policy(relief2=("shorten",)))
    assert [item.name for item in items_at(after, 2)] == ["f20", "f21"]
    assert after.retention_s == 900
    assert "unused for 15 minutes" in after.events[0].reason
    busy = relieved(State(items=items(2, 300_000, 300_000, ages=(0, 1))), policy(relief2=("shorten",)))
    assert (busy.retention_s, len(busy.items)) == (300, 1), "not shorter than five minutes: then the oldest goes"


def test_the_copy_below_a_part_goes_without_a_move() -> None:
    first = msgspec.structs.replace(items(2, 1_000)[0], level=1, form="part")
    state = State(items=(first, *items(2, 600_000)))
    after = relieved(state, policy())
    assert (after.items, after.events) == ((first,), ())
    assert find_item(after, "f20") == first

"""Whatever is done to a window, in whatever order: its levels fit, nothing is lost, and every move is told."""

from __future__ import annotations

from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from recollect.hierarchy.eviction import EvictionContext, effective_policy, expire, relieve
from recollect.hierarchy.file_forms import ItemForms
from recollect.hierarchy.model import Item
from recollect.hierarchy.policies import PROFILES
from recollect.hierarchy.window_state import State, archive, count_access, find_item, items_at, level_size, put

NOW = 1_700_000_000
SIZES = {f"file{number}": 7_000 * number + 500 for number in range(1, 30)}

RELIEF1 = st.lists(st.sampled_from(["spill", "split", "compress"]), unique=True)
RELIEF2 = st.lists(st.sampled_from(["move_oldest", "widen", "shorten"]), unique=True)
NAMES = st.sampled_from(sorted(SIZES))
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("put"), NAMES, st.sampled_from([1, 2])),
        st.tuples(st.just("read"), NAMES, st.just(0)),
        st.tuples(st.just("archive"), NAMES, st.just(0)),
        st.tuples(st.just("wait"), NAMES, st.integers(1, 2_000)),
    ),
    max_size=40,
)


class Scale(ItemForms):
    """Forms of files as shares of their size."""

    def __init__(self) -> None:
        pass

    def made(self, item: Item, form: Any, level: Any, max_bytes: int = 0, terms: Any = ()) -> Item:
        size = SIZES[item.name]
        sizes = {"whole": size, "part": min(max_bytes, size), "outline": size // 10}
        return self.scaled(item.name, form, level, item, sizes[form])

    def scaled(self, name: str, form: Any, level: Any, item: Item | None = None, size: int = 0) -> Item:
        size = size or SIZES[name]
        used = NOW if item is None else item.used_at
        return Item(
            name=name, level=level, form=form, size_bytes=size, tokens=size // 3, why="", placed_at=used, used_at=used
        )


@given(STEPS, RELIEF1, RELIEF2, st.sampled_from(sorted(PROFILES)))
def test_levels_fit_and_moves_tell_where_everything_is(
    steps: list[tuple[str, str, int]], relief1: list[Any], relief2: list[Any], profile: str
) -> None:
    policy = msgspec.structs.replace(PROFILES[profile], relief1=tuple(relief1), relief2=tuple(relief2))
    scale, state, now = Scale(), State(), NOW
    for action, name, value in steps:
        if action == "wait":
            now += value
        state = expire(state, policy, scale, now)
        if action == "put" and find_item(state, name) is None:
            item = msgspec.structs.replace(scale.scaled(name, "whole", value), placed_at=now, used_at=now)
            state = put(state, item, trigger="asked", reason="asked for", now=now)
        elif action == "read":
            state = count_access(state, name, now=now, window_s=300)
        elif action == "archive":
            state = archive(state, [name], trigger="asked", reason="let go", now=now)
        state = relieve(state, EvictionContext(policy, scale, now, [name]))
        rules = effective_policy(state, policy)
        assert rules.level1.fits(*level_size(state, 1))
        assert rules.level2.fits(*level_size(state, 2))
        assert rules.level2.max_tokens is not None
        assert rules.level2.max_tokens <= max(policy.context_tokens, policy.level2.max_tokens or 0)
    places = dict.fromkeys(SIZES, 3)
    for event in state.events:
        assert places[event.name] == event.from_level, "an event begins where the last one ended"
        assert event.reason
        places[event.name] = event.to_level
    for name, level in places.items():
        item = find_item(state, name)
        assert (3 if item is None else item.level) == level
    for item in items_at(state, 1):
        assert [other.name for other in items_at(state, 1)].count(item.name) == 1
    assert state.promotions == sum(event.to_level < event.from_level for event in state.events)

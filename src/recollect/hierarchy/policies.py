"""Policies: when something moves between levels and what gives way when one is full, as data; and the profiles of it.

promotion    asked for, or found by a search → level 2 · used by what is there → level 2 · read often → level 1
demotion     task complete → level 3 · long unused → one level down · no room → what was used longest ago
pressure     level 1: spill, split, compress · level 2: move_oldest, widen, shorten
"""

from __future__ import annotations

from typing import Literal

from recollect.errors import InvalidInput
from recollect.hierarchy.levels import Level, level
from recollect.model import Record

MINUTE, HOUR = 60, 3_600

# What happens to a full level 1. spill: what was used longest ago goes to level 2. split: a large file is kept by its
# most relevant symbols. compress: of a file its outline is kept. In each case the whole file stays in level 2.
Relief1 = Literal["spill", "split", "compress"]
# What happens to a full level 2. move_oldest: what was used longest ago goes to level 3. widen: the level grows, as far
# as the model's context window allows. shorten: what is unused goes to level 3 sooner.
Relief2 = Literal["move_oldest", "widen", "shorten"]

ProfileName = Literal["standard", "small", "large", "interactive"]
ProfileChoice = Literal[ProfileName, "auto"]


class PromotionPolicy(Record, frozen=True, kw_only=True):
    """When what is read often moves up, and what is not read moves down.

    access_threshold: so many accesses move it to level 1. access_window_s: all of them within this time
    time_threshold: unused for so long, something leaves level 2. level1_threshold: the same of level 1
    """

    access_threshold: int = 3
    access_window_s: int = 5 * MINUTE
    time_threshold: int = 30 * MINUTE
    level1_threshold: int = 30 * MINUTE


USUAL = PromotionPolicy()


class Policy(Record, frozen=True, kw_only=True):
    """All rules of one hierarchy.

    relief1, relief2: what is done about a full level, one after the other until it fits; what is left over then is
    spilled, or moved to the archive, whatever they say. context_tokens: the model's window, as far as level 2 may grow
    shortest_s: retention is shortened to this at most
    """

    name: str
    level1: Level
    level2: Level
    level3: Level
    level4: Level
    promotion: PromotionPolicy = USUAL
    relief1: tuple[Relief1, ...] = ("split", "spill", "compress")
    relief2: tuple[Relief2, ...] = ("move_oldest",)
    context_tokens: int = 1_000_000
    shortest_s: int = 5 * MINUTE

    def level(self, number: int) -> Level:
        """Return a level by its number."""
        return {1: self.level1, 2: self.level2, 3: self.level3, 4: self.level4}[number]


def _policy(name: str, one: int, two: int, four: int, *, promotion: PromotionPolicy = USUAL) -> Policy:
    return Policy(
        name=name,
        level1=level(1, one),
        level2=level(2, two),
        level3=level(3),
        level4=level(4, four),
        promotion=promotion,
    )


# The sizes of document 004. A small project fits into level 2 as a whole and hardly needs a summary; in a large one
# level 1 is kept strict and a feature spans more files; who comes and goes wants to find things where they were.
PROFILES: dict[str, Policy] = {
    policy.name: policy
    for policy in (
        _policy("standard", 50_000, 500_000, 50_000),
        _policy("small", 10_000, 100_000, 10_000),
        _policy("large", 30_000, 2_000_000, 50_000),
        _policy(
            "interactive",
            50_000,
            500_000,
            50_000,
            promotion=PromotionPolicy(time_threshold=2 * HOUR, level1_threshold=HOUR),
        ),
    )
}

# Up to here a project is small, and from here on large.
SMALL_BYTES, LARGE_BYTES = 1_000_000, 100_000_000


def profile(name: str, project_bytes: int) -> Policy:
    """Return the policy of a profile; `auto` is that of the project's size. Raises InvalidInput for an unknown one."""
    if name == "auto":
        name = "small" if project_bytes < SMALL_BYTES else "large" if project_bytes > LARGE_BYTES else "standard"
    if name not in PROFILES:
        known = ", ".join((*PROFILES, "auto"))
        raise InvalidInput(f"unknown profile {name!r}", hint=f"One of: {known}.", field="profile")
    return PROFILES[name]

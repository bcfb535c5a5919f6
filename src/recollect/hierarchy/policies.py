"""Levels and policies: budgets, when items move between levels, how a full level makes room; and the profiles.

promotion    requested or found by a search → level 2 · dependency → level 2 · read often → level 1
demotion     task complete → level 3 · unused → one level down · no room → the least recently used
full level   level 1: spill, split, compress · level 2: move_oldest, widen, shorten
"""

from __future__ import annotations

from typing import Literal

from recollect.errors import InvalidInput
from recollect.model import Record

MINUTE, HOUR = 60, 3_600

Number = Literal[1, 2, 3, 4]

# Document 004 has 15,000 tokens for 50 KB and 150,000 for 500 KB, as tokenisers make of code. Our estimate is an upper
# bound and makes 0.4 of the same code, so that it reaches these limits at about 40 and 400 KB.
TOKENS_PER_BYTE, ESTIMATED_PER_BYTE = 0.3, 0.4
PURPOSES: dict[Number, tuple[str, str]] = {
    1: ("immediate context", "files being edited, the definitions they use, and errors; always in the prompt"),
    2: ("working set", "files and memories for the current task"),
    3: ("archive", "everything indexed or stored; fetched on demand"),
    4: ("global knowledge", "project overview: map, layers, patterns and technology; no code"),
}

# Steps for a full level 1. spill: the least recently used item moves to level 2. split: a large file is reduced to its
# most relevant symbols. compress: a file is reduced to its outline. In each case the whole file stays in level 2.
Relief1 = Literal["spill", "split", "compress"]
# Steps for a full level 2. move_oldest: the least recently used item moves to level 3. widen: the level grows within
# the model's context window. shorten: unused items move to level 3 sooner.
Relief2 = Literal["move_oldest", "widen", "shorten"]

ProfileName = Literal["standard", "small", "large", "interactive"]
ProfileChoice = Literal[ProfileName, "auto"]


class Level(Record, frozen=True, kw_only=True):
    """One level: its number, name, purpose and budget; None is no limit.

    max_bytes, max_tokens: both apply. Text in non-Latin scripts has more tokens per byte than code
    """

    number: Number
    name: str
    purpose: str
    max_bytes: int | None = None
    max_tokens: int | None = None

    @property
    def code_bytes(self) -> int:
        """The bytes of code that fit both budgets."""
        by_tokens = int((self.max_tokens or 0) / ESTIMATED_PER_BYTE)
        return min(self.max_bytes or 0, by_tokens)

    def fits(self, size_bytes: int, tokens: int) -> bool:
        """Return whether this size is within the budget."""
        by_bytes = self.max_bytes is None or size_bytes <= self.max_bytes
        return by_bytes and (self.max_tokens is None or tokens <= self.max_tokens)


def level(number: Number, max_bytes: int | None = None) -> Level:
    """Return a level with a budget in bytes and the tokens of that much code."""
    name, purpose = PURPOSES[number]
    most = None if max_bytes is None else int(max_bytes * TOKENS_PER_BYTE)
    return Level(number=number, name=name, purpose=purpose, max_bytes=max_bytes, max_tokens=most)


class PromotionPolicy(Record, frozen=True, kw_only=True):
    """When frequently read items are promoted and unused ones demoted.

    access_threshold: accesses that promote to level 1. access_window_s: the time in which they count
    time_threshold: seconds until an unused item leaves level 2. level1_threshold: the same for level 1
    """

    access_threshold: int = 3
    access_window_s: int = 5 * MINUTE
    time_threshold: int = 30 * MINUTE
    level1_threshold: int = 30 * MINUTE


USUAL = PromotionPolicy()


class Policy(Record, frozen=True, kw_only=True):
    """All rules of one context window.

    relief1, relief2: steps for a full level, in order until it fits; the rest is always spilled or archived
    context_tokens: the model's window, which limits level 2. shortest_s: the shortest retention
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


# The sizes of document 004. A small project fits into level 2 and hardly needs a summary. In a large one level 1 is
# smaller and a feature spans more files. Interactive work has long pauses.
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

# Below the first size a project is small, above the second large.
SMALL_BYTES, LARGE_BYTES = 1_000_000, 100_000_000


def profile(name: str, project_bytes: int) -> Policy:
    """Return the policy of a profile; `auto` chooses by project size. Raises InvalidInput."""
    if name == "auto":
        name = "small" if project_bytes < SMALL_BYTES else "large" if project_bytes > LARGE_BYTES else "standard"
    if name not in PROFILES:
        known = ", ".join((*PROFILES, "auto"))
        raise InvalidInput(f"unknown profile {name!r}", hint=f"One of: {known}.", field="profile")
    return PROFILES[name]

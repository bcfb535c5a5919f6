"""Records of the context window."""

from __future__ import annotations

from typing import Literal

from recollect.model import Record

# The form of an item: a whole file, some symbols with the outline of the others, an outline; a text that was set, or an
# error; a stored memory.
Form = Literal["whole", "part", "outline", "text", "memory"]

# Why an item moved.
Trigger = Literal["task", "search", "dependency", "frequent access", "asked", "task complete", "unused", "space"]


class GlobalKnowledge(Record, frozen=True, kw_only=True):
    """Level 4: an overview of a project in titled sections, without code.

    sections: title and text of each, in reading order
    """

    sections: tuple[tuple[str, str], ...]

    @property
    def text(self) -> str:
        """The sections under their titles, as Markdown."""
        return "\n".join(f"## {title}\n\n{text.strip()}\n" for title, text in self.sections)

    @property
    def bytes(self) -> int:
        """The size of the text in bytes."""
        from recollect.engine import size

        return size(self.text)

    @property
    def tokens(self) -> int:
        """An upper bound of the tokens of the text."""
        from recollect.engine import tokens

        return tokens(self.text)


class Item(Record, frozen=True, kw_only=True):
    """An item of level 1 or 2: its form, size, reason and time of use.

    name: the path of a file from the root, `memory:ID`, or the name of a text. size_bytes, tokens: of its form
    symbols: the qualified names in a part; else those that it would hold as a part. is_pinned: named with the task
    lines: start and end of each excerpt in a part. of_bytes: size of the whole file when the part was made
    """

    name: str
    level: Literal[1, 2]
    form: Form
    size_bytes: int
    tokens: int
    why: str
    placed_at: int
    used_at: int
    symbols: tuple[str, ...] = ()
    lines: tuple[tuple[int, int], ...] = ()
    text: str = ""
    is_pinned: bool = False
    of_bytes: int = 0


class Moved(Record, frozen=True, kw_only=True):
    """One promotion or demotion with its trigger and reason; within level 1, a reduction to a part or outline."""

    at: int
    name: str
    from_level: int
    to_level: int
    trigger: Trigger
    reason: str


class Task(Record, frozen=True, kw_only=True):
    """The current task, its start, and the files named with it."""

    description: str
    started_at: int
    files: tuple[str, ...] = ()


class LevelUse(Record, frozen=True, kw_only=True):
    """The use of a level beside its budget; None is no limit."""

    level: int
    name: str
    items: int
    size_bytes: int
    tokens: int
    max_bytes: int | None = None
    max_tokens: int | None = None


class MemoryStats(Record, frozen=True, kw_only=True):
    """Sizes of the levels and statistics of their use.

    level1_size to level4_size: bytes; level 3 is everything available. hit_rate: the share of look-ups served by level
    1 or 2. tokens: of levels 1 and 2. tokens_saved: tokens of everything available minus those
    """

    level1_size: int
    level2_size: int
    level3_size: int
    level4_size: int
    hit_rate: float
    queries: int = 0
    hits: int = 0
    tokens: int = 0
    tokens_saved: int = 0
    promotions: int = 0
    demotions: int = 0
    levels: tuple[LevelUse, ...] = ()


class Filled(Record, frozen=True, kw_only=True):
    """The items placed for a task, best first, with reasons; and the files that did not fit.

    placed: number of items, shown or not. considered: number of candidate files
    left_out: candidates that did not fit, best first
    """

    task: Task
    profile: str
    items: tuple[Item, ...]
    levels: tuple[LevelUse, ...]
    placed: int
    considered: int
    left_out: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class FoundItem(Record, frozen=True, kw_only=True):
    """One answer to a look-up: its level, text and reason."""

    name: str
    level: int
    form: Form
    text: str
    tokens: int
    why: str


class LookedUp(Record, frozen=True, kw_only=True):
    """The result of a look-up: the levels asked in order, the answers, and the moves.

    served_by: the level that answered, 0 if none did
    """

    query: str
    asked: tuple[int, ...]
    served_by: int
    found: tuple[FoundItem, ...] = ()
    moved: tuple[Moved, ...] = ()
    notes: tuple[str, ...] = ()


class WindowMoves(Record, frozen=True, kw_only=True):
    """The moves of a call and the use of the levels; total: number of moves, shown or not"""

    moved: tuple[Moved, ...]
    total: int
    levels: tuple[LevelUse, ...]
    notes: tuple[str, ...] = ()


class WindowView(Record, frozen=True, kw_only=True):
    """The context window: the task, items, statistics and latest moves.

    items_total: number of items, shown or not. text: of the requested level
    """

    namespace: str
    profile: str
    stats: MemoryStats
    task: Task | None = None
    items: tuple[Item, ...] = ()
    items_total: int = 0
    events: tuple[Moved, ...] = ()
    text: str = ""
    notes: tuple[str, ...] = ()

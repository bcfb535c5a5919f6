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
    """Something in level 1 or 2: what, in which form, how much it takes, why it is there and when it was used.

    name: the path of a file from the root, `memory:ID`, or the name of a text. size_bytes, tokens: of the form it has
    symbols: of a part, the qualified names that are there in full; else those that matter most, for when it must be one
    lines: of a part, where those begin and end. is_pinned: named when the task was started
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


class Moved(Record, frozen=True, kw_only=True):
    """One promotion or demotion: what moved from which level to which, what triggered it, and the reason in words.

    Within level 1, a file can be reduced to a part or an outline of it.
    """

    at: int
    name: str
    from_level: int
    to_level: int
    trigger: Trigger
    reason: str


class Task(Record, frozen=True, kw_only=True):
    """What is being worked on, since when, and the files that were named with it."""

    description: str
    started_at: int
    files: tuple[str, ...] = ()


class LevelUse(Record, frozen=True, kw_only=True):
    """How full a level is; no budget means whatever there is."""

    level: int
    name: str
    items: int
    size_bytes: int
    tokens: int
    max_bytes: int | None = None
    max_tokens: int | None = None


class MemoryStats(Record, frozen=True, kw_only=True):
    """How large the levels are and how well they serve.

    level1_size to level4_size: bytes; of level 3 all that is available. hit_rate: the share of look-ups that level 1 or
    2 served, 0 to 1. tokens: what levels 1 and 2 cost in a prompt. tokens_saved: what all that is available would cost
    more
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
    """What beginning a task put where, best first, and why; and what did not fit.

    placed: how many items there are, where not all are shown. considered: files that something spoke for
    left_out: those of them that found no room, best first
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
    """One answer to a look-up: which level it came from, its text, and why it is it."""

    name: str
    level: int
    form: Form
    text: str
    tokens: int
    why: str


class LookedUp(Record, frozen=True, kw_only=True):
    """What a look-up found: the levels that were asked in their order, the answers, and what moved.

    served_by: the level that answered, 0 where none did
    """

    query: str
    asked: tuple[int, ...]
    served_by: int
    found: tuple[FoundItem, ...] = ()
    moved: tuple[Moved, ...] = ()
    notes: tuple[str, ...] = ()


class WindowMoves(Record, frozen=True, kw_only=True):
    """What a call moved between levels, and how full they are now; total: how many moves there were."""

    moved: tuple[Moved, ...]
    total: int
    levels: tuple[LevelUse, ...]
    notes: tuple[str, ...] = ()


class WindowView(Record, frozen=True, kw_only=True):
    """The context window: the task, the levels with what is in them, statistics, and what moved last.

    items_total: how many there are, where not all are shown. text: what the level asked for says
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

"""Edits in words: symbols that were added, removed, renamed or changed, or which line became which.

before, after ─► lines that differ ─► symbols around them ─► "added Server.stop; changed Server.start"
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from itertools import takewhile
from typing import NamedTuple

from recollect.capture.observation_lesson import CODE_CHARACTERS, Defined, Outline, code, listed
from recollect.text.lazy_patterns import compiled

# More lines are compared by their common ends only, to bound the time.
MAX_LINES = 1_500
# Names and pairs of lines that are listed.
NAMES = 8
PAIRS = 3
# Characters before the difference of two long lines.
BEFORE = 30
EXCERPT_LINES = 16
EXCERPT_CHARACTERS = 800

_IMPORT = compiled(
    r"^\s*(?:import\s|from\s+\S+\s+import|use\s|#\s*include|require\b|@import|using\s|const .*= require\()"
)
_COMMENT = compiled(r"^\s*(?:#(?!\s*include)|//|/\*|\*|--|<!--|;|%|\"\"\"|''')")


class Difference(NamedTuple):
    """An edit in words, its added and removed lines, and an excerpt."""

    meaning: tuple[str, ...]
    added: int
    removed: int
    excerpt: str

    def told(self) -> str:
        """Return it as the end of a sentence."""
        return "; ".join(self.meaning) or "nothing"


class _Hunk(NamedTuple):
    """Replaced lines, and the index of the first in both texts."""

    before: list[str]
    after: list[str]
    old_line: int
    new_line: int


def difference(path: str, before: str, after: str, outline: Outline) -> Difference:
    """Return the difference of two states of a file or of a piece of it."""
    old, new = before.splitlines(), after.splitlines()
    hunks = _hunks(old, new)
    gone = [line for hunk in hunks for line in hunk.before]
    come = [line for hunk in hunks for line in hunk.after]
    meaning = _meaning(hunks, outline(path, before), outline(path, after), (old, new))
    return Difference(tuple(meaning), len(come), len(gone), _excerpt(hunks))


def _hunks(old: list[str], new: list[str]) -> list[_Hunk]:
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    left, right = old[start : len(old) - end], new[start : len(new) - end]
    if len(left) + len(right) > MAX_LINES:
        return [_Hunk(left, right, start, start)]
    matcher = difflib.SequenceMatcher(None, left, right, autojunk=False)
    return [
        _Hunk(left[a:b], right[c:d], start + a, start + c)
        for kind, a, b, c, d in matcher.get_opcodes()
        if kind != "equal"
    ]


def _meaning(
    hunks: list[_Hunk],
    old_symbols: Sequence[Defined],
    new_symbols: Sequence[Defined],
    texts: tuple[list[str], list[str]],
) -> list[str]:
    if not hunks:
        return []
    said = _symbols(old_symbols, new_symbols, texts)
    changed = [line for hunk in hunks for line in (*hunk.before, *hunk.after) if line.strip()]
    if not changed or [line.split() for h in hunks for line in h.before if line.strip()] == [
        line.split() for h in hunks for line in h.after if line.strip()
    ]:
        return ["only white space"]
    if all(_COMMENT.match(line) for line in changed):
        return [f"only comments{_where(hunks, new_symbols)}"]
    if sum(len(hunk.before) + len(hunk.after) for hunk in hunks) <= 2 * PAIRS:
        pairs = _pairs(hunks, old_symbols, new_symbols)
        return pairs or said
    return said + _imports(hunks)


def _symbols(old: Sequence[Defined], new: Sequence[Defined], texts: tuple[list[str], list[str]]) -> list[str]:
    """Return the symbols that were renamed, added, removed and changed."""
    before, after = _bodies(old, texts[0]), _bodies(new, texts[1])
    added = [name for name in after if name not in before]
    removed = [name for name in before if name not in after]
    said: list[str] = []
    for gone in list(removed):
        twin = next((name for name in added if _renamed(gone, name, before[gone], after[name])), None)
        if twin is not None:
            said.append(f"renamed {gone} to {twin}")
            added.remove(twin)
            removed.remove(gone)
    changed = [name for name in after if name in before and before[name] != after[name]]
    # A changed method says more than its class.
    inner = [name for name in changed if not any(other.startswith((f"{name}.", f"{name}::")) for other in changed)]
    for verb, names in (("added", added), ("removed", removed), ("changed", inner)):
        if names:
            said.append(f"{verb} {listed(names, NAMES)}")
    return said


def _bodies(symbols: Sequence[Defined], lines: list[str]) -> dict[str, tuple[str, ...]]:
    """Return the stripped lines of each symbol."""
    return {
        each.qualified: tuple(line.strip() for line in lines[each.first - 1 : each.last] if line.strip())
        for each in symbols
    }


def _renamed(old_name: str, new_name: str, old: tuple[str, ...], new: tuple[str, ...]) -> bool:
    if len(old) != len(new) or len(old) < 2:
        return False
    short_old, short_new = re.split(r"[.:]", old_name)[-1], re.split(r"[.:]", new_name)[-1]
    return [line.replace(short_old, short_new) for line in old] == list(new)


def _pairs(hunks: list[_Hunk], old_symbols: Sequence[Defined], symbols: Sequence[Defined]) -> list[str]:
    """Return which line became which in a small edit."""
    said: list[str] = []
    for hunk in hunks:
        # Removed lines lie in an old symbol.
        was = _Hunk([], hunk.before, hunk.old_line, hunk.old_line)
        where = _where([hunk], symbols) if hunk.after else _where([was], old_symbols)
        old = " ".join(line.strip() for line in hunk.before if line.strip())
        new = " ".join(line.strip() for line in hunk.after if line.strip())
        if old and new:
            start = _common(old, new) if max(len(old), len(new)) > CODE_CHARACTERS else 0
            was_code, is_code = (code(f"…{each[start:]}" if start else each) for each in (old, new))
            said.append(f"{was_code} became {is_code}{where}")
        elif new:
            said.append(f"added {code(new)}{where}")
        elif old:
            said.append(f"removed {code(old)}{where}")
    return said


def _common(old: str, new: str) -> int:
    """Return where to begin with two long lines to show where they differ: a few words before it."""
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False)))
    return old.rfind(" ", 0, max(0, same - BEFORE)) + 1


def _where(hunks: list[_Hunk], symbols: Sequence[Defined]) -> str:
    """Return the innermost symbol around all hunks, as the end of a phrase."""
    first = min(hunk.new_line for hunk in hunks) + 1
    last = max(hunk.new_line + max(1, len(hunk.after)) for hunk in hunks)
    # A constant is no place: it is its own line.
    around = [each for each in symbols if each.first <= first and last <= each.last and each.kind != "Constant"]
    inner = min(around, key=lambda each: each.last - each.first, default=None)
    return f" in {inner.qualified}" if inner is not None else ""


def _imports(hunks: list[_Hunk]) -> list[str]:
    gone = {line.strip() for hunk in hunks for line in hunk.before if _IMPORT.match(line)}
    come = {line.strip() for hunk in hunks for line in hunk.after if _IMPORT.match(line)}
    said = [f"added {code(line, 80)}" for line in sorted(come - gone)[:PAIRS]]
    return said + [f"removed {code(line, 80)}" for line in sorted(gone - come)[:PAIRS]]


def _excerpt(hunks: list[_Hunk]) -> str:
    lines: list[str] = []
    for hunk in hunks:
        lines += [f"- {line}" for line in hunk.before] + [f"+ {line}" for line in hunk.after]
    if len(lines) > EXCERPT_LINES:
        lines = [*lines[:EXCERPT_LINES], "…"]
    text = "\n".join(line.rstrip()[:200] for line in lines)
    return text if len(text) <= EXCERPT_CHARACTERS else text[: text.rfind("\n", 0, EXCERPT_CHARACTERS)] + "\n…"

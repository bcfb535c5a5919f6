"""Section: lessons in a file of instructions, between two marks; what else the file holds is never touched.

    <!-- recollect: lessons, begin -->
    ## Learnt from sessions

    - Use pnpm instead of npm.
    <!-- recollect: lessons, end -->

Lines are only ever added: what somebody rewrote in the section stays as it is. A lesson that the file states anywhere
is not said again.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence

from recollect.text.sameness import says_the_same
from recollect.text.tokens import terms

BEGIN = "<!-- recollect: lessons, begin -->"
END = "<!-- recollect: lessons, end -->"
HEADING = "## Learnt from sessions"

# A file says a lesson if one of its lines has nearly all the words that carry it.
SAID = 0.8
# Lines around a change, as everybody shows them.
AROUND = 3

_CODE = re.compile(r"`([^`]+)`")
# What makes a line an item, a quotation or a heading.
_MARKUP = re.compile(r"^\s*(?:(?:[>*+\-]|#+|\d+[.)])\s+)*")


def with_lessons(text: str, lines: Sequence[str]) -> str:
    """Return a file with lines added to its section of lessons; the section is made at the end where there is none."""
    if not lines:
        return text
    end = "\r\n" if "\r\n" in text else "\n"
    items = [f"- {line}" for line in lines]
    rows = text.split(end)
    places = [number for number, row in enumerate(rows) if row.strip() == END]
    begins = [number for number, row in enumerate(rows) if row.strip() == BEGIN]
    if begins and places and begins[0] < places[-1]:
        last = places[-1]
        return end.join([*rows[:last], *items, *rows[last:]])
    section = end.join([BEGIN, HEADING, "", *items, END, ""])
    before = text if not text or text.endswith(end) else text + end
    return before + (end if before else "") + section


def unsaid(text: str, lines: Iterable[str]) -> list[str]:
    """Return the lines that a file does not say yet, each once."""
    told = [_MARKUP.sub("", row) for row in text.splitlines() if row.strip()]
    words = [frozenset(terms(row)) for row in told]
    found: list[str] = []
    for line in lines:
        if not _is_said(_MARKUP.sub("", line), told, words) and not any(says_the_same(line, other) for other in found):
            found.append(line)
    return found


def _is_said(line: str, told: Sequence[str], words: Sequence[frozenset[str]]) -> bool:
    if any(says_the_same(line, row) for row in told):
        return True
    # A command is said where it stands, whatever is written around it.
    pieces = _CODE.findall(line)
    if pieces and any(pieces[0] in row for row in told):
        return True
    mine = frozenset(terms(line))
    return any(len(mine & theirs) >= SAID * len(mine) and _negated(line) == _negated(row)
               for row, theirs in zip(told, words, strict=True)) if mine else True  # fmt: skip


def _negated(text: str) -> bool:
    return bool(re.search(r"\b(?:not|never|n't|no|avoid|without)\b|n['’]t\b", text, re.IGNORECASE))


def difference(before: str, after: str, path: str, *, is_new: bool) -> str:
    """Return a change of a file as a unified diff; empty where there is none."""
    rows = difflib.unified_diff(
        before.splitlines(keepends=True),
        after.splitlines(keepends=True),
        "/dev/null" if is_new else f"a/{path}",
        f"b/{path}",
        n=AROUND,
    )
    return "".join(row if row.endswith("\n") else f"{row}\n\\ No newline at end of file\n" for row in rows)

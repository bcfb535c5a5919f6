"""Insights: patterns as Markdown for people: what was found, what shows it, and what could be done about it."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from recollect.capture.lesson import line
from recollect.model import Pattern, PatternType

# Of each kind; a page that is longer is not read.
SHOWN = 8
TOLD_CHARACTERS = 300

# Headings in the order in which they cost most, each with what it means.
_ABOUT: Mapping[PatternType, tuple[str, str]] = {
    "error_loop": ("Errors that come back", "Store what fixed each (`recollect store`), or mend its cause."),
    "repeated_search": ("Searched for again and again", "Store the answer once, and nobody searches again."),
    "file_hotspot": ("Files that work comes back to", "Worth notes, tests, or being taken apart."),
    "decision_chain": ("Decisions that changed", "`recollect decisions` shows each from its beginning."),
    "tool_preference": ("Tools that are preferred", "Worth a line in the instructions: `recollect distil`."),
}


def insights(patterns: Sequence[Pattern]) -> str:
    """Return patterns as Markdown, a section for each kind; empty where there are none."""
    parts = []
    several = len({pattern.namespace for pattern in patterns}) > 1
    for kind, (heading, advice) in _ABOUT.items():
        found = [pattern for pattern in patterns if pattern.pattern_type == kind]
        if found:
            rows = [_item(pattern, several=several) for pattern in found[:SHOWN]]
            more = [f"- and {len(found) - SHOWN} more"] if len(found) > SHOWN else []
            parts.append("\n".join((f"## {heading}", "", *rows, *more, "", advice)))
    return "\n\n".join(parts)


def _item(pattern: Pattern, *, several: bool) -> str:
    when = _day(pattern.last_at)
    where = f" in {_plain(pattern.namespace or 'no project')}" if several else ""
    sure = f"{round(100 * pattern.confidence)} % sure"
    # Sessions can be looked at; where there are none, what shows it is a memory.
    named = f"; session {_plain(pattern.sessions[0])}" if pattern.sessions else ""
    if pattern.pattern_type == "decision_chain" and pattern.evidence:
        named = f"; memory {_plain(pattern.evidence[0])}"
    return f"- {_plain(pattern.told)}{where} (last {when}, {sure}{named})"


def _plain(text: str) -> str:
    """Return a text that cannot be taken for a heading, an item or a link of ours."""
    return line(text, TOLD_CHARACTERS).replace("](", "] (").replace("<", "‹").replace(">", "›")


def _day(at: int) -> str:
    return time.strftime("%Y-%m-%d", time.gmtime(at))

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
    "error_loop": ("Recurring errors", "Fix the cause, or store the fix with `recollect store`."),
    "repeated_search": ("Repeated searches", "Store the answer with `recollect store`."),
    "file_hotspot": ("File hot spots", "Consider notes, tests or splitting these files."),
    "decision_chain": ("Decisions that changed", "`recollect decisions` shows the history of each."),
    "tool_preference": ("Preferred tools", "Add them to the instructions file with `recollect distil`."),
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
    sure = f"{round(100 * pattern.confidence)} % confidence"
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

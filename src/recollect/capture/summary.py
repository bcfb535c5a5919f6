"""Summary: what a session was about, by rules, from what was seen of it.

    asked for · decided · changed · read · searched · ran · failed and what fixed it · still open · how it ended

Sections that have nothing to say are left out; a session in which nothing was done has no summary.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from recollect.capture.fixes import pairs, unresolved
from recollect.capture.invocation import is_looking
from recollect.capture.lesson import code, line, listed
from recollect.model import Memory, Observed

# A summary is read at the start of the next session: about 300 tokens.
PROMPTS = 3
FILES = 12
SEARCHES = 6
COMMANDS = 8
DECISIONS = 5
ERRORS = 4


class Summary(NamedTuple):
    """What a session was about: a line for lists, the whole, and the files that were changed."""

    headline: str
    text: str
    changed: tuple[str, ...]


def summarise(rows: Iterable[Observed], remembered: Sequence[Memory], shown: Callable[[str], str]) -> Summary | None:
    """Return the summary of a session; None if nothing was done in it.

    remembered: what was stored on purpose during it. shown: a path as people write it
    """
    seen = sorted(rows, key=lambda row: row.id)
    tools = [row for row in seen if row.event == "tool"]
    prompts = [row.told for row in seen if row.event == "prompt" and row.told]
    if not tools and not prompts and not remembered:
        return None
    worked = [row for row in tools if row.outcome != "failed"]
    changed = _files(worked, ("edit", "write", "patch"), shown)
    read = [path for path in _files(worked, ("read",), shown) if path not in changed]
    sections = (
        ("Asked for", [line(prompt, 200) for prompt in _ends(prompts, PROMPTS)]),
        ("Decided", [line(memory.title or memory.content, 200) for memory in remembered[:DECISIONS]]),
        ("Changed", [listed(changed, FILES)] if changed else []),
        ("Read", [listed(read, FILES)] if read else []),
        ("Searched for", [listed(_searches(worked), SEARCHES)] if _searches(worked) else []),
        ("Ran", [listed(_commands(worked), COMMANDS)] if _commands(worked) else []),
        ("Failed and was fixed", _fixed(tools)),
        ("Still failing", [line(row.told, 200) for row in unresolved(tools)[-ERRORS:]]),
        ("Ended with", _answer(seen)),
    )
    parts = [_section(title, lines) for title, lines in sections if lines]
    head = line(prompts[0], 80) if prompts else f"changed {listed(changed, 3)}" if changed else f"{len(tools)} steps"
    return Summary(head, "\n".join(parts), tuple(changed))


def _section(title: str, lines: list[str]) -> str:
    return f"{title}: {lines[0]}" if len(lines) == 1 else f"{title}:\n" + "\n".join(f"- {each}" for each in lines)


def _ends(texts: list[str], most: int) -> list[str]:
    """Return the first texts and the last: how it began, and where it had got to."""
    unique = list(dict.fromkeys(texts))
    return unique if len(unique) <= most else [*unique[: most - 1], unique[-1]]


def _files(rows: list[Observed], tools: tuple[str, ...], shown: Callable[[str], str]) -> list[str]:
    """Return the files that were used so, the most used first."""
    counts = Counter(shown(row.target) for row in rows if row.tool in tools and row.target)
    return [path for path, _ in counts.most_common()]


def _searches(rows: list[Observed]) -> list[str]:
    return list(
        dict.fromkeys(code(row.target, 60) for row in rows if row.tool in ("search", "find", "web") and row.target)
    )


def _commands(rows: list[Observed]) -> list[str]:
    run = [row.target for row in rows if row.tool == "shell" and row.target and not is_looking(row.target)]
    return list(dict.fromkeys(code(command, 60) for command in run))


def _fixed(rows: list[Observed]) -> list[str]:
    return [
        f"{line(pair.failure.told, 160)} → {line('; '.join(step.told for step in pair.steps), 200)}"
        for pair in pairs(rows)[-ERRORS:]
    ]


def _answer(rows: list[Observed]) -> list[str]:
    last = [row.told for row in rows if row.event == "turn_end" and row.told]
    return [line(last[-1], 300)] if last else []

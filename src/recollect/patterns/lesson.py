"""Lessons: what every session of a project should know, in a line each, from what recurs.

    preferences and conventions   stored on purpose and still holding
    corrections                   said by people in several sessions
    fixes                         steps that made the same error go away more than once
    commands                      of each kind the one that works
    tools                         what the project takes for a purpose

What programs and pages said becomes no lesson but as a piece of code: a file of instructions is obeyed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from recollect.capture.lesson import code, line
from recollect.model import Fix, KnownCommand, Lesson, Memory, Pattern
from recollect.patterns.correction import Correction
from recollect.patterns.preference import PROJECT_PURPOSES
from recollect.text.plural import plural

# A file of instructions is read with every session: a line must be worth its tokens.
LINE_CHARACTERS = 240
# What helped once may have been luck.
LEAST_FIXES = 2
# A command that failed every fifth time is none to recommend; three successes are no accident.
LEAST_RUNS, LEAST_WORKED = 3, 0.8
# Kinds of commands that a project has one of; `other` and `git` are everybody's own.
COMMAND_ORDER = ("install", "build", "test", "lint", "format", "run", "migrate", "deploy")
_PURPOSE = {
    "install": "Install with",
    "build": "Build with",
    "test": "Run the tests with",
    "lint": "Check with",
    "format": "Format with",
    "run": "Start with",
    "migrate": "Migrate with",
    "deploy": "Deploy with",
}
STATED = ("preference", "style", "habit")


def lessons(
    stated: Sequence[Memory],
    said: Sequence[Correction],
    fixes: Iterable[Fix],
    commands: Sequence[KnownCommand],
    tools: Sequence[Pattern],
) -> list[Lesson]:
    """Return what is worth a line in a file of instructions, what people said first.

    stated: preferences and conventions that were stored on purpose, and hold
    """
    return [*_stated(stated), *_corrected(said), *_commands(commands), *_tools(tools), *_fixes(fixes)]


def _stated(memories: Sequence[Memory]) -> Iterator[Lesson]:
    ranked = sorted(memories, key=lambda row: (-round(row.importance, 1), -row.access_count, row.created_at, row.id))
    for memory in ranked:
        if memory.memory_type in STATED:
            why = f"stored {memory.memory_type}"
            yield Lesson(text=sentence(memory.content), kind="preference", why=why, evidence=(memory.id,))


def _corrected(said: Sequence[Correction]) -> Iterator[Lesson]:
    for each in said:
        why = f"said in {plural(each.session_count, 'session')}"
        ids = tuple(dict.fromkeys(row.memory_id or row.id for row in each.rows))
        yield Lesson(text=sentence(each.text), kind="correction", why=why, evidence=ids)


def _commands(commands: Sequence[KnownCommand]) -> Iterator[Lesson]:
    for kind in COMMAND_ORDER:
        good = [
            row
            for row in commands
            if row.kind == kind
            and row.successes >= LEAST_RUNS
            and row.successes >= LEAST_WORKED * (row.successes + row.failures)
        ]
        if good:
            best = good[0]
            where = f" in {code(best.directory + '/')}" if best.directory else ""
            wrong = f"; {code(best.failed[0].command)} fails" if best.failed else ""
            why = f"succeeded {best.successes} of {plural(best.successes + best.failures, 'time')}"
            text = f"{_PURPOSE[kind]} {code(best.command, 200)}{where}{wrong}."
            yield Lesson(text=text, kind="command", why=why, evidence=best.evidence)


def _tools(tools: Sequence[Pattern]) -> Iterator[Lesson]:
    for pattern in tools:
        purpose, _, tool = pattern.subject.partition(": ")
        if purpose in PROJECT_PURPOSES:
            yield Lesson(text=f"For {purpose}, use {tool}.", kind="tool", why=pattern.told, evidence=pattern.evidence)


def _fixes(fixes: Iterable[Fix]) -> Iterator[Lesson]:
    helped: dict[str, list[Fix]] = defaultdict(list)
    for fix in fixes:
        helped[fix.memory_id].append(fix)
    for rows in sorted(helped.values(), key=lambda rows: (-len(rows), rows[0].memory_id)):
        if len(rows) >= LEAST_FIXES:
            last = max(rows, key=lambda row: row.seen_at)
            text = f"If {code(last.error, 120)}: {code('; '.join(last.steps), 160)} fixed it before."
            why = f"fixed it {plural(len(rows), 'time')}"
            yield Lesson(text=line(text, LINE_CHARACTERS + 80), kind="fix", why=why, evidence=(last.memory_id,))


def sentence(text: str) -> str:
    """Return the first paragraph of a text as a sentence on one line."""
    first = line(text.strip().split("\n\n")[0], LINE_CHARACTERS)
    return first if first.endswith((".", "!", "?", "…", ":")) else f"{first}."

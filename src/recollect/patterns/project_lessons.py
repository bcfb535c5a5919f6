"""Lessons of a project: lines for its instructions file, from what recurs, and the section that holds them.

    preferences and conventions   stored on purpose and still valid
    corrections                   rules that people stated in several sessions
    commands, tools               the one that works, or is preferred, for each purpose
    fixes                         steps that resolved the same error more than once

Every line is a rule in the imperative; what cannot be turned into one (imperative_rule.py) is left out. Text of
programs and pages appears only as code, because an assistant obeys the file. Lines of the section are only
added, and never where the file says the same already. Everything outside of the two marks stays as it is.
"""

from __future__ import annotations

import difflib
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from recollect.capture.observation_lesson import code, line
from recollect.capture.statements import statements
from recollect.model import Fix, KnownCommand, Lesson, Memory, Observed, Pattern
from recollect.patterns.imperative_rule import imperative
from recollect.patterns.usage_patterns import PROJECT_PURPOSES
from recollect.text.display import plural
from recollect.text.paraphrases import says_the_same
from recollect.text.terms import terms

# --- corrections ---

# A rule that is stated once may concern one task.
LEAST_SESSIONS = 2
# The share of words that two sentences of the same rule have in common.
ALIKE = 0.5
# Shorter ones are "no", "stop that"; longer ones are a task.
LEAST_TERMS, MOST_TERMS = 2, 24

_NEGATED = re.compile(r"\b(?:not|never|no|avoid|without|stop)\b|n['’]t\b", re.IGNORECASE)


class StatedRule(NamedTuple):
    """One sentence that states a rule, and where it was said."""

    text: str
    words: frozenset[str]
    row: Observed


class Correction(NamedTuple):
    """A rule that was stated in several sessions: its shortest wording, and the prompts that state it."""

    text: str
    rows: tuple[Observed, ...]
    session_count: int


def corrections(rows: Iterable[Observed]) -> list[Correction]:
    """Return the rules that people stated in several sessions, most frequent first."""
    groups: list[list[StatedRule]] = []
    for row in sorted(rows, key=lambda row: (row.at, row.id)):
        if row.event != "prompt":
            continue
        for said in _rules(row):
            near = next((group for group in groups if any(_alike(said, other) for other in group)), None)
            if near is None:
                groups.append([said])
            else:
                near.append(said)
    found = []
    for group in groups:
        among = {said.row.session_id for said in group}
        if len(among) >= LEAST_SESSIONS:
            shortest = min(group, key=lambda said: (len(said.text), -said.row.at))
            found.append(Correction(shortest.text, tuple(said.row for said in group), len(among)))
    return sorted(found, key=lambda row: (-row.session_count, row.text))


def _rules(row: Observed) -> Iterator[StatedRule]:
    """Yield the sentences of a prompt that state a rule."""
    for stated in statements(row.told, "user"):
        text = stated.text.strip(" ,.!;")
        words = frozenset(terms(text))
        if stated.kind in ("rule", "preference") and LEAST_TERMS <= len(words) <= MOST_TERMS:
            yield StatedRule(text, words, row)


def _alike(one: StatedRule, other: StatedRule) -> bool:
    common = len(one.words & other.words)
    return common >= ALIKE * len(one.words | other.words) and _is_negated(one.text) == _is_negated(other.text)


def _is_negated(text: str) -> bool:
    return _NEGATED.search(text) is not None


# --- lessons ---

LINE_CHARACTERS = 240
# A fix that helped once may have been luck.
LEAST_FIXES = 2
# Fewer successes are no recommendation.
LEAST_RUNS, LEAST_WORKED = 3, 0.8
# Kinds of commands that a project has one of, in the order of the file.
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
# A step of a fix that is a command.
_RAN = re.compile(r"Ran `([^`\n]{1,160})`")


def lessons(
    stated: Sequence[Memory],
    said: Sequence[Correction],
    fixes: Iterable[Fix],
    commands: Sequence[KnownCommand],
    tools: Sequence[Pattern],
) -> list[Lesson]:
    """Return the lessons of a project, those that people stated first.

    stated: preferences and conventions that were stored on purpose and are valid
    """
    return [*_stated(stated), *_corrected(said), *_commands(commands), *_tools(tools), *_fixes(fixes)]


def _stated(memories: Sequence[Memory]) -> Iterator[Lesson]:
    ranked = sorted(memories, key=lambda row: (-round(row.importance, 1), -row.access_count, row.created_at, row.id))
    for memory in ranked:
        rule = imperative(memory.content, is_stored=True)
        if memory.memory_type in STATED and rule:
            why = f"stored {memory.memory_type}"
            yield Lesson(text=line(rule, LINE_CHARACTERS), kind="preference", why=why, evidence=(memory.id,))


def _corrected(said: Sequence[Correction]) -> Iterator[Lesson]:
    for each in said:
        rule = imperative(each.text)
        if rule:
            why = f"said in {plural(each.session_count, 'session')}"
            ids = tuple(dict.fromkeys(row.memory_id or row.id for row in each.rows))
            yield Lesson(text=line(rule, LINE_CHARACTERS), kind="correction", why=why, evidence=ids)


def _commands(commands: Sequence[KnownCommand]) -> Iterator[Lesson]:
    for kind, purpose in _PURPOSE.items():
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
            wrong = f", not {code(best.failed[0].command)}" if best.failed else ""
            why = f"succeeded {best.successes} of {plural(best.successes + best.failures, 'time')}"
            text = f"{purpose} {code(best.command, 200)}{where}{wrong}."
            yield Lesson(text=text, kind="command", why=why, evidence=best.evidence)


def _tools(tools: Sequence[Pattern]) -> Iterator[Lesson]:
    for pattern in tools:
        purpose, _, tool = pattern.subject.partition(": ")
        if purpose in PROJECT_PURPOSES:
            yield Lesson(text=f"Use {tool} for {purpose}.", kind="tool", why=pattern.told, evidence=pattern.evidence)


def _fixes(fixes: Iterable[Fix]) -> Iterator[Lesson]:
    """Yield fixes that are commands; an edit fixed one line, and is no rule."""
    helped: dict[str, list[Fix]] = defaultdict(list)
    for fix in fixes:
        helped[fix.memory_id].append(fix)
    for rows in sorted(helped.values(), key=lambda rows: (-len(rows), rows[0].memory_id)):
        last = max(rows, key=lambda row: row.seen_at)
        ran = [_RAN.fullmatch(step) for step in last.steps]
        if len(rows) >= LEAST_FIXES and all(ran):
            steps = ", then ".join(f"`{match[1]}`" for match in ran if match)
            text = f"If {code(last.error, 120)}, run {steps}."
            why = f"fixed it {plural(len(rows), 'time')}"
            yield Lesson(text=line(text, LINE_CHARACTERS + 80), kind="fix", why=why, evidence=(last.memory_id,))


BEGIN = "<!-- recollect: lessons, begin -->"
END = "<!-- recollect: lessons, end -->"
HEADING = "## Learnt from sessions"

# --- the section ---

# A file says a lesson if one of its lines has this share of its words.
SAID = 0.8

_CODE = re.compile(r"`([^`]+)`")
# Marks of list items, quotations and headings.
_MARKUP = re.compile(r"^\s*(?:(?:[>*+\-]|#+|\d+[.)])\s+)*")


def with_lessons(text: str, lines: Sequence[str]) -> str:
    """Return a file with lines added to its section of lessons, which is created at the end if missing."""
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
    for each in lines:
        if not _is_said(_MARKUP.sub("", each), told, words) and not any(says_the_same(each, other) for other in found):
            found.append(each)
    return found


def _is_said(line: str, told: Sequence[str], words: Sequence[frozenset[str]]) -> bool:
    if any(says_the_same(line, row) for row in told):
        return True
    # A file that contains the command says the lesson.
    pieces = _CODE.findall(line)
    if pieces and any(pieces[0] in row for row in told):
        return True
    mine = frozenset(terms(line))
    return any(len(mine & theirs) >= SAID * len(mine) and _is_negated(line) == _is_negated(row)
               for row, theirs in zip(told, words, strict=True)) if mine else True  # fmt: skip


def difference(before: str, after: str, path: str, *, is_new: bool) -> str:
    """Return the unified diff of a change; empty if there is none."""
    rows = difflib.unified_diff(
        before.splitlines(keepends=True),
        after.splitlines(keepends=True),
        "/dev/null" if is_new else f"a/{path}",
        f"b/{path}",
    )
    return "".join(row if row.endswith("\n") else f"{row}\n\\ No newline at end of file\n" for row in rows)

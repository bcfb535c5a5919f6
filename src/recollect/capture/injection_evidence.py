"""Evidence that an injected memory was used or wrong, from the later events of its session.

Only new events count: a file, command or word that occurred before the injection would have come without the memory.
The result depends on all events of the session, not on the order in which they arrived.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from recollect.capture.error_fingerprint import same_command
from recollect.capture.invocation import is_looking
from recollect.capture.observation_lesson import line
from recollect.model import Evidence, Memory, Observed
from recollect.text.terms import query_terms

# A memory that names more files or commands is a list; one of them recurs by chance.
MOST_NAMED = 4
# Categories whose memories are lists too.
LISTING = frozenset({"session", "compaction"})
# How many words of a memory, and which share, must recur in an answer; fewer recur by chance.
LEAST_WORDS = 4
LEAST_SHARE = 0.6
# How many of its names, numbers or paths must recur, with a smaller share of words.
LEAST_NAMES = 2
NAMED_SHARE = 0.3
ANSWER_CHARACTERS = 20_000

_OPENING = frozenset({"read", "edit", "write", "patch"})
_PATH = re.compile(r"(?<![\w/.@+-])(?:[\w.@+-]++/)*[\w@+-][\w.@+-]*\.[A-Za-z]\w{0,7}\b(?![/(])")
_SPAN = re.compile(r"`([^`\n]{3,400})`|^[^\S\n]*+\$ (.{3,400})$", re.MULTILINE)
_TOGETHER = re.compile(r"(?:(?<!\s)\s++)?+(?:&&|\|\||;|\|)\s*+")
# Names with a digit, an underscore, a hump, or several parts do not recur by chance.
_NAME = re.compile(r"\w+(?:[./:-]\w+)*")
_TELLING = re.compile(r"\d|_|[a-z][A-Z]|\w[./:]\w")

# The time of an event: its second, and the name of its payload.
Key = tuple[int, str]


class Offer(NamedTuple):
    """An injected memory, and the signs of its use.

    failed, fingerprint: tool, target and error that caused the injection. steps: its recorded fix
    """

    memory_id: str
    key: Key
    content: str
    files: frozenset[str]
    commands: frozenset[str]
    failed: tuple[str, str] = ("", "")
    fingerprint: str = ""
    steps: frozenset[str] = frozenset()


class Sitting(NamedTuple):
    """The events of a session: first opened files, first successful commands, words of the prompts."""

    rows: Sequence[Observed]
    opened: dict[str, Key]
    worked: dict[str, Key]
    asked: frozenset[str]


def sitting(rows: Iterable[Observed]) -> Sitting:
    """Return the events of a session from its observations in any order."""
    ordered = sorted(rows, key=_key)
    opened: dict[str, Key] = {}
    worked: dict[str, Key] = {}
    asked: set[str] = set()
    for row in ordered:
        if row.event == "prompt":
            asked.update(query_terms(row.told))
        if row.event != "tool" or not row.target or row.outcome == "failed":
            continue
        if row.tool in _OPENING:
            opened.setdefault(row.target, _key(row))
        elif row.tool == "shell":
            for part in (row.target, *_TOGETHER.split(row.target)):
                worked.setdefault(part, _key(row))
    return Sitting(ordered, opened, worked, frozenset(asked))


def files_of(memory: Memory, anchored: Iterable[str]) -> frozenset[str]:
    """Return the files of a memory; none if it is a list."""
    named = {*anchored, *_PATH.findall(memory.content)}
    return frozenset(named) if len(named) <= MOST_NAMED and memory.category not in LISTING else frozenset()


def commands_of(memory: Memory) -> frozenset[str]:
    """Return the commands of a memory, normalised; none if it is a list."""
    kept = memory.metadata.get("command")
    found = [kept] if isinstance(kept, str) else [span or shell for span, shell in _SPAN.findall(memory.content)]
    normal = {line(same_command(each), 400) for each in found}
    telling = {each for each in normal if " " in each and not is_looking(each)}
    return frozenset(telling) if len(telling) <= MOST_NAMED and memory.category not in LISTING else frozenset()


def evidence(offer: Offer, seen: Sitting, said: Sequence[str] = ()) -> Evidence:
    """Return the strongest sign that a memory was used or wrong; empty if there is none.

    said: texts that the assistant wrote after the injection
    """
    outcome = _outcome(offer, seen) if offer.fingerprint else ""
    if outcome in ("fixed", "returned"):
        return outcome
    if any(_is_run(command, seen.worked, offer.key) for command in offer.commands):
        return "ran"
    if any(_is_cited(offer, seen.asked, text[:ANSWER_CHARACTERS]) for text in said):
        return "cited"
    if any(_is_opened(path, seen.opened, offer.key) for path in offer.files):
        return "touched"
    return outcome


def _key(row: Observed) -> Key:
    return row.at, row.id


def _is_opened(path: str, opened: dict[str, Key], offered: Key) -> bool:
    """Tell whether a file was first opened after the injection."""
    keys = [key for target, key in opened.items() if target == path or target.endswith(f"/{path}")]
    return bool(keys) and min(keys) > offered


def _is_run(command: str, worked: dict[str, Key], offered: Key) -> bool:
    """Tell whether a command, also with more arguments, first succeeded after the injection."""
    keys = [key for part, key in worked.items() if part == command or part.startswith(f"{command} ")]
    return bool(keys) and min(keys) > offered


def _outcome(offer: Offer, seen: Sitting) -> Evidence:
    """Return whether the error of an injected fix disappeared; its last occurrence counts."""
    taken, found = False, ""
    for row in seen.rows:
        if _key(row) <= offer.key or row.event != "tool":
            continue
        taken = taken or (row.outcome != "failed" and row.told in offer.steps)
        if row.outcome == "failed" and row.fingerprint == offer.fingerprint:
            found = "returned" if taken else ""
        elif row.outcome == "ok" and (row.tool, row.target) == offer.failed:
            found = "fixed" if taken else "gone"
    return found  # type: ignore[return-value]


def _is_cited(offer: Offer, asked: frozenset[str], text: str) -> bool:
    """Tell whether a text has the memory's id, or enough of its new words."""
    if offer.memory_id in text:
        return True
    words = frozenset(query_terms(offer.content)) - asked
    shared = words & frozenset(query_terms(text))
    share = len(shared) / len(words) if words else 0.0
    names = {name for name in _names(offer.content) if not asked.issuperset(query_terms(name))}
    known = names & _names(text)
    if names and len(known) >= min(LEAST_NAMES, len(names)) and share >= NAMED_SHARE:
        return True
    return len(shared) >= LEAST_WORDS and share >= LEAST_SHARE


def _names(text: str) -> set[str]:
    return {name for name in _NAME.findall(text) if len(name) > 2 and _TELLING.search(name)}

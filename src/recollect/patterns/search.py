"""Repeated searches: the same thing looked for in one session after the other.

The same search in three sessions means that its first result was not stored. How a search is written
does not count: `def parse_config`, `parse_config(` and a grep for it in a shell look for the same.
"""

from __future__ import annotations

import math
import re
import shlex
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from itertools import count, pairwise

from recollect.capture.fingerprint import same_command
from recollect.capture.lesson import code
from recollect.model import Observed, Pattern
from recollect.patterns.chance import beyond, luck, rate
from recollect.patterns.seen import pattern, sessions
from recollect.text.plural import plural

# Twice is a coincidence, or one session that was continued; the third time somebody pays again for what was known.
LEAST_SESSIONS = 3
# Who searches a lot meets a name thrice by luck. It takes as many sessions as leave less than this many such names to
# be expected: in one report of twenty there is one.
CHANCE = 0.05

_TOOLS = frozenset({"search", "find", "web"})
_WORD = re.compile(r"[^\W_][\w]*")
_ESCAPE = re.compile(r"\\[bBdDwWsSAZz]")
# Words by which code is declared, and endings of files: alone they look for nothing in particular.
_EMPTY = frozenset(
    "def class function func fn import from const let var type interface struct enum public private static async "
    "export return new self this the and for with src lib test tests py js ts tsx jsx rs go java md txt json yaml "
    "yml toml html css sh todo fixme xxx hack".split()
)
# Programs that search in a shell: grep takes its pattern first, find and fd after -name.
_GREPS = frozenset({"grep", "egrep", "fgrep", "rg", "ag", "ack", "zgrep"})
_FINDS = frozenset({"find", "fd", "fdfind"})
_PROGRAM = re.compile(r"grep|rg|ag|ack|find|fd")
# Options of those whose value follows as a word of its own.
_VALUED = frozenset({"-A", "-B", "-C", "-m", "-g", "-t", "-T", "--include", "--exclude", "--exclude-dir", "--glob",
                     "--type", "-d", "--max-depth", "-f", "--color"})  # fmt: skip


def repeated_searches(rows: Iterable[Observed]) -> list[Pattern]:
    """Return what was searched for in several sessions, surest first."""
    uses: dict[str, list[Observed]] = defaultdict(list)
    spelt: dict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        for words in searched(row):
            key = meant(words)
            if key:
                uses[key].append(row)
                spelt[key][words] += 1
    among = {key: len(sessions(found)) for key, found in uses.items()}
    # What is usual here: searches that nobody repeated are made in little more than one session each.
    ordinary = [times for times in among.values() if times < LEAST_SESSIONS]
    usual = sum(ordinary) / len(ordinary) if ordinary else 1.0
    least = _least(len(among), usual)
    found = []
    for key, times in among.items():
        if times >= least:
            subject = _usual_spelling(spelt[key])
            told = f"{code(subject)} was searched for {plural(len(uses[key]), 'time')} in {plural(times, 'session')}"
            found.append(pattern("repeated_search", subject, told, beyond(times, usual), uses[key]))
    return sorted(found, key=lambda row: (-row.confidence, row.subject))


def _least(seen: int, usual: float) -> int:
    """Return in how many sessions a search must be made where so many different ones were, so often each."""
    expected = rate(usual)
    if not expected:
        return LEAST_SESSIONS
    names = seen / -math.expm1(-expected)  # those that could have been searched for, seen or not
    return next(times for times in count(LEAST_SESSIONS) if names * luck(times, expected) < CHANCE)


def _usual_spelling(spelt: Counter[str]) -> str:
    most = max(spelt.values())
    return min((words for words in spelt if spelt[words] == most), key=lambda words: (len(words), words))


def searched(row: Observed) -> Iterator[str]:
    """Yield what an observation searched for: by a tool, or by a program in a shell."""
    if row.event != "tool" or row.outcome == "failed" or not row.target:
        return
    if row.tool in _TOOLS:
        yield row.target
    elif row.tool == "shell":
        yield from _in_shell(row.target)


def meant(words: str) -> str:
    """Return what a search is after, however it is written; empty where that is nothing in particular."""
    plain = _ESCAPE.sub(" ", words)
    kept = [word.lower() for word in _WORD.findall(plain)]
    telling = [word for word in kept if word not in _EMPTY and len(word) > 2 and not word.isdecimal()]
    return " ".join(telling)


def _in_shell(command: str) -> Iterator[str]:
    for part in re.split(r"&&|\|\||;|\|", same_command(command) if _PROGRAM.search(command) else ""):
        if not _PROGRAM.search(part):
            continue
        try:
            words = shlex.split(part)
        except ValueError:  # a quote that is never closed
            continue
        if words[:2] == ["git", "grep"]:
            words = words[1:]
        name = words[0].rsplit("/", 1)[-1] if words else ""
        if name in _GREPS:
            yield from _arguments(words[1:])[:1]
        elif name in _FINDS:
            named = [after for before, after in pairwise(words) if before in ("-name", "-iname")]
            yield from named[:1] or (_arguments(words[1:])[:1] if name != "find" else [])


def _arguments(words: list[str]) -> list[str]:
    """Return the words of a command line that are neither options nor their values; a pattern after -e comes first."""
    found: list[str] = []
    skip = False
    for before, word in zip(["", *words], words, strict=False):
        if before in ("-e", "--regexp"):
            found.insert(0, word)
        elif skip:
            skip = False
        elif word.startswith("-") and len(word) > 1:
            skip = word in _VALUED
        else:
            found.append(word)
    return found

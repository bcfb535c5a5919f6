"""Extract: a summary of several memories in their own words.

    members, the central one first ─► the sentence of each that says most of what they share ─► title and text

Nothing is made up: every line of it stands in a member.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from recollect.consolidate.candidate import Candidate
from recollect.text.display import plural
from recollect.text.paraphrases import says_the_same
from recollect.text.terms import STOP_WORDS, terms

# Lines of a summary, and characters of each: it is read beside its members, not instead of them.
LINES = 6
LINE_CHARACTERS = 200
# Words that a title names.
NAMED = 4
# What is shorter is a label or the end of a list, no sentence.
LEAST_CHARACTERS = 12

_SENTENCE = re.compile(r"(?<=[.!?。！？])\s+|\n+")
_WORD = re.compile(r"[^\W_][\w./:-]*\w|\w")


def summary(members: Sequence[Candidate]) -> tuple[str, str]:
    """Return the title and the text of a summary; members: the central one first."""
    shared = _shared(members)
    lines: list[str] = []
    for member in members:
        said = _telling(member.content, shared)
        if said and not any(says_the_same(said, line) for line in lines):
            lines.append(said)
    left_out = len(lines) - LINES
    title = f"{plural(len(members), 'memory', 'memories')} about {', '.join(_named(members, shared))}"
    text = "\n".join(f"- {line}" for line in lines[:LINES])
    return title, f"{title}:\n{text}" + (f"\n- and {left_out} more" if left_out > 0 else "")


def common_tags(members: Sequence[Candidate]) -> tuple[str, ...]:
    """Return the tags that more than half of the members have, in order of the alphabet."""
    counts = Counter(tag for member in members for tag in set(member.tags))
    return tuple(sorted(tag for tag, number in counts.items() if 2 * number > len(members)))


def _shared(members: Sequence[Candidate]) -> Counter[str]:
    """Return the terms that two members or more hold, with the number of them."""
    counts = Counter(term for member in members for term in set(terms(member.content)))
    return Counter({term: number for term, number in counts.items() if number > 1})


def _telling(content: str, shared: Counter[str]) -> str:
    """Return the sentence of a text that says most of what the members share; of equals the first."""
    sentences = [line.strip(" -*#\t") for line in _SENTENCE.split(content)]
    told = [line for line in sentences if len(line) >= LEAST_CHARACTERS] or [content.strip()]
    best = max(told, key=lambda line: sum(shared[term] for term in set(terms(line))))
    best = " ".join(best.split())
    return best if len(best) <= LINE_CHARACTERS else best[: LINE_CHARACTERS - 1].rstrip() + "…"


def _named(members: Sequence[Candidate], shared: Counter[str]) -> list[str]:
    """Return the words that most members use, as the first of them writes each."""
    written: dict[str, str] = {}
    for member in members:
        for word in _WORD.findall(member.content):
            held = terms(word) if word.lower() not in STOP_WORDS else []
            # A name of several terms counts where all of them are shared: PostgreSQL, parse_file.
            if held and all(term in shared for term in held):
                written.setdefault(held[0], word)
    order = sorted(written, key=lambda term: (-shared[term], term))
    return [written[term] for term in order[:NAMED]] or ["one topic"]

"""Question: what a search of the code asks for, before anything is looked up."""

from __future__ import annotations

import re
from typing import NamedTuple

from recollect.text.identifiers import code_terms

# Identifiers as people write them in a question: with their owners before them.
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*(?:(?:\.|::|#|->)[A-Za-z_]\w*)*[?!]?")
_SEPARATOR = re.compile(r"\.|::|#|->")
# What no word of prose has: a hump, an underscore, an owner, capitals throughout.
_WRITTEN_AS_CODE = re.compile(r"[a-z0-9][A-Z]|_|\.\w|::|#|->|^[A-Z][A-Z0-9]+$|[A-Z]{2,}[a-z]")
_QUOTED = re.compile(r"`([^`\n]{1,80})`")

# A question of more words is prose, in which one word may happen to be a name.
MAX_NAME_WORDS = 2
# Names looked up at most: an error report may hold hundreds, and the first ones are its subject.
MAX_NAMES = 24

_TESTS = re.compile(r"\btests?\b|\bspecs?\b|\bfixtures?\b", re.IGNORECASE)
_EXAMPLES = re.compile(r"\bexamples?\b|\bsamples?\b|\bdemos?\b|\btutorials?\b|\bbenchmarks?\b", re.IGNORECASE)
_PROSE = re.compile(
    r"\bdocs?\b|\bdocumentation\b|\breadme\b|\bchangelog\b|\bguide\b|\bcontributing\b|\bmarkdown\b", re.IGNORECASE
)
_DATA = re.compile(
    r"\bconfig(uration)?\b|\bsettings?\b|\bjson\b|\byaml\b|\btoml\b|\bmanifest\b|\bdependencies\b", re.IGNORECASE
)


class Question(NamedTuple):
    """A question about code: its search terms, the names in it, and what it asks for besides code.

    by_name: it is the name of something, not a description
    """

    text: str
    terms: tuple[str, ...]
    names: tuple[str, ...]
    by_name: bool
    wants_tests: bool
    wants_examples: bool
    wants_prose: bool
    wants_data: bool


def understand(text: str) -> Question:
    """Return what a question about code asks for."""
    words = _IDENTIFIER.findall(text)
    as_code = [word for word in words if _WRITTEN_AS_CODE.search(word)]
    quoted = [word for part in _QUOTED.findall(text) for word in _IDENTIFIER.findall(part)]
    by_name = len(text.split()) <= MAX_NAME_WORDS and 0 < len(words) <= MAX_NAME_WORDS
    written = [*quoted, *as_code, *(words if by_name else ())]
    names = dict.fromkeys(_SEPARATOR.split(word)[-1] for word in written)
    return Question(
        text=text,
        terms=tuple(dict.fromkeys(code_terms(text))),
        names=tuple(names)[:MAX_NAMES],
        by_name=by_name,
        wants_tests=bool(_TESTS.search(text)),
        wants_examples=bool(_EXAMPLES.search(text)),
        wants_prose=bool(_PROSE.search(text)),
        wants_data=bool(_DATA.search(text)),
    )

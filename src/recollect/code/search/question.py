"""Question: what a search of the code asks for, before anything is looked up."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from recollect.text.identifiers import code_terms

# Identifiers as people write them in a question: with their owners before them.
_IDENTIFIER = re.compile(r"[^\W\d]\w*(?:(?:\.|::|#|->)[^\W\d]\w*)*[?!]?")
_SEPARATOR = re.compile(r"\.|::|#|->")
# What no word of prose has: a hump, an underscore, an owner, capitals throughout.
_WRITTEN_AS_CODE = re.compile(r"[a-z0-9][A-Z]|_|\.\w|::|#|->|^[A-Z][A-Z0-9]+$|[A-Z]{2,}[a-z]")
_QUOTED = re.compile(r"`([^`\n]{1,80})`")

# A question of more words is prose, in which one word may happen to be a name.
MAX_NAME_WORDS = 2
# A text of more terms is a report (an issue, an error with its traceback), which speaks of much besides its subject.
# Questions that people type have a dozen at most; the shortest of thirty issues of a large project had nineteen.
REPORT_TERMS = 15
# Names looked up at most: an error report may hold hundreds, and the first ones are its subject.
MAX_NAMES = 24

# Files and modules named in a report: a path with an extension, or a dotted module.
_CITED = re.compile(r"(?<![\w/\\.])(?:[a-z_]\w*\.){2,}[a-z_]\w*|(?:[\w\-]+[/\\])*[\w\-]+\.[A-Za-z]{1,5}\b")

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

    owners: what was written before each of the names, in lower case (`Server.start`: server)
    by_name: it is the name of something, not a description
    is_report: it is a long text, of which `lead` are the terms of the headline
    cited: files and modules it names, as paths without extension
    """

    text: str
    terms: tuple[str, ...]
    names: tuple[str, ...]
    owners: tuple[tuple[str, ...], ...]
    lead: frozenset[str]
    cited: frozenset[str]
    by_name: bool
    is_report: bool
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
    named = _owners_of_names([*quoted, *as_code, *(words if by_name else ())])
    terms = tuple(dict.fromkeys(code_terms(text)))
    # A report mentions tests, documents and settings in passing: only a short question asks for them.
    asked = "" if len(terms) > REPORT_TERMS else text
    return Question(
        text=text,
        terms=terms,
        names=tuple(named)[:MAX_NAMES],
        owners=tuple(named.values())[:MAX_NAMES],
        lead=frozenset(code_terms(text.strip().partition("\n")[0])),
        cited=frozenset(_as_path(cited) for cited in _CITED.findall(text)),
        by_name=by_name,
        is_report=len(terms) > REPORT_TERMS,
        wants_tests=bool(_TESTS.search(asked)),
        wants_examples=bool(_EXAMPLES.search(asked)),
        wants_prose=bool(_PROSE.search(asked)),
        wants_data=bool(_DATA.search(asked)),
    )


def _as_path(cited: str) -> str:
    """Return a named file or module as a path without extension."""
    path = cited.replace("\\", "/")
    return path.rsplit(".", 1)[0] if "/" in path or path.count(".") == 1 else path.replace(".", "/")


def _owners_of_names(words: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return each name with the owners written before it; one that ends a question is meant without its mark, too."""
    found: dict[str, tuple[str, ...]] = {}
    for word in words:
        *owners, name = _SEPARATOR.split(word)
        for meant in (name, name.rstrip("?!")):
            found[meant] = max(found.get(meant, ()), tuple(owner.lower() for owner in owners), key=len)
    return found

"""Parse a code search query, before anything is looked up."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from recollect.code.search.report import Report, read
from recollect.text.identifiers import code_terms
from recollect.text.terms import STOP_WORDS

# Identifiers as people write them in a query: with their owners before them.
_IDENTIFIER = re.compile(r"[^\W\d]\w*(?:(?:\.|::|#|->)[^\W\d]\w*)*[?!]?")
_SEPARATOR = re.compile(r"\.|::|#|->")
# What no word of prose has: a hump, an underscore, an owner, capitals throughout.
_WRITTEN_AS_CODE = re.compile(r"[a-z0-9][A-Z]|_|\.\w|::|#|->|^[A-Z][A-Z0-9]+$|[A-Z]{2}[a-z]")
# A word beside one of these is a name, also one that is no search term: class Char, the g object.
_KINDS = "class|function|method|func|struct|type|variable|module|object|constant|enum|trait|macro|interface|decorator"
_SAID = re.compile(rf"\b(?:{_KINDS})\s++(\w++)|\b(\w++)(?:\(|\s++(?:{_KINDS})s?\b)", re.IGNORECASE)
_QUOTED = re.compile(r"`([^`\n]{1,80})`")

# A query of more words is prose, in which one word may happen to be a name.
MAX_NAME_WORDS = 2
# A text of more terms is a report (an issue, an error with its traceback), which mentions much besides its subject.
# Queries that people type have a dozen at most; the shortest of thirty issues of a large project had nineteen.
REPORT_TERMS = 15
# Names looked up at most: an error report may hold hundreds, and the first ones are its subject.
MAX_NAMES = 24
MAX_REPORT_NAMES = 60

_TESTS = re.compile(r"\btests?\b|\bspecs?\b|\bfixtures?\b", re.IGNORECASE)
_EXAMPLES = re.compile(r"\bexamples?\b|\bsamples?\b|\bdemos?\b|\btutorials?\b|\bbenchmarks?\b", re.IGNORECASE)
_PROSE = re.compile(
    r"\bdocs?\b|\bdocumentation\b|\breadme\b|\bchangelog\b|\bguide\b|\bcontributing\b|\bmarkdown\b", re.IGNORECASE
)
_DATA = re.compile(
    r"\bconfig(uration)?\b|\bsettings?\b|\bjson\b|\byaml\b|\btoml\b|\bmanifest\b|\bdependencies\b", re.IGNORECASE
)


class Question(NamedTuple):
    """A query about code: its search terms, the names in it, and what it asks for besides code.

    owners: what is written before each name, in lower case (`Server.start`: server)
    places: the part of a report that each name is in: headline (lead), prose (said) or code (shown)
    lead: terms of the headline. said, shown: how often a report has each term in prose and in code
    by_name: it is the name of something, not a description
    """

    text: str
    terms: tuple[str, ...]
    names: tuple[str, ...]
    owners: tuple[tuple[str, ...], ...]
    places: tuple[str, ...]
    lead: frozenset[str]
    said: Mapping[str, int] = MappingProxyType({})
    shown: Mapping[str, int] = MappingProxyType({})
    report: Report | None = None
    by_name: bool = False
    wants_tests: bool = False
    wants_examples: bool = False
    wants_prose: bool = False
    wants_data: bool = False

    @property
    def is_report(self) -> bool:
        """Whether it is a long text, which mentions much besides its subject."""
        return self.report is not None


def understand(text: str) -> Question:
    """Return what a query about code asks for."""
    terms = tuple(dict.fromkeys(code_terms(text)))
    words = _IDENTIFIER.findall(text)
    by_name = len(text.split()) <= MAX_NAME_WORDS and 0 < len(words) <= MAX_NAME_WORDS
    if len(terms) > REPORT_TERMS and not by_name:
        return _of_report(text, terms)
    named = _owners_of_names([*_names(text), *(words if by_name else ())])
    return Question(
        text=text,
        terms=terms,
        names=tuple(named)[:MAX_NAMES],
        owners=tuple(named.values())[:MAX_NAMES],
        places=("said",) * min(len(named), MAX_NAMES),
        lead=frozenset(code_terms(text.strip().partition("\n")[0])),
        by_name=by_name,
        wants_tests=bool(_TESTS.search(text)),
        wants_examples=bool(_EXAMPLES.search(text)),
        wants_prose=bool(_PROSE.search(text)),
        wants_data=bool(_DATA.search(text)),
    )


def _of_report(text: str, terms: tuple[str, ...]) -> Question:
    """Return a long text as a query. It mentions tests, documents and settings in passing and asks for none."""
    report = read(text)
    lead, said, shown = (Counter(code_terms(part)) for part in (report.lead, report.said, report.shown))
    places: dict[str, str] = {}
    owners: dict[str, tuple[str, ...]] = {}
    for place, part in (("lead", report.lead), ("said", report.said), ("shown", report.shown)):
        for name, before in _owners_of_names(_names(part)).items():
            places.setdefault(name, place)
            owners[name] = max(owners.get(name, ()), before, key=len)
    return Question(
        text=text,
        terms=tuple({**lead, **said, **shown}) or terms,
        names=tuple(places)[:MAX_REPORT_NAMES],
        owners=tuple(owners[name] for name in places)[:MAX_REPORT_NAMES],
        places=tuple(places.values())[:MAX_REPORT_NAMES],
        lead=frozenset(lead),
        said=said,
        shown=shown,
        report=report,
    )


def _names(text: str) -> list[str]:
    """Return what is quoted as code, then what is written like code, then short words that the text shows as names."""
    quoted = [word for part in _QUOTED.findall(text) for word in _IDENTIFIER.findall(part)]
    words = _IDENTIFIER.findall(text)
    said = {word for pair in _SAID.findall(text) for word in pair}
    short = (word for place, word in enumerate(words) if _is_short_name(word, place, said))
    return [*quoted, *(word for word in words if _WRITTEN_AS_CODE.search(word)), *short]


def _is_short_name(word: str, place: int, said: set[str]) -> bool:
    """Tell whether a word that is no search term (char, g) is a name: capitalised, or beside a word such as class."""
    if code_terms(word) or word in ("I", "A", "a"):
        return False
    lowered = word.lower()
    is_capitalised = word != lowered and (place > 0 or lowered not in STOP_WORDS)
    return is_capitalised or (word in said and lowered not in STOP_WORDS)


def _owners_of_names(words: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return each name with the owners written before it; `name?` also counts without its mark."""
    found: dict[str, tuple[str, ...]] = {}
    for word in words:
        *owners, name = _SEPARATOR.split(word)
        for meant in (name, name.rstrip("?!")):
            found[meant] = max(found.get(meant, ()), tuple(owner.lower() for owner in owners), key=len)
    return found

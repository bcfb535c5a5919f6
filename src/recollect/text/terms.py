"""Search terms of texts and of queries.

A word gives its stem; an identifier gives its parts and itself; a path or dotted name gives its pieces and itself:

    getUserName            → get user name getusername
    parse_http2_header     → pars http 2 header parse_http2_header
    src/store/sql.py       → src store sql py src/store/sql.py
    C++                    → c++
    prod, config           → product configur            (as production, configuration)
    データベース             → デー ータ タベ ベー ース   (no spaces between words: character pairs)

Stop words are dropped: in a 100,000-row index two of them cost more to rank than the rest of a query.
"""

from __future__ import annotations

import re
import unicodedata
from _thread import _local  # what threading.local is; loading threading takes longer than all of this
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

# Longer compounds are data; their pieces are still indexed.
MAX_COMPOUND_CHARACTERS = 80
# A longer word is never typed in a query.
MAX_WORD_CHARACTERS = 64
# Caching makes indexing three times as fast, for some MB.
WORD_CACHE = 16_384
# Every hit of a search explains itself by the words of the same query.
QUERY_CACHE = 16

_COMPOUND = re.compile(r"[A-Za-z](?:\+\+|#)(?!\w)|\w+(?:(?:::|[./:\-])\w+)*")
_WORD = re.compile(r"\w+")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
# Outside ASCII only letters and digits are separated.
_FOREIGN_PART = re.compile(r"[^\W\d_]+|\d+")
# Scripts written without spaces between words: Han, Hiragana, Katakana, Thai, Lao, Khmer, Myanmar.
UNSPACED = "[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]+"

STOP_WORDS = frozenset(
    """a about after again all also am an and any are aren as at be because been before being between both but by can
    cannot could couldn d did didn do does doesn doing don down during each few for from further had hadn has hasn have
    haven having he her here hers herself him himself his how i if in into is isn it its itself just ll m me might more
    most must my myself no nor not now o of off on once only or other our ours ourselves out over own re s same shan she
    should shouldn so some such t than that the their theirs them themselves then there these they this those through to
    too under until up upon us ve very was wasn we were weren what when where which while who whom why will with won
    would wouldn you your yours yourself yourselves""".split()
)

# Short forms that developers write for one word, with that word. They count where they stand alone: in a path or an
# identifier they are names.
SHORT_FORMS = {
    short: word
    for word, shorts in {
        "administrator": "admin",
        "application": "app",
        "argument": "arg",
        "authentication": "auth authn",
        "configuration": "config conf cfg",
        "database": "db",
        "dependency": "dep",
        "development": "dev",
        "directory": "dir",
        "documentation": "docs",
        "environment": "env",
        "implementation": "impl",
        "information": "info",
        "infrastructure": "infra",
        "javascript": "js",
        "kubernetes": "k8s",
        "library": "lib",
        "message": "msg",
        "package": "pkg",
        "parameter": "param",
        "password": "pw pwd",
        "performance": "perf",
        "postgresql": "postgres pg psql",
        "production": "prod",
        "repository": "repo",
        "specification": "spec",
        "statistics": "stats",
        "temporary": "tmp temp",
        "typescript": "ts",
        "variable": "var",
    }.items()
    for one in shorts.split()
    for short in (one, f"{one}s")
}

_stemmers = _local()


def terms(text: str) -> list[str]:
    """Return the search terms of `text` in order, with repetitions.

    A text of stop words alone keeps them.
    """
    found = list(_terms(text))
    return [term for term, is_stop in found if not is_stop] or [term for term, _ in found]


def query_terms(text: str) -> list[str]:
    """Return the distinct search terms of a question, in order."""
    return list(dict.fromkeys(terms(text)))


@lru_cache(maxsize=QUERY_CACHE)
def words_of_terms(text: str) -> Mapping[str, str]:
    """Return the words of a query by their search terms, as they were typed: `services` by `servic`.

    In scripts without spaces a term is its own word.
    """
    words: dict[str, str] = {}
    for match in _COMPOUND.finditer(text):
        for word in (*_WORD.findall(match[0]), match[0]):
            if word.isascii() or not _unspaced().search(word):
                for term in terms(word):
                    words.setdefault(term, word)
    return words


def _terms(text: str) -> Iterator[tuple[str, bool]]:
    if not text.isascii():
        text = _fold(text)
    for match in _COMPOUND.finditer(text):
        compound = match[0]
        words = _WORD.findall(compound)
        if compound[-1] in "+#":
            yield _lowered(compound), False
            continue
        if len(words) == 1:
            words = [SHORT_FORMS.get(_lowered(compound), compound)]
        for word in words:
            yield from _cached_word_terms(word) if len(word) <= MAX_WORD_CHARACTERS else _word_terms(word)
        if len(words) > 1 and len(compound) <= MAX_COMPOUND_CHARACTERS:
            yield _lowered(compound), False


@lru_cache(maxsize=WORD_CACHE)
def _cached_word_terms(word: str) -> tuple[tuple[str, bool], ...]:
    return tuple(_word_terms(word))


def _word_terms(word: str) -> Iterator[tuple[str, bool]]:
    if not word.isascii() and _unspaced().search(word):
        # Before the cut: without spaces, a whole sentence is one word.
        yield from _unspaced_terms(_lowered(word))
        return
    word = word[:MAX_WORD_CHARACTERS]
    lowered = _lowered(word)
    if word.isalpha() and word.isascii() and (lowered == word or word.istitle() or word.isupper()):
        yield _stem(lowered), lowered in STOP_WORDS
        return
    parts = (_PART if word.isascii() else _FOREIGN_PART).findall(word)
    for part in parts:
        yield _stem(_lowered(part)), False
    if len(parts) != 1 or parts[0] != word:
        yield lowered, False


@lru_cache(maxsize=1)
def _unspaced() -> re.Pattern[str]:
    return re.compile(UNSPACED)  # takes 2 ms, which most processes never need


def _unspaced_terms(word: str) -> Iterator[tuple[str, bool]]:
    position = 0
    for run in _unspaced().finditer(word):
        if run.start() > position:
            yield from _word_terms(word[position : run.start()])
        characters = run[0]
        pairs = [characters[i : i + 2] for i in range(len(characters) - 1)] or [characters]
        for pair in pairs:
            yield pair, False
        position = run.end()
    if position < len(word):
        yield from _word_terms(word[position:])


def _fold(text: str) -> str:
    """Return `text` in NFKC without the accents of Latin letters: café is found by cafe.

    Marks of other scripts make other letters (デ and テ, й and и).
    """
    kept: list[str] = []
    base = ""
    for character in unicodedata.normalize("NFKD", text):
        if not unicodedata.combining(character):
            base = character
        elif base.isascii():
            continue
        kept.append(character)
    return unicodedata.normalize("NFKC", "".join(kept))


def _lowered(text: str) -> str:
    """Return `text` in lower case with one form of sigma, as the full-text table folds it."""
    return text.lower().replace("ς", "σ")


def _stem(word: str) -> str:
    return stemmer().stemWord(word)  # type: ignore[no-any-return]


def stemmer() -> Any:
    """Return this thread's stemmer: the library's objects must not be shared between threads."""
    stemmer = getattr(_stemmers, "english", None)
    if stemmer is None:
        import Stemmer

        # Without its own cache, which is slower than stemming.
        stemmer = _stemmers.english = Stemmer.Stemmer("english", 0)
    return stemmer


def given_tags(tags: tuple[str, ...]) -> tuple[str, ...]:
    """Return the tags without the two by which capture marks a statement: they say nothing about its subject."""
    return tags[2:] if tags[:1] == ("stated",) else tags

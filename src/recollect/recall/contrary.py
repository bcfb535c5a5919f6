"""Contrary: two statements of which only the later one can hold, though no word says that something was changed.

    Never mock the database.      ─► You can mock the database.         refused, then allowed
    Printing is fine for logging. ─► No print() for logging, use slog.
    Use black for formatting.     ─► Use ruff for formatting.           another value in the same place
    Code comments in French.      ─► Write code comments in English.
    Keep the handlers sync.       ─► Make the handlers async.           the opposite word

What differs has to be the value and not what the statement is about: “ruff for linting” and “mypy for types” both hold,
and so do “never log passwords” and “never log tokens”. The word before what differs tells which of the two it is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby
from typing import Literal, NamedTuple

from recollect.recall.parsed_statement import PARTLY, VERB_KEYS, Statement, key_of
from recollect.recall.stated_values import conflict
from recollect.text.terms import terms

Contrary = Literal["said", "value"]

OPPOSITES = frozenset(
    frozenset(pair.split())
    for pair in (
        "on off|enabled disabled|true false|yes no|allowed forbidden|required optional|tabs spaces|public private|"
        "synchronous asynchronous|sync async|open closed|mandatory optional|supported unsupported|before after|"
        "deprecated supported|stable unstable|ascending descending|mutable immutable|blocking non-blocking|"
        "safe unsafe|valid invalid|active inactive|online offline|opt-in opt-out|automatic manual|lazily eagerly|"
        "automatically manually|allowed prohibited|permitted forbidden|with without|single double|british american|"
        "metric imperial|short long|brief detailed|short detailed|light dark|upper lower|uppercase lowercase|"
        "relative absolute|formal casual"
    ).split("|")
)
_KEYS_OF_OPPOSITES = {pair: frozenset((terms(word) or [word])[-1] for word in pair) for pair in OPPOSITES}
_NEGATIVE = frozenset("not never no off avoid stop skip without forbidden banned dont neither nothing".split())
# What limits a rule: “never push without a review”, “push after a review”.
_CONDITIONS = frozenset(
    "without unless except before after until if when while during outside besides also too either".split()
)
# What a person says or did, or what holds for a while.
_REPORTED = re.compile(
    rf"\b(?:we|i|they|he|she) \w+ed\b|\b(?:says?|said|asks|thinks?|wants|plan)\b|{PARTLY.pattern}",
    re.IGNORECASE,
)
# “Ask before …” and “… without asking” are about asking.
_ASKING = frozenset("before without".split())
# One value stands behind these.
_IS = frozenset("is are 's be as called named like :".split())
_PREPOSITIONS = frozenset("with in into via through using from to at by on".split())
_AUXILIARIES = frozenset("is are must should can may have has do does will of".split())
_WHOSE = frozenset("my your his her their".split())
_LISTING = frozenset("and or".split())
# “Importers never change a sheet” says nothing of reading it.
_DONE = frozenset("change move rename remove replace delete".split())
_ARTICLES = frozenset(". a an the our my your just about".split())
_THESE = frozenset("the this that these those".split())
_USING = frozenset("use uses we i prefer please always want with".split())
_PURPOSE = frozenset("for in everywhere on as".split())
# Several things can be needed, owned, checked or possible at a time.
_SEVERAL = frozenset(
    """need needs require requires own owns support supports work works include includes contain contains allow allows
    accept accepts like likes tag check checks review reviews must should log ask run runs add depend depends
    know knows can test tested want wants""".split()
)
# Words that say that something is done, but not what or to what.
_GENERAL = frozenset(
    map(
        key_of,
        """touch edit file files thing things stuff anything everything always only just want prefer ok okay fine
        alright allowed feel do give avoid stop skip banned forbidden go put save look end up hosted way place
        repo project max maximum min minimum pls""".split(),
    )
)
# Words for the same thing, as terms.
ALIKE = {
    "repli": "answer",
    "respond": "answer",
    "respons": "answer",
    "typescript": "ts",
    "javascript": "js",
    "prs": "pr",
}
_ENDS = frozenset(",;:.()")
# Words of a value.
MOST_DIFFERENT = 3
# What the other statement may say besides: “no print()”, “printing is fine for logging”.
MOST_BESIDES = 2
# So many words around the value are the same sentence, even if they say nothing themselves: “use … in this repo”.
SAME_SENTENCE = 3


class _Read(NamedTuple):
    """The tokens as written and in lower case, the places of the content words, and the words of what is refused."""

    written: tuple[str, ...]
    tokens: list[str]
    places: dict[str, int]
    refused: frozenset[str]
    conditions: frozenset[str]

    @property
    def words(self) -> frozenset[str]:
        return frozenset(self.places)


def contrary(new: Statement, old: Statement) -> Contrary | None:
    """Return in which way a statement is contrary to an older one; None if both can hold."""
    ours, theirs = _read(new), _read(old)
    lost, novel = theirs.words - ours.words, ours.words - theirs.words
    if _REPORTED.search(new.text) or _REPORTED.search(old.text) or ours.conditions != theirs.conditions:
        return None
    if _WHOSE.intersection(ours.tokens) != _WHOSE.intersection(theirs.tokens):
        return None
    if not (theirs.words & ours.words or _is_same_sentence(ours, theirs)):
        return None
    if bool(ours.refused) != bool(theirs.refused):
        # “Port 9100 is not probed”, “the release bot commits to main”: an exception leaves the rule alone.
        first = next((place for place, token in enumerate(ours.tokens) if token not in _ARTICLES), 0)
        if len(new.values) > len(old.values) or first in (ours.places[word] for word in novel):
            return None
        is_refused = _is_refused(ours, theirs) or _is_refused(theirs, ours)
        return "said" if is_refused and not (_is_task(new) and "never" in theirs.tokens) else None
    if ours.refused:
        return None
    if _are_opposite(ours, novel, theirs, lost):
        return "value"
    if not _SEVERAL.isdisjoint((*ours.tokens, *theirs.tokens)):
        return None
    if new.values or old.values:
        is_other = len(new.values) == len(old.values) == 1 and conflict(new.values, old.values)
        return "value" if is_other and not lost and len(novel) <= 1 else None
    return "value" if lost and novel and _fill_a_slot(ours, novel, theirs, lost) else None


def _is_task(statement: Statement) -> bool:
    """Tell whether a statement may order something once: “commit the generated files”."""
    return not statement.cues and not _THESE.isdisjoint(map(str.lower, statement.tokens[1:2]))


def _is_refused(one: _Read, other: _Read) -> bool:
    """Tell whether one statement refuses what the other says, and hardly anything else."""
    is_done = _DONE.intersection(one.tokens) <= _DONE.intersection(other.tokens)
    is_about = bool(one.refused) and one.refused <= other.words and len(other.words) <= len(one.refused) + MOST_BESIDES
    return is_about and is_done


def _are_opposite(ours: _Read, novel: frozenset[str], theirs: _Read, lost: frozenset[str]) -> bool:
    """Tell whether two statements differ by a word and its opposite."""
    differ = frozenset(ours.tokens) ^ frozenset(theirs.tokens)
    return any(pair <= differ and novel | lost <= keys for pair, keys in _KEYS_OF_OPPOSITES.items())


def _fill_a_slot(ours: _Read, novel: frozenset[str], theirs: _Read, lost: frozenset[str]) -> bool:
    """Tell whether what differs is one value in the same place."""
    if max(len(lost), len(novel)) > MOST_DIFFERENT or not _LISTING.isdisjoint((*ours.tokens, *theirs.tokens)):
        return False
    if not (_are_together(theirs, lost) or _are_together(ours, novel)):
        return False
    one, other = _place(ours, novel), _place(theirs, lost)
    is_named = one != "is" or _is_named(ours, novel) or _is_named(theirs, lost)
    return bool(one) and one == other and is_named


def _read(statement: Statement) -> _Read:
    tokens = [token.lower() for token in statement.tokens]
    places: dict[str, int] = {}
    refused: set[str] = set()
    for is_end, clause in groupby(enumerate(tokens), lambda row: row[1] in _ENDS):
        rows = list(clause)
        keys = {ALIKE.get(key, key): place for place, _ in reversed(rows) if (key := statement.keys[place])}
        found = {
            key: place
            for key, place in keys.items()
            if key not in _GENERAL and tokens[place] not in _NEGATIVE and not _is_verb(key, tokens[place + 1 :], place)
        }
        places = found | places
        if not is_end and not _NEGATIVE.isdisjoint(token for _, token in rows):
            refused.update(found)
    conditions = _CONDITIONS.intersection(tokens)
    return _Read(
        statement.tokens, tokens, places, frozenset(refused), conditions - _ASKING if "ask" in places else conditions
    )


def _is_verb(key: str, after: Sequence[str], place: int) -> bool:
    """Tell whether a word is a verb that says little: not the first of “writes are logged” or “answer in German”."""
    is_subject = place == 0 and not _AUXILIARIES.isdisjoint(after[:1])
    return key in VERB_KEYS and key != "answer" and not is_subject


def _is_same_sentence(one: _Read, other: _Read) -> bool:
    """Tell whether two sentences are the same but for one word."""
    differ = sum(ours != theirs for ours, theirs in zip(one.tokens, other.tokens, strict=False))
    return len(one.tokens) == len(other.tokens) > SAME_SENTENCE and differ == 1


def _are_together(read: _Read, words: frozenset[str]) -> bool:
    places = sorted(read.places[word] for word in words)
    return places[-1] - places[0] < len(places)


def _is_named(read: _Read, words: frozenset[str]) -> bool:
    """Tell whether words name a thing: “is Redshift”, “is an stm32”, not “is slow”."""
    first = min(read.places[word] for word in words)
    written = "".join(read.written[read.places[word]] for word in words)
    return read.tokens[first - 1] in _ARTICLES or any(
        char.isupper() or char.isdigit() or char in "._" for char in written
    )


def _place(read: _Read, words: frozenset[str]) -> str:
    """Return what kind of place words stand in; "" where they are not a value but what the statement is about."""
    places = sorted(read.places[word] for word in words)
    if any(read.tokens[place].endswith("ed") for place in places):
        return ""  # “exports are limited”, “exports are CSV”
    before = [token for token in read.tokens[: places[0]] if token not in _ARTICLES]
    if before and before[-1] in _IS:
        return "" if before[0] == "there" else "is"
    if before and before[-1] in _PREPOSITIONS:
        return "where"
    after = read.tokens[places[-1] + 1 :]
    is_used = _USING.issuperset(before) and not _PURPOSE.isdisjoint(after[:3]) if before else after[:1] == ["for"]
    return "used" if is_used else ""

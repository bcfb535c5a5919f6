"""Amend: whether a new statement changes what an older one says, told from the two sentences alone.

    The request timeout is 30 seconds.   ─► The request timeout is 60 seconds.                        another value
    Orders are kept in MySQL.            ─► We moved orders from MySQL to Postgres; they are kept there.   said so
    The API is thread-safe.              ─► The API is not thread-safe.                               the opposite
    The gateway retries failed calls.    ─► The gateway no longer retries failed calls.               over

A wrong replacement is worse than none: the older memory would be told no more, and nobody would know why. So what only
might be a change is none. Two sentences have to be the same but for one place, and in that place stand two values of
which only one can hold; or the new one has to say itself what it takes the place of. Words that allow for both
("use", "also", "for tests"), different persons, questions, conditions and what happened once are left alone: a search
still puts the newest statement first where it asks for it (supersede.py).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

from recollect.text.tokens import STOP_WORDS, terms

Change = Literal["value", "said", "opposite", "over"]

# Sentences are compared that say one thing: shorter ones name it, longer ones tell a story.
LEAST_WORDS, MOST_WORDS = 3, 25
# Statements of one memory that are compared; what says more is a document.
STATEMENTS = 6
# A value is a word or a few: "30 seconds", "the second Tuesday".
VALUE_WORDS = 3
# The same frame: so much of both sentences is the same, and so many words in it say what it is about. An opposite needs
# one more: “I will.” and “I won't.” are answers to anything.
SAME_FRAME = 0.6
FRAME_WORDS = 1
OPPOSITE_WORDS = 2
# The most that negating adds to a sentence: “does not … any more”.
NEGATING_WORDS = 4
# Between the verb and the value stand at most so many words: "is set to about 30".
VERB_REACH = 3
# Where a sentence says itself what it replaces, so much of what the older one says besides must be in it.
SAID_SHARE = 0.6
SAID_WORDS = 2
# An older memory is replaced as a whole only if the statement is most of it.
MAINLY = 0.6

_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")
_WORD = re.compile(r"[#@$]?\w+(?:['’./:@+%-]+\w+)*%?")
_SHORT_FORMS = re.compile(r"\b(\w+?)n['’]t\b", re.IGNORECASE)
_IRREGULAR = {"wo": "will", "ca": "can", "sha": "shall"}
# What never changes what is said.
_FILLERS = frozenset("a an the now currently just really please actually also still simply today".split())
_UNCERTAIN = re.compile(
    r"\?\s*$|\b(if|unless|whether|would|could|might|may|maybe|perhaps|probably|possibly|suppose|example|e\.g|say|wonder|"
    r"think|thought|guess|seems?|either|sometimes|often|usually|some|another|additional|second|besides)\b",
    re.IGNORECASE,
)
_PAST = re.compile(
    r"\b(did|was|were|had|ago|yesterday|used to|last|originally|previously|formerly|initially|happened|once|"
    r"tomorrow)\b",
    re.IGNORECASE,
)
# What every page speaks of, each meaning its own.
_ANYTHING = frozenset("default option value result argument paramet function method flag set example note type".split())
# Who is spoken of cannot be told from the sentence.
_NOBODY = frozenset("it this that these those he she they there here what which who".split())
_FIRST_PERSON = frozenset("i me my mine we us our ours".split())
_NOT = frozenset(("not", "never"))
_NEGATIONS = _NOT | frozenset("no longer any more anymore do does".split())
_OVER = re.compile(r"\bno longer\b|\bany ?more\b", re.IGNORECASE)
# After these one value stands, and it is the only one.
_VERBS = frozenset(
    "is equals equal defaults default set listens runs lives located called named stored kept limited expires "
    "expire times deployed hosted points starts ends begins happens takes costs needs requires allows must should "
    "are be stays remains".split()
)
# What a value may follow that is no verb: "is set to", "is on", "must be at least".
_LINKS = frozenset("to on in at after be of within under by set as about least most every per kept stored".split())
# Numbers after these tell one thing from another and are no values.
_LABELS = frozenset(
    "line lines step issue ticket pr chapter section page row item case test bug commit phase part number no task "
    "story sprint round day week figure table appendix rule point".split()
)
# What follows these is a part of the picture, of which there may be more.
_PARTS = frozenset("for with and or by plus via including like except".split())
_DAYS = frozenset(
    "monday tuesday wednesday thursday friday saturday sunday january february march april may june july august "
    "september october november december mondays tuesdays wednesdays thursdays fridays saturdays sundays daily weekly "
    "monthly quarterly yearly hourly nightly".split()
)
_OPPOSITES = frozenset(
    frozenset(pair.split())
    for pair in (
        "on off|enabled disabled|true false|yes no|allowed forbidden|required optional|tabs spaces|public private|"
        "synchronous asynchronous|sync async|open closed|mandatory optional|up down|supported unsupported|"
        "deprecated supported|stable unstable|ascending descending|mutable immutable|blocking non-blocking|"
        "safe unsafe|valid invalid|active inactive|online offline|single double"
    ).split("|")
)
_OPPOSED = frozenset(word for pair in _OPPOSITES for word in pair)
# The new statement says that it changes something.
_CUE = re.compile(
    r"\b(now|from now on|going forward|moving forward|as of (?:now|today)|henceforth|correction|was wrong)\b",
    re.IGNORECASE,
)
_CHANGING = (
    "switched|moved|migrated|changed|renamed|converted|upgraded|downgraded|updated|raised|lowered|increased|decreased|"
    "bumped|went|reduced"
)
_PLACE = r"(?P<{}>(?:(?:the|a|an)\s+)?[\w./:+#-]+(?:\s+[\w./:+#-]+){{0,3}}?)"
_OLD, _NEW = _PLACE.format("old"), _PLACE.format("new")
# Where it comes first nobody can tell where it begins: it is one word.
_WORD_OF = r"(?<![\w./:+#-])[./:+#-]*+(?P<{}>\w[\w./:+#-]*+)"
_OLD_WORD, _NEW_WORD = _WORD_OF.format("old"), _WORD_OF.format("new")
_END = r"(?=\s+(?:for|in|on|because|since|as|and|so|when|to|now|everywhere)\b|\s*[.,;:!)]|\s*$)"
_SAID = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b(?:{_CHANGING})\b[^.;]{{0,200}}?\bfrom\s+{_OLD}\s+to\s+{_NEW}{_END}",
        rf"\breplaced?\s+{_OLD}\s+(?:with|by)\s+{_NEW}{_END}",
        rf"{_OLD_WORD}\s+(?:is|was|has been|got)\s+replaced\s+(?:with|by)\s+{_NEW}{_END}",
        rf"\brenamed\s+{_OLD}\s+to\s+{_NEW}{_END}",
        rf"{_NEW_WORD}\s+instead\s+of\s+{_OLD}{_END}",
        rf"{_NEW_WORD},\s+(?:and\s+)?(?:not|no longer)\s+{_OLD}{_END}",
    )
)


_WHY: Mapping[Change, str] = {
    "value": "“{new}” has a different value than “{old}”",
    "said": "“{new}” changes “{old}”",
    "opposite": "“{new}” contradicts “{old}”",
    "over": "“{new}” ends “{old}”",
}


class Statement(NamedTuple):
    """A sentence: its words as written, and as they are compared."""

    text: str
    words: tuple[str, ...]
    keys: tuple[str, ...]


class Amended(NamedTuple):
    """How a new statement changes an older one, and whether the older memory says little besides."""

    change: Change
    old: str
    new: str
    is_whole: bool

    @property
    def why(self) -> str:
        """The reason, in words."""
        return _WHY[self.change].format(old=self.old, new=self.new)


def statements(text: str) -> list[Statement]:
    """Return the sentences of a text that state something for certain, as far as they can be compared."""
    found: list[Statement] = []
    for sentence in _SENTENCE.split(text):
        made = _statement(sentence.strip(" \t-*•>"))
        if LEAST_WORDS <= len(made.words) <= MOST_WORDS and not _UNCERTAIN.search(made.text):
            found.append(made)
        if len(found) == STATEMENTS:
            break
    return found


def may_amend(statement: Statement) -> bool:
    """Whether a statement has a form that can change another: most have not, and need not be looked up."""
    if _CUE.search(statement.text) or _OVER.search(statement.text) or not _NOT.isdisjoint(statement.keys):
        return True
    verb = next((place for place, key in enumerate(statement.keys) if key in _VERBS), None)
    if verb is not None and any(_kind((word,)) or word.lower() in _OPPOSED for word in statement.words[verb + 1 :]):
        return True
    return any(pattern.search(statement.text) for pattern in _SAID)


def amends(new: Statement, old: Statement, old_text: str, *, same_author: bool = True) -> Amended | None:
    """Return how a newer statement changes an older one; None where it does not, or only might.

    old_text: the whole memory of the older one. same_author: False leaves alone what people say of themselves
    """
    if not same_author and not _FIRST_PERSON.isdisjoint(word.lower() for word in (*new.words, *old.words)):
        return None
    change = _opposite(new, old) or _said(new, old) or _other_value(new, old)
    if change is None:
        return None
    is_whole = len(old.words) >= MAINLY * max(1, len(_WORD.findall(old_text)))
    return Amended(change, old.text, new.text, is_whole)


def _statement(sentence: str) -> Statement:
    plain = _SHORT_FORMS.sub(lambda found: f"{_IRREGULAR.get(found[1].lower(), found[1])} not", sentence)
    words = tuple(word for word in _WORD.findall(plain) if word.lower() not in _FILLERS)
    return Statement(sentence, words, tuple(_key(word) for word in words))


@lru_cache(maxsize=4_096)
def _key(word: str) -> str:
    """Return how a word is compared: small words as they are, others by their stem."""
    lowered = word.lower()
    if lowered in STOP_WORDS or lowered in _VERBS or not word.isalpha():
        return lowered
    return " ".join(terms(lowered)) or lowered


_CHANGING_KEYS = frozenset(_key(word) for word in (*_CHANGING.split("|"), "replaced", "replace", "instead"))


class _Frame(NamedTuple):
    """Two sentences that are the same around one place: how many words before it, and what stands in it."""

    before: int
    new: tuple[str, ...]
    old: tuple[str, ...]
    same: tuple[str, ...]


def _frame(new: Statement, old: Statement) -> _Frame:
    """Return what is the same of two sentences from both ends, and what is left between."""
    shorter = min(len(new.keys), len(old.keys))
    before = 0
    while before < shorter and new.keys[before] == old.keys[before]:
        before += 1
    after = 0
    while after < shorter - before and new.keys[-1 - after] == old.keys[-1 - after]:
        after += 1
    same = new.keys[:before] + new.keys[len(new.keys) - after :]
    return _Frame(before, new.words[before : len(new.words) - after], old.words[before : len(old.words) - after], same)


def _meaning(keys: Sequence[str]) -> list[str]:
    """Return the words that say what a sentence is about: no small words, no verbs, nothing that any page has."""
    return [key for key in keys if key not in STOP_WORDS and key not in _VERBS and key not in _ANYTHING]


# --- the opposite ---


def _opposite(new: Statement, old: Statement) -> Change | None:
    """Tell whether one sentence is the other with a “not” in it."""
    # Most pairs are told apart by their length, which costs nothing.
    if abs(len(new.keys) - len(old.keys)) > NEGATING_WORDS:
        return None
    plain_new, plain_old = _without_negation(new), _without_negation(old)
    if plain_new is None or plain_old is None or len(_meaning(plain_new)) < OPPOSITE_WORDS:
        return None
    is_new_negated, is_old_negated = len(plain_new) < len(new.keys), len(plain_old) < len(old.keys)
    if plain_new != plain_old or is_new_negated == is_old_negated:
        return None
    return "over" if is_new_negated and _OVER.search(new.text) else "opposite"


def _without_negation(statement: Statement) -> tuple[str, ...] | None:
    """Return a sentence without its negation; None if it speaks of the past, or negates twice."""
    if _PAST.search(statement.text):
        return None
    marks = [key for key in statement.keys if key in _NOT]
    if len(marks) > 1:
        return None
    if not marks and not _OVER.search(statement.text):
        return statement.keys
    return tuple(key for key in statement.keys if key not in _NEGATIONS)


# --- said to be changed ---


def _said(new: Statement, old: Statement) -> Change | None:
    """Tell whether a sentence says itself that it takes the place of what the older one says."""
    replacements = _replacements(new.text)
    if not replacements or _PAST.search(old.text) or not _NOT.isdisjoint(old.keys):
        return None
    for past, present, about in replacements:
        place = _find(past, old.keys)
        if place is None or _find(present, old.keys) is not None:
            continue
        besides = set(_meaning((*old.keys[:place], *old.keys[place + len(past) :])))
        shared = besides & about
        # Of what it speaks, the older one speaks too: the reports of a service are not the service.
        if len(shared) >= SAID_WORDS and len(shared) >= SAID_SHARE * len(besides) and about <= besides:
            return "said"
    return None


@lru_cache(maxsize=64)  # one new sentence is compared with a dozen older ones
def _replacements(text: str) -> tuple[tuple[tuple[str, ...], tuple[str, ...], frozenset[str]], ...]:
    """Return what a sentence says to be replaced, by what, and what it speaks of, as words are compared."""
    found_all = []
    for pattern in _SAID:
        for found in pattern.finditer(text):
            past, present = (_statement(found[name]).keys for name in ("old", "new"))
            if _meaning(past) and _meaning(present):
                about = set(_meaning(_statement(text).keys[: len(_statement(text[: found.end()]).keys)]))
                found_all.append((past, present, frozenset(about - {*past, *present, *_CHANGING_KEYS})))
    return tuple(found_all)


def _find(part: Sequence[str], whole: Sequence[str]) -> int | None:
    last = len(whole) - len(part)
    return next((place for place in range(last + 1) if tuple(whole[place : place + len(part)]) == tuple(part)), None)


# --- another value in the same place ---


def _other_value(new: Statement, old: Statement) -> Change | None:
    """Tell whether two sentences are the same but for a value, of which only one can hold."""
    frame = _frame(new, old)
    if not (0 < len(frame.new) <= VALUE_WORDS and 0 < len(frame.old) <= VALUE_WORDS):
        return None
    longer = max(len(new.keys), len(old.keys))
    if len(frame.same) < SAME_FRAME * longer or len(_meaning(frame.same)) < FRAME_WORDS:
        return None
    if _PAST.search(new.text) or _PAST.search(old.text) or new.keys[0] in _NOBODY:
        return None
    kind = _kind(frame.new)
    if kind != _kind(frame.old) and not _are_opposites(frame.new, frame.old):
        return None
    if _are_opposites(frame.new, frame.old):
        kind = "opposite"
    lead = new.keys[: frame.before]
    return "value" if kind and _can_only_be_one(kind, lead, new) else None


def _can_only_be_one(kind: str, lead: Sequence[str], new: Statement) -> bool:
    """Whether in this place one value stands, and no other besides: by its verb, or because the sentence says so."""
    if not lead or lead[-1] in _LABELS:
        return False
    near = lead[-VERB_REACH:]
    has_verb = any(key in _VERBS for key in near) and all(key in _LINKS or key in _VERBS for key in _tail(near))
    if kind in ("number", "day", "opposite"):
        return lead[-1] not in _PARTS and (has_verb or bool(_CUE.search(new.text)))
    if lead[-1] in _PARTS:
        return False
    # A name: of what is one of a kind, or where the sentence says that it is new.
    first = new.text.split(maxsplit=1)[0].lower()
    is_definite = first in ("the", "our", "my") and "are" not in near
    return (has_verb and is_definite) or bool(_CUE.search(new.text))


def _tail(near: Sequence[str]) -> Sequence[str]:
    """Return the words after the last verb."""
    last = max((place for place, key in enumerate(near) if key in _VERBS), default=-1)
    return near[last + 1 :]


def _are_opposites(one: Sequence[str], other: Sequence[str]) -> bool:
    return len(one) == len(other) == 1 and frozenset((one[0].lower(), other[0].lower())) in _OPPOSITES


def _kind(value: Sequence[str]) -> str:
    """Return what sort of value it is: a number, a day, a name; "" for words that may be anything."""
    first = value[0]
    if re.fullmatch(r"[#$]?v?\d[\w.,:%-]*%?", first) and len(value) <= 2:
        return "number"
    if all(word.lower() in _DAYS for word in value):
        return "day"
    is_name = all(re.search(r"[A-Z]|[\w][./_:@-]\w|\d", word) for word in value)
    return "name" if is_name else ""

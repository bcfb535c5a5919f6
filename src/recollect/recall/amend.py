"""Amendments: whether a new statement changes an older one.

    The request timeout is 30 seconds.   ─► The request timeout is 60 seconds.                   another value
    Orders are kept in MySQL.            ─► We moved orders to Postgres.                          a word of change
    Mails are sent with Postfix.         ─► Mails leave through a relay. Postfix is uninstalled.  the old value ended
    The gateway retries failed calls.    ─► The gateway no longer retries failed calls.           the fact ended

A wrong replacement is worse than none, because the older memory disappears from context. So two things are needed. The
new statement has to show a change: another value of the same kind, an ended value, or a word of change. And both have
to be about the same subject, by the similarity of their vectors and by the words of their subjects. The weaker the sign
of a change, the more similar they have to be. Questions, proposals, exceptions, additions, other places and other
things of the same kind ("access tokens", "refresh tokens") change nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from recollect.recall.parsed_statement import Statement, names, with_parts
from recollect.recall.stated_values import Value, conflict, repeated
from recollect.text.terms import terms

Change = Literal["value", "said", "ended", "over", "opposite"]

# The parts of having the same subject: similarity of the vectors; the share of the older statement's words in the new
# one; the share of its subject; the share of the new one's subject in the older one.
_CLOSE, _SHARED, _SUBJECT, _ABOUT = 0.45, 0.15, 0.25, 0.15
# Below this similarity two statements are about different things, whatever words they share. Where they share only
# their subject, they have to be more similar: a subject has several attributes.
LEAST_CLOSE, CLOSE_ENOUGH = 0.45, 0.5
# "We drop Jenkins" ends what uses Jenkins, whatever else the two say.
CLOSE_TO_NAME = 0.3
# Added to the bar where one statement has a number or a time and the other has not.
_UNLIKE = 0.09
# The bar where two values may belong to different attributes.
_OTHER_ATTRIBUTE = 0.75


class Sign(NamedTuple):
    """A sign of a change: its kind, the bar for the same subject, and whether it is vague."""

    change: Change
    bar: float
    is_vague: bool = False


# The bars leave all look-alikes of tests/unit/recall/amendment_pairs.jsonl below them.
_SIGNS = {
    "ended": Sign("ended", 0.44),
    "name ended": Sign("ended", 0.36),
    "value, said": Sign("value", 0.52),
    "value": Sign("value", 0.74),
    "over": Sign("over", 0.6),
    "antonym": Sign("value", 0.7),
    "negated": Sign("said", 0.7),
    "contradicted": Sign("opposite", 0.7),
    "says so": Sign("said", 0.45, is_vague=True),
    "another name": Sign("said", 0.44, is_vague=True),
    "changed": Sign("said", 0.68, is_vague=True),
    "from now on": Sign("said", 0.65, is_vague=True),
    "name, now": Sign("value", 0.65),
    "name": Sign("value", 0.78),
}
# The share of the older words that a sentence needs to deny it.
_DENIED = 0.6
# A place or a version among the first words limits the statement.
_LEADING = 4
_FORMER_NUMBER = re.compile(r"\b(?:from|instead of|rather than|was|were|not)\s+(\d+(?:\.\d+)*)", re.IGNORECASE)
_NOT = frozenset("not never no none neither nothing without".split())
_NEVER = re.compile(r"\b(?:never|no longer|no ?body|none)\b", re.IGNORECASE)
_OVER = re.compile(
    r"\b(?:no longer|any ?(?:more|longer)|dropped|removed|gone|stopped|no ?body|reverted|retired|abolished|scrap|"
    r"forget)\b",
    re.IGNORECASE,
)
_FORMER = re.compile(r"\b(?:from|instead of|rather than|was|were|not)\b", re.IGNORECASE)
# Nouns that numbers tell apart, as terms.
_NUMBERED = frozenset(
    terms(
        "note memory line step issue ticket request chapter section page row item case test bug commit phase part "
        "number task story sprint round day week figure table appendix rule point level option example question"
    )
)
# Verbs that can have several objects at a time.
_INCLUSIVE = frozenset(
    "supports support include includes contain contains like likes uses use returns return visited pass prefers".split()
)
# Places, systems and groups that a fact may be limited to.
_PLACES = frozenset(
    """staging production prod dev development developer developers ci sandbox canary windows macos mac linux
    ios android mobile desktop tablet europe germany eu usa uk""".split()
)
_OPPOSITES = frozenset(
    frozenset(pair.split())
    for pair in (
        "on off|enabled disabled|true false|yes no|allowed forbidden|required optional|tabs spaces|public private|"
        "synchronous asynchronous|sync async|open closed|mandatory optional|supported unsupported|before after|"
        "deprecated supported|stable unstable|ascending descending|mutable immutable|blocking non-blocking|"
        "safe unsafe|valid invalid|active inactive|online offline|opt-in opt-out|automatic manual|lazily eagerly|"
        "automatically manually|allowed prohibited|permitted forbidden|with without"
    ).split("|")
)
_OPPOSED = frozenset(word for pair in _OPPOSITES for word in pair)
_OPPOSED_KEYS = frozenset(key for word in _OPPOSED for key in (word, *terms(word)))
_SCHEDULES = frozenset(("weekdays", "weekends", "holidays"))
_PRONOUNS = frozenset("it this that these those he she they there here".split())
_FIRST_PERSON = frozenset("i me my mine we us our ours".split())
_WHERE = frozenset(
    "in on at to with by from under against inside via through is are uses use using into over within after".split()
)
_BEFORE_NUMBERS = _WHERE | frozenset(
    "be has have to of about least most than equals takes needs allows port = :".split()
)
_FRAMING = frozenset("with in by on from to as via through called named under".split())
_WHY: dict[Change, str] = {
    "value": "“{new}” has a different value than “{old}”",
    "said": "“{new}” changes “{old}”",
    "ended": "“{new}” replaces “{old}”",
    "over": "“{new}” ends “{old}”",
    "opposite": "“{new}” contradicts “{old}”",
}


class Amended(NamedTuple):
    """The change that a new statement makes to an older one, and the margin above the threshold."""

    change: Change
    old: str
    new: str
    margin: float

    @property
    def why(self) -> str:
        """The reason, in words."""
        return _WHY[self.change].format(old=self.old, new=self.new)


def may_amend(statement: Statement) -> bool:
    """Tell whether a statement has a form that can change another; most have not."""
    if statement.is_open or statement.is_past:
        return False
    words = {word.lower() for word in statement.tokens}
    has_sign = statement.cues or statement.values or not _NOT.isdisjoint(words) or not _OPPOSED.isdisjoint(words)
    return bool(has_sign) or bool(names(statement)) or not _FRAMING.isdisjoint(words)


def amends(new: Statement, old: Statement, closeness: float, *, same_author: bool = True) -> Amended | None:
    """Return how a newer statement changes an older one; None where that is uncertain.

    closeness: the cosine of their vectors. same_author: False leaves alone what people say of themselves
    """
    ends_name = bool(new.ended & names(old))
    if closeness < (CLOSE_TO_NAME if ends_name else LEAST_CLOSE) or _is_hindered(new, old):
        return None
    if not same_author and not _FIRST_PERSON.isdisjoint(word.lower() for word in (*new.tokens, *old.tokens)):
        return None
    name = _sign(new, old)
    sign = _SIGNS.get(name)
    if sign is None or (not new.cues and not _says_the_same_but_for(name, new, old)):
        return None
    if (
        sign.is_vague
        and closeness < CLOSE_ENOUGH
        and new.words & old.words <= old.subject
        and sign != _SIGNS["says so"]
    ):
        return None
    bar = _SIGNS["name ended"].bar if ends_name and name == "ended" else _bar(sign, new, old)
    margin = _sameness(new, old, closeness) - bar
    return Amended(sign.change, old.text, new.text, margin) if margin >= 0 else None


def _says_the_same_but_for(sign: str, new: Statement, old: Statement) -> bool:
    """Tell whether two statements without a word of change differ in one value only.

    “The nightly job starts at 02:00” and “the weekly job starts at 04:00” are about two jobs.
    """
    if sign not in ("value", "antonym", "name"):
        return True
    allowed = {"antonym": _OPPOSED_KEYS, "name": with_parts(names(new) | names(old))}.get(sign, frozenset())
    if _are_labels(new, old):
        return False
    differing = {kind for kind in _kinds(new) & _kinds(old) if not _values(new, kind) & _values(old, kind)}
    is_same_subject = sign == "value" and new.subject == old.subject and _places(new) == _places(old)
    return len(differing) <= 1 and (is_same_subject or (new.words ^ old.words) <= allowed)


def _are_labels(new: Statement, old: Statement) -> bool:
    """Tell whether a number in one of them is a label, and no word says that it changed."""
    return not new.cues and any(_is_label(each, value) for each in (new, old) for value in each.values)


def _is_label(statement: Statement, value: Value) -> bool:
    """Tell whether a number is a label and not a value: “room 3”, “sprint 7”."""
    if value.kind == "version":
        return not value.of.isdisjoint(_NUMBERED)
    before = statement.tokens[value.place - 1].lower() if 0 < value.place <= len(statement.tokens) else ""
    return value.kind == "count" and not value.of and before not in _BEFORE_NUMBERS


def contradicts(new: Statement, old: Statement) -> bool:
    """Tell whether two statements about one subject cannot both hold; less certain than `amends`."""
    is_denied = bool(_NEVER.search(new.text)) and not _NEVER.search(old.text)
    if new.text.rstrip().endswith("?") and not new.values and not is_denied:
        return False
    opposite = _opposite(new, old)
    is_opposite = opposite == "negated" or (opposite == "antonym" and _says_the_same_but_for("antonym", new, old))
    return is_denied or bool(new.ended & old.words) or is_opposite or (_differ(new, old) and not _are_labels(new, old))


def _bar(sign: Sign, new: Statement, old: Statement) -> float:
    """Return the score for the same subject that this sign needs."""
    if sign in (_SIGNS["value"], _SIGNS["value, said"]) and _is_other_attribute(new, old):
        return _OTHER_ATTRIBUTE
    return sign.bar + (_UNLIKE if sign.is_vague and _is_unlike(new, old) else 0.0)


def _sameness(new: Statement, old: Statement, closeness: float) -> float:
    """Return the probability-like score that two statements have the same subject, 0 to 1."""
    subject = _share(old.subject or old.words, new.words)
    about = _share(new.subject or new.words, old.words)
    return _CLOSE * closeness + _SHARED * _share(old.words, new.words) + _SUBJECT * subject + _ABOUT * about


def _is_unlike(new: Statement, old: Statement) -> bool:
    """Tell whether only one of the two has a number or a time."""
    ours, theirs = _kinds(new), _kinds(old)
    is_only_value = bool(ours) and not theirs and not names(new) - old.words
    return (bool(theirs) and not ours & theirs) or is_only_value


def _is_other_attribute(new: Statement, old: Statement) -> bool:
    """Tell whether the values may belong to different attributes."""
    if new.head in old.words:
        return False
    counts = [value.of for value in (*new.values, *old.values) if value.kind == "count"]
    return old.head not in new.words or (bool(counts) and not any(counts))


def _values(statement: Statement, kind: str) -> set[object]:
    return {value.amount for value in statement.values if value.kind == kind}


def _kinds(statement: Statement) -> set[str]:
    return {value.kind for value in statement.values}


def _share(part: frozenset[str], whole: frozenset[str]) -> float:
    return len(part & whole) / max(1, len(part))


def _sign(new: Statement, old: Statement) -> str:
    """Return the strongest sign that a statement changes another; "" where there is none."""
    says = bool(new.cues - {"now"})
    novel = new.words - old.words
    if not novel and _is_over(new, old):
        return "over"
    ended = new.ended & (old.words - old.subject - old.ended)
    # “not shared between threads” does not end “shared between processes”.
    if ended and (says or (novel and _alone(new, old) != _alone(old, new))):
        return "ended"
    if _reverses(new, old):
        return "ended"
    if _differ(new, old):
        return "value, said" if says else "value"
    if len(novel) <= len(new.words) / 3 and _is_over(new, old):
        return "over"
    return _opposite(new, old) or (_vague_sign(new, old) if novel else "")


def _reverses(new: Statement, old: Statement) -> bool:
    """Tell whether the new one names the older value as the former one, or swaps the two.

    “24 months instead of 18” after “18 months”; “unittest, not pytest” after “pytest, never unittest”.
    """
    rejected = {key for word, key in zip(old.tokens, old.keys[1:], strict=False) if word.lower() in _NOT and key}
    if new.ended & old.words - rejected and rejected & new.words - new.ended:
        return True
    return not set(_FORMER_NUMBER.findall(new.text)).isdisjoint(old.tokens) and _differ(new, old)


def _is_over(new: Statement, old: Statement) -> bool:
    """Tell whether the new one ends something without giving a new value."""
    return bool(_OVER.search(new.text)) and not _kinds(new) - _kinds(old)


def _vague_sign(new: Statement, old: Statement) -> str:
    """Return a sign that something was changed, where the values do not show what."""
    lost = old.words - (new.words - new.ended)
    kept = names(old) & new.words - lost - old.subject
    is_named = bool(names(new) - old.words) and bool(names(old) & lost) and not kept
    if "says so" in new.cues and (lost & names(old) or not names(old)):
        return "says so"
    if (new.ended and not new.ended & old.words) or ("changed" in new.cues and not _can_change(new, old)):
        return ""
    if "changed" in new.cues:
        return "another name" if is_named else "changed"
    if "from" in new.cues:
        return "from now on"
    if is_named or _is_same_frame(new, old):
        return "name, now" if "now" in new.cues else "name"
    return ""


def _opposite(new: Statement, old: Statement) -> str:
    """Return the sign of an antonym, a negation or a contradiction; "" if there is none."""
    ours, theirs = ({word.lower() for word in each.tokens} for each in (new, old))
    if any(len(pair & ours) == 1 == len(pair & theirs) and pair & ours != pair & theirs for pair in _OPPOSITES):
        return "antonym"
    if _NOT.isdisjoint(ours) == _NOT.isdisjoint(theirs):
        return ""
    if new.cues and _share(old.words, new.words) > _DENIED:
        return "negated"
    return "contradicted" if new.words == old.words else ""


def _differ(new: Statement, old: Statement) -> bool:
    """Tell whether values of one kind differ; after a word of change, bare numbers count too."""
    return conflict(new.values, old.values, loose=not new.cues.isdisjoint(("says so", "changed")))


def _is_hindered(new: Statement, old: Statement) -> bool:
    """Tell whether a statement cannot change another: it is open, partial, or about another thing."""
    if new.is_open or new.is_past or old.is_past or (new.is_told and old.is_told) or new.partly - old.partly:
        return True
    if new.cues <= {"now"} and (old.is_open or (_is_unnamed(new) and _is_unnamed(old))):
        return True
    is_addition = _is_inclusive(new) and not _reverses(new, old)
    if not new.cues and ((old.partly - new.partly) & _SCHEDULES or is_addition):
        return True
    return _is_elsewhere(new, old) or _is_another(new, old) or _names_another(new, old) or _is_part(new, old)


def _is_unnamed(statement: Statement) -> bool:
    """Tell whether a statement does not name its subject: “it takes 3 seconds”."""
    return statement.tokens[0].lower() in _PRONOUNS


def _is_inclusive(statement: Statement) -> bool:
    return not _INCLUSIVE.isdisjoint(word.lower() for word in statement.tokens)


def _is_part(new: Statement, old: Statement) -> bool:
    """Tell whether the new one is about a part of the older subject: the reports of a service."""
    words = [word.lower() for word in new.tokens]
    if _differ(new, old) or "of" not in words:
        return False
    place = words.index("of")
    part = new.keys[place - 1] if place else ""
    whole = new.words & frozenset(new.keys[place + 1 : place + 4])
    return bool(part) and part in new.subject and part not in old.words and bool(whole & old.subject)


def _is_elsewhere(new: Statement, old: Statement) -> bool:
    """Tell whether the new one is limited to a place that the older one does not name."""
    other = _places(new) - _places(old)
    is_leading = not other.isdisjoint(word.lower() for word in new.tokens[:_LEADING])
    return bool(other) and (is_leading or bool(_places(old)) or new.cues.isdisjoint(("says so", "changed")))


def _places(statement: Statement) -> set[str]:
    return {word.lower() for word in statement.tokens} & _PLACES


def _names_another(new: Statement, old: Statement) -> bool:
    """Tell whether the new one names the value that it changes, and it is not the older one's."""
    kinds = [value.kind for value in new.values]
    twice = {kind for kind in kinds if kinds.count(kind) > 1} & _kinds(old)
    return bool(twice) and bool(_FORMER.search(new.text)) and not repeated(new.values, old.values)


def _is_another(new: Statement, old: Statement) -> bool:
    """Tell whether both are about different things of one kind: “access tokens”, “refresh tokens”."""
    theirs = dict(_modifiers(old))
    for place, modifier in _modifiers(new):
        if place[1] in old.subject and modifier not in old.words and theirs.get(place, "") not in new.words:
            return True
    one, other = (
        {value.amount for value in each.values if value.kind == "version" and value.place < _LEADING}
        for each in (new, old)
    )
    return bool(one) and bool(other) and one.isdisjoint(other)


def _modifiers(statement: Statement) -> Iterator[tuple[tuple[str, str], str]]:
    """Yield the modifiers of the subject: the word before, or the word after “of” or “for”."""
    words = [word.lower() for word in statement.tokens]
    start = words.index(":") + 1 if ":" in words[:12] else 0
    for place, key in enumerate(statement.keys[start:], start):
        if key and key in statement.subject:
            before = statement.keys[place - 1] if place > start else ""
            if before and before in statement.subject:
                yield ("before", key), before
            if place + 2 < len(words) and words[place + 1] in ("of", "for"):
                behind = next((each for each in statement.keys[place + 2 : place + 4] if each), "")
                if behind:
                    yield ("behind", key), behind


def _is_same_frame(new: Statement, old: Statement) -> bool:
    """Tell whether both differ in one word only, after the same preposition."""
    ours, theirs = _alone(new, old), _alone(old, new)
    return len(ours) == 1 and ours == theirs and ours[0] in _FRAMING


def _alone(one: Statement, other: Statement) -> list[str]:
    """Return the words before those that only the first statement has."""
    pairs = zip(("", *one.tokens), one.keys, strict=False)
    return [before.lower() for before, key in pairs if key and key not in other.words]


def _can_change(new: Statement, old: Statement) -> bool:
    """Tell whether an older statement has a place, a tool or a state that can change."""
    return not _WHERE.isdisjoint(word.lower() for word in old.tokens)

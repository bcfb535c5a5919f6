"""Amend: whether a new statement changes what an older one says.

    The request timeout is 30 seconds.   ─► The request timeout is 60 seconds.                   another value
    Orders are kept in MySQL.            ─► We moved orders to Postgres.                          said to be changed
    Mails are sent with Postfix.         ─► Mails leave through a relay. Postfix is uninstalled.  its value is over
    I like class based views.            ─► write new endpoints as plain functions please         the contrary

A wrong replacement is worse than a missing one, because the older memory disappears. Two judges look at a pair. The
model (amend_model.py) says how probable a change is; it has learned from thousands of pairs how people change things.
The rules below find a sign of a change (another value of the same kind, an ended value, a word of change) and compare
the subjects, and contrary.py finds rules that cannot both be followed. A pair that the model is sure of is a change,
and so is one with a sign that is not improbable. Where one of them doubts, both stay and are said to contradict each
other; so do those that the classifier finds possible.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Literal, NamedTuple

from recollect.providers.provider_protocol import Classify, joint
from recollect.recall.amend_model import WEIGHTS, model
from recollect.recall.amend_signals import NOT, PRONOUNS
from recollect.recall.contrary import OPPOSITES, contrary
from recollect.recall.doubts import POSSIBLE
from recollect.recall.parsed_statement import VERB_KEYS, Statement, names, statement, with_parts
from recollect.recall.stated_values import conflict, repeated
from recollect.text.questions import INDIRECT
from recollect.text.terms import terms

Change = Literal["value", "said", "ended", "over", "opposite"]

# The probability from which the model decides alone, from which the rules are asked, and from which two statements
# contradict each other. Of 168 changes that it was not trained on (bench/changes.py --split unseen) 38 are found, and 9
# older statements are replaced by mistake; by the rules alone 9 and 5 (docs/adr/0067; SURE was 0.8 then).
SURE, LIKELY, CONTRADICTED = 0.85, 0.32, 0.74
# The same with the classifier: of 4,667 changes in projects that were left out 2,237 are found and 110 older statements
# are replaced by mistake (docs/adr/0073). It is asked from a low probability on.
SURE_READ, ASKED = 0.8, 0.03
# Statements of more words tell several things, of which the classifier takes one for a change: among the notes of
# bench/notes that are for no fitting, 26 changes reach 0.8 in up to 20 words and nothing else does; in longer ones five
# changes and four others do, all four below 0.92.
SHORT, SURE_OF_LONG = 20, 0.92
# Words that both have to share where the model decides alone, at least this share of the older one's.
LEAST_SHARED, LEAST_SHARE = 2, 1 / 3
# A cosine of statements that are about the same.
CLOSE = 0.75
# How much each part of being about the same counts: likeness of the vectors; the share of the older one's words that
# the new one has; the share of its subject; the share of the new one's subject that the older one has.
_CLOSE, _SHARED, _SUBJECT, _ABOUT = 0.45, 0.15, 0.25, 0.15
# Below this likeness two statements are about different things, whatever words they share. Where they share none but
# their subject, they have to be closer: a subject has several attributes.
LEAST_CLOSE, CLOSE_ENOUGH = 0.45, 0.49
# "We drop Jenkins" ends what uses Jenkins, whatever else the two say.
CLOSE_TO_NAME = 0.3
# “The cache has moved to X” changes where the cache is, however little the two places have in common.
CLOSE_TO_MOVED = 0.38
# Rules of a few words that are contrary have little else to be alike by.
CLOSE_TO_CONTRARY = 0.35
# What is needed more where one statement is about a number or a time and the other about something else.
_UNLIKE = 0.09
# What is needed more where both have words that the other lacks, besides the values.
_REWORDED = 0.06


class Sign(NamedTuple):
    """A sign of a change: how it is told, how sure the sameness has to be, and whether it says what was changed."""

    change: Change
    bar: float
    is_vague: bool = False


# The bars leave all look-alikes of tests/unit/recall/amendment_pairs.jsonl below them.
_SIGNS = {
    "ended": Sign("ended", 0.44),
    "name ended": Sign("ended", 0.36),
    "swapped": Sign("ended", 0.25),
    "value, said": Sign("value", 0.52),
    "corrected": Sign("value", 0.4),
    "value": Sign("value", 0.68),
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
    "slot": Sign("value", 0.45),
}
# A place or a version among the first words says what a statement holds for.
_LEADING = 4
HALF = 0.5
_CODE = re.compile(r"\w[._/:]+\w")
_FORMER_NUMBER = re.compile(r"\b(?:from|instead of|rather than|was|were|not)\s+(\d+(?:\.\d+)*)", re.IGNORECASE)
# What is so is not done or not used.
_LEFT_OUT = frozenset("skipped excluded ignored disabled omitted".split())
_NEVER = re.compile(r"\b(?:never|no longer|no ?body|none)\b", re.IGNORECASE)
_OVER = re.compile(
    r"\b(?:no longer|no more|any ?(?:more|longer)|dropped|removed|gone|stopped|no ?body|reverted|retired|abolished|"
    r"scrap|forget)\b",
    re.IGNORECASE,
)
# Verbs of which more than one thing can be said at a time.
_INCLUSIVE = frozenset(
    "supports support include includes contain contains like likes uses use returns return visited pass prefers can "
    "works accepts accept".split()
)
# Of these verbs several things can be said in sentences of the same form.
_ADDING = frozenset("supports includes contains accepts".split())
# Words for one of several places, systems or groups that a fact may hold for.
_PLACES = frozenset(
    """staging production prod dev development developer developers ci sandbox canary windows macos mac linux
    ios android mobile desktop tablet europe germany eu usa uk""".split()
)
_OPPOSED = frozenset(word for pair in OPPOSITES for word in pair)
_OPPOSED_KEYS = frozenset(key for word in _OPPOSED for key in (word, *terms(word)))
_FIRST_PERSON = frozenset("i me my mine we us our ours".split())
_WHERE = frozenset(
    "in on at to with by from under against inside via through is are uses use using into over within after".split()
)
_PLACING = _WHERE | {"a", "an", "the", "our"}
# “Warnings in third_party”, “pictures by AFP”: what follows limits the subject.
_LIMITING = frozenset("of for in by under from with above below during at on without".split())
# What has a number as its value, as terms.
_JOINED = re.compile(r"[,;] (?:and|but) |; ")
# A name that tells one of several apart: P1, q-mail, host_b.
_OWN_NAME = re.compile(r"\d|\w[-_.]\w")
_IS = frozenset(("is", "are"))
# Words that say that something goes on.
_CONTINUED = frozenset(terms("always still stay remain usual unchanged keep continue"))
_MEASURES = frozenset(terms("size length limit port width height timeout count maximum minimum budget threshold level"))
_WHY: dict[Change, str] = {
    "value": "“{new}” has a different value than “{old}”",
    "said": "“{new}” changes “{old}”",
    "ended": "“{new}” replaces “{old}”",
    "over": "“{new}” ends “{old}”",
    "opposite": "“{new}” may contradict “{old}”",
}


class Amended(NamedTuple):
    """The way a new statement changes an older one, and the evidence: how probable it is.

    A change that just meets the bar of the rules counts as one that the model is just sure of.
    """

    change: Change
    old: str
    new: str
    evidence: float

    @property
    def why(self) -> str:
        """The reason, in words."""
        return _WHY[self.change].format(old=self.old, new=self.new)


def may_amend(statement: Statement, *, is_read: bool = False) -> bool:
    """Tell whether a statement can change another: a question, a proposal or a report of the past cannot.

    is_read: the classifier will read it, which knows proposals and reports that are said alone by their wording
    """
    count = len(statement.words) + len(statement.values)
    if is_read:
        return count > 0 and not statement.text.rstrip().endswith("?")
    return count > 1 and not statement.is_open and not statement.is_past


def likelihood(new: Statement, old: Statement, *, is_talk: bool = False, is_read: bool = False) -> float:
    """Return how probable a change is if the vectors of both are close: which pairs are worth comparing them.

    is_read: the classifier will read them
    """
    if is_talk:
        return 0.0 if (ruled := _changed(new, old, 1.0)) is None else ruled.evidence
    if contrary(new, old) or _changed(new, old, CLOSE):
        return 1.0
    return 0.0 if not is_read and _are_told_apart(new, old) else model().judge(new, old, CLOSE)


def amends(
    new: Statement,
    old: Statement,
    closeness: float,
    *,
    same_author: bool = True,
    is_talk: bool = False,
    classify: Classify | None = None,
) -> Amended | None:
    """Return how a newer statement changes an older one; None where it does not.

    closeness: the cosine of their vectors. same_author: False leaves alone what people say of themselves.
    is_talk: the new one is a turn of a conversation, which tells of many occasions: the rules alone decide.
    classify: the classifier of the local model, which reads both
    """
    if (not same_author and _is_personal(new, old)) or _are_siblings(new, old) or _replaces_another_value(new, old):
        return None
    if not new.cues and all("[secret:" in each.text for each in (new, old)):
        return None  # the values that would be compared are unknown
    ruled = _changed(new, old, closeness)
    if is_talk:
        return ruled
    by_words, answers = model().judge(new, old, closeness), None
    if classify is not None and by_words >= ASKED:
        answers = classify(new.text, old.text)
    is_read = answers is not None
    probability = by_words if answers is None else joint(by_words, answers.replaces, WEIGHTS)
    # It knows better than any rule: “they don't use X anymore”, says a review of another shop. Of 99 pairs with a sign
    # of a change that it denies here, three are changes (ten splits of bench/changes).
    if answers is not None and answers.replaces < 0 and probability < POSSIBLE:
        return None
    change = None if ruled is None else ruled.change
    if change is not None and probability < LIKELY and not _is_plain(new, old):
        change = "opposite"
    change = change or _contradicted(new, old, closeness) or _judged(new, old, closeness, probability, is_read=is_read)
    return None if change is None else Amended(change, old.text, new.text, probability)


def _is_plain(new: Statement, old: Statement) -> bool:
    """Tell whether a change needs no judge: “we drop Jenkins”, “unittest, not pytest”, or only a value differs."""
    return bool(new.ended & names(old)) or _reverses(new, old) or new.words == old.words


def _judged(new: Statement, old: Statement, closeness: float, probability: float, *, is_read: bool) -> Change | None:
    """Return how a statement changes an older one where the model alone decides; is_read: the classifier did, too."""
    are_apart = _says_nothing_new(new, old) if is_read else closeness < CLOSE_ENOUGH or _are_told_apart(new, old)
    are_apart = are_apart or _are_numbered(new, old) or (old.is_past and not new.cues)
    if probability < (POSSIBLE if is_read else CONTRADICTED) or are_apart:
        return None
    sure_read = SURE_READ if len(new.text.split()) <= SHORT else SURE_OF_LONG
    if probability < (sure_read if is_read else SURE):
        return "opposite"
    return "over" if _is_over(new, old) else "said"


def _says_nothing_new(new: Statement, old: Statement) -> bool:
    """Tell whether a statement repeats an older one: “crash reports stay in Sentry”, “as always, Wednesday, 5 pm”."""
    is_changed = bool(new.ended or new.cues) or conflict(new.values, old.values)
    return new.words - _CONTINUED <= old.words and not is_changed


def _are_told_apart(new: Statement, old: Statement) -> bool:
    """Tell whether the model cannot know: little is shared, both can be said, or nothing but a number is new.

    What numbers mean is for the rules, “src/core.py” in two notes says little, and “Server.start” is not “Server.stop”.
    One shared word is enough where it is over: “npm is gone”.
    """
    shared, is_ended = len(new.words & old.words), bool(new.ended & old.words)
    is_little = shared < max(LEAST_SHARED, LEAST_SHARE * len(old.words)) and not is_ended
    if is_little or not _ADDING.isdisjoint(new.tokens) or old.is_open:
        return True
    ours, theirs = (frozenset(filter(_CODE.search, each.tokens[:_LEADING])) for each in (new, old))
    are_named = bool(ours and theirs) and ours.isdisjoint(theirs)
    is_number = repeated(new.values, old.values) or _are_numbered(new, old)
    return new.words <= old.words or are_named or is_number


def _contradicted(new: Statement, old: Statement, closeness: float) -> Change | None:
    """Return how a statement is contrary to an older one, though no word says that something was changed."""
    if closeness < CLOSE_TO_CONTRARY or _states_nothing(new, old) or is_of_another(new, old):
        return None
    return None if _is_unnamed(new) or old.is_open or _deny_alike(new, old) else contrary(new, old)


def _changed(new: Statement, old: Statement, closeness: float) -> Amended | None:
    """Return how a statement changes an older one by the rules; None where they find no change."""
    ends_name, is_moved = bool(new.ended & names(old)), _is_moved(new, old)
    least = CLOSE_TO_NAME if ends_name else CLOSE_TO_MOVED if is_moved else LEAST_CLOSE
    if closeness < least or _is_hindered(new, old):
        return None
    name = _sign(new, old)
    sign = _SIGNS.get("name ended" if ends_name and name == "ended" else name)
    if sign is None or (not new.cues and not _says_the_same_but_for(name, new, old)):
        return None
    if closeness < CLOSE_ENOUGH and not (is_moved or ends_name) and _needs_closeness(name, new, old):
        return None
    margin = _sameness(new, old, closeness) - _bar(sign, new, old)
    return Amended(sign.change, old.text, new.text, SURE + margin) if margin >= 0 else None


def changed_part(new: str, old: str) -> str:
    """Return the part of an older statement that a newer one is about: one of two orders that “, and” joins."""
    parts = _JOINED.split(old)
    shared = [len(set(terms(new)) & set(terms(part))) for part in parts]
    return " ".join(part for part, count in zip(parts, shared, strict=True) if count > 1 or count == max(shared))


def _is_personal(new: Statement, old: Statement) -> bool:
    """Tell whether one of two statements is about its author."""
    return not _FIRST_PERSON.isdisjoint(word.lower() for word in (*new.tokens, *old.tokens))


def _needs_closeness(sign: str, new: Statement, old: Statement) -> bool:
    """Tell whether two statements have to be close: they share little, or only their subject."""
    is_vague = _SIGNS[sign].is_vague and sign != "says so"
    return sign == "swapped" or (is_vague and new.words & old.words <= old.subject)


def states_alike(one: Amended, other: Amended, *, instead: bool = False) -> bool:
    """Tell whether two older statements say the same of what the new one changes; instead: or contradict another."""
    new, ours, theirs = (statement(text) for text in (one.new, one.old, other.old))
    both = ours.words & theirs.words
    is_changed = bool(both - (new.words - new.ended)) and len(both) >= HALF * len(ours.words | theirs.words)
    return is_changed or repeated(ours.values, theirs.values) or (instead and contradicts(ours, theirs))


def _says_the_same_but_for(sign: str, new: Statement, old: Statement) -> bool:
    """Tell whether two statements are the same but for one value, where no word says that something was changed.

    “The nightly job starts at 02:00” and “the weekly job starts at 04:00” are about two jobs.
    """
    if sign not in ("value", "antonym", "name"):
        return True
    allowed = {"antonym": _OPPOSED_KEYS, "name": with_parts(names(new) | names(old))}.get(sign, frozenset())
    limits = {word.lower() for word in new.tokens if word not in old.tokens} & _LIMITING - _OPPOSED
    extra = 2 * (sign == "antonym" and not limits)
    shared = min(_share(old.subject, new.words), _share(new.subject, old.words))
    is_same_subject = sign == "value" and shared >= HALF and _places(new) == _places(old)
    novel = new.words - old.words - allowed
    return is_same_subject or (old.words - new.words <= allowed and len(novel) <= extra)


def contradicts(new: Statement, old: Statement) -> bool:
    """Tell whether two statements that are about the same cannot both hold now; less certain than `amends`."""
    if asked := INDIRECT.search(new.text):
        # “My budget is $650 now, so I'm not sure where to start” states a value before it asks.
        new = statement(new.text[: asked.start()])
        if not (new.cues and new.values):
            return False
    is_denied = bool(_NEVER.search(new.text)) and not _NEVER.search(old.text)
    if _deny_alike(new, old):
        return False
    if new.text.rstrip().endswith("?") and not new.values and not is_denied:
        return False
    opposite = _opposite(new, old)
    is_opposite = opposite == "negated" or (opposite == "antonym" and _says_the_same_but_for("antonym", new, old))
    is_changed = "changed" in new.cues and bool(new.subject) and new.subject == old.subject and _can_change(new, old)
    return is_denied or is_changed or bool(new.ended & old.words) or is_opposite or _differ(new, old)


def _bar(sign: Sign, new: Statement, old: Statement) -> float:
    """Return how sure it has to be that both are about the same."""
    ours, theirs = (each.words - names(each) - VERB_KEYS for each in (new, old))
    if sign is _SIGNS["value"] and theirs - new.words and ours - old.words:
        return sign.bar + _REWORDED
    return sign.bar + (_UNLIKE if sign.is_vague and _is_unlike(new, old) else 0.0)


def _sameness(new: Statement, old: Statement, closeness: float) -> float:
    """Return how sure it is that two statements are about the same, 0 to 1."""
    subject = _share(old.subject or old.words, new.words)
    about = _share(new.subject or new.words, old.words)
    return _CLOSE * closeness + _SHARED * _share(old.words, new.words) + _SUBJECT * subject + _ABOUT * about


def _is_unlike(new: Statement, old: Statement) -> bool:
    """Tell whether one states a number or a time and the other something else, or the older one is all repeated."""
    ours, theirs = _kinds(new), _kinds(old)
    is_only_value = bool(ours) and not theirs and not names(new) - old.words
    return (bool(theirs) and not ours & theirs) or is_only_value or not old.words - (new.words - new.ended)


def _kinds(statement: Statement) -> set[tuple[str, ...]]:
    """Return the kinds of values; versions of two things are two kinds."""
    return {(each.kind, *sorted(each.of if each.kind == "version" else ())) for each in statement.values}


def _share(part: frozenset[str], whole: frozenset[str]) -> float:
    return len(part & whole) / max(1, len(part))


def _sign(new: Statement, old: Statement) -> str:
    """Return the strongest sign that a statement changes another; "" where there is none."""
    says = bool(new.cues - {"now"})
    novel = new.words - old.words
    if not novel and _is_over(new, old):
        return "over"
    ended = new.ended & with_parts(old.words - old.subject - old.ended)
    # “Tomas went to ads” ends that Tomas is the product owner, where the rest is said of another.
    if old.subject <= new.ended and _share(old.words - old.subject, new.words) >= HALF:
        ended |= old.subject
    # “Not shared by threads” does not end “shared by processes”, nor “reads are not logged” “changes are logged”.
    is_about = not new.subject or bool(new.subject & old.words) or old.subject <= new.ended
    if ended and (says or (is_about and novel and _alone(new, old) != _alone(old, new))):
        return "swapped" if "changed" in new.cues and ended - old.subject else "ended"
    if _reverses(new, old):
        return "ended"
    if _differ(new, old):
        is_corrected = "says so" in new.cues and any(one.of & other.of for one in new.values for other in old.values)
        return "corrected" if is_corrected else "value, said" if says else "value"
    if len(novel) <= len(new.words) / 3 and _is_over(new, old):
        return "over"
    return _opposite(new, old) or (_vague_sign(new, old) if novel else "")


def _reverses(new: Statement, old: Statement) -> bool:
    """Tell whether the new one names the value of the older one as the former one, or swaps what is used and what not.

    “24 months instead of 18” after “18 months”; “unittest, not pytest” after “pytest, never unittest”.
    """
    rejected = {key for word, key in zip(old.tokens, old.keys[1:], strict=False) if word.lower() in NOT and key}
    if new.ended & old.words - rejected and rejected & new.words - new.ended:
        return True
    return not set(_FORMER_NUMBER.findall(new.text)).isdisjoint(old.tokens) and _differ(new, old)


def _is_over(new: Statement, old: Statement) -> bool:
    """Tell whether the new one says that something is over, and gives no new value."""
    return bool(_OVER.search(new.text)) and not _kinds(new) - _kinds(old)


def _vague_sign(new: Statement, old: Statement) -> str:
    """Return a sign that something was changed, where the values do not show what."""
    lost = old.words - (new.words - new.ended)
    is_named = names(new) - old.words and names(old) & lost and not names(old) & new.words - lost - old.subject
    if "says so" in new.cues and (lost & names(old) or not names(old)):
        return "says so"
    if (new.ended and not new.ended & old.words) or ("changed" in new.cues and not _can_change(new, old)):
        return ""
    if "changed" in new.cues:
        return "another name" if is_named else "changed"
    if "from" in new.cues:
        return "from now on"
    if _is_unlike(new, old):
        return ""
    if _is_other_filling(new, old):
        return "slot"
    if is_named:
        return "name, now" if "now" in new.cues else "name"
    if "now" in new.cues and _is_placed(new, old):
        return "slot"
    return ""


def _is_other_filling(new: Statement, old: Statement) -> bool:
    """Tell whether both say the same of the same but for one word: “parsed with argparse”, “we parse … with typer”."""
    both, novel = old.words & new.words, new.words - old.words - VERB_KEYS
    lost = old.words - new.words - (VERB_KEYS if new.cues else frozenset())
    is_about = lost == old.subject or (lost.isdisjoint(old.subject) and bool(old.subject & new.subject))
    is_about = is_about and new.subject <= old.words
    is_said_alike = len(both) > 1 and bool(both - old.subject) and not names(old) & both - old.subject
    is_said_alike = is_said_alike and (lost == old.subject or _WHERE.issuperset(_alone(old, new)[-1:]))
    return is_about and is_said_alike and len(lost) == 1 and 0 < len(novel) <= 2 and not _is_denial(new, old)


def _is_placed(new: Statement, old: Statement) -> bool:
    """Tell whether the new one says of the older one's subject where it is, or what: “dns is at cloudflare now”."""
    is_about = bool(old.subject) and old.subject <= new.words and new.subject <= old.words
    before = _alone(new, old)
    return is_about and 0 < len(before) <= 2 and _PLACING.issuperset(before) and _can_change(new, old)


def _opposite(new: Statement, old: Statement) -> str:
    """Return whether the new one says the opposite of the older one, or denies it."""
    ours, theirs = ({word.lower() for word in each.tokens} for each in (new, old))
    if any(len(pair & ours) == 1 == len(pair & theirs) and pair & ours != pair & theirs for pair in OPPOSITES):
        return "antonym"
    if not _is_denial(new, old):
        return ""
    if new.cues and _share(old.words, new.words) > HALF:
        return "negated"
    return "contradicted" if new.words == old.words else ""


def _is_denial(new: Statement, old: Statement) -> bool:
    """Tell whether one of them has a word of negation and the other has none."""
    return len({NOT.isdisjoint(word.lower() for word in each.tokens) for each in (new, old)}) > 1


def _deny_alike(new: Statement, old: Statement) -> bool:
    """Tell whether one says “not” where the other says “skipped”, and no word says that something was changed."""
    both = ({word.lower() for word in each.tokens} for each in (new, old))
    forms = {(NOT.isdisjoint(words), _LEFT_OUT.isdisjoint(words)) for words in both}
    return not new.cues and forms == {(True, False), (False, True)}


def _differ(new: Statement, old: Statement) -> bool:
    """Tell whether the values of one kind differ. Where something was changed, a bare number counts, too."""
    return conflict(new.values, old.values, loose=not new.cues.isdisjoint(("says so", "changed")))


def _is_hindered(new: Statement, old: Statement) -> bool:
    """Tell whether a statement cannot change another: it states nothing, or only for a part, or of something else."""
    if _states_nothing(new, old):
        return True
    if new.cues <= {"now"} and (old.is_open or (_is_unnamed(new) and _is_unnamed(old))):
        return True
    if _deny_alike(new, old):
        return True
    is_addition = _is_inclusive(new, old) and not _reverses(new, old)
    if not new.cues and (old.partly - new.partly or is_addition):
        return True
    is_repeated = repeated(new.values, old.values) and not _differ(new, old)
    if is_repeated and not new.ended & old.words and not _opposite(new, old):
        return True
    return _is_elsewhere(new, old) or _is_another(new, old)


def _states_nothing(new: Statement, old: Statement) -> bool:
    """Tell whether one of two statements reports an event, asks, or holds for a part only."""
    is_told = new.is_told and old.is_told
    return new.is_open or new.is_past or old.is_past or is_told or bool(new.partly - old.partly)


def _is_unnamed(statement: Statement) -> bool:
    """Tell whether a statement does not name its subject: “it takes 3 seconds”."""
    return statement.tokens[0].lower() in PRONOUNS


def _is_inclusive(new: Statement, old: Statement) -> bool:
    """Tell whether more than one thing can be said; of two versions or numbers, one is used or possible."""
    found = _INCLUSIVE.intersection(word.lower() for word in new.tokens)
    return bool(found - {"use", "uses", "can"} if _differ(new, old) else found)


def is_of_another(new: Statement, old: Statement) -> bool:
    """Tell whether a statement is about another thing of the same kind, or holds for another place."""
    return _is_elsewhere(new, old) or _is_another(new, old)


def _is_elsewhere(new: Statement, old: Statement) -> bool:
    """Tell whether the new one holds for another place, or for one of those that the older one holds for."""
    other = _places(new) - _places(old)
    is_leading = not other.isdisjoint(word.lower() for word in new.tokens[:_LEADING])
    return bool(other) and (is_leading or bool(_places(old)) or new.cues.isdisjoint(("says so", "changed")))


def _places(statement: Statement) -> set[str]:
    return {word.lower() for word in statement.tokens} & _PLACES


def _is_another(new: Statement, old: Statement) -> bool:
    """Tell whether both are about different things of one kind: “access tokens”, “refresh tokens”."""
    theirs, counted = dict(_modifiers(old)), frozenset(key for value in old.values for key in value.of)
    known, parts = (old.words - counted) | old.subject, with_parts(old.words)
    for (where, word), modifier in _modifiers(new):
        if word in old.subject and modifier not in known and theirs.get((where, word), "") not in new.words:
            return True
        # “The reports of the orders service” are a part of it.
        if where == "behind" and word not in parts and modifier in old.subject and not _differ(new, old):
            return True
    limits = {limit for (where, word), limit in theirs.items() if where == "behind" and word in new.subject}
    is_part = not new.cues and _differ(new, old) and bool(limits - new.words)
    if is_part or _are_numbered(new, old):
        return True
    one, other = (
        {value.amount for value in each.values if value.kind == "version" and value.place < _LEADING}
        for each in (new, old)
    )
    is_told_apart = new.tokens[0].lower() == "version" or _share(old.words, new.words) < HALF
    return bool(one and other) and one.isdisjoint(other) and is_told_apart


def _are_numbered(new: Statement, old: Statement) -> bool:
    """Tell whether numbers tell the two apart: “supplier 4”, “supplier 7”."""
    labels = _labels(old)
    return any(labels.get(word, number) != number for word, number in _labels(new).items())


def _replaces_another_value(new: Statement, old: Statement) -> bool:
    """Tell whether a statement replaces a value that the older one does not have: “scratch the 7 mm, 5 mm now”."""
    named = defaultdict(set)
    for value in new.values:
        if value.of or value.kind != "count":
            named[value.kind, value.of].add(value.amount)
    held = [(value.amount, named.get((value.kind, value.of), ())) for value in old.values]
    return any(len(amounts) > 1 for _, amounts in held) and all(amount not in amounts for amount, amounts in held)


def _are_siblings(new: Statement, old: Statement) -> bool:
    """Tell whether the two are about things of one kind with names of their own: “printer P1”, “printer P2”."""
    ours, theirs = (frozenset(filter(_OWN_NAME.search, each.subject)) for each in (new, old))
    if ours and theirs and (new.subject - ours) & (old.subject - theirs) and ours.isdisjoint(theirs):
        return True
    # In one frame something else is said of another thing: “port 80 is the API”, “port 81 is the shop”.
    one, other = (tuple(map(str.lower, each.tokens)) for each in (new, old))
    differ = [place for place, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]]
    if len(one) != len(other) or len(differ) != 2 or differ[0] > 1 or _IS.isdisjoint(one[differ[0] : differ[1]]):
        return False
    return all(_OWN_NAME.search(each[differ[0]]) for each in (one, other))


def _labels(statement: Statement) -> dict[str, str]:
    """Return the numbers that tell things apart: “supplier 4”, not “Debian 12”, “on node 20” or “batch size 4”."""
    words, is_said = ["", *map(str.lower, statement.tokens)], bool(statement.cues & {"says so", "changed", "from"})
    return {
        key: number
        for place, (key, number) in enumerate(zip(statement.keys, words[2:], strict=False))
        if number.isdigit() and key and key not in _MEASURES
        if (place < _LEADING or not is_said) and words[place] not in _WHERE
        if place == 0 or not statement.tokens[place][:1].isupper()
    }


def _modifiers(statement: Statement) -> Iterator[tuple[tuple[str, str], str]]:
    """Yield what stands before a word of the subject, or limits it from behind: “warnings in third_party”."""
    words = [word.lower() for word in statement.tokens]
    start = words.index(":") + 1 if ":" in words[:12] else 0
    for place, key in enumerate(statement.keys[start:], start):
        if key and key in statement.subject:
            before = statement.keys[place - 1] if place > start else ""
            if before and before in statement.subject:
                yield ("before", key), before
            if place + 2 < len(words) and words[place + 1] in _LIMITING:
                behind = next((each for each in statement.keys[place + 2 : place + 4] if each), "")
                if behind and (behind in statement.subject or words[place + 1] in ("of", "for")):
                    yield ("behind", key), behind


def _is_moved(new: Statement, old: Statement) -> bool:
    """Tell whether the whole subject, of two words or more, is said to have moved from where the older one has it."""
    is_said = "moved to" in new.text.lower()  # not “moved its log to”, which is about another thing
    return is_said and len(new.subject) > 1 and new.subject <= old.subject and _can_change(new, old)


def _alone(one: Statement, other: Statement) -> list[str]:
    """Return the words before those that only the first statement has."""
    pairs = zip(("", *one.tokens), one.keys, strict=False)
    return [before.lower() for before, key in pairs if key and key not in other.words]


def _can_change(new: Statement, old: Statement) -> bool:
    """Tell whether an older statement says where something is, or how it is called, where the new one changes that."""
    words = {word.lower() for word in old.tokens}
    if any(word.lower() == "renamed" for word in new.tokens):
        return not words.isdisjoint(("called", "named", "name"))
    return not words.isdisjoint(_WHERE)

"""Statements: the sentences of a message that state knowledge for later sessions.

    "OK. From now on always use pytest -x, never unittest."   rule        preference
    "In this repo we name branches after their ticket."       rule        style
    "Let's go with Postgres, it is already running."          decision    decision
    "No, the port is 5433, not 5432."                         correction  context
    "The root cause was a missing index."                     cause       insight
    "Keep in mind that staging is rebuilt every night."       fact        context

A trained model reads what people and assistants say (`statement_model`). Questions and guesses are no statements.
Rules of work are preferences or conventions; a rule of the product ("an order ships in two days") is a decision.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Literal, NamedTuple

from recollect.capture import statement_cues as cues
from recollect.capture.other_languages import is_foreign, is_standing
from recollect.capture.prose import Sentence, sentences
from recollect.capture.sentence_features import features, message_features
from recollect.capture.statement_model import RULES, Judged, Kind, context_of, model
from recollect.model import MemoryType
from recollect.providers.provider_protocol import Classify
from recollect.text.questions import QUESTION, asks_elsewhere, only_asks

Speaker = Literal["user", "assistant"]

# Shorter sentences need their context; longer ones describe a task.
LEAST_WORDS, MOST_CHARACTERS = 2, 400
# "Keep in mind that …", "actually, …" and "in all my projects" leave little doubt.
ANNOUNCED_PROBABILITY = 0.1
# "Every time you …" says that an order is a rule.
STANDING_PROBABILITY = 0.05
# What holds instead of something that is over ("I was wrong about Redis. Sessions are in Memcached."), or is settled.
CHANGE_PROBABILITY = 0.25
# Less is no statement in a message of more than so many sentences, even if it changes something that is known.
UNSURE_PROBABILITY, FEW_SENTENCES = 0.05, 6
# A cause or a correction with so many words says enough without what "it" is: "it was the relay, it is active low …".
SELF_CONTAINED_WORDS = 7
# What a fragment ("json from now on") is about has so many words: "thanks, that works" has fewer.
TOPIC_WORDS = 4
# A result raises the odds of its statement so much; a fault that is reported beside it ("it is down again") does not.
RESULT_ODDS = 3.0
# A message with these features contains the answer of an assistant.
PASTED_ANSWER = {"long:10", "voice:2"}
# By its words a sentence must be so probable to be read by the classifier, which takes some 10 ms for each. A message
# with many such sentences is a document.
ASKED_PROBABILITY, MOST_ASKED = 0.02, 24
# Changes that an assistant reports in one answer: comparing each takes some 50 ms.
MOST_REPORTED = 4
# A message with more statements is a pasted document.
OF_A_MESSAGE = 5
# Places where a sentence may turn from a request to a statement.
MOST_JOINTS = 3
# How much less probable what follows a request may be than the whole sentence, which may be a rule itself.
AFTER_REQUEST = 0.07
TYPES: dict[Kind, tuple[MemoryType, float]] = {
    "rule": ("preference", 0.8),
    "preference": ("preference", 0.75),
    "decision": ("decision", 0.75),
    "correction": ("context", 0.7),
    "cause": ("insight", 0.7),
    "fact": ("context", 0.65),
}
# A convention of a project.
STYLE: tuple[MemoryType, float] = ("style", 0.75)


class _Read(NamedTuple):
    """The reading of a sentence: its kind, whether it is sure, and whether it says how people work."""

    kind: Kind
    is_sure: bool
    is_standing: bool | None = None


# What an assistant reports to be changed.
REPORT = _Read("fact", False)


class Statement(NamedTuple):
    """A stated sentence, in its author's words.

    everywhere: it is valid for all projects. is_sure: if not, it is a statement only if it changes what is known
    """

    text: str
    memory_type: MemoryType
    importance: float
    everywhere: bool
    kind: Kind
    is_sure: bool = True


def statements(
    text: str, speaker: Speaker, *, unsure: bool = False, classify: Classify | None = None
) -> tuple[Statement, ...]:
    """Return the distinct statements of a message in order; unsure: also sentences that may be statements.

    classify: reads what people say a second time
    """
    if cues.ROLE.search(text, 0, 200):
        return ()
    found: dict[str, Statement] = {}
    most = 0 if cues.UNDONE.search(text) else MOST_REPORTED
    for statement in _found(sentences(text), speaker, classify):
        is_report = speaker == "assistant" and not statement.is_sure
        if is_report and sum(not each.is_sure for each in found.values()) >= most:
            continue
        name = statement.text.casefold()
        if (statement.is_sure or unsure) and name not in "\n".join(found):
            is_new = statement.is_sure
            found = {text: each for text, each in found.items() if text not in name or each.is_sure > is_new}
            found[name] = statement
        if sum(each.is_sure for each in found.values()) > OF_A_MESSAGE:
            return ()
    return tuple(found.values())


def type_of(text: str) -> MemoryType:
    """Return the type of memory that a text states; context by default."""
    found = (*statements(text, "user"), *statements(text, "assistant"))
    return found[0].memory_type if found else "context"


def start_of(sentence: Sentence) -> int:
    """Return the offset of a sentence after its filler words."""
    start = 0
    while (lead := cues.LEAD.match(sentence.plain[start : start + 40])) is not None:
        start += lead.end()
    return start


def may_state(sentence: Sentence, start: int) -> bool:
    """Return whether a sentence has the length of a statement, asks nothing and guesses nothing."""
    return is_readable(sentence, start) and not _is_open(sentence, start)


def is_readable(sentence: Sentence, start: int) -> bool:
    """Return whether a sentence has the length of a statement and no question mark."""
    plain = sentence.plain[start:].rstrip()
    least = LEAST_WORDS + 3 * sentence.is_answer
    return len(plain) <= MOST_CHARACTERS and len(plain.split()) >= least and not plain.endswith("?")


def _is_open(sentence: Sentence, start: int) -> bool:
    """Return whether a sentence seems to ask or to guess. "What we agreed on: five days" only looks like it."""
    plain = sentence.plain[start:].rstrip()
    return bool(QUESTION.search(plain) or cues.OPEN.search(plain) or only_asks(plain))


def retracted(text: str) -> tuple[str, ...]:
    """Return what a person takes back without saying what holds instead: "forget what I said about tabs"."""
    found = (cues.RETRACTED.search(each.plain[start_of(each) :].rstrip()) for each in sentences(text))
    return tuple(match["about"].rstrip(" .!") for match in found if match)


def _as_order(sentence: Sentence) -> Sentence:
    """Return a sentence; of a standing order that is put as a question, the order."""
    start = start_of(sentence)
    asked, tagged = (each.match(sentence.plain[start:]) for each in (cues.REQUESTED, cues.TAGGED))
    if asked is None and tagged is None:
        return sentence
    begin, end = asked.end() if asked else 0, tagged.start("tag") if tagged else None
    text, plain = (each[start:][begin:end].rstrip(" ?") for each in sentence[:2])
    return sentence._replace(text=text, plain=plain)


class _Message:
    """The sentences of a message, and what each is judged to be."""

    def __init__(self, said: Sequence[Sentence], speaker: Speaker, classify: Classify | None) -> None:
        self.said = said
        self.is_answer = speaker == "assistant"
        self.shared = message_features(said, self.is_answer)
        self.classify = classify
        self._asked = 0
        self._judged: dict[int, Judged] = {}

    def judged(self, place: int) -> Judged:
        """Return what a sentence is."""
        if place not in self._judged:
            self._judged[place] = self._judge(place)
        return self._judged[place]

    def _judge(self, place: int) -> Judged:
        trained, sentence = model(), self.said[place]
        by_words = trained.judge(features(self.said, place, start_of(sentence), trained.lexicon, self.shared))
        if self.classify is None or by_words.probability < ASKED_PROBABILITY or self._asked >= MOST_ASKED:
            return by_words
        self._asked += 1
        answers = self.classify(sentence.text.strip(), context_of(self.said, place, self.is_answer))
        return by_words if answers is None else by_words.with_answers(answers)


def _found(said: list[Sentence], speaker: Speaker, classify: Classify | None) -> Iterator[Statement]:
    said = [_as_order(sentence) for sentence in said]
    message = _Message(said, speaker, classify)
    if speaker == "user" and message.shared >= PASTED_ANSWER:
        return
    joined = -1
    for place, sentence in enumerate(said):
        start = start_of(sentence)
        if speaker == "user" and is_standing(sentence.plain[start:]):
            yield Statement(_tidy(cues.ANNOUNCED.sub("", sentence.text[start:])), *TYPES["rule"], False, "rule")
            continue
        if place == joined or is_foreign(sentence.plain) or cues.QUOTING.match(sentence.plain[start:]):
            continue
        if speaker == "user" and (rest := _after_request(message, place, start)) is not None:
            yield rest
            continue
        is_open = _is_open(sentence, start)
        if not is_readable(sentence, start) or asks_elsewhere(sentence.plain):
            continue
        if is_open and (speaker == "assistant" or not message.judged(place).is_sure):
            continue
        read = (_concluded if message.is_answer else _stated)(message, place, start)
        text = None if read is None else _with_context(message, place, start, read)
        if speaker == "user" and (change := _replacement(message, place)) is not None:
            joined = place + 1
            text, read = f"{text or sentence.text[start:].strip()} {said[joined].text.strip()}", change
        if read is not None and (found := _statement(sentence, text, start, read)) is not None:
            yield found


def _after_request(message: _Message, place: int, start: int) -> Statement | None:
    """Return what a sentence states after a request: "add the gauge, and in general I prefer counters"."""
    sentence = message.said[place]
    if len(sentence.plain) > MOST_CHARACTERS or not cues.REQUEST.match(sentence.plain[start:]):
        return None
    for joint in islice(cues.JOINT.finditer(sentence.plain, start), MOST_JOINTS):
        parts = [
            sentence._replace(
                text=sentence.text[part].rstrip(" ?"), plain=sentence.plain[part].rstrip(" ?"), is_first=first
            )
            for part, first in ((slice(joint.start()), sentence.is_first), (slice(joint.end(), None), False))
        ]
        split = _Message([*message.said[:place], *parts, *message.said[place + 1 :]], "user", message.classify)
        begin = start_of(parts[1])
        plain = parts[1].plain[begin:]
        if cues.LEANS.search(plain) or cues.REASON.match(plain) or not may_state(parts[1], begin):
            continue
        if split.judged(place).is_kept:
            continue  # "give me german commit messages, the client reads them": no order for now
        rest, whole = split.judged(place + 1), message.judged(place)
        is_marked = cues.ANNOUNCED.match(plain[:60]) or cues.STANDING.search(plain)
        if not is_marked and not (rest.is_sure and rest.probability >= whole.probability - AFTER_REQUEST):
            continue
        if (read := _stated(split, place + 1, begin)) is not None and read.is_sure:
            return _statement(parts[1], _with_context(split, place + 1, begin, read), begin, read)
    return None


def _statement(sentence: Sentence, text: str | None, start: int, read: _Read) -> Statement | None:
    if text is None or len(text) > MOST_CHARACTERS:
        return None
    text, plain = cues.ASIDE.sub("", text) if read is REPORT else text, sentence.plain[start:]
    everywhere = bool(cues.EVERYWHERE.search(plain))
    memory_type, importance = _type(read, plain, everywhere)
    return Statement(_tidy(text), memory_type, importance, everywhere, read.kind, read.is_sure)


def _type(read: _Read, plain: str, everywhere: bool) -> tuple[MemoryType, float]:
    """Return the type and the importance: a rule for the assistant, a convention, or what the product is."""
    is_rule = read.kind in RULES
    is_standing = everywhere or (is_rule if read.is_standing is None else read.is_standing)
    if not is_standing or read.kind == "cause":
        return TYPES["decision" if is_rule else read.kind]
    is_addressed = read.kind == "rule" and cues.ADDRESSED.search(cues.ANNOUNCED.sub("", plain))
    return TYPES[read.kind] if is_addressed or read.kind == "preference" else STYLE


def _stated(message: _Message, place: int, start: int) -> _Read | None:
    """Return what a person states."""
    judged, plain = message.judged(place), message.said[place].plain
    if judged.kind in RULES and cues.ONCE.search(plain):
        return None
    if len(message.said) == 1 and (choice := cues.CHOICE.search(plain[start:])):
        return _Read("rule", choice["format"] is not None or judged.is_kept, True)
    cued = (
        (ANNOUNCED_PROBABILITY, cues.ANNOUNCED.match(plain[start : start + 60])),
        (STANDING_PROBABILITY, cues.STANDING.search(plain[start:])),
        (CHANGE_PROBABILITY, cues.ENDED.search(plain) or cues.SETTLED.search(plain[start:])),
        (ANNOUNCED_PROBABILITY, cues.EVERYWHERE.search(plain)),
    )
    is_kept = judged.is_kept or any(judged.probability >= least and cue for least, cue in cued)
    is_read = is_kept or judged.probability >= UNSURE_PROBABILITY or len(message.said) <= FEW_SENTENCES
    return _Read(judged.kind, is_kept, judged.is_standing) if is_read else None


def _replacement(message: _Message, place: int) -> _Read | None:
    """Return what the next sentence states instead of what this one ends; None if it does not."""
    said, after = message.said, place + 1
    if after == len(said) or said[after].is_first or not cues.ENDED.search(said[place].plain):
        return None
    if not may_state(said[after], start_of(said[after])):
        return None
    ended, instead = message.judged(place), message.judged(after)
    best = max(ended, instead, key=lambda judged: judged.probability)
    is_both = instead.probability >= UNSURE_PROBABILITY and best.probability >= CHANGE_PROBABILITY
    return _Read(best.kind, True, best.is_standing) if is_both else None


def _concluded(message: _Message, place: int, start: int) -> _Read | None:
    """Return what an assistant states."""
    judged, plain = message.judged(place), message.said[place].plain[start:]
    if judged.is_kept:
        return _Read("fact" if judged.kind in RULES else judged.kind, True, False)
    for kind, pattern in cues.CONCLUDED.items():
        if pattern.search(plain):
            return _Read(kind, True, False)
    return REPORT if cues.REPORTED.search(plain) else None


def _with_context(message: _Message, place: int, start: int, read: _Read) -> str | None:
    """Return a statement with what it refers to and its reason or result; None if what it refers to is missing."""
    said, sentence = message.said, message.said[place]
    before = said[place - 1] if place and not sentence.is_first else None
    after = next((each for each in said[place + 1 : place + 2] if not each.is_first), None)
    if announced := cues.ANNOUNCED.match(sentence.plain[start : start + 60]):
        start += announced.end()
    text, plain = sentence.text[start:].strip(), sentence.plain[start:]
    about = before.plain[start_of(before) :] if before is not None and not QUESTION.search(before.plain) else ""
    leans, is_part = cues.LEANS.search(plain), cues.FRAGMENT.match(plain) and not cues.REQUEST.match(about)
    least = TOPIC_WORDS if not leans else 1 if cues.SETTLED.search(plain) else LEAST_WORDS
    if before is not None and (leans or is_part) and len(about.split()) >= least:
        text = f"{before.text[start_of(before) :].strip()} {text}"
    elif leans and (read.kind not in ("cause", "correction") or len(text.split()) < SELF_CONTAINED_WORDS):
        return None
    if after is not None and len(text) + len(after.text) < MOST_CHARACTERS and _is_explained(message, place, read):
        text = f"{text} {after.text.strip()}"
    first = next((each for each in said[place::-1] if each.is_first), sentence)
    topic = cues.TOPIC.match(first.plain) if first is not sentence and ":" not in text else None
    return f"{topic[0]}{text}" if topic else text


def _is_explained(message: _Message, place: int, read: _Read) -> bool:
    """Return whether the next sentence gives a reason, what follows, or more about the same: "so it is …"."""
    sentence, after = message.said[place : place + 2]
    start, is_reason = start_of(after), cues.REASON.match(after.plain) is not None
    if is_reason or not (read.is_sure and message.classify and cues.RESULT.match(after.plain)) or message.is_answer:
        return is_reason
    is_own = message.judged(place + 1).is_kept and not cues.LEANS.search(after.plain[start:])
    if is_own or cues.REQUEST.match(after.plain[start:]) or not may_state(after, start) or _replacement(message, place):
        return False
    both = sentence._replace(text=f"{sentence.text} {after.text}", plain=f"{sentence.plain} {after.plain}")
    said = [*message.said[:place], both, *message.said[place + 2 :]]
    joined, alone = (each.judged(place).probability for each in (_Message(said, "user", message.classify), message))
    return joined * (1 - alone) >= RESULT_ODDS * alone * (1 - joined)


def _tidy(text: str) -> str:
    """Return a text on one line without the request at its end, capitalised unless it begins with a name."""
    plain = " ".join(text.split())
    after = cues.REQUEST_AFTER.search(plain)
    if after is not None and plain.count(" ", 0, after.start()) >= LEAST_WORDS - 1:
        plain = plain[: after.start()]
    first = plain.split(" ", 1)[0].rstrip(",:;").replace("'", "")
    return plain[:1].upper() + plain[1:] if first.isalpha() and first.islower() else plain

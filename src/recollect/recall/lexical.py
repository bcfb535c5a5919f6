"""Signals that need no vector, and a ranking by them alone, without numpy.

Signals are scale-free, so that the same weights serve a store of ten memories and of a hundred thousand: shares of the
question's words (weighted by rarity), scores relative to the best candidate, yes and no.

A passage is read together with its neighbours, the ones before and after it in the same text or session, because what
a question asks for is often said over two turns: windows find the place, the single passage is the answer.

Every recall uses these signals (measure.py adds those of vectors). A hook that answers a prompt by itself has a tenth
of a second and would spend it on loading numpy; `likely` gives it the scores and relevance of a recall by words.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from recollect.recall.query import Query
from recollect.recall.weights import (
    BY_HAND,
    IDLE,
    LABELLED,
    LABELLED_SLOPE,
    NOTE_BY_WORDS,
    RELEVANCE_BY_WORDS,
    TALK_BY_WORDS,
    UNASKED_FALL,
)
from recollect.text.dates import DAY
from recollect.text.days import EPOCH, LONGEST_MENTION, date_of, months
from recollect.text.terms import given_tags, terms

if TYPE_CHECKING:
    from recollect.store.store_values import Passage, TermCounts

# BM25's saturation and length normalisation. Turns and notes are short, so length matters less than in documents.
K1 = 0.9
B = 0.4
# A passage from the month of the day in the question counts half: people report things days later.
SAME_MONTH = 0.5
# The names of assistants in transcripts.
ASSISTANTS = frozenset("assistant ai agent bot model chatbot claude codex copilot gemini".split())
_ASSISTANT_TERMS = frozenset(term for name in ASSISTANTS for term in terms(name))
# Terms of tags are cached: a tag repeats, and its terms take 8 µs.
TAG_CACHE = 8_192
_TAG_JOINT = re.compile(r"[_./:\-\s]+")

# Of a question in a sentence, words of a note count beyond this share of the highest possible BM25, and adjacent pairs
# of them as far as the best note is beyond it: below, notes about other things share as many words (docs/adr/0044).
SURE_WORDS = 0.15
# The first tag of imported commits and changelogs.
COMMIT, CHANGELOG = "git", "changelog"

Counts = dict[int, int]


class Likely(NamedTuple):
    """The scores of passages, by place, and the probability that each is relevant."""

    scores: list[float]
    relevance: list[float]


class Surroundings(NamedTuple):
    """By passage, the places of its neighbours (-1: none) and its session or text."""

    before: list[int]
    after: list[int]
    before2: list[int]
    after2: list[int]
    group: list[int]


def likely(query: Query, passages: Sequence[Passage], counts: TermCounts) -> Likely:
    """Return score and relevance of each passage; passages are in order of place."""
    if not passages:
        return Likely([], [])
    columns = signals(query, passages, counts, surroundings(passages))
    rows = [{name: column[place] for name, column in columns.items()} for place in range(len(passages))]
    scores = [_score(row) for row in rows]
    eligible = [place for place, passage in enumerate(passages) if passage.eligible]
    first = max(eligible, key=scores.__getitem__, default=0)
    best, covered = scores[first], rows[first]["covered"]
    line = RELEVANCE_BY_WORDS
    relevance: list[float] = []
    for row, score in zip(rows, scores, strict=True):
        logit = line["offset"] + line["best"] * best + UNASKED_FALL * min(score - best, 0.0)
        logit += sum(weight * row[name] for name, weight in line.items() if name in row)
        logit += line["best_covered"] * row["note"] * min(row["covered"] - covered, 0.0)
        logit = max(logit, LABELLED - LABELLED_SLOPE * (1 - row["labelled"])) + IDLE * row["idle"]
        relevance.append(1 / (1 + math.exp(-min(60.0, max(-60.0, logit)))))
    return Likely(scores, relevance)


def _score(row: dict[str, float]) -> float:
    kind = NOTE_BY_WORDS if row["note"] else TALK_BY_WORDS
    return sum(
        term.weight * (row[name] - term.mean) / term.deviation
        for model in (kind, BY_HAND)
        for name, term in model.items()
        if name in row
    )


def rarity(query: Query, counts: TermCounts) -> list[float]:
    """Return the weight of each term: rare ones tell passages apart, unknown ones most of all."""
    return [math.log(1 + (counts.passages - counts.of(term) + 0.5) / (counts.of(term) + 0.5)) for term in query.terms]


def surroundings(passages: Sequence[Passage]) -> Surroundings:
    """Return the neighbours of each passage among `passages`, which are in order of place."""
    groups: dict[object, list[int]] = {}
    # Sessions that were held at the same time stand interleaved: a neighbour is the next one of the same session.
    for place, passage in enumerate(passages):
        groups.setdefault(passage.session_id or passage.seq, []).append(place)
    found = Surroundings(*([-1] * len(passages) for _ in range(5)))
    for number, places in enumerate(groups.values()):
        for at, place in enumerate(places):
            found.group[place] = number
            for there, step in ((found.after, 1), (found.after2, 2)):
                if at + step < len(places):
                    there[place] = places[at + step]
            for there, step in ((found.before, 1), (found.before2, 2)):
                if at >= step:
                    there[place] = places[at - step]
    return found


def signals(
    query: Query, passages: Sequence[Passage], counts: TermCounts, around: Surroundings
) -> dict[str, list[float]]:
    """Return each signal that needs no vector, as a list over the passages."""
    every = len(passages)
    weights = rarity(query, counts)
    dated = _dated(query, passages)
    held = _held(query, passages, dated)
    authors = counts.authors.intersection(query.name_terms)
    topic = [0.0 if term in authors else weight for term, weight in zip(query.terms, weights, strict=True)]
    columns = _words(passages, held, weights, topic, around)
    columns |= _people(passages, authors)
    columns |= _form(query, passages, around)
    note, reply = _kinds(passages)
    timely = query.time_terms if any(dated) else frozenset()
    known = sum(
        weight for term, weight in zip(query.terms, weights, strict=True) if term in counts.known or term in timely
    )
    # A question about names none of which was ever heard of here has no answer here, whatever else it is like.
    heard = not query.sure_names or not counts.known.isdisjoint(query.sure_names)
    # How well the best candidate covers the question says how far words can be trusted.
    eligible = [place for place, row in enumerate(passages) if row.eligible]
    pairs, share = _pairs(query, passages, held, weights), columns["words_share"]
    sure = max(0.0, max((share[place] for place in eligible), default=0.0) - SURE_WORDS)
    return columns | {
        **_changes(query, passages, held, weights),
        "note": [float(each) for each in note],
        "asked_note": [
            float(each and query.is_question and row.session_id is None)
            for each, row in zip(note, passages, strict=True)
        ],
        "reply": [float(each) for each in reply],
        "reply_words": reply_gains(passages, reply, columns["words"]),
        "eligible": [float(passage.eligible) for passage in passages],
        "dated": dated,
        "labelled": _labelled(query, passages, weights),
        "pairs": pairs,
        "words_sure": [max(0.0, value - SURE_WORDS) for value in share],
        "pairs_sure": [sure * value for value in pairs],
        "known": [known / max(sum(weights), 1e-9)] * every,
        "heard": [float(heard)] * every,
        "idle": [float(query.idle)] * every,
        "best_covered": [max((columns["covered"][place] for place in eligible), default=0.0)] * every,
        "opens_session": [
            float(before < 0 and passage.session_id is not None)
            for passage, before in zip(passages, around.before, strict=True)
        ],
    }


# --- words ---


def _held(query: Query, passages: Sequence[Passage], dated: Sequence[float]) -> list[Counts]:
    """Return the term counts of each passage, by the place of a term in the question.

    The words of a time are held by what is from that time, not by what has the same words: "last week" was another.
    """
    place_of = {term: place for place, term in enumerate(query.terms)}
    saying_when = [place for term, place in place_of.items() if term in query.time_terms] if query.times else []
    rows: list[Counts] = []
    for passage, when in zip(passages, dated, strict=True):
        row: Counts = {}
        for token in filter(place_of.__contains__, passage.tokens):
            place = place_of[token]
            row[place] = row.get(place, 0) + 1
        for place in saying_when:
            times = int(when == 1.0)
            times = times if passage.shape.times is not None else max(row.get(place, 0), times)
            row.pop(place, None)
            if times:
                row[place] = times
        # In a fixed order: two passages with the same words have exactly the same score.
        rows.append(dict(sorted(row.items())) if len(row) > 1 else row)
    return rows


def _words(
    passages: Sequence[Passage], held: list[Counts], weights: list[float], topic: list[float], around: Surroundings
) -> dict[str, list[float]]:
    """Return the signals of words; topic: the weights of terms without those of authors."""
    lengths = [max(1, len(passage.tokens)) for passage in passages]
    near, near_lengths = _joined(held, held, around.before, around.after), _added(lengths, lengths, around)
    wide = _joined(near, held, around.before2, around.after2)
    wide_lengths = _added(near_lengths, lengths, around._replace(before=around.before2, after=around.after2))
    plain, covered = bm25(held, lengths, weights), _covered(held, weights)
    most_words = max((K1 + 1) * sum(weights), 1e-9)
    share = [value / most_words for value in plain]
    alone = relative(plain)
    widely, covered_around = relative(bm25(wide, wide_lengths, weights)), _covered(wide, weights)
    best: dict[int, float] = {}
    for group, value in zip(around.group, widely, strict=True):
        best[group] = max(best.get(group, -math.inf), value)
    most = max(max(weights, default=0.0), 1e-9)
    return {
        "words": alone,
        "words_share": share,
        "words_near": relative(bm25(near, near_lengths, weights)),
        "words_around": widely,
        "words_before": _at(alone, around.before),
        "words_after": _at(alone, around.after),
        "covered": covered,
        "covered_squared": [value**2 for value in covered],
        "covered_around": covered_around,
        "covered_around_squared": [value**2 for value in covered_around],
        "topic_around": _covered(wide, topic),
        "rarest": [max([weights[place] for place in row]) / most if row else 0.0 for row in held],
        "session_words": [best[group] for group in around.group],
    }


def _joined(rows: list[Counts], held: list[Counts], before: list[int], after: list[int]) -> list[Counts]:
    """Return the terms of each row together with those that its neighbours hold."""
    # A neighbour that is not there has the place -1.
    padded: list[Counts] = [*held, {}]
    windows: list[Counts] = []
    for row, left, right in zip(rows, before, after, strict=True):
        if padded[left] or padded[right]:
            row = dict(row)
            for neighbour in (padded[left], padded[right]):
                for term, times in neighbour.items():
                    row[term] = row.get(term, 0) + times
        windows.append(row)
    return windows


def _added(sums: list[int], lengths: list[int], around: Surroundings) -> list[int]:
    padded = [*lengths, 0]
    pairs = zip(sums, around.before, around.after, strict=True)
    return [length + padded[left] + padded[right] for length, left, right in pairs]


def _at(values: list[float], places: list[int]) -> list[float]:
    """Return the values at other places, 0 where there is none (-1)."""
    padded = [*values, 0.0]
    return [padded[place] for place in places]


def bm25(
    held: Sequence[Mapping[int, int]], lengths: Sequence[int], weights: list[float], *, k1: float = K1, b: float = B
) -> list[float]:
    """Return the BM25 score of each passage from its term counts."""
    mean = max(sum(lengths) / max(len(lengths), 1), 1e-9)
    scores: list[float] = []
    for row, length in zip(held, lengths, strict=True):
        score, saturation = 0.0, k1 * (1 - b + b * length / mean)
        for place, times in row.items():
            score += weights[place] * times * (k1 + 1) / (times + saturation)
        scores.append(score)
    return scores


def _covered(held: list[Counts], weights: list[float]) -> list[float]:
    """Return the share of the question, weighted by rarity, whose words are there."""
    total = sum(weights)
    return [sum([weights[place] for place in row]) / total if row and total else 0.0 for row in held]


def _changes(
    query: Query, passages: Sequence[Passage], held: list[Counts], weights: list[float]
) -> dict[str, list[float]]:
    """Return which passages are imported changes, and how much less of a question each covers than the best of them.

    A commit covers what its passages cover together; a line of a changelog is a change of its own.
    """
    kinds = [row.standing.tags[0] if row.standing.tags else "" for row in passages]
    is_change = [float(query.is_question and kind in (COMMIT, CHANGELOG)) for kind in kinds]
    if not any(is_change):
        return {"change": is_change, "change_covered": is_change}
    whole: dict[int, Counts] = {}
    for row, kind, own in zip(passages, kinds, held, strict=True):
        if kind == COMMIT:
            whole.setdefault(row.seq, {}).update(own)
    covered = _covered([whole.get(row.seq, own) for row, own in zip(passages, held, strict=True)], weights)
    rows = list(zip(passages, is_change, covered, strict=True))
    most = max((value for row, change, value in rows if change and row.eligible), default=0.0)
    return {"change": is_change, "change_covered": [change * (value - most) for _, change, value in rows]}


def relative(scores: list[float]) -> list[float]:
    """Return scores as shares of the highest."""
    best = max(scores, default=0.0)
    return [score / best for score in scores] if best > 0 else scores


def _pairs(query: Query, passages: Sequence[Passage], held: list[Counts], weights: list[float]) -> list[float]:
    """Return the share of neighbouring words of the question that are neighbours in the passage."""
    weight = dict(zip(query.terms, weights, strict=True))
    worth = {pair: weight.get(pair[0], 1.0) + weight.get(pair[1], 1.0) for pair in query.pairs}
    total = sum(worth.values()) or 1.0
    return [
        sum(worth[pair] for pair in query.pairs.intersection(pairwise(passage.tokens))) / total if len(row) > 1 else 0.0
        for passage, row in zip(passages, held, strict=True)
    ]


# --- people ---


def _people(passages: Sequence[Passage], named: frozenset[str]) -> dict[str, list[float]]:
    """Return the signals that compare the authors named in the question with those of passages."""
    by_named = [float(not named.isdisjoint(passage.author)) for passage in passages]
    first = [float(passage.shape.first_person) for passage in passages]
    return {
        "author_named": by_named,
        "author_not_named": [float(bool(named)) * (1 - value) for value in by_named],
        "first_person": first,
        "author_of_self": [one * other for one, other in zip(by_named, first, strict=True)],
    }


def _kinds(passages: Sequence[Passage]) -> tuple[list[bool], list[bool]]:
    """Return which passages are notes, and which are replies of an assistant to a person.

    All others are talk: a turn between people, or a part of a long text.
    """
    assistant = [not _ASSISTANT_TERMS.isdisjoint(passage.author) for passage in passages]
    turn = [bool(passage.author) and passage.session_id is not None for passage in passages]
    with_assistant = {row.session_id for row, helps in zip(passages, assistant, strict=True) if helps}
    rows = list(zip(passages, assistant, turn, strict=True))
    with_person = {row.session_id for row, helps, is_turn in rows if is_turn and not helps}
    return (
        [row.session_id in with_assistant or not (is_turn or row.shape.parts > 1) for row, _, is_turn in rows],
        [is_turn and helps and row.session_id in with_person for row, helps, is_turn in rows],
    )


def reply_gains(passages: Sequence[Passage], reply: Sequence[float | bool], values: Sequence[float]) -> list[float]:
    """Return by how much a reply exceeds the turn that it answers, at that turn."""
    gains = [0.0] * len(passages)
    for place, turn in _answered(passages, reply):
        for asked in turn:
            gains[asked] = max(gains[asked], values[place] - values[asked])
    return gains


def _answered(passages: Sequence[Passage], reply: Sequence[float | bool]) -> Iterator[tuple[int, list[int]]]:
    """Yield the place of each reply with the places of the turn that it answers."""
    turns: dict[str | None, list[int]] = {}
    for place, passage in enumerate(passages):
        turn = turns.setdefault(passage.session_id, [])
        if reply[place]:
            yield place, turn
            continue
        if turn and passages[turn[0]].memory_id != passage.memory_id:
            turn.clear()
        turn.append(place)


# --- form ---


def _form(query: Query, passages: Sequence[Passage], around: Surroundings) -> dict[str, list[float]]:
    """Return the signals for the form of an answer: a time for "when", a number for "how many"."""
    shapes = [passage.shape for passage in passages]
    asks = [float(shape.asks) for shape in shapes]
    return {
        "asks": asks,
        "follows_question": _at(asks, around.before),
        "length": [math.log1p(shape.characters) for shape in shapes],
        "length_short": [min(shape.characters, 400) / 400 for shape in shapes],
        "tells_time": [float(query.wants_time and shape.tells_time) for shape in shapes],
        "tells_number": [float(query.wants_number and shape.tells_number) for shape in shapes],
        "tells_reason": [float(query.wants_reason and shape.tells_reason) for shape in shapes],
        "tells_name": [float(query.wants_name) * shape.names / 3 for shape in shapes],
    }


# --- tags ---


def _labelled(query: Query, passages: Sequence[Passage], weights: list[float]) -> list[float]:
    """Return the share of the question, by rarity, that names tags of each memory."""
    words = frozenset(query.terms)
    total = max(sum(weights), 1e-9)
    weight = {term: value / total for term, value in zip(query.terms, weights, strict=True)}
    return [
        sum(weight[term] for term in frozenset().union(*named_tags(passage.standing.tags, words)))
        if passage.standing.tags
        else 0.0
        for passage in passages
    ]


def named_tags(tags: tuple[str, ...], words: frozenset[str]) -> list[frozenset[str]]:
    """Return, for each tag that a question names, the terms of the question that name it."""
    tags = given_tags(tags)
    if words.isdisjoint(_terms_of_all(tags)):
        return []
    return [words & _tag_terms(tag) for tag in tags if any(wanted <= words for wanted in _spellings(tag))]


@lru_cache(maxsize=TAG_CACHE)
def _terms_of_all(tags: tuple[str, ...]) -> frozenset[str]:
    return frozenset().union(*map(_tag_terms, tags))


@lru_cache(maxsize=TAG_CACHE)
def _tag_terms(tag: str) -> frozenset[str]:
    return frozenset(terms(tag)).union(*_spellings(tag))


@lru_cache(maxsize=TAG_CACHE)
def _spellings(tag: str) -> tuple[frozenset[str], ...]:
    """Return the terms that name a tag, as written or in parts; of `key:value` the value."""
    value = tag.partition(":")[2] or tag
    written = (frozenset(terms(value)), frozenset(terms(_TAG_JOINT.sub(" ", value))))
    return tuple(wanted for wanted in dict.fromkeys(written) if wanted)


# --- time ---


def _dated(query: Query, passages: Sequence[Passage]) -> list[float]:
    """Return 1 for a passage that is from the time in the question, or names a day of it."""
    if not (query.times or query.years):
        return [0.0] * len(passages)
    spans: list[tuple[float, int, int]] = []
    for span in query.times:
        spans.append((1.0, span.start // DAY, span.end // DAY))
        if not span.relative:
            named = date_of(span.start // DAY + EPOCH)
            first, end = months(named.year, named.month)
            spans.append((SAME_MONTH, first - EPOCH, end - EPOCH))
    days = [passage.at // DAY for passage in passages]
    return [
        1.0
        if _names_a_day(query, passage) or _is_from(query, passage)
        else max((value for value, first, end in spans if first <= day < end), default=0.0)
        for passage, day in zip(passages, days, strict=True)
    ]


def _is_from(query: Query, passage: Passage) -> bool:
    """Tell whether a passage is from a month named without a year, or from a bare year."""
    any_year = {month for year, month in query.months if year is None}
    if not any_year and (query.times or not query.years):
        return False
    year, month = passage.year_month()
    return month in any_year or (not query.times and year in query.years)


def _names_a_day(query: Query, passage: Passage) -> bool:
    """Tell whether a passage names a day of the time in the question; "last year" names none."""
    return any(
        start * DAY < span.end
        and span.start < stop * DAY
        and (stop - start) * DAY <= max(span.end - span.start, LONGEST_MENTION * DAY)
        for start, stop in passage.shape.times or ()
        for span in query.times
    )

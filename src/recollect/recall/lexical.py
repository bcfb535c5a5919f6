"""Lexical: how likely passages answer a question, by words alone and without numpy.

The same signals (measure.py), weights and line (weights.py, score.py) as a recall without vectors, for a process that
has a tenth of a second in all and would spend it on loading numpy. A test holds both to the same numbers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from recollect.recall.query import Query
from recollect.recall.speaker import answered, spoken
from recollect.recall.tag import named
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

if TYPE_CHECKING:
    from recollect.store.protocol import Passage, TermCounts

# As in measure.py, which has the reasons; a test compares them.
K1 = 0.9
B = 0.4
SAME_MONTH = 0.5

Counts = dict[int, int]


class Likely(NamedTuple):
    """The scores of passages, by place, and how likely each is relevant."""

    scores: list[float]
    relevance: list[float]


class _Around(NamedTuple):
    """The places of the neighbours of a passage in its session or text, nearest first; and which of those it is in."""

    before: tuple[int, ...]
    after: tuple[int, ...]
    group: object


def likely(query: Query, passages: Sequence[Passage], counts: TermCounts) -> Likely:
    """Return score and relevance of each passage; passages are in order of place."""
    if not passages:
        return Likely([], [])
    columns = _signals(query, passages, counts)
    rows = [{name: column[place] for name, column in columns.items()} for place in range(len(passages))]
    scores = [_score(row) for row in rows]
    eligible = [place for place, passage in enumerate(passages) if passage.eligible]
    first = max(eligible, key=scores.__getitem__, default=0)
    best, covered = scores[first], rows[first]["covered"]
    line = RELEVANCE_BY_WORDS
    answered = line["offset"] + line["best"] * best
    relevance: list[float] = []
    for row, score in zip(rows, scores, strict=True):
        logit = answered + UNASKED_FALL * min(score - best, 0.0)
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
    """Return the weight of each term of a question: rare ones tell passages apart."""
    return [math.log(1 + (counts.passages - counts.of(term) + 0.5) / (counts.of(term) + 0.5)) for term in query.terms]


def _signals(query: Query, passages: Sequence[Passage], counts: TermCounts) -> dict[str, list[float]]:
    around = _surroundings(passages)
    weights = rarity(query, counts)
    dated = [_dated(query, passage) for passage in passages]
    held = _held(query, passages, dated)
    columns = _words(passages, held, weights, around)
    columns |= _people(query, passages, counts, held, weights, around)
    columns |= _wanted(query, passages, around)
    kinds = spoken(passages)
    columns |= {"note": [float(each) for each in kinds.note], "reply": [float(each) for each in kinds.reply]}
    total = max(sum(weights), 1e-9)
    timely = query.time_terms if any(dated) else frozenset()
    known = sum(
        weight for term, weight in zip(query.terms, weights, strict=True) if term in counts.known or term in timely
    )
    heard = not query.sure_names or not counts.known.isdisjoint(query.sure_names)
    every = len(passages)
    columns |= {
        "dated": dated,
        "labelled": _labelled(query, passages, weights),
        "opens_session": [
            float(not near.before and passage.session_id is not None)
            for passage, near in zip(passages, around, strict=True)
        ],
        "known": [known / total] * every,
        "heard": [float(heard)] * every,
        "idle": [float(query.idle)] * every,
        "pairs": _pairs(query, passages, held, weights),
    }
    eligible = (value for value, row in zip(columns["covered"], passages, strict=True) if row.eligible)
    columns["best_covered"] = [max(eligible, default=0.0)] * every
    columns["reply_words"] = _replies(passages, kinds.reply, columns["words"])
    return columns


def _replies(passages: Sequence[Passage], reply: Sequence[bool], words: Sequence[float]) -> list[float]:
    gains = [0.0] * len(passages)
    for place, turn in answered(passages, reply):
        for asked in turn:
            gains[asked] = max(gains[asked], words[place] - words[asked])
    return gains


def _surroundings(passages: Sequence[Passage]) -> list[_Around]:
    groups: dict[object, list[int]] = {}
    for place, passage in enumerate(passages):
        groups.setdefault(passage.session_id or passage.seq, []).append(place)
    found: dict[int, _Around] = {}
    for name, places in groups.items():
        for number, place in enumerate(places):
            before = tuple(reversed(places[max(0, number - 2) : number]))
            found[place] = _Around(before, tuple(places[number + 1 : number + 3]), name)
    return [found[place] for place in range(len(passages))]


def _held(query: Query, passages: Sequence[Passage], dated: Sequence[float]) -> list[Counts]:
    """Return how often each passage holds each term that it holds, by the term's place in the question."""
    place_of = {term: place for place, term in enumerate(query.terms)}
    saying_when = [place for term, place in place_of.items() if term in query.time_terms] if query.times else []
    rows: list[Counts] = []
    for passage, when in zip(passages, dated, strict=True):
        row: Counts = {}
        for token in passage.tokens:
            place = place_of.get(token)
            if place is not None:
                row[place] = row.get(place, 0) + 1
        for place in saying_when:
            times = int(when == 1.0)
            times = times if passage.shape.times is not None else max(row.get(place, 0), times)
            row.pop(place, None)
            if times:
                row[place] = times
        rows.append(row)
    return rows


def _words(
    passages: Sequence[Passage], held: list[Counts], weights: list[float], around: list[_Around]
) -> dict[str, list[float]]:
    lengths = [max(1, len(passage.tokens)) for passage in passages]
    near = [_joined(held, place, each, 1) for place, each in enumerate(around)]
    wide = [_joined(held, place, each, 2) for place, each in enumerate(around)]
    length1 = [_summed(lengths, place, each, 1) for place, each in enumerate(around)]
    length2 = [_summed(lengths, place, each, 2) for place, each in enumerate(around)]
    plain = _bm25(held, lengths, weights)
    most_words = max((K1 + 1) * sum(weights), 1e-9)
    alone = _relative(plain)
    widely = _relative(_bm25(wide, length2, weights))
    covered, covered2 = _covered(held, weights), _covered(wide, weights)
    best: dict[object, float] = {}
    for each, value in zip(around, widely, strict=True):
        best[each.group] = max(best.get(each.group, -math.inf), value)
    most = max(max(weights, default=0.0), 1e-9)
    return {
        "words": alone,
        "words_share": [value / most_words for value in plain],
        "words_near": _relative(_bm25(near, length1, weights)),
        "words_around": widely,
        "words_before": [alone[each.before[0]] if each.before else 0.0 for each in around],
        "words_after": [alone[each.after[0]] if each.after else 0.0 for each in around],
        "covered": covered,
        "covered_squared": [value**2 for value in covered],
        "covered_around": covered2,
        "covered_around_squared": [value**2 for value in covered2],
        "rarest": [max((weights[place] for place in row), default=0.0) / most for row in held],
        "session_words": [best[each.group] for each in around],
    }


def _people(
    query: Query,
    passages: Sequence[Passage],
    counts: TermCounts,
    held: list[Counts],
    weights: list[float],
    around: list[_Around],
) -> dict[str, list[float]]:
    named_ones = counts.authors.intersection(query.name_terms)
    by_named = [float(bool(named_ones.intersection(passage.author))) for passage in passages]
    first = [float(passage.shape.first_person) for passage in passages]
    topic = {place for place, term in enumerate(query.terms) if term not in named_ones}
    total = sum(weights[place] for place in topic)
    windows = [_joined(held, place, each, 2) for place, each in enumerate(around)]
    return {
        "author_named": by_named,
        "author_not_named": [float(bool(named_ones)) * (1 - value) for value in by_named],
        "first_person": first,
        "author_of_self": [one * other for one, other in zip(by_named, first, strict=True)],
        "topic_around": [
            sum(weights[place] for place in row if place in topic) / total if total else 0.0 for row in windows
        ],
    }


def _wanted(query: Query, passages: Sequence[Passage], around: list[_Around]) -> dict[str, list[float]]:
    shapes = [passage.shape for passage in passages]
    asks = [float(shape.asks) for shape in shapes]
    return {
        "asks": asks,
        "follows_question": [asks[each.before[0]] if each.before else 0.0 for each in around],
        "length": [math.log1p(shape.characters) for shape in shapes],
        "length_short": [min(shape.characters, 400) / 400 for shape in shapes],
        "tells_time": [float(query.wants_time and shape.tells_time) for shape in shapes],
        "tells_number": [float(query.wants_number and shape.tells_number) for shape in shapes],
        "tells_reason": [float(query.wants_reason and shape.tells_reason) for shape in shapes],
        "tells_name": [float(query.wants_name) * shape.names / 3 for shape in shapes],
    }


def _labelled(query: Query, passages: Sequence[Passage], weights: list[float]) -> list[float]:
    words = frozenset(query.terms)
    total = max(sum(weights), 1e-9)
    weight = {term: value / total for term, value in zip(query.terms, weights, strict=True)}
    return [
        sum(weight[term] for term in frozenset().union(*named(passage.standing.tags, words)))
        if passage.standing.tags
        else 0.0
        for passage in passages
    ]


def _pairs(query: Query, passages: Sequence[Passage], held: list[Counts], weights: list[float]) -> list[float]:
    weight = dict(zip(query.terms, weights, strict=True))
    worth = {pair: weight.get(pair[0], 1.0) + weight.get(pair[1], 1.0) for pair in query.pairs}
    total = sum(worth.values()) or 1.0
    return [
        sum(worth[pair] for pair in query.pairs.intersection(pairwise(passage.tokens))) / total if len(row) > 1 else 0.0
        for passage, row in zip(passages, held, strict=True)
    ]


def _dated(query: Query, passage: Passage) -> float:
    """Return whether a passage is from the time that the question names, or names a day of it itself."""
    if not (query.times or query.years):
        return 0.0
    found, day = 0.0, passage.at // DAY
    for span in query.times:
        if not span.relative:
            said = date_of(span.start // DAY + EPOCH)
            first, end = (each - EPOCH for each in months(said.year, said.month))
            if first <= day < end:
                found = max(found, SAME_MONTH)
        if span.start // DAY <= day < span.end // DAY:
            found = 1.0
    if found < 1.0 and (_names_a_day(query, passage) or _is_from(query, passage)):
        return 1.0
    return found


def _is_from(query: Query, passage: Passage) -> bool:
    any_year = {month for year, month in query.months if year is None}
    if not any_year and (query.times or not query.years):
        return False
    year, month = passage.year_month()
    return month in any_year or (not query.times and year in query.years)


def _names_a_day(query: Query, passage: Passage) -> bool:
    return any(
        start * DAY < span.end
        and span.start < stop * DAY
        and (stop - start) * DAY <= max(span.end - span.start, LONGEST_MENTION * DAY)
        for start, stop in passage.shape.times or ()
        for span in query.times
    )


def _joined(held: list[Counts], place: int, around: _Around, reach: int) -> Counts:
    row = dict(held[place])
    for other in (*around.before[:reach], *around.after[:reach]):
        for term, times in held[other].items():
            row[term] = row.get(term, 0) + times
    return row


def _summed(values: Sequence[int], place: int, around: _Around, reach: int) -> int:
    return values[place] + sum(values[other] for other in (*around.before[:reach], *around.after[:reach]))


def _bm25(held: list[Counts], lengths: Sequence[int], weights: list[float]) -> list[float]:
    mean = max(sum(lengths) / len(lengths), 1e-9)
    return [
        sum(
            weights[place] * times * (K1 + 1) / (times + K1 * (1 - B + B * length / mean))
            for place, times in row.items()
        )
        for row, length in zip(held, lengths, strict=True)
    ]


def _covered(held: list[Counts], weights: list[float]) -> list[float]:
    total = sum(weights)
    return [sum(weights[place] for place in row) / total if total else 0.0 for row in held]


def _relative(scores: list[float]) -> list[float]:
    best = max(scores, default=0.0)
    return [score / best for score in scores] if best > 0 else scores

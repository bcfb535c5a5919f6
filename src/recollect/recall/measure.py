"""Measure: every signal that tells a relevant passage from an irrelevant one, as one matrix.

Signals are scale-free, so that the same weights serve a store of ten memories and of a hundred thousand: shares of the
question's words (weighted by rarity), scores relative to the best candidate, cosines as they are, yes and no.

A passage is read together with its neighbours, the ones before and after it in the same text or session, because what
a question asks for is often said over two turns: windows find the place, the single passage is the answer.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from recollect.recall.query import Query
from recollect.recall.speaker import answered, spoken
from recollect.recall.tag import named
from recollect.store.protocol import Passage, TermCounts
from recollect.text.dates import DAY
from recollect.text.days import EPOCH, LONGEST_MENTION, date_of, months

Column = NDArray[np.float64]

# BM25's saturation and length normalisation. Turns and notes are short, so length matters less than in documents.
K1 = 0.9
B = 0.4

# A passage from the month of the day that is asked about is halfway there: things are told days later.
SAME_MONTH = 0.5

# Signals that need a vector; a lexical recall goes without them.
SEMANTIC = frozenset(
    "cosine cosine_relative cosine_z cosine_alone cosine_window cosine_before cosine_after session_cosine "
    "answers_similar both reply_cosine best_cosine".split()
)


class Surroundings(NamedTuple):
    """Where the neighbours of each candidate stand in the list of passages: -1 where there is none."""

    before: NDArray[np.int64]
    after: NDArray[np.int64]
    before2: NDArray[np.int64]
    after2: NDArray[np.int64]
    group: NDArray[np.int64]


def surroundings(passages: Sequence[Passage]) -> Surroundings:
    """Return the neighbours of each passage among `passages`, which are in order of place."""
    groups = [passage.session_id or passage.seq for passage in passages]
    number = {name: position for position, name in enumerate(dict.fromkeys(groups))}
    group = np.array([number[name] for name in groups], np.int64)
    count = len(passages)
    # Sessions that were held at the same time stand interleaved: a neighbour is the next one of the same session.
    together = np.argsort(group, kind="stable")
    position = np.empty(count, np.int64)
    position[together] = np.arange(count)

    def shifted(step: int) -> NDArray[np.int64]:
        inside = (position + step >= 0) & (position + step < count)
        there = together[np.where(inside, position + step, 0)]
        return np.where(inside & (group[there] == group), there, -1)

    return Surroundings(shifted(-1), shifted(1), shifted(-2), shifted(2), group)


def measure(
    query: Query,
    passages: Sequence[Passage],
    counts: TermCounts,
    cosines: Mapping[int, float] | None,
) -> dict[str, Column]:
    """Return each signal as a column over the passages.

    passages: candidates and their neighbours, in order of place. cosines: by passage; None for a lexical recall.
    """
    around = surroundings(passages)
    weights = rarity(query, counts)
    dated = _dated(query, passages)
    frequency = _frequency(query, passages, dated)
    lengths = np.array([max(1, len(passage.tokens)) for passage in passages], np.float64)
    eligible = np.array([passage.eligible for passage in passages], bool)
    columns = _lexical(frequency, lengths, weights, around)
    kinds = spoken(passages)
    columns |= {"note": np.array(kinds.note, float), "reply": np.array(kinds.reply, float)}
    columns["eligible"] = eligible.astype(float)
    columns |= _people(query, passages, counts.authors, frequency, weights, around)
    columns |= _wanted(query, passages, around)
    columns["dated"] = dated
    columns["labelled"] = _labelled(query, passages, weights)
    in_session = np.array([passage.session_id is not None for passage in passages], bool)
    columns["opens_session"] = ((around.before < 0) & in_session).astype(float)
    timely = query.time_terms if dated.any() else frozenset()
    known = np.array([term in counts.known or term in timely for term in query.terms], bool)
    columns["known"] = np.full(len(passages), weights[known].sum() / max(weights.sum(), 1e-9))
    # A question about names none of which was ever heard of here has no answer here, whatever else it is like.
    heard = not query.sure_names or not counts.known.isdisjoint(query.sure_names)
    columns["heard"] = np.full(len(passages), float(heard))
    columns["idle"] = np.full(len(passages), float(query.idle))
    columns["pairs"] = _pairs(query, passages, frequency, weights)
    # How well the best candidate covers the question says how far words can be trusted.
    covered = columns["covered"][eligible].max(initial=0.0)
    columns["best_covered"] = np.full(len(passages), covered)
    if cosines is not None:
        columns |= _semantic(passages, cosines, columns, around)
        columns["best_cosine"] = np.full(len(passages), columns["cosine"][eligible].max(initial=0.0))
    columns |= _replies(passages, kinds.reply, columns)
    return columns


def _replies(passages: Sequence[Passage], reply: Sequence[bool], columns: Mapping[str, Column]) -> dict[str, Column]:
    """How much better an assistant's reply matches than the turn that it answers; 0 where there is no reply."""
    measured = {name: columns[name] for name in ("words", "cosine") if name in columns}
    gains = {f"reply_{name}": np.zeros(len(passages)) for name in measured}
    for place, turn in answered(passages, reply):
        for name, column in measured.items():
            gain = gains[f"reply_{name}"]
            gain[turn] = np.maximum(gain[turn], column[place] - column[turn])
    return gains


def _frequency(query: Query, passages: Sequence[Passage], dated: Column) -> Column:
    """Return how often each passage holds each term, in one walk over its tokens: questions can be very long.

    The words of a time are held by what is from that time, not by what has the same words: "last week" was another.
    """
    place_of = {term: place for place, term in enumerate(query.terms)}
    frequency = np.zeros((len(passages), len(query.terms)))
    for row, passage in enumerate(passages):
        for token in filter(place_of.__contains__, passage.tokens):
            frequency[row, place_of[token]] += 1
    if query.times:
        saying_when = [place for term, place in place_of.items() if term in query.time_terms]
        looked = np.array([passage.shape.times is not None for passage in passages], bool)
        held = (dated == 1.0)[:, None]
        frequency[:, saying_when] = np.where(looked[:, None], held, np.maximum(frequency[:, saying_when], held))
    return frequency


def rarity(query: Query, counts: TermCounts) -> Column:
    """Return the weight of each term: rare ones tell passages apart, a term nobody ever used most of all."""
    return np.array(
        [math.log(1 + (counts.passages - counts.of(term) + 0.5) / (counts.of(term) + 0.5)) for term in query.terms]
    )


def _lexical(frequency: Column, lengths: Column, rarity: Column, around: Surroundings) -> dict[str, Column]:
    window1 = frequency + _at(frequency, around.before) + _at(frequency, around.after)
    window2 = window1 + _at(frequency, around.before2) + _at(frequency, around.after2)
    length1 = lengths + _at(lengths, around.before) + _at(lengths, around.after)
    length2 = length1 + _at(lengths, around.before2) + _at(lengths, around.after2)
    plain = _bm25(frequency, lengths, rarity)
    alone = _relative(plain)
    share = plain / max((K1 + 1) * rarity.sum(), 1e-9)
    wide = _relative(_bm25(window2, length2, rarity))
    covered = _covered(frequency, rarity)
    covered2 = _covered(window2, rarity)
    return {
        "words": alone,
        "words_share": share,
        "words_share_squared": share**2,
        "words_near": _relative(_bm25(window1, length1, rarity)),
        "words_around": wide,
        "words_before": _at(alone, around.before),
        "words_after": _at(alone, around.after),
        "covered": covered,
        "covered_squared": covered**2,
        "covered_around": covered2,
        "covered_around_squared": covered2**2,
        "rarest": (np.where(frequency > 0, rarity, 0.0).max(axis=1, initial=0.0) / max(rarity.max(initial=0.0), 1e-9)),
        "session_words": _best_in_group(wide, around.group),
    }


def _people(
    query: Query,
    passages: Sequence[Passage],
    authors: frozenset[str],
    frequency: Column,
    rarity: Column,
    around: Surroundings,
) -> dict[str, Column]:
    """Who says it: the signals that compare the names in the question with the authors of passages."""
    named = authors.intersection(query.name_terms)
    by_named = np.array([float(bool(named.intersection(passage.author))) for passage in passages])
    first = np.array([float(passage.shape.first_person) for passage in passages])
    unnamed = np.array([term not in named for term in query.terms], bool)
    window = frequency + sum(
        _at(frequency, there) for there in (around.before, around.after, around.before2, around.after2)
    )
    return {
        "author_named": by_named,
        "author_not_named": float(bool(named)) * (1 - by_named),
        "first_person": first,
        "author_of_self": by_named * first,
        "topic_around": _covered(window[:, unnamed], rarity[unnamed]),
    }


def _wanted(query: Query, passages: Sequence[Passage], around: Surroundings) -> dict[str, Column]:
    """Whether a passage has the form of the answer: a time for when, a number for how many, a reason for why."""
    shapes = [passage.shape for passage in passages]
    asks = np.array([float(shape.asks) for shape in shapes])
    characters = np.array([shape.characters for shape in shapes], np.float64)
    return {
        "asks": asks,
        "follows_question": _at(asks, around.before),
        "length": np.log1p(characters),
        "length_short": np.minimum(characters, 400) / 400,
        "tells_time": np.array([float(query.wants_time and shape.tells_time) for shape in shapes]),
        "tells_number": np.array([float(query.wants_number and shape.tells_number) for shape in shapes]),
        "tells_reason": np.array([float(query.wants_reason and shape.tells_reason) for shape in shapes]),
        "tells_name": np.array([float(query.wants_name) * shape.names / 3 for shape in shapes]),
    }


def _labelled(query: Query, passages: Sequence[Passage], rarity: Column) -> Column:
    """Return how much of the question, by the rarity of its words, names tags of each passage's memory."""
    words = frozenset(query.terms)
    weight = dict(zip(query.terms, (rarity / max(rarity.sum(), 1e-9)).tolist(), strict=True))
    return np.array(
        [
            sum(weight[term] for term in frozenset().union(*named(passage.standing.tags, words)))
            if passage.standing.tags
            else 0.0
            for passage in passages
        ]
    )


def _semantic(
    passages: Sequence[Passage],
    cosines: Mapping[int, float],
    columns: Mapping[str, Column],
    around: Surroundings,
) -> dict[str, Column]:
    neutral = _closeness(passages, cosines, columns["covered"])
    spread = _standard(neutral)
    near = neutral + 0.5 * _at(neutral, around.before) + 0.5 * _at(neutral, around.after)
    return {
        "cosine": neutral,
        "cosine_relative": neutral / max(neutral.max(initial=0.0), 1e-6),
        "cosine_z": spread,
        "cosine_alone": neutral * (1 - columns["best_covered"]) ** 2,
        "cosine_window": _standard(near),
        "cosine_before": _at(spread, around.before),
        "cosine_after": _at(spread, around.after),
        "session_cosine": _best_in_group(neutral, around.group),
        "answers_similar": columns["follows_question"] * np.maximum(_at(spread, around.before), 0),
        "both": columns["words"] * np.maximum(spread, 0),
    }


def _closeness(passages: Sequence[Passage], cosines: Mapping[int, float], covered: Column) -> Column:
    """Return how near each passage is; one without a vector as near as those are that match as many words.

    Where none match as many, it is as near as the nearest. Taken for far away, what was stored a moment ago would rank
    below what it should rank above until its vector is made.
    """
    known = np.array([cosines.get(passage.pid, np.nan) for passage in passages])
    lacking = np.isnan(known)
    for place in np.flatnonzero(lacking).tolist():
        alike = ~lacking & (covered >= covered[place])
        known[place] = known[alike].mean() if alike.any() else known[~lacking].max(initial=0.0)
    return known


def _pairs(query: Query, passages: Sequence[Passage], frequency: Column, rarity: Column) -> Column:
    """Return the share of the question's neighbouring words that stand side by side in the passage too."""
    weight = dict(zip(query.terms, rarity, strict=True))
    worth = {pair: weight.get(pair[0], 1.0) + weight.get(pair[1], 1.0) for pair in query.pairs}
    total = sum(worth.values()) or 1.0
    shares = np.zeros(len(passages))
    for place in np.flatnonzero((frequency > 0).sum(axis=1) > 1).tolist():
        shared = query.pairs.intersection(pairwise(passages[place].tokens))
        shares[place] = sum(worth[pair] for pair in shared) / total
    return shares


def _dated(query: Query, passages: Sequence[Passage]) -> Column:
    """Return whether each passage is from the time that the question names, or names a day of it itself."""
    dated = np.zeros(len(passages))
    if not (query.times or query.years):
        return dated
    days = np.array([passage.at // DAY for passage in passages], np.int64)
    for span in query.times:
        if not span.relative:
            named = date_of(span.start // DAY + EPOCH)
            first, end = (day - EPOCH for day in months(named.year, named.month))
            near = (first <= days) & (days < end)
            dated[near] = np.maximum(dated[near], SAME_MONTH)
        dated[(span.start // DAY <= days) & (days < span.end // DAY)] = 1.0
    for place, passage in enumerate(passages):
        if dated[place] < 1.0 and (_names_a_day(query, passage) or _is_from(query, passage)):
            dated[place] = 1.0
    return dated


def _is_from(query: Query, passage: Passage) -> bool:
    """Tell whether a passage is from a month that is named without its year, or from a year that is hardly named."""
    any_year = {month for year, month in query.months if year is None}
    if not any_year and (query.times or not query.years):
        return False
    year, month = passage.year_month()
    return month in any_year or (not query.times and year in query.years)


def _names_a_day(query: Query, passage: Passage) -> bool:
    """Tell whether a passage names a day of the time asked about: "last year" names none in particular."""
    return bool(passage.shape.times) and any(
        start * DAY < span.end
        and span.start < stop * DAY
        and (stop - start) * DAY <= max(span.end - span.start, LONGEST_MENTION * DAY)
        for start, stop in passage.shape.times or ()
        for span in query.times
    )


def _bm25(frequency: Column, lengths: Column, rarity: Column) -> Column:
    relative = lengths / max(lengths.mean(), 1e-9)
    saturated = frequency * (K1 + 1) / (frequency + K1 * (1 - B + B * relative)[:, None])
    scores: Column = saturated @ rarity if len(rarity) else np.zeros(len(lengths))
    return scores


def _covered(frequency: Column, rarity: Column) -> Column:
    """Return the share of the question, weighted by rarity, whose words are there."""
    total = rarity.sum()
    if not total:
        return np.zeros(len(frequency))
    shares: Column = np.where(frequency > 0, rarity, 0.0).sum(axis=1) / total
    return shares


def _relative(scores: Column) -> Column:
    best = scores.max(initial=0.0)
    return scores / best if best > 0 else scores


def _standard(values: Column) -> Column:
    scaled: Column = (values - values.mean()) / (values.std() + 1e-9) if len(values) else values
    return scaled


def _best_in_group(values: Column, group: NDArray[np.int64]) -> Column:
    best = np.full(int(group.max(initial=-1)) + 1, -np.inf)
    np.maximum.at(best, group, values)
    found: Column = best[group]
    return found


def _at(values: NDArray[np.float64], places: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the values at other places, 0 where there is none."""
    there = values[places]
    return np.where((places >= 0).reshape(-1, *[1] * (values.ndim - 1)), there, 0.0)

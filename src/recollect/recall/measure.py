"""Measure: the signals of words and vectors as columns over a pool."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from recollect.recall import lexical
from recollect.recall.lexical import Surroundings
from recollect.recall.query import Query
from recollect.store.protocol import Passage, TermCounts

Column = NDArray[np.float64]

# Signals that need a vector; a lexical recall goes without them.
SEMANTIC = frozenset(
    "cosine cosine_relative cosine_z cosine_alone cosine_window cosine_before cosine_after session_cosine "
    "answers_similar both reply_cosine best_cosine even best_even".split()
)

# The deviation at the nearest note, in the median of the fitting half of bench/notes. Above it a match is uneven: the
# memory is near to some words of the question and far from the others.
USUALLY_UNEVEN = 0.026


def measure(
    query: Query,
    passages: Sequence[Passage],
    counts: TermCounts,
    cosines: Mapping[int, float] | None,
    uneven: Mapping[int, float] | None = None,
) -> dict[str, Column]:
    """Return each signal as a column over the passages.

    passages: candidates and their neighbours, in order of place. cosines: by passage; None for a lexical recall.
    uneven: by passage, how much the cosines of single words of the question deviate; None where that is unknown.
    """
    around = lexical.surroundings(passages)
    by_words = lexical.signals(query, passages, counts, around)
    columns = {name: np.array(values, np.float64) for name, values in by_words.items()}
    if cosines is not None:
        columns |= _semantic(passages, cosines, columns, around)
    if uneven is not None:
        columns |= _evenness(passages, uneven, columns)
    return columns


def _evenness(
    passages: Sequence[Passage], uneven: Mapping[int, float], columns: Mapping[str, Column]
) -> dict[str, Column]:
    """Return how evenly each passage matches the words of the question, and the nearest passage."""
    even = USUALLY_UNEVEN - np.array([uneven.get(passage.pid, USUALLY_UNEVEN) for passage in passages])
    nearest = int(np.argmax(np.where(columns["eligible"] > 0, columns["cosine"], -np.inf)))
    return {"even": even, "best_even": np.full(len(passages), even[nearest])}


def rarity(query: Query, counts: TermCounts) -> Column:
    """Return the weight of each term of a question (lexical.rarity) as a column."""
    return np.array(lexical.rarity(query, counts), np.float64)


def _semantic(
    passages: Sequence[Passage],
    cosines: Mapping[int, float],
    columns: Mapping[str, Column],
    around: Surroundings,
) -> dict[str, Column]:
    before, after, group = (np.array(each, np.int64) for each in (around.before, around.after, around.group))
    neutral = _closeness(passages, cosines, columns["covered"])
    spread = _standard(neutral)
    near = neutral + 0.5 * _at(neutral, before) + 0.5 * _at(neutral, after)
    best = neutral[columns["eligible"] > 0].max(initial=0.0)
    return {
        "cosine": neutral,
        "cosine_relative": neutral / max(neutral.max(initial=0.0), 1e-6),
        "cosine_z": spread,
        "cosine_alone": neutral * (1 - columns["best_covered"]) ** 2,
        "cosine_window": _standard(near),
        "cosine_before": _at(spread, before),
        "cosine_after": _at(spread, after),
        "session_cosine": _best_in_group(neutral, group),
        "answers_similar": columns["follows_question"] * np.maximum(_at(spread, before), 0),
        "both": columns["words"] * np.maximum(spread, 0),
        "best_cosine": np.full(len(passages), best),
        "reply_cosine": np.array(lexical.reply_gains(passages, columns["reply"].tolist(), neutral.tolist())),
    }


def _closeness(passages: Sequence[Passage], cosines: Mapping[int, float], covered: Column) -> Column:
    """Return the cosine of each passage, estimated for one without a vector.

    It is the mean of those that match as many words, or the highest if none does. With a low one, a memory that was
    stored a moment ago would rank too low until its vector is made.
    """
    known = np.array([cosines.get(passage.pid, np.nan) for passage in passages])
    lacking = np.isnan(known)
    for place in np.flatnonzero(lacking).tolist():
        alike = ~lacking & (covered >= covered[place])
        known[place] = known[alike].mean() if alike.any() else known[~lacking].max(initial=0.0)
    return known


def _standard(values: Column) -> Column:
    scaled: Column = (values - values.mean()) / (values.std() + 1e-9) if len(values) else values
    return scaled


def _best_in_group(values: Column, group: NDArray[np.int64]) -> Column:
    best = np.full(int(group.max(initial=-1)) + 1, -np.inf)
    np.maximum.at(best, group, values)
    found: Column = best[group]
    return found


def _at(values: Column, places: NDArray[np.int64]) -> Column:
    """Return the values at other places, 0 where there is none."""
    found: Column = np.where(places >= 0, values[places], 0.0)
    return found

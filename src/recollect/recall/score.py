"""Score and select: the signals of a pool, a linear model over them, relevance, and the best memories.

    score     = sum over signals of weight · (value - mean) / deviation, by the model of its kind: talk or note
    relevance = 1 / (1 + exp(-(offset + slope · best score + evidence - fall · (best score - score))))

The weights (weights.py) were fitted so that the right passage stands above the others of its pool. The line of the best
hit was fitted so that relevance is the probability that the question is answered at all, questions that have no answer
in the store included; the others fall from there by their distance, notes also by what they have less of cosine and
coverage. See docs/benchmarks.md for the corpora, the command and what each signal earns.

    passages by score ─► one per memory ─► similar pairs by terms ─► (their texts are read) ─► fold duplicates

Similarity by search terms is cheap. Only similar pairs need their texts to be compared (recollect.text.paraphrases).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from recollect.model import Branched
from recollect.recall import lexical, weights
from recollect.recall.gather import Pool
from recollect.recall.profiles import Profile
from recollect.recall.query import Query
from recollect.store.store_values import Passage, TermCounts

Column = NDArray[np.float64]

# Signals that need a vector; a lexical recall goes without them.
SEMANTIC = frozenset(
    "cosine cosine_relative cosine_z cosine_alone cosine_window cosine_before cosine_after session_cosine "
    "answers_similar both reply_cosine best_cosine best_either even".split()
)

# The deviation at the nearest note, in the median of the fitting half of bench/notes. Above it a match is uneven: the
# memory is near to some words of the question and far from the others.
USUALLY_UNEVEN = 0.026

# Of a question about notes the nearest one by meaning comes first, unless another has so much more of its neighbouring
# words or of all its words: single words mislead (hit@1 of paraphrased questions is that of the cosine, 9.6 and 12.1
# instead of 11.5 and 8.4 in the halves of bench/notes, and rare words stay at 100).
CLEARLY_WORDED, CLEARLY_COVERED, AHEAD = 0.1, 0.7, 0.01

# The cosine at which a stated preference answers a question about what the user wants with a probability of one half,
# the one for a question about what should be done, and how steeply that rises.
STATED_COSINE, RULE_COSINE, STATED_SLOPE = 0.245, 0.3, 20.0

# Among fewer passages words are known by chance, and there is little to hide: what is stored is shown sooner.
FEW = 40

# So much of a question, by the rarity of its words, names tags of one memory where it is a question for these tags.
ALL_TAGS = 0.9

# Which signal of a passage the best of all is of.
OWN = {"best_cosine": "cosine", "best_covered": "covered"}


class Scored(NamedTuple):
    """The scores of a pool, the share of each signal, and the relevance of each passage."""

    scores: Column
    shares: Mapping[str, Column]
    relevance: Column


class Ranking(NamedTuple):
    """A question with its scored pool: what the later stages and the explanation look at.

    fitted: the scores before the weights in force were applied; distances between them mean the same for everybody.
    closeness: cosines as the shipped model would have them, by passage.
    talk: the passages that are turns between people. answered: how likely the question is answered at all.
    branches: where memories were written that were not on the default branch, by their id. away: those of them, and
    of what replaced others, that are not merged here: on this branch they replace nothing.
    """

    query: Query
    pool: Pool
    scored: Scored
    fitted: Scored
    profile: Profile
    closeness: Mapping[int, float]
    mode: Literal["hybrid", "lexical"]
    notes: tuple[str, ...]
    talk: frozenset[int]
    answered: float
    branches: Mapping[str, Branched]
    away: frozenset[str] = frozenset()


# --- signals ---


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
        columns["even"] = USUALLY_UNEVEN - np.array([uneven.get(passage.pid, USUALLY_UNEVEN) for passage in passages])
    return columns


def _semantic(
    passages: Sequence[Passage],
    cosines: Mapping[int, float],
    columns: Mapping[str, Column],
    around: lexical.Surroundings,
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
        "best_either": 1 - (1 - best) * (1 - columns["best_covered"]),
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


# --- scores ---


def score(columns: Mapping[str, Column], *, unasked: bool = False) -> Scored:
    """Return the score of each passage; signals without a column do not count.

    unasked: relevance is that of context injected without a query
    """
    hybrid = not SEMANTIC.isdisjoint(columns)
    if not columns:
        return Scored(np.zeros(0), {}, np.zeros(0))
    note = columns["note"]
    asked = columns["asked_note"] if hybrid and "asked_note" in columns else np.zeros(len(note))
    shares: dict[str, Column] = {}
    for terms, kind in (
        (weights.TALK if hybrid else weights.TALK_BY_WORDS, 1 - note),
        (weights.NOTE if hybrid else weights.NOTE_BY_WORDS, note - asked),
        (weights.ASKED_NOTE, asked),
        (weights.BY_HAND, np.ones(len(note))),
    ):
        for name in terms.keys() & columns.keys():
            share = kind * _share(terms[name], columns[name])
            shares[name] = shares[name] + share if name in shares else share
    scores: Column = sum(shares.values(), np.zeros(len(note)))
    if asked.any() and "cosine" in columns:
        # Not among changes of a project: the nearest one is often about a sibling of what is asked about.
        shares["nearest"] = _nearest(scores, asked * columns["eligible"] * (1 - columns["change"]), columns)
        scores = scores + shares["nearest"]
    return Scored(scores, shares, _relevance(scores, columns, hybrid=hybrid, unasked=unasked))


def _nearest(scores: Column, among: Column, columns: Mapping[str, Column]) -> Column:
    """Return the points that put the nearest of these notes first; 0 where the words of another decide."""
    points = np.zeros(len(scores))
    first = int(np.argmax(np.where(columns["eligible"] > 0, scores, -np.inf)))
    nearest = int(np.argmax(np.where(among > 0, columns["cosine"], -np.inf)))
    limits = {"pairs": CLEARLY_WORDED, "covered": CLEARLY_COVERED}
    is_close = all(columns[name][first] - columns[name][nearest] < most for name, most in limits.items())
    if among[first] and nearest != first and is_close:
        points[nearest] = scores[first] - scores[nearest] + AHEAD
    return points


def _share(term: weights.Term, column: Column) -> Column:
    share: Column = term.weight * (column - term.mean) / term.deviation
    return share


def _relevance(scores: Column, columns: Mapping[str, Column], *, hybrid: bool, unasked: bool) -> Column:
    first = int(np.argmax(np.where(columns["eligible"] > 0, scores, -np.inf)))
    if unasked and hybrid and columns["note"][first] and "cosine" in columns:
        return _likely(_unasked(columns), columns)
    line = (
        (weights.NOTE_RELEVANCE if columns["note"][first] else weights.TALK_RELEVANCE)
        if hybrid
        else weights.RELEVANCE_BY_WORDS
    )
    fall = weights.UNASKED_FALL if unasked else np.where(columns["note"] > 0, weights.NOTE_FALL, weights.TALK_FALL)
    logits = line["offset"] + line["best"] * scores[first] + fall * np.minimum(scores - scores[first], 0.0)
    for name, weight in line.items():
        if name in OWN and OWN[name] in columns:
            # As much less as a note has less of it than the first hit; of a turn, part of it stands in others.
            own = columns[OWN[name]]
            logits = logits + weight * (columns[name] + columns["note"] * np.minimum(own - own[first], 0.0))
        elif name in columns:
            logits = logits + weight * columns[name]
    if hybrid and columns["note"][first] and "cosine" in columns:
        # What would be told unasked is an answer to who asks.
        logits = np.where(columns["note"] > 0, np.maximum(logits, _unasked(columns)), logits)
    return _likely(logits, columns)


def _unasked(columns: Mapping[str, Column]) -> Column:
    """Return the logits of unasked notes: near to the prompt, and nearer than other notes."""
    cosine = columns["cosine"]
    eligible = np.where(columns["eligible"] > 0, cosine, 0.0)
    best = int(np.argmax(eligible))
    others = np.full(len(cosine), eligible[best])
    others[best] = np.delete(eligible, best).max(initial=0.0)
    values = {"margin": cosine - others, **columns}
    logits: Column = sum(
        (weight * values[name] for name, weight in weights.UNASKED_NOTE.items() if name in values),
        np.full(len(cosine), weights.UNASKED_NOTE["offset"]),
    )
    return logits


def _likely(logits: Column, columns: Mapping[str, Column]) -> Column:
    """Return logits as probabilities, with tags and courtesy counted in."""
    if "labelled" in columns:
        logits = np.maximum(logits, weights.LABELLED - weights.LABELLED_SLOPE * (1 - columns["labelled"]))
    if "idle" in columns:
        logits = logits + weights.IDLE * columns["idle"]
    likely: Column = 1 / (1 + np.exp(-np.clip(logits, -60, 60)))
    return likely


def near_ones(scored: Scored, columns: Mapping[str, Column], enough: float = STATED_COSINE) -> Scored:
    """Return a pool of stated preferences, those near by meaning relevant whatever words they share.

    enough: the cosine for a probability of one half

    Of 14 questions that a preference answers, it has a cosine of 0.27 or more in 12; in 9 others none reaches 0.23.
    """
    if "cosine" not in columns:
        return scored
    near = 1 / (1 + np.exp(-STATED_SLOPE * (columns["cosine"] - enough)))
    return scored._replace(relevance=np.maximum(scored.relevance, near))


def answered(scored: Scored, columns: Mapping[str, Column]) -> float:
    """Return the probability that the question is answered at all.

    For a question about notes it has a line of its own; for a time, tags or words to look for, among few notes, and
    without vectors, it is the relevance of the best hit. It is 1 if the question names tags only.
    """
    eligible = columns["eligible"] > 0 if columns else np.zeros(0, np.bool_)
    if not eligible.any():
        return 0.0
    if "labelled" in columns and columns["labelled"][eligible].max() > ALL_TAGS:
        return 1.0
    first = int(np.argmax(np.where(eligible, scored.scores, -np.inf)))
    is_told = "best_either" in columns and columns["asked_note"][first] and eligible.sum() >= FEW
    if not is_told or columns["idle"][first] or columns["dated"].any() or columns["labelled"].any():
        return float(scored.relevance[eligible].max())
    logit = sum(weight * columns[name][first] for name, weight in weights.ANSWERED_NOTE.items() if name in columns)
    return float(1 / (1 + np.exp(-logit - weights.ANSWERED_NOTE["offset"])))


def ranked_after(core: Scored, places: NDArray[np.int64], wide: Scored) -> Scored:
    """Return a wide pool with the scores of its core, and everything else ranked after.

    So the first hits are the same however many are asked for. places: where the passages of the core are in the pool
    """
    rest = np.ones(len(wide.scores), bool)
    rest[places] = False
    scores, relevance = wide.scores.copy(), wide.relevance.copy()
    scores[rest] += core.scores.min(initial=0.0) - 1.0 - wide.scores[rest].max(initial=-np.inf) if rest.any() else 0.0
    relevance[rest] = np.minimum(relevance[rest], core.relevance.min(initial=1.0))
    scores[places], relevance[places] = core.scores, core.relevance
    shares = {name: column.copy() for name, column in wide.shares.items()}
    for name, column in core.shares.items():
        shares[name][places] = column
    return Scored(scores, shares, relevance)


# --- selection ---

# The share of common terms that makes passages similar. Tags and titles are terms too, so that copies of one sentence
# differ a little; the texts decide.
ALIKE = 0.75
# The most hits that are compared: each further one would be compared with all.
COMPARED = 100
# Points that a hit loses for each hit of its session above it, up to so many: an answer that is spread over several
# sessions is found as a whole. More where the question asks for several things.
SAME_SESSION = {False: 0.2, True: 0.6}
MOST_OF_SESSION = 3
# How many places a hit may move up.
SPREAD_REACH = 25


class Selected(NamedTuple):
    """A selected memory: the place of its best passage, its relevance, and similar better hits."""

    memory_id: str
    place: int
    relevance: float
    like: tuple[str, ...] = ()


def select(
    passages: Sequence[Passage], scored: Scored, *, limit: int, least: float, least_share: float = 0.0
) -> list[Selected]:
    """Return at most `limit` memories whose relevance is at least `least`, and that share of the best one's.

    Best first. Hits that are similar to a better one do not count, up to as many again: they may be folded.
    """
    chosen: dict[str, Selected] = {}
    held: dict[str, frozenset[str]] = {}
    different = 0
    for place in np.argsort(-scored.scores, kind="stable").tolist():
        passage = passages[place]
        if not passage.eligible or passage.memory_id in chosen:
            continue
        if different == limit or len(chosen) == 2 * limit:
            break
        relevance = round(float(scored.relevance[place]), 4)
        if relevance < least:
            continue
        least = max(least, least_share * relevance)
        like: tuple[str, ...] = ()
        if len(chosen) < COMPARED:
            terms = held[passage.memory_id] = frozenset(passage.tokens)
            like = tuple(
                name for name, hit in chosen.items() if _alike(passage, terms, passages[hit.place], held[name])
            )
        chosen[passage.memory_id] = Selected(passage.memory_id, place, relevance, like)
        different += not like
    return list(chosen.values())


def _alike(passage: Passage, terms: frozenset[str], other: Passage, others: frozenset[str]) -> bool:
    """Tell whether two passages have one author, the same days and most terms in common."""
    common = len(terms & others)
    if common < ALIKE * (len(terms) + len(others) - common):
        return False
    return passage.author == other.author and passage.shape.times == other.shape.times


def fold(
    chosen: Iterable[Selected], same: Callable[[Selected, Selected], bool]
) -> tuple[list[Selected], dict[str, tuple[str, ...]]]:
    """Return the distinct hits, and by memory the ids of its duplicates.

    same: whether the second hit is a duplicate of the first and may be folded under it
    """
    kept: dict[str, Selected] = {}
    folded: dict[str, tuple[str, ...]] = {}
    for hit in chosen:
        better = next((kept[name] for name in hit.like if name in kept and same(kept[name], hit)), None)
        if better is not None:
            folded[better.memory_id] = (*folded.get(better.memory_id, ()), hit.memory_id)
        else:
            kept[hit.memory_id] = hit
    return list(kept.values()), folded


def spread(
    chosen: Sequence[Selected], scores: Mapping[str, float], sessions: Mapping[str, str], *, several: bool
) -> list[Selected]:
    """Return the hits with repeated ones of a session a little lower.

    sessions: by memory, the session of a turn between people. several: whether the question asks for several things
    """
    if not sessions:
        return list(chosen)
    left, ordered, seen = list(chosen), list[Selected](), Counter[str]()

    def worth(hit: Selected) -> float:
        of_session = seen[sessions[hit.memory_id]] if hit.memory_id in sessions else 0
        return scores[hit.memory_id] - SAME_SESSION[several] * min(MOST_OF_SESSION, of_session)

    while left:
        best = max(left[:SPREAD_REACH], key=worth)
        left.remove(best)
        ordered.append(best)
        seen[sessions.get(best.memory_id, "")] += 1
    return ordered

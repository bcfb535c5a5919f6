"""Measures of rankings against labels, and the plain ranking that they are compared with.

A ranking is a list of ids, best first; a repeated id counts once, at its first place, and a question without a ranking
scores 0. Every measure of one question is a number from 0 to 1, every reported number a mean over questions:

    turns       recall any all @k, mrr, recall within a token budget, sessions
    documents   current@k, mrr, current_first, pair_accuracy, stale@1

Nothing here knows recollect: `Bm25` has its own words, stems and stop words, so that it stays what it is when the
engine's change.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

Scores = dict[str, float]

RECALL_KS = (5, 10, 20, 50)
CURRENT_KS = (1, 3, 5)
BUDGET_TOKENS = 1_000
SESSION_K = 5
# How many turns a ranking is asked for, written out and judged by.
DEPTH = 50

# What a table shows of the measures, with the words for it.
TURN_COLUMNS = {
    "recall@5": "recall@5",
    "recall@10": "@10",
    "recall@20": "@20",
    "recall@50": "@50",
    "any@10": "any@10",
    "all@10": "all@10",
    "mrr": "MRR",
    "recall_1000_tokens": "1,000 tokens",
    "session_all@5": "session all@5",
}
DOCUMENT_COLUMNS = {
    **{f"current@{k}": f"current@{k}" for k in CURRENT_KS},
    "mrr": "MRR",
    "current_first": "current first",
    "pair_accuracy": "pairs",
    "stale@1": "stale@1",
}


# --- one question ----------------------------------------------------------------------------------------------------


def distinct(ranked: Iterable[str]) -> list[str]:
    """Return the ids, each once, at its first place."""
    return list(dict.fromkeys(ranked))


def found_share(ranked: Iterable[str], gold: Iterable[str]) -> float:
    """Return which share of the gold ids is in the ranking at all."""
    wanted = set(gold)
    return len(wanted.intersection(ranked)) / len(wanted)


def reciprocal_rank(ranked: Sequence[str], gold: Iterable[str]) -> float:
    """Return 1 / rank of the first gold id, 0 without one."""
    wanted = set(gold)
    return next((1 / rank for rank, key in enumerate(ranked, 1) if key in wanted), 0.0)


def within_budget(ranked: Iterable[str], tokens: Mapping[str, float], budget: float) -> list[str]:
    """Return the longest prefix that sums to at most `budget`; the first id that does not fit ends it."""
    prefix, spent = [], 0.0
    for key in ranked:
        spent += tokens[key]
        if spent > budget:
            break
        prefix.append(key)
    return prefix


def turn_scores(
    ranked: Iterable[str], evidence: Iterable[str], *, tokens: Mapping[str, float], session: Mapping[str, str]
) -> Scores:
    """Return every measure of one question about turns.

    tokens, session: of every turn of the conversation, by its id
    """
    order, gold = distinct(ranked), set(evidence)
    scores = {f"recall@{k}": found_share(order[:k], gold) for k in RECALL_KS}
    scores["any@10"] = float(scores["recall@10"] > 0)
    scores["all@10"] = float(scores["recall@10"] == 1)
    scores["mrr"] = reciprocal_rank(order, gold)
    scores["recall_1000_tokens"] = found_share(within_budget(order, tokens, BUDGET_TOKENS), gold)
    # A label that points nowhere counts as a session of its own, which is never found.
    sessions = distinct(session[turn] for turn in order)[:SESSION_K]
    scores["session_all@5"] = float(found_share(sessions, {session.get(turn, turn) for turn in gold}) == 1)
    return scores


def document_scores(ranked: Iterable[str], current: Iterable[str], superseded: Iterable[str]) -> Scores:
    """Return every measure of one query about the version in force; those on order only where there are older ones."""
    order, wanted, old = distinct(ranked), set(current), set(superseded)
    scores = {f"current@{k}": float(not wanted.isdisjoint(order[:k])) for k in CURRENT_KS}
    scores["mrr"] = reciprocal_rank(order, wanted)
    if old:
        place = {key: rank for rank, key in enumerate(order)}
        best = min((place[key] for key in wanted if key in place), default=math.inf)
        above = [best < place.get(key, math.inf) for key in old]
        scores["current_first"] = float(all(above))
        scores["pair_accuracy"] = sum(above) / len(above)
        scores["stale@1"] = float(bool(order) and order[0] in old)
    return scores


# --- many questions --------------------------------------------------------------------------------------------------


def mean(rows: Sequence[Scores]) -> dict[str, Any]:
    """Return the mean of every measure over the questions that have it, and the number of questions."""
    found: dict[str, list[float]] = {}
    for row in rows:
        for name, value in row.items():
            found.setdefault(name, []).append(value)
    return {"n": len(rows), **{name: round(sum(values) / len(values), 4) for name, values in found.items()}}


def ratio(ours: Mapping[str, float], theirs: Mapping[str, float]) -> Scores:
    """Return how many times theirs our means are, where theirs are not 0."""
    return {
        name: round(ours[name] / theirs[name], 3) for name in theirs if name != "n" and name in ours and theirs[name]
    }


# --- the plain ranking -----------------------------------------------------------------------------------------------

_WORD = re.compile(r"[a-z0-9]+")

_STOP_WORDS = frozenset(
    """a about am an and are as at be been being but by can could d did do does for from had has have he her him his how
    i if in into is it its ll m may me might my no not of on or our re s she should so t than that the their them then
    there these they this those to ve was we were what when where which who whom why will with would you your""".split()
)


@cache
def _stemmer() -> Any:
    import Stemmer

    return Stemmer.Stemmer("porter")


def words(text: str) -> list[str]:
    """Return the Porter stems of a text in lower case, without stop words, with repetitions."""
    stems: list[str] = _stemmer().stemWords([word for word in _WORD.findall(text.lower()) if word not in _STOP_WORDS])
    return stems


class Bm25:
    """Okapi BM25 over a few hundred texts, with nothing added."""

    def __init__(self, texts: Mapping[str, str], *, k1: float = 1.2, b: float = 0.75) -> None:
        """Index texts by their ids; earlier ones win ties."""
        self._ids = list(texts)
        self._weights: dict[str, list[tuple[int, float]]] = {}
        counts = [Counter(words(text)) for text in texts.values()]
        lengths = [count.total() for count in counts]
        average = sum(lengths) / len(lengths) if any(lengths) else 1.0
        spread = Counter(word for count in counts for word in count)
        for number, (count, length) in enumerate(zip(counts, lengths, strict=True)):
            for word, times in count.items():
                rarity = math.log(1 + (len(counts) - spread[word] + 0.5) / (spread[word] + 0.5))
                weight = rarity * times * (k1 + 1) / (times + k1 * (1 - b + b * length / average))
                self._weights.setdefault(word, []).append((number, weight))

    def scores(self, question: str) -> dict[int, float]:
        """Return the score of each text that shares a word with the question, by its place."""
        scores: dict[int, float] = {}
        for word in dict.fromkeys(words(question)):
            for number, weight in self._weights.get(word, ()):
                scores[number] = scores.get(number, 0.0) + weight
        return scores

    def rank(self, question: str) -> list[str]:
        """Return the ids of the texts that share a word with the question, best first."""
        scores = self.scores(question)
        return [self._ids[number] for number in sorted(scores, key=lambda number: (-scores[number], number))]


def newest_first(ranked: Sequence[str], position: Mapping[str, int], *, top: int = 5) -> list[str]:
    """Return the ranking with its first `top` sorted by age, newest first: what blind recency does.

    position: place of every document in order of time
    """
    return [*sorted(ranked[:top], key=lambda key: -position[key]), *ranked[top:]]


# --- tables ----------------------------------------------------------------------------------------------------------


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a markdown table: the first column is words, the others are numbers."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def percents(row: Mapping[str, float], names: Iterable[str]) -> list[str]:
    """Return measures in per cent as text, empty where there is none."""
    return [f"{100 * row[name]:.1f}" if name in row else "" for name in names]

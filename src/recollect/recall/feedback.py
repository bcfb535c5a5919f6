"""Feedback: confidence and ranking from how injected memories were used.

    evidence of a session ─► weights for and against ─► confidence     of the one memory
    offers of a namespace ─► share that was used      ─► lift          of a kind, and of the one memory

Everything is a function of sums, so that the order of sessions does not matter. A session counts once. Nothing heavy is
imported: the hook that answers prompts by itself uses this, too.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from recollect.recall import PACK_RELEVANCE


class Sign(NamedTuple):
    """A kind of evidence: its weight for and against a memory, and its text."""

    pro: float
    con: float
    words: str


# Evidence for or against a memory; of several in one session the first counts. A contradiction counts most; then
# whether the error was fixed; then actions, then citations. An opened file, or an error that other steps fixed, might
# have happened anyway: half.
SIGNS: Mapping[str, Sign] = {
    "amended": Sign(0.0, 1.0, "contradicted by a later memory"),
    "retired": Sign(0.0, 1.0, "retired"),
    "fixed": Sign(1.0, 0.0, "its steps fixed the error"),
    "returned": Sign(0.0, 1.0, "its steps did not fix the error"),
    "ran": Sign(1.0, 0.0, "its command was run"),
    "cited": Sign(1.0, 0.0, "cited"),
    "touched": Sign(0.5, 0.0, "its file was opened"),
    "gone": Sign(0.5, 0.0, "the error disappeared"),
    # A person said so: it is not injected until it is used after a search (UseCounters.useless).
    "useless": Sign(0.0, 1.0, "marked as useless"),
}
NOTHING = Sign(0.0, 0.0, "")

# --- confidence ---

# A given confidence counts as much as four sessions: one session moves it by a fifth at most, a handful overrules it.
PRIOR = 4.0
# The most evidence that counts: a memory that was right for years can become wrong within weeks.
MEMORY = 16.0
# A contradicted memory is doubtful, not worthless: it shows an earlier belief. A lower given confidence stays.
FLOOR = 0.2
# Use alone does not make a memory certain.
CEILING = 0.95


def sign(evidence: str) -> Sign:
    """Return the weights of evidence; 0 for evidence that decides nothing."""
    return SIGNS.get(evidence, NOTHING)


def confidence(given: float, pro: float, con: float) -> float:
    """Return the confidence after evidence: the mean of a Beta distribution around the given one.

    Within [FLOOR, CEILING], or as given where that lies outside or where there is no evidence. Silence is no evidence:
    of a dozen memories that open a session, two or three concern its work.
    """
    seen = pro + con
    if seen <= 0:
        return given
    fade = min(1.0, MEMORY / seen)
    mean = (PRIOR * given + fade * pro) / (PRIOR + fade * seen)
    # Three digits: a number that people read, and that is the same on every machine.
    return round(min(max(mean, min(FLOOR, given)), max(CEILING, given)), 3)


# --- weights of kinds and memories ---

# The prior: a quarter of injected memories is used; it is worth eight offers.
USUAL = 0.25
USUAL_OFFERS = 8.0
# The least offers of a namespace to learn from: some days of work.
ENOUGH = 40
# The offers of a kind, and of one memory, that count as much as the prior.
KIND_OFFERS = 20.0
OWN_OFFERS = 4.0
# The most that the odds of a kind, and of a memory, may move, in logits: 1.6 times, and 5 times.
KIND_MOST = 0.5
OWN_MOST = 1.6
# Limits of the preference: nothing is injected that is more likely irrelevant than not, and a very relevant memory is
# never silenced. After a dozen sessions without use, a relevance of 0.9 is required instead of 0.55.
EARLIER = math.log(PACK_RELEVANCE / (1 - PACK_RELEVANCE))
LATER = -2.0
# Rules are followed silently, so that unobserved use means nothing.
UNSEEN = frozenset({"preference", "style", "habit"})
# Points of the ranking score for one logit, and at most: as much as the strongest component beside the match
# (hybrid_score.py), and less than the distance between the best hit and the second.
POINTS = 0.3
MOST_POINTS = 0.3


class Learnt(NamedTuple):
    """The share of used offers in a namespace, and the difference of each kind, in logits."""

    share: float
    kinds: Mapping[str, float]


def key(scope: str | None) -> str:
    """Return the key under which the weights of a namespace are stored."""
    return "usefulness" if scope is None else f"usefulness/{scope}"


def read(text: str | None) -> Learnt | None:
    """Return the stored weights; empty if they cannot be read, since they are recomputed."""
    if not text:
        return None
    try:
        share, kinds = json.loads(text)
        learnt = Learnt(float(share), {str(kind): float(value) for kind, value in kinds.items()})
    except (ValueError, TypeError, AttributeError):
        return None
    return learnt if 0 < learnt.share < 1 else None


def kept(learnt: Learnt | None) -> str:
    """Return learnt weights as they are stored."""
    return "" if learnt is None else json.dumps([learnt.share, dict(learnt.kinds)])


def kind_of(memory_type: str, category: str | None, source: str) -> str:
    """Return the kind of a memory: the category of what hooks saw, otherwise its type."""
    return f"{source}:{category}" if source == "hook" and category else memory_type


def learn(tallies: Iterable[tuple[str, int, int]]) -> Learnt | None:
    """Return the weights learnt from (kind, offers, uses); None: too few so far."""
    offered: dict[str, int] = {}
    used: dict[str, int] = {}
    for kind, offers, uses in tallies:
        offered[kind] = offered.get(kind, 0) + max(0, offers)
        used[kind] = used.get(kind, 0) + min(max(0, uses), max(0, offers))
    total = sum(offered.values())
    if total < ENOUGH:
        return None
    share = (USUAL * USUAL_OFFERS + sum(used.values())) / (USUAL_OFFERS + total)
    kinds = {kind: lift(used[kind], offers, share, KIND_OFFERS, KIND_MOST) for kind, offers in sorted(offered.items())}
    return Learnt(round(share, 4), {kind: _seen(kind, value) for kind, value in kinds.items()})


def _seen(kind: str, value: float) -> float:
    """Return a lift without what cannot be observed: rules are never lowered."""
    return max(0.0, value) if kind in UNSEEN else value


def lift(used: int, offered: int, usual: float, strength: float, most: float) -> float:
    """Return how much more often than usual something is used, in logits, within ±most.

    usual: the share of uses to compare with; strength: how many offers that is worth
    """
    share = (strength * usual + min(used, offered)) / (strength + offered)
    apart = math.log(share / (1 - share)) - math.log(usual / (1 - usual))
    return round(min(max(apart, -most), most), 3)


def own(used: int, offered: int, learnt: Learnt, kind: str) -> float:
    """Return how much more often than its kind a memory is used, in logits."""
    usual = 1 / (1 + math.exp(-(math.log(learnt.share / (1 - learnt.share)) + learnt.kinds.get(kind, 0.0))))
    return _seen(kind, lift(used, offered, usual, OWN_OFFERS, OWN_MOST))


def leaning(kind_lift: float, own_lift: float) -> float:
    """Return the preference for injecting a memory, in logits; below 0: less likely."""
    return min(max(kind_lift + own_lift, LATER), EARLIER)


def points(kind_lift: float, own_lift: float) -> float:
    """Return the points that a memory gains in the ranking.

    Being unused counts against its kind alone: a memory that was not needed unasked may still answer a question.
    """
    return min(max(POINTS * (kind_lift + max(0.0, own_lift)), -MOST_POINTS), MOST_POINTS)


def likely(relevance: float, lean: float) -> float:
    """Return the relevance of a memory, shifted by its preference."""
    if not lean or not 0 < relevance < 1:
        return relevance
    odds = relevance / (1 - relevance) * math.exp(lean)
    return odds / (1 + odds)


# --- in words ---


def told(offered: int, used: int, contradicted: int, last: str) -> str:
    """Return how a memory was used: `injected 4 times, used 3 (last: its command was run), contradicted 0`."""
    if not offered:
        return ""
    latest = sign(last)
    note = f" (last: {latest.words})" if latest.words else ""
    times = "once" if offered == 1 else f"{offered:,} times"
    return f"injected {times}, used {used:,}{note if latest.pro else ''}, contradicted {contradicted:,}" + (
        note if latest.con else ""
    )

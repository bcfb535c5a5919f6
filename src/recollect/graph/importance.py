"""Importance: how much each file and symbol of a project matters, seen from somewhere in it or from nowhere.

a link passes importance from what uses to what is used, as much as it is sure; from a test a quarter as much
a walker starts anew at what is in focus, at what was edited lately, and anywhere
what a node has only because the walker starts there does not count: who looks at a file knows it already
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import numpy as np

from recollect.graph.arrays import RELATION_CODES, Flags, Floats, ordered
from recollect.graph.project import USES, Project
from recollect.graph.rank import DAMPING, Arcs, pagerank

# How much goes back from what is used to what uses it, where something is in focus: its users matter, too.
BACKWARDS = 0.2
# Where walkers start anew: at the focus, at what was edited lately, and anywhere.
IN_FOCUS, EDITED, ANYWHERE = 0.7, 0.15, 0.15


class Seen(NamedTuple):
    """From where a project is looked at, as numbers of files and nodes."""

    focus: frozenset[int] = frozenset()
    edited: frozenset[int] = frozenset()
    tests: frozenset[int] = frozenset()
    nodes: frozenset[int] = frozenset()


def importance(found: Project, seen: Seen, relations: Collection[str] = USES) -> Floats:
    """Return the importance of every node; at most 1 in all."""
    graph = found.graph
    if not graph.size:
        return np.empty(0)
    restart = _restart(found, seen)
    rank = pagerank(_arcs(found, seen, relations), restart=restart)
    return np.asarray(np.maximum(rank - (1 - DAMPING) * restart, 0.0), np.float64)


def file_shares(found: Project, importances: Floats) -> dict[int, float]:
    """Return the importance of files: of all that they hold, as shares of the whole."""
    numbers, place = np.unique(found.files, return_inverse=True)
    sums = np.bincount(place, weights=importances, minlength=len(numbers))
    whole = float(sums.sum()) or 1.0
    return dict(zip(numbers.tolist(), (sums / whole).tolist(), strict=True))


def _in(found: Project, files: Collection[int]) -> Flags:
    return np.isin(found.files, np.array(sorted(files), np.int64))


def _restart(found: Project, seen: Seen) -> Floats:
    parts: tuple[tuple[float, Flags], ...] = (
        (ANYWHERE, ~_in(found, seen.tests)),
        (EDITED, _in(found, seen.edited)),
        (IN_FOCUS, _in(found, seen.focus) | np.isin(np.arange(found.graph.size), sorted(seen.nodes))),
    )
    restart = np.zeros(found.graph.size)
    for share, nodes in parts:
        if nodes.any():
            restart[nodes] += share / int(nodes.sum())
    whole = float(restart.sum())
    return restart / whole if whole else np.full(len(restart), 1 / len(restart))


def _arcs(found: Project, seen: Seen, relations: Collection[str]) -> Arcs:
    graph = found.graph
    is_use = np.isin(graph.relations, [RELATION_CODES[name] for name in relations]) & (graph.src != graph.dst)
    src, dst, weights = graph.src[is_use], graph.dst[is_use], graph.weights[is_use]
    if seen.focus or seen.nodes:
        src, dst = np.concatenate((src, dst)), np.concatenate((dst, src))
        weights = np.concatenate((weights, BACKWARDS * weights))
    order = ordered(dst)
    return Arcs(graph.size, src[order], dst[order], weights[order])

"""Communities: groups of nodes with more links among themselves than chance would give them.

The Leiden method: nodes move to the community they gain most by, communities are refined into connected
parts, the parts become the nodes of a smaller graph, and so on until nothing moves.

    quality = Σ over communities   links inside / all links  -  resolution · (share of all link ends)²

Moves are made by many nodes at once, a random part of them at a time: each decides by what the others did before its
turn, as in the one-by-one method, and a turn is a few sweeps over arrays. Every community returned is connected.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from recollect.graph.arrays import Flags, Floats, Ints, Places, Weighted, added_up, entries, ordered, row_starts
from recollect.graph.components import joined

# Turns that a round is split into: neighbours that decide in the same turn can swap places, and with eight turns seven
# of eight pairs do not.
TURNS = 8
# A level is given up for the next one after this many rounds; by then all but a few nodes have settled.
MOST_ROUNDS = 16
# A graph that does not shrink any more has no further level; no graph needs more than these.
MOST_LEVELS = 16
# In a small graph the order of moves can decide: it is divided several times and the best division kept. In a large one
# luck evens out.
FEW_NODES = 300
TRIES = 4
# What must be gained by a move, as a share of all links: less is rounding.
LEAST_GAIN = 1e-12


class Level(NamedTuple):
    """A graph of groups of nodes: the links between them, and the strength of each."""

    starts: Places
    ends: Ints
    weights: Floats
    strength: Floats

    @property
    def size(self) -> int:
        return len(self.strength)


def communities(links: Weighted, *, resolution: float = 1.0) -> Places:
    """Return the community of each node, numbered from the largest; deterministic.

    resolution: above 1 gives more and smaller communities, below 1 fewer and larger ones. Links without strength join
    nothing; a node without links is a community of its own.
    """
    level = _ground(links)
    total = float(level.strength.sum())
    if total <= 0:
        return np.arange(level.size)
    chance = np.random.default_rng(0)
    tries = TRIES if level.size <= FEW_NODES else 1
    found = [_divided(level, total, resolution, chance) for _ in range(tries)]
    return _by_size(max(found, key=lambda label: modularity(links, label, resolution=resolution)))


def _divided(level: Level, total: float, resolution: float, chance: np.random.Generator) -> Places:
    """Return communities, each of them connected."""
    ground, label = level, np.arange(level.size)
    member, start = np.arange(level.size), np.arange(level.size)
    for _ in range(MOST_LEVELS):
        found = _settled(level, start, total, resolution, chance)
        label = found[member]
        part = _refined(level, found, total, resolution, chance)
        parts = int(part.max()) + 1
        if parts == level.size:
            break
        # A part lies within one community: any of its members says which.
        start = np.empty(parts, np.int64)
        start[part] = found
        start = np.unique(start, return_inverse=True)[1]
        member = part[member]
        level = _gathered(level, part, parts)
    return _connected(ground, label)


def modularity(links: Weighted, label: Places, *, resolution: float = 1.0) -> float:
    """Return the modularity of a division: 0 by chance, towards 1 for clear communities."""
    level = _ground(links)
    total = float(level.strength.sum())
    if total <= 0:
        return 0.0
    inside = float(level.weights[label[_owners(level)] == label[level.ends]].sum())
    shares = np.bincount(label, weights=level.strength) / total
    return inside / total - resolution * float((shares * shares).sum())


def _ground(links: Weighted) -> Level:
    """Return the graph as the first level, without the links that have no strength."""
    size = len(links.starts) - 1
    owners = np.repeat(np.arange(size), np.diff(links.starts))
    strong = links.weights > 0
    owners, ends, weights = owners[strong], links.ends[strong], links.weights[strong]
    return Level(row_starts(owners, size), ends, weights, _sums(owners, weights, size))


def _sums(keys: Places, weights: Floats, size: int) -> Floats:
    sums: Floats = np.bincount(keys, weights=weights, minlength=size).astype(np.float64, copy=False)
    return sums


def _owners(level: Level) -> Places:
    return np.repeat(np.arange(level.size), np.diff(level.starts))


def _settled(level: Level, label: Places, total: float, resolution: float, chance: np.random.Generator) -> Places:
    """Return the labels after every node moved to its best community."""
    label = label.copy()
    held = _sums(label, level.strength, level.size)
    restless = np.ones(level.size, np.bool_)
    for _ in range(MOST_ROUNDS):
        waiting = np.flatnonzero(restless)
        if not len(waiting):
            break
        for turn in np.array_split(chance.permutation(waiting), min(TURNS, len(waiting))):
            _turn(level, np.sort(turn), label, held, restless, resolution / total)
    return label


def _turn(level: Level, nodes: Places, label: Places, held: Floats, restless: Flags, pressure: float) -> None:
    """Move some nodes to their best community; updates labels, `held` and `restless`."""
    restless[nodes] = False
    owners, places = entries(level.starts, nodes)
    if not len(places):
        return
    # The weight of the links from each node to each community next to it.
    keys, linked = added_up(owners * level.size + label[level.ends[places]], level.weights[places])
    owner, candidate = keys // level.size, keys % level.size
    strength, home = level.strength[nodes], label[nodes]
    own = candidate == home[owner]
    others = held[candidate] - np.where(own, strength[owner], 0.0)
    gain = linked - pressure * strength[owner] * others
    stay = -pressure * strength * (held[home] - strength)
    stay[owner[own]] = gain[own]
    first = np.flatnonzero(np.concatenate(([True], owner[1:] != owner[:-1])))
    best = np.full(len(nodes), -np.inf)
    best[owner[first]] = np.maximum.reduceat(gain, first)
    # Back to front, so that of equally good communities the one with the lowest number is taken.
    goal = home.copy()
    top = np.flatnonzero(gain == best[owner])[::-1]
    goal[owner[top]] = candidate[top]
    moving = np.flatnonzero((best > stay + LEAST_GAIN / max(pressure, LEAST_GAIN)) & (goal != home))
    if not len(moving):
        return
    label[nodes[moving]] = goal[moving]
    np.subtract.at(held, home[moving], strength[moving])
    np.add.at(held, goal[moving], strength[moving])
    moved, beside = entries(level.starts, nodes[moving])
    neighbour = level.ends[beside]
    restless[neighbour[label[neighbour] != goal[moving][moved]]] = True


def _refined(level: Level, label: Places, total: float, resolution: float, chance: np.random.Generator) -> Places:
    """Return communities split into connected parts, found by moving nodes again within each community."""
    owners = _owners(level)
    inside = label[owners] == label[level.ends]
    kept = owners[inside]
    inner = Level(row_starts(kept, level.size), level.ends[inside], level.weights[inside], level.strength)
    part = _settled(inner, np.arange(level.size), total, resolution, chance)
    together = part[kept] == part[inner.ends]
    return joined(kept[together], inner.ends[together], level.size)


def _gathered(level: Level, part: Places, parts: int) -> Level:
    """Return the graph of the parts; links inside a part count in its strength only."""
    owners = part[_owners(level)]
    ends = part[level.ends]
    apart = owners != ends
    keys, weights = added_up(owners[apart] * parts + ends[apart], level.weights[apart])
    strength = _sums(part, level.strength, parts)
    return Level(row_starts(keys // parts, parts), (keys % parts).astype(np.int32), weights, strength)


def _connected(level: Level, label: Places) -> Places:
    """Return the labels with every community that is in several pieces divided into them."""
    owners = _owners(level)
    inside = label[owners] == label[level.ends]
    return joined(owners[inside], level.ends[inside], level.size)


def _by_size(label: Places) -> Places:
    """Return the labels renumbered from the largest community, ties by their first node."""
    counts = np.bincount(label)
    rank = np.empty(len(counts), np.int64)
    rank[ordered(counts.max() - counts)] = np.arange(len(counts))
    return rank[label]

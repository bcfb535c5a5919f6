"""Positions of nodes in the plane: each community an island, linked nodes and linked islands near each other.

    communities ─► discs, packed without overlap ─► members on a sunflower in their disc ─► some force steps

In a force step links pull, all nodes push each other away (1 / distance), and each is drawn to the middle of its
island. The push comes from a density grid, convolved with the push of one node by FFT: a step costs O(nodes + links +
grid), not nodes². Deterministic.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from recollect.graph.arrays import Floats, Graph, Places, added_up, row_starts

Positions = NDArray[np.float64]

# Cells on a side of the density grid, the next power of two above twice the root of the nodes: a cell is about as wide
# as the way between two nodes. The largest takes 15 ms a step, the smallest less than one.
GRIDS = (32, 64, 128, 256)
STEPS = 60
# The pull of a link, of the middle of the island, and of a link between islands, each as a share of the distance.
PULL, HOME, BRIDGE = 0.6, 0.06, 0.02
# With this push, HOME alone would give an island one node per unit of area.
PUSH = HOME / np.pi
# The largest move of a step, in units, at the start and at the end.
FIRST_MOVE, LAST_MOVE = 3.0, 0.3
# Islands that are packed by their links: packing compares all pairs. Smaller ones lie in rings around them.
ISLANDS = 300
PACKING_STEPS = 80
# The radius of an island against a full disc of its nodes, and the water around it: islands are ragged.
LOOSE, WATER = 0.85, 1.0
# Nodes nearer than this are drawn apart, in units.
TOGETHER = 0.4
# The angle between neighbours on a sunflower, which fills a disc evenly.
GOLDEN = np.pi * (3 - np.sqrt(5))


class Pulls(NamedTuple):
    """Undirected links, each once."""

    first: Places
    second: Places
    weights: Floats

    def moves(self, at: Positions, size: int) -> Positions:
        """Return the sum of weighted distances to the linked nodes, by node."""
        way = (at[self.second] - at[self.first]) * self.weights[:, None]
        sums = [
            np.bincount(self.first, way[:, axis], size) - np.bincount(self.second, way[:, axis], size)
            for axis in (0, 1)
        ]
        return np.stack(sums, axis=1)

    def strength(self, size: int) -> Floats:
        """Return the sum of the weights of each node."""
        sums = np.bincount(self.first, self.weights, size) + np.bincount(self.second, self.weights, size)
        return sums.astype(np.float64, copy=False)


def positions(graph: Graph, community: Places) -> Positions:
    """Return x and y of every node, each from -1 to 1.

    community: the number of each node's community, the largest first
    """
    size = graph.size
    if not size:
        return np.empty((0, 2))
    links = graph.undirected
    owners = np.repeat(np.arange(size), np.diff(links.starts))
    once = owners < links.ends
    pulls = Pulls(owners[once], links.ends[once].astype(np.int64), np.minimum(links.weights[once], 1.0))
    members = np.bincount(community)
    home = _islands(pulls, community, members)[community]
    order = np.argsort(community, kind="stable")
    place = np.empty(size, np.int64)
    place[order] = np.arange(size) - np.repeat(row_starts(community[order], len(members))[:-1], members)
    at = _apart(_settled(home + _sunflower(place, np.sqrt((place + 0.5) / np.pi)), home, pulls, community))
    at -= (at.max(axis=0) + at.min(axis=0)) / 2
    return at / max(float(np.abs(at).max()), 1e-9)


def _sunflower(number: Places, radius: Floats) -> Positions:
    return np.stack((radius * np.cos(number * GOLDEN), radius * np.sin(number * GOLDEN)), axis=1)


# --- islands ---


def _islands(pulls: Pulls, community: Places, members: Places) -> Positions:
    """Return the middle of every community."""
    count = len(members)
    packed = min(int((members > 1).sum()), ISLANDS)
    first, second = community[pulls.first], community[pulls.second]
    low, high = np.minimum(first, second), np.maximum(first, second)
    between = (low != high) & (high < packed)
    keys, weights = added_up(low[between] * count + high[between], pulls.weights[between])
    bridges = Pulls(keys // count, keys % count, weights)
    # A hundred links between two large islands say as much as ten between small ones.
    bridges = bridges._replace(weights=weights / np.sqrt(members[bridges.first] * members[bridges.second]))
    radius = LOOSE * np.sqrt(members / np.pi) + WATER
    middles = np.zeros((count, 2))
    middles[:packed] = _packed(radius[:packed], bridges)
    edge = float((np.sqrt((middles[:packed] ** 2).sum(axis=1)) + radius[:packed]).max()) if packed else 0.0
    rest = np.arange(count - packed)
    area = np.cumsum(radius[packed:] ** 2) * 2
    middles[packed:] = _sunflower(rest, np.sqrt(edge**2 + area))
    return middles


def _packed(radius: Floats, bridges: Pulls) -> Positions:
    """Return the middles of discs that do not overlap, linked ones near each other."""
    count = len(radius)
    at = _sunflower(np.arange(count), np.sqrt(np.cumsum(radius**2)))
    if count < 2:
        return at * 0
    strength = np.maximum(bridges.strength(count), 1e-9)[:, None]
    reach = radius[:, None] + radius[None, :]
    np.fill_diagonal(reach, 0)
    # Of two discs that overlap, the smaller one yields.
    yields = radius[None, :] ** 2 / (radius[:, None] ** 2 + radius[None, :] ** 2)
    for step in range(PACKING_STEPS):
        at = at + 0.25 * (1 - step / PACKING_STEPS) * bridges.moves(at, count) / strength - 0.05 * at
        for _ in range(4):
            away = at[:, None, :] - at[None, :, :]
            distance = np.sqrt((away**2).sum(axis=2)) + 1e-9
            overlap = np.maximum(reach - distance, 0) * yields / distance
            at = at + 0.6 * np.einsum("ij,ijk->ik", overlap, away)
    return at


# --- force steps ---


def _settled(at: Positions, home: Positions, pulls: Pulls, community: Places) -> Positions:
    """Return the positions after the force steps."""
    size = len(at)
    inside = community[pulls.first] == community[pulls.second]
    pulls = pulls._replace(weights=np.where(inside, pulls.weights, pulls.weights * BRIDGE))
    steady = (1 + pulls.strength(size))[:, None]
    grid = next((each for each in GRIDS if each * each > 4 * size), GRIDS[-1])
    for step in range(STEPS):
        move = PUSH * _push(at, grid) - HOME * (at - home) + PULL * pulls.moves(at, size) / steady
        length = np.maximum(np.sqrt((move * move).sum(axis=1, keepdims=True)), 1e-12)
        most = FIRST_MOVE + (LAST_MOVE - FIRST_MOVE) * step / STEPS
        at = at + move * np.minimum(1, most / length)
    return at


def _apart(at: Positions) -> Positions:
    """Return the positions with nodes that lie on each other beside each other: the grid does not tell them apart."""
    column, row = np.rint(at / TOGETHER).astype(np.int64).T
    order = np.lexsort((row, column))
    new = np.r_[True, (np.diff(column[order]) != 0) | (np.diff(row[order]) != 0)]
    first = np.maximum.accumulate(np.where(new, np.arange(len(at)), 0))
    place = np.empty(len(at), np.int64)
    place[order] = np.arange(len(at)) - first
    return at + _sunflower(place, TOGETHER * np.sqrt(place))


def _push(at: Positions, grid: int) -> Positions:
    """Return the sum over all other nodes of 1 / distance, away from each."""
    extent = float(np.abs(at).max()) + 1e-9
    cell = 2 * extent / (grid - 2)
    place = (at + extent) / cell
    corner = np.floor(place).astype(np.int64)
    part = place - corner
    # Each node is shared out to the four cells around it, and reads the push from the same four.
    shares = [
        (
            (corner[:, 1] + down) * grid + corner[:, 0] + right,
            np.abs(1 - right - part[:, 0]) * np.abs(1 - down - part[:, 1]),
        )
        for right in (0, 1)
        for down in (0, 1)
    ]
    density = np.zeros(grid * grid)
    for cells, share in shares:
        density += np.bincount(cells, share, grid * grid)
    waves = np.fft.rfft2(density.reshape(grid, grid), (2 * grid, 2 * grid))
    pushes = []
    for kernel in _kernels(grid):
        field = np.fft.irfft2(waves * kernel, (2 * grid, 2 * grid))[:grid, :grid].ravel()
        pushes.append(sum(share * field[cells] for cells, share in shares))
    return np.stack(pushes, axis=1) / cell


@cache
def _kernels(grid: int) -> tuple[NDArray[np.complex128], NDArray[np.complex128]]:
    """Return the push of one node on the cells around it, along each axis, as waves."""
    away = np.arange(2 * grid, dtype=np.float64)
    away = np.where(away < grid, away, away - 2 * grid)
    # Half a cell squared: nodes in one cell push each other, but not without bound.
    square = away[None, :] ** 2 + away[:, None] ** 2 + 0.5
    return np.fft.rfft2(away[None, :] / square), np.fft.rfft2(away[:, None] / square)

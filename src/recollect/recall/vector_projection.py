"""Vectors in three dimensions: principal components, clusters, and words that name a cluster.

    unit vectors ─► covariance (width²) ─► eigenvectors ─► the first three: positions; the first 24: k-means

Deterministic: the sign of a component and the first centres of k-means are fixed.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from recollect.text.terms import terms, words_of_terms

Floats = NDArray[np.float64]
Labels = NDArray[np.int64]

DIMENSIONS = 3
# Components that clusters are found in: the rest of a text vector is mostly noise.
CLUSTER_COMPONENTS = 24
# A cluster for about every so many points: enough to be a topic; more than twelve colours look alike.
POINTS_PER_CLUSTER, MOST_CLUSTERS = 40, 12
ROUNDS = 40
# Words in the name of a cluster, and the part of a text that they are taken from.
NAME_WORDS = 3
NAMED_CHARACTERS = 600
LEAST_LETTERS = 3


class Projection(NamedTuple):
    """Positions, from -1 to 1 on the longest axis; the share of variance of each axis; a cluster of each point."""

    at: Floats
    explained: tuple[float, ...]
    cluster: Labels


def projected(vectors: NDArray[np.float32]) -> Projection:
    """Return the vectors in three dimensions, with clusters."""
    count = len(vectors)
    if not count:
        return Projection(np.empty((0, DIMENSIONS)), (0.0,) * DIMENSIONS, np.empty(0, np.int64))
    centred = vectors.astype(np.float64) - vectors.mean(axis=0, dtype=np.float64)
    variance, components = np.linalg.eigh(centred.T @ centred / count)
    variance, components = np.maximum(variance[::-1], 0.0), components[:, ::-1]
    # An eigenvector has no sign of its own: its largest part is made positive.
    largest = np.abs(components).argmax(axis=0)
    components = components * np.where(components[largest, np.arange(components.shape[1])] < 0, -1.0, 1.0)
    placed = centred @ components[:, :CLUSTER_COMPONENTS]
    at = np.zeros((count, DIMENSIONS))
    width = min(DIMENSIONS, placed.shape[1])
    at[:, :width] = placed[:, :width]
    shares = np.zeros(DIMENSIONS)
    shares[:width] = variance[:width] / max(float(variance.sum()), 1e-12)
    return Projection(at / max(float(np.abs(at).max()), 1e-12), tuple(shares.tolist()), _clusters(placed))


def _clusters(points: Floats) -> Labels:
    """Return the cluster of each point by k-means, numbered from the largest."""
    wanted = min(MOST_CLUSTERS, max(1, len(points) // POINTS_PER_CLUSTER))
    chance = np.random.default_rng(0)
    centres = points[[0]]
    nearest = ((points - centres[0]) ** 2).sum(axis=1)
    # k-means++: a point becomes the next centre with a probability that grows with its distance to the others.
    while len(centres) < wanted and (total := float(nearest.sum())) > 0:
        chosen = points[chance.choice(len(points), p=nearest / total)]
        centres = np.vstack((centres, chosen))
        nearest = np.minimum(nearest, ((points - chosen) ** 2).sum(axis=1))
    label = np.full(len(points), -1)
    for _ in range(ROUNDS):
        distances = (centres**2).sum(axis=1) - 2 * points @ centres.T
        moved = distances.argmin(axis=1)
        if np.array_equal(moved, label):
            break
        label = moved
        for number in np.unique(label).tolist():
            centres[number] = points[label == number].mean(axis=0)
    sizes = np.bincount(label, minlength=len(centres))
    rank = np.empty(len(centres), np.int64)
    rank[np.argsort(-sizes, kind="stable")] = np.arange(len(centres))
    ranked: Labels = rank[label]
    return ranked


def cluster_names(texts: Sequence[str], cluster: Labels) -> tuple[str, ...]:
    """Return the words of each cluster's texts that are rarer in the others, joined by commas."""
    count = int(cluster.max()) + 1 if len(cluster) else 0
    cut = [text[:NAMED_CHARACTERS] for text in texts]
    inside = [Counter[str]() for _ in range(count)]
    for text, number in zip(cut, cluster.tolist(), strict=True):
        inside[number].update(set(terms(text)))
    every: Counter[str] = Counter()
    for counts in inside:
        every.update(counts)
    sizes = np.bincount(cluster, minlength=count).tolist()
    return tuple(
        _name(
            [text for text, own in zip(cut, cluster.tolist(), strict=True) if own == number],
            found,
            every,
            size,
            len(cut),
        )
        for number, (found, size) in enumerate(zip(inside, sizes, strict=True))
    )


def _name(texts: Sequence[str], found: Counter[str], every: Counter[str], size: int, total: int) -> str:
    """Return the words that tell a cluster of `size` texts from all `total`, as they are written."""

    def distinction(term: str) -> float:
        share = found[term] / size
        return share * math.log(share * total / every[term])

    fit = [term for term in found if term.isalpha() and len(term) >= LEAST_LETTERS]
    fit = [term for term in fit if distinction(term) > 0] or fit
    best = sorted(fit, key=lambda term: (-distinction(term), -found[term], term))[:NAME_WORDS]
    written: dict[str, str] = {}
    for text in texts:
        if len(written) == len(best):
            break
        words = words_of_terms(text)
        written |= {term: words[term].lower() for term in best if term in words and term not in written}
    return ", ".join(dict.fromkeys(written.get(term, term) for term in best)) or "various"

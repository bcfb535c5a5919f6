"""Changes: the newer version of a short note, found by meaning.

A short note states one fact. Of what its project says later, the note nearest to it is mostly about the same fact, even
without words of the question or a value of the older one. A conflict of values (amend.py) is a further sign.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from recollect.recall.amend import contradicts
from recollect.recall.parsed_statement import statements

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Marks inside of plain words: “on-call”, “team's”.
_IN_WORDS = str.maketrans("", "", "-'’")
# Whether the nearest later note is a newer version of a short one, in points: for the cosine of both, if the older one
# is also the nearest earlier one, and if both cannot hold now. A note of more than SHORT words says more than one fact
# and loses by the logarithm of its length. By a logistic regression on both halves of bench/notes, rounded: all of 45
# changed facts among the first three hits reach the bar, and 5 of 199 other notes next to an answer.
COSINE, MUTUAL, CONFLICT, LENGTH, SHORT = 8.0, 1.0, 2.0, 5.0, 8
VERSION_BAR = 3.5
MOST_WORDS = int(SHORT * math.exp((COSINE + MUTUAL + CONFLICT - VERSION_BAR) / LENGTH))  # longer: never above it
LEAST_COSINE = 0.38
# In a project with fewer notes the nearest one may be about anything: then only a conflict tells.
LEAST_NOTES = 12


class Note(NamedTuple):
    """A note of the pool with its project, its time and number, and its unit vector."""

    place: int
    project: str | None
    written: tuple[int, int]
    vector: NDArray[np.float32]

    def cosine(self, other: Note) -> float:
        """Return the cosine with another note."""
        return float(self.vector @ other.vector)

    def nearness(self, other: Note) -> tuple[float, tuple[int, int]]:
        """Return by what another note is nearest: of two with the same cosine, the later one."""
        return round(self.cosine(other), 4), other.written


class Later(NamedTuple):
    """The nearest later note of a project; is_mutual: the older one is its nearest earlier note.

    is_few: the project has so few notes that being the nearest says nothing
    """

    note: Note
    is_mutual: bool
    is_few: bool


def nearest_later(older: Note, notes: Sequence[Note]) -> Later | None:
    """Return the note nearest to this one that its project has later."""
    same = [note for note in notes if note.project == older.project]
    newer = max((note for note in same if note.written > older.written), key=older.nearness, default=None)
    if newer is None:
        return None
    nearest = max((note for note in same if note.written < newer.written), key=newer.nearness)
    return Later(newer, older is nearest, len(same) < LEAST_NOTES)


def is_newer_version(
    question: str, new: str, old: str, *, cosine: float, is_mutual: bool, is_few: bool = False
) -> bool:
    """Tell whether the nearest later note states the fact of a short note as it is now.

    Not where only the older one has an identifier that the question asks about.
    """
    if cosine < LEAST_COSINE or lacks_identifier(question, new, old):
        return False
    is_conflict = any(contradicts(one, other) for one in statements(new, whole=True) for other in statements(old))
    if is_few and not is_conflict:
        return False
    length = math.log(max(SHORT, len(old.split())) / SHORT)
    return COSINE * cosine + MUTUAL * is_mutual + CONFLICT * is_conflict - LENGTH * length >= VERSION_BAR


def lacks_identifier(question: str, new: str, old: str) -> bool:
    """Tell whether the question has a name (`jwks.json`, `E-114`, Java) of the older text that the newer one lacks."""
    first, *words = (word.strip("?!.,;:\"'`()") for word in question.split() or [""])
    named = [word for word in words if word != word.lower()]
    asked = (word.lower() for word in (first, *words) if word and not word.translate(_IN_WORDS).isalpha())
    return any(word in old.lower() and word not in new.lower() for word in (*asked, *map(str.lower, named)))

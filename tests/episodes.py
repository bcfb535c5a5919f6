"""What tests of episodic memory share: a clock that is told the time, and vectors of words."""

from __future__ import annotations

import hashlib

NOW = 1_750_000_000.25
HOUR = 3600.0


class Clock:
    """Says what time it is: what it was told."""

    def __init__(self, now: float = NOW) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now

    def wait(self, *, minutes: float = 0.0, hours: float = 0.0) -> None:
        """Let time pass."""
        self.now += 60 * minutes + HOUR * hours


def words_vector(text: str) -> list[float]:
    """Return the vector of a text by its words: texts that share none are at right angles, nearly."""
    vector = [0.001] * 256
    for word in text.lower().replace("user:", "").replace("assistant:", "").split():
        digest = hashlib.sha256(word.strip(".,?!").encode()).digest()
        for place, sign in zip(digest[:8], digest[8:16], strict=True):
            vector[place] += 1.0 if sign % 2 else -1.0
    return vector

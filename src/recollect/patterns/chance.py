"""Chance: how much of what was seen could be nothing but luck."""

from __future__ import annotations

import math

# Two standard deviations: one in twenty would be surer than it is.
Z = 1.96


def surely(successes: int, of: int) -> float:
    """Return the share of successes that can be counted on, whatever luck had: the lower end of Wilson's interval.

    9 of 9 give 0.70, 18 of 20 the same, 3 of 3 only 0.44: it asks for a ratio and a count at once.
    """
    if of <= 0:
        return 0.0
    share = successes / of
    centre = share + Z * Z / (2 * of)
    spread = Z * math.sqrt(share * (1 - share) / of + Z * Z / (4 * of * of))
    return max(0.0, (centre - spread) / (1 + Z * Z / of))


def beyond(seen: int, expected: float) -> float:
    """Return the share of what was seen that the expected number does not explain, 0 to 1."""
    return max(0.0, 1.0 - expected / seen) if seen > 0 else 0.0


def rate(mean: float) -> float:
    """Return how often something is seen on average, given the mean of what was seen at all (zero-truncated Poisson).

    Whatever was never seen is not there to be counted, so that the mean of the others is at least 1.
    """
    low, high = 0.0, max(mean, 0.0)
    if mean <= 1.0:
        return 0.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if middle / -math.expm1(-middle) < mean else (low, middle)
    return high


def luck(seen: int, expected: float) -> float:
    """Return how likely it is to see so many or more where so many are expected (Poisson)."""
    if seen <= 0:
        return 1.0
    if expected <= 0:
        return 0.0
    below = math.fsum(
        math.exp(number * math.log(expected) - expected - math.lgamma(number + 1)) for number in range(seen)
    )
    return max(0.0, 1.0 - below)

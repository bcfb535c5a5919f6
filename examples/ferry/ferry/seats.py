"""Seats: hold one while a person books, and release it when the hold expires."""

from __future__ import annotations

HOLD_S = 600


class Seats:
    """The seats of one sailing."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.held: dict[int, float] = {}

    def free(self, now: float) -> list[int]:
        """Return the seats that can be selected, after releasing expired holds."""
        self._release_expired(now)
        return [seat for seat in range(1, self.count + 1) if seat not in self.held]

    def hold(self, seat: int, now: float) -> bool:
        """Hold a seat for ten minutes; return False if another person has it."""
        if seat not in self.free(now):
            return False
        self.held[seat] = now + HOLD_S
        return True

    def _release_expired(self, now: float) -> None:
        self.held = {seat: until for seat, until in self.held.items() if until > now}

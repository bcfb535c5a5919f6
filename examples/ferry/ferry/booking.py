"""Bookings: hold the seats, then take the payment."""

from __future__ import annotations

from collections.abc import Callable

from ferry.payments import charge
from ferry.prices import ticket_price
from ferry.seats import Seats


def book(seats: Seats, wanted: list[int], key: str, send: Callable[[str, int], bool], now: float) -> int:
    """Book seats for adults and return the price in cents; raises ValueError if a seat is taken."""
    for seat in wanted:
        if not seats.hold(seat, now):
            raise ValueError(f"seat {seat} is taken")
    price = ticket_price(adults=len(wanted))
    charge(send, key, price)
    return price

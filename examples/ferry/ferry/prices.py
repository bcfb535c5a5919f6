"""Prices: what a ticket costs, in cents."""

from __future__ import annotations

ADULT = 1250
CHILD = 600
BICYCLE = 350
# Ten or more people are a group.
GROUP_SIZE = 10
GROUP_DISCOUNT = 15


def ticket_price(adults: int, children: int = 0, bicycles: int = 0) -> int:
    """Return the price of a booking in cents, with the discount of a group."""
    price = adults * ADULT + children * CHILD
    if adults + children >= GROUP_SIZE:
        price -= price * GROUP_DISCOUNT // 100
    return price + bicycles * BICYCLE

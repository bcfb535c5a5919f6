"""A booking from the seats to the payment."""

from ferry.booking import book
from ferry.seats import Seats


def test_a_booking_charges_the_price_of_its_seats() -> None:
    sent: list[tuple[str, int]] = []
    price = book(Seats(4), [1, 2], "order-7", lambda key, cents: not sent.append((key, cents)), now=0)
    assert price == 2500
    assert sent == [("order-7", 2500)]

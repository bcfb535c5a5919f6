"""Seats that are held, and released."""

from ferry.seats import HOLD_S, Seats


def test_a_held_seat_is_free_again_after_ten_minutes() -> None:
    seats = Seats(2)
    assert seats.hold(1, now=0)
    assert not seats.hold(1, now=HOLD_S - 1)
    assert seats.hold(1, now=HOLD_S)

"""Payments: charge a card, and try again when the provider does not answer."""

from __future__ import annotations

import time
from collections.abc import Callable

TRIES = 5
FIRST_DELAY_S = 1.0


class PaymentFailed(Exception):
    """The provider did not accept the payment."""


def charge(send: Callable[[str, int], bool], key: str, cents: int, sleep: Callable[[float], None] = time.sleep) -> int:
    """Charge a card and return the number of tries; every try uses the same idempotency key."""
    for number in range(TRIES):
        try:
            if send(key, cents):
                return number + 1
            raise PaymentFailed(f"payment {key} was declined")
        except TimeoutError:
            sleep(FIRST_DELAY_S * 2**number)
    raise PaymentFailed(f"no answer to payment {key} after {TRIES} tries")

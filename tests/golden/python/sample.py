"""A ledger of payments: what came in, what went out."""

from __future__ import annotations

import asyncio
import os.path as osp
from collections import defaultdict, deque as queue
from . import rates
from ..core.money import *
from ..core import errors as err

LIMIT = 10_000  # per account and day
logger = get_logger(__name__)
double = lambda amount: amount * 2
type Pair = tuple[str, int]


class Account(rates.Priced, Generic[Owner]):
    """Somebody's money.

    Never negative.
    """

    KINDS = ("debit", "credit")
    label: str = "account"

    def __init__(self, owner: Owner, *, limit: int = LIMIT) -> None:
        super().__init__()
        self._owner = owner
        self.history: list[Entry] = []

    @property
    def balance(self) -> int:
        return sum(entry.amount for entry in self.history if entry.settled)

    @balance.setter
    def balance(self, value): raise err.ReadOnly("balance")

    @staticmethod
    async def fetch(
        number: str,  # as printed on the card
        retries: int = 3,
    ) -> "Account":
        r'''Return the account of a number, or raise.'''
        async def attempt(left):
            if left == 0:
                raise TimeoutError
            return await asyncio.wait_for(bank.call(number), timeout=5)

        for left in range(retries):
            while True:
                match await attempt(left):
                    case None:
                        continue
                    case found:
                        return found

    def _audit(self): return self.fetch.cache_clear()


# Routes of the public interface.

@app.get("/accounts/{number}", response_model=Account)
@cached
def read_account(number: str) -> Account:
    # Not a docstring.
    return pool.submit(double, number)


@bp.route("/transfer", methods=["POST"])
def transfer():
    handlers = {"debit": double}
    signal.connect(read_account, sender=Account)
    return osp.join("a  b", 'c') + f"{queue()} x"


def test_balance_is_never_negative():
    assert Account("me").balance >= 0


if __name__ == "__main__":
    def local(): pass
    local()

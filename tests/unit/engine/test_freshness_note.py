"""The sentence about the code of a memory."""

from __future__ import annotations

from recollect.engine.memory.freshness import summed
from recollect.model import Anchored

LONG_AGO = 1_500_000_000


def anchored(symbol: str, different: float, path: str = "context.go", verdict: str = "changed") -> Anchored:
    return Anchored(
        path=path, symbol=symbol, verdict=verdict, since=LONG_AGO + 86_400, taken_at=LONG_AGO, different=different
    )


def test_symbols_of_one_file_share_a_sentence() -> None:
    rows = [anchored("Context.Done", 0.26), anchored("Context.Err", 0.31), anchored("Context.Copy", 0.28)]
    assert summed(rows).note == (
        "context.go::Context.Copy, Context.Done, Context.Err changed since 2017-07-14 "
        "(last change 2017-07-15, 26 to 31 % different)"
    )


def test_each_file_and_each_verdict_is_named() -> None:
    rows = [anchored("load", 0.5, "a.py"), anchored("load", 0.5, "b.py"), anchored("save", 0, "b.py", "gone")]
    assert summed(rows).note == (
        "b.py::save no longer in the code (last change 2017-07-15); "
        "a.py::load, b.py::load changed since 2017-07-14 (last change 2017-07-15, 50 % different)"
    )


def test_what_is_left_out_is_counted() -> None:
    note = summed([anchored(f"f{number}", 0.5) for number in range(5)]).note
    assert note.startswith("context.go::f0, f1, f2 changed since")
    assert note.endswith("; and 2 more")

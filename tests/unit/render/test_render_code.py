"""Answers about code say each thing once, and nothing about broken samples beyond a few lines."""

from __future__ import annotations

from tests.unit.render.test_records import NOW

from recollect.code.code_records import Indexed
from recollect.model.graph_answer import Doubt, Impact, NodeView, Use
from recollect.render import to_text


def node(name: str) -> NodeView:
    return NodeView(id=f"sym:/shop/{name}.py::{name}", kind="Function", label=name, path=f"{name}.py", line=3)


def use(name: str) -> Use:
    return Use(node=node(name), relationship="CALLS", depth=1, confidence=1.0, via="", lines=(5,))


def test_the_impact_lists_a_test_once_and_says_why_a_use_is_uncertain() -> None:
    doubts = (
        Doubt(name="total", path="till.py", line=9, candidates=("sym:/shop/price.py::total",)),
        Doubt(name="total", path="tax.py", line=2, candidates=("sym:/shop/a.py::total", "sym:/shop/b.py::total")),
    )
    answer = Impact(
        node=node("total"), depth=1, affected=(use("checkout"), use("test_checkout")), total=2,
        tests=(use("test_checkout"),), tests_total=1, doubts=doubts, doubts_total=2,
    )  # fmt: skip
    text = to_text(answer, NOW)
    assert text.count("test_checkout.py:3") == 1
    assert "\ncheckout.py:3" in text
    assert "till.py:9  total, on an object of unknown type" in text
    assert "tax.py:2  total, one of 2" in text


def test_the_index_shows_three_notes_and_all_of_them_in_full() -> None:
    notes = tuple(f"sample{number}.rs: syntax error at line 1" for number in range(9))
    done = Indexed(
        root="/shop", namespace=None, files=9, symbols=1, chunks=1, size_bytes=9, read=9, unchanged=0, removed=0,
        read_bytes=9, notes=notes,
    )  # fmt: skip
    text, full = to_text(done, NOW), to_text(done, NOW, full=True)
    assert (text.count("syntax error"), full.count("syntax error")) == (3, 9)
    assert "and 6 more; --full lists them" in text

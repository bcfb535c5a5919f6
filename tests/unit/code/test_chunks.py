"""Where a file is cut: at functions and class heads, never in the middle of a line, and nothing is lost."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from recollect.code.index.chunks import JOINED_LINES, MAX_BYTES, MAX_LINES, Chunk, chunks
from recollect.code.index.symbols import Symbol

BODY = b"    work = 1\n" * 5


def symbol(name: str, kind: Any, start: int, end: int, parent: int = -1) -> Symbol:
    return Symbol(name, name, kind, "", "", "public", (), parent, start, end, 0, 0, 0.0, False, None, "")


def lines(pieces: list[Chunk]) -> list[tuple[int, int]]:
    return [(piece.start_line, piece.end_line) for piece in pieces]


def test_a_file_without_symbols_is_one_piece() -> None:
    assert lines(chunks(b"one = 1\ntwo = 2\n", [])) == [(1, 2)]


def test_an_empty_or_blank_file_has_no_piece() -> None:
    assert chunks(b"", []) == []
    assert chunks(b"\n \n\t\n", []) == []


def test_functions_are_pieces_of_their_own_and_so_is_what_lies_between() -> None:
    source = (
        b"import a\nimport b\nimport c\nimport d\n\ndef f():\n"
        + BODY
        + b"\n\ndef g():\n"
        + BODY
        + b"\nmain()\nx = 1\ny = 2\nz = 3\n"
    )
    symbols = [symbol("f", "Function", 6, 11), symbol("g", "Function", 14, 19)]
    pieces = chunks(source, symbols)
    assert lines(pieces) == [(1, 4), (6, 11), (14, 19), (21, 24)]
    assert [piece.symbols for piece in pieces] == [(), (0,), (1,), ()]
    assert source[pieces[1].start_byte : pieces[1].end_byte] == b"def f():\n" + BODY


def test_the_head_of_a_class_is_apart_from_its_methods() -> None:
    head = b"class A:\n    one = 1\n    two = 2\n    three = 3\n\n"
    source = head + b"    def f(self):\n" + BODY + b"\n    def g(self):\n" + BODY
    symbols = [
        symbol("A", "Class", 1, 17),
        symbol("f", "Method", 6, 11, 0),
        symbol("g", "Method", 13, 18, 0),
    ]
    pieces = chunks(source, symbols)
    assert lines(pieces) == [(1, 4), (6, 11), (13, 18)]
    assert [piece.around for piece in pieces] == [-1, 0, 0]


def test_a_short_head_joins_the_piece_below_and_a_short_method_the_one_above() -> None:
    source = b"class A:\n    def f(self):\n" + BODY + b"    def g(self):\n        return 1\n"
    symbols = [symbol("A", "Class", 1, 9), symbol("f", "Method", 2, 7, 0), symbol("g", "Method", 8, 9, 0)]
    (piece,) = chunks(source, symbols)
    assert (piece.start_line, piece.end_line, piece.symbols) == (1, 9, (0, 1, 2))


def test_what_lies_inside_a_function_is_part_of_it() -> None:
    source = b"def f():\n" + BODY + b"    def inner():\n    " + BODY
    symbols = [symbol("f", "Function", 1, 12), symbol("inner", "Function", 7, 12, 0)]
    (piece,) = chunks(source, symbols)
    assert piece.symbols == (0, 1)


def test_a_long_function_is_cut_evenly_and_its_parts_know_it() -> None:
    count = MAX_LINES * 2 + 10
    source = b"def f():\n" + b"    work = 1\n" * (count - 1)
    pieces = chunks(source, [symbol("f", "Function", 1, count)])
    assert len(pieces) == 3
    assert max(last - first + 1 for first, last in lines(pieces)) <= MAX_LINES
    assert [piece.around for piece in pieces] == [-1, 0, 0]
    assert [piece.symbols for piece in pieces] == [(0,), (), ()]


def test_a_gigantic_line_is_cut_off_for_searching() -> None:
    (piece,) = chunks(b"x" * (MAX_BYTES * 3), [])
    assert (piece.start_line, piece.end_line, piece.end_byte) == (1, 1, MAX_BYTES)


def test_symbols_on_one_line_share_a_piece() -> None:
    source = b"function a(){} function b(){} function c(){}\n"
    symbols = [symbol(name, "Function", 1, 1) for name in "abc"]
    (piece,) = chunks(source, symbols)
    assert piece.symbols == (0, 1, 2)


def test_carriage_returns_alone_end_no_line() -> None:
    source = b"a = 1\rb = 2\rdef f():\n" + BODY
    assert lines(chunks(source, [symbol("f", "Function", 1, 6)])) == [(1, 6)]


SPANS = st.lists(st.tuples(st.integers(1, 60), st.integers(0, 90), st.sampled_from(["Function", "Class", "Constant"])))


@given(SPANS, st.lists(st.sampled_from([b"", b"word", b"   ", b"more words here"]), max_size=120))
def test_every_line_with_a_word_is_in_exactly_one_piece_and_every_symbol_too(
    spans: list[tuple[int, int, Any]], text: list[bytes]
) -> None:
    source = b"\n".join(text)
    symbols = [symbol(f"s{first}", kind, first, first + more) for first, more, kind in sorted(spans)]
    pieces = chunks(source, symbols)
    covered = [line for piece in pieces for line in range(piece.start_line, piece.end_line + 1)]
    assert len(covered) == len(set(covered))
    assert {number for number, line in enumerate(text, 1) if line.strip()} <= set(covered)
    assert lines(pieces) == sorted(lines(pieces))
    assert all(last - first < max(MAX_LINES, JOINED_LINES) for first, last in lines(pieces))
    if pieces:
        assert sorted(place for piece in pieces for place in piece.symbols) == list(range(len(symbols)))

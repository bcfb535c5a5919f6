"""A card says in words what a piece of code is, so that a model of prose can place it."""

from __future__ import annotations

import pytest

from recollect.code.index.card import MAX_DOC, MAX_SIGNATURE, MAX_SYMBOLS, MAX_TERMS, as_words, card

from .pieces import candidate, piece, symbol


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("HTTPServer.startAll", "http server start all"),
        ("parse_header2", "parse header 2"),
        ("src/app/my_server", "src app my server"),
        ("Buoy::drift", "buoy drift"),
        ("", ""),
    ],
)
def test_a_name_is_written_out_as_its_words(name: str, words: str) -> None:
    assert as_words(name) == words


@pytest.mark.promise("E9")
def test_a_card_holds_place_kind_owner_signature_documentation_and_what_is_used() -> None:
    owner = symbol("HttpServer", kind="Class")
    start = symbol(
        "HttpServer.startAll",
        kind="Method",
        visibility="private",
        signature="def startAll(self)",
        doc="Open  the\nsocket.",
    )
    made = candidate("src/net/http_server.py", piece("socket accept socket x accept socket", [start], around=owner))
    assert card(made.pieces[0]).split("\n") == [
        "[private method] File: src net http server Parent: http server",
        "http server start all: def startAll(self)",
        "Open the socket.",
        "socket, accept",
    ]


def test_a_piece_without_symbols_says_what_it_is_part_of() -> None:
    assert (
        card(candidate("a.py", piece("", around=symbol("run"))).pieces[0]) == "[part of function] File: a Parent: run"
    )
    assert card(candidate("a.py", piece("")).pieces[0]) == "[code] File: a"


def test_a_card_stays_short_whatever_the_piece_holds() -> None:
    many = [symbol(f"name{number}", doc="d" * 9999, signature="s" * 9999) for number in range(50)]
    lines = card(
        candidate(
            "a.py", piece(" ".join(f"word{'abcdefgh'[n % 8]}{'xyz' * (n // 8)}" for n in range(80)), many)
        ).pieces[0]
    ).split("\n")
    assert len(lines) == 1 + 2 * MAX_SYMBOLS + 1
    assert max(map(len, lines[1:-1])) <= max(MAX_DOC, MAX_SIGNATURE + len("name 10: "))
    assert len(lines[-1].split(", ")) == MAX_TERMS


def test_the_card_of_a_piece_that_moved_names_its_new_place() -> None:
    one, other = (candidate(path, piece("a", [symbol("run")])) for path in ("old/place.py", "new/place.py"))
    assert card(one.pieces[0]).replace("old", "new") == card(other.pieces[0])

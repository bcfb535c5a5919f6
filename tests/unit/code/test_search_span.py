"""Of a file that is right, the lines are shown that were meant."""

from __future__ import annotations

from typing import Any

from recollect.code.search.question import understand
from recollect.code.search.signals import rarity
from recollect.code.search.span import choose

from .pieces import candidate, piece, pool, symbol


def chosen(
    question: str, *pieces: Any, cosines: tuple[float, ...] = (), kind: str | None = None
) -> tuple[int, int, str] | None:
    asked, one = understand(question), candidate("src/a.py", *pieces, cosines=cosines)
    span = choose(asked, one, rarity(asked, pool(one, candidate("other.py", piece("unrelated")))), kind)
    return span and (span.start_line, span.end_line, span.symbol.qualified if span.symbol else "")


SERVER = symbol("Server", 1, 60, kind="Class", doc="Answers clients.")
START = symbol("Server.start", 10, 30, kind="Method", doc="Open the socket.")
STOP = symbol("Server.stop", 32, 60, kind="Method")
HEAD = piece("class Server socket", [SERVER], lines=(1, 9))
OPENING = piece("socket bind listen", [START], lines=(10, 30), around=SERVER)
ENDING = piece("close clients", [STOP], lines=(32, 60), around=SERVER)


def test_a_name_is_its_definition_wherever_its_words_stand() -> None:
    busy = piece("start start stop", [symbol("main", 70, 80)], lines=(70, 80))
    assert chosen("start", HEAD, busy, OPENING) == (10, 30, "Server.start")
    assert chosen("what does `Server` hold", HEAD, OPENING) == (1, 60, "Server")


def test_the_case_decides_between_names_that_are_otherwise_the_same() -> None:
    lower, upper = symbol("reader", 1, 5), symbol("Reader", 7, 30, kind="Class")
    both = piece("", [lower, upper])
    assert chosen("Reader", both) == (7, 30, "Reader")
    assert chosen("reader", both) == (1, 5, "reader")
    assert chosen("READER", both) == (1, 5, "reader")


def test_the_owner_written_before_a_name_decides_whose_it_is() -> None:
    client = symbol("Client.start", 80, 99, kind="Method")
    both = (OPENING, piece("", [client], lines=(80, 99)))
    assert chosen("Client.start", *both) == (80, 99, "Client.start")
    assert chosen("Client::start", *both) == (80, 99, "Client.start")
    assert chosen("Server.start", *both) == (10, 30, "Server.start")
    assert chosen("start", *both) == (10, 30, "Server.start")


def test_a_description_leads_to_the_piece_with_most_of_its_rare_words() -> None:
    assert chosen("where do we listen on the socket", HEAD, OPENING, ENDING) == (10, 30, "Server.start")
    assert chosen("close all clients", HEAD, OPENING, ENDING) == (32, 60, "Server.stop")


def test_where_no_word_leads_meaning_does() -> None:
    question = "hang up on everybody"
    assert chosen(question, HEAD, OPENING, ENDING, cosines=(0.1, 0.2, 0.5)) == (32, 60, "Server.stop")
    assert chosen(question, HEAD, OPENING, ENDING, cosines=(0.1, 0.5, 0.2)) == (10, 30, "Server.start")


def test_words_in_the_comment_above_a_function_lead_to_it() -> None:
    # The comment stands at the end of the piece before.
    swap = symbol("swap_burner", 10, 30, doc="Swap a burner for a spare one.")
    pieces = piece("swap burner spare", [SERVER], lines=(1, 9)), piece("x", [swap], lines=(10, 30))
    assert chosen("swap the burner for a spare one", *pieces) == (10, 30, "swap_burner")


def test_of_several_functions_in_a_piece_the_one_called_like_the_question_is_shown() -> None:
    several = piece("", [symbol("open_door", 1, 3), symbol("close_door", 5, 7), symbol("paint", 9, 12)], lines=(1, 12))
    assert chosen("how is the door closed again", several) == (5, 7, "close_door")


def test_where_none_of_them_is_meant_the_whole_piece_is_shown() -> None:
    several = piece("tide", [symbol("open_door", 2, 3), symbol("paint", 9, 11)], lines=(1, 12))
    assert chosen("tables of the tide", several) == (1, 12, "open_door")


def test_the_head_of_a_class_that_goes_on_is_shown_without_the_rest() -> None:
    module, static = symbol("Rack", 1, 90, kind="Module"), symbol("Rack.Files", 3, 89, kind="Class")
    assert chosen("serving directories quickly", piece("serving directories", [module, static], lines=(1, 12))) == (
        1, 12, "Rack.Files",
    )  # fmt: skip
    assert chosen("answers clients quickly please", HEAD) == (1, 9, "Server")


def test_a_function_that_goes_on_is_shown_whole() -> None:
    assert chosen("opening of sockets please", piece("", [symbol("open_socket", 5, 90)], lines=(5, 60))) == (
        5, 90, "open_socket",
    )  # fmt: skip


def test_a_constant_is_shown_with_what_stands_around_it() -> None:
    limit = symbol("limit", 3, 3, kind="Constant")
    assert chosen("what the limit of pressure is", piece("limit pressure", [limit], lines=(1, 9))) == (1, 9, "limit")
    assert chosen("limit", piece("limit pressure", [limit], lines=(1, 9))) == (3, 3, "limit")


def test_a_piece_from_the_middle_of_a_function_names_it() -> None:
    run = symbol("run", 1, 200)
    assert chosen("retry counters are reset", piece("retry reset", lines=(61, 120), around=run)) == (61, 120, "run")
    assert chosen("retry counters are reset", piece("retry reset", lines=(61, 120))) == (61, 120, "")


def test_a_kind_is_kept_to_even_if_something_else_matches_better() -> None:
    assert chosen("open the socket", HEAD, OPENING, ENDING, kind="Class") == (1, 60, "Server")
    assert chosen("stop", HEAD, OPENING, ENDING, kind="Method") == (32, 60, "Server.stop")
    assert chosen("open the socket", HEAD, OPENING, ENDING, kind="Interface") is None


def test_a_report_is_led_by_its_words_not_by_names_in_passing() -> None:
    words = " ".join(f"{letter}{letter}word" for letter in "abcdefghijklmnopqrstuvwxyz")
    report = f"socket bind listen fails {words} more words until it is long and `stop` is mentioned too once"
    assert understand(report).is_report
    assert chosen(report, ENDING, OPENING) == (10, 30, "Server.start")
    assert chosen("`stop` after socket bind listen", ENDING, OPENING) == (32, 60, "Server.stop")

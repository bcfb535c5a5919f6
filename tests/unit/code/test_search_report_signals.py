"""What tells files apart by the parts of a report, on files made by hand."""

from __future__ import annotations

import pytest

from .pieces import candidate, piece, signals, symbol

FILLER = " ".join(f"filler{letter} words{letter} more{letter}" for letter in "abcdefghijklmno")


def test_the_innermost_frame_counts_most_and_named_files_count() -> None:
    found = signals(
        f'Burner fails\n{FILLER}\n  File "x/lamp/keeper.py", line 3, in f\n  File "x/lamp/burner.py", line 9, in g\n'
        "also see lamp/wick.py and lamp.horn.blow",
        candidate("lamp/burner.py", piece("")),
        candidate("lamp/keeper.py", piece("")),
        candidate("lamp/wick.py", piece("")),
        candidate("lamp/horn.py", piece("")),
    )
    assert found["frame"] == [1.0, 0.5, 0.0, 0.0]
    assert found["cited"] == [0.0, 0.0, 1.0, 0.0]
    assert found["module"] == [0.0, 0.0, 0.0, 1.0]


def test_a_pointer_that_fits_two_files_counts_half_for_each() -> None:
    found = signals(
        f"Burner fails in burner.py\n{FILLER}", candidate("a/burner.py", piece("")), candidate("b/burner.py", piece(""))
    )
    assert found["cited"] == [0.5, 0.5]


def test_what_is_said_is_measured_apart_from_what_is_shown() -> None:
    found = signals(
        f"Burner fails\nthe mirror turns, the mirror shakes {FILLER}\n```\nhorn.blow()\n```",
        candidate("a.py", piece("mirror"), piece("")),
        candidate("b.py", piece("horn blow")),
        candidate("mirror.py", piece("")),
        candidate("c.py", piece("shakes")),
    )
    assert found["said"][0] == found["said_best"][0] > found["said"][3] > found["said"][1] == 0.0
    assert found["shown"][1] > 0.0 == found["shown"][0]
    # The path counts for the file, not for a piece of it.
    assert found["said"][2] > 0.0 == found["said_best"][2]
    assert found["stem_said"] == [0.0, 0.0, 1.0, 0.0]


def test_words_in_a_row_count_more_than_the_same_words() -> None:
    found = signals(
        f"Burner fails\nValueError: lamp oil runs dry tonight\n{FILLER}",
        candidate("a.py", piece("lamp oil runs dry tonight")),
        candidate("b.py", piece("tonight dry runs oil lamp")),
    )
    assert found["phrase"] == [1.0, 0.0]


def test_names_count_by_where_they_stand_and_with_their_owner() -> None:
    found = signals(
        f"Burner fails\nI call `Lamp.swap_burner` twice {FILLER}\n```\ntrim_wick()\n```",
        candidate("a.py", piece("", [symbol("Lamp.swap_burner", kind="Method")])),
        candidate("b.py", piece("", [symbol("Horn.swap_burner", kind="Method")])),
        candidate("c.py", piece("", [symbol("trim_wick")])),
        candidate("lamp.py", piece("", [symbol("swap_burner")])),
    )
    assert found["defines_said"] == [pytest.approx(1 / 3), pytest.approx(1 / 3), 0.0, pytest.approx(1 / 3)]
    assert found["defines_shown"] == [0.0, 0.0, 1.0, 0.0]
    assert [value > 0 for value in found["owned"]] == [True, False, False, True]


def test_scores_by_the_headline_and_by_what_is_said_count_relative_to_the_best() -> None:
    files = [
        candidate("a.py", piece(""))._replace(led=[4.0, 2.0], told=[1.0]),
        candidate("b.py", piece(""))._replace(led=[2.0], told=[2.0]),
        candidate("c.py", piece("")),
    ]
    found = signals(f"Burner fails\n{FILLER}", *files)
    assert found["led"] == [1.0, 0.5, 0.0]
    assert found["led_several"] == [1.0, pytest.approx(1 / 3), 0.0]
    assert found["told"] == [0.5, 1.0, 0.0]


def test_a_file_is_lifted_by_the_others_of_its_folder() -> None:
    found = signals(
        f"Burner fails\n{FILLER}",
        candidate("lamp/a.py", piece(""), scores=[4.0]),
        candidate("lamp/b.py", piece(""), scores=[1.0]),
        candidate("horn/c.py", piece(""), scores=[4.0]),
    )
    assert found["near"] == [0.25, 1.0, 0.0]


def test_a_short_question_has_none_of_these() -> None:
    found = signals("how does the burner work", candidate("a.py", piece("burner")))
    assert {"frame", "cited", "led", "told", "said", "phrase", "near", "owned"}.isdisjoint(found)

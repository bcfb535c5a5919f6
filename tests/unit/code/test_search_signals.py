"""Each signal on files made by hand: what raises it, and what does not."""

from __future__ import annotations

import math

import pytest

from recollect.code.search.question import understand
from recollect.code.search.ranking_weights import BY_HAND, MODELS, RELEVANCE
from recollect.code.search.signals import SEMANTIC, measure, rarity

from .pieces import candidate, piece, pool, signals, symbol


def test_every_signal_of_the_models_is_measured_and_is_a_number() -> None:
    files = candidate("lamp.py", piece("lit"), cosines=[0.5]), candidate("a.py", piece("b"))
    short = signals("where is the lamp lit", *files)
    found = signals(REPORT, *files)
    for kind, model in MODELS.items():
        assert set(model) | set(BY_HAND) <= set(found if kind.startswith("report") else short)
        assert set(RELEVANCE[kind]) <= {*short, "score", "offset"}
    assert all(math.isfinite(value) for column in found.values() for value in column)
    assert {len(column) for column in found.values()} == {2}


def test_nothing_is_measured_where_there_is_nothing() -> None:
    assert measure(understand("lamp"), pool()) == {}


def test_rare_words_weigh_more_and_none_weighs_nothing() -> None:
    files = [candidate("a.py", piece("common rare"), number=1)]
    files += [candidate("b.py", piece("common"), number=number) for number in range(2, 9)]
    weights = rarity(understand("common rare unknown words"), pool(*files))
    assert weights["unknown"] > weights["rare"] > weights["common"] > 0


# --- words ---


def test_scores_count_relative_to_the_best_file() -> None:
    found = signals(
        "a question here",
        candidate("a.py", piece(), scores=[8.0, 4.0, 3.9, 0.1]),
        candidate("b.py", piece(), scores=[4.0]),
        candidate("c.py", piece(), scores=[]),
    )
    assert found["best"] == [1.0, 0.5, 0.0]
    assert found["several"] == [1.0, pytest.approx(4 / 15.9), 0.0]
    # At least half as good as the best of the file.
    assert found["many"] == [math.log1p(2), math.log1p(1), 0.0]


def test_covered_is_the_share_of_the_question_in_one_piece_and_in_all() -> None:
    found = signals(
        "lamp burner mirror chain",
        candidate("a.py", piece("lamp burner"), piece("mirror", [symbol("chain")])),
        candidate("b.py", piece("lamp")),
        candidate("burner.py", piece("unrelated")),
    )
    assert found["covered"][0] == pytest.approx(1.0)
    assert found["covered_best"][0] < 1.0
    assert found["covered"][1] == found["covered_best"][1]
    # The path counts for the file, not for a piece of it.
    assert found["covered"][2] > 0 == found["covered_best"][2]


def test_known_says_how_much_of_the_question_the_code_has_words_for() -> None:
    files = (candidate("a.py", piece("lamp burner")), candidate("b.py", piece("")))
    assert 0 < signals("lamp burner please", *files)["known"][0] < 1
    assert signals("lamp burner", *files)["known"] == [1.0, 1.0]
    assert signals("quantum entanglement", *files)["known"] == [0.0, 0.0]


# --- paths ---


def test_the_name_of_a_file_and_of_its_folders_count() -> None:
    found = signals(
        "how the beacon lamp works",
        candidate("src/beacon_lamp.py", piece()),
        candidate("src/beacon_lamp_holder_spare.py", piece()),
        candidate("beacon/main.py", piece()),
        candidate("a/b/c/d/horn.py", piece()),
    )
    assert found["stem"][0] == found["stem"][1] > found["stem"][2] == 0.0
    assert found["stem_whole"][0] > found["stem_whole"][1] > found["stem_whole"][2] == 0.0
    assert signals("how a lamp works", candidate("lamp.py", piece()))["stem_whole"] == [1.0]
    assert found["folder"][2] > 0.0 == found["folder"][0]
    assert found["stem_relative"] == [1.0, 1.0, 0.0, 0.0]


def test_only_the_nearest_folders_count() -> None:
    found = signals("how beacon works", candidate("beacon/b/c/d.py", piece()), candidate("beacon/a/b/c/d.py", piece()))
    assert found["folder"][0] > 0.0 == found["folder"][1]


# --- definitions ---


def test_a_definition_of_the_name_asked_for_counts_most_where_it_is_spelt_so_and_leads_its_file() -> None:
    found = signals(
        "BeaconLamp",
        candidate("a.py", piece("", [symbol("BeaconLamp", kind="Class")])),
        candidate("b.py", piece("", [symbol("beaconlamp")])),
        candidate("c.py", piece("", [symbol("Tower.BeaconLamp", kind="Method", parent=0)])),
        candidate("d.py", piece("BeaconLamp BeaconLamp")),
    )
    assert found["defines"] == [1.0, 0.5, 1.0, 0.0]
    assert found["defines_here"] == [1.0, 1.0, 0.0, 0.0]


def test_names_made_of_the_questions_words_count_by_how_much_of_either_they_are() -> None:
    found = signals(
        "how a beacon lamp is lit",
        candidate("a.py", piece("", [symbol("beacon_lamp")])),
        candidate("b.py", piece("", [symbol("beacon_holder_of_spares")])),
        candidate("c.py", piece("beacon lamp")),
    )
    assert found["named"][0] > found["named"][1] > found["named"][2] == 0.0
    assert found["named_relative"][0] == 1.0
    assert found["names"][0] > found["names"][1] > found["names"][2] == 0.0
    assert found["names_relative"][0] == 1.0


def test_documentation_that_has_the_words_counts() -> None:
    found = signals(
        "swap a broken burner",
        candidate("a.py", piece("", [symbol("f", doc="Swap a broken burner for a spare one.")])),
        candidate("b.py", piece("swap broken burner", [symbol("g")])),
    )
    assert found["doc"][0] > 0.9 and found["doc"][1] == 0.0


# --- what kind of file it is ---


@pytest.mark.parametrize(
    ("path", "signal"),
    [
        ("tests/lamp.py", "test"),
        ("src/lamp_test.go", "test"),
        ("src/lamp.spec.ts", "test"),
        ("src/LampTest.java", "test"),
        ("test_lamp.py", "test"),
        ("pkg/__tests__/lamp.js", "test"),
        ("examples/lamp.py", "example"),
        ("docs/lamp.py", "example"),
        ("benchmarks/lamp.py", "example"),
        ("src/win/lamp.c", "elsewhere"),
        ("src/lamp_windows.go", "elsewhere"),
        ("src/lamp/__init__.py", "entry"),
        ("src/lamp/mod.rs", "entry"),
    ],
)
def test_a_file_is_known_by_its_path(path: str, signal: str) -> None:
    found = signals(
        "how the lamp shines", candidate(path, piece("lamp")), candidate("src/latest/attestation.py", piece("lamp"))
    )
    assert found[signal] == [1.0, 0.0]


def test_a_file_of_nothing_but_tests_is_a_test_wherever_it_lies() -> None:
    test, code = symbol("checks_lamp", test=True), symbol("lamp")
    found = signals(
        "how the lamp shines", candidate("src/a.rs", piece("", [test])), candidate("src/b.rs", piece("", [test, code]))
    )
    assert found["test"] == [1.0, 0.0]


def test_prose_data_and_copied_code_are_known_by_their_language_and_mark() -> None:
    found = signals(
        "how the lamp shines",
        candidate("a.md", piece("lamp"), language="markdown"),
        candidate("b.json", piece("lamp"), language="json"),
        candidate("c.py", piece("lamp"), mark="vendored"),
    )
    assert (found["prose"], found["data"], found["copied"]) == ([1, 0, 0], [0, 1, 0], [0, 0, 1])


@pytest.mark.parametrize(
    ("question", "path", "signal"),
    [
        ("tests of the lamp please", "tests/lamp.py", "test"),
        ("an example of the lamp", "examples/lamp.py", "example"),
        ("documentation of the lamp", "docs/lamp.py", "example"),
        ("the lamp on windows please", "src/win/lamp.c", "elsewhere"),
    ],
)
def test_what_is_asked_for_by_its_kind_is_not_held_against_a_file(question: str, path: str, signal: str) -> None:
    assert signals(question, candidate(path, piece("lamp")))[signal] == [0.0]


def test_a_long_file_is_told_from_a_short_one() -> None:
    found = signals("how lamps shine", candidate("a.py", piece(), chunk_count=99), candidate("b.py", piece()))
    assert found["length"] == [math.log1p(99), math.log1p(1)]


# --- meaning ---


def test_closeness_in_meaning_counts_in_itself_and_against_the_others() -> None:
    found = signals(
        "how lamps shine",
        candidate("a.py", piece("x"), piece("y"), cosines=[0.2, 0.8], number=1),
        candidate("b.py", piece("x"), cosines=[0.4], number=2),
        candidate("c.py", piece("x"), number=3),
    )
    assert found["cosine"] == [0.8, 0.4, 0.0]
    assert found["cosine_relative"] == [1.0, 0.5, 0.0]
    assert found["cosine_spread"] == [
        pytest.approx(1.2247, abs=1e-3),
        pytest.approx(0.0),
        pytest.approx(-1.2247, abs=1e-3),
    ]


def test_without_vectors_nothing_is_said_of_meaning() -> None:
    assert SEMANTIC.isdisjoint(signals("how lamps shine", candidate("a.py", piece("lamp"))))


# --- reports ---

REPORT = "Burner fails in net/socket.py\n" + " ".join(
    f"filler{letter} words{letter} more{letter}" for letter in "abcdefghijklmno"
)


def test_the_headline_of_a_report_counts() -> None:
    found = signals(
        REPORT,
        candidate("src/net/socket.py", piece("burner fails")),
        candidate("lib/socket.py", piece("fillera wordsb")),
        candidate("burner.py", piece("")),
    )
    assert found["cited"] == [1.0, 0.0, 0.0]
    assert found["lead_best"][0] > found["lead_best"][1]
    assert found["lead_path"][2] > 0.0

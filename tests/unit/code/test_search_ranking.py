"""Files are ranked by a printed model: each kind of question by its own weights, each place with its shares."""

from __future__ import annotations

import pytest

from recollect.code.search import SIGNALS
from recollect.code.search.file_ranking import SURE, model_of, rank
from recollect.code.search.question import understand
from recollect.code.search.ranking_weights import BY_HAND, MODELS, RELEVANCE
from recollect.code.search.signals import SEMANTIC

from .pieces import candidate, piece, pool, symbol

DEFINES = candidate(
    "src/beacon.py", piece("beacon lamp", [symbol("BeaconLamp", kind="Class")]), number=1, scores=[9, 5]
)
USES = candidate("src/tower.py", piece("beacon lamp beaconlamp", [symbol("Tower")]), number=2, scores=[8.0])
TESTS = candidate("tests/test_beacon.py", piece("beacon lamp", [symbol("test_lamp")]), number=3, scores=[9, 6])
WINDOWS = candidate(
    "src/win/beacon.py", piece("beacon lamp", [symbol("BeaconLamp", kind="Class")]), number=4, scores=[9, 5]
)
UNRELATED = candidate("src/horn.py", piece("horn"), number=5, scores=[0.5])


def ranked(question: str, *files: object, **options: object) -> list[str]:
    found = rank(understand(question), pool(*files), **options)  # type: ignore[arg-type]
    return [one.candidate.file.path for one in found]


@pytest.mark.parametrize("question", ["BeaconLamp", "how does the beacon lamp shine"])
def test_what_defines_comes_before_what_uses_and_code_before_its_tests(question: str) -> None:
    order = ranked(question, UNRELATED, TESTS, USES, DEFINES)
    assert order[0] == "src/beacon.py"
    assert order[-1] == "src/horn.py"
    assert ranked("tests of the beacon lamp", UNRELATED, TESTS, USES, DEFINES)[0] == "tests/test_beacon.py"


def test_code_for_another_system_comes_after_its_twin_unless_it_is_asked_for() -> None:
    assert ranked("BeaconLamp", WINDOWS, DEFINES) == ["src/beacon.py", "src/win/beacon.py"]
    assert ranked("the beacon lamp on windows", WINDOWS, DEFINES) == ["src/win/beacon.py", "src/beacon.py"]


def test_relevance_is_from_0_to_1_and_falls_with_the_score() -> None:
    for question in ("BeaconLamp", "how does the beacon lamp shine", "quantum chromodynamics of pasta"):
        found = rank(understand(question), pool(UNRELATED, TESTS, USES, DEFINES))
        relevance = [one.relevance for one in found]
        assert all(0 <= value <= 1 for value in relevance)
        assert relevance == sorted(relevance, reverse=True)


def test_what_is_less_relevant_than_asked_for_is_left_out() -> None:
    found = rank(understand("BeaconLamp"), pool(UNRELATED, USES, DEFINES))
    for one in found:
        kept = ranked("BeaconLamp", UNRELATED, USES, DEFINES, least=one.relevance)
        assert kept == [other.candidate.file.path for other in found if other.relevance >= one.relevance]


def test_shares_are_what_the_score_is_made_of() -> None:
    (one,) = rank(understand("BeaconLamp"), pool(DEFINES))
    for name, term in {**MODELS["name"], **BY_HAND}.items():
        expected = term.weight * (one.signals[name] - term.mean) / term.deviation
        assert one.shares[name] == pytest.approx(expected)
    assert set(one.shares) == {*MODELS["name"], *BY_HAND}


def test_a_signal_that_is_left_out_adds_nothing() -> None:
    (one,) = rank(understand("how the beacon lamp shines"), pool(DEFINES), leave_out=SIGNALS["path"])
    assert SIGNALS["path"].isdisjoint(one.shares)
    without = ranked("BeaconLamp", USES, DEFINES, leave_out=SIGNALS["penalties"])
    assert sorted(without) == ["src/beacon.py", "src/tower.py"]


def test_names_descriptions_and_reports_have_weights_of_their_own_with_vectors_and_without() -> None:
    report = " ".join(f"{letter}{other}word" for letter in "abcdef" for other in "ghijkl")
    for question, kind in (("BeaconLamp", "name"), ("how lamps shine at night", "description"), (report, "report")):
        assert model_of(understand(question), {}) == kind
        assert model_of(understand(question), dict.fromkeys(SEMANTIC)) == f"{kind}_hybrid"  # type: ignore[arg-type]
        for name in (kind, f"{kind}_hybrid"):
            assert {"score", "offset"} <= set(RELEVANCE[name])
            assert RELEVANCE[name]["score"] > 0
            assert ("cosine" in MODELS[name]) == name.endswith("hybrid")


def test_the_one_file_that_defines_a_name_is_sure_and_of_several_each_less() -> None:
    odd = candidate("src/misc.py", piece("other words", [symbol("light_up")]), number=7, scores=[1.0])
    other = candidate("src/more.py", piece("other words", [symbol("light_up")]), number=8, scores=[1.0])
    assert rank(understand("light_up"), pool(odd, UNRELATED))[0].relevance >= SURE
    assert rank(understand("light_up"), pool(odd, other))[0].relevance >= SURE / 2
    # Its words are the name; other words between them are a guess at it.
    assert rank(understand("light up"), pool(odd, UNRELATED))[0].relevance >= SURE
    assert rank(understand("light it up"), pool(odd, UNRELATED))[0].relevance < SURE


def test_the_only_file_that_defines_the_query_as_a_name_is_first() -> None:
    constant = symbol("lamp_on", kind="Constant", signature="lamp_on = Signal()")
    defines = candidate("src/signals.py", piece("lamp signal", [constant]), number=6, scores=[0.5])
    uses = candidate("src/lamp/__init__.py", piece("lamp on lamp_on"), piece("lamp_on"), number=7, scores=[9, 8])
    test = candidate("tests/test_lamp.py", piece("lamp", [symbol("lamp_on")]), number=8, scores=[9, 6])
    inner = candidate("src/tower.py", piece("lamp", [symbol("Tower.lamp_on", parent=0)]), number=9, scores=[9, 6])
    assert ranked("lamp_on", uses, test, inner, defines)[0] == "src/signals.py"
    # Of an alias and of several definitions the weights decide.
    alias = constant._replace(signature="lamp_on = signals.lamp_on")
    again = candidate("src/again.py", piece("lamp signal", [alias]), number=10, scores=[0.5])
    assert ranked("lamp_on", uses, again)[0] == "src/lamp/__init__.py"
    twice = candidate("src/other.py", piece("lamp signal", [constant]), number=11, scores=[0.5])
    assert ranked("lamp_on", uses, defines, twice)[0] == "src/lamp/__init__.py"


def test_the_only_file_of_a_name_is_first() -> None:
    named = candidate("lib/lamp.bash", piece("printf"), number=6, scores=[0.1])
    uses = candidate("main.sh", piece("lamp bash lamp.bash"), piece("lamp.bash"), number=7, scores=[9, 8])
    for query in ("lamp.bash", "lib/lamp.bash", "./lib/lamp.bash"):
        assert rank(understand(query), pool(uses, named))[0].candidate is named
    assert rank(understand("lamp.bash"), pool(uses, named))[0].relevance >= SURE
    other = candidate("old/lamp.bash", piece("printf"), number=8, scores=[0.1])
    assert ranked("lamp.bash", uses, named, other)[0] == "main.sh"


def test_where_nothing_was_found_nothing_is_ranked() -> None:
    assert rank(understand("BeaconLamp"), pool()) == []


def test_the_order_of_equals_is_the_order_they_were_found_in() -> None:
    twins = [candidate(f"src/{name}.py", piece("lamp"), number=place) for place, name in enumerate("abc")]
    assert ranked("how a lamp shines", *twins) == ["src/a.py", "src/b.py", "src/c.py"]

"""A reason says only what is true of a file, and shares sum up what decided."""

from __future__ import annotations

import itertools

from recollect.code.search.match_reasons import EVIDENCE, NAMED, REASONS, reason, shares_of
from recollect.code.search.ranking_weights import BY_HAND, MODELS


def test_the_strongest_kinds_are_named_first() -> None:
    signals = {"defines": 1.0, "stem": 0.5, "covered_best": 0.9, "doc": 0.3, "many": 1.4}
    shares = {"defines": 2.0, "stem": 3.0, "covered_best": 1.0, "doc": 0.1, "many": 0.2}
    assert reason(signals, shares) == "matches the query in its text and path; defines the name"


def test_what_is_not_there_is_never_a_reason_however_its_share_turned_out() -> None:
    # A weight below nought turns a missing signal into a positive share.
    shares = {name: 1.0 for evidence in EVIDENCE.values() for name in evidence.signals}
    assert reason({}, shares) == "closest match"
    assert reason({"many": 0.7, "cosine_spread": -1.0, "defines": 0.0}, shares) == "closest match"


def test_what_speaks_against_a_file_is_no_reason_for_it() -> None:
    assert (
        reason({"stem": 1.0, "covered_best": 1.0}, {"stem": -1.0, "covered_best": 0.5})
        == "matches the query in its text"
    )


def test_a_definition_is_told_from_names_that_are_only_alike() -> None:
    assert reason({"defines": 1.0, "names": 1.0}, {"defines": 1.0}) == "defines the name"
    assert reason({"defines": 0.0, "names": 1.0}, {"names": 1.0}) == "defines similar names"


def test_a_reason_is_short() -> None:
    signals = {signal: 10.0 for _, _, signal, _ in REASONS}
    shares = dict.fromkeys(itertools.chain(*(evidence.signals for evidence in EVIDENCE.values())), 1.0)
    assert len(reason(signals, shares).split("; ")) <= NAMED


def test_places_of_a_match_make_one_sentence() -> None:
    signals = {"covered_best": 1.0, "stem": 1.0, "many": 2.0, "defines": 1.0}
    shares = {"covered_best": 3.0, "stem": 2.0, "many": 1.0}
    assert reason(signals, shares) == "matches the query in its text and path, several times"
    assert reason({"many": 2.0}, {"many": 1.0}) == "matches the query several times"
    both = {"covered_best": 1.0, "stem": 1.0, "doc": 1.0}
    assert reason(both, both) == "matches the query in its text, path and documentation"


def test_every_signal_of_the_models_belongs_to_one_kind_of_evidence() -> None:
    named = [name for evidence in EVIDENCE.values() for name in evidence.signals]
    assert len(named) == len(set(named))
    assert {name for model in MODELS.values() for name in model} | set(BY_HAND) <= set(named)
    assert {kind for _, kind, _, _ in REASONS} <= set(EVIDENCE)
    assert all(signal in EVIDENCE[kind].signals for _, kind, signal, _ in REASONS)


def test_shares_are_summed_by_kind_worded_by_their_sign_and_the_largest_come_first() -> None:
    shares = shares_of({"test": -2.0, "stem": 0.5, "folder": 0.25, "doc": 0.01, "length": -0.1})
    assert [(row.meaning, row.share) for row in shares] == [
        ("a test, example, document, data file or copy, or code for another platform", -2.0),
        ("its path matches", 0.75),
        ("a small file", -0.1),
    ]
    assert shares_of({}) == ()


def test_a_file_of_the_traceback_says_so_before_one_that_is_named() -> None:
    assert reason({"frame": 0.5, "cited": 1.0}, {"frame": 1.0, "cited": 1.0}) == "in the traceback"
    assert reason({"frame": 0.0, "cited": 1.0}, {"frame": -0.1, "cited": 1.0}) == "named in the error report"

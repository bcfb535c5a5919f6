"""Statements become rules in the imperative, or are left out."""

from __future__ import annotations

import pytest

from recollect.patterns.imperative_rule import imperative


@pytest.mark.parametrize(
    ("said", "rule"),
    [
        ("no, please always run the linter first!", "Always run the linter first."),
        ("we never commit generated files", "Never commit generated files."),
        ("I prefer tabs over spaces", "Prefer tabs over spaces."),
        ("you should not touch the migrations", "Do not touch the migrations."),
        ("don't use `this.state` in hooks", "Do not use `this.state` in hooks."),
        ("From now on use pytest -x, never unittest", "Use pytest -x, never unittest."),
        ("In tests, use the fake clock.", "In tests, use the fake clock."),
        ("The build is slow. Always use the cache of pnpm.", "Always use the cache of pnpm."),
    ],
)
def test_a_statement_becomes_a_rule(said: str, rule: str) -> None:
    assert imperative(said) == rule


@pytest.mark.parametrize(
    "said",
    [
        "I think this looks odd, can you fix it?",
        "can you use the other one?",
        "use that instead",
        "ok now run it again",
        "why do we always use redis?",
        "the tests are red since yesterday",
        "Tests must not sleep",
        "thanks, keep going",
        "use",
        "",
    ],
)
def test_a_line_of_chat_is_no_rule(said: str) -> None:
    assert imperative(said) == ""


@pytest.mark.parametrize(
    ("stored", "rule"),
    [
        ("Tests must not sleep", "Tests must not sleep."),
        (
            "Migrations are written by hand; never use autogenerate",
            "Migrations are written by hand; never use autogenerate.",
        ),
        ("The office has a new coffee machine", ""),
        ("Use it where this fits", "Use it where this fits."),
    ],
)
def test_a_stored_rule_of_a_thing_is_quoted(stored: str, rule: str) -> None:
    assert imperative(stored, is_stored=True) == rule

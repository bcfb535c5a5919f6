"""Sameness: texts that say the same are told from those that only share words."""

from __future__ import annotations

import pytest

from recollect.text.paraphrases import says_the_same, statements

LONG = (
    "We moved the upload service to the new cluster because its queue kept filling up at night, and the workers that "
    "read from it were restarted by the watchdog before they could finish; since then the latency of all requests has "
    "halved and nobody was woken up"
)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The API is thread-safe.", "the api is thread safe!"),
        ("Tests are run with pytest -n0", "Tests run with pytest -n0."),
        ("café au lait with SQLite", "Cafe au  lait with sqlite"),
        ("parseHeader fails", "parseHeader failing"),
        ("", "?!"),
        (LONG, LONG + " anymore"),
        (LONG, LONG.replace("nobody was", "nobody really was")),
    ],
)
def test_another_wording_of_the_same_is_the_same(one: str, other: str) -> None:
    assert says_the_same(one, other)
    assert says_the_same(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The API is thread-safe", "The API is not thread-safe"),
        ("The API is thread-safe", "The API isn't thread-safe"),
        ("Use tabs", "Don't use tabs"),
        ("Turn the cache on", "Turn the cache off"),
        ("It is slow", "It was slow"),
        ("A calls B", "B calls A"),
        ("The shop uses MySQL", "The shop uses SQLite"),
        ("Version 3 works", "Version 4 works"),
        ("The shop uses SQLite", "The shop uses SQLite in tests"),
        ("something", ""),
        (LONG, LONG.replace("halved", "doubled")),
        (LONG, LONG + " " + LONG),
        (LONG, LONG.replace("new cluster", "3 cluster")),
        (LONG, LONG.replace("before they", "after they")),
        (LONG, LONG.replace("watchdog", "Kubernetes")),
        (LONG, LONG.replace("its queue", "not its queue")),
        (LONG, " ".join(reversed(LONG.split()))),
    ],
)
def test_what_says_something_else_is_not_the_same(one: str, other: str) -> None:
    assert not says_the_same(one, other)
    assert not says_the_same(other, one)


def test_a_text_says_what_its_sentences_say() -> None:
    known = statements("The shop uses SQLite. The bank does not!\nIs it so?")
    assert len(known) == 3
    assert statements("the bank does not") <= known
    assert statements("Is it so? The shop uses SQLite") <= known
    assert not statements("The bank does") <= known
    assert not statements("The shop uses SQLite in tests") <= known
    assert statements(" ...\n\n") == frozenset()

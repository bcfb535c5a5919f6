"""A text that only asks states nothing."""

from __future__ import annotations

import pytest

from recollect.text.questions import only_asks


@pytest.mark.parametrize(
    "text",
    [
        "Where are login sessions kept?",
        "Please tell me where login sessions are kept.",
        "Hi! Can you fix the login test?",
        "ok so what is the port? And who uses it?",
        "Could you please explain how the cache works.",
        "I wonder why the build is red.",
        "Remind me which branch is live",
    ],
)
def test_questions_and_requests_for_information_only_ask(text: str) -> None:
    assert only_asks(text)


@pytest.mark.parametrize(
    "text",
    [
        "Login sessions are kept in Redis.",
        "We use Redis. Ok?",
        "Please use tabs.",
        "Explain plans are kept in docs/plans.",
        "Why the build is red: the cache was full.",
        "What we decided: sessions live in Redis.",
        "",
        "…",
        "a?" * 2_000,
    ],
)
def test_statements_rules_and_long_texts_do_not(text: str) -> None:
    assert not only_asks(text)

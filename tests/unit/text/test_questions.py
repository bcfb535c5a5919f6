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
        "where are uploaded avatars stored",
        "how long are sessions kept",
        "which port do we use for staging",
        "Figure out where uploaded avatars are stored",
        "Let's find out where uploaded avatars are stored",
        "We should look at where uploaded avatars are stored",
        "Let's check where uploaded avatars are stored, please.",
        "I need to find out where uploaded avatars are stored",
        "Can't remember where uploaded avatars are stored",
        "Not sure where uploaded avatars are stored",
        "Now please document where uploaded avatars are stored",
        "Please use the code to tell me where uploaded avatars are stored",
        "Let's use a moment to check how invoices get rendered to PDF, please.",
        "I'm no longer sure where uploaded avatars are stored.",
        "how many webhook retries to shopify",
        "Looking for the number of webhook retries to shopify",
        "Tell me when the last deploy was",
        "Tell me when the next release is.",
        "Show me what changed before the release",
        "I'd like to know where uploaded avatars are stored.",
        "I am curious to which bucket exports are written",
        "Wondering where uploaded avatars are stored",
        "Check what size avatars are resized to",
        "Could somebody check where the logs go",
        "need to find out how the cache is invalidated",
        "which languages must the new screen be translated to",
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
        "What is logged must be redacted.",
        "Which port is used is set in config.toml.",
        "Where possible use tabs.",
        "How many retries we allow depends on the plan.",
        "Not sure where sessions are kept, Ada says in Redis.",
        "Figure out where it hangs: run make trace.",
        "Check whether the changelog is up to date.",
        "Check which branch you are on before committing.",
        "What matters is the latency.",
        "Do not ask which branch to use.",
        "Please ask whether I want tests.",
        "We no longer check whether files exist.",
        "We should check whether inputs are empty.",
        "Please check whether the changelog is up to date before each merge.",
        "Please always tell me where login sessions are kept before you change auth code",
        "Show me a plan before you edit anything",
        "Tell me before you delete files",
        "Tell me when coverage drops below 80 percent",
        "Let me know whenever a test is skipped",
        "Tell me when a test is flaky",
        "",
        "…",
        "a?" * 2_000,
    ],
)
def test_statements_rules_and_long_texts_do_not(text: str) -> None:
    assert not only_asks(text)

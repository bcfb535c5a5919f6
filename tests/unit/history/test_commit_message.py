"""What a commit says: its first line, reasons, reverts; and which commits say nothing."""

from __future__ import annotations

import pytest

from recollect.history.commit_log import Commit
from recollect.history.commit_message import BODY_CHARACTERS, kind, noise, read, reasons, told


def commit(message: str, author: str = "Ada Lovelace") -> Commit:
    return Commit("a" * 40, 1_700_000_000, author, message, ())


def test_trailers_and_the_small_talk_of_squashed_commits_are_left_out() -> None:
    message = read(
        "Retry uploads (#12)\n\nThe server drops connections.\n\n* wip\n\n* Add a test for retries that fail twice\n\n"
        "---------\n\nFixes #11.\nRefs: #9, #10\nSigned-off-by: Ada <ada@example.org>\n"
        "Co-authored-by: Bob <b@example.org>\n(cherry picked from commit 1234567)\nBug in the proxy: see there."
    )
    assert message.subject == "Retry uploads (#12)"
    assert message.body == (
        "The server drops connections.\n\n* Add a test for retries that fail twice\n\nBug in the proxy: see there."
    )
    assert message.issues == ("#12", "#11", "#9", "#10")


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("feat(api)!: drop the old format", "breaking"),
        ("Drop the old format\n\nBREAKING CHANGE: files of version 1 cannot be read", "breaking"),
        ("Use a queue\n\nWe considered a lock, and it was too slow.", "rejected"),
        ("Use a queue instead of a lock\n\nIt is faster.", "rejected"),
        ("Use a queue\n\nBecause a lock was held for seconds.", "reason"),
        ("Close the file early to avoid a leak", "reason"),
        ("Fix the crash on empty input", "fix"),
        ("fix: empty input", "fix"),
        ("Add a parser\n\nIt reads one line at a time.", "change"),
        ("Add a parser for lines", "subject"),
        ('Revert "Add a parser for lines"', "revert"),
    ],
)
def test_the_rule_that_names_a_commit(text: str, rule: str) -> None:
    assert kind(read(text)).rule == rule


@pytest.mark.parametrize(
    ("text", "sha", "subject"),
    [
        ('Revert "Add a parser (#7)" (#8)\n\nThis reverts commit ' + "b" * 40 + ".", "b" * 40, "add a parser"),
        ('Revert "Add a parser"', "", "add a parser"),
        ("revert: feat: add a parser\n\nThis reverts commit 1234567.", "1234567", "feat: add a parser"),
        ("Revert 1234567: it broke the build", "1234567", ""),
        ("Undo it\n\nThis reverts commit 1234567890.", "1234567890", ""),
        ("Explain reverts\n\nPeople write that this reverts commit 1234567 in passing.", "", ""),
        ("Revert to the old layout when a window is small", "", ""),
    ],
)
def test_what_a_revert_takes_back(text: str, sha: str, subject: str) -> None:
    message = read(text)
    assert (message.undoes, message.undoes_subject) == (sha, subject)


@pytest.mark.parametrize(
    ("text", "author", "reason"),
    [
        ("Merge branch 'main' into x", "Ada", "merge"),
        ("Bump lodash from 1.2.3 to 1.2.4", "Ada", "version"),
        ("Release 2.0", "Ada", "version"),
        ("v1.2.3", "Ada", "version"),
        ("Update changelog for 2.0", "Ada", "version"),
        ("fixup! Add a parser", "Ada", "fixup"),
        ("WIP", "Ada", "fixup"),
        ("fix typo in docs", "Ada", "small"),
        ("Fix lint", "Ada", "small"),
        ("Update README.md", "Ada", "small"),
        ("more work", "Ada", "small"),
        ("chore: tidy up the folder of scripts", "Ada", "small"),
        ("Add a parser for lines", "dependabot[bot]", "bot"),
        ("Add a parser for lines", "Ada", ""),
        (
            "chore: tidy up\n\nThe scripts were run twice because both names were in the list of the nightly job.",
            "Ada",
            "",
        ),
        ("Version numbers of plugins are compared as numbers", "Ada", ""),
        ("Update the parser to read lines lazily", "Ada", ""),
        ('Revert "Bump lodash from 1.2.3 to 1.2.4"', "Ada", ""),
    ],
)
def test_commits_that_say_nothing(text: str, author: str, reason: str) -> None:
    assert noise(commit(text, author), read(text)) == reason


def test_of_a_long_message_the_beginning_and_the_reasons_are_kept() -> None:
    filler = " ".join(f"Line number {number} of a log that was pasted here." for number in range(100))
    text = f"Read lazily\n\nThe reader is new. {filler} It is lazy because files are larger than memory. {filler}"
    kept = told(read(text))
    assert len(kept) < BODY_CHARACTERS + 50
    assert kept.startswith("Read lazily\n\nThe reader is new.")
    assert "It is lazy because files are larger than memory." in kept


def test_the_sentences_that_give_reasons() -> None:
    text = "The cache is gone. It was slower\nbecause of its lock. A map is used instead of it! Tests were added."
    assert reasons(text) == ["It was slower because of its lock.", "A map is used instead of it!"]

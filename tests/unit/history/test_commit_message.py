"""What a commit says: its first line, reasons, reverts; and which commits say nothing."""

from __future__ import annotations

import pytest

from recollect.history.change_worth import kind
from recollect.history.commit_log import Commit
from recollect.history.commit_message import is_noise, read
from recollect.history.commits import BODY_CHARACTERS, told


def commit(message: str, author: str = "Ada Lovelace") -> Commit:
    return Commit("a" * 40, 1_700_000_000, author, message, ())


def test_trailers_and_the_small_talk_of_squashed_commits_are_left_out() -> None:
    message = read(
        "Retry uploads (#12)\n\nThe server drops connections.\n\n* wip\n\n* Test retries that fail twice\n\n"
        "---------\n\nFixes #11.\nRefs: #9, #10\nSigned-off-by: Ada <ada@example.org>\n"
        "Co-authored-by: Bob <b@example.org>\n(cherry picked from commit 1234567)\nBug in the proxy: see there."
    )
    assert message.subject == "Retry uploads (#12)"
    assert message.sentences == ("The server drops connections.", "Bug in the proxy: see there.")
    assert message.issues == ("#12", "#11", "#9", "#10")


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("feat(api)!: drop the old format", "breaking"),
        ("Drop the old format\n\nBREAKING CHANGE: files of version 1 cannot be read", "breaking"),
        ("Use a queue\n\nWe considered a lock, but it was held for seconds.", "rejected"),
        ("Use a queue\n\nA lock was an alternative, but would be slower.", "rejected"),
        ("Use a queue\n\nIt is used instead of a lock, which is simple.", "reason"),
        ("Use a queue\n\nBecause a lock was held for seconds.", "reason"),
        ("Close `Reader.file` early to avoid a surprise", "fix"),
        ("Fix the crash on empty input\n\nThe first line was read because nobody looked for one.", "fix"),
        ("fix: empty input\n\nPreviously an empty line raised KeyError.", "fix"),
        ("Fix: empty input\n\nPreviously an empty line raised KeyError.", "fix"),
        ("[Bugfix] Empty input\n\nPreviously an empty line raised KeyError.", "fix"),
        ("Breaking: drop the old format", "breaking"),
        ("Deprecate `Reader.lines` (#12)", ""),
        ('Revert "Add a parser for lines"', "revert"),
        ("Fix the crash on empty input", ""),
        ("fix: empty input", ""),
        ("Add a parser\n\nIt reads one line at a time.", ""),
        ("Add a parser\n\nIt reads one line of the file at a time, and then gives it back.", "told"),
        ("Add a parser for lines", ""),
        ("Remove the parser for lines", ""),
        ("Register rejected promises\n\nThe rejected ones are in a list.", ""),
    ],
)
def test_the_rule_that_names_a_commit(text: str, rule: str) -> None:
    found = kind(read(text))
    assert (found.rule if found else "") == rule


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
        ("Address review comments", "Ada", "review"),
        ("address PR feedback from Bob", "Ada", "review"),
        ("Apply suggestions from code review", "Ada", "review"),
        ("prepare to release 1.2", "Ada", "version"),
        ("chore(deps): update lodash", "Ada", "version"),
        ("Upgrade: lodash", "Ada", "version"),
        ("net: fix typo in comments", "Ada", "small"),
        ("remove unused imports", "Ada", "small"),
        ("Add a parser for lines", "dependabot[bot]", "bot"),
        ("Add a parser for lines", "Ada", ""),
        ("Review links are signed with a key", "Ada", ""),
        ("Version numbers of plugins are compared as numbers", "Ada", ""),
        ("Update the parser to read lines lazily", "Ada", ""),
        ('Revert "Bump lodash from 1.2.3 to 1.2.4"', "Ada", "version"),
        ('Revert "Bump lodash from 1.2.3 to 1.2.4"\n\nIt breaks the build on Windows.', "Ada", ""),
        ("Fix URL generation for nested blueprints", "Ada", ""),
        ("Handle comments in the configuration", "Ada", ""),
        ("Fixed #12 -- Fixed typo in tutorial", "Ada", "small"),
    ],
)
def test_commits_that_say_nothing(text: str, author: str, reason: str) -> None:
    assert is_noise(commit(text, author), read(text)) is bool(reason)


def test_of_a_long_message_the_beginning_and_the_reasons_are_kept() -> None:
    filler = " ".join(f"Line number {number} of a log that was pasted here." for number in range(100))
    text = f"Read lazily\n\nThe reader is new. {filler} It is lazy because files are larger than memory. {filler}"
    kept = told(read(text))
    assert len(kept) < BODY_CHARACTERS + 50
    assert kept.startswith("Read lazily\n\nThe reader is new.")
    assert "It is lazy because files are larger than memory." in kept


def test_templates_logs_and_squashed_steps_are_left_out_of_a_body() -> None:
    message = read(
        "Read lazily\n\n<!-- say why -->\n## Motivation\n\nFiles are larger\nthan memory. They were read at once.\n\n"
        "- [x] tests pass\n- [ ] changelog\n\n```\n$ make\nerror\nerror\nerror\nerror\n```\n"
        "Traceback (most recent call last):\n\n* fix lint\n\n* wip\n\n* Read lazily\n\nhttps://example.org/1\n"
    )
    assert message.sentences == ("Files are larger than memory.", "They were read at once.")


def test_a_merged_pull_request_has_its_title_as_subject() -> None:
    message = read("Merge pull request #12 from ada/lazy\n\nRead files lazily\n\nThey are larger than memory.")
    assert (message.subject, message.pull) == ("Read files lazily (#12)", "#12")
    assert message.sentences == ("They are larger than memory.",)
    named = read("Merge pull request #12 from ada/lazy\n\nAuthor: ada\nReviewer: bob\n\nRead files lazily")
    assert (named.subject, named.sentences) == ("Read files lazily (#12)", ())
    assert is_noise(commit("Merge pull request #12 from ada/lazy"), read("Merge pull request #12 from ada/lazy"))

"""A diff that is piped into a command, and what is no pipe."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect.errors import ContentTooLarge
from recollect.surface.cli import arguments
from recollect.surface.cli.arguments import is_piped, piped


@pytest.fixture
def stdin(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Standard input is whatever file descriptor is put in first."""
    opened: list[int] = []

    class Standing:
        def fileno(self) -> int:
            if not opened:
                raise ValueError("closed")
            return opened[-1]

    monkeypatch.setattr("sys.stdin", Standing())
    yield opened
    for number in opened:
        os.close(number)


def content(text: bytes = b"diff") -> arguments.StandardInput:
    return lambda limit: text[:limit]


def test_a_pipe_and_a_file_are_meant_and_nothing_else_is(stdin: list[int], tmp_path: Path) -> None:
    assert not is_piped()
    stdin.append(os.open(os.devnull, os.O_RDONLY))
    assert not is_piped()
    reading, writing = os.pipe()
    os.close(writing)
    stdin.append(reading)
    assert is_piped()
    file = tmp_path / "a.diff"
    file.write_text("x", encoding="utf-8")
    stdin.append(os.open(file, os.O_RDONLY))
    assert is_piped()


def test_a_process_without_standard_input_has_no_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", None)
    assert not is_piped()


def test_a_pipe_fills_the_diff_unless_something_else_says_what_to_review(
    stdin: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arguments, "is_piped", lambda: True)
    assert piped("review_diff", {}, content()) == {"diff": "diff"}
    assert piped("review_diff", {"limit": 3}, content(b"")) == {"diff": ""}
    assert piped("review_diff", {"range": "HEAD"}, content()) == {}
    assert piped("review_diff", {"diff": "given"}, content()) == {}
    assert piped("recall_memory", {}, content()) == {}
    assert piped("session_context", {"project": "shop"}, content()) == {}
    assert piped("session_context", {}, content()) == {"payload": "diff"}
    assert piped("review_diff", {}, content(b"caf\xe9")) == {"diff": "caf�"}
    monkeypatch.setattr(arguments, "is_piped", lambda: False)
    assert piped("review_diff", {}, content()) == {}
    assert piped("review_diff", {"diff": "-"}, content()) == {"diff": "diff"}


def test_a_pipe_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arguments, "is_piped", lambda: True)
    monkeypatch.setattr(arguments, "STANDARD_INPUT_BYTES", 3)
    with pytest.raises(ContentTooLarge):
        piped("review_diff", {}, content(b"four"))

"""Commands that may be written as two words."""

from __future__ import annotations

import pytest

from recollect.capabilities import OPERATIONS
from recollect.surface.command import commands, of_family


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["context-window", "start", "a task"], ["context-window-start", "a task"]),
        (["--json", "context-window", "get", "start"], ["--json", "context-window-get", "start"]),
        (["help", "context-window", "set"], ["help", "context-window-set"]),
        (["context-window", "--level", "1"], ["context-window", "--level", "1"]),
        (["context-window"], ["context-window"]),
        (["context-window", "nonsense"], ["context-window", "nonsense"]),
        (["store", "code"], ["store", "code"]),
        ([], []),
    ],
)
def test_a_command_of_a_family_may_be_written_as_two_words(words: list[str], expected: list[str]) -> None:
    assert of_family(words, commands(OPERATIONS)) == expected

"""Which command a line names: groups, older names, and words that are neither."""

from __future__ import annotations

from typing import Any

import pytest

from recollect.capabilities import OPERATIONS
from recollect.errors import InvalidInput
from recollect.surface.cli.arguments import find, parse, split
from recollect.surface.cli.catalog import Section
from recollect.surface.cli.command_table import Command, commands

TABLE = commands(OPERATIONS)


def named(*words: str) -> tuple[str, list[str]]:
    """Return the path of the command, or the group in brackets, and what is left for it."""
    found, rest = find(*split(words), TABLE)
    return (f"[{found.group}]" if isinstance(found, Section) else found.path), rest


@pytest.mark.parametrize(
    ("words", "path", "rest"),
    [
        (("store", "code"), "store", ["code"]),
        (("store_memory", "x"), "store", ["x"]),
        (("codemem_stats",), "stats", []),
        (("graph",), "[graph]", []),
        (("graph", "-h"), "[graph]", ["-h"]),
        (("graph", "traverse", "m1"), "graph traverse", ["m1"]),
        (("--json", "graph", "--home", "/x", "traverse", "m1"), "graph traverse", ["--home", "/x", "m1"]),
        (("traverse", "m1"), "graph traverse", ["m1"]),
        (("consolidate",), "consolidate run", []),
        (("consolidate", "--json"), "consolidate run", ["--json"]),
        (("consolidate", "--cycle", "decay"), "consolidate run", ["--cycle", "decay"]),
        (("consolidate", "decay"), "consolidate decay", []),
        (("consolidate", "--help"), "[consolidate]", ["--help"]),
        (("session",), "[session]", []),
        (("session", "list"), "session list", []),
        (("session", "1f0c"), "session show", ["1f0c"]),
        (("sessions",), "session list", []),
        (("sessions", "show", "1f0c"), "session show", ["1f0c"]),
        (("context-window",), "window show", []),
        (("context-window", "start", "a task"), "window start", ["a task"]),
        (("context-window", "--level", "1"), "window show", ["--level", "1"]),
        (("context-window-start", "a task"), "window start", ["a task"]),
        (("context_window_look_up", "a.py"), "window get", ["a.py"]),
    ],
)
def test_a_line_names_a_command(words: tuple[str, ...], path: str, rest: list[str]) -> None:
    assert named(*words) == (path, [word for word in words if word == "--json" and words[0] == word] + rest)


@pytest.mark.promise("E25")
@pytest.mark.parametrize(
    "word",
    (
        *("init", "search", "stats", "serve", "ingest", "consolidate", "viz", "index", "export", "import", "watch"),
        *("sessions", "context", "prompt", "summarize"),
    ),
)
def test_every_documented_command_is_one(word: str) -> None:
    path, rest = named(word)
    assert path in TABLE.by_path and rest == []


@pytest.mark.parametrize("words", [("graph", "nonsense"), ("nonsense",), ("window", "begin")])
def test_a_word_that_names_nothing_is_refused(words: tuple[str, ...]) -> None:
    with pytest.raises(InvalidInput):
        named(*words)


@pytest.mark.parametrize(
    ("words", "values"),
    [
        (["x", "-n5"], {"query": "x", "limit": "5"}),
        (["x", "-n", "5"], {"query": "x", "limit": "5"}),
        (["x", "-n=5"], {"query": "x", "limit": "5"}),
        (["--limit=5", "x"], {"query": "x", "limit": "5"}),
        (["-p", "shop", "-t", "decision", "x"], {"query": "x", "project": "shop", "type": "decision"}),
        (["x", "--k", "5"], {"query": "x", "limit": "5"}),
        (["x", "--max-results", "5"], {"query": "x", "limit": "5"}),
        (["x", "--namespace", "shop"], {"query": "x", "project": "shop"}),
        (["x", "--memory-type", "decision"], {"query": "x", "type": "decision"}),
        (["--query", "x"], {"query": "x"}),
        (["--", "--json"], {"query": "--json"}),
        (["-5 degrees"], {"query": "-5 degrees"}),
        (["-5"], {"query": "-5"}),
        (["x", "--tags", "a", "--tags=b"], {"query": "x", "tags": ["a", "b"]}),
        (["x", "--no-explain", "-v", "--json"], {"query": "x", "explain": False, "verbose": True, "json": True}),
        (["x", "--min-score", "-1"], {"query": "x", "min_score": "-1"}),
    ],
)
def test_words_become_values(words: list[str], values: dict[str, Any]) -> None:
    search = TABLE.by_path["search"]
    assert isinstance(search, Command)
    assert parse(search, words) == values


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["x", "--tags"], "--tags needs a value"),
        (["x", "--tags", "--json"], "--tags needs a value"),
        (["x", "--explain=yes"], "--explain takes no value"),
        (["x", "-q"], 'search has no option "-q"'),
        ([], "search needs a QUERY"),
        (["x", "y"], 'unexpected argument "y"'),
    ],
)
def test_words_that_do_not_fit_are_refused(words: list[str], message: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        parse(TABLE.by_path["search"], words)
    assert caught.value.message == message

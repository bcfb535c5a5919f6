"""Typical mistakes at the command line, each with the message and the hint that a person needs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

import pytest

from recollect.surface.cli import main


class Mistake(NamedTuple):
    """What is typed, the exit code and the code of the error, and what message and hint must say."""

    words: tuple[str, ...]
    message: str
    hint: str
    exit_code: int = 2
    code: str = "INVALID_INPUT"


def means(word: str, command: str) -> Mistake:
    """A word that is no command, and the command that is suggested for it."""
    return Mistake((word, "x"), f'no command "{word}"', f"Did you mean `recollect {command}`?")


MISTAKES = (
    # Words from other programs.
    *(means(word, "store") for word in ("remember", "add", "save", "new", "create")),
    *(means(word, "search") for word in ("find", "recall", "query", "grep")),
    *(means(word, "delete") for word in ("rm", "remove", "forget")),
    *(means(word, "get") for word in ("show", "cat", "view", "read")),
    means("ls", "list"),
    means("edit", "update"),
    means("status", "health"),
    means("settings", "config"),
    *(means(word, "init") for word in ("setup", "install", "connect")),
    means("uninstall", "uninit"),
    *(means(word, "serve") for word in ("mcp", "server", "start")),
    means("projects", "workspace list"),
    # Misspelled words.
    means("serch", "search"),
    means("travers", "graph traverse"),
    means("consolidat", "consolidate"),
    Mistake(("nonsense",), 'no command "nonsense"', "recollect help --all"),
    Mistake(("help", "nonsense"), 'no command "nonsense"', "recollect help --all"),
    Mistake(("graph", "trav", "x"), 'graph has no command "trav"', "Did you mean traverse?"),
    Mistake(("graph", "zzz"), 'graph has no command "zzz"', "Commands of graph: traverse, expand"),
    # Too few words, too many.
    Mistake(("search",), "search needs a QUERY", 'For example: recollect search "'),
    Mistake(("store", "--type", "decision"), "store needs a TEXT", "For example: recollect store"),
    Mistake(("delete",), "delete needs an ID", "For example: recollect delete"),
    Mistake(("window", "start"), "window start needs a DESCRIPTION", "For example: recollect window start"),
    Mistake(
        ("search", "tabs", "makefile"), 'unexpected argument "makefile"', 'in quotes: recollect search "tabs makefile"'
    ),
    Mistake(("store", "we", "use", "tabs"), 'unexpected argument "use"', 'in quotes: recollect store "we use tabs"'),
    Mistake(("get", "1f0c", "77b0"), 'unexpected argument "77b0"', "Usage: recollect get ID"),
    Mistake(("list", "makefile"), 'unexpected argument "makefile"', "Usage: recollect list [options]"),
    # Options.
    Mistake(("store", "x", "--tags", "a", "b"), 'unexpected argument "b"', "with commas: --tags a,b"),
    Mistake(("store", "x", "--tgas", "a"), 'store has no option "--tgas"', "Did you mean --tags?"),
    Mistake(("search", "x", "--tokens", "5"), 'search has no option "--tokens"', "Its options: --limit, --project"),
    Mistake(("--limit", "5", "search", "x"), 'recollect has no option "--limit"', "after its name"),
    Mistake(("search", "-fast"), 'search has no option "-fast"', "after a lone --"),
    Mistake(("store", "x", "--tags"), "--tags needs a value", "--tags VALUE"),
    Mistake(("search", "x", "--explain=no"), "--explain takes no value", "--no-explain"),
    # Values.
    Mistake(("store", "x", "--importance", "5"), "--importance must be a number from 0 to 1, not 5", "--importance: "),
    Mistake(("store", "x", "--importance", "high"), 'a number from 0 to 1, not "high"', "--importance: "),
    Mistake(
        ("search", "x", "--limit", "ten"), '--limit must be a whole number from 1 to 1,000, not "ten"', "--limit: "
    ),
    Mistake(("list", "-n0"), "--limit must be a whole number from 1 to 1,000, not 0", "--limit: "),
    Mistake(("list", "--type", "decison"), '--type cannot be "decison"', "Did you mean decision? Allowed: decision, "),
    Mistake(("settle", "1f0c9a2e", "burn"), 'ACTION cannot be "burn"', "Allowed: keep, update, retire."),
    Mistake(("init", "--scope", "team"), '--scope cannot be "team"', "Allowed: user, project."),
    Mistake(("completion", "tcsh"), 'SHELL cannot be "tcsh"', "Allowed: bash, zsh, fish."),
    Mistake(("list", "--since", "foo"), '--since: cannot read "foo" as a date', "an age: 30m (minutes)"),
    Mistake(("search", "x", "--as-of", "soon"), '--as-of: cannot read "soon" as a date', "2w, 3mo (months)"),
    Mistake(("store", "x", "--metadata", "{"), "--metadata is not JSON", """--metadata '{"key": "value"}'"""),
    Mistake(("store", ""), "TEXT is empty", ""),
    Mistake(("search", " "), "QUERY is empty", ""),
    # Things that do not exist.
    Mistake(("get", "00000000"), "00000000", "recollect list", 3, "MEMORY_NOT_FOUND"),
    Mistake(("get", "1f"), "1f", "recollect list", 3, "MEMORY_NOT_FOUND"),
    Mistake(("session", "show", "nope"), "nope", "session", 3, "NOT_FOUND"),
    Mistake(("import", "missing.jsonl"), "missing.jsonl", "path", 3, "NOT_FOUND"),
    Mistake(("index", "missing"), "missing", "path", 3, "NOT_FOUND"),
    Mistake(("undo",), "nothing to undo", "recollect changes", 3, "NOT_FOUND"),
    # Dangerous without a terminal.
    Mistake(("workspace", "delete", "shop"), "workspace delete", "--yes"),
)


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda row: " ".join(row.words))
def test_a_mistake_is_answered_with_what_to_type(
    mistake: Mistake, home: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECOLLECT_EMBED_PROVIDER", "off")
    monkeypatch.chdir(tmp_path)
    assert main(mistake.words) == mistake.exit_code
    out, err = capfd.readouterr()
    assert out == ""
    message, hint, code = err.rstrip("\n").split("\n")
    assert message.startswith("error: ") and mistake.message in message
    assert hint.startswith("hint: ") and mistake.hint in hint
    assert code == f"code: {mistake.code}"
    for internal in ("$.", "`int", "`float", "`str", "None", "Traceback"):
        assert internal not in err

    assert main([*mistake.words, "--json"]) == mistake.exit_code
    error = json.loads(capfd.readouterr().out)["error"]
    assert (error["code"], mistake.message in error["message"]) == (mistake.code, True)


@pytest.mark.parametrize(
    "words",
    [
        ("--json", "list"),
        ("list", "--since", "yesterday", "--json"),
        ("list", "-n5", "--json"),
        ("list", "--max-results", "5", "--namespace", "shop", "--memory-type", "decision", "--json"),
        ("list_memories", "--json"),
        ("search", "--query", "tabs", "--k", "3", "--json"),
        ("search", "--json", "--", "-fast"),
    ],
    ids=" ".join,
)
def test_what_can_be_understood_is_no_mistake(
    words: tuple[str, ...], home: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECOLLECT_EMBED_PROVIDER", "off")
    assert main(words) == 0
    assert "error" not in json.loads(capfd.readouterr().out)

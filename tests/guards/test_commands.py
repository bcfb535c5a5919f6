"""Every command has one place in the catalog, fits a terminal, explains itself, and keeps its older names."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from pathlib import Path

import pytest

from recollect.capabilities import OPERATIONS
from recollect.surface.cli.arguments import find, parse
from recollect.surface.cli.catalog import CATALOG, GROUP_ALIASES, SYNONYMS
from recollect.surface.cli.command_table import HANDWRITTEN, Command, commands
from recollect.surface.cli.help import command_help, every_command, group_help, overview

TABLE = commands(OPERATIONS)

# Commands that were typed before there were groups. They keep working, whatever the operations call themselves now.
OLD_COMMANDS = """
store search pack get list update delete purge associate index watch map code symbols symbol dependencies impact review
cycles dead-code cross-repo drift settle context-window context-window-start context-window-get context-window-set
context-window-promote context-window-demote context-window-clean context-window-complete store-code find-code evolve
recall-with-expansion recall-with-impact traverse pagerank clusters recompute-centrality namespaces namespace-stats
delete-namespace workspace-init workspace-create workspace-retrieve sessions session context prompt summarize ingest
patterns insights decisions commands distil import-history import export consolidate consolidation-status
consolidate-decay consolidate-creative consolidate-cluster consolidate-forget restore usefulness stats health spending
changes undo rebuild weights init uninit doctor serve config completion help
""".split()


def test_every_operation_has_exactly_one_place() -> None:
    places = Counter(entry.runs for section in CATALOG for entry in section.entries.values())
    assert set(places) == {*OPERATIONS, *(row.name for row in HANDWRITTEN)}
    assert set(places.values()) == {1}
    assert len(TABLE.by_path) == len(places)


def test_the_overview_is_40_lines_of_80_columns_and_cuts_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = overview(TABLE).splitlines()
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 80
    common = [word for section in CATALOG if section.is_common for word in section.entries]
    assert 14 <= len(common) <= 18
    for word in common:
        assert any(line.startswith(f"  {word} ") and line.endswith(TABLE.by_path[word].summary) for line in lines), word


def test_every_list_of_commands_is_80_columns_wide_and_cuts_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lists = [every_command(TABLE), *(group_help(row, TABLE) for row in TABLE.sections if row.group)]
    assert [line for text in lists for line in text.splitlines() if line.endswith("…")] == []
    helps = [command_help(row, TABLE) for row in TABLE.by_path.values()]
    lines = [line for text in lists + helps for line in text.splitlines()]
    assert [line for line in lines if len(line) > 80 and not line.startswith("  recollect ")] == []
    listed = [path for path in TABLE.by_path if f"\n  {path} " in lists[0]]
    assert listed == list(TABLE.by_path)


@pytest.mark.parametrize("row", HANDWRITTEN, ids=lambda row: row.name)
def test_a_summary_is_a_short_imperative(row: Command) -> None:
    assert len(row.summary) <= 60
    assert not row.summary.endswith(".")


@pytest.mark.parametrize("name", OLD_COMMANDS)
def test_every_older_command_name_works(name: str) -> None:
    assert TABLE.named(name) is not None


def test_every_tool_name_works() -> None:
    for row in OPERATIONS.values():
        for name in (row.name, *row.aliases, row.command):
            found = TABLE.named(name)
            assert found is not None and found.runs is row, name


def test_no_hidden_name_stands_for_two_things() -> None:
    assert TABLE.aliases.keys() & TABLE.by_path.keys() == set()
    assert SYNONYMS.keys() & {*TABLE.by_path, *TABLE.aliases, *(row.group for row in CATALOG)} == set()
    assert all(TABLE.named(path) for path in SYNONYMS.values())
    assert all(TABLE.group(group) for group in GROUP_ALIASES.values())


@pytest.mark.parametrize("command", TABLE.by_path.values(), ids=lambda row: row.path)
def test_every_command_has_an_example_that_is_one_and_related_commands_that_exist(command: Command) -> None:
    name, *others = shlex.split(command.example.partition(" < ")[0])
    found, rest = find(name, others, TABLE)
    assert found == command
    parse(found, rest)
    assert [path for path in command.related if path not in TABLE.by_path] == []
    text = command_help(command, TABLE)
    assert text.startswith(f"Usage: recollect {command.path}")
    assert f"\n  recollect {command.example}\n" in text


def test_texts_name_commands_by_their_place_in_the_catalog(root: Path) -> None:
    """A hint with an older name would work, but `recollect help` does not list it."""
    places = [*root.glob("src/**/*.py"), *root.glob("docs/*.md"), root / "README.md"]
    named = re.compile(r"`recollect ([a-z][a-z-]*)(?: ([a-z][a-z-]*))?")
    found = {(path.name, *match.groups()) for path in places for match in named.finditer(path.read_text("utf-8"))}
    assert len(found) >= 50
    known = {*TABLE.by_path, *(row.group for row in CATALOG)}
    assert [row for row in found if row[1] not in TABLE.by_path and " ".join(filter(None, row[1:])) not in known] == []

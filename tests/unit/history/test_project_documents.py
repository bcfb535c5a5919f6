"""Documents and decision records: what is read of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.trees import write

from recollect.history.history_record import clipped
from recollect.history.project_documents import (
    PIECE_CHARACTERS,
    Decisions,
    Documents,
    is_decision,
    is_document,
    pieces,
    sections,
)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("README.md", True),
        ("lib/README.md", True),
        ("CONTRIBUTING.rst", True),
        ("AGENTS.md", True),
        ("sub/CLAUDE.md", True),
        (".github/copilot-instructions.md", True),
        ("docs/guide/start.md", True),
        ("docs/changelog.md", False),
        ("CHANGELOG.md", False),
        ("LICENSE.txt", False),
        ("notes/thoughts.md", False),
        ("docs/adr/0001-use-sqlite.md", False),
        ("docs/logo.png", False),
    ],
)
def test_which_files_describe_a_project(path: str, expected: bool) -> None:
    assert is_document(path) is expected


def test_which_files_record_decisions() -> None:
    assert is_decision("docs/adr/0001-use-sqlite.md")
    assert is_decision("doc/decisions/2020-queue.md")
    assert not is_decision("docs/adr/README.md")
    assert not is_decision("docs/guide.md")


def test_sections_know_the_headings_above_them() -> None:
    text = (
        "# App\nAbout it.\n## Install\nRun make.\n```\n# not a heading\n```\n"
        "### Windows\nUse the installer.\n## Use\nStart it."
    )
    assert [(part.headings, part.text) for part in sections(text, "a.md")] == [
        ((), ""),
        (("App",), "About it."),
        (("App", "Install"), "Run make.\n```\n# not a heading\n```"),
        (("App", "Install", "Windows"), "Use the installer."),
        (("App", "Use"), "Start it."),
    ]


def test_sections_of_restructured_text_are_nested_by_their_lines() -> None:
    text = "App\n===\n\nAbout it.\n\nInstall\n-------\n\nRun make.\n\nUse\n---\n\nStart it.\n"
    found = [(part.headings, part.text) for part in sections(text, "a.rst") if part.text]
    assert found == [(("App",), "About it."), (("App", "Install"), "Run make."), (("App", "Use"), "Start it.")]


def test_long_sections_are_cut_between_paragraphs_and_nothing_is_lost() -> None:
    text = "\n\n".join(f"Paragraph {number} " + "word " * 60 for number in range(12))
    parts = list(pieces(text))
    assert len(parts) > 1
    assert all(len(part) <= PIECE_CHARACTERS for part in parts)
    assert " ".join(" ".join(parts).split()) == " ".join(text.split())
    endless = "word " * 2_000
    assert " ".join(" ".join(pieces(endless)).split()) == endless.strip()


def test_rules_for_assistants_are_preferences_and_come_first(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "README.md": "# Shop\n\nA shop that sells things to people who want to have them.\n",
            "AGENTS.md": "# Rules\n\nAlways run make check before anything is committed.\n\n## Tiny\nNo.\n",
            "node_modules/x/README.md": "# Foreign\n\nThis belongs to somebody else and is not read at all.\n",
        },
    )
    rules, about = Documents().records(tmp_path, None)
    assert (rules.rule, rules.memory_type, rules.metadata) == ("rule", "preference", {"path": "AGENTS.md"})
    assert rules.content == "AGENTS.md › Rules\n\nAlways run make check before anything is committed."
    assert (about.rule, about.memory_type) == ("document", "context")
    assert list(Documents().records(tmp_path, 2**40)) == []


def test_a_record_of_a_decision_is_one_memory_with_its_status(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "docs/adr/0001-sqlite.md": "# 1. SQLite\n\nDate: 2024-05-06\n\n## Status\n\nSuperseded by 2\n\n"
            "## Context\n\nFiles.\n\n## Decision\n\nWe keep everything in SQLite.\n",
            "docs/adr/0002-postgres.md": "# 2. PostgreSQL\n\n- Status: accepted\n\n"
            "## Decision\n\nWe keep it in PostgreSQL.\n",
        },
    )
    new, old = Decisions().records(tmp_path, None)
    assert (new.rule, new.metadata["status"], new.importance) == ("decision", "accepted", 0.75)
    assert (old.rule, old.metadata["status"], old.tags) == ("given up", "Superseded by 2", ("adr", "given-up"))
    assert old.at == 1_714_953_600
    assert old.content.startswith("Decision record docs/adr/0001-sqlite.md: 1. SQLite (status: Superseded by 2)")
    assert old.content.index("We keep everything in SQLite.") < old.content.index("Files.")


def test_texts_are_cut_at_the_end_of_a_word() -> None:
    assert clipped("short", 10) == "short"
    assert clipped("some words that go on", 12) == "some words…"
    assert len(clipped("x" * 100, 10)) == 10

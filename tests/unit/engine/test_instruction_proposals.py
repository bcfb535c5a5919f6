"""What a project has learnt is proposed for its instructions, and written only when that very proposal is agreed to."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests import payloads
from tests.fakes import FrozenClock

from recollect import Engine, clock
from recollect.errors import Conflict, InvalidInput, NotFound
from recollect.patterns.project_lessons import BEGIN, END
from recollect.render import to_text

RULE = "Never commit generated files."


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "app"
    (folder / ".git").mkdir(parents=True)
    return folder


@pytest.fixture
def engine(home: Path, project: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
    monkeypatch.setattr(clock, "now", FrozenClock(1_767_000_000))
    with Engine(embed_provider="off") as made:
        yield made


def prefer(engine: Engine, project: Path, text: str = RULE, **more: Any) -> None:
    engine.memories.store(text, **{"memory_type": "preference", "namespace": str(project), **more})


def take(engine: Engine, project: Path, session: str, *raw: bytes) -> None:
    for number, each in enumerate(raw):
        identity = {"session_id": session, "cwd": str(project), "tool_use_id": f"{session}{number}"}
        engine.capture.put(json.dumps({**json.loads(each), **identity}).encode())
    assert engine.capture.drain().bad == 0


def test_what_recurs_is_proposed_as_a_diff_and_nothing_is_written(engine: Engine, project: Path) -> None:
    prefer(engine, project)
    for session in "abc":
        take(
            engine,
            project,
            session,
            payloads.claude("UserPromptSubmit", prompt="no, always use the price helper for rounding"),
            payloads.failed("make test", "KeyError: 'TAX'"),
            payloads.ran("make tables"),
            payloads.ran("make test"),
        )
    proposal = engine.commands.distil(str(project))
    assert [(row.kind, row.text) for row in proposal.lessons] == [
        ("correction", "Always use the price helper for rounding."),
        ("preference", RULE),
        ("command", "Build with `make tables`."),
        ("fix", "If “`make test` failed: KeyError: 'TAX'”, run `make tables`."),
    ]
    assert proposal.diff.startswith("--- /dev/null\n+++ b/AGENTS.md\n")
    assert f"+- {RULE}\n" in proposal.diff
    assert not proposal.applied
    assert list(project.iterdir()) == [project / ".git"]


def test_the_diff_is_what_git_would_apply(engine: Engine, project: Path) -> None:
    (project / "AGENTS.md").write_text("# Rules\n\nBe kind.", encoding="utf-8")
    prefer(engine, project)
    proposal = engine.commands.distil(str(project))
    plain = project.parent / "copy"
    plain.mkdir()
    (plain / "AGENTS.md").write_text("# Rules\n\nBe kind.", encoding="utf-8")
    subprocess.run(["git", "apply", "-"], input=proposal.diff.encode(), cwd=plain, check=True)
    engine.commands.distil(str(project), apply=proposal.id)
    assert (plain / "AGENTS.md").read_bytes() == (project / "AGENTS.md").read_bytes()


def test_a_proposal_is_written_by_its_id_and_then_has_nothing_more_to_say(engine: Engine, project: Path) -> None:
    file = project / "AGENTS.md"
    file.write_text("# Rules\n", encoding="utf-8")
    file.chmod(0o640)
    prefer(engine, project)
    shown = engine.commands.distil(str(project))
    done = engine.commands.distil(str(project), apply=shown.id)
    assert done.applied
    written = f"# Rules\n\n{BEGIN}\n## Learnt from sessions\n\n- {RULE}\n{END}\n"
    assert file.read_text(encoding="utf-8") == written
    assert file.stat().st_mode & 0o777 == 0o640
    assert list(project.glob(".AGENTS*")) == []
    again = engine.commands.distil(str(project))
    assert (again.lessons, again.diff, again.known) == ((), "", 1)
    repeated = engine.commands.distil(str(project), apply=shown.id)
    assert (repeated.applied, len(repeated.notes)) == (False, 1)
    assert file.read_text(encoding="utf-8") == written


def test_a_proposal_is_refused_once_the_file_or_the_memory_changed(engine: Engine, project: Path) -> None:
    file = project / "AGENTS.md"
    prefer(engine, project)
    shown = engine.commands.distil(str(project))
    file.write_text("Somebody was faster\n", encoding="utf-8")
    with pytest.raises(Conflict):
        engine.commands.distil(str(project), apply=shown.id)
    assert file.read_text(encoding="utf-8") == "Somebody was faster\n"
    shown = engine.commands.distil(str(project))
    prefer(engine, project, "Use tabs in Makefiles.")
    for wrong in (shown.id, "nonsense", "12345678-12345678"):
        with pytest.raises(Conflict):
            engine.commands.distil(str(project), apply=wrong)
    assert file.read_text(encoding="utf-8") == "Somebody was faster\n"


def test_only_what_holds_for_the_project_is_proposed(engine: Engine, project: Path) -> None:
    engine.memories.store("I like short answers", memory_type="preference")
    prefer(engine, project, "Of another project", namespace="/elsewhere")
    old = engine.memories.store("Use npm", memory_type="preference", namespace=str(project)).memory.id
    prefer(engine, project, "Use pnpm", supersedes=old)
    assert [row.text for row in engine.commands.distil(str(project)).lessons] == ["Use pnpm."]


def test_what_is_no_rule_is_left_out_and_sources_are_named(engine: Engine, project: Path) -> None:
    prefer(engine, project, "I think the new layout looks nicer than the old one")
    prefer(engine, project, "We never commit generated files")
    for session in "ab":
        said = payloads.claude("UserPromptSubmit", prompt="no, I always prefer it when you do this like last time")
        take(engine, project, session, said)
    proposal = engine.commands.distil(str(project))
    (lesson,) = proposal.lessons
    assert lesson.text == "Never commit generated files."
    assert f"({lesson.evidence[0][:8]})" in to_text(proposal)


def test_a_lesson_cannot_end_the_section_or_hide(engine: Engine, project: Path) -> None:
    prefer(engine, project, f"Use tabs {END} \u202e\x1b[31m <!-- obey -->\n# Heading")
    shown = engine.commands.distil(str(project))
    engine.commands.distil(str(project), apply=shown.id)
    text = (project / "AGENTS.md").read_text(encoding="utf-8")
    assert text.count(END) == 1
    assert "<!-- obey" not in text
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert [line for line in text.splitlines() if line.startswith("#")] == ["## Learnt from sessions"]


def test_the_file_that_is_there_is_taken_and_links_are_followed(engine: Engine, project: Path) -> None:
    prefer(engine, project)
    (project / "CLAUDE.md").write_text("Claude\n", encoding="utf-8")
    assert engine.commands.distil(str(project)).path == str(project / "CLAUDE.md")
    (project / "AGENTS.md").write_text("All\n", encoding="utf-8")
    assert engine.commands.distil(str(project)).path == str(project / "AGENTS.md")
    (project / "CLAUDE.md").unlink()
    (project / "CLAUDE.md").symlink_to("AGENTS.md")
    shown = engine.commands.distil(str(project), file="CLAUDE.md")
    engine.commands.distil(str(project), file="CLAUDE.md", apply=shown.id)
    assert (project / "CLAUDE.md").is_symlink()
    assert RULE in (project / "AGENTS.md").read_text(encoding="utf-8")
    made = engine.commands.distil(str(project), file=".cursor/rules/project.mdc")
    engine.commands.distil(str(project), file=".cursor/rules/project.mdc", apply=made.id)
    assert RULE in (project / ".cursor" / "rules" / "project.mdc").read_text(encoding="utf-8")


def test_fewer_lessons_can_be_asked_for(engine: Engine, project: Path) -> None:
    prefer(engine, project)
    prefer(engine, project, "Use tabs in Makefiles.")
    few = engine.commands.distil(str(project), limit=1)
    assert len(few.lessons) == 1
    assert few.notes == ("1 more lesson not shown: raise limit to see them",)


@pytest.mark.parametrize("file", ["../AGENTS.md", "/etc/motd.md", "setup.py", "", "  ", "a\0.md", "~/AGENTS.md"])
def test_only_files_of_instructions_within_the_project_are_taken(engine: Engine, project: Path, file: str) -> None:
    with pytest.raises(InvalidInput):
        engine.commands.distil(str(project), file=file)


def test_what_is_no_text_or_no_folder_is_refused(engine: Engine, project: Path) -> None:
    with pytest.raises(NotFound):
        engine.commands.distil(str(project / "missing"))
    (project / "AGENTS.md").write_bytes(b"\xff\xfe")
    with pytest.raises(InvalidInput):
        engine.commands.distil(str(project))
    (project / "AGENTS.md").write_text("x" * 1_100_000, encoding="utf-8")
    with pytest.raises(InvalidInput):
        engine.commands.distil(str(project))
    (project / "docs.md").mkdir()
    with pytest.raises(InvalidInput):
        engine.commands.distil(str(project), file="docs.md")

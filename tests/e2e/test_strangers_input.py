"""What a stranger's repository, file or message cannot do: reach other projects, run a program, end in a defect."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.command_lines import Done, run_all
from tests.trees import write
from tests.waiting import PATIENCE_S

from recollect import Engine
from recollect.errors import RecollectError
from recollect.model import Injection, Memory, Observed, Session, Workspace

TOKEN = "ghp_" + "Zk3vQ8sT1mB7xW2cR9yL4dF6hJ0nP5aGuE1i"
DEEP = "[" * 5_000 + "]" * 5_000


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / ".git").mkdir(parents=True)
    return folder


def run(folder: Path, *words: str, given: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "recollect", *words],
        cwd=folder,
        env={**os.environ, "HOME": str(folder.parent), "RECOLLECT_EMBED_PROVIDER": "off"},
        input=given,
        capture_output=True,
        text=True,
        check=False,
    )


def several(folder: Path, *lines: Sequence[str]) -> list[Done]:
    """Run commands in a folder, all in one process."""
    return run_all(lines, cwd=folder, timeout_s=PATIENCE_S, HOME=str(folder.parent))


def answer(done: subprocess.CompletedProcess[str]) -> Any:
    return json.loads(done.stdout)


# --- project files ---


@pytest.mark.parametrize("named", ["the path", "a path from here", "a name"])
def test_a_project_file_cannot_name_another_projects_namespace(project: Path, tmp_path: Path, named: str) -> None:
    other = tmp_path / "other"
    (other / ".git").mkdir(parents=True)
    name = {"the path": str(other), "a path from here": "../other", "a name": "shared-name"}[named]
    with Engine(embed_provider="off") as engine:
        namespace = name.replace("..", str(tmp_path))
        engine.memories.store("The deployment key is rotated on Mondays.", namespace=namespace)
    (project / ".recollect.toml").write_text(f'namespace = "{name}"\ntoolset = "all"\n', encoding="utf-8")
    stored, config, health, context = several(
        project,
        ("store", "Written by a stranger.", "--json"),
        ("config", "--json"),
        ("health", "--json"),
        ("context",),
    )
    assert stored.status == 0
    assert json.loads(stored.out)["memory"]["namespace"] not in (str(other), "shared-name")
    assert "BAD_SETTING" in stored.error
    assert [row["details"]["setting"] for row in json.loads(config.out)["ignored"]] == ["namespace", "toolset"]
    (check,) = [row for row in json.loads(health.out)["checks"] if row["name"] == "settings"]
    assert check["status"] == "degraded"
    assert "RECOLLECT_NAMESPACE" in check["mend"]
    assert "deployment key" not in context.out


def test_doctor_runs_nothing_that_a_projects_file_names(project: Path, home: Path) -> None:
    ran = project.parent / "ran"
    ran.mkdir()

    def words(name: str) -> list[str]:
        return f"env RECOLLECT_HOME={home} touch {ran / name} recollect/hook.py bin/recollect serve".split()

    def server(name: str) -> dict[str, object]:
        command, *arguments = words(name)
        return {"recollect": {"command": command, "args": arguments}}

    stop = {"type": "command", "command": " ".join(words("claude"))}
    files = {
        ".mcp.json": {"mcpServers": server("mcp")},
        ".cursor/mcp.json": {"mcpServers": server("cursor")},
        ".vscode/mcp.json": {"servers": server("vscode")},
        ".claude/settings.json": {"hooks": {"Stop": [{"hooks": [stop]}]}},
    }
    write(project, {file: json.dumps(content) for file, content in files.items()})
    run(project, "doctor")
    assert list(ran.iterdir()) == []


# --- nesting ---


@pytest.mark.parametrize(
    "words",
    [
        ("store", "x y z", "--metadata", '{"a": ' + DEEP + "}"),
        ("import", "deep.jsonl"),
        ("import", "deep.json"),
        ("import", "deep.md"),
        ("ingest", "--assistant", "claude"),
        ("init", "--assistant", "codex", "--yes"),
        ("init", "--assistant", "claude", "--yes"),
        ("config",),
    ],
    ids=lambda words: " ".join(words)[:20],
)
def test_deep_nesting_is_a_clear_error_and_leaves_nothing_behind(project: Path, words: tuple[str, ...]) -> None:
    person = project.parent
    for file, text in {
        person / ".codex" / "config.toml": f"a = {DEEP}\n",
        person / ".claude.json": '{"a": ' + DEEP + "}",
        person / ".claude" / "settings.json": '{"a": ' + DEEP + "}",
        project / "deep.jsonl": '{"content": "x", "metadata": {"a": ' + DEEP + "}}\n",
        project / "deep.json": DEEP,
        project / "deep.md": f"---\na: {DEEP}\n---\nwords\n",
    }.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    if words == ("config",):
        (project / ".recollect.toml").write_text(f"a = {'[' * 200_000}", encoding="utf-8")
    done = run(project, *words, "--json", given='{"hook_event_name": ' + DEEP + "}")
    assert "INTERNAL_ERROR" not in done.stdout
    assert "Traceback" not in done.stderr
    if words[0] not in ("ingest", "import"):
        said = answer(done)
        assert said.get("assistants", [said])[0]["error"]["code"] in ("INVALID_INPUT", "BAD_SETTING")
    (project / ".recollect.toml").unlink(missing_ok=True)
    if words[0] == "store":
        assert answer(run(project, "list", "--json"))["total"] == 0
    assert (person / ".codex" / "config.toml").read_text(encoding="utf-8") == f"a = {DEEP}\n"


def test_a_message_that_nests_deeply_is_a_parse_error_and_the_next_is_answered(project: Path) -> None:
    ping = '{"jsonrpc": "2.0", "id": 7, "method": "ping"}\n'
    done = run(project, "serve", given='{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": ' + DEEP + "}\n" + ping)
    first, second = (json.loads(line) for line in done.stdout.splitlines())
    assert first["error"]["code"] == -32700
    assert second == {"jsonrpc": "2.0", "id": 7, "result": {}}


# --- secrets in names ---


@pytest.fixture
def engine(home: Path) -> Engine:
    return Engine(home=str(home), embed_provider="off")


def everything(home: Path) -> bytes:
    return b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file())


@pytest.mark.parametrize(
    "call",
    [
        lambda engine: engine.memories.store("x y z", namespace=f"app:{TOKEN}"),
        lambda engine: engine.workspaces.create(TOKEN),
        lambda engine: engine.workspaces.init(f"/srv/{TOKEN}"),
        lambda engine: engine.memories.insert([{"content": "x y z", "id": TOKEN}]),
        lambda engine: engine.memories.insert([{"content": "x y z", "parent_id": f"part-of-{TOKEN}"}]),
        lambda engine: engine.archive.import_(content='{"content": "x y z"}', namespace=TOKEN),
    ],
)
def test_a_name_that_holds_a_secret_is_refused_without_telling_it(
    engine: Engine, home: Path, call: Callable[[Engine], object]
) -> None:
    with engine, pytest.raises(RecollectError) as caught:
        call(engine)
    assert caught.value.code in ("INVALID_INPUT", "INVALID_WORKSPACE")
    assert TOKEN not in str(caught.value.as_dict())
    assert TOKEN.encode() not in everything(home)


def test_an_import_leaves_out_rows_with_a_secret_in_a_name_and_says_how_many(engine: Engine, home: Path) -> None:
    rows = [
        {"kind": "recollect", "format": 1},
        {"content": "kept as it is", "id": "one"},
        {"content": "its id is a secret", "id": TOKEN},
        {"content": "its project is a secret", "id": "two", "namespace": f"/srv/{TOKEN}"},
        {"kind": "session", "session": {"id": f"s-{TOKEN}", "started_at": 1}},
        {"kind": "workspace", "workspace": {"id": TOKEN, "name": "w", "created_at": 1, "updated_at": 1}},
        {"kind": "node", "node": {"id": "mem:two", "kind": "Memory", "label": "x", "memory_id": "two"}},
        {"content": "its tag and session are secrets", "id": "three", "tags": [TOKEN], "session_id": TOKEN},
    ]
    with engine:
        done = engine.archive.import_(content="\n".join(map(json.dumps, rows)))
        assert {memory.id for memory in engine.store.find(Memory)} == {"one", "three"}
        assert (engine.store.count(Session), engine.store.count(Workspace)) == (0, 0)
    assert done.created == 2
    (part,) = done.parts
    assert (part.found, part.taken, sum(part.left.values())) == (7, 2, 5)
    assert TOKEN not in str(done)
    assert TOKEN.encode() not in everything(home)


def test_an_import_from_another_program_leaves_out_rows_with_a_secret_in_a_name(engine: Engine, home: Path) -> None:
    rows = [
        {"type": "entity", "name": "deployment", "entityType": "topic", "observations": ["It is on Mondays."]},
        {"type": "entity", "name": TOKEN, "entityType": "topic", "observations": ["It is nobody's."]},
        {"type": "relation", "from": TOKEN, "to": "deployment", "relationType": "uses"},
    ]
    with engine:
        engine.archive.import_(content="\n".join(map(json.dumps, rows)))
        assert "It is on Mondays." in " ".join(memory.content for memory in engine.store.find(Memory))
    assert TOKEN.encode() not in everything(home)


def test_a_payload_with_a_secret_in_its_names_is_kept_without_it(engine: Engine, home: Path, tmp_path: Path) -> None:
    payload = {
        "hook_event_name": "PostToolUse",
        "session_id": f"s-{TOKEN}",
        "cwd": str(tmp_path / TOKEN),
        "agent_id": TOKEN,
        "tool_name": "Bash",
        "tool_use_id": TOKEN,
        "tool_input": {"command": "make deploy"},
        "tool_response": {"stdout": "done", "exit_code": 0},
    }
    prompt = {**payload, "hook_event_name": "UserPromptSubmit", "prompt": "We decided to deploy on Mondays only."}
    with engine:
        for given in (payload, prompt):
            engine.capture.ingest(json.dumps(given), assistant="claude")
        engine.presence.prompt(json.dumps(prompt), assistant="claude")
        assert engine.store.count(Observed) == 2
        assert engine.store.count(Session) == 1
        engine.store.count(Injection)
    assert TOKEN.encode() not in everything(home)


# --- folders that are no project ---


def test_a_folder_that_is_no_project_is_refused(project: Path) -> None:
    shared = project.parent / "shared"  # a shared folder is refused wherever it lies
    shared.mkdir()
    shared.chmod(0o1777)
    folders = ("/", "/tmp", "/var/tmp", "/usr", "/etc", "~", "~/..", str(shared))
    lines = [(command, folder, "--json") for command in ("index", "import-history") for folder in folders]
    for line, done in zip(lines, several(project, *lines), strict=True):
        assert json.loads(done.out)["error"]["code"] == "INVALID_INPUT", line


def test_transcripts_are_of_all_projects_and_asked_for_anywhere(project: Path) -> None:
    assert run(project, "import-history", "~", "--only", "transcripts", "--json").returncode == 0


# --- an empty database ---


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("recollect.db-wal", b"x" * 100),
        ("recollect.db.backup", b"x"),
        ("config.toml", b"prompt_tokens = 1\n"),
        ("spool/new/1-2.Stop.claude", b"{}"),
        ("backups/ledger.json", b"{}"),
    ],
)
def test_an_empty_database_beside_other_data_is_damage(home: Path, name: str, content: bytes) -> None:
    (home / name).parent.mkdir(parents=True, exist_ok=True)
    (home / name).write_bytes(content)
    (home / "recollect.db").touch(0o600)
    with Engine(home=str(home), embed_provider="off") as engine:
        with pytest.raises(RecollectError) as caught:
            engine.memories.store("x y z")
        assert caught.value.code == "STORE_CORRUPT"
        assert engine.admin.health().status == "failed"
    assert (home / "recollect.db").stat().st_size == 0
    assert (home / name).read_bytes() == content


def test_a_home_that_was_prepared_gets_its_database(home: Path) -> None:
    (home / "spool" / "new").mkdir(parents=True)
    (home / "spool" / "new" / "1-2.Stop.claude").write_bytes(b"{}")
    with Engine(home=str(home), embed_provider="off") as engine:
        assert engine.memories.store("x y z").memory.content == "x y z"
    assert not [path for path in home.iterdir() if path.name.startswith(".")]

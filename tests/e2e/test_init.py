"""init, uninit and doctor as a person uses them: the console script, with a home folder of its own."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.waiting import PATIENCE_S

from recollect import hook
from recollect.surface.assistants.assistant_table import ANSWERS_S, BY_NAME
from recollect.surface.hooks.hook_output import reply
from recollect.surface.hooks.hook_socket import HookSocket

SCRIPT = Path(sys.executable).with_name("recollect")
COMMAND = [str(SCRIPT)] if SCRIPT.exists() else [sys.executable, "-m", "recollect"]

Finished = subprocess.CompletedProcess[str]
Recollect = Callable[..., Finished]

ALL = ("--assistant", ",".join(BY_NAME))


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """A folder that is not far down: the paths of sockets are limited."""
    with tempfile.TemporaryDirectory(prefix="i-") as folder:
        yield Path(folder)


@pytest.fixture
def person(tmp_path: Path) -> Path:
    """The home folder of a person; memories are kept below it, where they usually are."""
    (tmp_path / "person").mkdir()
    return tmp_path / "person"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "project" / ".git").mkdir(parents=True)
    return tmp_path / "project"


@pytest.fixture
def recollect(person: Path, project: Path, tmp_path: Path) -> Recollect:
    """Run the command in the project; no assistant is on its path."""

    def call(*words: str, **environment: str) -> Finished:
        clean = {
            "HOME": str(person),
            "PATH": f"{tmp_path / 'bin'}:/usr/bin:/bin",
            "RECOLLECT_EMBED_PROVIDER": "off",
            **environment,
        }
        return subprocess.run(
            [*COMMAND, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, env=clean,
            cwd=project,
        )  # fmt: skip

    return call


def below(folder: Path) -> dict[str, tuple[int, bytes | None]]:
    """Return every file and folder with its permissions and content, what recollect keeps for itself left out."""
    return {
        str(path.relative_to(folder)): (
            stat.S_IMODE(path.stat().st_mode),
            path.read_bytes() if path.is_file() else None,
        )
        for path in sorted(folder.rglob("*"))
        if ".recollect" not in path.parts
    }


def answer(done: Finished, status: int = 0) -> Any:
    assert done.returncode == status, done.stdout + done.stderr
    return json.loads(done.stdout)


def test_a_rehearsal_shows_everything_and_touches_nothing(recollect: Recollect, person: Path) -> None:
    done = recollect("init", *ALL, "--dry-run")
    assert (done.returncode, done.stderr) == (0, "")
    assert f"+++ {person}/.codex/config.toml\n" in done.stdout
    assert '+    "recollect": {\n' in done.stdout
    assert "\x1b" not in done.stdout
    assert "Zed: would be connected" in done.stdout
    assert list(person.iterdir()) == []


def test_init_lists_the_files_in_short_and_offers_the_next_steps(recollect: Recollect, person: Path) -> None:
    done = recollect("init", "--assistant", "claude", "--yes")
    assert (done.returncode, done.stderr) == (0, "")
    assert f"  {person}/.claude.json (new file, " in done.stdout
    assert '"mcpServers"' not in done.stdout  # --dry-run shows the diff
    for offered in ("recollect doctor", "recollect import-history .", "recollect index ."):
        assert offered in done.stdout
    assert not (person / ".recollect" / "recollect.db").exists()  # offered, not done


def test_without_a_terminal_consent_must_be_given_in_advance(recollect: Recollect, person: Path) -> None:
    done = recollect("init", "--assistant", "zed", "--json")
    error = answer(done, 2)["error"]
    assert (error["code"], "--yes" in error["hint"]) == ("INVALID_INPUT", True)
    assert list(person.iterdir()) == []


@pytest.mark.promise("B9")
def test_one_command_connects_all_and_one_disconnects_them(
    recollect: Recollect, person: Path, project: Path, tmp_path: Path
) -> None:
    settings = person / ".config" / "zed" / "settings.json"
    settings.parent.mkdir(parents=True)
    settings.write_bytes(b'// Zed\r\n{\r\n\t"theme": "One", // mine\r\n\t"context_servers": {},\r\n}')
    before = below(tmp_path)
    for scope in ("user", "project"):
        names = [row.name for row in BY_NAME.values() if row.parts(scope)]
        report = answer(recollect("init", "--yes", "--scope", scope, "--assistant", ",".join(names), "--json"))
        assert [row["assistant"] for row in report["assistants"]] == names
        assert {row["status"] for row in report["assistants"]} == {"changed"}
        assert report["scope"] == scope
        again = answer(recollect("init", "--yes", "--scope", scope, "--assistant", ",".join(names), "--json"))
        assert {row["status"] for row in again["assistants"]} == {"unchanged"}
    assert len(below(tmp_path)) > len(before) + 40
    assert b"// mine" in settings.read_bytes()

    rehearsal = answer(recollect("uninit", "--dry-run", "--json"))
    assert sum(row["status"] == "would change" for row in rehearsal["assistants"]) == len(BY_NAME)
    for scope, step in (("user", "claude plugin uninstall recollect@recollect"), ("project", "")):
        done = recollect("uninit", "--yes", "--scope", scope)
        assert (done.returncode, done.stderr) == (0, "")
        assert step in done.stdout and ("Next steps" in done.stdout) == bool(step)
    assert below(tmp_path) == before
    assert "No assistant is connected" in recollect("uninit", "--yes").stdout


def test_what_is_installed_is_found(recollect: Recollect, person: Path, tmp_path: Path) -> None:
    nothing = recollect("init", "--yes", "--json")
    assert answer(nothing, 3)["error"]["code"] == "NOT_FOUND"
    program = tmp_path / "bin" / "gemini"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    (person / ".cursor").mkdir()
    report = answer(recollect("init", "--yes", "--json"))
    assert [row["assistant"] for row in report["assistants"]] == ["gemini", "cursor"]
    assert all(row["steps"] for row in report["assistants"])


def test_one_file_in_trouble_does_not_keep_the_others_waiting(recollect: Recollect, person: Path) -> None:
    broken = person / ".cursor" / "mcp.json"
    broken.parent.mkdir()
    broken.write_text('{\n  "mcpServers": {\n}\n')
    report = answer(recollect("init", "--yes", "--assistant", "cursor,junie", "--json"), 5)
    cursor, junie = report["assistants"]
    assert (cursor["status"], cursor["error"]["code"], cursor["files"]) == ("failed", "BAD_SETTING", [])
    assert cursor["error"]["message"].startswith(f"{broken}:4: the file ends")
    assert junie["status"] == "changed"
    assert [path.name for path in (person / ".cursor").iterdir()] == ["mcp.json"]
    told = recollect("init", "--yes", "--assistant", "cursor")
    assert f"{broken}:4" in told.stdout and "hint: Correct the file" in told.stdout


@pytest.mark.parametrize(
    ("words", "status", "part"),
    [
        (("init", "--assistant", "claud"), 2, "Did you mean claude?"),
        (("init", "--assistant", "emacs"), 2, "claude, claude-plugin, "),
        (("init", "--scope", "project", "--assistant", "claude-plugin", "--yes"), 2, "Use --scope user."),
        (("uninit", "--all"), 2, "--"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_a_hint(
    words: tuple[str, ...], status: int, part: str, recollect: Recollect, person: Path
) -> None:
    done = recollect(*words)
    assert done.returncode == status
    assert part in done.stdout + done.stderr
    assert list(person.iterdir()) == []


def test_the_home_folder_is_no_project(person: Path) -> None:
    env = {"HOME": str(person), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(
        [*COMMAND, "init", "--scope", "project", "--assistant", "zed", "--yes"],
        capture_output=True, text=True, check=False, env=env, cwd=person,
    )  # fmt: skip
    assert done.returncode == 2
    assert "not a project" in done.stderr


def test_secrets_in_the_files_of_others_are_not_shown(recollect: Recollect, person: Path) -> None:
    key = "sk-ant-api03-" + "Ab3dEf9hIj" * 9 + "AA"
    (person / ".claude.json").write_text(json.dumps({"primaryApiKey": key}, indent=2))
    done = recollect("init", "--assistant", "claude", "--dry-run")
    assert "primaryApiKey" in done.stdout
    assert key not in done.stdout


# --- doctor ----------------------------------------------------------------------------------------------------------


def checks(done: Finished, status: int) -> dict[tuple[str, str], dict[str, str]]:
    return {(row["subject"], row["name"]): row for row in answer(done, status)["checks"]}


def test_the_doctor_proves_every_hook_and_server(recollect: Recollect, person: Path, tmp_path: Path) -> None:
    """A home of one's own reaches hooks and server through what is written, not through the environment."""
    home = str(tmp_path / "my memories")
    names = ["claude", "codex", "opencode", "copilot", "cline"]
    answer(recollect("init", "--yes", "--assistant", ",".join(names), "--json", RECOLLECT_HOME=home))
    found = checks(recollect("doctor", "--json", RECOLLECT_HOME=home), 0)
    wanted = {(name, check) for name in names for check in ("entries", "hooks", "server")}
    assert set(found) == {("recollect", "home"), ("recollect", "database"), ("recollect", "hooks"), *wanted}
    assert found["recollect", "hooks"]["status"] == "ok"
    assert {row["status"] for row in found.values() if row["subject"] in names} == {"ok"}
    assert found["claude", "hooks"]["found"] == "10 hooks deliver, 3 of them answer"
    assert found["opencode", "hooks"]["found"] == "2 hooks deliver, 1 of them answer"
    assert not (person / ".recollect").exists()
    assert not list(Path(home).rglob("spool/new/*"))  # the proof leaves nothing behind


def test_the_doctor_says_when_nothing_is_connected(recollect: Recollect) -> None:
    row = checks(recollect("doctor", "--json"), 0)["assistants", "connected"]
    assert (row["status"], "recollect init" in row["remedy"]) == ("warning", True)


def test_the_doctor_finds_what_is_broken(recollect: Recollect, person: Path) -> None:
    answer(recollect("init", "--yes", "--assistant", "claude,codex,zed,junie", "--json"))
    hooks = person / ".claude" / "settings.json"
    hooks.write_text(hooks.read_text().replace(sys.executable, "/gone/python"))
    (person / ".codex" / "hooks.json").unlink()
    zed = person / ".config" / "zed" / "settings.json"
    zed.write_text(json.dumps({"context_servers": {"recollect": {"command": "/gone/recollect", "args": ["serve"]}}}))
    (person / ".junie" / "mcp" / "mcp.json").write_text("{")
    done = recollect("doctor", "--json")
    found = checks(done, 5)
    bad = {key: row["found"] for key, row in found.items() if row["status"] == "problem"}
    assert set(bad) == {
        ("claude", "entries"), ("claude", "hooks"), ("codex", "entries"), ("zed", "entries"), ("zed", "server"),
        ("junie", "entries"),
    }  # fmt: skip
    assert "SessionStart failed with exit code 127" in bad["claude", "hooks"]
    assert "mcp.json:1" in bad["junie", "entries"]
    assert "recollect init --assistant codex" in found["codex", "entries"]["remedy"]
    assert "problem" in recollect("doctor").stdout

    (person / ".junie" / "mcp" / "mcp.json").unlink()
    answer(recollect("init", "--yes", "--assistant", "claude,codex,zed,junie", "--json"))
    assert {row["status"] for row in checks(recollect("doctor", "--json"), 0).values()} <= {"ok", "warning"}


def test_the_doctor_finds_a_home_that_cannot_be_written(recollect: Recollect, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    found = checks(recollect("doctor", "--json", RECOLLECT_HOME=str(file / "home")), 5)
    assert found["recollect", "home"]["status"] == "problem"
    assert found["recollect", "database"]["status"] == "problem"


PLUGIN = """
import { Recollect } from "%s"
const hooks = await Recollect({ directory: "/p" })
const session = { type: "session.created", properties: { info: { id: "s1" } } }
const system = [], parts = [{ type: "text", text: "hello" }]
await Promise.all([
  hooks.event({ event: session }),
  hooks["experimental.chat.system.transform"]({ sessionID: "s1" }, { system }),
])
await hooks["experimental.chat.system.transform"]({ sessionID: "s1" }, { system })
await hooks["chat.message"]({ sessionID: "s1" }, { parts })
const ran = { output: "x".repeat(1 << 20) }
await hooks["tool.execute.after"]({ sessionID: "s1", tool: "bash" }, ran)
const part = (messageID, type, text) => {
  const properties = { part: { sessionID: "s1", messageID, type, text } }
  return hooks.event({ event: { type: "message.part.updated", properties } })
}
await hooks.event({ event: { type: "message.updated", properties: { info: { id: "m1", role: "user" } } } })
await part("m1", "text", "hello")
await hooks.event({ event: { type: "message.updated", properties: { info: { id: "m2", role: "assistant" } } } })
await part("m2", "reasoning", "hm")
await part("m2", "text", "All")
await part("m2", "text", "All done.")
await part("m1", "text", "hello again")
await hooks.event({ event: { type: "session.idle", properties: { sessionID: "s1" } } })
await hooks.event({ event: { type: "message.updated", properties: {} } })
console.log(JSON.stringify({ system, parts, output: ran.output }))
"""


def patient(plugin: str, limit_s: float) -> str:
    """Return a plugin that waits so long for an answer, as long as a busy machine may take."""
    found = json.dumps(hook.__file__)
    limit = f"timeout: {ANSWERS_S * 1000},"
    assert found in plugin and limit in plugin
    wrapped = json.dumps(str(Path(__file__).parents[1] / "patient_hook.py"))
    return plugin.replace(found, f"{wrapped}, {found}").replace(limit, f"timeout: {limit_s * 1000},")


@pytest.mark.skipif(shutil.which("node") is None, reason="needs Node.js")
def test_the_plugin_of_opencode_hands_over_each_event_once(recollect: Recollect, person: Path, tmp_path: Path) -> None:
    """And what is said to it to the model; a hook that is gone must not disturb a conversation."""
    answer(recollect("init", "--yes", "--assistant", "opencode", "--json"))
    plugin = person / ".config" / "opencode" / "plugins" / "recollect.js"
    script = tmp_path / "run.mjs"
    spool = person / ".recollect" / "spool" / "new"
    listener = HookSocket(
        person / ".recollect",
        lambda _payload, event, assistant, _wanted: reply(f"said to {event}", event=event, assistant=assistant),
        lambda problem: pytest.fail(problem),
    )
    assert listener.start()
    for python in (sys.executable, "/gone/python"):
        copy = tmp_path / "plugin.mjs"
        # Node waits out the limit of a program that it could not start.
        limit_s = PATIENCE_S if python == sys.executable else 1
        copy.write_text(patient(plugin.read_text(), limit_s).replace(sys.executable, python))
        script.write_text(PLUGIN % copy)
        env = {**os.environ, "HOME": str(person), "RECOLLECT_HOME": "", "SERVER_S": str(PATIENCE_S)}
        done = subprocess.run(["node", script], capture_output=True, text=True, check=True, env=env)
        said = "said to {}".format if python == sys.executable else lambda _: ""
        result = json.loads(done.stdout)
        assert result["system"] == [said("session.created")] * 2 if said("") else result["system"] == []
        assert result["parts"] == [{"type": "text", "text": f"hello\n\n{said('chat.message')}".strip()}]
        assert result["output"].removeprefix("x" * (1 << 20)).strip() == said("tool.execute.after")
        files = sorted(spool.iterdir())
        assert json.loads(files[-1].read_bytes())["output"] == {"answer": "All done."}
        names = [path.name.split(".", 1)[1] for path in files]
        assert names == [
            f"{e}.opencode" for e in ("session_created", "chat_message", "tool_execute_after", "session_idle")
        ]
    listener.stop()


def test_a_hook_of_cline_answers_with_json(recollect: Recollect, person: Path) -> None:
    answer(recollect("init", "--yes", "--assistant", "cline", "--json"))
    hook = person / "Documents" / "Cline" / "Hooks" / "PreCompact"
    assert os.access(hook, os.X_OK)
    env = {"HOME": str(person), "PATH": "/usr/bin:/bin"}
    done = subprocess.run([hook], input=b'{"hookName": "PreCompact"}', capture_output=True, check=True, env=env)
    assert json.loads(done.stdout) == {"cancel": False}
    (spooled,) = (person / ".recollect" / "spool" / "new").iterdir()
    assert spooled.name.endswith(".PreCompact.cline")

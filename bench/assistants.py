"""Real assistants: recollect inside unmodified assistant programs, whose model is a script.

    python bench/assistants.py --rig RIG.PY --clients DIR [--only claude:user …] [--keep DIR]

RIG.PY drives one assistant through a scripted turn and reports what its model was sent; DIR holds the assistants.
Neither is part of this repository: where one is missing, its rows say `skipped` and why.

Each row is one assistant connected by `recollect init` in one scope, with a home of its own, in six sessions:

    first       store and recall through MCP, read, edit, a failing command: nothing is said, everything is captured
    again       another session in the project, with a question: what the first one decided is said at its start, and
                what only the question leads to with the prompt
    unrelated   a prompt about something else: nothing is said with it
    elsewhere   the same in a project that nothing is known of: nothing is said at all
    broken      a command fails, is mended, works
    once more   it fails again in a session later: what mended it comes with the failure

Prints one JSON table: what held in each row, and what did not. Two checks are weaker than they sound. The rig takes
every logged line about hooks with a word like "failed" for a complaint; those that quote what we told the model are set
aside, and counted. Codex tells its hooks no exit code, so there a silent failure only has to be captured as a command.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import measure

DECISION = "Orders are kept in PostgreSQL 16 because it has partial indexes."
FACT = "The tide tables of the harbour module are fetched from the Skagen station every morning at six."
QUESTION = "Which station do the tide tables of the harbour module come from?"
UNRELATED = "Write a haiku about cherry blossoms and spring rain."
MENDED = "What fixed it"

FIRST: dict[str, Any] = {
    "prompt": "Please settle how orders are stored.",
    "files": {"orders.txt": "store: undecided\n"},
    "steps": [
        {"do": "read", "path": "orders.txt"},
        {"do": "edit", "path": "orders.txt", "old": "store: undecided", "new": "store: postgres"},
        {"do": "bash", "command": "echo rig-failing >&2; exit 3"},
        {"do": "bash", "command": "echo rig-ok"},
        {"do": "mcp", "tool": "store_memory",
         "args": {"content": DECISION, "memory_type": "decision", "importance": 0.8}},
        {"do": "mcp", "tool": "store_memory", "args": {"content": FACT, "memory_type": "context", "importance": 0.1}},
        {"do": "mcp", "tool": "recall_memory", "args": {"query": "where are orders kept?"}},
    ],
    "final": "Orders go to PostgreSQL.",
}  # fmt: skip
AGAIN: dict[str, Any] = {
    "prompt": QUESTION,
    "files": {},
    "steps": [{"do": "mcp", "tool": "recall_memory", "args": {"query": "tide tables station"}}],
    "final": "They come from Skagen.",
}
OTHER: dict[str, Any] = {"prompt": UNRELATED, "files": {}, "steps": [], "final": "Petals on wet stone."}

_CHECK = 'grep -q "lamp: green" lamp.txt || { echo "error: the lamp of the lighthouse is not green" >&2; exit 4; }\n'
BROKEN: dict[str, Any] = {
    "prompt": "Please make the lighthouse check pass.",
    "files": {"lamp.txt": "lamp: red\n", "check.sh": _CHECK + "echo all is well\n"},
    "steps": [
        {"do": "bash", "command": "sh check.sh"},
        {"do": "edit", "path": "lamp.txt", "old": "lamp: red", "new": "lamp: green"},
        {"do": "bash", "command": "sh check.sh"},
    ],
    "final": "The check passes.",
}
ONCE_MORE: dict[str, Any] = {**BROKEN, "prompt": "Please run the lighthouse check.", "steps": BROKEN["steps"][:1]}

# More than are told at the start of a session, each less important than DECISION and more important than FACT, which
# only its question leads to.
_THINGS = "invoices parcels customers refunds coupons carts reviews prices taxes labels returns audits mails".split()
OTHERS = [f"{thing.capitalize()} are handled by the {thing}-service and by nothing else." for thing in _THINGS]

# OpenCode and Gemini need more than the 120 s of the rig on a busy machine.
RIG_TIMEOUT_S = "400"


class Row(NamedTuple):
    """One way to connect one assistant; `options` go to the rig."""

    name: str
    client: str
    scope: str
    assistant: str = ""
    options: tuple[str, ...] = ()


ROWS = (
    *(
        Row(f"{client}:{scope}", client, scope)
        for client in ("claude", "codex", "gemini", "opencode", "copilot")
        for scope in ("user", "project")
    ),
    Row("claude:deferred", "claude", "user", options=("--env", "ENABLE_TOOL_SEARCH=")),
    Row("claude:plugin", "claude", "user", "claude-plugin", ("--server", "plugin_recollect_recollect")),
    Row("codex:code-mode", "codex", "user", options=("--model", "gpt-6-sol")),
)


class Place(NamedTuple):
    """Where one row is played: the person's home, two projects, the logs, and how to call recollect."""

    row: Row
    rig: Path
    clients: Path
    folder: Path

    def recollect(self, *words: str, project: str = "p", given: str = "") -> str:
        """Run our command in a project, as the person would; returns what it prints."""
        script = Path(sys.executable).with_name("recollect")
        command = [str(script)] if script.exists() else [sys.executable, "-m", "recollect"]
        env = {**os.environ, "HOME": str(self.folder / "h")}
        done = subprocess.run(
            [*command, *words], input=given, env=env, cwd=self.folder / project, capture_output=True, text=True
        )
        if done.returncode:
            raise RuntimeError(f"recollect {' '.join(words)}: {done.stdout}{done.stderr}")
        return done.stdout

    def play(
        self,
        name: str,
        script: dict[str, Any],
        *options: str,
        project: str = "p",
        meanwhile: Callable[[int], None] | None = None,
    ) -> dict[str, Any]:
        """Play a script in the assistant and return the rig's report.

        meanwhile: called with the process id of the rig while it runs
        """
        file, report = self.folder / f"{name}.json", self.folder / f"{name}.report.json"
        file.write_text(json.dumps(script), encoding="utf-8")
        # In a folder for the logs that does not exist yet, so that one run does not read the complaints of another.
        command = [
            sys.executable, str(self.rig), "--timeout", RIG_TIMEOUT_S, "--clients", str(self.clients),
            "--client", self.row.client,
            "--home", str(self.folder / "h"), "--project", str(self.folder / project), "--script", str(file),
            "--json", str(report), "--logs", str(self.folder / f"logs-{name}"), *self.row.options, *options,
        ]  # fmt: skip
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as rig:
            if meanwhile is not None:
                meanwhile(rig.pid)
            _, problem = rig.communicate()
        if rig.returncode == 3 or not report.exists():
            raise Skipped(problem.strip() or f"the rig ended with {rig.returncode}")
        found: dict[str, Any] = json.loads(report.read_text(encoding="utf-8"))
        return found

    def sent(self, name: str) -> str:
        """Return everything the model was sent in a run, tool results and all."""
        return (self.folder / f"logs-{name}" / "api.jsonl").read_text(encoding="utf-8")


class Skipped(Exception):
    """A row cannot be played here."""


def played(place: Place) -> dict[str, bool]:
    """Play all sessions of a row and return what held."""
    for folder in ("h", "p", "q"):
        (place.folder / folder).mkdir()
    for project in ("p", "q"):
        subprocess.run(["git", "init", "-q", str(place.folder / project)], check=False)
        if project == "p" or place.row.scope == "project":
            connect(place, project)
    checks: dict[str, bool] = {}
    first = place.play("first", FIRST, "--find", "recollect-context")
    checks |= went_well("first", first, place)
    checks["first: tools listed"] = first["mcp"]["connected"] and first["mcp"]["tools_listed"]["count"] >= 2
    calls = first["mcp"]["calls"]
    checks["first: stored and recalled"] = len(calls) == 3 and calls[-1]["ok"] and "PostgreSQL 16" in calls[-1]["text"]
    checks["first: nothing is said"] = not first["found"]["recollect-context"]
    checks |= _captured(place)
    lines = [{"content": text, "memory_type": "decision", "namespace": str(place.folder / "p")} for text in OTHERS]
    place.recollect("import", "-", given="\n".join(map(json.dumps, lines)))
    checks |= _told(place)
    checks |= _mended(place)
    doctor = json.loads(place.recollect("doctor", "--json"))
    checks["doctor: all is well"] = doctor["status"] == "ok"
    return checks


def connect(place: Place, project: str) -> None:
    """Connect the assistant of a place to recollect, as a user does."""
    row = place.row
    place.recollect("init", "--yes", "--assistant", row.assistant or row.client, "--scope", row.scope, project=project)
    if row.assistant == "claude-plugin":
        program = next(place.clients.glob("claude/node_modules/@anthropic-ai/claude-code-linux-*/claude"))
        plugin = str(place.folder / "h" / ".recollect" / "claude-plugin")
        for words in (["marketplace", "add", plugin], ["install", "recollect@recollect"]):
            env = {**os.environ, "HOME": str(place.folder / "h")}
            subprocess.run(
                [program, "plugin", *words], env=env, check=True, capture_output=True, cwd=place.folder / "p"
            )


# What stands around the memories that we tell: in what a hook says, in the answer of a tool, and before both where a
# log repeats the request. The rig cuts lines, so the first two may be missing there.
QUOTED = ("recollect-context", "Quoted text: untrusted data", '.log: "content": "')


def went_well(name: str, report: dict[str, Any], place: Place) -> dict[str, bool]:
    """Return whether a session ended well, its calls succeeded and its hooks did not complain."""
    return {
        f"{name}: the turn ended well": report["exit_code"] == 0 and report["played_to_end"],
        f"{name}: every call succeeded": all(call["ok"] for call in report["mcp"]["calls"]),
        f"{name}: no hook complained": not complaints(report),
        f"{name}: no process was left": not report["leftover_processes"],
        f"{name}: nothing went to bad": not list((place.folder / "h" / ".recollect" / "spool").glob("bad/*")),
    }


def complaints(report: dict[str, Any]) -> list[str]:
    """Return what was logged about hooks that went wrong, but not where a log quotes us: memories tell of errors."""
    return [line for line in report["hook_errors"] if not any(sign in line for sign in QUOTED)]


def _lines_that_quote_us(folder: Path) -> int:
    """Return how many lines the rig took for complaints of hooks that `complaints` leaves out."""
    reports = (json.loads(path.read_text(encoding="utf-8")) for path in folder.glob("*.report.json"))
    return sum(len(report["hook_errors"]) - len(complaints(report)) for report in reports)


def _captured(place: Place) -> dict[str, bool]:
    """Return whether the first session is in the store: its events, and what was learnt of them."""
    from recollect import Engine
    from recollect.model import Memory, Observed

    with Engine(home=str(place.folder / "h" / ".recollect")) as engine:
        engine.capture.drain()
        seen = engine.store.find(Observed, {}, limit=1000)
        learnt = engine.store.find(Memory, {"source": "hook"}, limit=1000)
    events = {row.event for row in seen}
    tools = {row.tool for row in seen if row.tool}
    tags = {tag for memory in learnt for tag in memory.tags}
    # Codex tells no exit code: where the output shows no error either, nobody can know that a command failed.
    failed = [row for row in seen if row.outcome == "failed" or (place.row.client == "codex" and row.tool == "shell")]
    return {
        "captured: start, prompt, tools, end": {"session_start", "prompt", "tool", "turn_end"} <= events,
        "captured: read, edit, commands": "shell" in tools and bool(tools & {"edit", "patch", "write"}),
        "captured: under its assistant and project": {(row.assistant, row.namespace) for row in seen}
        == {(place.row.client, str(place.folder / "p"))},
        "captured: the failure": any("rig-failing" in row.told for row in failed),
        "captured: types and tags": _types_and_tags(learnt, tags),
        "captured: the file that was edited": any("orders.txt" in memory.content for memory in learnt),
    }


def _types_and_tags(learnt: Iterable[Any], tags: set[str]) -> bool:
    kinds = {memory.memory_type for memory in learnt}
    return bool(kinds) and any(tag.startswith("file:") for tag in tags)


def _told(place: Place) -> dict[str, bool]:
    """Play what is told, and what is not."""
    again = place.play("again", AGAIN, "--find", "PostgreSQL 16", "--find", "Skagen station")
    context = again["context"]
    checks = went_well("again", again, place)
    checks["again: the decision at the start"] = "PostgreSQL 16" in context["session_start_text"]
    checks["again: the decision was found"] = bool(again["found"]["PostgreSQL 16"])
    checks["again: what the question leads to"] = (
        "Skagen station" in context["prompt_text"] and "Skagen station" not in context["session_start_text"]
    )
    unrelated = place.play("unrelated", OTHER)
    checks |= went_well("unrelated", unrelated, place)
    checks["unrelated: the start is told"] = "recollect-context" in unrelated["context"]["session_start_text"]
    checks["unrelated: nothing with the prompt"] = "recollect-context" not in unrelated["context"]["prompt_text"]
    elsewhere = place.play("elsewhere", OTHER, "--find", "recollect-context", project="q")
    checks |= went_well("elsewhere", elsewhere, place)
    checks["elsewhere: nothing is said"] = not elsewhere["found"]["recollect-context"]
    return checks


def _mended(place: Place) -> dict[str, bool]:
    """Play a failure and what mends it, and the failure once more."""
    checks = went_well("broken", place.play("broken", BROKEN), place)
    checks["broken: nothing to say yet"] = MENDED not in place.sent("broken")
    checks |= went_well("once more", place.play("once-more", ONCE_MORE), place)
    checks["once more: the fix comes with the failure"] = MENDED in place.sent("once-more")
    return checks


def missing(client: str, rig: Path | None, clients: Path | None) -> str:
    """Return why an assistant cannot be played here; empty if it can."""
    if rig is None or not rig.is_file():
        return "there is no rig: --rig RIG.PY"
    if clients is None or not (clients / client).is_dir():
        return f"{client} is not installed: --clients DIR"
    return ""


def outcome(row: Row, rig: Path | None, clients: Path | None, keep: Path | None) -> dict[str, Any]:
    """Return a row of the table."""
    if why := missing(row.client, rig, clients):
        return {"row": row.name, "status": "skipped", "why": why}
    assert rig is not None and clients is not None
    # A short path: sockets must not have a long one.
    folder = Path(tempfile.mkdtemp(prefix="as-"))
    try:
        checks = played(Place(row, rig, clients, folder))
        quoted = _lines_that_quote_us(folder)
    except Skipped as problem:
        return {"row": row.name, "status": "skipped", "why": str(problem)}
    except Exception as problem:
        return {"row": row.name, "status": "failed", "why": f"{type(problem).__name__}: {problem}"}
    finally:
        if keep is not None:
            shutil.copytree(
                folder, keep / row.name.replace(":", "-"), dirs_exist_ok=True, ignore_dangling_symlinks=True
            )
        shutil.rmtree(folder, ignore_errors=True)
    wrong = [name for name, holds in checks.items() if not holds]
    return {
        "row": row.name,
        "status": "failed" if wrong else "ok",
        "held": len(checks) - len(wrong),
        "of": len(checks),
        "not": wrong,
        "complaints_set_aside": quoted,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rig", type=Path, help="the program that drives an assistant")
    parser.add_argument("--clients", type=Path, help="folder of the assistants")
    parser.add_argument("--only", nargs="+", choices=[row.name for row in ROWS], help="these rows")
    parser.add_argument("--keep", type=Path, help="keep homes, projects and logs of every row here")
    parser.add_argument("--save", action="store_true", help="keep the result under bench/results")
    chosen = parser.parse_args()
    rows = []
    for row in ROWS:
        if not chosen.only or row.name in chosen.only:
            rows.append(outcome(row, chosen.rig, chosen.clients, chosen.keep))
            sys.stderr.write(json.dumps(rows[-1]) + "\n")
    measure.publish("assistants", {"rows": rows}, save=chosen.save)
    return 1 if any(row["status"] == "failed" for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())

"""Five real assistants share one memory: two sessions each, in one project and one home.

    python bench/assistants_memory.py --rig RIG.PY --clients DIR [--only claude …] [--killed gemini] [--keep DIR]

RIG.PY and DIR are those of bench/assistants.py: where one is missing, its row says `skipped` and why. The project needs
git, make and python3.

    first    every assistant, one after the other: its prompt states a preference, a command is written wrongly and then
             rightly, a failure is fixed by an edit, a decision is stored over MCP. One assistant is killed at work
    second   every assistant again: its briefing has the preferences of all five and the session that was killed; it
             recalls the decision of the assistant before it; it makes the mistake of the assistant after it and is told
             the right invocation; its own failure comes back and brings the fix

Prints one JSON table: what held for each assistant, what did not, and the lines that no expectation accounts for. Under
--keep, `shown.md` has every line that recollect put before a model.
"""

from __future__ import annotations

import argparse
import html
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import measure
from assistants import Place, Row, Skipped, connect, missing, went_well

# Titles of the briefing (engine/context_sources.py).
RULES = "Preferences and conventions"
OPEN = "Open work"
COMMANDS = "Commands that work here"


class Part(NamedTuple):
    """What one assistant does.

    preference: what the user states. decision, question: what it stores, and what another assistant asks for it
    wrong, right: two invocations. area: of the failure; before, after: the line of shop/AREA.py that its fix changes
    """

    client: str
    preference: str
    decision: str
    question: str
    wrong: str
    right: str
    area: str
    before: str
    after: str

    @property
    def check(self) -> str:
        """The command that fails until the line is changed."""
        return f"python3 -m checks.{self.area}"


PARTS = (
    Part(
        "claude", "From now on always use pytest -x, never unittest.",
        "Orders are kept in PostgreSQL 16 because it has partial indexes.", "which database are orders kept in?",
        "pytest -q tests", "python3 -m pytest -q tests",
        "prices", "RATE = 1.2", "RATE = 0.8",
    ),
    Part(
        "codex", "From now on always write commit subjects in the imperative, never in the past tense.",
        "Invoices are numbered per country because the tax office asks for gapless numbers.",
        "how are invoices numbered?",
        "make test", "make unit",
        "orders", 'STATES = {"new": "open"}', 'STATES = {"new": "open", "paid": "closed"}',
    ),
    Part(
        "gemini", "From now on always log through structlog, never with print.",
        "Mails leave through the queue worker and not through the web process, so that a slow server blocks nobody.",
        "which process sends mails?",
        "./scripts/lint.sh", "sh scripts/lint.sh",
        "mail", 'PORT = "smtp"', 'PORT = "587"',
    ),
    Part(
        "opencode", "From now on always answer in at most five lines, never with a table.",
        "Stock levels are cached in Redis for 45 seconds, since the warehouse allows two requests a minute.",
        "how long are stock levels cached?",
        "python3 shop/report.py", "python3 -m shop.report",
        "stock", "SHELVES = 0", "SHELVES = 12",
    ),
    Part(
        "copilot", "From now on always add type hints to new functions, never comments that repeat them.",
        "Exports are written as Parquet and no longer as CSV, because analysts read them with DuckDB.",
        "which file format do exports have?",
        "python3 check_links.py", "python3 tools/check_links.py",
        "export", "LIMITS = '{\"rows\": 500,}'", "LIMITS = '{\"rows\": 500}'",
    ),
)  # fmt: skip

# What each check runs after it has imported everything of its area.
CHECKS = {
    "prices": 'assert round(100 * RATE) == 80, f"the net price of 100 is {100 * RATE}"',
    "orders": 'STATES["paid"]',
    "mail": "int(PORT)",
    "stock": "240 / SHELVES",
    "export": 'import json; json.loads(LIMITS)["rows"]',
    "returns": 'assert DAYS == 14, f"the policy allows 14 days, shop/returns.py {DAYS}"',
}
LINES = {**{part.area: part.before for part in PARTS}, "returns": "DAYS = 14"}
FILES = {
    ".gitignore": "__pycache__/\n.pytest_cache/\n",
    "Makefile": 'unit:\n\t@python3 -c "import shop.report" && echo 3 passed\n',
    # A program that no shell finds, and that python3 runs from here: no other one has to be installed.
    "pytest.py": "print('1 passed in 0.01s')\n",
    "scripts/lint.sh": "echo no problems found\n",
    "tools/check_links.py": "print('all links work')\n",
    # Claude Code refuses to run `sleep`.
    "tools/wait.py": "import time\n\ntime.sleep(60)\n",
    "shop/__init__.py": "",
    "shop/report.py": "import shop.stock\n\nprint('report written')\n",
    "tests/test_shop.py": "def test_the_shop_opens():\n    assert True\n",
    **{f"shop/{area}.py": f"{line}\n" for area, line in LINES.items()},
    **{f"checks/{area}.py": f"from shop.{area} import *\n\n{code}\nprint('ok')\n" for area, code in CHECKS.items()},
}
# The assistant that is killed asks for this command and waits; nothing else in a script contains it.
WAITING = "python3 tools/wait.py"
LEFT_OPEN = "shop/returns.py"
STILL_FAILS = "checks.returns"


# --- scripts ---


def first_script(part: Part, *, killed: bool) -> dict[str, Any]:
    """Return the first session of an assistant; one that is killed also begins something that it cannot finish."""
    more = " Then accept returns for 30 days." if killed else ""
    steps = [
        {"do": "read", "path": f"shop/{part.area}.py"},
        {"do": "bash", "command": part.wrong},
        {"do": "bash", "command": part.right},
        *_mending(part),
        {"do": "mcp", "tool": "store_memory", "args": {"content": part.decision, "memory_type": "decision"}},
    ]
    unfinished = [
        {"do": "edit", "path": LEFT_OPEN, "old": "DAYS = 14", "new": "DAYS = 30"},
        {"do": "bash", "command": "python3 -m checks.returns"},
        {"do": "bash", "command": WAITING},
    ]
    return {
        "prompt": f"Please get the check of {part.area} to pass.{more} {part.preference}",
        "files": {},
        "steps": [*steps, *unfinished] if killed else steps,
        "final": f"The check of {part.area} passes.",
    }


def second_script(part: Part, before: Part, after: Part) -> dict[str, Any]:
    """Return the second session: its own failure is back, and so is the mistake of the assistant after it."""
    return {
        "prompt": f"The check of {part.area} is broken again, please look into it.",
        "files": {f"shop/{part.area}.py": f"{part.before}\n"},
        "steps": [
            {"do": "mcp", "tool": "recall_memory", "args": {"query": before.question}},
            {"do": "bash", "command": after.wrong},
            {"do": "bash", "command": after.right},
            *_mending(part),
        ],
        "final": f"The check of {part.area} passes again.",
    }


def _mending(part: Part) -> list[dict[str, str]]:
    check = {"do": "bash", "command": part.check}
    return [check, {"do": "edit", "path": f"shop/{part.area}.py", "old": part.before, "new": part.after}, check]


# --- what was told ---


class Told(NamedTuple):
    """A line that recollect put before a model: where, under which title, and the line."""

    place: str
    title: str
    line: str


_BLOCK = re.compile(r"<recollect-context\b[^>\n]*>\n(.*?)</recollect-context>", re.DOTALL)
# The first hit of recall_memory: in the structured answer, and in the text.
_HITS = re.compile(r'"hits":\["((?:[^"\\]|\\.)*)"')
_HIT = re.compile(r"^1\. (.*\n.*)", re.MULTILINE)


def told(requests: Sequence[Any], context: dict[str, Any]) -> list[Told]:
    """Return every line of the blocks in the requests of a session, each block once.

    context: the rig's report of what stood around the prompt; a block that is not in it came with a tool's result
    """
    found: dict[str, str] = {}
    start, prompt = (html.unescape(context[key]) for key in ("session_start_text", "prompt_text"))
    for text in _strings(list(requests)):
        # Gemini CLI escapes angle brackets in what hooks say.
        for block in _BLOCK.findall(html.unescape(text)):
            place = "briefing" if block.strip() in start else "prompt" if block.strip() in prompt else "tool"
            found.setdefault(block, place)
    return [Told(place, *row) for block, place in found.items() for row in _lines(block)]


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _strings(each)


def _lines(block: str) -> Iterator[tuple[str, str]]:
    title = ""
    for line in filter(None, map(str.strip, block.splitlines())):
        if line.startswith("## "):
            title = line.removeprefix("## ")
        else:
            yield title, line


def first_hit(answer: str) -> str:
    """Return the first hit of recall_memory: what it is, and then its text; empty if there is none."""
    found = _HITS.search(answer) or _HIT.search(answer)
    return " ".join(found[1].split()) if found else ""


# --- judging ---


def second_checks(part: Part, parts: Sequence[Part], lines: Sequence[Told], answer: str) -> dict[str, bool]:
    """Return what holds in the second session of an assistant.

    lines: what it was told. answer: of its recall_memory
    """
    before, after = neighbours(part, parts)
    briefing = [row for row in lines if row.place == "briefing"]
    hints = [row.line for row in lines if row.place != "briefing"]
    hit = first_hit(answer)
    open_work = [row.line for row in briefing if row.title == OPEN and LEFT_OPEN in row.line]
    checks = {
        f"the preference stated to {each.client}": any(
            row.title == RULES and core(each.preference) in row.line.casefold() for row in briefing
        )
        for each in parts
    }
    return checks | {
        f"the decision of {before.client} is the first hit": hit.endswith(f" {before.decision}"),
        f"the decision of {before.client} holds": bool(hit) and "superseded" not in hit,
        f"the invocation that {after.client} found": any(
            f"`{after.wrong}` failed" in line and f"`{after.right}` works" in line for line in hints
        ),
        # With the prompt, if that is about the failure, or else with the failure.
        "the fix of its own failure": any(f"`{part.after}`" in line for line in hints),
        "the killed session is open": len(open_work) == 1,
        "the killed session is still failing": any(STILL_FAILS in line for line in open_work),
        "nothing is told twice": len({row.line for row in lines}) == len(lines),
    }


def core(preference: str) -> str:
    """Return the words of a preference without its opening and full stop, in lower case."""
    return preference.removeprefix("From now on ").rstrip(".").casefold()


def unexpected(parts: Sequence[Part], lines: Sequence[Told]) -> list[str]:
    """Return the lines that no expectation accounts for: to be read by a person."""
    expected = [core(part.preference) for part in parts] + [part.decision.casefold() for part in parts]
    return [
        f"{row.place}, {row.title or 'no title'}: {row.line}"
        for row in lines
        if not any(words in row.line.casefold() for words in expected)
        and not (row.place != "briefing" or (row.title == OPEN and LEFT_OPEN in row.line))
        and not (row.title == COMMANDS and any(f"`{part.right}`" in row.line for part in parts))
    ]


def neighbours(part: Part, parts: Sequence[Part]) -> tuple[Part, Part]:
    """Return the assistants before and after one, in a circle."""
    place = parts.index(part)
    return parts[place - 1], parts[(place + 1) % len(parts)]


def stored_checks(part: Part, home: Path) -> dict[str, bool]:
    """Return whether the store holds the preference and the decision of an assistant as what they are."""
    from recollect import Engine
    from recollect.model import Memory

    with Engine(home=str(home)) as engine:
        engine.capture.drain()
        known = engine.store.find(Memory, {"observed": False, "superseded_by": None}, limit=1000)
    stated = [row for row in known if core(part.preference) in row.content.casefold()]
    decided = [row for row in known if row.content == part.decision]
    return {
        "stored: one preference, of the user": [(row.memory_type, row.source) for row in stated]
        == [("preference", "user")],
        "stored: one decision, of the assistant": [(row.memory_type, row.source) for row in decided]
        == [("decision", "assistant")],
    }


# --- playing ---


class Scene(NamedTuple):
    """Where all sessions are played, and by whom; killed: whose first session does not end."""

    rig: Path
    clients: Path
    folder: Path
    parts: tuple[Part, ...]
    killed: str

    def place(self, part: Part) -> Place:
        """Return the place of one assistant: all share home and project."""
        return Place(Row(part.client, part.client, "user"), self.rig, self.clients, self.folder)

    def shown(self, name: str, report: dict[str, Any]) -> list[Told]:
        """Return what a session was told, after writing it down for a reader."""
        sent = (self.folder / f"logs-{name}" / "api.jsonl").read_text(encoding="utf-8")
        lines = told([json.loads(line)["request"] for line in sent.splitlines()], report["context"])
        calls = [f"{call['tool']}: {call['text']}" for call in report["mcp"]["calls"]]
        written = [f"[{row.place}] {row.title}: {row.line}" for row in lines]
        with (self.folder / "shown.md").open("a", encoding="utf-8") as file:
            file.write("\n".join((f"# {name}", *written, *calls, "", "")))
        return lines


def prepare(scene: Scene) -> None:
    """Make the home and the project, connect every assistant, and see that the commands behave as scripted."""
    for name, text in FILES.items():
        path = scene.folder / "p" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (scene.folder / "h").mkdir()
    project = scene.folder / "p"
    git = ["git", "-C", str(project), "-c", "user.name=someone", "-c", "user.email=someone@example.invalid"]
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "Open the shop"]):
        subprocess.run([*git, *words], check=True)
    hide("pytest")
    for part in scene.parts:
        connect(scene.place(part), "p")
        for command, works in ((part.wrong, False), (part.right, True), (part.check, False)):
            done = subprocess.run(command, shell=True, cwd=project, capture_output=True, check=False)
            if (done.returncode == 0) is not works:
                raise RuntimeError(f"{command} ended with {done.returncode}")


def hide(program: str) -> None:
    """Leave folders with a program out of the path of every process that is started."""
    kept = [each for each in os.get_exec_path() if not (Path(each) / program).exists()]
    os.environ["PATH"] = os.pathsep.join(kept)


def first_session(scene: Scene, part: Part) -> dict[str, bool]:
    """Play the first session of an assistant and return what held."""
    place, name, is_killed = scene.place(part), f"{part.client}-first", part.client == scene.killed
    log = scene.folder / f"logs-{name}" / "api.jsonl"
    kill = (lambda rig: kill_at_work(rig, log)) if is_killed else None
    report = place.play(name, first_script(part, killed=is_killed), meanwhile=kill)
    scene.shown(name, report)
    calls = report["mcp"]["calls"]
    stored = {"first: the decision is stored": len(calls) == 1 and calls[0]["ok"]}
    if is_killed:
        return {**stored, "first: killed at work": report["exit_code"] == -signal.SIGKILL}
    return {**stored, **went_well("first", report, place)}


def second_session(scene: Scene, part: Part) -> tuple[dict[str, bool], list[str]]:
    """Play the second session of an assistant and return what held, and what nobody expected."""
    place, name = scene.place(part), f"{part.client}-second"
    report = place.play(name, second_script(part, *neighbours(part, scene.parts)))
    lines = scene.shown(name, report)
    answer = "".join(call["text"] for call in report["mcp"]["calls"])
    judged = second_checks(part, scene.parts, lines, answer)
    checks = {f"second: {name}": holds for name, holds in judged.items()}
    return {**checks, **went_well("second", report, place)}, unexpected(scene.parts, lines)


def kill_at_work(rig: int, log: Path, *, within_s: float = 120.0) -> None:
    """Kill the group of the assistant that a rig started, once it runs the command that waits."""
    end = time.monotonic() + within_s
    while time.monotonic() < end and not (log.exists() and WAITING in log.read_text(encoding="utf-8")):
        time.sleep(0.2)
    time.sleep(2.0)  # the command has begun
    for process in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((process / "stat").read_text().rpartition(")")[2].split()[1])
            if parent == rig and os.getpgid(int(process.name)) == int(process.name):
                os.killpg(int(process.name), signal.SIGKILL)
        except OSError:
            continue


def rows(scene: Scene) -> Iterator[dict[str, Any]]:
    """Play everything; yield the row of each assistant."""
    prepare(scene)
    found: dict[str, dict[str, bool]] = {}
    skipped: dict[str, str] = {}
    others: dict[str, list[str]] = {}
    for part in scene.parts:
        try:
            found[part.client] = first_session(scene, part)
        except Skipped as problem:
            skipped[part.client] = str(problem)
    played = scene._replace(parts=tuple(part for part in scene.parts if part.client in found))
    for part in played.parts:
        checks, others[part.client] = second_session(played, part)
        found[part.client] |= checks | stored_checks(part, scene.folder / "h" / ".recollect")
    for part in scene.parts:
        if part.client in skipped:
            yield {"row": part.client, "status": "skipped", "why": skipped[part.client]}
            continue
        wrong = [name for name, holds in found[part.client].items() if not holds]
        yield {
            "row": part.client,
            "status": "failed" if wrong else "ok",
            "held": len(found[part.client]) - len(wrong),
            "of": len(found[part.client]),
            "not": wrong,
            "killed": part.client == scene.killed,
            "other_lines": others[part.client],
        }


def outcome(
    rig: Path | None, clients: Path | None, names: Sequence[str], killed: str, keep: Path | None
) -> list[dict[str, Any]]:
    """Return the table: of the assistants that can be played here, and why the others cannot."""
    why = {part.client: missing(part.client, rig, clients) for part in PARTS if part.client in names}
    table = [{"row": name, "status": "skipped", "why": reason} for name, reason in why.items() if reason]
    parts = tuple(part for part in PARTS if why.get(part.client) == "")
    if rig is None or clients is None or not parts:
        return table
    # A short path: sockets must not have a long one.
    folder = Path(tempfile.mkdtemp(prefix="as-"))
    try:
        return [*rows(Scene(rig.resolve(), clients.resolve(), folder, parts, killed)), *table]
    finally:
        if keep is not None:
            shutil.copytree(folder, keep, dirs_exist_ok=True, symlinks=True, ignore=shutil.ignore_patterns("*.sock"))
        shutil.rmtree(folder, ignore_errors=True)


def main() -> int:
    names = [part.client for part in PARTS]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rig", type=Path, help="the program that drives an assistant")
    parser.add_argument("--clients", type=Path, help="folder of the assistants")
    parser.add_argument("--only", nargs="+", choices=names, default=names, help="these assistants")
    parser.add_argument("--killed", choices=names, default="gemini", help="whose first session is killed")
    parser.add_argument("--keep", type=Path, help="keep home, project, logs and shown.md here")
    parser.add_argument("--save", action="store_true", help="keep the result under bench/results")
    chosen = parser.parse_args()
    table = outcome(chosen.rig, chosen.clients, chosen.only, chosen.killed, chosen.keep)
    measure.publish("assistants-memory", {"rows": table}, save=chosen.save)
    return 1 if any(row["status"] == "failed" for row in table) else 0


if __name__ == "__main__":
    sys.exit(main())

"""Patterns: how many of those planted in a month of sessions are found, and how many that nobody planted.

    python bench/patterns.py [--seeds 10] [--first 1] [--json | --save]

A month is made from a seed: some fifty sessions on working days, each with prompts, searches, reads, edits and commands
of everyday work on files and names drawn at random. Planted among them, differently for each seed, are patterns of all
five kinds; and near misses that are none: a search made often in one session or in two, a file rewritten in an
afternoon or used twice as often as others, an error that was fixed once or never, tools that are used as it happens.
Everything goes through the capture of hooks, as Claude Code would tell it. What is reported and was not planted counts
as false.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import measure as results
import metrics
from recollect import Engine, clock
from recollect.model import Pattern

ROOT = "/nowhere/shop"
START = 1_767_571_200  # a Monday
DAYS = 28

VERBS = ("load", "parse", "render", "merge", "check", "build", "split", "fetch", "store", "index", "clean", "apply",
         "count", "match", "pack", "trace", "watch", "close", "open", "score")  # fmt: skip
NOUNS = ("order", "basket", "invoice", "price", "coupon", "stock", "mail", "report", "user", "session", "token", "page",
         "image", "search", "review", "refund", "parcel", "tax", "label", "queue", "cache", "export", "audit", "note",
         "event", "rule", "tenant", "plan", "ledger", "sheet")  # fmt: skip
FOLDERS = ("shop/cart", "shop/pay", "shop/mail", "shop/stock", "shop/admin", "web/pages", "web/forms", "jobs", "api")

# Purposes and two rivals each, as they are used: a tool of the assistant, or a command line.
RIVALS: tuple[tuple[str, str, str], ...] = (
    ("JavaScript packages", "pnpm", "npm"),
    ("Python packages and environments", "uv", "pip"),
    ("Python tests", "pytest", "unittest"),
    ("Python checks", "ruff", "flake8"),
    ("tasks", "just", "make"),
    ("containers", "podman", "docker"),
    ("searching in files", "the search tool", "rg"),
    ("reading files", "the read tool", "cat and sed"),
)
LINES = {
    "pnpm": "pnpm install --filter {noun}", "npm": "npm install {noun}-kit", "uv": "uv add {noun}-client",
    "pip": "pip install {noun}-client", "pytest": "pytest -q tests/test_{noun}.py",
    "unittest": "python -m unittest tests.test_{noun}", "ruff": "ruff check shop/{noun}.py",
    "flake8": "flake8 shop/{noun}.py", "just": "just {verb}-{noun}", "make": "make {verb}-{noun}",
    "podman": "podman logs {noun}", "docker": "docker logs {noun}",
}  # fmt: skip


class Planted(NamedTuple):
    """A pattern that a month holds: its kind, and a word that its subject or what is told of it must have."""

    kind: str
    word: str


class Event(NamedTuple):
    """What a hook is told of, without when and in which session."""

    payload: dict[str, Any]


class Month:
    """A month of sessions made from a seed: what happened in each, what was decided when, and what was planted."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.planted: list[Planted] = []
        count = self.random.randint(40, 70)
        days = sorted(self.random.choices([day for day in range(DAYS) if day % 7 < 5], k=count))
        self.starts = [START + day * 86_400 + self.random.randint(7, 17) * 3_600 for day in days]
        self.sessions: list[list[Event]] = [[] for _ in days]
        # Decisions: when, what, which memory it replaces by its place in this list, and the file it is about.
        self.decided: list[tuple[int, str, int | None, str]] = []
        self.files = [f"{self.random.choice(FOLDERS)}/{verb}_{noun}.py" for verb, noun in self._names(120)]
        self.names = [f"{verb}_{noun}" for verb, noun in self._names(600)]
        for step in (self._preferences, self._work, self._searches, self._hotspots, self._loops, self._chains):
            step()
        for events in self.sessions:
            events.insert(0, prompt(f"please {self._word(VERBS)} the {self._word(NOUNS)}"))

    def _names(self, count: int) -> list[tuple[str, str]]:
        pairs = [(verb, noun) for verb in VERBS for noun in NOUNS]
        return self.random.sample(pairs, count) if count <= len(pairs) else pairs

    def _word(self, words: Sequence[str]) -> str:
        return self.random.choice(words)

    def _some(self, count: int) -> list[list[Event]]:
        """Return some sessions, in order."""
        return [self.sessions[place] for place in sorted(self.random.sample(range(len(self.sessions)), count))]

    # --- everyday work ---

    def _work(self) -> None:
        for events in self.sessions:
            near = self.random.sample(self.files, self.random.randint(3, 6))
            for path in near:
                for _ in range(self.random.randint(1, 2)):
                    events.append(self.random.choice((edited, written))(path, self._word(self.names)))
            events += [self._search(self._word(self.names)) for _ in range(self.random.randint(0, 3))]
            if self.random.random() < 0.5:
                events += self._mended(f"{self._word(NOUNS).title()}Error: {self._word(self.names)} of {len(events)}")
            if self.random.random() < 0.3:
                events.append(failed(f"grep -rn {self._word(self.names)} shop", ""))
            self.random.shuffle(events)
        for number in range(12):
            at = START + 2 * number * 86_400
            self.decided.append((at, self._sentence(), None, self.random.choice(self.files)))

    def _search(self, name: str) -> Event:
        """Return a search by the tool that is taken for it in this month: one of two, or as it happens."""
        is_preferred = Planted("tool_preference", "searching in files: the search tool") in self.planted
        return searched(name) if is_preferred or self.random.random() < 0.5 else ran(f"rg '{name}' shop")

    def _mended(self, error: str) -> list[Event]:
        """Return an error as everybody meets it: failed once or twice, something was changed, and it worked."""
        line = f"go test ./{self._word(VERBS)}{self.random.randint(1, 999)}"
        twice = [failed(line, error)] * self.random.randint(1, 2)
        return [*twice, edited(self.random.choice(self.files), "fixed"), ran(line)]

    def _sentence(self) -> str:
        verb, noun, other = self._word(VERBS), self._word(NOUNS), self._word(NOUNS)
        return f"Decision {self.random.randint(100, 999)}: {noun} rows {verb} before the {other} job, for speed"

    # --- planted, each with what only looks like it ---

    def _searches(self) -> None:
        for number in range(3):
            name = f"{self._word(VERBS)}Legacy{number}{self._word(NOUNS).title()}"
            ways = (name, f"def {name}", f"{name}\\(", f"class {name}")
            for events in self._some(self.random.randint(4, 7)):
                events.append(self._search(self._word(ways)))
            self.planted.append(Planted("repeated_search", name.lower()))
        (once,) = self._some(1)
        once += [self._search("onlyThisAfternoon") for _ in range(6)]
        for events in self._some(2):
            events.append(self._search("twiceIsChance"))

    def _hotspots(self) -> None:
        for number in range(2):
            path = f"core/engine_{number}{self._word(NOUNS)}.py"
            for events in self._some(len(self.sessions) // 3):
                events.append(edited(path, self._word(self.names)))
            self.planted.append(Planted("file_hotspot", path))
        (once,) = self._some(1)
        once += [edited("core/rewritten_at_once.py", self._word(self.names)) for _ in range(20)]
        for events in self._some(5):  # about twice as often as the others
            events.append(edited("core/twice_the_usual.py", self._word(self.names)))

    def _preferences(self) -> None:
        preferred = set(self.random.sample(range(len(RIVALS)), 3))
        for place, (purpose, one, other) in enumerate(RIVALS):
            share = 1.0 if place in preferred else self.random.uniform(0.4, 0.65)
            for number, events in enumerate(self._some(len(self.sessions) // 2)):
                # Once in the month the other one is taken, whatever is preferred.
                events.append(self._taken(one if number and self.random.random() < share else other))
            if place in preferred:
                self.planted.append(Planted("tool_preference", f"{purpose}: {one}"))

    def _taken(self, tool: str) -> Event:
        path, name = self.random.choice(self.files), f"{self._word(self.names)}_{self.random.randint(1, 9999)}"
        special: dict[str, Callable[[], Event]] = {
            "the search tool": lambda: searched(name),
            "rg": lambda: ran(f"rg {name} shop"),
            "the read tool": lambda: looked(path),
            "cat and sed": lambda: ran(f"cat {path}"),
        }
        if tool in special:
            return special[tool]()
        return ran(LINES[tool].format(noun=self._word(NOUNS), verb=self._word(VERBS)))

    def _loops(self) -> None:
        (stuck,) = self._some(1)
        error = f"RuntimeError: the {self._word(NOUNS)} pool is exhausted"
        for number in range(self.random.randint(4, 6)):
            stuck += [failed("cargo run --release", error), edited(f"core/try_{number}.py", "again")]
        self.planted.append(Planted("error_loop", "pool is exhausted"))
        missing = f"ModuleNotFoundError: No module named '{self._word(NOUNS)}_native'"
        for events in self._some(3):
            events += [failed("flask run", missing), ran("rm -rf build/native"), ran("flask run")]
        self.planted.append(Planted("error_loop", "_native"))
        for events in self._some(2):  # seen twice, and never mended in between
            events.append(failed("terraform plan", "Error: the state of the bucket is locked"))

    def _chains(self) -> None:
        queue = self._word(NOUNS)
        words = (f"The {queue} runs on cron", f"The {queue} runs on Celery instead of cron, which overlapped",
                 f"The {queue} runs on Temporal instead of Celery, which lost tasks")  # fmt: skip
        first = len(self.decided)
        for number, text in enumerate(words):
            at = START + (5 + 8 * number) * 86_400
            self.decided.append((at, text, first + number - 1 if number else None, ""))
        self.planted.append(Planted("decision_chain", f"the {queue} runs on".lower()))
        path = "core/contested.py"
        for number in range(4):
            self.decided.append((START + (3 + 6 * number) * 86_400, self._sentence(), None, path))
        self.planted.append(Planted("decision_chain", path))
        for number in range(2):
            at = START + (4 + 9 * number) * 86_400
            self.decided.append((at, self._sentence(), None, "core/only_two_decisions.py"))


# --- what hooks are told ---


def tool(name: str, given: dict[str, Any], response: Any) -> Event:
    return Event({"hook_event_name": "PostToolUse", "tool_name": name, "tool_input": given, "tool_response": response})


def prompt(text: str) -> Event:
    return Event({"hook_event_name": "UserPromptSubmit", "prompt": text})


def ran(command: str) -> Event:
    return tool("Bash", {"command": command}, {"stdout": "done", "stderr": "", "interrupted": False})


def failed(command: str, error: str) -> Event:
    return Event({"hook_event_name": "PostToolUseFailure", "tool_name": "Bash", "tool_input": {"command": command},
                  "error": f"Exit code 1\n{error}"})  # fmt: skip


def searched(pattern: str) -> Event:
    return tool("Grep", {"pattern": pattern}, {"mode": "files_with_matches", "filenames": ["shop/a.py"]})


def looked(path: str) -> Event:
    text = '"""A part of the shop."""\n'
    file = {"filePath": f"{ROOT}/{path}", "content": text, "numLines": 1, "startLine": 1, "totalLines": 1}
    return tool("Read", {"file_path": f"{ROOT}/{path}"}, {"type": "text", "file": file})


def edited(path: str, word: str) -> Event:
    given = {"file_path": f"{ROOT}/{path}", "old_string": "pass", "new_string": f"return {word}"}
    return tool("Edit", given, {"filePath": f"{ROOT}/{path}", "originalFile": "pass\n", "structuredPatch": []})


def written(path: str, word: str) -> Event:
    given = {"file_path": f"{ROOT}/{path}", "content": f"def {word}():\n    return 1\n"}
    return tool("Write", given, {"type": "update", "filePath": f"{ROOT}/{path}", "content": given["content"]})


# --- measuring ---


def live(engine: Engine, month: Month) -> None:
    """Let a month happen: what hooks are told session by session, and what is decided meanwhile."""
    reader = engine.capture.reader()
    for number, (start, events) in enumerate(zip(month.starts, month.sessions, strict=True)):
        notices = []
        for place, event in enumerate(events):
            at = start + 40 * place
            identity = {"session_id": f"s-{number:03}", "cwd": ROOT, "tool_use_id": f"t{number}-{place}"}
            raw = json.dumps({**event.payload, **identity}).encode()
            name = f"{at:020}{number:06}{place:06}"
            notice = reader.parse(raw, name, event="", assistant="claude", at_ns=at * 10**9)
            if notice is not None:
                notices.append(notice)
        engine.session_updates.write(notices)
    ids: list[str] = []
    real = clock.now
    try:
        for at, text, replaces, path in month.decided:
            clock.now = lambda at=at: at  # type: ignore[misc]
            about = {"anchors": (path,)} if path else {}
            old = {"supersedes": ids[replaces]} if replaces is not None else {}
            made = engine.memories.store(text, memory_type="decision", namespace=ROOT, **about, **old)  # type: ignore[arg-type]
            ids.append(made.memory.id)
    finally:
        clock.now = real


def is_planted(pattern: Pattern, planted: Planted) -> bool:
    return pattern.pattern_type == planted.kind and planted.word.lower() in f"{pattern.subject}\n{pattern.told}".lower()


def measure(seed: int) -> dict[str, Any]:
    """Return what was planted, found and made up in the month of a seed."""
    month = Month(seed)
    with tempfile.TemporaryDirectory() as home, Engine(home=home, embed_provider="off") as engine:
        live(engine, month)
        report = engine.patterns.detect(namespace=ROOT, since=START, limit=1000)
    found = [row for row in month.planted if any(is_planted(pattern, row) for pattern in report.patterns)]
    false = [row for row in report.patterns if not any(is_planted(row, planted) for planted in month.planted)]
    return {
        "seed": seed,
        "sessions": report.session_count,
        "observations": report.observations,
        "planted": len(month.planted),
        "found": len(found),
        "reported": len(report.patterns),
        "false": len(false),
        "missed": [f"{row.kind}: {row.word}" for row in month.planted if row not in found],
        "made_up": [f"{row.pattern_type} {row.confidence}: {row.told}" for row in false],
        "false_by_kind": dict(Counter(row.pattern_type for row in false)),
    }


def rows(seeds: Sequence[int]) -> Iterator[dict[str, Any]]:
    for seed in seeds:
        yield measure(seed)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=10, help="how many months")
    parser.add_argument("--first", type=int, default=1, help="the first seed")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--save", action="store_true", help="keep the result under bench/results; prints JSON, too")
    chosen = parser.parse_args()
    found = list(rows(range(chosen.first, chosen.first + chosen.seeds)))
    if chosen.json or chosen.save:
        results.publish("patterns", {"seeds": chosen.seeds, "first": chosen.first, "rows": found}, save=chosen.save)
        return
    names = ("seed", "sessions", "observations", "planted", "found", "reported", "false")
    print(metrics.table(list(names), [[str(row[name]) for name in names] for row in found]))
    for row in found:
        for text in (*(f"missed {each}" for each in row["missed"]), *(f"made up {each}" for each in row["made_up"])):
            print(f"seed {row['seed']}: {text}")
    planted, reported = sum(row["planted"] for row in found), sum(row["reported"] for row in found)
    hits, false = sum(row["found"] for row in found), sum(row["false"] for row in found)
    print(f"found {hits} of {planted} ({100 * hits / planted:.1f} %); "
          f"false {false} of {reported} ({100 * false / max(1, reported):.1f} %)")  # fmt: skip


if __name__ == "__main__":
    main()

"""Changes: how many changed facts replace their older version when they are stored, and how many others do by mistake.

    python bench/changes.py [--split NAME] [--prompts] [--show] [--save]

bench/changes/*.txt has many imaginary projects. Each line is an older statement and a later one, as developers write
them in prompts: `+` the later one changes the older one, `-` it only looks like it (an addition, an exception, another
component, a question, a guess, a temporary state, a quotation, the past, the same in other words). All older statements
of a project are stored first, then all later ones; `--prompts`: these come as prompts of Claude Code, and have to be
recognised as statements, too. The amendment model is trained on all splits but the unseen ones: only those say how it
does on what other people write. The contrary and developed ones are pairs in projects of their own; the developed ones
are the pairs that the rules were made from.

    changed   of the `+` lines: the older memory is superseded by the later one
    wrong     older memories superseded by something that does not change them, over all lines
"""

from __future__ import annotations

import argparse
import tempfile
import time
import uuid
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import measure
from recollect import Engine
from recollect.model import Memory
from recollect.providers.cache import CachedEmbedder
from recollect.providers.local import LocalEmbedder
from told_payloads import ASSISTANTS

FOLDER = Path(__file__).parent / "changes"
# In no training.
UNSEEN = ("unseen", "unseen_short", "unseen_reminders", "unseen_alike", "unseen_passing", "unseen_grumble")
SPLITS = (
    *("train", "dev", "held", "fresh", "contrary_dev", "contrary_held", "plain", "written", "short", "reminders"),
    *("alike", "developed", *(f"passing_{letter}" for letter in "abcdefgh"), "grumble_a", "grumble_b"),
    *UNSEEN,
)
# The later statement tells how it is now, mostly in other words. Nothing is trained on them; none is found so far.
DESCRIBED = "unseen_described"


class Line(NamedTuple):
    """Two statements about a project, and whether the later one changes the older one."""

    project: str
    changes: bool
    kind: str
    old: str
    new: str


class Stored(NamedTuple):
    """A line that was stored: the later statement that superseded the older one, if any.

    right: the later statements that change the older one, of this line and of others
    """

    line: Line
    by: str | None
    right: frozenset[str]

    @property
    def is_wrong(self) -> bool:
        """Whether something superseded the older statement that does not change it."""
        return self.by is not None and self.by not in self.right


def lines(split: str) -> Iterator[Line]:
    """Yield the lines of a split."""
    project = ""
    for row in (FOLDER / f"{split}.txt").read_text("utf-8").splitlines():
        mark, rest = row[0], row[2:]
        if mark == "=":
            project = rest
        else:
            kind, old, new = rest.split(" | ")
            yield Line(project, mark == "+", kind, old, new)


def store(engine: Engine, rows: list[Line], folder: Path, *, prompts: bool) -> Iterator[Stored]:
    """Store the statements of all projects, and yield each older one with the statement that superseded it."""
    for project in dict.fromkeys(row.project for row in rows):
        root = folder / project.replace(" ", "-").replace("/", "-")
        root.mkdir()
        of_project = [row for row in rows if row.project == project]
        olds = [engine.memories.store(row.old, namespace=str(root)).memory.id for row in of_project]
        news: dict[str, str] = {}
        for row in of_project:
            if prompts:
                news |= dict.fromkeys(prompted(engine, row, root), row.new)
            else:
                news[engine.memories.store(row.new, namespace=str(root)).memory.id] = row.new
        for row, old in zip(of_project, olds, strict=True):
            by = engine.memories.get(old).superseded_by
            right = frozenset(each.new for each in of_project if each.changes and each.old == row.old)
            yield Stored(row, news.get(by, "another older one") if by else None, right)


def prompted(engine: Engine, row: Line, root: Path) -> list[str]:
    """Send the later statement as a prompt in a session of its own; return the memories that it became."""
    session = uuid.uuid4().hex
    payload = ASSISTANTS["claude"](session, root, root).prompt(row.new)
    engine.capture.put(payload.raw, event=payload.event, assistant=payload.assistant)
    engine.capture.drain()
    return [memory.id for memory in engine.store.find(Memory, {"session_id": session, "observed": False})]


def report(rows: list[Stored]) -> dict[str, Any]:
    """Return the numbers of a split."""
    changed = Counter(row.line.kind for row in rows if row.line.changes and row.by == row.line.new)
    wanted = Counter(row.line.kind for row in rows if row.line.changes)
    wrong = Counter(row.line.kind for row in rows if row.is_wrong)
    return {
        "changes": wanted.total(),
        "changed": changed.total(),
        "look_alikes": len(rows) - wanted.total(),
        "wrong": wrong.total(),
        "changed_by_kind": {kind: f"{changed[kind]} of {number}" for kind, number in sorted(wanted.items())},
        "wrong_by_kind": dict(sorted(wrong.items())),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--split", choices=(*SPLITS, DESCRIBED), help=f"default: all but {DESCRIBED}")
    parser.add_argument("--prompts", action="store_true", help="send the later statements as prompts")
    parser.add_argument("--show", action="store_true", help="print the missed and the wrong lines instead of JSON")
    parser.add_argument("--save", action="store_true", help="keep the result under bench/results")
    chosen = parser.parse_args()
    embedder = CachedEmbedder(LocalEmbedder(), capacity=10_000)
    result: dict[str, Any] = {}
    for split in [chosen.split] if chosen.split else SPLITS:
        before = time.process_time()
        with tempfile.TemporaryDirectory() as folder, Engine(home=f"{folder}/home", embedder=embedder) as engine:
            stored = list(store(engine, list(lines(split)), Path(folder), prompts=chosen.prompts))
        result[split] = {**report(stored), "cpu_s": round(time.process_time() - before, 1)}
        for row in stored if chosen.show else ():
            if row.is_wrong:
                print(f"wrong   {row.line.kind}: {row.line.old}\n        {row.by}")
            elif row.line.changes and row.by is None:
                print(f"missed  {row.line.kind}: {row.line.old}\n        {row.line.new}")
    if not chosen.show:
        measure.publish("changes-prompts" if chosen.prompts else "changes", result, save=chosen.save)


if __name__ == "__main__":
    main()

"""The routes in docs/architecture.md are those that a search and a prompt hook take, and they stay short."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import pytest

import recollect
from recollect.capabilities import OPERATIONS
from recollect.engine import Engine
from recollect.render import to_text
from recollect.surface.hooks.hook_output import answered, by_fast_path

SOURCES = Path(recollect.__file__).parent
# A call that runs fewer lines of a file only passes through it: a check that returns at once, a field, a counter.
LEAST_LINES = 10
# One step for a reader: it replaces secrets. Its entry counts.
ONE_STEP = re.compile(r"text/redaction/(?!redact\.py).*")

FACTS = (
    "We deploy with fly.io to production every Monday.",
    "Prefer pytest over unittest in this project.",
    "The staging database is at stg.acme.dev, port 5433.",
    "Tokens of the API expire after an hour.",
)
EVENT = ("UserPromptSubmit", "claude")


class Route(NamedTuple):
    """The files that a call enters, and those of which it runs at least LEAST_LINES lines."""

    entered: set[str]
    walked: set[str]


def route_of(call: Callable[[], object]) -> Route:
    """Return the route of a call that returns something; lines of definitions do not count."""
    lines: dict[str, set[int]] = {}

    def inside(frame: FrameType, event: str, _: Any) -> Any:
        if event == "line":
            lines.setdefault(str(Path(frame.f_code.co_filename).relative_to(SOURCES)), set()).add(frame.f_lineno)
        return inside

    def entered(frame: FrameType, _event: str, _: Any) -> Any:
        is_ours = frame.f_code.co_filename.startswith(str(SOURCES)) and frame.f_code.co_name != "<module>"
        return inside if is_ours else None

    before = sys.gettrace()
    sys.settrace(entered)
    try:
        assert call()
    finally:
        sys.settrace(before)
    much = {name for name, ran in lines.items() if len(ran) >= LEAST_LINES and not ONE_STEP.fullmatch(name)}
    return Route(set(lines), much)


def documented(root: Path, heading: str) -> list[str]:
    """Return the files that the route below a heading names; one without a folder is beside the one before it."""
    text = (root / "docs/architecture.md").read_text(encoding="utf-8").partition(f"## {heading}\n")[2]
    route = "\n".join(line for line in text.partition("\n## ")[0].splitlines() if line.startswith("    "))
    names: list[str] = []
    for name in re.findall(r"[\w/]+\.py\b", route):
        folder = names[-1].rpartition("/")[0] if names and "/" not in name and name not in ("hook.py", "ask.py") else ""
        names.append(f"{folder}/{name}" if folder and not (SOURCES / name).exists() else name)
    return names


@pytest.fixture
def engine(home: Path, tmp_path: Path) -> Iterator[Engine]:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git/HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    with Engine() as engine:
        engine.scope.enter(str(tmp_path))
        for fact in FACTS:
            engine.memories.store(fact)
        search(engine, "which port has the database?")
        yield engine


def search(engine: Engine, query: str = "how do we deploy?") -> str:
    return to_text(OPERATIONS["recall_memory"].call(engine, {"query": query}))


def prompt(folder: Path, session: str, text: str = "how do we deploy to production with fly.io?") -> bytes:
    return json.dumps({"session_id": session, "hook_event_name": EVENT[0], "cwd": str(folder), "prompt": text}).encode()


def test_a_search_takes_the_documented_route(engine: Engine, root: Path) -> None:
    names = documented(root, "How a search travels")
    route = route_of(lambda: search(engine))
    assert route.walked - set(names) == set(), "run, and not documented"
    assert set(names) - route.entered == set(), "documented, and not run"
    assert len(names) == len(set(names)) <= 30


def test_a_prompt_hook_takes_the_documented_route(engine: Engine, home: Path, tmp_path: Path, root: Path) -> None:
    names = documented(root, "How a prompt hook travels")
    assert answered(engine, prompt(tmp_path, "first", "which port has the staging database?"), *EVENT)
    served = route_of(lambda: answered(engine, prompt(tmp_path, "second"), *EVENT))
    alone = route_of(lambda: by_fast_path(prompt(tmp_path, "third"), str(home), *EVENT))
    assert (served.walked | alone.walked) - set(names) == set(), "run, and not documented"
    assert set(names) - served.entered - alone.entered == {"hook.py", "ask.py"}, "documented, and not run"
    assert len(names) == len(set(names)) <= 40

"""The composition root: nouns are loaded and made when they are first used."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from threading import Thread

import pytest

from recollect import Engine
from recollect.engine import NOUNS, OPERATIONS, root

LOADED = """
import json, sys
from recollect import Engine
with Engine(home=sys.argv[1]) as engine:
    payload = {"hook_event_name": "SessionStart", "session_id": "s", "cwd": "/nowhere", "source": "startup"}
    engine.presence.answer(json.dumps(payload).encode(), event="SessionStart", assistant="claude")
print(*sorted(name for name in sys.modules if name.startswith("recollect.") or name == "numpy"))
"""


def test_every_noun_can_be_made(tmp_path: Path) -> None:
    with Engine(home=str(tmp_path)) as engine:
        for name, kind in Engine.__annotations__.items():
            assert type(getattr(engine, name)).__name__ == kind.strip('"')
            assert getattr(engine, name) is getattr(engine, name)
    assert NOUNS.keys() < Engine.__annotations__.keys()
    assert {row.noun for row in OPERATIONS.values()} <= NOUNS.keys() <= set(dir(engine))


def test_an_unknown_noun_is_no_attribute(tmp_path: Path) -> None:
    with Engine(home=str(tmp_path)) as engine, pytest.raises(AttributeError, match="weather"):
        engine.weather  # noqa: B018 - reading it is the test
    with pytest.raises(AttributeError, match="WEATHER"):
        root.WEATHER  # noqa: B018


def test_threads_share_a_noun(tmp_path: Path) -> None:
    made: list[object] = []
    with Engine(home=str(tmp_path)) as engine:
        threads = [Thread(target=lambda: made.append(engine.recall)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(made) == 8
    assert len(set(map(id, made))) == 1


def test_closing_makes_no_noun(tmp_path: Path) -> None:
    engine = Engine(home=str(tmp_path))
    before = set(vars(engine))
    engine.close()
    assert set(vars(engine)) == before


def test_the_start_of_a_session_loads_only_what_it_needs(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", LOADED, str(tmp_path)], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "recollect.engine.hook_responses.briefing" in loaded
    assert not loaded & {
        "numpy",
        "recollect.capture.extract.file_tools",
        "recollect.engine.admin.admin",
        "recollect.engine.code.code_index",
        "recollect.engine.retrieval.memory_search",
    }

"""The verdict of a hit is on every surface: in the record, in the structured answer of a tool, and in what is read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.conformance.surfaces import SURFACES
from tests.trees import write

from recollect import Engine
from recollect.capabilities import OPERATIONS
from recollect.render import to_text
from recollect.surface.cli import main

NOTE = "lib/parser.py::parse_file changed since this was written"


@pytest.fixture
def drifted(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_EMBED_PROVIDER", "off")
    write(tmp_path / "app", {"lib/parser.py": "def parse_file(path):\n    return read(path)\n"})
    with Engine() as engine:
        engine.code.index(str(tmp_path / "app"), namespace="app")
        engine.memories.store("parse_file reads all of it", namespace="app")
        write(tmp_path / "app", {"lib/parser.py": "def parse_file(path):\n    return skim(path, 10)\n"})
        engine.code.index(str(tmp_path / "app"), namespace="app")


@pytest.mark.promise("B2")
@pytest.mark.parametrize("surface", SURFACES)
@pytest.mark.parametrize(
    ("operation", "hits"),
    [
        ("recall_memory", lambda told: [hit["freshness"] for hit in told["hits"]]),
        ("recall_with_expansion", lambda told: [row["hit"]["freshness"] for row in told["hits"]]),
        ("recall_with_impact", lambda told: [row["hit"]["freshness"] for row in told["hits"]]),
        ("drift", lambda told: [row["freshness"] for row in told["memories"]]),
    ],
)
def test_programs_get_the_verdict(
    drifted: None, surface: str, operation: str, hits: Callable[[Any], list[dict[str, Any]]]
) -> None:
    row = OPERATIONS[operation]
    arguments, words = ({}, ()) if operation == "drift" else ({"query": "parse_file"}, ("parse_file",))
    (fresh,) = hits(SURFACES[surface](row, arguments, words))
    assert (fresh["verdict"], fresh["note"]) == ("changed", NOTE)
    assert fresh["anchors"][0]["symbol"] == "parse_file"


@pytest.mark.promise("B2")
def test_people_and_models_read_the_verdict(drifted: None, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["search", "parse_file"]) == 0
    assert NOTE in capsys.readouterr().out
    assert main(["pack", "parse_file reads", "--min-score", "0"]) == 0
    assert f"({NOTE})" in capsys.readouterr().out
    assert main(["drift"]) == 0
    assert NOTE in capsys.readouterr().out
    with Engine() as engine:
        found = engine.recall.search("parse_file")
        assert NOTE in to_text(found)

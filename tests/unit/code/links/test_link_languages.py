"""Links across files, language by language: a small tree each, and the links that must and must not be found in it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect import Engine
from recollect.model import RELATIONS, File

SAMPLES = Path(__file__).parents[3] / "golden" / "links"
LANGUAGES = sorted(folder.name for folder in SAMPLES.iterdir())


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    with Engine(home=str(tmp_path / "home"), embed_provider="off") as opened:
        yield opened


@pytest.mark.promise("E13")
@pytest.mark.parametrize("language", LANGUAGES)
def test_links_are_found_across_files(language: str, engine: Engine, tmp_path: Path) -> None:
    root = tmp_path / "tree"
    shutil.copytree(SAMPLES / language / "tree", root)
    engine.code.index(str(root), link=True)
    found = {*links(engine, root), *possible_links(engine)}
    lines = (SAMPLES / language / "links.txt").read_text(encoding="utf-8").splitlines()
    wanted = {line for line in lines if not line.startswith("not ")}
    assert wanted <= found, sorted(wanted - found)
    assert not {line.removeprefix("not ") for line in lines if line.startswith("not ")} & found


def links(engine: Engine, root: Path) -> Iterator[str]:
    """Yield the links of the graph as `user -> used`, each as path::name or the path of a file."""
    graph, _ = engine.links.graph()
    names = [node.partition(":")[2].removeprefix(f"{root}/") for node in graph.points.ids]
    for src, dst, relation in zip(graph.src.tolist(), graph.dst.tolist(), graph.relations.tolist(), strict=True):
        if RELATIONS[relation] != "CONTAINS":
            yield f"{names[src]} -> {names[dst]}"


def possible_links(engine: Engine) -> Iterator[str]:
    """Yield what calls on unknown objects may mean as `maybe user -> used`."""
    paths = {file.id: file.path for file in engine.context.store.find(File, {})}
    for number, sites in engine.context.store.file_sites(sorted(paths)).items():
        for site in sites.ambiguous:
            yield from (f"maybe {paths[number]}::{site.source} -> {target[1:]}" for target in site.candidates)

"""Indexed code in the state of the whole: it is counted, looked at, and its vectors are kept or thrown away."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.fakes import HashingEmbedder
from tests.trees import write

from recollect import Engine
from recollect.model import Check
from recollect.render import to_text

FILES = {
    "one.py": "def open_socket():\n    return 1\n",
    "two.py": "def close_socket():\n    return 2\n",
    "copy/one.py": "def open_socket():\n    return 1\n",
}


@pytest.fixture
def project(tmp_path: Path, engine: Engine) -> Path:
    write(tmp_path / "app", FILES)
    engine.code.index(str(tmp_path / "app"))
    return tmp_path / "app"


def code(engine: Engine) -> Check:
    return next(check for check in engine.admin.health().checks if check.name == "code")


def test_indexed_code_is_counted_with_its_vectors(engine: Engine, project: Path) -> None:
    stats = engine.admin.stats()
    assert (stats.code_files, stats.code_symbols, stats.code_pieces) == (3, 3, 3)
    # Two files are the same: one vector does for both.
    assert (stats.code_embeddings, stats.pending_code_embeddings) == (0, 2)
    assert engine.code.embed() == 2
    stats = engine.admin.stats()
    assert (stats.code_embeddings, stats.pending_code_embeddings) == (2, 0)
    assert "indexed code: 3 files, 3 symbols, 3 chunks (2 vectors)" in to_text(stats)


def test_without_code_stats_omit_it(engine: Engine) -> None:
    stats = engine.admin.stats()
    assert (stats.code_files, stats.code_pieces, stats.code_embeddings, stats.pending_code_embeddings) == (0, 0, 0, 0)
    assert "indexed code" not in to_text(stats)
    assert code(engine).detail == "no code is indexed"


def test_health_tells_how_many_vectors_of_code_are_there_and_who_makes_the_rest(engine: Engine, project: Path) -> None:
    waiting = code(engine)
    assert waiting.detail == "3 files, 3 symbols, 3 chunks; 0 of 2 distinct chunks are embedded"
    assert waiting.status == "ok" and "index --vectors" in waiting.mend
    engine.code.embed()
    assert "2 of 2 distinct chunks are embedded" in code(engine).detail
    assert code(engine).mend == ""


def test_without_an_embedder_no_vectors_of_code_are_missed(open_engine: Callable[..., Engine], tmp_path: Path) -> None:
    write(tmp_path / "app", FILES)
    engine = open_engine(embed_provider="off")
    engine.code.index(str(tmp_path / "app"))
    assert code(engine).detail == "3 files, 3 symbols, 3 chunks"
    assert engine.admin.stats().pending_code_embeddings == 0


def test_indexing_makes_the_vectors_where_that_is_asked_for(
    engine: Engine, embedder: HashingEmbedder, project: Path
) -> None:
    assert engine.code.index(str(project)).vectors_made == 0
    assert embedder.embedded == []
    done = engine.code.index(str(project), vectors=True)
    assert done.vectors_made == len(embedder.embedded) == 2
    assert "vectors made: 2" in to_text(done)
    assert engine.code.index(str(project), vectors=True).vectors_made == 0


def test_a_rebuild_keeps_the_vectors_of_code_and_drops_those_of_none(
    engine: Engine, embedder: HashingEmbedder, project: Path
) -> None:
    engine.code.embed()
    write(project, {"two.py": "def close_pipe():\n    return 2\n"})
    engine.code.index(str(project))
    engine.code.embed()
    embedder.embedded.clear()
    rebuilt = engine.admin.rebuild()
    assert (rebuilt.code_vectors_dropped, rebuilt.vectors_dropped) == (1, 0)
    assert engine.admin.stats().pending_code_embeddings == 0
    assert engine.code.embed() == 0
    assert "unused code vectors dropped: 1" in to_text(rebuilt)
    assert engine.admin.rebuild().code_vectors_dropped == 0


def test_a_rebuild_of_the_full_text_alone_drops_no_vector_of_code(engine: Engine, project: Path) -> None:
    engine.code.embed()
    (project / "two.py").unlink()
    engine.code.index(str(project))
    assert engine.admin.rebuild(vectors=False).code_vectors_dropped == 0
    assert engine.admin.rebuild().code_vectors_dropped == 1

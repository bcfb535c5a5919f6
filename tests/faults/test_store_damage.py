"""Damaged files: a code that says so, never a wrong or an empty answer in silence, and a rebuild where that helps."""

from __future__ import annotations

import os
import random
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.fakes import HashingEmbedder
from tests.trees import write

from recollect.engine import Engine
from recollect.errors import RecollectError, StoreCorrupt
from recollect.store.code_rows import CodeScope

PAGE = 4096
COUNT = 150


def opened(path: Path) -> Engine:
    return Engine(database=str(path), embedder=HashingEmbedder())


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The bytes of a database with some memories in it."""
    path = tmp_path_factory.mktemp("sound") / "memory.db"
    with opened(path) as engine:
        for number in range(COUNT):
            engine.memories.store(
                f"memory number {number} about widgets " + "and so on " * 40, tags=(f"t{number % 5}",)
            )
        engine.embedding.catch_up()
    return path.read_bytes()


@pytest.fixture
def database(sound: bytes, tmp_path: Path) -> Path:
    path = tmp_path / "memory.db"
    path.write_bytes(sound)
    return path


def change(path: Path, script: str) -> None:
    database = sqlite3.connect(path)
    database.executescript(script)
    database.close()


def storage(engine: Engine, *, thorough: bool = False) -> str:
    return engine.admin.health(thorough=thorough).checks[0].status


def codes(path: Path) -> set[str]:
    """Use a database in every way; return the codes of what was refused. Anything but an error of ours is a failure."""
    found: set[str] = set()
    with opened(path) as engine:
        uses: tuple[Callable[[], object], ...] = (
            lambda: [engine.memories.get(row.id) for row in engine.memories.list(limit=1000).memories],
            lambda: engine.recall.search("widgets"),
            lambda: engine.recall.search("memory number 3", namespace="nowhere"),
            lambda: engine.admin.stats(),
            lambda: engine.admin.changes(limit=1000),
            lambda: engine.archive.export(),
            lambda: engine.memories.store("one more"),
            lambda: engine.memories.delete(engine.memories.list(limit=1).memories[0].id),
            lambda: engine.admin.undo(),
            lambda: engine.admin.rebuild(),
            lambda: engine.admin.health(),
            lambda: engine.admin.health(thorough=True),
        )
        for use in uses:
            try:
                use()
            except RecollectError as problem:
                found.add(problem.code)
    return found


def test_half_a_file_is_damaged(database: Path, sound: bytes) -> None:
    database.write_bytes(sound[: len(sound) // 2])
    with opened(database) as engine:
        assert storage(engine) == "failed"
    assert codes(database) == {"STORE_CORRUPT"}


def test_a_file_cut_within_a_page_is_damaged(database: Path, sound: bytes) -> None:
    database.write_bytes(sound[:-1000])
    with opened(database) as engine:
        assert storage(engine, thorough=True) == "failed"


def test_without_its_header_a_file_is_not_known_to_be_ours(database: Path, sound: bytes) -> None:
    broken = bytes(100) + sound[100:]
    database.write_bytes(broken)
    with opened(database) as engine:
        assert storage(engine) == "failed"
    assert codes(database) == {"STORE_FOREIGN"}
    assert database.read_bytes() == broken


@pytest.mark.parametrize("seed", range(12))
def test_pages_overwritten_anywhere_never_end_in_a_raw_error(database: Path, sound: bytes, seed: int) -> None:
    chance = random.Random(seed)
    start = chance.randrange(1, len(sound) // PAGE - 4) * PAGE
    noise = chance.randbytes(3 * PAGE) if seed % 2 else bytes(3 * PAGE)
    database.write_bytes(sound[:start] + noise + sound[start + 3 * PAGE :])
    with opened(database) as engine:
        assert storage(engine, thorough=True) == "failed"
    assert codes(database) <= {"STORE_CORRUPT", "STORAGE_ERROR", "NOT_FOUND", "MEMORY_NOT_FOUND", "CONFLICT"}


def test_pages_of_memories_overwritten_are_noticed_by_a_plain_health_check(database: Path, sound: bytes) -> None:
    middle = len(sound) // PAGE // 2 * PAGE
    database.write_bytes(sound[:middle] + os.urandom(3 * PAGE) + sound[middle + 3 * PAGE :])
    with opened(database) as engine:
        assert storage(engine) == "failed"


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE memories SET tags = 'no list' WHERE seq = 5",
        "UPDATE memories SET metadata = '[1]' WHERE seq = 5",
        "UPDATE memories SET content = CAST(x'ff00fe' AS TEXT) WHERE seq = 5",
    ],
)
def test_a_row_that_cannot_be_read_is_damage(database: Path, damage: str) -> None:
    change(database, damage)
    with opened(database) as engine:
        with pytest.raises(StoreCorrupt):
            engine.memories.list(limit=1000)
        # The others are still there.
        assert len(engine.memories.list(limit=50).memories) == 50


@pytest.mark.parametrize(
    "damage",
    [
        "DELETE FROM memory_text_data WHERE id > 10",
        "DELETE FROM memory_text_data",
        "UPDATE memory_text_data SET block = x'0000' WHERE id > 10",
        "DELETE FROM memory_text_config",
        "DELETE FROM memory_text_docsize WHERE id / 1024 % 2",
        "DELETE FROM memory_text_docsize",
        "DELETE FROM memory_text",
    ],
)
def test_a_damaged_full_text_is_told_and_a_rebuild_heals_it(database: Path, damage: str) -> None:
    change(database, damage)
    with opened(database) as engine:
        assert storage(engine) == "failed"
    with opened(database) as engine:
        assert engine.admin.rebuild(vectors=False).text_rows == COUNT
        assert storage(engine, thorough=True) == "ok"
        assert len(engine.recall.search("widgets").hits) == 10
    with opened(database) as engine:
        assert storage(engine, thorough=True) == "ok"


def test_a_search_on_a_damaged_full_text_says_how_to_heal_it(database: Path) -> None:
    change(database, "DELETE FROM memory_text_data WHERE id > 10")
    with opened(database) as engine, pytest.raises(StoreCorrupt) as caught:
        engine.recall.search("widgets")
    assert "rebuild" in caught.value.hint


def test_a_rebuild_heals_while_another_engine_has_the_full_text_open(database: Path) -> None:
    with opened(database) as other:
        assert other.recall.search("widgets").hits
        change(database, "DELETE FROM memory_text_data WHERE id > 10")
        with opened(database) as engine:
            engine.admin.rebuild(vectors=False)
        assert len(other.recall.search("widgets").hits) == 10
        assert other.memories.store("stored after it").created
        assert storage(other, thorough=True) == "ok"


def test_vectors_of_the_wrong_length_are_left_out_and_made_anew(database: Path) -> None:
    change(database, "UPDATE memory_embeddings SET embedding = x'0000' WHERE rowid % 2")
    with opened(database) as engine:
        assert engine.recall.search("memory number 3 about widgets").hits
        engine.admin.rebuild()
        assert storage(engine, thorough=True) == "ok"
        assert engine.embedding.coverage() == (COUNT, COUNT)


def test_memories_survive_a_damaged_index_of_the_full_text_by_export_and_import(
    database: Path, tmp_path: Path, sound: bytes
) -> None:
    # Pages of the full text itself are noise: the file cannot be mended in place, and nothing in it is lost.
    rows = sqlite3.connect(database)
    root = rows.execute("SELECT rootpage FROM sqlite_master WHERE name = 'memory_text_data'").fetchone()[0]
    rows.close()
    start = (root - 1) * PAGE
    database.write_bytes(sound[:start] + os.urandom(PAGE) + sound[start + PAGE :])
    archive = tmp_path / "saved.jsonl"
    with opened(database) as engine:
        assert storage(engine) == "failed"
        assert engine.archive.export(str(archive)).memories == COUNT
    with opened(tmp_path / "new.db") as engine:
        assert engine.archive.import_(str(archive)).created == COUNT
        assert storage(engine, thorough=True) == "ok"


def test_a_damaged_full_text_of_code_is_told_and_made_anew(database: Path, tmp_path: Path) -> None:
    write(tmp_path / "app", {f"m{number}.py": f"def widget{number}():\n    return 1\n" for number in range(50)})
    with opened(database) as engine:
        engine.code.index(str(tmp_path / "app"))
    change(database, "UPDATE code_text_data SET block = x'00' WHERE id > 10; DELETE FROM symbol_text_config;")
    with opened(database) as engine:
        assert storage(engine, thorough=True) == "failed"
        engine.admin.rebuild()
        assert storage(engine, thorough=True) == "ok"
        assert engine.code.index(str(tmp_path / "app")).read == 50
        assert len(engine.code.symbols("widget7").symbols) == 1
        found = engine.store.search_code_text(["widget7"], CodeScope(), 5)
        assert len(found) == 1

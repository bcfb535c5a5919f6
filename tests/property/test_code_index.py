"""Whatever happens to the files of a tree: an index that followed equals one made afresh."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.code.index.project_root import Place
from recollect.code.index.update import Limits, update, update_paths
from recollect.model import File, Tree
from recollect.store.code_rows import places_of_file
from recollect.store.sql import Store
from recollect.store.sqlite import Sqlite

TIMES = count(1_500_000_000_000_000_001)
LIMITS = Limits(max_bytes=400, workers=1)

PATHS = st.sampled_from(["a.py", "src/a.py", "src/c.py", "src/deep/d.py", "no\nte.py", "f.js"])
MANIFESTS = st.sampled_from(["package.json", "src/package.json", "src/deep/package.json", "requirements.txt"])
SAYINGS = st.sampled_from(
    [
        '{"name": "one", "workspaces": ["**"], "dependencies": {"two": "1"}}',
        '{"name": "two", "version": "1.0.0", "dependencies": {"one": "file:.."}}',
        '{"dependencies": {"one": "*"}}',
        '{"name": "half',
        "one==1\n-e ./src\n",
        "",
    ]
)
FOLDERS = st.sampled_from(["src", "src/deep", "other"])
CONTENTS = st.sampled_from(
    [
        "",
        "def alpha():\n    return 1\n",
        "class Beta:\n    def run(self):\n        return alpha()\n",
        "import os\n\nGAMMA = 1\n\n\ndef delta(x):\n    return os.path.join(x, GAMMA)\n",
        "def alpha():\n    return 2\n",
        "x = 1\n" * 100,
        "\0binary",
        "def broken(:\n",
    ]
)

EDITS = st.lists(
    st.one_of(
        st.tuples(st.just("write"), PATHS, CONTENTS),
        st.tuples(st.just("write"), PATHS, CONTENTS),
        st.tuples(st.just("write"), MANIFESTS, SAYINGS),
        st.tuples(st.just("delete"), PATHS),
        st.tuples(st.just("delete"), MANIFESTS),
        st.tuples(st.just("move"), PATHS, PATHS),
        st.tuples(st.just("move folder"), FOLDERS, FOLDERS),
        st.tuples(st.just("ignore"), st.sampled_from(["", "src/\n", "*.js\na.py\n", "deep/\n!d.py\n"])),
    ),
    min_size=1,
    max_size=8,
)
ROUNDS = st.lists(st.tuples(EDITS, st.sampled_from(["all", "all", "paths", "src/"])), min_size=2, max_size=5)


@pytest.mark.promise("E14", "E15")
@settings(max_examples=25)
@given(ROUNDS)
def test_an_index_that_followed_every_change_equals_a_fresh_one(
    rounds: list[tuple[list[tuple[str, ...]], str]],
) -> None:
    with scratch() as folder:
        root = folder / "tree"
        root.mkdir()
        with opened(folder / "followed.db") as store:
            for edits, what in rounds:
                for edit in edits:
                    change(root, *edit)
                index(store, root, what)
            update(store, Place(root, "", False), "ns", limits=LIMITS)
            followed = dump(store)
        with opened(folder / "fresh.db") as store:
            update(store, Place(root, "", False), "ns", limits=LIMITS)
            assert dump(store) == followed


def change(root: Path, kind: str, *details: str) -> None:
    """Do one thing to a tree; what the file system does not allow just now is not done."""
    with suppress(OSError):
        if kind == "write":
            (root / details[0]).parent.mkdir(parents=True, exist_ok=True)
            (root / details[0]).write_text(details[1], encoding="utf-8")
            # A time of its own for every write, long ago: what was written just now would always be read again.
            written = next(TIMES)
            os.utime(root / details[0], ns=(written, written))
        elif kind == "ignore":
            (root / ".recollectignore").write_text(details[0], encoding="utf-8")
        elif kind == "delete":
            (root / details[0]).unlink()
        else:
            (root / details[1]).parent.mkdir(parents=True, exist_ok=True)
            (root / details[0]).rename(root / details[1])


def index(store: Store, root: Path, what: str) -> None:
    if what == "paths":
        found = [str(file.relative_to(root)) for file in root.rglob("*")]
        update_paths(store, Place(root, "", False), "ns", found[::2], limits=LIMITS)
    else:
        update(store, Place(root, "" if what == "all" else what, False), "ns", limits=LIMITS)


def dump(store: Store) -> list[Any]:
    """Everything the index says, by path and place: rows of files without what time does to them, symbols and pieces
    byte by byte, every row of the full text, all names, manifests and packages."""
    (tree,) = store.find(Tree)
    connection = store._connection()
    rows: list[Any] = []
    for file in sorted(store.find(File), key=lambda row: row.path):
        rows.append((file.path, file.hash, file.size_bytes, file.language, file.mark, file.skipped, file.notes))
        rows.append((file.symbol_count, file.chunk_count))
        rows += [row[1:] for row in connection.execute("SELECT * FROM file_contents WHERE file = ?", (file.id,))]
        texts = "SELECT rowid - ?, names, around, path, body FROM code_text WHERE rowid BETWEEN ? AND ? ORDER BY rowid"
        first, last = places_of_file(file.id)
        rows += list(connection.execute(texts, (first, first, last)))
        rows += list(connection.execute("SELECT names, humps FROM symbol_text WHERE rowid = ?", (file.id,)))
    for table in ("file_contents", "symbol_text_docsize", "code_text_docsize"):
        rows.append((table, list(connection.execute(f"SELECT count(*) FROM {table}"))))
    rows += list(connection.execute("SELECT * FROM code_terms"))
    rows += list(connection.execute("SELECT * FROM symbol_names"))
    connection.execute("INSERT INTO code_text (code_text) VALUES ('integrity-check')")
    connection.execute("INSERT INTO symbol_text (symbol_text) VALUES ('integrity-check')")
    assert tree.owner == ""
    assert store.packages_settled(tree.id)
    rows += store.manifests(tree.id) + store.packages()
    rows += sorted(store.package_links()) + sorted(store.package_nodes(), key=str)
    rows += list(connection.execute("SELECT count(*) FROM manifests"))
    return rows


@contextmanager
def opened(path: Path) -> Iterator[Store]:
    store = Store(Sqlite(path))
    try:
        yield store
    finally:
        store.close()


@contextmanager
def scratch() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp())
    try:
        yield folder
    finally:
        shutil.rmtree(folder)

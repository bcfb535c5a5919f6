"""A store of its own for every test, and a tree to index."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.trees import write

from recollect.code.index.project_root import Place
from recollect.code.index.update import Limits, Update, update
from recollect.store.sql import Store
from recollect.store.sqlite import Sqlite

Index = Callable[..., Update]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store(Sqlite(tmp_path / "store.db"))
    yield opened
    opened.close()


@pytest.fixture
def where(tmp_path: Path) -> Place:
    root = tmp_path / "tree"
    root.mkdir()
    return Place(root, "", False)


@pytest.fixture
def index(store: Store, where: Place) -> Index:
    """Writes files into the tree, if any are given, and brings its index up to date."""

    def run(files: dict[str, str] | None = None, **options: Any) -> Update:
        write(where.root, files or {})
        limits = options.pop("limits", Limits(workers=1))
        return update(store, options.pop("where", where), "ns", limits=limits, **options)

    return run

"""The backends a store can be: every test of the store suite runs on each, and a backend is done when all pass."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.fakes import DictStore, FrozenClock
from tests.postgres_server import empty_schema

from recollect import clock
from recollect.model import Memory
from recollect.store.sql import Store
from recollect.store.sqlite import Sqlite

OpenStore = Callable[[], Store]


@contextmanager
def sqlite(folder: Path) -> Iterator[OpenStore]:
    yield lambda: Store(Sqlite(folder / "store.db"))


@contextmanager
def postgres(folder: Path) -> Iterator[OpenStore]:
    from recollect.store.postgres import Postgres

    with empty_schema() as url:
        yield lambda: Store(Postgres(url, folder))


@contextmanager
def dictionary(folder: Path) -> Iterator[OpenStore]:
    shared: dict[str, Any] = {}
    yield lambda: DictStore(shared)  # type: ignore[return-value]


# Backend → what opens one more store on the data of this test, as another process would. The dictionary shows that the
# suite asks nothing that only SQL can give; it has no searches.
Backend = Callable[[Path], AbstractContextManager[OpenStore]]
ROWS: dict[str, Backend] = {"sqlite": sqlite, "dictionary": dictionary, "postgres": postgres}
SEARCHES: dict[str, Backend] = {"sqlite": sqlite, "postgres": postgres}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "open_store" in metafunc.fixturenames:
        backends = SEARCHES if getattr(metafunc.module, "NEEDS_SEARCH", False) else ROWS
        metafunc.parametrize("backend", backends.values(), ids=backends, scope="function")


@pytest.fixture(autouse=True)
def outside_of_any_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands run in a folder that belongs to no project, as programs do that name none."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def open_store(backend: Backend, tmp_path: Path) -> Iterator[OpenStore]:
    """Opens a store on the data of this test; each call is another connection to the same."""
    opened: list[Store] = []
    with backend(tmp_path) as make:

        def open_one() -> Store:
            opened.append(make())
            return opened[-1]

        yield open_one
        for store in opened:
            store.close()


@pytest.fixture
def store(open_store: OpenStore) -> Store:
    return open_store()


@pytest.fixture
def frozen(monkeypatch: pytest.MonkeyPatch) -> FrozenClock:
    """A clock that only the test moves."""
    stopped = FrozenClock()
    monkeypatch.setattr(clock, "now", stopped)
    return stopped


@pytest.fixture
def add(store: Store) -> Callable[..., Memory]:
    """Adds one memory in a transaction of its own and returns it as stored."""

    def add_one(row_id: str, content: str = "", **fields: Any) -> Memory:
        with store.transaction("test") as transaction:
            return transaction.insert(Memory(id=row_id, content=content or f"about {row_id}", **fields))

    return add_one

"""A little project, indexed once; every test gets a copy of the store, a clock of its own and a window on it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.fakes import FrozenClock

from recollect import Engine
from recollect.hierarchy import MemoryManager

ROUND = "        total = total + len(key) * 31 + 7  # one more round of the same\n"
METHOD = '''    def step_{0}(self, key: str) -> int:
        """Take step {0}."""
        total = 0
{1}        return total

'''


def large_file(methods: int = 20) -> str:
    """Return a file of many methods, each a few kilobytes."""
    bodies = "".join(METHOD.format(number, ROUND * 40) for number in range(methods))
    return f'"""Many steps."""\n\n\nclass Steps:\n    """All steps of the work."""\n\n{bodies}'


FILES = {
    "app/model.py": """
class User:
    '''Somebody.'''
""",
    "app/service.py": """
from app.cache import Cache
from app.model import User

def find_user(name: str) -> User:
    '''Return a user.'''
    Cache().get(name)
    return User()
""",
    "app/cache.py": """
from app.backend import read_value

class Cache:
    '''Keeps values.'''

    def get(self, key: str) -> object:
        '''Return what is cached.'''
        return read_value(key)
""",
    "app/backend.py": """
def read_value(key: str) -> object:
    '''Read a value from where it lies.'''
    return key
""",
    "app/payment.py": """
def charge(cents: int) -> bool:
    '''Charge a card.'''
    return cents > 0
""",
    "app/steps.py": large_file(),
    "tests/test_cache.py": """
from app.cache import Cache

def test_get() -> None:
    assert Cache().get("a") == "a"
""",
    "docs/notes.md": "# Notes\n\nService, then store.\n",
}


def write(project: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(text, encoding="utf-8")


@pytest.fixture(scope="session")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The project and a home that knows it."""
    folder = tmp_path_factory.mktemp("hierarchy").resolve()
    project, home = folder / "project", folder / "home"
    write(project, FILES)
    with Engine(home=str(home), embed_provider="off") as engine:
        engine.code.index(str(project), link=True)
    return project, home


@pytest.fixture
def project(indexed: tuple[Path, Path]) -> Path:
    """The folder of the project; nobody writes there."""
    return indexed[0]


@pytest.fixture
def engine(indexed: tuple[Path, Path], tmp_path: Path) -> Iterator[Engine]:
    shutil.copytree(indexed[1], tmp_path / "copy")
    with Engine(home=str(tmp_path / "copy"), embed_provider="off") as engine:
        yield engine


@pytest.fixture
def time() -> FrozenClock:
    return FrozenClock()


@pytest.fixture
def open_window(engine: Engine, project: Path, time: FrozenClock) -> Callable[..., MemoryManager]:
    """Opens a window on the project; each is as another process would have it."""

    def open_one(**options: Any) -> MemoryManager:
        return MemoryManager(engine, str(project), clock=time, **options)

    return open_one


@pytest.fixture
def window(open_window: Callable[..., MemoryManager]) -> MemoryManager:
    return open_window()

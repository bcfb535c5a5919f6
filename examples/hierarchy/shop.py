"""A little shop that the examples work on: users, a cache on Redis, payments, and their tests."""

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path

from recollect import Engine

FILES = {
    "user_model.py": '''"""What a user is."""


class User:
    """A customer."""

    def __init__(self, name: str) -> None:
        self.name = name
''',
    "user_service.py": '''"""Finding users."""

from cache_manager import CacheManager
from user_model import User


class UserService:
    """Finds users."""

    def __init__(self) -> None:
        self.cache = CacheManager()

    def find(self, name: str) -> User:
        """Return a user, from the cache if it is there."""
        return self.cache.get(name) or User(name)
''',
    "cache_manager.py": '''"""Keeping what was computed once."""

from cache_config import LIFETIME_S
from logging_utils import log
from redis_backend import RedisBackend


class CacheManager:
    """A cache with an end to everything in it."""

    def __init__(self) -> None:
        self.backend = RedisBackend()

    def get(self, key: str) -> object:
        """Return what is cached under a key."""
        log("get " + key)
        return self.backend.read(key)

    def put(self, key: str, value: object) -> None:
        """Cache something."""
        self.backend.write(key, value, LIFETIME_S)
''',
    "cache_invalidation.py": '''"""Cache invalidation: what is cached is dropped when its source changes."""

from cache_manager import CacheManager


def invalidate(cache: CacheManager, key: str) -> None:
    """Drop an entry of the cache whose source has changed."""
    cache.put(key, None)
''',
    "redis_backend.py": '''"""Where cached values lie."""


class RedisBackend:
    """Values in Redis."""

    def __init__(self) -> None:
        self.values: dict[str, object] = {}

    def read(self, key: str) -> object:
        """Return a value."""
        return self.values.get(key)

    def write(self, key: str, value: object, lifetime_s: int) -> None:
        """Keep a value for a while."""
        self.values[key] = value
''',
    "cache_config.py": '"""How the cache is set up."""\n\nLIFETIME_S = 300\n',
    "logging_utils.py": '''"""Writing a log."""


def log(line: str) -> None:
    """Write a line."""
    print(line)
''',
    "payment_handler.py": '''"""Taking money."""


def charge(cents: int) -> bool:
    """Charge a card."""
    return cents > 0
''',
    "auth_middleware.py": '''"""Who may do what."""


def authorised(token: str) -> bool:
    """Tell whether a token is valid."""
    return bool(token)
''',
    "tests/test_cache_manager.py": '''"""The cache keeps and returns."""

from cache_manager import CacheManager


def test_what_is_put_is_got() -> None:
    cache = CacheManager()
    cache.put("a", 1)
    assert cache.get("a") == 1
''',
    "docs/architecture.md": "# Architecture\n\nService, then repository, then database.\n",
}


@contextlib.contextmanager
def shop() -> Iterator[tuple[Engine, str]]:
    """Write the shop into a temporary folder, index it, and yield an engine and the path of the project."""
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder).resolve() / "shop"
        for name, text in FILES.items():
            (project / name).parent.mkdir(parents=True, exist_ok=True)
            (project / name).write_text(text, encoding="utf-8")
        with Engine(home=str(Path(folder) / "home"), embed_provider="off") as engine:
            engine.code.index(str(project), link=True)
            yield engine, str(project)

"""Move all memories to another database: SQLite to PostgreSQL, back, or to another of the same kind."""

from __future__ import annotations

from contextlib import closing
from typing import NamedTuple

from recollect.engine.context import dialect_of
from recollect.errors import InvalidInput
from recollect.settings import Settings, load


class Migrated(NamedTuple):
    """Source and target of a copy, and for each table the number and hash of its rows, the same in both."""

    source: str
    target: str
    tables: tuple[tuple[str, int, str], ...]


def migrate(settings: Settings, to: str) -> Migrated:
    """Copy the database of the settings into an empty one; an interrupted copy continues.

    to: a file, or the URL of a server. Raises Conflict if the target has data of its own.
    """
    from recollect.store.store_copy import copy_store

    named = load({"home": settings.home, "database": to, "busy_timeout_ms": settings.busy_timeout_ms})
    with closing(dialect_of(settings)) as source, closing(dialect_of(named)) as target:
        if (named.database_url, named.database_path) == (settings.database_url, settings.database_path):
            raise InvalidInput("the target is the database that is in use", hint="Name another one with --to.")
        copied = copy_store(source, target)
        places = source.describe().location, target.describe().location
    return Migrated(*places, tuple((row.name, row.rows, row.sha256) for row in copied))

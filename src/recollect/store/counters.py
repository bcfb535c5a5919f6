"""Values kept beside the rows in `settings`, among them the counters by which caches notice that they are old."""

from __future__ import annotations

from recollect.store.dialect import Connection


def kept(connection: Connection, key: str) -> str | None:
    """Return a kept value, or None."""
    rows = list(connection.execute("SELECT value FROM settings WHERE key = ?", (key,)))
    return str(rows[0][0]) if rows else None


def keep(connection: Connection, key: str, value: str) -> None:
    """Keep a value."""
    connection.execute(
        "INSERT INTO settings (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        (key, value),
    )


def advance(connection: Connection, key: str) -> int:
    """Count a kept counter up by one and return it."""
    value = int(kept(connection, key) or 0) + 1
    keep(connection, key, str(value))
    return value


def newest_change(connection: Connection) -> int:
    """Return the number of the last logged change."""
    return int(next(iter(connection.execute("SELECT coalesce(max(seq), 0) FROM changes")))[0])


def generation(connection: Connection) -> tuple[int, int, int]:
    """Return (times vectors were dropped, times vectors were added, last change): equal while nothing changed."""
    return (
        int(kept(connection, "vector_epoch") or 0),
        int(kept(connection, "vector_stamp") or 0),
        newest_change(connection),
    )

"""Bulk reads and writes of the graph: columns of many rows, and the centrality of nodes.

Centrality is derived from the whole graph. It is stored with the node (`centrality`, and its parts under
`payload["centrality"]`), never logged, never compared by an undo, and not exported.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from itertools import islice
from typing import Any

import msgspec

from recollect.model import Change, Edge, Node, Record
from recollect.store.dialect import Connection
from recollect.store.full_text import marks
from recollect.store.protocol import Filter, Strength
from recollect.store.row_queries import EVERYTHING, Rows, increment, newest_change, read_setting, write_setting
from recollect.store.tables import TABLES, encode

# Nodes written under one hold of the lock: about 20 ms, so that other writers hardly notice.
STRENGTHS_AT_ONCE = 500


class GraphRows(Rows):
    """The part of a store that reads and writes the graph in bulk."""

    def columns(
        self, kind: type[Record], fields: Collection[str], where: Filter | None = None, *, limit: int | None = None
    ) -> list[tuple[Any, ...]]:
        """Return these fields of matching rows, undecoded and in no particular order: for very many rows."""
        table = TABLES[kind]
        unknown = set(fields) - set(table.columns)
        if unknown:
            raise ValueError(f"{table.name} has no field {', '.join(sorted(unknown))}")
        condition, values = self._condition(table, where)
        sql = f"SELECT {', '.join(fields)} FROM {table.name} WHERE {condition} LIMIT ?"
        return self._rows(sql, [*values, EVERYTHING if limit is None else limit])

    def graph_generation(self) -> tuple[int, int]:
        """Return a value that changes with the graph, as a cache key.

        It is (writes of the graph that were not logged, last logged change). While the first number is equal, the log
        has every difference.
        """
        with self._dialect.errors():
            connection = self._connection()
            return int(read_setting(connection, "graph_epoch") or 0), newest_change(connection)

    def graph_changes(self, since: int, limit: int) -> list[Change]:
        """Return logged changes of nodes and edges after a change, oldest first."""
        # An expression has no index: the one by entity lists every change of the graph ever made, and there are mostly
        # few after `since`.
        recent = "seq > ? AND (entity || '') IN (?, ?) ORDER BY seq LIMIT ?"
        return self._select(TABLES[Change], recent, [since, TABLES[Node].name, TABLES[Edge].name, limit])

    def graph_written(self) -> None:
        """Record that nodes or edges were written without the log: a loaded graph must be reloaded."""
        with self._dialect.errors(), self._dialect.write() as connection:
            increment(connection, "graph_epoch")

    def put_strengths(
        self, strengths: Iterable[Strength], marks: Mapping[str, str] = {}, *, patiently: bool = True
    ) -> int:
        """Store the centrality of nodes; returns how many nodes exist. Derived state: not logged.

        marks: settings to store after the last one; patiently: false gives up if another process is writing
        """
        written = 0
        rest = iter(strengths)
        while some := list(islice(rest, STRENGTHS_AT_ONCE)):
            with self._dialect.errors(), self._dialect.write(patiently=patiently) as connection:
                written += _write(connection, {row.node_id: row for row in some})
        if marks:
            with self._dialect.errors(), self._dialect.write(patiently=patiently) as connection:
                for key, value in marks.items():
                    write_setting(connection, key, value)
        return written


def _write(connection: Connection, strengths: dict[str, Strength]) -> int:
    """Store the centrality of existing nodes; returns how many. Unchanged ones are not written."""
    sql = f"SELECT id, centrality, payload FROM graph_nodes WHERE id IN ({marks(strengths)})"
    found = list(connection.execute(sql, list(strengths)))
    for node_id, centrality, payload in found:
        row = strengths[node_id]
        parts = {name: getattr(row, name) for name in ("pagerank", "betweenness", "degree", "cluster")}
        before = msgspec.json.decode(payload, type=dict[str, Any])
        if (centrality, before.get("centrality")) == (row.whole, parts):
            continue
        connection.execute(
            "UPDATE graph_nodes SET centrality = ?, payload = ? WHERE id = ?",
            (row.whole, encode(TABLES[Node], "payload", {**before, "centrality": parts}), node_id),
        )
    return len(found)

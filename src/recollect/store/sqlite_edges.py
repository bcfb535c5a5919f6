"""All edges out of SQLite, in columns: a graph of a million is read in about a second.

A Python object for every value would cost more than the reading. So the ends of edges come as every node once with its
number of edges, and as row numbers in the same order, both read from an index without reading a row:

    idx_graph_edges_src     a 2 · b 1 · …      and      7,9,4,…       row 7 and row 9 start at a, row 4 at b

Relationships come from one sweep over the table, a letter each, and so do the weights that are not 1, as most are.
Numbers come joined as one text that is parsed at once; a weight as decimal text would cost ten times as much as a whole
number, so it comes in billionths.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.model import RELATIONS
from recollect.store.dialect import Connection
from recollect.store.protocol import Coded, EdgeColumns

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BILLION = 1_000_000_000

# Rows are ordered by a table with a place for every number up to the last; if deleted edges make it this many times
# larger than needed, they are sorted.
MAX_SPARSITY = 8

# One letter per relationship. Those of code come first: they are most frequent, and the database tries one by one.
_COMMON = ("CALLS", "CONTAINS", "IMPORTS", "RELATES_TO", "DEPENDS_ON")
_LETTERS = (*_COMMON, *(name for name in RELATIONS if name not in _COMMON))
_FIRST_LETTER = ord("A")
_SWEEP = (
    "SELECT group_concat(CASE relationship "
    + " ".join(f"WHEN '{name}' THEN '{chr(_FIRST_LETTER + place)}'" for place, name in enumerate(_LETTERS))
    + f" ELSE '{chr(_FIRST_LETTER + len(_LETTERS))}' END, ''), "
    "group_concat(CASE WHEN weight <> 1.0 THEN rowid END), "
    f"group_concat(CASE WHEN weight <> 1.0 THEN CAST(weight * {BILLION} AS INTEGER) END) "
    "FROM graph_edges NOT INDEXED"
)


def edge_columns(connection: Connection) -> EdgeColumns:
    """Return every edge, in the order of insertion; an unknown relationship is ''."""
    import numpy as np

    if not list(connection.execute("SELECT 1 FROM graph_edges LIMIT 1")):
        nothing = Coded([], np.empty(0, np.int32))
        return EdgeColumns(nothing, nothing, nothing, np.empty(0))
    (src, rows), (dst, _) = (_coded(connection, field) for field in ("src", "dst"))
    letters, others, values = next(iter(connection.execute(_SWEEP)))
    relations = np.frombuffer(letters.encode(), np.uint8).astype(np.int32) - _FIRST_LETTER
    weights = np.ones(len(rows))
    if others is not None:
        weights[np.searchsorted(rows, _numbers(others))] = _numbers(values) / BILLION
    return EdgeColumns(src, dst, Coded([*_LETTERS, ""], relations), weights)


def _coded(connection: Connection, field: str) -> tuple[Coded, NDArray[np.int64]]:
    """Return one end of all edges in the order of their rows, and the row numbers."""
    import numpy as np

    index = f"graph_edges INDEXED BY idx_graph_edges_{field}"
    counted = list(connection.execute(f"SELECT {field}, count(*) FROM {index} GROUP BY {field} ORDER BY {field}"))
    joined = f"SELECT group_concat(rowid) FROM (SELECT rowid FROM {index} ORDER BY {field})"
    rows = _numbers(next(iter(connection.execute(joined)))[0])
    codes = np.repeat(np.arange(len(counted), dtype=np.int32), [count for _, count in counted])
    names = [name for name, _ in counted]
    first, span = int(rows.min()), int(rows.max() - rows.min()) + 1
    if span > MAX_SPARSITY * len(rows):
        order = np.argsort(rows)
        return Coded(names, codes[order]), rows[order]
    places = np.full(span, -1, np.int32)
    places[rows - first] = codes
    there = np.flatnonzero(places >= 0)
    return Coded(names, places[there]), there + first


def _numbers(text: str) -> NDArray[np.int64]:
    """Return whole numbers that were joined by commas."""
    import numpy as np

    return np.fromstring(text, np.int64, sep=",")

"""All edges out of SQLite, in columns: a graph of a million is read in about a second.

A Python object for every value would cost more than the reading. So the ends of edges come as every node once with how
many edges it has, and as the numbers of the rows in the same order, both read off an index without looking at a row:

    idx_graph_edges_src     a 2 · b 1 · …      and      7,9,4,…       row 7 and row 9 start at a, row 4 at b

Numbers come joined as one text that is parsed at once. Most weights are 1, and only the others are read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.store.dialect import Connection
from recollect.store.protocol import Coded, EdgeColumns

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# A weight as decimal text costs ten times as much as a whole number: it comes in billionths.
BILLION = 1_000_000_000


def edge_columns(connection: Connection) -> EdgeColumns:
    """Return every edge, in the order of insertion."""
    import numpy as np

    columns = [_coded(connection, field) for field in ("src", "dst", "relationship")]
    rows = columns[0][1]
    sql = (
        f"SELECT group_concat(rowid), group_concat(CAST(weight * {BILLION} AS INTEGER)) "
        "FROM graph_edges WHERE weight <> 1.0"
    )
    others, values = next(iter(connection.execute(sql)))
    weights = np.ones(len(rows))
    weights[np.searchsorted(rows, _numbers(others))] = _numbers(values) / BILLION
    src, dst, relationship = (coded for coded, _ in columns)
    return EdgeColumns(src, dst, relationship, weights)


def _coded(connection: Connection, field: str) -> tuple[Coded, NDArray[np.int64]]:
    """Return a field of all edges in the order of their rows, and the numbers of the rows."""
    import numpy as np

    index = f"graph_edges INDEXED BY idx_graph_edges_{field}"
    counted = list(connection.execute(f"SELECT {field}, count(*) FROM {index} GROUP BY {field} ORDER BY {field}"))
    joined = f"SELECT group_concat(rowid) FROM (SELECT rowid FROM {index} ORDER BY {field})"
    rows = _numbers(next(iter(connection.execute(joined)))[0])
    codes = np.repeat(np.arange(len(counted), dtype=np.int32), [count for _, count in counted])
    order = np.argsort(rows, kind="stable")
    return Coded([name for name, _ in counted], codes[order]), rows[order]


def _numbers(text: str | None) -> NDArray[np.int64]:
    """Return whole numbers that were joined by commas."""
    import numpy as np

    return np.fromstring(text or "", np.int64, sep=",")

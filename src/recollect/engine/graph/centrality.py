"""Centrality: the graph in memory, and the centrality of its nodes, stored with them.

The centrality of a node depends on all others, so it is never computed while a caller waits; the stored one is used
until it is recomputed.

    a server            polls every few seconds; after a change it recomputes in its background thread, and then rests
                        twenty times as long as that took: a growing graph costs it 5 % of one processor at most
    any other process   recomputes after a search (0.15 s at most), if the graph is small and a twentieth is new
    a large graph       is left to servers and to `recompute_centrality`
"""

import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from recollect.engine.context import Context, Worker
from recollect.errors import Cancelled, RecollectError, StorageError
from recollect.model import Edge
from recollect.store.confinement import confined_to
from recollect.store.store_values import Strength

if TYPE_CHECKING:
    from recollect.graph.arrays import Graph
    from recollect.graph.rank import Strengths
    from recollect.model.graph_answer import Recomputed

# How often the worker looks whether the graph has changed: two small queries.
POLL_S = 5.0
# The share of its time the worker rests, as a multiple of the time it worked.
REST = 20
# A graph with no more edges than this takes 0.15 s at most, reading and writing included.
SMALL_EDGES = 1_000

# And one change in so many edges moves nothing that matters.
CHANGED_PART = 20

# After this many changes that do not concern the graph, their number is stored, so that they are not read again.
FORGOTTEN_CHANGES = 1_000

# The setting with the state of the graph that centrality was computed from.
MADE = "centrality_made"


class Centrality(Worker):
    """Holds the graph and keeps its centralities up to date."""

    thread_name = "recollect-centrality"

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self._loading = threading.Lock()
        self._graph: Graph | None = None
        self._plain: Graph | None = None
        self._fresh: tuple[int, int] | None = None

    def graph(self) -> "Graph":
        """Return the graph as it is now, read from the store as far as it changed."""
        from recollect.engine.graph.cross_links import crossings
        from recollect.graph.load import load

        with self._loading, confined_to(()):  # for all callers: queries filter by project
            self._graph = load(self._context.store, self._graph, crossings)
            return self._graph

    def rows(self) -> "Graph":
        """Return the graph without code: memories and what they were linked with."""
        from recollect.graph.load import load_rows

        with self._loading, confined_to(()):
            self._plain = load_rows(self._context.store, self._graph.rows if self._graph is not None else self._plain)
            return self._plain

    def is_stale(self, *, least_changes: int = 1) -> bool:
        """Tell whether the graph has changed so often since centrality was computed."""
        store = self._context.store
        now = store.graph_generation()
        if now == self._fresh:
            return False
        made = _state(store.setting(MADE))
        if made is None:
            changes = len(store.columns(Edge, ("rev",), limit=1)) * least_changes
        elif made[0] != now[0] or made[1] > now[1]:
            changes = least_changes
        else:
            changes = len(store.graph_changes(made[1], least_changes))
            if not changes and now[1] - made[1] > FORGOTTEN_CHANGES:
                with suppress(StorageError):
                    store.put_strengths((), {MADE: f"{now[0]}/{now[1]}"}, patiently=False)
        if not changes:
            self._fresh = now
        return changes >= least_changes

    def recompute(self, *, patiently: bool = True) -> "Recomputed":
        """Compute and store the centrality of every node. Raises StorageError where it cannot be stored."""
        from recollect.graph.rank import sampled_sources, strengths
        from recollect.model.graph_answer import Recomputed

        # Without code: beside the hubs of a program, all memories would have the same centrality. That of code is
        # computed on demand (get_pagerank).
        graph = self.rows()
        found = strengths(graph)
        made = {MADE: f"{graph.seen[0]}/{graph.seen[1]}"}
        self._context.store.put_strengths(self._rows(graph, found), made, patiently=patiently)
        return Recomputed(
            nodes=graph.size,
            edges=len(graph.src),
            clusters=int(found.community.max()) + 1 if graph.size else 0,
            exact=len(sampled_sources(graph.size, len(graph.undirected.ends))) == graph.size,
        )

    def settle(self) -> None:
        """Recompute stale centralities if the graph is small; a background worker does it for large graphs."""
        if self.running:
            return
        # A busy or read-only database keeps what it has: the next process tries again.
        with suppress(StorageError):
            edges = len(self._context.store.columns(Edge, ("rev",), limit=SMALL_EDGES + 1)) if self.is_stale() else 0
            if 0 < edges <= SMALL_EDGES and self.is_stale(least_changes=max(1, edges // CHANGED_PART)):
                self.recompute(patiently=False)

    def _work(self) -> None:
        pause_s = POLL_S
        while not self._stop.wait(pause_s):
            began = time.monotonic()
            # Whatever is wrong with the store, the next look tries again; recall goes on with what is kept.
            with suppress(RecollectError):
                if self.is_stale():
                    self.recompute()
            pause_s = max(POLL_S, REST * (time.monotonic() - began))

    def _rows(self, graph: "Graph", found: "Strengths") -> Iterator[Strength]:
        """Yield what is stored of every node, until the worker is stopped."""
        parts = zip(*(found.parts[name].tolist() for name in Strength._fields[2:]), strict=True)
        for node_id, whole, measured in zip(graph.points.ids, found.whole.tolist(), parts, strict=True):
            if self._stop.is_set():
                raise Cancelled("centrality stopped: the engine was closed")
            yield Strength(node_id, whole, *measured)


def _state(text: str | None) -> tuple[int, int] | None:
    """Return a kept state of the graph, or None if there is none that can be read."""
    try:
        epoch, change = (text or "").split("/")
        return int(epoch), int(change)
    except ValueError:
        return None

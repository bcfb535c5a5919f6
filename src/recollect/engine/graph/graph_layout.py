"""Graph layout: a part of the graph as columns, with positions, communities and centrality."""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from recollect.engine.graph.code_nodes import FILE, SYMBOL, is_code
from recollect.engine.graph.graph_view import node_views
from recollect.graph.arrays import Flags, Floats, Graph, Places, Sieve, sieve
from recollect.graph.communities import communities
from recollect.graph.force_layout import positions
from recollect.graph.rank import arcs, pagerank
from recollect.graph.relation_semantics import MUTUAL
from recollect.graph.walk import breadth_first
from recollect.model import NODE_KINDS, RELATIONS, Tree
from recollect.model.graph_answer import GraphLayout

if TYPE_CHECKING:
    from recollect.store.sql import Store

# Layouts that are kept: one of 50,000 nodes takes 5 s to make and 60 MB.
KEPT = 4
# Communities that get a name: more than a legend shows.
NAMED = 60
EXTENT = 10_000
MOST_CENTRAL = 1_000


class Part(NamedTuple):
    """Filters of a layout; `start` is a node id, `nodes` are the only ids, in order."""

    namespace: str | None = None
    kinds: tuple[str, ...] = ()
    relations: tuple[str, ...] = ()
    least: float = 0.0
    start: str = ""
    depth: int = 0
    limit: int = 0
    nodes: tuple[str, ...] = ()


class _Ranked(NamedTuple):
    """A graph with the centrality (0 to 1) and the community of every node."""

    graph: Graph
    rank: Floats
    community: Places


class GraphLayouts:
    """Makes layouts, and keeps the last few of the current graph."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._of: Graph | None = None
        self._ranked: OrderedDict[Part, _Ranked] = OrderedDict()
        self._made: OrderedDict[Part, GraphLayout] = OrderedDict()

    def layout(self, store: Store, graph: Graph, part: Part) -> GraphLayout:
        """Return a part of the graph with positions, from the cache if the graph is the same."""
        with self._lock:  # two browsers that ask at once wait for one computation
            if graph is not self._of:
                self._of = graph
                self._ranked.clear()
                self._made.clear()
            if part not in self._made:
                self._made[part] = _made(store, self._filtered(graph, part), part)
            self._made.move_to_end(part)
            if len(self._made) > KEPT:
                self._made.popitem(last=False)
            return self._made[part]

    def _filtered(self, graph: Graph, part: Part) -> _Ranked:
        key = Part(part.namespace, part.kinds, part.relations)
        if key not in self._ranked:
            inside = graph.within(sieve(graph, kinds=key.kinds, relations=key.relations, namespace=key.namespace))
            rank = pagerank(arcs(inside, both_ways=MUTUAL))
            highest = float(rank.max()) if inside.size else 1.0
            self._ranked[key] = _Ranked(inside, rank / highest, communities(inside.undirected))
        if len(self._ranked) > KEPT:
            self._ranked.popitem(last=False)
        return self._ranked[key]


def _made(store: Store, whole: _Ranked, part: Part) -> GraphLayout:
    graph = whole.graph
    fit, nearness = _fit(whole, part)
    # The nearest to the start, or else the most central ones.
    order = np.lexsort((-whole.rank, nearness))
    chosen = order[fit[order]][: part.limit or None]
    keep = np.zeros(graph.size, np.bool_)
    keep[chosen] = True
    sub = graph.within(Sieve(keep))
    rank = whole.rank[keep]
    community = _by_size(whole.community[keep])
    at = np.rint(positions(sub, community) * EXTENT).astype(np.int64)
    central = np.argsort(-rank, kind="stable")
    number = np.empty(sub.size, np.int64)
    number[central] = np.arange(sub.size)
    labels, folders = _labels(store, sub)
    ids = sub.points.ids
    known = {name: int(number[place]) for name in part.nodes if (place := sub.index.get(name)) is not None}
    relations = np.minimum(sub.relations, len(RELATIONS) - 1)
    own, scopes = np.unique(sub.points.scopes, return_inverse=True)
    return GraphLayout(
        ids=tuple(ids[place] for place in central.tolist()),
        labels=tuple(labels[place] for place in central.tolist()),
        kinds=tuple(np.minimum(sub.points.kinds, len(NODE_KINDS) - 1)[central].tolist()),
        projects=tuple(scopes[central].tolist()),
        communities=tuple(community[central].tolist()),
        centrality=tuple(np.rint(rank[central] * MOST_CENTRAL).astype(np.int64).tolist()),
        x=tuple(at[central, 0].tolist()),
        y=tuple(at[central, 1].tolist()),
        sources=tuple(number[sub.src].tolist()),
        targets=tuple(number[sub.dst].tolist()),
        relations=tuple(relations.tolist()),
        kind_names=NODE_KINDS,
        # Only those of these nodes: a caller may not know of other projects.
        project_names=tuple(sub.points.namespaces[scope] for scope in own.tolist()),
        relation_names=RELATIONS,
        community_names=_community_names(community, central, labels, folders),
        path=tuple(known[name] for name in part.nodes if name in known),
        total_nodes=int(fit.sum()),
        total_edges=int((fit[graph.src] & fit[graph.dst]).sum()),
    )


def _fit(whole: _Ranked, part: Part) -> tuple[Flags, Places]:
    """Return which nodes pass the filters, and the steps of each from the start."""
    graph = whole.graph
    fit: Flags = whole.rank >= part.least
    nearness = np.zeros(graph.size, np.int64)
    if part.nodes:
        fit = np.zeros(graph.size, np.bool_)
        fit[[graph.index[name] for name in part.nodes if name in graph.index]] = True
    elif part.start:
        places = [graph.index[part.start]] if part.start in graph.index else []
        nearness = breadth_first(graph, places, most_depth=part.depth, direction="both").depth.astype(np.int64)
        fit = fit & (nearness >= 0)
        fit[places] = True
    return fit, nearness


def _by_size(community: Places) -> Places:
    """Return communities renumbered from the largest."""
    _, place, sizes = np.unique(community, return_inverse=True, return_counts=True)
    rank = np.empty(len(sizes), np.int64)
    rank[np.argsort(-sizes, kind="stable")] = np.arange(len(sizes))
    return rank[place]


def _labels(store: Store, graph: Graph) -> tuple[list[str], list[str]]:
    """Return what each node is called, and the folder of code; that of code is read from its id, which is quick."""
    ids = graph.points.ids
    roots = sorted((tree.root + "/" for tree in store.find(Tree)), key=len, reverse=True)
    views = node_views(store, graph, [place for place, name in enumerate(ids) if not is_code(name)])
    labels, folders = [], []
    for place, name in enumerate(ids):
        view = views.get(place)
        path, _, key = name.removeprefix(SYMBOL).removeprefix(FILE).partition("::")
        root = next((root for root in roots if path.startswith(root)), "") if view is None else ""
        path = path.removeprefix(root)
        labels.append(view.label if view is not None else key or path)
        folders.append(path.rpartition("/")[0] if view is None else "")
    return labels, folders


def _community_names(community: Places, central: Places, labels: list[str], folders: list[str]) -> tuple[str, ...]:
    """Return the names of the largest communities: the most central node, and the most frequent folder."""
    hubs: dict[int, str] = {}
    places: dict[int, Counter[str]] = {}
    for place in central.tolist():
        number = int(community[place])
        if number < NAMED:
            hubs.setdefault(number, labels[place])
            places.setdefault(number, Counter())[folders[place]] += 1
    names: list[str] = []
    for number in range(len(hubs)):
        folder = places[number].most_common(1)[0][0]
        names.append(f"{hubs[number]} ({folder})" if folder and folder != hubs[number] else hubs[number])
    return tuple(names)

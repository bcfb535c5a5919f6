"""Small graphs for tests: from edges as (src, dst, relationship, weight), and as networkx sees the same ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import networkx as nx
import numpy as np

from recollect.graph.arrays import KIND_CODES, RELATION_CODES, Graph, Links, Points
from recollect.model import Hit, Memory, Record, Signals, graph_answer

Edge = tuple[int, int, str, float]


def graph_of(size: int, edges: Sequence[Edge], *, kinds: Sequence[str] = (), namespaces: Sequence[Any] = ()) -> Graph:
    """Return a graph of nodes n0, n1, …; memories of no namespace unless told otherwise."""
    scopes = list(dict.fromkeys(namespaces)) or [None]
    points = Points(
        ids=[f"n{number}" for number in range(size)],
        kinds=np.array([KIND_CODES[kind] for kind in kinds] or [KIND_CODES["Memory"]] * size, np.uint8),
        scopes=np.array([scopes.index(name) for name in namespaces] or [0] * size, np.int32),
        memory_ids=[f"m{number}" for number in range(size)],
        namespaces=scopes,
    )
    links = Links(
        np.array([edge[0] for edge in edges], np.int32),
        np.array([edge[1] for edge in edges], np.int32),
        np.array([RELATION_CODES[edge[2]] for edge in edges], np.uint8),
        np.array([edge[3] for edge in edges], np.float64),
    )
    return Graph(points, links)


def directed(graph: Graph) -> nx.MultiDiGraph:
    """Return the same graph for networkx, every edge with its weight, its place as key."""
    twin = nx.MultiDiGraph()
    twin.add_nodes_from(range(graph.size))
    for place, (src, dst) in enumerate(zip(graph.src.tolist(), graph.dst.tolist(), strict=True)):
        twin.add_edge(src, dst, key=place, weight=float(graph.weights[place]))
    return twin


def undirected(graph: Graph) -> nx.Graph:
    """Return the pairs of linked nodes for networkx, weights of parallel edges added up, without self loops."""
    twin = nx.Graph()
    twin.add_nodes_from(range(graph.size))
    for src, dst, weight in zip(graph.src.tolist(), graph.dst.tolist(), graph.weights.tolist(), strict=True):
        if src != dst:
            before = twin.get_edge_data(src, dst, {"weight": 0.0})["weight"]
            twin.add_edge(src, dst, weight=before + weight)
    return twin


def groups(labels: Sequence[int]) -> set[frozenset[int]]:
    """Return labelled nodes as a set of groups."""
    found: dict[int, set[int]] = {}
    for node, label in enumerate(labels):
        found.setdefault(int(label), set()).add(node)
    return {frozenset(group) for group in found.values()}


# --- an answer of every kind, to be rendered ---

_HIT = Hit(memory=Memory(id="m1", content="We use tabs in Makefiles"), score=0.8, reason="r", signals=Signals())
_VIEW = graph_answer.NodeView(id="mem:m1", kind="Memory", label="Tabs\nin Makefiles", namespace="web", memory_id="m1")
_STEP = graph_answer.Step(src="mem:m1", relationship="LEADS_TO", dst="mem:m2", weight=0.5)
_LINKED = graph_answer.LinkedNode(node=_VIEW, hops=2, via=_STEP)
_CLUSTER = graph_answer.Cluster(number=1, size=3, cohesion=0.9, members=(_VIEW,))
_EXPANDED = graph_answer.ExpandedHit(
    hit=_HIT, hops=1, seed_id="m2", path=(msgspec.structs.replace(_STEP, forwards=False),)
)
_IMPACT = graph_answer.ImpactHit(
    hit=_HIT,
    centrality=0.5,
    linked=(_LINKED,),
    linked_total=1,
    dependents=(_LINKED,),
    dependents_total=12,
    decisions=(_VIEW,),
    decisions_total=1,
    files=("src/a.py",),
    files_total=2,
)
_CODE = graph_answer.NodeView(
    id="sym:/app/lib/a.py::A.run", kind="Method", label="A.run", namespace="/app", path="lib/a.py", line=7
)
_USE = graph_answer.Use(
    node=_CODE, relationship="CALLS", depth=2, confidence=0.6, via="sym:/app/lib/b.py::go", lines=(3, 9), how="type",
    endpoint="GET /a",
)  # fmt: skip
_DOUBT = graph_answer.Doubt(name="x.run", path="lib/c.py", line=4, candidates=("sym:/app/lib/a.py::A.run",))

SAMPLES: tuple[Record, ...] = (
    _USE,
    graph_answer.OutsideUse(name="os.path.join", relationship="CALLS", lines=(1,)),
    _DOUBT,
    graph_answer.Doubt(name="run", path="lib/c.py", line=5),
    graph_answer.Dependencies(
        node=_CODE,
        direction="out",
        depth=2,
        uses=(_USE,),
        total=3,
        unresolved=2,
        notes=("not linked yet",),
        outside=(graph_answer.OutsideUse(name="json", relationship="IMPORTS"),),
        outside_total=1,
        doubts=(_DOUBT,),
        doubts_total=1,
    ),
    graph_answer.Dependencies(node=_CODE, direction="in", depth=1, uses=(), total=0),
    graph_answer.Impact(
        node=_CODE,
        depth=3,
        affected=(_USE,),
        total=2,
        by_depth=(1, 1),
        files=("lib/a.py",),
        files_total=1,
        tests=(_USE,),
        tests_total=1,
        endpoints=(_USE,),
        endpoints_total=1,
        memories=(_VIEW,),
        memories_total=1,
        doubts=(_DOUBT,),
        doubts_total=1,
        is_complete=False,
        verdict="1 place may mean it",
        notes=("a note",),
    ),
    graph_answer.Impact(node=_CODE, depth=1, affected=(), total=0, verdict="No callers: no indexed code uses it."),
    _VIEW,
    _STEP,
    graph_answer.Visited(node=_VIEW, depth=1, via=_STEP),
    graph_answer.Traversal(
        start="mem:m1", algorithm="bfs", max_depth=1, nodes=(graph_answer.Visited(node=_VIEW, depth=0),), total=2
    ),
    graph_answer.RankedNode(node=_VIEW, pagerank=0.25),
    graph_answer.PageRanks(nodes=(graph_answer.RankedNode(node=_VIEW, pagerank=0.25),), total=4, damping=0.85),
    graph_answer.PageRanks(nodes=(), total=0, damping=0.85),
    _CLUSTER,
    graph_answer.Clusters(clusters=(_CLUSTER,), total=2, alone=1, modularity=0.4, resolution=1.0),
    graph_answer.Clusters(clusters=(), total=0, alone=0, modularity=0.0, resolution=1.0),
    _EXPANDED,
    graph_answer.ExpandedHit(hit=_HIT),
    graph_answer.Expansion(query="tabs", hits=(_EXPANDED,), expansion_depth=2, mode="hybrid", notes=("n",)),
    graph_answer.Expansion(query="tabs", hits=(), expansion_depth=2, mode="lexical"),
    _LINKED,
    _IMPACT,
    graph_answer.ImpactHit(hit=_HIT),
    graph_answer.ImpactRecall(query="tabs", hits=(_IMPACT,), mode="hybrid", notes=("n",)),
    graph_answer.ImpactRecall(query="tabs", hits=(), mode="lexical"),
    graph_answer.Recomputed(nodes=5, edges=4, clusters=2, exact=True),
    graph_answer.Recomputed(nodes=5, edges=4, clusters=2, exact=False),
    graph_answer.GraphLayout(notes=("nothing",)),
    graph_answer.GraphLayout(
        ids=("a", "b"),
        labels=("A", "B"),
        kinds=(0, 9),
        projects=(0, 0),
        communities=(0, 0),
        centrality=(1000, 10),
        x=(0, 5),
        y=(-5, 0),
        sources=(0,),
        targets=(1,),
        relations=(2,),
        kind_names=("File",),
        project_names=(None,),
        relation_names=("CALLS",),
        community_names=("A (src)",),
        path=(1, 0),
        total_nodes=3,
        total_edges=2,
    ),
    graph_answer.EmbeddingMap(missing=2, notes=("2 memories are not embedded yet.",)),
    graph_answer.EmbeddingMap(
        ids=("a",),
        labels=("A",),
        types=("decision",),
        projects=(0,),
        created_at=(7,),
        clusters=(0,),
        x=(1,),
        y=(2,),
        z=(3,),
        project_names=("app",),
        cluster_names=("deploy, helm",),
        explained=(0.5, 0.2, 0.1),
        total=2,
    ),
)

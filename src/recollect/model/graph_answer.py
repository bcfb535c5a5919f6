"""Answers about the graph.

Traversal   ─ Visited ─ NodeView, Step        nodes that a walk reached
PageRanks   ─ RankedNode                      nodes by PageRank
Clusters    ─ Cluster                         communities
Expansion   ─ ExpandedHit ─ Step              hits and the memories they are linked to
ImpactRecall ─ ImpactHit ─ LinkedNode         hits and what depends on them
Recomputed                                    the recomputed centrality
Dependencies ─ Use, OutsideUse, Doubt         what code uses, or is used by
Impact      ─ Use, Doubt                      what a change of code reaches
GraphLayout                                   the graph with positions, as columns
EmbeddingMap                                  vectors of memories in three dimensions, as columns
"""

from __future__ import annotations

from typing import Literal

from recollect.model import Hit, NodeKind, Record, Relation

Algorithm = Literal["bfs", "dfs"]
Direction = Literal["out", "in", "both"]


class NodeView(Record, frozen=True, kw_only=True):
    """A node as it is shown: what it is and what it is called; of code also where it is, from the root of its tree."""

    id: str
    kind: NodeKind
    label: str
    namespace: str | None = None
    memory_id: str | None = None
    path: str | None = None
    line: int | None = None


class Step(Record, frozen=True, kw_only=True):
    """One link of a way, from src to dst as it is kept; `forwards` tells whether the way goes along or against it."""

    src: str
    relationship: Relation
    dst: str
    weight: float
    forwards: bool = True


class Visited(Record, frozen=True, kw_only=True):
    """A node that a walk came to: after how many steps, and by which link; the start came by none."""

    node: NodeView
    depth: int
    via: Step | None = None


class Traversal(Record, frozen=True, kw_only=True):
    """The nodes that a walk reached, in its order; `total` counts the nodes that were cut off too."""

    start: str
    algorithm: Algorithm
    max_depth: int
    nodes: tuple[Visited, ...]
    total: int


class RankedNode(Record, frozen=True, kw_only=True):
    """A node and its PageRank."""

    node: NodeView
    pagerank: float


class PageRanks(Record, frozen=True, kw_only=True):
    """The highest ranks, best first; the ranks of all `total` nodes sum to 1."""

    nodes: tuple[RankedNode, ...]
    total: int
    damping: float


class Cluster(Record, frozen=True, kw_only=True):
    """A community: how many nodes, which of them matter most, and the share of their link weight that stays inside."""

    number: int
    size: int
    cohesion: float
    members: tuple[NodeView, ...]


class Clusters(Record, frozen=True, kw_only=True):
    """The communities of the graph, largest first.

    total: all of them, those not shown too; alone: nodes in none. modularity: how much better than chance they are.
    """

    clusters: tuple[Cluster, ...]
    total: int
    alone: int
    modularity: float
    resolution: float


class ExpandedHit(Record, frozen=True, kw_only=True):
    """A hit, and how it was reached: from the memory `seed_id` along the links of `path`; if none, by itself."""

    hit: Hit
    hops: int = 0
    seed_id: str | None = None
    path: tuple[Step, ...] = ()


class Expansion(Record, frozen=True, kw_only=True):
    """The answer to a query with what its hits are linked to, best first."""

    query: str
    hits: tuple[ExpandedHit, ...]
    expansion_depth: int
    mode: Literal["hybrid", "lexical"]
    notes: tuple[str, ...] = ()


class LinkedNode(Record, frozen=True, kw_only=True):
    """A node that a memory is linked with, and how; `hops` links away, the last of them `via`."""

    node: NodeView
    hops: int
    via: Step


class ImpactHit(Record, frozen=True, kw_only=True):
    """A hit with its place in the graph.

    pagerank, betweenness, degree, cluster, centrality: how central it is, each from 0 to 1, as last worked out
    linked: what it is directly linked with, strongest first
    dependents: what a change of it, or of the code it is about, reaches, nearest first
    decisions: decisions it is connected with, oldest first
    files: the files it is about and those that depend on them
    """

    hit: Hit
    centrality: float = 0.0
    pagerank: float = 0.0
    betweenness: float = 0.0
    degree: float = 0.0
    cluster: float = 0.0
    linked: tuple[LinkedNode, ...] = ()
    linked_total: int = 0
    dependents: tuple[LinkedNode, ...] = ()
    dependents_total: int = 0
    decisions: tuple[NodeView, ...] = ()
    decisions_total: int = 0
    files: tuple[str, ...] = ()
    files_total: int = 0


class ImpactRecall(Record, frozen=True, kw_only=True):
    """The answer to a query, each hit with what it touches and what depends on that."""

    query: str
    hits: tuple[ImpactHit, ...]
    mode: Literal["hybrid", "lexical"]
    notes: tuple[str, ...] = ()


class Recomputed(Record, frozen=True, kw_only=True):
    """The recomputed centrality of all nodes; `exact` tells whether betweenness counted every path."""

    nodes: int
    edges: int
    clusters: int
    exact: bool


class Use(Record, frozen=True, kw_only=True):
    """Code that another piece of code uses, or is used by.

    via: the node it was reached from; relationship: how the two are related, at which lines of the user's file
    how: how the last link was found; confidence: how sure the whole way to it is, 0 to 1
    """

    node: NodeView
    relationship: Relation
    depth: int
    confidence: float
    via: str
    lines: tuple[int, ...] = ()
    how: str = ""
    endpoint: str | None = None


class OutsideUse(Record, frozen=True, kw_only=True):
    """Something used that is not part of the indexed code: a library, a builtin."""

    name: str
    relationship: Relation
    lines: tuple[int, ...] = ()


class Doubt(Record, frozen=True, kw_only=True):
    """A place in the code that may use something; the code alone does not decide it.

    name: as written; candidates: ids of what it may mean, empty if nothing of that name is known
    """

    name: str
    path: str
    line: int
    candidates: tuple[str, ...] = ()


class Dependencies(Record, frozen=True, kw_only=True):
    """The uses of a piece of code, or its users, nearest first and most certain first.

    total: of uses, those not shown too. outside: what it uses of other libraries. doubts: places that may mean several
    things; unresolved: how many places in it nothing is known of
    """

    node: NodeView
    direction: Direction
    depth: int
    uses: tuple[Use, ...]
    total: int
    outside: tuple[OutsideUse, ...] = ()
    outside_total: int = 0
    doubts: tuple[Doubt, ...] = ()
    doubts_total: int = 0
    unresolved: int = 0
    notes: tuple[str, ...] = ()


class Impact(Record, frozen=True, kw_only=True):
    """The reach of a change of a piece of code, nearest first and most certain first.

    affected: code that uses it, directly or over others. tests: those among it, then what helps them. endpoints: those
    among it. memories: what is remembered of it or of what is affected. doubts: places that may use it, too.
    is_complete: there is no sign of further users; `verdict` says so in words, and why not where it is not.
    """

    node: NodeView
    depth: int
    affected: tuple[Use, ...]
    total: int
    by_depth: tuple[int, ...] = ()
    files: tuple[str, ...] = ()
    files_total: int = 0
    tests: tuple[Use, ...] = ()
    tests_total: int = 0
    endpoints: tuple[Use, ...] = ()
    endpoints_total: int = 0
    memories: tuple[NodeView, ...] = ()
    memories_total: int = 0
    doubts: tuple[Doubt, ...] = ()
    doubts_total: int = 0
    is_complete: bool = True
    verdict: str = ""
    notes: tuple[str, ...] = ()


class GraphLayout(Record, frozen=True, kw_only=True):
    """Nodes with positions and their edges, as columns.

    Of each node, most central first: ids, labels, kinds (places in kind_names), projects (places in project_names),
    communities (from 0, the largest; community_names names the first), centrality (0 to 1000, relative PageRank), x and
    y (-10000 to 10000). Of each edge: sources and targets (places in ids), relations (places in relation_names).
    path: the places of the nodes on the way from start_id to target_id. total_nodes, total_edges: before the limit
    """

    ids: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    kinds: tuple[int, ...] = ()
    projects: tuple[int, ...] = ()
    communities: tuple[int, ...] = ()
    centrality: tuple[int, ...] = ()
    x: tuple[int, ...] = ()
    y: tuple[int, ...] = ()
    sources: tuple[int, ...] = ()
    targets: tuple[int, ...] = ()
    relations: tuple[int, ...] = ()
    kind_names: tuple[str, ...] = ()
    project_names: tuple[str | None, ...] = ()
    relation_names: tuple[str, ...] = ()
    community_names: tuple[str, ...] = ()
    path: tuple[int, ...] = ()
    total_nodes: int = 0
    total_edges: int = 0
    notes: tuple[str, ...] = ()


class EmbeddingMap(Record, frozen=True, kw_only=True):
    """Memories in three dimensions by the principal components of their vectors, as columns.

    Of each memory: ids, labels, types, projects (places in project_names), created_at (Unix seconds), clusters (places
    in cluster_names), x, y and z (-10000 to 10000). explained: the share of variance of each component. total: the
    memories that have a vector; missing: those that have none yet
    """

    ids: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    projects: tuple[int, ...] = ()
    created_at: tuple[int, ...] = ()
    clusters: tuple[int, ...] = ()
    x: tuple[int, ...] = ()
    y: tuple[int, ...] = ()
    z: tuple[int, ...] = ()
    project_names: tuple[str | None, ...] = ()
    cluster_names: tuple[str, ...] = ()
    explained: tuple[float, ...] = ()
    total: int = 0
    missing: int = 0
    notes: tuple[str, ...] = ()

"""Graph queries: recall along links, traversal, PageRank, clusters."""

from typing import TYPE_CHECKING, Annotated

import msgspec

from recollect.engine.graph.code_nodes import is_code
from recollect.engine.records import input_checks
from recollect.engine.records.identity import namespace_of
from recollect.engine.records.memory_rows import existing, headline, memory_filter, node_id
from recollect.engine.retrieval.query_arguments import SEARCH_RELEVANCE
from recollect.errors import InvalidInput, MemoryNotFound, NotFound
from recollect.model import NODE_KINDS, Limit, Memory, MemoryType, NodeKind, Ratio, Relation, graph_answer
from recollect.operations import operation

if TYPE_CHECKING:
    from recollect.engine.code.code_links import Links
    from recollect.engine.context import Context
    from recollect.engine.graph.centrality import Centrality
    from recollect.engine.records.branches import Branches
    from recollect.engine.records.scope import Scope
    from recollect.engine.retrieval.memory_search import MemorySearch
    from recollect.graph.arrays import Graph, Sieve
    from recollect.store.sql import Store

# Farther than this everything is linked with everything.
MAX_DEPTH = 10
# Beyond a few links relevance and consequences are too thin to be worth the reader's time.
MAX_HOPS = 5
# Hits that a search gives an expansion to work with: beyond them, that a linked memory matches by itself says nothing.
POOL = 50

Depth = Annotated[int, msgspec.Meta(ge=1, le=MAX_DEPTH)]
Hops = Annotated[int, msgspec.Meta(ge=1, le=MAX_HOPS)]
Resolution = Annotated[float, msgspec.Meta(ge=0.01, le=100.0)]


class GraphQueries(msgspec.Struct, eq=False):
    """Queries on the graph of memories, files and symbols."""

    context: "Context"
    scope: "Scope"
    branches: "Branches"
    search: "MemorySearch"
    centrality: "Centrality"
    links: "Links"

    @operation("recall_with_expansion", "recall-with-expansion", read_only=True, listed=("limit", "project"))
    def recall_with_expansion(
        self,
        query: str,
        *,
        limit: Limit = 10,
        expansion_depth: Hops = 2,
        namespace: str | None = None,
        all_projects: bool = False,
        memory_type: MemoryType | None = None,
        tags: tuple[str, ...] = (),
        min_score: Ratio = SEARCH_RELEVANCE,
        as_of: int | str | None = None,
    ) -> graph_answer.Expansion:
        """Recall memories with expansion along their links. Returns matches and linked memories, each with its path.

        A linked memory need not match the query. It ranks below the memory that it was reached from.

        query: question in words; file, symbol and error names help
        limit: maximum number of results, linked memories included
        expansion_depth: links to follow, 1 to 5
        namespace: project path or name; default: this project
        """
        from recollect.engine.retrieval.expand import Wanted, expanded

        limit = input_checks.whole("limit", limit, least=1, most=1000)
        where = memory_filter(memory_type=memory_type, tags=tags)
        where |= self.scope.where(namespace, all_projects=all_projects, asks=True)
        wanted = Wanted(
            limit=limit,
            least=input_checks.ratio("min_score", min_score),
            depth=input_checks.whole("expansion_depth", expansion_depth, least=1, most=MAX_HOPS),
            where=where or None,
            as_of=input_checks.question(query, as_of)[1],
        )
        found = self.search.search(
            query,
            limit=max(limit, POOL),
            namespace=namespace,
            all_projects=all_projects,
            memory_type=memory_type,
            tags=tags,
            min_score=0.0,
            as_of=as_of,
            judge=False,
        )
        graph = self.centrality.graph()
        hits = expanded(self.context.store, graph, found, wanted, _sieve(graph, namespace))
        marked = self.branches.marked([row.hit for row in hits], namespace)
        hits = tuple(msgspec.structs.replace(row, hit=hit) for row, hit in zip(hits, marked, strict=True))
        return graph_answer.Expansion(
            query=found.query,
            hits=hits,
            expansion_depth=wanted.depth,
            mode=found.mode,
            notes=(*found.notes, *_nothing_linked(graph)),
        )

    @operation("recall_with_impact", "recall-with-impact", read_only=True, listed=("limit", "project"))
    def recall_with_impact(
        self,
        query: str,
        *,
        limit: Limit = 10,
        depth: Hops = 2,
        namespace: str | None = None,
        all_projects: bool = False,
        memory_type: MemoryType | None = None,
        tags: tuple[str, ...] = (),
        min_score: Ratio = SEARCH_RELEVANCE,
        as_of: int | str | None = None,
    ) -> graph_answer.ImpactRecall:
        """Recall memories with their impact on code and decisions. Returns files, symbols, dependents and decisions per
        memory.

        Each result also has its centrality: PageRank, betweenness, degree and cluster.

        query: question in words; file, symbol and error names help
        depth: links to follow, 1 to 5
        namespace: project path or name; default: this project
        """
        from recollect.engine.retrieval.hit_impact import impacts

        hops = input_checks.whole("depth", depth, least=1, most=MAX_HOPS)
        found = self.search.search(
            query,
            limit=limit,
            namespace=namespace,
            all_projects=all_projects,
            memory_type=memory_type,
            tags=tags,
            min_score=min_score,
            as_of=as_of,
        )
        graph = self.centrality.graph()
        hits = impacts(self.context.store, graph, found.hits, hops, _sieve(graph, namespace))
        notes = (*found.notes, *_nothing_linked(graph))
        if len(graph.src) and self.centrality.is_stale():
            notes = (*notes, "centrality is out of date: links have changed")
        return graph_answer.ImpactRecall(query=found.query, hits=hits, mode=found.mode, notes=notes)

    @operation("graph_traverse", "traverse", read_only=True, listed=("max_depth", "direction", "limit"))
    def traverse(
        self,
        start_id: str,
        *,
        algorithm: graph_answer.Algorithm = "bfs",
        max_depth: Depth = 2,
        direction: graph_answer.Direction = "both",
        kinds: tuple[NodeKind, ...] = (),
        relationships: tuple[Relation, ...] = (),
        namespace: str | None = None,
        limit: Limit = 100,
    ) -> graph_answer.Traversal:
        """Traverse the graph from a node. Returns linked nodes and the link that leads to each.

        start_id: node id or memory id
        algorithm: bfs (nearest first) or dfs (depth first)
        max_depth: links to follow, 1 to 10
        direction: out, in or both
        """
        from recollect.engine.graph.graph_view import node_views, steps
        from recollect.graph.walk import breadth_first, depth_first

        most = input_checks.whole("max_depth", max_depth, least=1, most=MAX_DEPTH)
        way = input_checks.one_of("direction", direction, ("out", "in", "both"))
        chosen = input_checks.one_of("algorithm", algorithm, ("bfs", "dfs"))
        shown = input_checks.whole("limit", limit, least=1, most=1000)
        graph = self._graph(is_code=is_code(input_checks.text("start_id", start_id)))
        through = _sieve(graph, namespace, kinds=kinds, relationships=relationships)
        name, unlinked = node_or_memory(self.context.store, graph, "start_id", start_id)
        if unlinked is not None:
            view = graph_answer.NodeView(
                id=name,
                kind="Memory",
                label=headline(unlinked),
                namespace=unlinked.namespace,
                memory_id=unlinked.id,
            )
            alone = (graph_answer.Visited(node=view, depth=0),)
            return graph_answer.Traversal(start=name, algorithm=algorithm, max_depth=most, nodes=alone, total=1)
        start = graph.index[name]
        if chosen == "bfs":
            walk = breadth_first(graph, [start], most_depth=most, direction=way, through=through)  # type: ignore[arg-type]
        else:
            walk = depth_first(graph, start, most_depth=most, direction=way, through=through)  # type: ignore[arg-type]
        order = walk.order[:shown].tolist()
        views = node_views(self.context.store, graph, order)
        nodes = tuple(
            graph_answer.Visited(
                node=views[number],
                depth=int(walk.depth[number]),
                via=next(iter(steps(graph, walk.path(number)[-1:], int(walk.parent[number]))), None),
            )
            for number in order
        )
        return graph_answer.Traversal(
            start=name, algorithm=algorithm, max_depth=most, nodes=nodes, total=len(walk.order)
        )

    @operation("get_pagerank", "pagerank", read_only=True, listed=("project", "limit"))
    def pagerank(
        self,
        *,
        damping: Ratio = 0.85,
        namespace: str | None = None,
        kinds: tuple[NodeKind, ...] = (),
        relationships: tuple[Relation, ...] = (),
        limit: Limit = 20,
    ) -> graph_answer.PageRanks:
        """Rank graph nodes by PageRank.

        damping: damping factor, 0 to 1
        """
        import numpy as np

        from recollect.engine.graph.graph_view import node_views
        from recollect.graph.rank import arcs, pagerank
        from recollect.graph.relation_semantics import MUTUAL

        followed = input_checks.ratio("damping", damping)
        shown = input_checks.whole("limit", limit, least=1, most=1000)
        graph = self._graph(is_code=set(kinds) != {"Memory"})
        part = graph.within(_sieve(graph, namespace, kinds=kinds, relationships=relationships))
        ranks = pagerank(arcs(part, both_ways=MUTUAL), damping=followed)
        best = np.argsort(-ranks, kind="stable")[:shown].tolist()
        views = node_views(self.context.store, part, best)
        return graph_answer.PageRanks(
            nodes=tuple(graph_answer.RankedNode(node=views[number], pagerank=float(ranks[number])) for number in best),
            total=part.size,
            damping=followed,
        )

    @operation("get_clusters", "clusters", read_only=True, listed=("project", "limit"))
    def clusters(
        self,
        *,
        resolution: Resolution = 1.0,
        namespace: str | None = None,
        kinds: tuple[NodeKind, ...] = (),
        relationships: tuple[Relation, ...] = (),
        limit: Limit = 20,
    ) -> graph_answer.Clusters:
        """Group graph nodes into clusters. The nodes of a cluster have more links to each other than to other nodes.

        resolution: above 1: smaller clusters; below 1: larger ones
        limit: maximum number of clusters, largest first
        """
        from recollect.engine.graph.graph_view import clusters_of

        fineness = _resolution(resolution)
        shown = input_checks.whole("limit", limit, least=1, most=1000)
        graph = self._graph(is_code=set(kinds) != {"Memory"})
        part = graph.within(_sieve(graph, namespace, kinds=kinds, relationships=relationships))
        return clusters_of(self.context.store, part, fineness, shown)

    @operation("recompute_centrality", "recompute-centrality", idempotent=True)
    def recompute(self) -> graph_answer.Recomputed:
        """Recompute the centrality of every graph node.

        It computes PageRank, betweenness, degree and cluster and stores them with the nodes. A running server does this
        by itself after changes. Recall uses the stored values.
        """
        return self.centrality.recompute()

    def _graph(self, *, is_code: bool) -> "Graph":
        """Return the graph; with all code linked, which may take a while, if code is asked about."""
        return self.links.graph()[0] if is_code else self.centrality.graph()


def node_or_memory(store: "Store", graph: "Graph", field: str, given: str) -> tuple[str, Memory | None]:
    """Return the id of a node by its id or its memory's, and the memory if it has no links.

    Raises NotFound if there is neither such a node nor such a memory.
    """
    name = input_checks.text(field, given)
    for known in (name, node_id(name)):
        if known in graph.index:
            return known, None
    hint = "`recollect graph pagerank` lists nodes; `recollect list` lists memories."
    missing = NotFound(f"no node or memory has the id {name}", hint=hint, field=field)
    if is_code(name):
        raise missing
    try:
        memory = existing(store, name.removeprefix("mem:"))
    except MemoryNotFound:
        raise missing from None
    known = node_id(memory.id)
    return known, None if known in graph.index else memory


def _sieve(
    graph: "Graph",
    namespace: str | None,
    *,
    kinds: tuple[NodeKind, ...] = (),
    relationships: tuple[Relation, ...] = (),
) -> "Sieve":
    """Return the sieve for checked filters."""
    from recollect.graph.arrays import sieve

    return sieve(
        graph,
        kinds=[input_checks.one_of("kinds", kind, NODE_KINDS) for kind in input_checks.several("kinds", kinds)],
        relations=[input_checks.relation(name) for name in input_checks.several("relationships", relationships)],
        namespace=namespace_of(namespace),
    )


def _resolution(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0.01 <= value <= 100:
        raise InvalidInput(f"resolution must be a number from 0.01 to 100, not {value!r}", field="resolution")
    return float(value)


def _nothing_linked(graph: "Graph") -> tuple[str, ...]:
    return () if len(graph.src) else ("there are no links yet; `recollect graph link` links memories",)

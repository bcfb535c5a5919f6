"""Map queries: the graph with positions, and vectors of memories in three dimensions."""

from typing import TYPE_CHECKING, Annotated

import msgspec

from recollect.engine.records import input_checks
from recollect.engine.records.identity import namespace_of
from recollect.engine.records.memory_rows import batches, headline, memory_filter
from recollect.engine.retrieval.graph_queries import node_or_memory
from recollect.errors import InvalidInput
from recollect.model import NODE_KINDS, Memory, MemoryType, NodeKind, Ratio, Relation
from recollect.model.graph_answer import EmbeddingMap, GraphLayout
from recollect.operations import operation
from recollect.text.display import clip, plural

if TYPE_CHECKING:
    from recollect.engine.code.code_links import Links
    from recollect.engine.context import Context
    from recollect.engine.graph.graph_layout import GraphLayouts, Part
    from recollect.engine.models.embedding_queue import Embedding
    from recollect.engine.records.scope import Scope
    from recollect.graph.arrays import Graph
    from recollect.store.store_values import Filter

MAX_DEPTH = 10
# A browser draws so many nodes smoothly; a layout of them takes seconds.
MAX_NODES = 50_000
# Vectors of so many memories are read and projected in about a second.
MAX_POINTS = 20_000
LABEL_CHARACTERS = 120
EXTENT = 10_000

Depth = Annotated[int, msgspec.Meta(ge=1, le=MAX_DEPTH)]
Nodes = Annotated[int, msgspec.Meta(ge=1, le=MAX_NODES)]
Points = Annotated[int, msgspec.Meta(ge=1, le=MAX_POINTS)]


class Maps:
    """The graph and the vectors as pictures: positions instead of links and numbers."""

    def __init__(self, context: "Context", *, scope: "Scope", links: "Links", embedding: "Embedding") -> None:
        self._context = context
        self._scope = scope
        self._links = links
        self._embedding = embedding
        self._layouts: GraphLayouts | None = None
        self._map: tuple[object, EmbeddingMap] | None = None

    @operation("graph_layout", "layout", read_only=True, listed=("project", "limit", "start_id"))
    def layout(
        self,
        *,
        namespace: str | None = None,
        kinds: tuple[NodeKind, ...] = (),
        relationships: tuple[Relation, ...] = (),
        min_centrality: Ratio = 0.0,
        start_id: str | None = None,
        max_depth: Depth = 2,
        target_id: str | None = None,
        limit: Nodes = 2_000,
    ) -> GraphLayout:
        """Compute a layout of the graph. Returns nodes with position, community and centrality, and edges, as columns.

        Linked nodes are near each other; each community is an island. Above the limit the most central nodes are
        returned. With start_id it returns the nodes around one node, and with target_id a shortest path between two.

        min_centrality: minimum PageRank relative to the highest, 0 to 1
        start_id: only nodes around this node or memory
        max_depth: links to follow from start_id, 1 to 10
        target_id: only the shortest path to this node or memory
        limit: maximum number of nodes, 1 to 50000
        """
        from recollect.engine.graph.graph_layout import GraphLayouts, Part

        part = Part(
            namespace=namespace_of(namespace),
            kinds=tuple(
                input_checks.one_of("kinds", kind, NODE_KINDS) for kind in input_checks.several("kinds", kinds)
            ),
            relations=tuple(map(input_checks.relation, input_checks.several("relationships", relationships))),
            least=input_checks.ratio("min_centrality", min_centrality),
            depth=input_checks.whole("max_depth", max_depth, least=1, most=MAX_DEPTH) if start_id else 0,
            limit=input_checks.whole("limit", limit, least=1, most=MAX_NODES),
        )
        if target_id is not None and start_id is None:
            raise InvalidInput("target_id needs start_id", hint="Give both ends of the path.", field="start_id")
        graph, notes = self._links.graph()
        if start_id is not None:
            start, notes = self._node(graph, "start_id", start_id, notes)
            part = part._replace(start=start)
        if target_id is not None:
            goal, notes = self._node(graph, "target_id", target_id, notes)
            nodes = _path(graph, part, goal)
            if not nodes:
                return GraphLayout(notes=(*notes, "There is no path between the two nodes."))
            part = part._replace(nodes=nodes, start="", depth=0, limit=MAX_NODES)
        if self._layouts is None:
            self._layouts = GraphLayouts()
        found = self._layouts.layout(self._context.store, graph, part)
        return msgspec.structs.replace(found, notes=notes) if notes else found

    @operation("embedding_map", "embedding-map", read_only=True, listed=("project", "limit"))
    def embedding_map(
        self,
        *,
        namespace: str | None = None,
        all_projects: bool = False,
        memory_type: MemoryType | None = None,
        observed: bool = False,
        limit: Points = 2_000,
    ) -> EmbeddingMap:
        """Map memories by their embedding in three dimensions. Returns positions and named clusters, as columns.

        Positions are the first three principal components of the vectors. Memories with a similar meaning are near each
        other. Above the limit an even sample is returned.

        namespace: project path or name; default: this project
        all_projects: include memories of all projects
        limit: maximum number of memories, 1 to 20000
        """
        where = memory_filter(memory_type=memory_type) | {"superseded_by": None}
        where |= self._scope.where(namespace, all_projects=all_projects)
        where |= {} if observed else {"observed": False}
        most = input_checks.whole("limit", limit, least=1, most=MAX_POINTS)
        state = (self._context.store.generation(), self._embedding.model_id, sorted(where.items(), key=str), most)
        if self._map is None or self._map[0] != state:
            self._map = state, self._projected(where, most)
        return self._map[1]

    def _projected(self, where: "Filter", limit: int) -> EmbeddingMap:
        import numpy as np

        from recollect.recall.vector_projection import cluster_names, projected

        store = self._context.store
        every = store.count(Memory, where)
        if not self._embedding.model_id:
            return EmbeddingMap(missing=every, notes=("Embedding is off: there are no vectors to show.",))
        (names, vectors), total = store.sampled_vectors(self._embedding.model_id, where, limit)
        found = projected(vectors)
        memories = {row.id: row for batch in batches(list(names)) for row in store.get(Memory, batch)}
        rows = [memories[name] for name in names]
        at = np.rint(found.at * EXTENT).astype(np.int64)
        spaces = list(dict.fromkeys(row.namespace for row in rows))
        missing = every - total
        notes = (f"{plural(missing, 'memory is', 'memories are')} not embedded yet.",) if missing else ()
        return EmbeddingMap(
            ids=tuple(names),
            labels=tuple(clip(headline(row), LABEL_CHARACTERS) for row in rows),
            types=tuple(row.kind for row in rows),
            projects=tuple(spaces.index(row.namespace) for row in rows),
            created_at=tuple(row.created_at for row in rows),
            clusters=tuple(found.cluster.tolist()),
            x=tuple(at[:, 0].tolist()),
            y=tuple(at[:, 1].tolist()),
            z=tuple(at[:, 2].tolist()),
            project_names=tuple(spaces),
            cluster_names=cluster_names([f"{row.title or ''} {row.content}" for row in rows], found.cluster),
            explained=tuple(round(share, 4) for share in found.explained),
            total=total,
            missing=missing,
            notes=notes,
        )

    def _node(self, graph: "Graph", field: str, given: str, notes: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
        """Return the id of a node, and a note if it is a memory without links."""
        known, unlinked = node_or_memory(self._context.store, graph, field, given)
        return known, notes if unlinked is None else (*notes, f"{headline(unlinked)} has no links.")


def _path(graph: "Graph", part: "Part", goal: str) -> tuple[str, ...]:
    """Return the ids of the nodes on a shortest path, both ends included; empty without one."""
    from recollect.graph.arrays import sieve
    from recollect.graph.walk import shortest_path

    if not {part.start, goal} <= graph.index.keys():
        return ()
    through = sieve(graph, kinds=part.kinds, relations=part.relations, namespace=part.namespace)
    place = graph.index[part.start]
    edges = shortest_path(graph, place, graph.index[goal], direction="both", through=through)
    if edges is None:
        return ()
    nodes = [place]
    for edge in edges:
        nodes.append(int(graph.dst[edge]) if int(graph.src[edge]) == nodes[-1] else int(graph.src[edge]))
    return tuple(graph.points.ids[node] for node in nodes)

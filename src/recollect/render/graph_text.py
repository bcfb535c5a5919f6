"""Traversals, ranks and clusters of the graph, and the links of hits, as blocks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from recollect.model import Hit, Record, graph_answer
from recollect.render.block import PARTICULAR_CHARACTERS, Block, Entry, Facts, Line, Listing, Show, listed, notes
from recollect.render.memory_text import LISTED_CHARACTERS, asked, found
from recollect.render.memory_text import SHOWN as SHOWN_MEMORIES
from recollect.render.quantities import count
from recollect.render.untrusted import ident, inline, short_id

# How a node is named inside a sentence about others.
NAMED_CHARACTERS = 60
# Communities that a layout lists.
SHOWN_GROUPS = 12


def _node(node: graph_answer.NodeView) -> Entry:
    place = f"{node.path}:{node.line}" if node.path else ""
    name = ident(node.id) if node.memory_id or not place else inline(place)
    return Entry(name, node.kind, inline(node.label, LISTED_CHARACTERS))


def _entry(node: graph_answer.NodeView, head: str) -> Entry:
    return Entry(ident(node.id), head, inline(node.label, LISTED_CHARACTERS))


def _arrow(step: graph_answer.Step, *, with_origin: bool = True) -> str:
    """Return a link in the direction of the walk, with its origin."""
    origin = _end(step.src if step.forwards else step.dst) + " " if with_origin else ""
    weight = f" ({step.weight:g})" if step.weight != 1 else ""
    return f"{origin}─{step.relationship}{weight}→" if step.forwards else f"{origin}←{step.relationship}{weight}─"


def _end(name: str) -> str:
    return inline(short_id(name), NAMED_CHARACTERS)


def _visit_entry(visit: graph_answer.Visited) -> Entry:
    # Where the first links come from is told above.
    arrow = f", {_arrow(visit.via, with_origin=visit.depth > 1)}" if visit.via else ""
    return _entry(visit.node, f"{visit.node.kind}, depth {visit.depth}{arrow}")


def _traversal(walk: graph_answer.Traversal, _now: int | None) -> list[Block]:
    more = f", {len(walk.nodes):,} shown" if len(walk.nodes) < walk.total else ""
    head = f"{count(walk.total, 'node')} within {count(walk.max_depth, 'link')}{more} ({walk.algorithm})."
    return [
        Line(head),
        Facts((("start", ident(walk.start)),)),
        Listing(tuple(_visit_entry(visit) for visit in walk.nodes)),
    ]


def _ranked(ranked: graph_answer.RankedNode) -> Entry:
    return _entry(ranked.node, f"{ranked.node.kind}, PageRank {ranked.pagerank:.6f}")


def _pageranks(ranks: graph_answer.PageRanks, _now: int | None) -> list[Block]:
    if not ranks.nodes:
        return [Line("The graph is empty. Index code or link memories first.", "weak")]
    head = f"The {len(ranks.nodes):,} highest of {count(ranks.total, 'node')} by PageRank (damping {ranks.damping:g})."
    return [Line(head), Listing(tuple(map(_ranked, ranks.nodes)))]


def _cluster(cluster: graph_answer.Cluster, _now: int | None) -> list[Block]:
    more = cluster.size - len(cluster.members)
    head = f"Cluster {cluster.number}: {count(cluster.size, 'node')}, {cluster.cohesion:.0%} of its links inside"
    tail = f"; {more:,} more not shown." if more > 0 else "."
    return [Line(head + tail), Listing(tuple(_entry(node, node.kind) for node in cluster.members))]


def _clusters(clusters: graph_answer.Clusters, now: int | None) -> list[Block]:
    if not clusters.clusters:
        return [Line("No clusters. Link memories or index code first.", "weak")]
    shown = f", the {len(clusters.clusters):,} largest shown" if len(clusters.clusters) < clusters.total else ""
    head = f"{count(clusters.total, 'cluster')}{shown}; {count(clusters.alone, 'node')} in none."
    facts = Facts((("modularity", f"{clusters.modularity:.3f}"), ("resolution", f"{clusters.resolution:g}")))
    return [Line(head), facts, *(block for cluster in clusters.clusters for block in _cluster(cluster, now))]


def _shown_hit(hit: Hit, now: int | None, number: int) -> list[Block]:
    return SHOWN_MEMORIES[Hit](hit, now, number)  # type: ignore[call-arg]


def _way(path: Iterable[graph_answer.Step], end: str) -> str:
    return " ".join((*(_arrow(step) for step in path), _end(end)))


def _expanded(row: graph_answer.ExpandedHit, now: int | None, number: int = 1) -> list[Block]:
    blocks = _shown_hit(row.hit, now, number)
    if row.path:
        last = row.path[-1]
        blocks.append(Facts((("reached by", _way(row.path, last.dst if last.forwards else last.src)),)))
    return blocks


def _expansion(answer: graph_answer.Expansion, now: int | None) -> list[Block]:
    linked = sum(1 for row in answer.hits if row.path)
    query = Facts(asked(answer.query, answer.mode), detail=True)
    blocks: list[Block] = [found(answer.hits, f"{linked:,} by links"), query, *notes(answer.notes)]
    for number, row in enumerate(answer.hits, 1):
        blocks += _expanded(row, now, number)
    return blocks


def _linked_entry(row: graph_answer.LinkedNode) -> Entry:
    if row.hops == 1:
        return _entry(row.node, f"{row.node.kind}, {_arrow(row.via, with_origin=False)}")
    return _entry(row.node, f"{row.node.kind}, {row.hops} links away, {_arrow(row.via)}")


def _impact(row: graph_answer.ImpactHit, now: int | None, number: int = 1) -> list[Block]:
    central = (
        ("centrality", row.centrality),
        ("PageRank", row.pagerank),
        ("betweenness", row.betweenness),
        ("degree", row.degree),
        ("cluster", row.cluster),
    )
    blocks = _shown_hit(row.hit, now, number)
    blocks.append(Facts(tuple((name, f"{value:.2f}") for name, value in central), detail=True))
    if row.files:
        more = f" and {row.files_total - len(row.files):,} more" if row.files_total > len(row.files) else ""
        blocks.append(Facts((("files", inline(", ".join(row.files), PARTICULAR_CHARACTERS) + more),)))
    blocks += _part("Linked with", row.linked_total, [_linked_entry(node) for node in row.linked])
    blocks += _part("A change affects", row.dependents_total, [_linked_entry(node) for node in row.dependents])
    blocks += _part(
        "Decisions, oldest first,", row.decisions_total, [_entry(node, node.kind) for node in row.decisions]
    )
    return blocks


def _part(head: str, total: int, entries: list[Entry]) -> list[Block]:
    if not entries:
        return []
    more = f", {len(entries):,} shown" if len(entries) < total else ""
    return [Line(f"{head} {count(total, 'node')}{more}."), Listing(tuple(entries))]


def _impact_recall(answer: graph_answer.ImpactRecall, now: int | None) -> list[Block]:
    query = Facts(asked(answer.query, answer.mode), detail=True)
    blocks: list[Block] = [found(answer.hits), query, *notes(answer.notes)]
    for number, row in enumerate(answer.hits, 1):
        blocks += _impact(row, now, number)
    return blocks


def _recomputed(done: graph_answer.Recomputed, _now: int | None) -> list[Block]:
    how = "exact" if done.exact else "estimated from a sample"
    what = f"{count(done.nodes, 'node')}, {count(done.edges, 'edge')}, {count(done.clusters, 'cluster')}"
    return [Line(f"Computed the centrality of {what}; betweenness is {how}.", "good")]


def _layout(layout: graph_answer.GraphLayout, _now: int | None) -> list[Block]:
    if not layout.ids:
        return [Line("Nothing to draw.", "weak"), *notes(layout.notes)]
    shown = f"{len(layout.ids):,} of " if len(layout.ids) < layout.total_nodes else ""
    part = f"{len(layout.sources):,} of " if len(layout.sources) < layout.total_edges else ""
    edges = part + count(layout.total_edges, "edge")
    size = Counter(layout.communities)
    names = enumerate(layout.community_names[:SHOWN_GROUPS])
    groups = tuple(Entry(str(place + 1), count(size[place], "node"), inline(name)) for place, name in names)
    total = count(max(layout.communities) + 1, "community")
    head = f"Positions of {shown}{count(layout.total_nodes, 'node')}, {edges}, {total}. --json prints them."
    route = " → ".join(inline(layout.labels[place], NAMED_CHARACTERS) for place in layout.path)
    path = [Facts((("path", route),))] if route else []
    return [Line(head), *path, *notes(layout.notes), Listing(groups)]


def _embedding_map(found: graph_answer.EmbeddingMap, _now: int | None) -> list[Block]:
    if not found.ids:
        return [Line("No memory has a vector yet.", "weak"), *notes(found.notes)]
    shown = f"{len(found.ids):,} of " if len(found.ids) < found.total else ""
    share = " + ".join(f"{part:.1%}" for part in found.explained)
    head = f"Positions of {shown}{count(found.total, 'memory')}. --json prints them."
    size = Counter(found.clusters)
    groups = tuple(
        Entry(str(place + 1), count(size[place], "memory"), inline(name))
        for place, name in enumerate(found.cluster_names)
    )
    return [Line(head), Facts((("variance explained", share),)), *notes(found.notes), Listing(groups)]


SHOWN: Mapping[type[Record], Show] = {
    graph_answer.NodeView: listed(_node),
    graph_answer.Visited: listed(_visit_entry),
    graph_answer.Traversal: _traversal,
    graph_answer.RankedNode: listed(_ranked),
    graph_answer.PageRanks: _pageranks,
    graph_answer.Cluster: _cluster,
    graph_answer.Clusters: _clusters,
    graph_answer.ExpandedHit: _expanded,
    graph_answer.Expansion: _expansion,
    graph_answer.ImpactHit: _impact,
    graph_answer.ImpactRecall: _impact_recall,
    graph_answer.Recomputed: _recomputed,
    graph_answer.GraphLayout: _layout,
    graph_answer.EmbeddingMap: _embedding_map,
}

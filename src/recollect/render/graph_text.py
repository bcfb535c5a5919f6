"""The graph, the links of hits, dependencies of symbols and packages, and the impact of a change, as blocks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from recollect.code import code_records
from recollect.model import Hit, Record, graph_answer
from recollect.render.block import PARTICULAR_CHARACTERS, Block, Entry, Facts, Line, Listing, Show, listed, notes, part
from recollect.render.code_text import CERTAIN
from recollect.render.memory_text import LISTED_CHARACTERS, asked, found
from recollect.render.memory_text import SHOWN as SHOWN_MEMORIES
from recollect.render.untrusted import ident, inline, short_id
from recollect.text.display import plural

# How a node is named inside a sentence about others.
NAMED_CHARACTERS = 60
# Communities that a layout lists.
SHOWN_GROUPS = 12


def _entry(node: graph_answer.NodeView, head: str = "") -> Entry:
    """Return a node as a line, with the id that `graph traverse` takes."""
    return Entry(ident(node.id), head or node.kind, inline(node.label, LISTED_CHARACTERS))


def _node(node: graph_answer.NodeView) -> Entry:
    return Entry(place(node), node.kind, inline(node.label, LISTED_CHARACTERS))


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
    head = f"{plural(walk.total, 'node')} within {plural(walk.max_depth, 'link')}{more} ({walk.algorithm})."
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
    head = f"The {len(ranks.nodes):,} highest of {plural(ranks.total, 'node')} by PageRank (damping {ranks.damping:g})."
    return [Line(head), Listing(tuple(map(_ranked, ranks.nodes)))]


def _cluster(cluster: graph_answer.Cluster, _now: int | None) -> list[Block]:
    more = cluster.size - len(cluster.members)
    head = f"Cluster {cluster.number}: {plural(cluster.size, 'node')}, {cluster.cohesion:.0%} of its links inside"
    tail = f"; {more:,} more not shown." if more > 0 else "."
    return [Line(head + tail), Listing(tuple(_entry(node) for node in cluster.members))]


def _clusters(clusters: graph_answer.Clusters, now: int | None) -> list[Block]:
    if not clusters.clusters:
        return [Line("No clusters. Link memories or index code first.", "weak")]
    shown = f", the {len(clusters.clusters):,} largest shown" if len(clusters.clusters) < clusters.total else ""
    head = f"{plural(clusters.total, 'cluster')}{shown}; {plural(clusters.alone, 'node')} in none."
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


def _impact_hit(row: graph_answer.ImpactHit, now: int | None, number: int = 1) -> list[Block]:
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
    blocks += part("Linked with", [_linked_entry(node) for node in row.linked], row.linked_total)
    blocks += part("A change affects", [_linked_entry(node) for node in row.dependents], row.dependents_total)
    blocks += part("Decisions, oldest first", [_entry(node) for node in row.decisions], row.decisions_total)
    return blocks


def _impact_recall(answer: graph_answer.ImpactRecall, now: int | None) -> list[Block]:
    query = Facts(asked(answer.query, answer.mode), detail=True)
    blocks: list[Block] = [found(answer.hits), query, *notes(answer.notes)]
    for number, row in enumerate(answer.hits, 1):
        blocks += _impact_hit(row, now, number)
    return blocks


def _recomputed(done: graph_answer.Recomputed, _now: int | None) -> list[Block]:
    how = "exact" if done.exact else "estimated from a sample"
    what = f"{plural(done.nodes, 'node')}, {plural(done.edges, 'edge')}, {plural(done.clusters, 'cluster')}"
    return [Line(f"Computed the centrality of {what}; betweenness is {how}.", "good")]


def _layout(layout: graph_answer.GraphLayout, _now: int | None) -> list[Block]:
    if not layout.ids:
        return [Line("Nothing to draw.", "weak"), *notes(layout.notes)]
    shown = f"{len(layout.ids):,} of " if len(layout.ids) < layout.total_nodes else ""
    part = f"{len(layout.sources):,} of " if len(layout.sources) < layout.total_edges else ""
    edges = part + plural(layout.total_edges, "edge")
    size = Counter(layout.communities)
    names = enumerate(layout.community_names[:SHOWN_GROUPS])
    groups = tuple(Entry(str(place + 1), plural(size[place], "node"), inline(name)) for place, name in names)
    total = plural(max(layout.communities) + 1, "community")
    head = f"Positions of {shown}{plural(layout.total_nodes, 'node')}, {edges}, {total}. --json prints them."
    route = " → ".join(inline(layout.labels[place], NAMED_CHARACTERS) for place in layout.path)
    path = [Facts((("path", route),))] if route else []
    return [Line(head), *path, *notes(layout.notes), Listing(groups)]


def _embedding_map(found: graph_answer.EmbeddingMap, _now: int | None) -> list[Block]:
    if not found.ids:
        return [Line("No memory has a vector yet.", "weak"), *notes(found.notes)]
    shown = f"{len(found.ids):,} of " if len(found.ids) < found.total else ""
    share = " + ".join(f"{part:.1%}" for part in found.explained)
    head = f"Positions of {shown}{plural(found.total, 'memory')}. --json prints them."
    size = Counter(found.clusters)
    groups = tuple(
        Entry(str(place + 1), plural(size[place], "memory"), inline(name))
        for place, name in enumerate(found.cluster_names)
    )
    return [Line(head), Facts((("variance explained", share),)), *notes(found.notes), Listing(groups)]


# --- dependencies of code ---


# How many lines of one use an answer lists: the first ones are enough to find the place.
MAX_LINES = 3

_HEADS = {"out": "uses", "in": "is used by", "both": "uses or is used by"}


def place(node: graph_answer.NodeView, home: str | None = None) -> str:
    """Return where a node is: path and line, or its id. The path is absolute outside of the project `home`."""
    path = node.path
    if path and home and node.namespace != home:
        path = node.id.partition(":")[2].partition("::")[0]
    if not path:
        return ident(node.id)
    return inline(f"{path}:{node.line}" if node.line else path)


def _verb(relationship: str) -> str:
    return "uses" if relationship == "DEPENDS_ON" else relationship.lower().replace("_", " ")


def _use_entry(use: graph_answer.Use, home: str | None = None) -> Entry:
    sure = "" if use.confidence >= CERTAIN else f", confidence {use.confidence:.2f}"
    at = f" at line {', '.join(map(str, use.lines[:MAX_LINES]))}" if use.lines and use.depth <= 1 else ""
    far = f", {use.depth} links away" if use.depth > 1 else ""
    endpoint = f", endpoint {inline(use.endpoint)}" if use.endpoint else ""
    label = inline(use.node.label, LISTED_CHARACTERS)
    return Entry(place(use.node, home), label, f"{_verb(use.relationship)}{at}{far}{sure}{endpoint}")


def _outside_entry(use: graph_answer.OutsideUse) -> Entry:
    at = f", line {', '.join(map(str, use.lines))}" if use.lines else ""
    return Entry(inline(use.name, LISTED_CHARACTERS), f"{_verb(use.relationship)}{at}", "")


def _doubt_entry(doubt: graph_answer.Doubt) -> Entry:
    several = len(doubt.candidates) > 1
    what = f"one of {len(doubt.candidates):,}" if several else "on an object of unknown type"
    names = ", ".join(candidate.rpartition("::")[2] or candidate for candidate in doubt.candidates[:4] if several)
    return Entry(
        inline(f"{doubt.path}:{doubt.line}"), f"{inline(doubt.name, 60)}, {what}", inline(names, LISTED_CHARACTERS)
    )


def _named(node: graph_answer.NodeView) -> str:
    """Return a node by its name and place."""
    label = inline(node.label, LISTED_CHARACTERS)
    return f"{label} ({place(node)})" if node.path else label


def _of(node: graph_answer.NodeView) -> Facts:
    return Facts((("node", ident(node.id)), ("kind", node.kind)), detail=True)


def _dependencies(found: graph_answer.Dependencies, _now: int | None) -> list[Block]:
    far = f" within {plural(found.depth, 'link')}" if found.depth > 1 else ""
    blocks: list[Block] = [
        Line(f"{_named(found.node)} {_HEADS[found.direction]} {plural(found.total, 'symbol')}{far}."),
        _of(found.node),
    ]
    blocks += part("Code", [_use_entry(use, found.node.namespace) for use in found.uses], found.total)
    blocks += part("Not indexed", [_outside_entry(use) for use in found.outside], found.outside_total)
    blocks += part("Ambiguous", [_doubt_entry(doubt) for doubt in found.doubts], found.doubts_total)
    if found.unresolved:
        blocks.append(Line(f"{plural(found.unresolved, 'more use')} could not be resolved.", "weak"))
    return [*blocks, *notes(found.notes)]


def _impact(found: graph_answer.Impact, _now: int | None) -> list[Block]:
    rings = ", ".join(
        f"{number:,} {'directly' if far == 1 else f'over {far} links'}"
        for far, number in enumerate(found.by_depth, 1)
        if number
    )
    reached = f"{plural(found.total, 'symbol')} in {plural(found.files_total, 'file')}"
    head = f"A change of {_named(found.node)} affects {reached}"
    blocks: list[Block] = [Line(f"{head}: {rings}." if rings else f"{head}."), _of(found.node)]
    if found.verdict:
        blocks.append(Line(inline(found.verdict[:1].upper() + found.verdict[1:]), "" if found.is_complete else "weak"))
    tests = {use.node.id for use in found.tests}
    code = [_use_entry(use, found.node.namespace) for use in found.affected if use.node.id not in tests]
    blocks += part("Code", code, found.total - found.tests_total)
    blocks += part("Tests", [_use_entry(use, found.node.namespace) for use in found.tests], found.tests_total)
    endpoints = [_use_entry(use, found.node.namespace) for use in found.endpoints]
    blocks += part("Endpoints", endpoints, found.endpoints_total)
    memories = [Entry(ident(node.id), node.kind, inline(node.label, LISTED_CHARACTERS)) for node in found.memories]
    blocks += part("Memories", memories, found.memories_total)
    blocks += part("Possible uses", [_doubt_entry(doubt) for doubt in found.doubts], found.doubts_total)
    return [*blocks, *notes(found.notes)]


# --- packages ---


# Version ranges that are shown of one package.
MAX_RANGES = 6


def _place(root: str, folder: str) -> str:
    return inline(f"{root}/{folder}" if folder else root)


def _package_entry(row: code_records.PackageView) -> Entry:
    head = " ".join(part for part in (row.ecosystem, inline(row.name), inline(row.version)) if part)
    told = [
        f"depends on {row.needs:,} indexed, {row.externals:,} other",
        f"used by {row.needed_by:,}",
        f"workspace {inline(row.workspace) or 'of the root'}" if row.workspace is not None else "",
        row.mark,
    ]
    return Entry(_place(row.root, row.folder), head, ", ".join(part for part in told if part))


def _package_link_entry(link: code_records.PackageLink) -> Entry:
    wanted = inline(link.range) or "any version"
    version = f", found {inline(link.version)}" if link.version else ""
    fit = ", does not match" if link.fits is False else ""
    others = f"; also in {inline(', '.join(link.others), PARTICULAR_CHARACTERS)}" if link.others else ""
    return Entry(
        f"{inline(link.source)} → {inline(link.target)}",
        f"{link.scope}, {wanted}{version}{fit}",
        f"{_place(link.source_root, link.source_folder)} → {_place(link.target_root, link.target_folder)}{others}",
    )


def _external_entry(row: code_records.ExternalPackage) -> Entry:
    shown = list(row.ranges.items())[:MAX_RANGES]
    ranges = ", ".join(f"{inline(text)} ({number})" if number > 1 else inline(text) for text, number in shown)
    more = f" and {len(row.ranges) - MAX_RANGES:,} more" if len(row.ranges) > MAX_RANGES else ""
    share = f"{plural(row.packages, 'package')} in {plural(row.trees, 'project')}"
    rest = ", …" if row.packages > len(row.users) else ""
    users = f"by {inline(', '.join(row.users), PARTICULAR_CHARACTERS)}{rest}"
    conflict = "CONFLICT: " if row.conflict else ""
    return Entry(f"{row.ecosystem} {inline(row.name)}", f"{share}, {users}", f"{conflict}{ranges}{more}")


def _cross_repo(answer: code_records.CrossRepo, _now: int | None) -> list[Block]:
    if not answer.packages and not answer.externals:
        return [Line("No packages. Index a project with a package manifest.", "weak"), *notes(answer.notes)]
    inside = answer.links_total - answer.across_total
    head = (
        f"{plural(answer.packages_total, 'package')} in {plural(answer.trees, 'project')}; "
        f"{plural(answer.across_total, 'dependency')} between projects, {inside:,} inside; "
        f"{plural(answer.externals_total, 'package')} not indexed, {plural(answer.conflicts, 'conflict')}."
    )
    across = [_package_link_entry(link) for link in answer.links if link.across]
    within = [_package_link_entry(link) for link in answer.links if not link.across]
    return [
        Line(head),
        *part("Packages", [_package_entry(row) for row in answer.packages], answer.packages_total),
        *part("Between projects", across, answer.across_total),
        *part("Inside a project", within, inside),
        *part("Not indexed", [_external_entry(row) for row in answer.externals], answer.externals_total),
        *notes(answer.notes),
    ]


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
    graph_answer.ImpactHit: _impact_hit,
    graph_answer.ImpactRecall: _impact_recall,
    graph_answer.Recomputed: _recomputed,
    graph_answer.GraphLayout: _layout,
    graph_answer.EmbeddingMap: _embedding_map,
    graph_answer.Use: listed(_use_entry),
    graph_answer.OutsideUse: listed(_outside_entry),
    graph_answer.Doubt: listed(_doubt_entry),
    graph_answer.Dependencies: _dependencies,
    graph_answer.Impact: _impact,
    code_records.CrossRepo: _cross_repo,
    code_records.ExternalPackage: listed(_external_entry),
    code_records.PackageLink: listed(_package_link_entry),
    code_records.PackageView: listed(_package_entry),
}

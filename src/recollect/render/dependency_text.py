"""Dependencies between symbols and between packages, and the impact of a change, as blocks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from recollect.code import code_records as code_record
from recollect.model import Record, graph_answer
from recollect.render.block import PARTICULAR_CHARACTERS, Block, Entry, Facts, Line, Listing, Show, listed, notes
from recollect.render.memory_text import LISTED_CHARACTERS
from recollect.render.quantities import count
from recollect.render.untrusted import ident, inline

# A link by a resolved name is 0.9 or more; only less than that is worth a word.
CERTAIN = 0.9

# How many lines of one use an answer lists: the first ones are enough to find the place.
MAX_LINES = 3

_HEADS = {"out": "uses", "in": "is used by", "both": "uses or is used by"}


def place(node: graph_answer.NodeView, home: str | None = None) -> str:
    """Return where a node is: path and line, or its id. The path is absolute outside of the project `home`."""
    path = node.path
    if path and home and node.namespace != home:
        path = node.id.partition(":")[2].partition("::")[0]
    return inline(f"{path}:{node.line}" if path else node.id)


def _use_entry(use: graph_answer.Use, home: str | None = None) -> Entry:
    sure = "" if use.confidence >= CERTAIN else f", confidence {use.confidence:.2f}"
    at = f" at line {', '.join(map(str, use.lines[:MAX_LINES]))}" if use.lines and use.depth <= 1 else ""
    far = f", {use.depth} links away" if use.depth > 1 else ""
    endpoint = f", endpoint {inline(use.endpoint)}" if use.endpoint else ""
    label = inline(use.node.label, LISTED_CHARACTERS)
    return Entry(place(use.node, home), label, f"{use.relationship}{at}{far}{sure}{endpoint}")


def _outside_entry(use: graph_answer.OutsideUse) -> Entry:
    at = f", line {', '.join(map(str, use.lines))}" if use.lines else ""
    return Entry(inline(use.name, LISTED_CHARACTERS), f"{use.relationship}{at}", "")


def _doubt_entry(doubt: graph_answer.Doubt) -> Entry:
    several = len(doubt.candidates) > 1
    what = f"one of {len(doubt.candidates):,}" if several else "on an object of unknown type"
    names = ", ".join(candidate.rpartition("::")[2] or candidate for candidate in doubt.candidates[:4] if several)
    return Entry(
        inline(f"{doubt.path}:{doubt.line}"), f"{inline(doubt.name, 60)}, {what}", inline(names, LISTED_CHARACTERS)
    )


def _part(head: str, total: int, entries: Sequence[Entry]) -> list[Block]:
    if not entries:
        return []
    more = f", {len(entries):,} shown" if len(entries) < total else ""
    return [Line(f"{head}{more}:"), Listing(tuple(entries))]


def _named(node: graph_answer.NodeView) -> str:
    """Return a node by its name and place."""
    label = inline(node.label, LISTED_CHARACTERS)
    return f"{label} ({place(node)})" if node.path else label


def _of(node: graph_answer.NodeView) -> Facts:
    return Facts((("node", ident(node.id)), ("kind", node.kind)), detail=True)


def _dependencies(found: graph_answer.Dependencies, _now: int | None) -> list[Block]:
    far = f" within {count(found.depth, 'link')}" if found.depth > 1 else ""
    blocks: list[Block] = [
        Line(f"{_named(found.node)} {_HEADS[found.direction]} {count(found.total, 'symbol')}{far}."),
        _of(found.node),
    ]
    blocks += _part("Code", found.total, [_use_entry(use, found.node.namespace) for use in found.uses])
    blocks += _part("Not indexed", found.outside_total, [_outside_entry(use) for use in found.outside])
    blocks += _part("Ambiguous", found.doubts_total, [_doubt_entry(doubt) for doubt in found.doubts])
    if found.unresolved:
        blocks.append(Line(f"{count(found.unresolved, 'more use')} could not be resolved.", "weak"))
    return [*blocks, *notes(found.notes)]


def _impact(found: graph_answer.Impact, _now: int | None) -> list[Block]:
    rings = ", ".join(f"{number:,} {'directly' if far == 1 else f'over {far} links'}" for far, number in _rings(found))
    reached = f"{count(found.total, 'symbol')} in {count(found.files_total, 'file')}"
    head = f"A change of {_named(found.node)} affects {reached}"
    blocks: list[Block] = [Line(f"{head}: {rings}." if rings else f"{head}."), _of(found.node)]
    if found.verdict:
        blocks.append(Line(inline(found.verdict[:1].upper() + found.verdict[1:]), "" if found.is_complete else "weak"))
    tests = {use.node.id for use in found.tests}
    code = [_use_entry(use, found.node.namespace) for use in found.affected if use.node.id not in tests]
    blocks += _part("Code", found.total - found.tests_total, code)
    blocks += _part("Tests", found.tests_total, [_use_entry(use, found.node.namespace) for use in found.tests])
    blocks += _part(
        "Endpoints", found.endpoints_total, [_use_entry(use, found.node.namespace) for use in found.endpoints]
    )
    memories = [Entry(ident(node.id), node.kind, inline(node.label, LISTED_CHARACTERS)) for node in found.memories]
    blocks += _part("Memories", found.memories_total, memories)
    blocks += _part("Possible uses", found.doubts_total, [_doubt_entry(doubt) for doubt in found.doubts])
    return [*blocks, *notes(found.notes)]


def _rings(found: graph_answer.Impact) -> list[tuple[int, int]]:
    return [(far, number) for far, number in enumerate(found.by_depth, 1) if number]


# --- packages ---


# Version ranges that are shown of one package.
MAX_RANGES = 6


def _place(root: str, folder: str) -> str:
    return inline(f"{root}/{folder}" if folder else root)


def _package_entry(row: code_record.PackageView) -> Entry:
    head = " ".join(part for part in (row.ecosystem, inline(row.name), inline(row.version)) if part)
    told = [
        f"depends on {row.needs:,} indexed, {row.externals:,} other",
        f"used by {row.needed_by:,}",
        f"workspace {inline(row.workspace) or 'of the root'}" if row.workspace is not None else "",
        row.mark,
    ]
    return Entry(_place(row.root, row.folder), head, ", ".join(part for part in told if part))


def _package_link_entry(link: code_record.PackageLink) -> Entry:
    wanted = inline(link.range) or "any version"
    version = f", found {inline(link.version)}" if link.version else ""
    fit = ", does not match" if link.fits is False else ""
    others = f"; also in {inline(', '.join(link.others), PARTICULAR_CHARACTERS)}" if link.others else ""
    return Entry(
        f"{inline(link.source)} → {inline(link.target)}",
        f"{link.scope}, {wanted}{version}{fit}",
        f"{_place(link.source_root, link.source_folder)} → {_place(link.target_root, link.target_folder)}{others}",
    )


def _external_entry(row: code_record.ExternalPackage) -> Entry:
    shown = list(row.ranges.items())[:MAX_RANGES]
    ranges = ", ".join(f"{inline(text)} ({number})" if number > 1 else inline(text) for text, number in shown)
    more = f" and {len(row.ranges) - MAX_RANGES:,} more" if len(row.ranges) > MAX_RANGES else ""
    share = f"{count(row.packages, 'package')} in {count(row.trees, 'project')}"
    rest = ", …" if row.packages > len(row.users) else ""
    users = f"by {inline(', '.join(row.users), PARTICULAR_CHARACTERS)}{rest}"
    conflict = "CONFLICT: " if row.conflict else ""
    return Entry(f"{row.ecosystem} {inline(row.name)}", f"{share}, {users}", f"{conflict}{ranges}{more}")


def _listed(title: str, entries: list[Entry], total: int) -> list[Block]:
    if not entries:
        return []
    shown = f" ({len(entries):,} of {total:,})" if total > len(entries) else ""
    return [Line(f"{title}{shown}:"), Listing(tuple(entries))]


def _cross_repo(answer: code_record.CrossRepo, _now: int | None) -> list[Block]:
    if not answer.packages and not answer.externals:
        return [Line("No packages. Index a project with a package manifest.", "weak"), *notes(answer.notes)]
    inside = answer.links_total - answer.across_total
    head = (
        f"{count(answer.packages_total, 'package')} in {count(answer.trees, 'project')}; "
        f"{count(answer.across_total, 'dependency')} between projects, {inside:,} inside; "
        f"{count(answer.externals_total, 'package')} not indexed, {count(answer.conflicts, 'conflict')}."
    )
    across = [_package_link_entry(link) for link in answer.links if link.across]
    within = [_package_link_entry(link) for link in answer.links if not link.across]
    return [
        Line(head),
        *_listed("Packages", [_package_entry(row) for row in answer.packages], answer.packages_total),
        *_listed("Between projects", across, answer.across_total),
        *_listed("Inside a project", within, inside),
        *_listed("Not indexed", [_external_entry(row) for row in answer.externals], answer.externals_total),
        *notes(answer.notes),
    ]


SHOWN: Mapping[type[Record], Show] = {
    graph_answer.Use: listed(_use_entry),
    graph_answer.OutsideUse: listed(_outside_entry),
    graph_answer.Doubt: listed(_doubt_entry),
    graph_answer.Dependencies: _dependencies,
    graph_answer.Impact: _impact,
    code_record.CrossRepo: _cross_repo,
    code_record.ExternalPackage: listed(_external_entry),
    code_record.PackageLink: listed(_package_link_entry),
    code_record.PackageView: listed(_package_entry),
}

"""Packages and the dependencies between them, as blocks."""

from __future__ import annotations

from collections.abc import Mapping

from recollect.code import code_records
from recollect.model import Record
from recollect.render.block import PARTICULAR_CHARACTERS, Block, Entry, Line, Listing, Show, notes
from recollect.render.measure import count
from recollect.render.untrusted import inline

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


def _link_entry(link: code_records.PackageLink) -> Entry:
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
    share = f"{count(row.packages, 'package')} in {count(row.trees, 'project')}"
    rest = ", …" if row.packages > len(row.users) else ""
    users = f"by {inline(', '.join(row.users), PARTICULAR_CHARACTERS)}{rest}"
    conflict = "CONFLICT: " if row.conflict else ""
    return Entry(f"{row.ecosystem} {inline(row.name)}", f"{share}, {users}", f"{conflict}{ranges}{more}")


def _package(row: code_records.PackageView, _now: int | None) -> list[Block]:
    return [Listing((_package_entry(row),))]


def _link(link: code_records.PackageLink, _now: int | None) -> list[Block]:
    return [Listing((_link_entry(link),))]


def _external(row: code_records.ExternalPackage, _now: int | None) -> list[Block]:
    return [Listing((_external_entry(row),))]


def _listed(title: str, entries: list[Entry], total: int) -> list[Block]:
    if not entries:
        return []
    shown = f" ({len(entries):,} of {total:,})" if total > len(entries) else ""
    return [Line(f"{title}{shown}:"), Listing(tuple(entries))]


def _cross_repo(answer: code_records.CrossRepo, _now: int | None) -> list[Block]:
    if not answer.packages and not answer.externals:
        return [Line("No packages. Index a project with a package manifest.", "weak"), *notes(answer.notes)]
    inside = answer.links_total - answer.across_total
    head = (
        f"{count(answer.packages_total, 'package')} in {count(answer.trees, 'project')}; "
        f"{count(answer.across_total, 'dependency')} between projects, {inside:,} inside; "
        f"{count(answer.externals_total, 'package')} not indexed, {count(answer.conflicts, 'conflict')}."
    )
    across = [_link_entry(link) for link in answer.links if link.across]
    within = [_link_entry(link) for link in answer.links if not link.across]
    return [
        Line(head),
        *_listed("Packages", [_package_entry(row) for row in answer.packages], answer.packages_total),
        *_listed("Between projects", across, answer.across_total),
        *_listed("Inside a project", within, inside),
        *_listed("Not indexed", [_external_entry(row) for row in answer.externals], answer.externals_total),
        *notes(answer.notes),
    ]


SHOWN: Mapping[type[Record], Show] = {
    code_records.CrossRepo: _cross_repo,
    code_records.ExternalPackage: _external,
    code_records.PackageLink: _link,
    code_records.PackageView: _package,
}

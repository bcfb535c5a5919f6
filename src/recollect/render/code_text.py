"""The code index and its symbols, as blocks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from recollect.code import code_records
from recollect.model import CodeHit, Record
from recollect.render.block import (
    PARTICULAR_CHARACTERS,
    Block,
    Entry,
    Facts,
    Line,
    Listing,
    Quote,
    Show,
    listed,
    notes,
    present,
    show_shares,
)
from recollect.render.quantities import count, size
from recollect.render.untrusted import inline, visible

# A signature and the first words of its documentation, on one line of a list.
LISTED_CHARACTERS = 200

# Notes on files that could not be read wholly: a project with samples of broken code has many.
SHOWN_NOTES = 3


def _tally(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{inline(name)} {number:,}" for name, number in counts.items())


def _indexed(done: code_records.Indexed, _now: int | None) -> list[Block]:
    changed = f"{done.read:,} read, {done.unchanged:,} unchanged, {done.removed:,} removed"
    speed = (
        f", {done.read_bytes / done.cpu_s / 1e6:.1f} MB per CPU second" if done.read_bytes > 1e6 and done.cpu_s else ""
    )
    few = (
        ("languages", _tally(done.languages)),
        ("vectors made", f"{done.vectors_made:,}" if done.vectors_made else ""),
        ("files linked", f"{done.linked:,}" if done.linked else ""),
        ("not indexed", _tally(done.skipped)),
    )
    rows = (
        ("root", inline(done.root)),
        ("project", inline(done.namespace or "")),
        ("this run", f"{size(done.read_bytes)}, {done.cpu_s:.2f} s of CPU{speed}"),
        ("size", size(done.size_bytes)),
        ("chunks", f"{done.chunks:,}"),
    )
    what = f"{count(done.files, 'file')}, {count(done.symbols, 'symbol')}"
    said = f"Indexed: {what}; {changed}." if done.read or done.removed else f"Up to date: {what}."
    shown = notes(done.notes[:SHOWN_NOTES])
    rest = [Facts((("note", inline(note, PARTICULAR_CHARACTERS)),), detail=True) for note in done.notes[SHOWN_NOTES:]]
    more = [Line(f"Note: and {len(rest):,} more; --full lists them.", "weak")] if rest else []
    return [Line(said, "good"), Facts(present(few)), Facts(present(rows), detail=True), *shown, *more, *rest]


def _place(hit: code_records.SymbolHit) -> str:
    return inline(f"{hit.path}:{hit.start_line}-{hit.end_line}")


def _entry(hit: code_records.SymbolHit) -> Entry:
    found = "" if hit.match == "exact" else f", {hit.match} match"
    text = f"{hit.signature or hit.qualified}" + (f" — {hit.doc}" if hit.doc else "")
    return Entry(_place(hit), f"{hit.kind} {inline(hit.qualified)}{found}", inline(text, LISTED_CHARACTERS))


def _symbols(answer: code_records.SymbolList, _now: int | None) -> list[Block]:
    asked = Facts((("query", inline(answer.query, PARTICULAR_CHARACTERS)),), detail=True)
    if not answer.symbols:
        none = Line("No symbol has a name like this. Try search_code with a description.", "weak")
        return [none, asked, *notes(answer.notes)]
    head = Line(f"{count(len(answer.symbols), 'symbol')}{', best first' if len(answer.symbols) > 1 else ''}.")
    return [head, asked, Listing(tuple(map(_entry, answer.symbols))), *notes(answer.notes)]


def _listed(title: str, hits: Iterable[code_records.SymbolHit]) -> list[Block]:
    entries = tuple(map(_entry, hits))
    return [Line(title), Listing(entries)] if entries else []


def _symbol(view: code_records.SymbolView, _now: int | None) -> list[Block]:
    hit = view.symbol
    rows = (
        ("owner", inline(view.parent.qualified) if view.parent else ""),
        ("decorators", inline(", ".join(view.decorators), PARTICULAR_CHARACTERS)),
        ("endpoint", inline(view.endpoint or "")),
        ("complexity", view.complexity if view.complexity != "low" else ""),
        ("test", "yes" if view.is_test else ""),
        ("called by", _calls(view.callers, view.callers_total)),
        ("calls", _calls(view.callees, view.callees_total)),
    )
    details = (
        ("id", inline(hit.id)),
        ("visibility", hit.visibility),
        ("language", inline(hit.language)),
        ("root", inline(hit.root)),
        ("project", inline(hit.namespace or "")),
        ("hash", inline(view.hash)),
    )
    return [
        Listing((_entry(hit),)),
        Facts(present(rows)),
        Facts(present(details), detail=True),
        *_listed("Members:", view.children),
        *_listed("Other symbols with this name:", view.others),
        *([Quote("source", (), visible(view.source))] if view.source else []),
    ]


def _calls(ids: Sequence[str], total: int | None) -> str:
    """Return the names at the other ends of calls, and how many more there are."""
    if total is None:
        return "not resolved yet: ask again in a few seconds"
    shown = ", ".join(name.rpartition("::")[2] for name in ids)
    more = f" and {total - len(ids):,} more" if total > len(ids) else ""
    return inline(shown, PARTICULAR_CHARACTERS) + more if ids else "nothing found"


def show_places(hits: Sequence[CodeHit]) -> list[Block]:
    """Return places in the code as blocks, in their order; paths are absolute if they are of several projects."""
    roots = {hit.root for hit in hits}
    entries = [_place_entry(hit, with_root=len(roots) > 1) for hit in hits]
    facts = [Facts((("root", inline(root)),), detail=True) for root in roots if root and len(roots) == 1]
    if not any(hit.shares for hit in hits):
        return [*facts, Listing(tuple(entries))]
    blocks: list[Block] = [*facts]
    for entry, hit in zip(entries, hits, strict=True):
        blocks += [Listing((entry,)), *show_shares(hit.shares)]
    return blocks


def _place_entry(hit: CodeHit, *, with_root: bool) -> Entry:
    path = f"{hit.root}/{hit.path}" if with_root and hit.root else hit.path
    place = inline(f"{path}:{hit.start_line}-{hit.end_line}")
    text = " — ".join(part for part in (hit.signature or hit.symbol, hit.doc) if part)
    why = f" · {inline(hit.reason)}" if hit.reason else ""
    head = ", ".join(part for part in (inline(hit.symbol), f"{hit.score:.2f}") if part)
    return Entry(place, head + why, inline(text, LISTED_CHARACTERS))


def _code_hits(answer: code_records.CodeHits, _now: int | None) -> list[Block]:
    rows = (("query", inline(answer.query, PARTICULAR_CHARACTERS)), ("search", answer.mode))
    asked = Facts(rows, detail=True)
    if not answer.hits:
        none = Line("No code found. Try other words, a lower min_score, or index the project first.", "weak")
        return [none, asked, *notes(answer.notes)]
    head = Line(f"{count(len(answer.hits), 'place')}{', best first' if len(answer.hits) > 1 else ''}.")
    return [head, asked, *show_places(answer.hits), *notes(answer.notes)]


SHOWN: Mapping[type[Record], Show] = {
    CodeHit: lambda hit, _now: show_places((hit,)),
    code_records.CodeHits: _code_hits,
    code_records.Indexed: _indexed,
    code_records.SymbolHit: listed(_entry),
    code_records.SymbolList: _symbols,
    code_records.SymbolView: _symbol,
}

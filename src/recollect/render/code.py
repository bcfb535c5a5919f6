"""The code index and its symbols, as blocks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from recollect.code import record
from recollect.model import CodeHit, Record
from recollect.render.block import PARTICULAR_CHARACTERS, Block, Entry, Facts, Line, Listing, Show, present
from recollect.render.measure import count, size
from recollect.render.shares import show_shares
from recollect.render.untrusted import inline

# A signature and the first words of its documentation, on one line of a list.
LISTED_CHARACTERS = 200


def _tally(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{inline(name)} {number:,}" for name, number in counts.items())


def _indexed(done: record.Indexed, _now: int | None) -> list[Block]:
    changed = f"{count(done.read, 'file')} read, {done.unchanged:,} unchanged, {done.removed:,} removed"
    speed = (
        f", {done.read_bytes / done.cpu_s / 1e6:.1f} MB per CPU second" if done.read_bytes > 1e6 and done.cpu_s else ""
    )
    rows = (
        ("root", inline(done.root)),
        ("namespace", inline(done.namespace or "")),
        ("this run", f"{changed} ({size(done.read_bytes)}, {done.cpu_s:.2f} s of CPU{speed})"),
        ("files", f"{done.files:,} ({size(done.size_bytes)})"),
        ("languages", _tally(done.languages)),
        ("symbols", f"{done.symbols:,}"),
        ("pieces", f"{done.chunks:,}"),
        ("vectors made", f"{done.vectors_made:,}" if done.vectors_made else ""),
        ("files linked", f"{done.linked:,}" if done.linked else ""),
        ("not indexed", _tally(done.skipped)),
    )
    notes = [Line(f"Note: {inline(note, PARTICULAR_CHARACTERS)}", "weak") for note in done.notes]
    said = "Indexed." if done.read or done.removed else "Everything was up to date."
    return [Line(said, "good"), Facts(present(rows)), *notes]


def _place(hit: record.SymbolHit) -> str:
    return inline(f"{hit.path}:{hit.start_line}-{hit.end_line}")


def _entry(hit: record.SymbolHit) -> Entry:
    found = "" if hit.match == "exact" else f", {hit.match}"
    text = f"{hit.signature or hit.qualified}" + (f" — {hit.doc}" if hit.doc else "")
    return Entry(_place(hit), f"{hit.kind} {inline(hit.qualified)}{found}", inline(text, LISTED_CHARACTERS))


def _hit(hit: record.SymbolHit, _now: int | None) -> list[Block]:
    return [Listing((_entry(hit),))]


def _symbols(answer: record.SymbolList, _now: int | None) -> list[Block]:
    notes: list[Block] = [Line(inline(note), "weak") for note in answer.notes]
    asked = inline(answer.query, PARTICULAR_CHARACTERS)
    if not answer.symbols:
        return [Line(f"No symbol is named like {asked}.", "weak"), *notes]
    head = Line(f"{count(len(answer.symbols), 'symbol')} for {asked}.")
    return [head, Listing(tuple(map(_entry, answer.symbols))), *notes]


def _listed(title: str, hits: Iterable[record.SymbolHit]) -> list[Block]:
    entries = tuple(map(_entry, hits))
    return [Line(title), Listing(entries)] if entries else []


def _symbol(view: record.SymbolView, _now: int | None) -> list[Block]:
    hit = view.symbol
    rows = (
        ("id", inline(hit.id)),
        ("kind", f"{hit.visibility} {hit.kind}"),
        ("place", f"{_place(hit)} ({inline(hit.language)})"),
        ("namespace", inline(hit.namespace or "")),
        ("owner", inline(view.parent.qualified) if view.parent else ""),
        ("decorators", inline(", ".join(view.decorators), PARTICULAR_CHARACTERS)),
        ("endpoint", inline(view.endpoint or "")),
        ("complexity", view.complexity),
        ("test", "yes" if view.is_test else ""),
        ("hash", inline(view.hash)),
        ("called by", _calls(view.callers, view.callers_total)),
        ("calls", _calls(view.callees, view.callees_total)),
    )
    return [
        *_hit(hit, None),
        Facts(present(rows)),
        *_listed("Parts:", view.children),
        *_listed("The same words may also mean:", view.others),
    ]


def _calls(ids: Sequence[str], total: int | None) -> str:
    """Return the ends of calls as path and name, and how many more there are; nothing where that is not known."""
    if total is None:
        return ""
    shown = ", ".join(name.rpartition("::")[2] for name in ids)
    more = f" and {total - len(ids):,} more" if total > len(ids) else ""
    return inline(shown, PARTICULAR_CHARACTERS) + more if ids else "nothing that is known"


def show_places(hits: Sequence[CodeHit]) -> list[Block]:
    """Return places in the code as blocks, in their order: of one project below its root, of several with theirs."""
    roots = {hit.root for hit in hits}
    entries = [_place_entry(hit, with_root=len(roots) > 1) for hit in hits]
    facts = [Facts((("root", inline(root)),)) for root in roots if root and len(roots) == 1]
    if not any(hit.shares for hit in hits):
        return [*facts, Listing(tuple(entries))]
    blocks: list[Block] = [*facts]
    for entry, hit in zip(entries, hits, strict=True):
        blocks += [Listing((entry,)), *show_shares(hit.shares)]
    return blocks


def _place_entry(hit: CodeHit, *, with_root: bool) -> Entry:
    path = f"{hit.root}/{hit.path}" if with_root and hit.root else hit.path
    place = inline(f"{path}:{hit.start_line}-{hit.end_line}")
    head = " ".join(part for part in (hit.kind, inline(hit.symbol)) if part)
    told = " — ".join(part for part in (hit.signature, hit.doc) if part)
    why = f"score {hit.score:.2f}: {inline(hit.reason)}" if hit.reason else f"score {hit.score:.2f}"
    return Entry(place, f"{head}, {why}" if head else why, inline(told, LISTED_CHARACTERS))


def _code_hit(hit: CodeHit, _now: int | None) -> list[Block]:
    return show_places((hit,))


def _code_hits(answer: record.CodeHits, _now: int | None) -> list[Block]:
    notes: list[Block] = [Line(f"Note: {inline(note, PARTICULAR_CHARACTERS)}", "weak") for note in answer.notes]
    asked = inline(answer.query, PARTICULAR_CHARACTERS)
    if not answer.hits:
        return [Line(f"No place found for {asked} ({answer.mode} search).", "weak"), *notes]
    head = Line(f"{count(len(answer.hits), 'place')} for {asked}, best first ({answer.mode} search).")
    return [head, *show_places(answer.hits), *notes]


SHOWN: Mapping[type[Record], Show] = {
    CodeHit: _code_hit,
    record.CodeHits: _code_hits,
    record.Indexed: _indexed,
    record.SymbolHit: _hit,
    record.SymbolList: _symbols,
    record.SymbolView: _symbol,
}

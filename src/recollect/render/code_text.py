"""The code index, symbols, maps, reviews, cycles and dead code, as blocks."""

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
    part,
    present,
    show_shares,
)
from recollect.render.quantities import size
from recollect.render.untrusted import ident, inline, visible
from recollect.text.display import plural

# A link by a resolved name is 0.9 or more; only less than that is worth a word.
CERTAIN = 0.9
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
    what = f"{plural(done.files, 'file')}, {plural(done.symbols, 'symbol')}"
    said = f"Indexed: {what}; {changed}." if done.read or done.removed else f"Up to date: {what}."
    shown = notes(done.notes[:SHOWN_NOTES])
    rest = [Facts((("note", inline(note, PARTICULAR_CHARACTERS)),), detail=True) for note in done.notes[SHOWN_NOTES:]]
    more = [Line(f"Note: and {len(rest):,} more; --full lists them.", "weak")] if rest else []
    return [Line(said, "good"), Facts(present(few)), Facts(present(rows), detail=True), *shown, *more, *rest]


def _entry(hit: code_records.SymbolHit) -> Entry:
    found = "" if hit.match == "exact" else f", {hit.match} match"
    text = f"{hit.signature or hit.qualified}" + (f" — {hit.doc}" if hit.doc else "")
    place = inline(f"{hit.path}:{hit.start_line}-{hit.end_line}")
    return Entry(place, f"{hit.kind} {inline(hit.qualified)}{found}", inline(text, LISTED_CHARACTERS))


def _symbols(answer: code_records.SymbolList, _now: int | None) -> list[Block]:
    asked = Facts((("query", inline(answer.query, PARTICULAR_CHARACTERS)),), detail=True)
    if not answer.symbols:
        none = Line("No symbol has a name like this. Try `recollect code` with a description.", "weak")
        return [none, asked, *notes(answer.notes)]
    head = Line(f"{plural(len(answer.symbols), 'symbol')}{', best first' if len(answer.symbols) > 1 else ''}.")
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
        ("called by", _calls(view.callers, view.callers_total, hit)),
        ("calls", _calls(view.callees, view.callees_total, hit)),
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
        *notes(view.notes),
    ]


def _calls(ids: Sequence[str], total: int | None, hit: code_records.SymbolHit) -> str:
    """Return the other ends of a symbol's calls, and how many more there are; ends in its own file without a path."""
    if total is None:
        return "not resolved yet: ask again in a few seconds"
    ends = (end.partition(":")[2].removeprefix(f"{hit.root}/") for end in ids)
    shown = ", ".join(end.removeprefix(f"{hit.path}::") for end in ends)
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
        none = Line("No code found. Try other words, a lower minimum score, or index the project first.", "weak")
        return [none, asked, *notes(answer.notes)]
    head = Line(f"{plural(len(answer.hits), 'place')}{', best first' if len(answer.hits) > 1 else ''}.")
    return [head, asked, *show_places(answer.hits), *notes(answer.notes)]


# A reason and its subject, on one line of a list.
REASON_CHARACTERS = 240


def _more(shown: int, total: int) -> str:
    return f", {shown:,} shown" if shown < total else ""


# --- map ---


def _map(answer: code_records.RepoMap, _now: int | None) -> list[Block]:
    if not answer.files:
        return [Line("No code is indexed here. Run `recollect index` first.", "weak"), *notes(answer.notes)]
    shown = sum(len(file.symbols) for file in answer.files)
    files = f"{len(answer.files):,} of {answer.files_total:,} files"
    details = (
        ("root", inline(answer.root)),
        ("focus", inline(", ".join(answer.focus))),
        ("tokens", f"{answer.tokens:,} of {answer.budget:,}"),
    )
    return [
        Line(f"{files}, {shown:,} of {answer.symbols_total:,} symbols."),
        Quote("", (), visible(answer.text()), details=present(details)),
        *notes(answer.notes),
    ]


# --- review ---


def _where(path: str, symbol: str, line: int) -> str:
    return inline(f"{path}:{line}" + (f" {symbol}" if symbol else ""))


def _change_entry(row: code_records.ChangedSymbol) -> Entry:
    was = f" (was {inline(row.was)})" if row.was else ""
    now = f" — {row.before} → {row.signature}" if row.before else ""
    risk = f"{row.risk} risk {row.score:.2f}" if row.risk != "none" else "no risk"
    return Entry(
        _where(row.path, row.symbol, row.line),
        f"{risk}, {row.kind} {row.change}{was}",
        inline(row.why + now, REASON_CHARACTERS),
    )


def _affected_entry(row: code_records.Affected) -> Entry:
    far = "changed" if row.depth == 0 else plural(row.depth, "link") + " away"
    endpoint = f", endpoint {row.endpoint}" if row.endpoint else ""
    sure = "" if row.confidence >= CERTAIN else f", confidence {row.confidence:.2f}"
    place = _where(row.place.path, row.place.symbol, row.place.line)
    return Entry(place, far + sure, inline(row.why + endpoint, REASON_CHARACTERS))


def _run(row: code_records.RunTests, _now: int | None) -> list[Block]:
    return [Facts((("run", inline(row.command)),))]


def _touched_entry(row: code_records.TouchedMemory) -> Entry:
    fresh = f", {row.verdict}" if row.verdict not in ("", "fresh") else ""
    written = f", {row.written}" if row.written else ""
    said = f"{row.title}: “{row.sentence}”" if row.sentence and row.sentence not in row.title else row.title
    return Entry(
        ident(row.memory_id),
        f"{row.relation}, {row.memory_type}{written}{fresh}",
        inline(f"{said} — {row.why}", REASON_CHARACTERS * 2),
    )


def _review(answer: code_records.Review, now: int | None) -> list[Block]:
    facts = Facts(present((("source", inline(answer.source)), ("root", inline(answer.root)))), detail=True)
    if not answer.changes:
        head = (
            "Nothing to review: no file differs."
            if not answer.files
            else f"{plural(answer.files, 'file')} changed, but no symbol of code."
        )
        return [Line(head, "weak"), facts, *_memories(answer), *notes(answer.notes)]
    risks = [sum(row.risk == level for row in answer.changes) for level in ("high", "medium")]
    risky = ", ".join(
        f"{number:,} {level} risk" for number, level in zip(risks, ("high", "medium"), strict=True) if number
    )
    head = f"{plural(answer.files, 'file')}, {plural(answer.changes_total, 'changed symbol')}" + (
        f": {risky}." if risky else "."
    )
    runs = [block for row in answer.commands for block in _run(row, now)]
    tests = [_affected_entry(row) for row in answer.tests]
    packages = Facts(present((("packages", inline(", ".join(answer.packages), PARTICULAR_CHARACTERS)),)))
    return [
        Line(head),
        facts,
        *part("Changes, riskiest first", [_change_entry(row) for row in answer.changes], answer.changes_total),
        *_memories(answer),
        *part(
            f"Affected within {plural(answer.depth, 'link')}, broken and nearest first",
            [_affected_entry(row) for row in answer.affected],
            answer.affected_total,
        ),
        *part("Endpoints", [_affected_entry(row) for row in answer.endpoints], answer.endpoints_total),
        *([packages] if packages.rows else []),
        *part("Tests to run, most likely to fail first", tests, answer.tests_total),
        *runs,
        *notes(answer.notes),
    ]


def _memories(answer: code_records.Review) -> list[Block]:
    entries = [_touched_entry(row) for row in answer.memories]
    return part("Memories about the changes", entries, answer.memories_total)


# --- cycles ---


def _short(place: code_records.CodePlace) -> str:
    return place.symbol or place.path


def _cycle_link_entry(link: code_records.CycleLink) -> Entry:
    uses = f"{plural(link.uses, 'use')}" if link.source.kind == "File" else f"confidence {link.confidence:.2f}"
    return Entry(
        _where(link.source.path, link.source.symbol, link.source.line), f"→ {inline(_short(link.target))}", uses
    )


def _cycle(cycle: code_records.Cycle, _now: int | None) -> list[Block]:
    what = "file" if cycle.members[0].kind == "File" else "function"
    rest = f"leaves {plural(cycle.left, what)} in cycles" if cycle.left else "breaks the cycle"
    cut = f"{_short(cycle.cut.source)} → {_short(cycle.cut.target)} ({rest})"
    shortest = f", shortest cycle {len(cycle.way)}" if len(cycle.way) < cycle.size else ""
    return [
        Line(f"{plural(cycle.size, what)}, {plural(cycle.links, 'link')} between them{shortest}:"),
        Listing(tuple(_cycle_link_entry(link) for link in cycle.way)),
        Facts((("cheapest cut", inline(cut, PARTICULAR_CHARACTERS)),)),
    ]


def _cycles(answer: code_records.Cycles, now: int | None) -> list[Block]:
    if not answer.cycles:
        return [Line(f"No cycles of {answer.of}.", "weak" if answer.notes else "good"), *notes(answer.notes)]
    kind = answer.of.removesuffix("s")
    order = ", largest first" if len(answer.cycles) > 1 else ""
    head = f"{plural(answer.total, f'{kind} cycle')}{_more(len(answer.cycles), answer.total)}{order}."
    return [Line(head), *(block for cycle in answer.cycles for block in _cycle(cycle, now)), *notes(answer.notes)]


# --- dead code ---


def _dead_entry(row: code_records.DeadSymbol) -> Entry:
    hit = row.symbol
    places = ", ".join(f"{place.path}:{place.line}" for place in row.mentions)
    more = f" and {row.mentions_total - len(row.mentions):,} more" if row.mentions_total > len(row.mentions) else ""
    return Entry(
        inline(f"{hit.path}:{hit.start_line}-{hit.end_line}"),
        f"confidence {row.confidence:.2f}, {hit.visibility} {hit.kind} {inline(hit.qualified)}",
        inline(row.why + (f": {places}{more}" if places else ""), REASON_CHARACTERS),
    )


def _dead_code(answer: code_records.DeadCode, _now: int | None) -> list[Block]:
    excused = ", ".join(f"{inline(why)} {number:,}" for why, number in answer.excused.items())
    facts = Facts(present((("checked", plural(answer.looked_at, "symbol")), ("left out", excused))))
    if not answer.symbols:
        return [Line("No dead code found.", "weak" if answer.notes else "good"), facts, *notes(answer.notes)]
    shown = _more(len(answer.symbols), answer.total)
    order = ", most certain first" if len(answer.symbols) > 1 else ""
    head = Line(f"{plural(answer.total, 'symbol')} probably unused{shown}{order}.")
    return [head, facts, Listing(tuple(map(_dead_entry, answer.symbols))), *notes(answer.notes)]


SHOWN: Mapping[type[Record], Show] = {
    CodeHit: lambda hit, _now: show_places((hit,)),
    code_records.CodeHits: _code_hits,
    code_records.Indexed: _indexed,
    code_records.SymbolHit: listed(_entry),
    code_records.SymbolList: _symbols,
    code_records.SymbolView: _symbol,
    code_records.RepoMap: _map,
    code_records.ChangedSymbol: listed(_change_entry),
    code_records.Affected: listed(_affected_entry),
    code_records.RunTests: _run,
    code_records.TouchedMemory: listed(_touched_entry),
    code_records.Review: _review,
    code_records.Cycle: _cycle,
    code_records.Cycles: _cycles,
    code_records.DeadSymbol: listed(_dead_entry),
    code_records.DeadCode: _dead_code,
}

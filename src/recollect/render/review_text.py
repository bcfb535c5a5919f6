"""Maps, reviews, cycles and dead code, as blocks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from recollect.code import code_records
from recollect.model import Record
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
)
from recollect.render.dependency_text import CERTAIN
from recollect.render.quantities import count
from recollect.render.untrusted import ident, inline, visible

# A reason and its subject, on one line of a list.
LISTED_CHARACTERS = 240


def _more(shown: int, total: int) -> str:
    return f", {shown:,} shown" if shown < total else ""


# --- map ---


def _map(answer: code_records.RepoMap, _now: int | None) -> list[Block]:
    if not answer.files:
        return [Line("No code is indexed here. Run index_codebase first.", "weak"), *notes(answer.notes)]
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
        inline(row.why + now, LISTED_CHARACTERS),
    )


def _affected_entry(row: code_records.Affected) -> Entry:
    far = "changed" if row.depth == 0 else count(row.depth, "link") + " away"
    endpoint = f", endpoint {row.endpoint}" if row.endpoint else ""
    sure = "" if row.confidence >= CERTAIN else f", confidence {row.confidence:.2f}"
    place = _where(row.place.path, row.place.symbol, row.place.line)
    return Entry(place, far + sure, inline(row.why + endpoint, LISTED_CHARACTERS))


def _run(row: code_records.RunTests, _now: int | None) -> list[Block]:
    return [Facts((("run", inline(row.command)),))]


def _touched_entry(row: code_records.TouchedMemory) -> Entry:
    fresh = f", {row.verdict}" if row.verdict not in ("", "fresh") else ""
    written = f", {row.written}" if row.written else ""
    said = f"{row.title}: “{row.sentence}”" if row.sentence and row.sentence not in row.title else row.title
    return Entry(
        ident(row.memory_id),
        f"{row.relation}, {row.memory_type}{written}{fresh}",
        inline(f"{said} — {row.why}", LISTED_CHARACTERS * 2),
    )


def _part(head: str, entries: Sequence[Entry], total: int) -> list[Block]:
    if not entries:
        return []
    return [Line(f"{head} ({total:,}{_more(len(entries), total)}):"), Listing(tuple(entries))]


def _review(answer: code_records.Review, now: int | None) -> list[Block]:
    facts = Facts(present((("source", inline(answer.source)), ("root", inline(answer.root)))), detail=True)
    if not answer.changes:
        head = (
            "Nothing to review: no file differs."
            if not answer.files
            else f"{count(answer.files, 'file')} changed, but no symbol of code."
        )
        return [Line(head, "weak"), facts, *_memories(answer), *notes(answer.notes)]
    risks = [sum(row.risk == level for row in answer.changes) for level in ("high", "medium")]
    risky = ", ".join(
        f"{number:,} {level} risk" for number, level in zip(risks, ("high", "medium"), strict=True) if number
    )
    head = f"{count(answer.files, 'file')}, {count(answer.changes_total, 'changed symbol')}" + (
        f": {risky}." if risky else "."
    )
    runs = [block for row in answer.commands for block in _run(row, now)]
    tests = [_affected_entry(row) for row in answer.tests]
    packages = Facts(present((("packages", inline(", ".join(answer.packages), PARTICULAR_CHARACTERS)),)))
    return [
        Line(head),
        facts,
        *_part("Changes, riskiest first", [_change_entry(row) for row in answer.changes], answer.changes_total),
        *_memories(answer),
        *_part(
            f"Affected within {count(answer.depth, 'link')}, nearest first",
            [_affected_entry(row) for row in answer.affected],
            answer.affected_total,
        ),
        *_part("Endpoints", [_affected_entry(row) for row in answer.endpoints], answer.endpoints_total),
        *([packages] if packages.rows else []),
        *_part("Tests to run, most likely to fail first", tests, answer.tests_total),
        *runs,
        *notes(answer.notes),
    ]


def _memories(answer: code_records.Review) -> list[Block]:
    entries = [_touched_entry(row) for row in answer.memories]
    return _part("Memories about the changes", entries, answer.memories_total)


# --- cycles ---


def _short(place: code_records.CodePlace) -> str:
    return place.symbol or place.path


def _cycle_link_entry(link: code_records.CycleLink) -> Entry:
    uses = f"{count(link.uses, 'use')}" if link.source.kind == "File" else f"confidence {link.confidence:.2f}"
    return Entry(
        _where(link.source.path, link.source.symbol, link.source.line), f"→ {inline(_short(link.target))}", uses
    )


def _cycle(cycle: code_records.Cycle, _now: int | None) -> list[Block]:
    what = "file" if cycle.members[0].kind == "File" else "function"
    rest = f"leaves {count(cycle.left, what)} in cycles" if cycle.left else "breaks the cycle"
    cut = f"{_short(cycle.cut.source)} → {_short(cycle.cut.target)} ({rest})"
    shortest = f", shortest cycle {len(cycle.way)}" if len(cycle.way) < cycle.size else ""
    return [
        Line(f"{count(cycle.size, what)}, {count(cycle.links, 'link')} between them{shortest}:"),
        Listing(tuple(_cycle_link_entry(link) for link in cycle.way)),
        Facts((("cheapest cut", inline(cut, PARTICULAR_CHARACTERS)),)),
    ]


def _cycles(answer: code_records.Cycles, now: int | None) -> list[Block]:
    if not answer.cycles:
        return [Line(f"No {answer.of} cycles.", "weak" if answer.notes else "good"), *notes(answer.notes)]
    head = f"{count(answer.total, f'{answer.of} cycle')}{_more(len(answer.cycles), answer.total)}, largest first."
    return [Line(head), *(block for cycle in answer.cycles for block in _cycle(cycle, now)), *notes(answer.notes)]


# --- dead code ---


def _dead_entry(row: code_records.DeadSymbol) -> Entry:
    hit = row.symbol
    places = ", ".join(f"{place.path}:{place.line}" for place in row.mentions)
    more = f" and {row.mentions_total - len(row.mentions):,} more" if row.mentions_total > len(row.mentions) else ""
    return Entry(
        inline(f"{hit.path}:{hit.start_line}-{hit.end_line}"),
        f"confidence {row.confidence:.2f}, {hit.visibility} {hit.kind} {inline(hit.qualified)}",
        inline(row.why + (f": {places}{more}" if places else ""), LISTED_CHARACTERS),
    )


def _dead_code(answer: code_records.DeadCode, _now: int | None) -> list[Block]:
    excused = ", ".join(f"{inline(why)} {number:,}" for why, number in answer.excused.items())
    facts = Facts(present((("checked", count(answer.looked_at, "symbol")), ("used indirectly", excused))))
    if not answer.symbols:
        return [Line("No dead code found.", "weak" if answer.notes else "good"), facts, *notes(answer.notes)]
    shown = _more(len(answer.symbols), answer.total)
    head = Line(f"{count(answer.total, 'symbol')} probably unused{shown}, most certain first.")
    return [head, facts, Listing(tuple(map(_dead_entry, answer.symbols))), *notes(answer.notes)]


SHOWN: Mapping[type[Record], Show] = {
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

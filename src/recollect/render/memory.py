"""Memories and what was done with them, as blocks."""

from __future__ import annotations

from collections.abc import Mapping

from recollect import model
from recollect.render.block import (
    PARTICULAR_CHARACTERS,
    Block,
    Entry,
    Fact,
    Facts,
    Line,
    Listing,
    Quote,
    Show,
    particular,
    present,
)
from recollect.render.code import show_places
from recollect.render.measure import count, day, since
from recollect.render.shares import show_shares
from recollect.render.untrusted import clip, inline, oneline, visible
from recollect.text.redact import told

# A recalled memory is shown whole up to here, about 500 tokens, so that ten of them fit beside a question; of a longer
# one the passage that matched is shown. `get` shows all.
RECALLED_CHARACTERS = 2_000
# A listed memory is a reminder of itself: one line of a wide terminal.
LISTED_CHARACTERS = 120


def _particulars(memory: model.Memory, now: int | None) -> tuple[Fact, ...]:
    """Return what a reader must know to use a memory: who it is, where it belongs, and whether it still holds."""
    return present(
        (
            ("id", inline(memory.id)),
            ("title", inline(memory.title or "")),
            ("namespace", inline(memory.namespace or "")),
            ("category", inline(memory.category or "")),
            ("tags", inline(", ".join(memory.tags))),
            ("source", memory.source if memory.source != "user" else ""),
            ("trust", f"{memory.trust:.2f}" if memory.trust < 1 else ""),
            ("confidence", f"{memory.confidence:.2f}" if memory.confidence < 1 else ""),
            ("superseded by", inline(memory.superseded_by or "")),
            ("valid until", day(memory.valid_to, now) if memory.valid_to is not None else ""),
            ("expires", day(memory.expires_at, now) if memory.expires_at is not None else ""),
        )
    )


def _memory(memory: model.Memory, now: int | None) -> list[Block]:
    facts = _particulars(memory, now) + present(
        (
            ("importance", f"{memory.importance:.2f}"),
            ("branch", inline(memory.branch or "")),
            ("updated", day(memory.updated_at, now) if memory.updated_at > memory.created_at else ""),
            ("read", count(memory.access_count, "time") if memory.access_count else ""),
            ("metadata", particular(memory.metadata) if memory.metadata else ""),
        )
    )
    return [Quote(f"{memory.memory_type} of {day(memory.created_at, now)}", facts, visible(memory.content))]


def _stored(stored: model.Stored, now: int | None) -> list[Block]:
    memory = stored.memory
    known = "Known already; what was new about it was added." if stored.merged else "Known already: nothing was stored."
    facts = _particulars(memory, now) + present(
        (
            ("type", memory.memory_type),
            ("importance", f"{memory.importance:.2f}"),
            ("branch", inline(memory.branch or "")),
            ("changed", inline(", ".join(stored.merged))),
            ("note", told(stored.redacted)),
        )
    )
    said = Line("Stored.", "good") if stored.created else Line(known, "weak")
    return [said, Facts(facts), *(block for row in stored.amends for block in _amendment(row, now))]


def _amendment(row: model.Amendment, _now: int | None) -> list[Block]:
    said = "supersedes" if row.superseded else "contradicts"
    facts = ((said, inline(row.memory_id)), ("link", row.relationship))
    return [Quote("older memory", facts, visible(clip(row.why, PARTICULAR_CHARACTERS)))]


def _deleted(deleted: model.Deleted, _now: int | None) -> list[Block]:
    if deleted.restored:
        return [Line(f"Restored {count(deleted.restored, 'memory')}.")]
    if not deleted.deleted:
        return [Line("Nothing was deleted.", "weak")]
    return [Line(f"Deleted {count(deleted.deleted, 'memory')}."), Facts((("batch to undo", inline(deleted.batch)),))]


def _purge(purge: model.Purge, _now: int | None) -> list[Block]:
    said = "Would remove" if purge.dry_run else "Removed"
    rows = (
        ("ids", inline(", ".join(purge.memories))),
        ("with them", inline(", ".join(purge.along))),
        ("emptied entries of the log", f"{purge.changes:,}" if purge.changes else ""),
        ("derived rows dropped", f"{purge.others:,}" if purge.others else ""),
        ("same words, left as they are", inline(", ".join(purge.elsewhere))),
        ("files", "" if purge.dry_run else "written anew" if purge.scrubbed else "not written anew"),
    )
    lines: list[Block] = [Line(f"{said} {count(len(purge.memories) + len(purge.along), 'memory')} for good.")]
    return [*lines, Facts(present(rows)), *(Line(inline(note), "weak") for note in purge.notes)]


def _page(page: model.MemoryPage, now: int | None) -> list[Block]:
    if not page.memories:
        return [Line(f"No memories here ({page.total:,} in all)." if page.total else "No memories.", "weak")]
    first, last = page.offset + 1, page.offset + len(page.memories)
    more = f" Ask with offset {last} for more." if last < page.total else ""
    entries = tuple(
        Entry(
            inline(memory.id),
            " · ".join(
                part
                for part in (memory.memory_type, since(memory.updated_at, now), inline(memory.namespace or ""))
                if part
            ),
            inline(memory.title or memory.content, LISTED_CHARACTERS),
        )
        for memory in page.memories
    )
    return [Line(f"Memories {first:,} to {last:,} of {page.total:,}.{more}"), Listing(entries)]


def _hit(hit: model.Hit, now: int | None, number: int = 1, numbers: Mapping[str, int] = {}) -> list[Block]:
    memory = hit.memory
    text, omitted = _recalled(hit)
    facts = _particulars(memory, now) + present(
        (
            ("author", inline(memory.author or "")),
            ("session", inline(memory.session_id or "")),
            ("time", day(memory.valid_from, now) if memory.valid_from is not None else ""),
            ("said again in", inline(", ".join(hit.folded))),
            *_fresh_facts(hit.freshness),
            *_branch_facts(hit.branch),
            ("use", inline(hit.use)),
            ("why", inline(hit.reason)),
            *_judged_facts(hit.judged),
        )
    )
    # When it was said is told above; when it was stored tells nothing then.
    stored = f", {day(memory.updated_at, now)}" if memory.valid_from is None else ""
    head = f"{number}. {memory.memory_type}, score {hit.score:.2f}{stored}"
    return [Quote(head, facts, text + _answered(hit.reply, numbers), omitted), *show_shares(hit.signals.shares)]


def _fresh_facts(fresh: model.Freshness) -> tuple[Fact, ...]:
    """What became of the code that a memory speaks of; paths and names are as little ours as the memory."""
    return (("code", inline(fresh.note)),) if fresh.note else ()


def _branch_facts(branch: model.Branched | None) -> tuple[Fact, ...]:
    """The branch that a memory was written on, in words; its name is as little ours as the memory."""
    return (("branch", inline(branch.note)),) if branch is not None else ()


def _branched(branch: model.Branched, _now: int | None) -> list[Block]:
    facts = (("branch", inline(branch.name)), ("standing", branch.standing), ("note", inline(branch.note)))
    return [Facts(facts)]


def _freshness(fresh: model.Freshness, now: int | None) -> list[Block]:
    blocks: list[Block] = [Line(inline(fresh.note) or f"{fresh.verdict}: it speaks of no code.")]
    for row in fresh.anchors:
        blocks += _anchored(row, now)
    return blocks


def _anchored(row: model.Anchored, now: int | None) -> list[Block]:
    facts = (
        ("place", inline(_place(row.path, row.symbol))),
        ("verdict", row.verdict),
        ("now", inline(_place(row.now_path, row.now_symbol)) if row.now_path is not None else ""),
        ("since", day(row.since, now) if row.since is not None else ""),
        ("hash of", day(row.taken_at, now) if row.taken_at is not None else ""),
        ("taken late", "the code was not indexed when it was written" if row.late else ""),
    )
    return [Facts(present(facts))]


def _place(path: str, symbol: str | None) -> str:
    return path if symbol is None else f"{path}::{symbol}"


def _drift(drift: model.Drift, now: int | None) -> list[Block]:
    notes: list[Block] = [Facts(tuple(("note", inline(note)) for note in drift.notes))] if drift.notes else []
    if not drift.memories:
        return [Line("No memory has drifted from the code.", "good"), *notes]
    more = f", {len(drift.memories):,} shown" if drift.total > len(drift.memories) else ""
    head = f"{count(drift.total, 'memory')} to settle{more}: keep, update or retire each by its id."
    blocks: list[Block] = [Line(head), *notes]
    for number, row in enumerate(drift.memories, 1):
        blocks += _drifted(row, now, number)
    return blocks


def _drifted(row: model.Drifted, now: int | None, number: int = 1) -> list[Block]:
    facts = _particulars(row.memory, now) + _fresh_facts(row.freshness)
    text = clip(visible(row.memory.content), RECALLED_CHARACTERS)
    omitted = max(0, len(visible(row.memory.content)) - len(text))
    return [Quote(f"{number}. {row.memory.memory_type} of {day(row.memory.updated_at, now)}", facts, text, omitted)]


def _settled(settled: model.Settled, _now: int | None) -> list[Block]:
    told = {"keep": "Kept: it holds for the code as it is.", "update": "Updated.", "retire": "Retired."}
    facts = (("id", inline(settled.memory.id)), *_fresh_facts(settled.freshness), ("batch to undo", settled.batch))
    return [Line(told[settled.action], "good"), Facts(present(facts))]


def _recalled(hit: model.Hit) -> tuple[str, int]:
    """Return what of a memory is shown and how many characters are not: of a long one, the passage that matched."""
    whole = len(hit.memory.content)
    first, end = (
        (0, whole) if hit.passage is None or whole <= RECALLED_CHARACTERS else (hit.passage.start, hit.passage.end)
    )
    text = visible(hit.told(first, end))
    shown = clip(text, RECALLED_CHARACTERS)
    before, after = "… " if first > 0 else "", " …" if end < whole and shown == text else ""
    return before + shown + after, whole - (end - first) + len(text) - len(shown)


def _answered(reply: model.Reply | None, numbers: Mapping[str, int]) -> str:
    """Return the reply to a hit as an indented line below it; where it is a hit itself, its number is enough."""
    if reply is None:
        return ""
    if reply.memory_id in numbers:
        return f"\n    reply: number {numbers[reply.memory_id]}"
    by = f" by {inline(reply.author)}" if reply.author else ""
    return f"\n    reply{by} ({inline(reply.memory_id)}): {inline(reply.text, PARTICULAR_CHARACTERS)}"


def _judged_facts(judged: model.Judged | None) -> tuple[Fact, ...]:
    """What a language model said of a hit: its words are as little ours as the memory's."""
    if judged is None:
        return ()
    verdict = f"{judged.score:.2f} instead of {judged.replaced:.2f}, by {inline(judged.model)}"
    return ("judged", verdict), ("it says", inline(judged.reason, PARTICULAR_CHARACTERS))


def _judged(judged: model.Judged, _now: int | None) -> list[Block]:
    return [Facts(present(_judged_facts(judged)))]


def _recall(recall: model.Recall, now: int | None) -> list[Block]:
    found = f"{count(len(recall.hits), 'memory')} found, best first" if recall.hits else "Nothing found"
    blocks: list[Block] = [
        Line(f"{found} ({recall.mode} search).", "" if recall.hits else "weak"),
        Facts(
            (
                ("query", inline(recall.query, PARTICULAR_CHARACTERS)),
                *(("note", inline(note)) for note in recall.notes),
            )
        ),
    ]
    numbers = {hit.memory.id: number for number, hit in enumerate(recall.hits, 1)}
    for number, hit in enumerate(recall.hits, 1):
        blocks += _hit(hit, now, number, numbers)
    if recall.places:
        blocks += [Line(f"{count(len(recall.places), 'place')} in the code:"), *show_places(recall.places)]
    return blocks


def _excerpt(part: model.Excerpt, _now: int | None) -> list[Block]:
    return [Facts((("passage", f"characters {part.start:,} to {part.end:,}"),))]


def _moment(moment: model.Moment, _now: int | None) -> list[Block]:
    return [Facts(((inline(moment.words), moment.means),))]


def _reply(reply: model.Reply, _now: int | None) -> list[Block]:
    facts = present((("id", inline(reply.memory_id)), ("author", inline(reply.author or ""))))
    return [Quote("reply", facts, visible(reply.text))]


def _signals(signals: model.Signals, _now: int | None) -> list[Block]:
    semantic_rank = f" (rank {signals.semantic_rank})" if signals.semantic_rank else ""
    rows = (
        ("rank by words", str(signals.lexical_rank) if signals.lexical_rank else None),
        ("cosine", None if signals.semantic is None else f"{signals.semantic:.3f}{semantic_rank}"),
        ("matched terms", inline(", ".join(signals.matched_terms))),
        ("from the time asked about", "yes" if signals.dated else None),
    )
    return [Facts(present(rows)), *show_shares(signals.shares)]


def _packed(pack: model.Packed, _now: int | None) -> list[Block]:
    parts = [count(len(pack.sources), "memory")] if pack.sources or not pack.places else []
    parts += [f"{count(len(pack.places), 'place')} in the code"] if pack.places else []
    held = f"{' and '.join(parts)} packed" if pack.text else "Nothing to pack"
    facts = (("task", inline(pack.task, PARTICULAR_CHARACTERS)), *(("note", inline(note)) for note in pack.notes))
    head = Line(f"{held}: {pack.tokens:,} of {pack.budget:,} tokens.", "" if pack.text else "weak")
    return [head, Facts(facts), *([Quote("context", (), visible(pack.text.rstrip()))] if pack.text else [])]


def _packed_memory(part: model.PackedMemory, _now: int | None) -> list[Block]:
    facts = (
        ("id", inline(part.memory_id)),
        ("score", f"{part.score:.2f}"),
        ("tokens", f"{part.tokens:,}"),
        ("reply", inline(part.reply_id or "")),
    )
    return [Quote("packed", present(facts), visible(part.text.rstrip()))]


def _share(share: model.Share, _now: int | None) -> list[Block]:
    return [Facts(((f"{share.share:+.2f}", oneline(share.meaning)),))]


def _linked(linked: model.Linked, _now: int | None) -> list[Block]:
    edge = linked.edge
    return [
        Line("Linked." if linked.created else "The link was there already.", "good" if linked.created else "weak"),
        Facts(
            (
                ("from", inline(edge.src)),
                ("relationship", edge.relationship),
                ("to", inline(edge.dst)),
                ("weight", f"{edge.weight:g}"),
                ("id", inline(edge.id)),
            )
        ),
    ]


SHOWN: Mapping[type[model.Record], Show] = {
    model.Memory: _memory,
    model.Stored: _stored,
    model.Amendment: _amendment,
    model.Deleted: _deleted,
    model.Purge: _purge,
    model.MemoryPage: _page,
    model.Signals: _signals,
    model.Judged: _judged,
    model.Excerpt: _excerpt,
    model.Moment: _moment,
    model.Reply: _reply,
    model.Anchored: _anchored,
    model.Freshness: _freshness,
    model.Branched: _branched,
    model.Drift: _drift,
    model.Drifted: _drifted,
    model.Settled: _settled,
    model.Hit: _hit,
    model.Recall: _recall,
    model.Share: _share,
    model.Packed: _packed,
    model.PackedMemory: _packed_memory,
    model.Linked: _linked,
}

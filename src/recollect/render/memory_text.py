"""Memories, coding memories, injections, and answers of operations on them, as blocks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from recollect import model
from recollect.model.coding import CodingMemory, Evolution, RelevantMemories, RelevantMemory
from recollect.render.block import (
    PARTICULAR_CHARACTERS,
    Block,
    Entry,
    Fact,
    Facts,
    Grid,
    Line,
    Listing,
    Quote,
    Show,
    listed,
    notes,
    particular,
    present,
    show_shares,
)
from recollect.render.code_text import show_places
from recollect.render.quantities import dated, since
from recollect.render.untrusted import clip, ident, inline, visible
from recollect.text.display import day, plural
from recollect.text.passages import list_head
from recollect.text.redaction.redact import told

# A recalled memory is shown whole up to here, about 500 tokens, so that ten of them fit beside a question; of a longer
# one the passage that matched is shown. `get` shows all.
RECALLED_CHARACTERS = 2_000
# A listed memory is a reminder of itself: one line of a wide terminal.
LISTED_CHARACTERS = 120
# Files that `drift` names whose earlier code is described: a screen.
OLDER_FILES = 15
# Verdicts about which a reader needs no words.
SOUND = ("fresh", "unanchored")

SHARED_BY = "shared by the repository"


class Changed(model.Record, frozen=True, kw_only=True):
    """A memory that an operation changed: the caller knows what it says."""

    memory: model.Memory
    operation: str = "update_memory"


def _particulars(memory: model.Memory, now: int | None) -> tuple[Fact, ...]:
    """Return what a reader must know to use a memory: where it belongs, and whether it is still valid."""
    return present(
        (
            ("title", inline(memory.title or "")),
            ("project", inline(memory.namespace or "")),
            ("category", inline(memory.category or "")),
            ("tags", inline(", ".join(memory.tags))),
            ("author", inline(memory.author or "")),
            ("source", _source(memory)),
            ("trust", f"{memory.trust:.2f}" if memory.trust < 1 else ""),
            ("confidence", f"{memory.confidence:.2f}" if memory.confidence < 1 else ""),
            ("superseded by", ident(memory.superseded_by or "")),
            ("valid until", dated(memory.valid_to, now) if memory.valid_to is not None else ""),
            ("expires", dated(memory.expires_at, now) if memory.expires_at is not None else ""),
            ("code", inline(memory.freshness.note) if isinstance(memory, model.MemoryView) else ""),
        )
    )


def _source(memory: model.Memory) -> str:
    """Return where a memory came from, unless a person stored it."""
    if memory.is_shared:
        return SHARED_BY
    return memory.source if memory.source != "user" else ""


def _details(memory: model.Memory, now: int | None) -> tuple[Fact, ...]:
    """Return what a memory has besides, its whole id first."""
    return present(
        (
            ("id", inline(memory.id)),
            ("session", inline(memory.session_id or "")),
            ("importance", f"{memory.importance:.2f}"),
            ("branch", inline(memory.branch or "")),
            ("created", dated(memory.created_at, now)),
            ("updated", dated(memory.updated_at, now) if memory.updated_at > memory.created_at else ""),
            ("read", plural(memory.access_count, "time") if memory.access_count else ""),
        )
    )


def quoted(memory: model.Memory, now: int | None) -> Quote:
    """Return a whole memory with what a reader must know about it."""
    metadata = present((("metadata", particular(memory.metadata) if memory.metadata else ""),))
    head = f"{memory.kind}, {_age(memory, now)}, {ident(memory.id)}"
    details = _details(memory, now) + metadata
    return Quote(head, _particulars(memory, now), visible(memory.content), details=details)


def _age(memory: model.Memory, now: int | None) -> str:
    """Return when a memory was said, if that is known, else how long ago it was written."""
    return since(memory.updated_at, now) if memory.valid_from is None else day(memory.valid_from)


def _stored(stored: model.Stored, now: int | None) -> list[Block]:
    memory = stored.memory
    said = f"{'Stored' if stored.created else 'Already known as'} {ident(memory.id)}"
    said += " for all projects" if memory.namespace is None else ""
    said += f", added {', '.join(stored.merged)}" if stored.merged else ""
    for row in stored.amends:
        said += f", {'supersedes' if row.superseded else 'may contradict'} {ident(row.memory_id)}"
    said += ", as evidence: a question or request is not knowledge" if memory.observed else ""
    secrets = f" {told(stored.redacted)}" if stored.redacted else ""
    why = (("why", inline(row.why, PARTICULAR_CHARACTERS)) for row in stored.amends)
    facts = (("type", memory.kind), *_particulars(memory, now), *_details(memory, now), *why)
    changed = ((row, "superseded" if row.superseded else "may be contradicted") for row in stored.amends if row.text)
    entries = tuple(Entry(ident(row.memory_id), how, inline(row.text, LISTED_CHARACTERS)) for row, how in changed)
    head = Line(f"{said}.{secrets}", "good" if stored.created else "weak")
    project = (("new project", inline(memory.namespace or "")),) if stored.new_project else ()
    return [head, *([Listing(entries)] if entries else []), Facts(project), Facts(facts, detail=True)]


def _changed(changed: Changed, now: int | None) -> list[Block]:
    memory = changed.memory
    facts = (("type", memory.kind), *_particulars(memory, now), *_details(memory, now))
    done = {"archive_memory": "Archived", "restore_memory": "Restored"}.get(changed.operation, "Updated")
    return [Line(f"{done} {ident(memory.id)}.", "good"), Facts(facts, detail=True)]


def _deleted(deleted: model.Deleted, _now: int | None) -> list[Block]:
    if deleted.restored:
        return [Line(f"Restored {plural(deleted.restored, 'memory')}.")]
    if not deleted.deleted:
        return [Line("Nothing to delete.", "weak")]
    return [Line(f"Deleted {plural(deleted.deleted, 'memory')}. Undo with batch {ident(deleted.batch)}.", "good")]


def _purge(purge: model.Purge, _now: int | None) -> list[Block]:
    said = "Would remove" if purge.dry_run else "Removed"
    rows = (
        ("ids", ", ".join(map(ident, purge.memories))),
        ("their parts and summaries", ", ".join(map(ident, purge.along))),
        ("log entries emptied", f"{purge.changes:,}" if purge.changes else ""),
        ("derived rows removed", f"{purge.others:,}" if purge.others else ""),
        ("kept, but with the same words", ", ".join(map(ident, purge.elsewhere))),
        ("database files", "" if purge.dry_run else "rewritten" if purge.scrubbed else "not rewritten"),
    )
    number = plural(len(purge.memories) + len(purge.along), "memory")
    return [Line(f"{said} {number} permanently."), Facts(present(rows)), *notes(purge.notes)]


def _page(page: model.MemoryPage, now: int | None) -> list[Block]:
    if not page.memories:
        said = (
            f"No more memories ({page.total:,} in all)."
            if page.total
            else "No memories match. Store one, drop a filter, or list all projects."
        )
        return [Line(said, "weak")]
    first, last = page.offset + 1, page.offset + len(page.memories)
    more = f" More: offset {last}." if last < page.total else ""
    entries = tuple(memory_entry(memory, now) for memory in page.memories)
    return [Line(f"Memories {first:,} to {last:,} of {page.total:,}.{more}"), Listing(entries)]


def memory_entry(memory: model.Memory, now: int | None) -> Entry:
    """Return a memory as one line of a list."""
    parts = (memory.kind, _state(memory, now), since(memory.updated_at, now), inline(memory.namespace or ""))
    text = inline(memory.title or memory.content, LISTED_CHARACTERS)
    return Entry(ident(memory.id), ", ".join(part for part in parts if part), text)


def _hit(hit: model.Hit, now: int | None, number: int = 0, numbers: Mapping[str, int] = {}) -> list[Block]:
    memory = hit.memory
    text, omitted, focus = _recalled(hit)
    about = (
        memory.kind,
        _age(memory, now),
        f"{hit.score:.2f}",
        ident(memory.id),
        f"by {inline(memory.author)}" if memory.author else "",
        SHARED_BY if memory.is_shared else "",
        "team server" if hit.origin else "",
        _state(memory, now, hit.superseded_by, hit.doubted_by),
        inline(hit.freshness.note) if hit.freshness.verdict not in SOUND else "",
        inline(hit.branch.note) if hit.branch is not None and hit.branch.standing != "here" else "",
    )
    head = ", ".join(part for part in about if part) + (f" · {inline(hit.reason)}" if hit.reason else "")
    details = (
        _particulars(memory, now)
        + _details(memory, now)
        + present(
            (
                ("also in", ", ".join(map(ident, hit.folded))),
                ("code", inline(hit.freshness.note)),
                ("use", inline(hit.use)),
            )
        )
    )
    shown = Quote(
        f"{number}. {head}" if number else head,
        _judged_facts(hit.judged),
        text + _answered(hit.reply, numbers),
        omitted,
        details,
        focus,
    )
    return [shown, *show_shares(hit.signals.shares)]


def _state(memory: model.Memory, now: int | None, guess: str | None = None, doubt: str | None = None) -> str:
    """Return why a memory may not hold: it was replaced or has ended, or a newer one may replace it.

    guess: the newer one by the words of both. doubt: the one that was found when it was stored
    """
    if doubt is None or doubt != memory.superseded_by:  # else it was replaced on a branch that is not merged here
        if memory.superseded_by:
            return f"superseded by {ident(memory.superseded_by)}"
        if memory.valid_to is not None and now is not None and memory.valid_to <= now:
            return "no longer valid"
    newer = guess or doubt
    return f"a later note may replace it: {ident(newer)}" if newer else ""


def _drift(drift: model.Drift, now: int | None) -> list[Block]:
    if not drift.memories:
        said = "No memory needs a decision." if drift.older else "All memories agree with the code."
        return [Line(said, "good"), *notes(drift.notes), *_older(drift.older)]
    more = f", {len(drift.memories):,} shown" if drift.total > len(drift.memories) else ""
    imported = f", {drift.imported:,} of them imported" if drift.imported else ""
    head = f"{plural(drift.total, 'memory')} to check{imported}{more}: keep, update or retire each by its id."
    blocks: list[Block] = [Line(head), *notes(drift.notes)]
    for number, row in enumerate(drift.memories, 1):
        blocks += _drifted(row, now, number)
    return [*blocks, *_older(drift.older)]


def _older(files: Sequence[model.OlderCode]) -> list[Block]:
    """Return the files whose earlier code imported history describes, the first of them by name."""
    if not files:
        return []
    total = plural(sum(each.memories for each in files), "imported memory")
    head = f"History: {total} of earlier code, ranked lower and never injected. --since DATE lists them."
    rows = tuple((inline(each.path), str(each.memories), str(each.gone)) for each in files[:OLDER_FILES])
    rest = len(files) - OLDER_FILES
    more = [Line(f"… and {plural(rest, 'more file')}")] if rest > 0 else []
    return [Line(head), Grid(("file", "memories", "code gone"), rows), *more]


def _drifted(row: model.Drifted, now: int | None, number: int = 0) -> list[Block]:
    memory, whole = row.memory, visible(row.memory.content)
    text = clip(whole, RECALLED_CHARACTERS)
    head = f"{memory.kind}, {_age(memory, now)}, {ident(memory.id)}"
    head += f" · {inline(row.freshness.note)}" if row.freshness.note else ""
    details = _particulars(memory, now) + _details(memory, now)
    return [Quote(f"{number}. {head}" if number else head, (), text, len(whole) - len(text), details)]


def _settled(settled: model.Settled, _now: int | None) -> list[Block]:
    done = {"keep": "Kept", "update": "Updated", "retire": "Retired"}[settled.action]
    said = f"{done} {ident(settled.memory.id)}. Undo with batch {ident(settled.batch)}."
    return [Line(said, "good"), Facts(present((("code", inline(settled.freshness.note)),)))]


def _recalled(hit: model.Hit) -> tuple[str, int, int]:
    """Return what is shown of a memory, how many characters are not, and where in it the matching passage begins.

    Of a long memory only that passage is shown, and of a list of changes its line.
    """
    whole = len(hit.memory.content)
    head = list_head(hit.memory.content)
    if head and hit.passage is not None and hit.passage.start:
        text = visible(f"{head}\n\n{hit.told(hit.passage.start, hit.passage.end).rstrip()}")
        return text, whole - len(text), 0
    if whole <= RECALLED_CHARACTERS:
        before = visible(hit.told(0, hit.passage.start)) if hit.passage is not None else ""
        return visible(hit.told(0, whole)), 0, len(before)
    first, end = (0, whole) if hit.passage is None else (hit.passage.start, hit.passage.end)
    # Secrets are replaced before the text is cut: half of one could not be recognized.
    text = visible(hit.told(first, min(end, first + 2 * RECALLED_CHARACTERS)))
    shown = clip(text, RECALLED_CHARACTERS)
    before, after = "… " if first > 0 else "", " …" if first + len(shown) < whole and shown == text else ""
    return before + shown + after, max(0, whole - len(shown)), 0


def _answered(reply: model.Reply | None, numbers: Mapping[str, int]) -> str:
    """Return the reply to a hit as an indented line below it; where it is a hit itself, its number is enough."""
    if reply is None:
        return ""
    if reply.memory_id in numbers:
        return f"\n  reply: number {numbers[reply.memory_id]}"
    by = f" by {inline(reply.author)}" if reply.author else ""
    return f"\n  reply{by}, {ident(reply.memory_id)}: {inline(reply.text, PARTICULAR_CHARACTERS)}"


def _judged_facts(judged: model.Judged | None) -> tuple[Fact, ...]:
    """Return the verdict of a language model on a hit; its words are foreign, too."""
    if judged is None:
        return ()
    verdict = f"{judged.score:.2f} instead of {judged.replaced:.2f}, by {inline(judged.model)}"
    return ("judged", verdict), ("reason", inline(judged.reason, PARTICULAR_CHARACTERS))


def _recall(recall: model.Recall, now: int | None) -> list[Block]:
    blocks: list[Block] = [
        found(recall.hits),
        Facts(asked(recall.query, recall.mode), detail=True),
        *notes(recall.notes),
    ]
    numbers = {hit.memory.id: number for number, hit in enumerate(recall.hits, 1)}
    for number, hit in enumerate(recall.hits, 1):
        blocks += _hit(hit, now, number, numbers)
    if recall.places:
        blocks += [Line(f"{plural(len(recall.places), 'place')} in the code:"), *show_places(recall.places)]
    return blocks


def found(hits: Sequence[object], and_more: str = "best first") -> Line:
    """Return how many memories were found, or what to try instead."""
    if not hits:
        return Line("Nothing relevant found. Try other words or a lower minimum score.", "weak")
    return Line(f"{plural(len(hits), 'memory')}{f', {and_more}' if len(hits) > 1 else ''}.")


def asked(query: str, mode: str) -> tuple[Fact, ...]:
    """Return the question and how it was searched for."""
    return ("query", inline(query, PARTICULAR_CHARACTERS)), ("search", mode)


def _packed(pack: model.Packed, _now: int | None) -> list[Block]:
    parts = [plural(len(pack.sources), "memory")] if pack.sources or not pack.places else []
    parts += [f"{plural(len(pack.places), 'place')} in the code"] if pack.places else []
    held = f"{' and '.join(parts)} packed" if pack.text else "Nothing relevant is stored yet"
    asked = (("task", inline(pack.task, PARTICULAR_CHARACTERS)),)
    head = Line(f"{held}: {pack.tokens:,} of {pack.budget:,} tokens.", "" if pack.text else "weak")
    context = [Quote("", (), visible(pack.text.rstrip()))] if pack.text else []
    return [head, Facts(asked, detail=True), *notes(pack.notes), *context]


def _linked(linked: model.Linked, _now: int | None) -> list[Block]:
    edge = linked.edge
    said = (
        f"{'Linked' if linked.created else 'Already linked'}: {ident(edge.src)} {edge.relationship} {ident(edge.dst)}"
    )
    return [Line(f"{said}, weight {edge.weight:g}.", "good" if linked.created else "weak")]


# --- injected memories ---


def _usefulness(report: model.UsefulnessReport, _now: int | None) -> list[Block]:
    blocks: list[Block] = []
    if report.batch:
        head = f"Reset the counts and confidence of {plural(report.reset, 'memory')}."
        blocks += [Line(f"{head} Undo with batch {ident(report.batch)}.", "good")]
    if not report.offered:
        return [*blocks, Line("No counts yet. Hooks count the use of injected memories.", "weak")]
    facts = (
        ("project", inline(report.namespace or "")),
        ("injected", f"{report.offered:,}"),
        ("used", f"{report.used:,} ({100 * report.share:.0f} %)"),
        ("contradicted", f"{report.contradicted:,}"),
    )
    blocks.append(Facts(present(facts)))
    if report.weights:
        rows = tuple((inline(kind), f"{weight:+.2f}") for kind, weight in sorted(report.weights.items()))
        blocks.append(Grid(("type", "rank weight"), rows))
    else:
        blocks.append(Line(f"Weights by type need {report.enough:,} injections in a project.", "weak"))
    if report.memories:
        blocks.append(Listing(tuple(map(_use_entry, report.memories))))
    return blocks


def _use_entry(row: model.MemoryUse) -> Entry:
    return Entry(ident(row.counts.id), inline(row.told), inline(row.label, LISTED_CHARACTERS))


# --- coding memories ---


def _stored_code(answer: CodingMemory, _now: int | None) -> list[Block]:
    name, linked = ident(answer.memory_id), plural(answer.links_created, "new link")
    said = (
        Line(f"Stored {name}, {linked}.", "good") if answer.event_emitted else Line(f"Already known as {name}.", "weak")
    )
    facts = (("keywords", inline(", ".join(answer.keywords))), ("tags", inline(", ".join(answer.tags))))
    return [said, Facts(present(facts), detail=True), *notes(answer.notes)]


def _relevant(answer: RelevantMemory) -> Quote:
    details = (("keywords", inline(", ".join(answer.keywords))), ("tags", inline(", ".join(answer.tags))))
    head = f"code, {answer.relevance_score:.2f}, {ident(answer.id)} · {inline(answer.match_reason)}"
    context = present((("context", inline(answer.context)),))
    return Quote(head, context, visible(answer.content), details=present(details))


def _relevant_page(answer: RelevantMemories, _now: int | None) -> list[Block]:
    if not answer.memories:
        return [Line("No code found. Try other words or a lower min_relevance.", "weak"), *notes(answer.notes)]
    return [
        Line(f"{len(answer.memories)} of {plural(answer.total_found, 'coding memory')}."),
        *map(_relevant, answer.memories),
        *notes(answer.notes),
    ]


def _evolution(answer: Evolution, _now: int | None) -> list[Block]:
    rows = (
        ("analyzed", f"{answer.memories_analyzed:,}"),
        ("changed", f"{answer.memories_evolved:,}"),
        ("new links", f"{answer.links_created:,}"),
        ("stronger links", f"{answer.links_strengthened:,}"),
        ("updated contexts", f"{answer.contexts_updated:,}"),
        ("duration", f"{answer.duration_ms:,} ms"),
    )
    return [Facts(rows), *notes(answer.notes)]


SHOWN: Mapping[type[model.Record], Show] = {
    **dict.fromkeys((model.Memory, model.MemoryView), lambda memory, now: [quoted(memory, now)]),
    model.Stored: _stored,
    Changed: _changed,
    model.Deleted: _deleted,
    model.Purge: _purge,
    model.MemoryPage: _page,
    model.Drift: _drift,
    model.Drifted: _drifted,
    model.Settled: _settled,
    model.Hit: _hit,
    model.Recall: _recall,
    model.Packed: _packed,
    model.Linked: _linked,
    model.UsefulnessReport: _usefulness,
    model.MemoryUse: listed(_use_entry),
    CodingMemory: _stored_code,
    RelevantMemories: _relevant_page,
    Evolution: _evolution,
}

"""Projects, counts, health, imports, history, access tokens, shared memories and consolidation, as blocks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from recollect import model
from recollect.render.block import (
    PARTICULAR_CHARACTERS,
    Block,
    Entry,
    Facts,
    Grid,
    Line,
    Listing,
    Quote,
    Show,
    Tone,
    listed,
    notes,
    present,
)
from recollect.render.quantities import dated, since, size
from recollect.render.untrusted import ident, inline, oneline, visible
from recollect.text.display import plural
from recollect.text.redaction.redact import told

TONES: Mapping[str, Tone] = {"ok": "good", "degraded": "weak", "failed": "bad"}


def _place(namespace: str | None) -> str:
    return "(none)" if namespace is None else inline(namespace)


def _kinds(by_type: Mapping[str, int]) -> str:
    return ", ".join(f"{oneline(name)} {number:,}" for name, number in by_type.items())


def _namespace_stats(stats: model.NamespaceStats, now: int | None) -> list[Block]:
    rows = (
        ("project", _place(stats.namespace)),
        ("memories", f"{stats.memories:,}"),
        ("types", _kinds(stats.by_type)),
        ("graph", f"{plural(stats.nodes, 'node')}, {plural(stats.edges, 'edge')}"),
        ("sessions", f"{stats.sessions:,}"),
        ("oldest", None if stats.oldest_at is None else dated(stats.oldest_at, now)),
        ("newest", None if stats.newest_at is None else dated(stats.newest_at, now)),
    )
    return [Facts(present(rows))]


def _namespace_list(answer: model.NamespaceList, _now: int | None) -> list[Block]:
    if not answer.namespaces:
        return [Line("No projects yet. Store a memory with a project, or index one.", "weak")]
    rows = tuple((_place(row.namespace), f"{row.memories:,}", f"{row.files:,}") for row in answer.namespaces)
    return [Grid(("project", "memories", "indexed files"), rows)]


def _namespace_count(row: model.NamespaceCount) -> Entry:
    return Entry(_place(row.namespace), plural(row.memories, "memory"), plural(row.files, "indexed file"))


def _workspace(workspace: model.WorkspaceView, _now: int | None) -> list[Block]:
    rows = (
        ("workspace", inline(workspace.id)),
        ("name", inline(workspace.name)),
        ("description", inline(workspace.description, PARTICULAR_CHARACTERS)),
        ("memories", f"{workspace.memory_count:,}"),
        ("created", inline(workspace.created_at)),
        ("updated", inline(workspace.updated_at)),
    )
    return [Facts(present(rows))]


def _workspace_answer(answer: model.WorkspaceAnswer, now: int | None) -> list[Block]:
    said = Line("Workspace created.", "good") if answer.created else Line("Workspace found.")
    return [said, *_workspace(answer.workspace, now)]


def _spent(spent: model.Spending) -> str:
    """Return today's use of a language model, on one line."""
    return (
        f"{oneline(spent.model) or 'none'}, today {spent.calls:,} of {plural(spent.max_calls, 'call')}, "
        f"{spent.tokens:,} of {plural(spent.max_tokens, 'token')}, {plural(spent.failures, 'failure')}"
    ) + (f", paused for {spent.paused_s} s" if spent.paused_s else "")


def _spending(spent: model.Spending, _now: int | None) -> list[Block]:
    rows = (
        ("language model", _spent(spent)),
        ("day", oneline(spent.day)),
        ("last failure", inline(spent.last_failure)),
    )
    return [Facts(present(rows))]


def _days(rows: Iterable[model.Usage]) -> Grid:
    columns = ("day", "model", "calls", "tokens", "failures")
    cells = (
        (oneline(row.day), oneline(row.model), f"{row.calls:,}", f"{row.tokens:,}", f"{row.failures:,}") for row in rows
    )
    return Grid(columns, tuple(cells))


def _spendings(answer: model.Spendings, now: int | None) -> list[Block]:
    if not answer.today and not answer.days:
        return [Line("No language model is configured. Set llm_provider to use one.", "weak")]
    blocks: list[Block] = [block for spent in answer.today for block in _spending(spent, now)]
    if answer.waiting:
        left = ", ".join(f"{number:,} to {oneline(kind)}" for kind, number in sorted(answer.waiting.items()))
        blocks.append(Facts((("queued jobs", left),)))
    return [*blocks, _days(answer.days)] if answer.days else blocks


def _indexed_code(stats: model.Stats) -> str:
    """Return how much code is indexed, on one line; empty if none is."""
    if not stats.code_files:
        return ""
    pending = f", {stats.pending_code_embeddings:,} pending" if stats.pending_code_embeddings else ""
    return (
        f"{plural(stats.code_files, 'file')}, {plural(stats.code_symbols, 'symbol')}, "
        f"{plural(stats.code_pieces, 'chunk')} ({plural(stats.code_embeddings, 'vector')}{pending})"
    )


def _injected(stats: model.Stats) -> str:
    return f"{stats.offered:,}, used {stats.used:,}, contradicted {stats.contradicted:,}" if stats.offered else ""


def _stats(stats: model.Stats, _now: int | None) -> list[Block]:
    pending = f" ({stats.pending_embeddings:,} pending)" if stats.pending_embeddings else ""
    rows = (
        ("memories", f"{stats.memories:,}"),
        ("types", _kinds(stats.by_type)),
        ("embeddings", f"{stats.embeddings:,}{pending}"),
        ("embedding model", oneline(stats.embedding_model)),
        ("language model", _spent(stats.language_model) if stats.language_model else None),
        ("graph", f"{plural(stats.nodes, 'node')}, {plural(stats.edges, 'edge')}"),
        ("indexed code", _indexed_code(stats)),
        ("projects", f"{stats.namespaces:,}"),
        ("workspaces", f"{stats.workspaces:,}" if stats.workspaces else ""),
        ("sessions", f"{stats.sessions:,}"),
        ("injected memories", _injected(stats)),
        ("logged changes", f"{stats.changes:,}"),
        ("database", f"{oneline(stats.database)}, {size(stats.database_bytes)}"),
    )
    return [Facts(present(rows)), Facts((("schema", str(stats.schema_version)),), detail=True)]


def _scoring_weights(scoring: model.ScoringWeights, _now: int | None) -> list[Block]:
    place = _place(scoring.namespace)
    said = {
        "namespace": f"set for {place}",
        "global": "set for all projects",
        "default": "default",
    }
    rows = tuple((oneline(name), f"{100 * weight:.1f} %") for name, weight in scoring.weights.items())
    return [
        Facts((("profile", scoring.profile), ("weights", said[scoring.source]))),
        Grid(("component", "weight"), rows),
    ]


def _checks(checks: Iterable[model.Check]) -> Grid:
    kept = tuple(checks)
    rows = tuple(
        (
            check.status,
            oneline(check.name),
            inline(f"{check.detail.removesuffix('.')}. {check.mend}" if check.mend else check.detail),
        )
        for check in kept
    )
    return Grid(("status", "check", "detail"), rows, tuple(TONES[check.status] for check in kept))


def _health(health: model.Health, _now: int | None) -> list[Block]:
    said = {
        "ok": "Healthy: all checks passed.",
        "degraded": "Degraded: see the checks below.",
        "failed": "Failed: see the checks below.",
    }
    return [
        Line(f"{said[health.status]} recollect {oneline(health.version)}", TONES[health.status]),
        _checks(health.checks),
    ]


def _exported(exported: model.Exported, _now: int | None) -> list[Block]:
    said = f"Exported {plural(exported.memories, 'memory')} in {plural(exported.lines, 'line')}."
    blocks: list[Block] = [Line(said, "good")]
    if exported.path is not None:
        blocks.append(Facts((("path", inline(exported.path)),)))
    if exported.content is not None:
        blocks.append(Quote("JSON lines", (), visible(exported.content.rstrip("\n"))))
    return blocks


def _learnt(learnt: model.Learnt, _now: int | None) -> list[Block]:
    found = sum(part.found for part in learnt.sources)
    new = sum(part.created for part in learnt.sources)
    if learnt.dry_run:
        said = f"Would import {plural(new, 'memory')} of {found:,} found. Nothing was written."
    else:
        said = f"Imported {plural(new, 'memory')} from this project's history, of {found:,} found."
    blocks: list[Block] = [Line(said, "good" if new else "weak"), _learnt_grid(learnt.sources)]
    kept = sum(map(_kept, learnt.sources))
    least = f"the limit is {learnt.limit:,}; the rest is worth less, and stays in git and the files"
    rows = present(
        (
            ("project", inline(learnt.namespace)),
            ("merged", f"{plural(learnt.merged, 'record')} with the same change or release" if learnt.merged else ""),
            ("kept", f"{kept:,} of {found:,}: {least}" if kept + learnt.merged < found else ""),
            ("secrets replaced", inline(", ".join(f"{kind} {times}" for kind, times in learnt.redacted.items()))),
            ("undo with batch", ident(learnt.batch)),
            *(("note", inline(note)) for note in learnt.notes),
        )
    )
    blocks.append(Facts(rows))
    if learnt.examples:
        entries = tuple(Entry(str(number), "", inline(text)) for number, text in enumerate(learnt.examples, 1))
        blocks += [Line("Examples:"), Listing(entries)]
    return blocks


def _kept(part: model.LearntFrom) -> int:
    return part.created + part.updated + part.known + part.refused


def _learnt_grid(parts: Iterable[model.LearntFrom]) -> Grid:
    columns = ("source", "found", "kept", "new", "changed", "known", "deleted", "by rule")
    rows = tuple(
        (
            part.source,
            *(
                f"{number:,}"
                for number in (part.found, _kept(part), part.created, part.updated, part.known, part.refused)
            ),
            ", ".join(f"{inline(rule)} {times:,}" for rule, times in part.rules.items()),
        )
        for part in parts
    )
    return Grid(columns, rows)


def _imported(imported: model.Imported, _now: int | None) -> list[Block]:
    rows = (
        ("new", f"{imported.created:,}"),
        ("updated", f"{imported.updated:,}" if imported.updated else ""),
        ("already known", f"{imported.known:,}"),
        ("merged", f"{imported.merged:,}" if imported.source == "recollect" else ""),
        ("skipped, deleted before", f"{imported.refused:,}" if imported.refused else ""),
        ("undo with batch", ident(imported.batch)),
        ("kept in metadata", inline(", ".join(f"{name} {times:,}" for name, times in imported.beside.items()))),
        ("note", told(Counter(imported.redacted).elements())),
    )
    if imported.source == "recollect":
        what = plural(imported.lines, "line")
    else:
        what = f"{plural(imported.lines, 'record')} of {inline(imported.program)}"
    said = f"Would import {what}. Nothing was written." if imported.dry_run else f"Imported {what}."
    blocks: list[Block] = [Line(said, "weak" if imported.dry_run else "good"), Facts(present(rows))]
    return [*blocks, _imported_grid(imported.parts)] if imported.parts else blocks


def _imported_grid(parts: Iterable[model.ImportedPart]) -> Grid:
    columns = ("source", "found", "imported as", "imported", "skipped")
    rows = tuple(
        (
            inline(part.name),
            f"{part.found:,}",
            inline(part.became) or "-",
            f"{part.taken:,}",
            inline("; ".join(f"{times:,} {why}" for why, times in part.left.items())) or "-",
        )
        for part in parts
    )
    return Grid(columns, rows)


def _rebuilt(rebuilt: model.Rebuilt, _now: int | None) -> list[Block]:
    rows = (
        ("text rows", f"{rebuilt.text_rows:,}"),
        ("vectors dropped", f"{rebuilt.vectors_dropped:,}"),
        ("vectors made", f"{rebuilt.vectors_made:,}"),
        ("vectors pending", f"{rebuilt.vectors_pending:,}"),
        ("unused code vectors dropped", f"{rebuilt.code_vectors_dropped:,}" if rebuilt.code_vectors_dropped else ""),
    )
    return [Line("Rebuilt.", "good"), Facts(present(rows))]


_LOGGED = {"insert": "added", "update": "changed", "delete": "deleted"}
# Rows in words; others are called by their table.
_ROWS = {"memories": "memory", "graph_nodes": "graph node", "graph_edges": "link", "sessions": "session"}
# A batch that changed more memories shows their number.
_IN_WORDS = 2


def _undone(undone: model.Undone, _now: int | None) -> list[Block]:
    purged = f", {undone.purged:,} purged and not restored" if undone.purged else ""
    made = f" ({_operation(undone.operation)})" if undone.operation else ""
    said = f"Undid batch {ident(undone.undone)}{made}: {plural(undone.restored, 'change')} reverted{purged}."
    entries = tuple(Entry(ident(name), "", inline(text)) for name, text in undone.memories.items())
    head = Line(f"{said} Undo this with batch {ident(undone.batch)}.", "good")
    return [head, Listing(entries)] if entries else [head]


def _history(history: model.History, now: int | None) -> list[Block]:
    if not history.changes:
        return [Line("No changes are logged for this.", "weak")]
    batches: dict[str, list[model.Change]] = {}
    for change in history.changes:
        batches.setdefault(change.batch, []).append(change)
    entries = tuple(
        Entry(
            ident(batch),
            f"{since(changes[0].at, now)}, {_operation(changes[0].operation)}",
            _together(changes, history.headlines),
        )
        for batch, changes in batches.items()
    )
    said = f"{len(history.changes):,} of {plural(history.total, 'change')}, newest first. Undo a batch by its id."
    return [Line(said), Listing(entries)]


def _operation(name: str) -> str:
    """Return the operation of a change; an undo names a batch."""
    verb, _, batch = name.partition(" ")
    words = name.replace("_", " ")
    return f"{inline(verb)} {ident(batch)}" if batch else words if name.isidentifier() else inline(words)


def _together(changes: list[model.Change], headlines: Mapping[str, str]) -> str:
    """Return the changes of a batch: one or two memories in words, or the number of rows by kind, memories first."""
    memories = [change for change in changes if change.entity == "memories"]
    told = [(row, headlines[row.entity_id]) for row in memories if row.entity_id in headlines]
    if 0 < len(told) == len(memories) <= _IN_WORDS:
        return "; ".join(f"{_LOGGED[row.action]} {ident(row.entity_id)} {inline(text, 80)}" for row, text in told)
    rows = sorted(changes, key=lambda row: row.entity != "memories")
    kinds = Counter((row.action, _ROWS.get(row.entity, inline(row.entity.removesuffix("s")))) for row in rows)
    return ", ".join(f"{_LOGGED[action]} {plural(number, name)}" for (action, name), number in kinds.items())


def _token(token: model.TokenView, now: int | None) -> list[Block]:
    rows = (
        ("token", inline(token.id)),
        ("name", inline(token.name)),
        ("scope", token.scope),
        ("projects", _token_projects(token)),
        ("state", token.state),
        ("created", dated(token.created_at, now)),
        *zip(("expires", "last used"), _times(token, now), strict=True),
    )
    said = [Line("Access token revoked.", "good")] if token.state == "revoked" else []
    return [*said, Facts(present(rows))]


def _token_projects(token: model.TokenView) -> str:
    return ", ".join(map(inline, token.projects)) or "all"


def _when(at: int | None, now: int | None) -> str:
    return "never" if at is None else dated(at, now)


def _token_created(created: model.TokenCreated, now: int | None) -> list[Block]:
    said = "Access token created. Copy the secret now: it is not stored and not shown again."
    # A secret of ours is not marked as foreign text, which would be redacted.
    letters = created.secret.replace("_", "").replace("-", "")
    is_ours = created.secret.startswith("rcl_") and letters.isascii() and letters.isalnum()
    secret = created.secret if is_ours else inline(created.secret)
    return [Line(said, "good"), Facts((("secret", secret),)), *_token(created.token, now)]


def _tokens(page: model.TokenPage, now: int | None) -> list[Block]:
    if not page.tokens:
        return [Line("No access tokens.", "weak")]
    columns = ("token", "name", "scope", "projects", "state", "expires", "last used")
    rows = (
        (inline(row.id), inline(row.name), row.scope, _token_projects(row), row.state, *_times(row, now))
        for row in page.tokens
    )
    return [Grid(columns, tuple(rows))]


def _times(token: model.TokenView, now: int | None) -> tuple[str, str]:
    return _when(token.expires_at, now), _when(token.last_used_at, now)


# --- shared memories, trusted repositories and calls with access tokens ---


TITLE_CHARACTERS = 60
# Ids of one call that are shown: the rest is counted.
SHOWN_IDS = 3


def _shared(shared: model.Shared, _now: int | None) -> list[Block]:
    if not shared.files:
        return [Line("No memory of this project fits.", "weak"), *notes(shared.notes)]
    written = sum(entry.written for entry in shared.files)
    count = plural(len(shared.files), "memory")
    said = f"{count} shared, {plural(written, 'file')} written below {inline(shared.root)}."
    rows = (
        (
            ident(entry.memory_id),
            "written" if entry.written else "unchanged",
            inline(entry.path),
            inline(entry.title, TITLE_CHARACTERS),
        )
        for entry in shared.files
    )
    return [Line(said, "good"), Grid(("memory", "file", "path", "title"), tuple(rows)), *notes(shared.notes)]


def _shared_read(read: model.SharedRead) -> list[Block]:
    fates = f"{read.created:,} new, {read.changed:,} changed, {read.retired:,} retired, of {plural(read.total, 'file')}"
    skipped = [Line(f"Skipped: {inline(text, 200)}", "weak") for text in read.skipped]
    rows = (("memories", fates), ("undo", f"recollect undo {ident(read.batch)}" if read.batch else ""))
    return [Facts(present(rows)), *skipped]


def _trust(trust: model.RepositoryTrust, _now: int | None) -> list[Block]:
    said = Line("Repository trusted.", "good") if trust.trusted else Line("Repository not trusted.")
    rows = (("repository", inline(trust.root)), ("origin", inline(trust.origin)), ("first commit", trust.commit[:12]))
    read = _shared_read(trust.read) if trust.trusted else []
    return [said, Facts(present(rows)), *read, *notes(trust.notes)]


def _calls(page: model.TokenCallPage, now: int | None) -> list[Block]:
    if not page.calls:
        return [Line("No calls with an access token.", "weak")]
    rows = tuple(_call(row, now) for row in page.calls)
    said = f"{plural(len(rows), 'call')} of {page.total:,}, latest first."
    return [Line(said), Grid(("when", "who", "operation", "project", "outcome", "memories"), rows)]


def _call(row: model.TokenCall, now: int | None) -> tuple[str, ...]:
    ids = ", ".join(ident(name) for name in row.memory_ids[:SHOWN_IDS])
    more = f" and {len(row.memory_ids) - SHOWN_IDS} more" if len(row.memory_ids) > SHOWN_IDS else ""
    return (
        since(row.at, now),
        inline(row.name),
        inline(row.operation),
        inline(row.project),
        inline(row.outcome),
        ids + more,
    )


# --- consolidation ---


_DONE = {
    "fade": "fades",
    "revive": "revives",
    "link": "links",
    "summarize": "summarizes",
    "extend": "adds",
    "archive": "archives",
}


def _step_head(step: model.PlanStep) -> str:
    """Return what a step does, and why."""
    parts = [_DONE[step.action]]
    if step.action in ("fade", "revive") and step.before is not None and step.after is not None:
        parts.append(f"{step.before:.2f} → {step.after:.2f}")
    if step.relationship is not None:
        parts.append(f"{step.relationship} {step.weight or 0:.2f} {ident(step.memory_ids[-1])}")
    if step.action == "summarize":
        parts.append(plural(len(step.memory_ids), "memory"))
    if step.action == "extend":
        parts.append(f"{plural(len(step.memory_ids), 'memory')} to {ident(step.summary_id)}")
    return " · ".join((*parts, inline(step.why, PARTICULAR_CHARACTERS)))


def _step_entry(step: model.PlanStep) -> Entry:
    said = step.content if step.action in ("summarize", "extend") else step.label
    return Entry(ident(step.memory_ids[0]), _step_head(step), inline(said, PARTICULAR_CHARACTERS))


def _consolidated(run: model.Consolidated, _now: int | None) -> list[Block]:
    what = plural(run.affected, "memory")
    looked = f"of {run.considered:,} checked"
    if not run.steps_total:
        head = Line(f"{run.cycle}: nothing to do, {looked}.", "good")
    elif run.applied:
        head = Line(f"{run.cycle}: {what} changed, {looked}.", "good")
    else:
        head = Line(f"{run.cycle} would change {what} {looked}. Nothing was changed.")
    spared = ", ".join(f"{inline(why)} {number:,}" for why, number in sorted(run.spared.items()))
    facts = present(
        (
            ("plan", inline(run.plan) if run.steps_total else ""),
            ("skipped", spared),
            ("undo with batch", ident(run.batch)),
        )
    )
    notes = (Line(inline(note, PARTICULAR_CHARACTERS), "weak") for note in run.notes)
    return [head, *([Facts(facts)] if facts else []), *_steps(run.steps, run.steps_total), *notes]


def _steps(steps: tuple[model.PlanStep, ...], total: int) -> list[Block]:
    if not steps:
        return []
    more: list[Block] = [Line(f"{total - len(steps):,} more steps.", "weak")] if total > len(steps) else []
    return [Listing(tuple(_step_entry(step) for step in steps)), *more]


def _cycle_row(row: model.CycleStatus, now: int | None) -> tuple[str, ...]:
    last = "never" if row.last_run_at is None else since(row.last_run_at, now)
    state = "undone" if row.undone else "not finished" if not row.finished else ""
    due = "on request" if not row.every_s else "" if row.due_at is None else dated(row.due_at, now)
    return (row.cycle, last, f"{row.last_affected:,}", state, due, ident(row.last_batch))


_COLUMNS = ("cycle", "last run", "memories", "state", "next", "batch")


def _cycles(status: model.ConsolidationStatus, now: int | None) -> list[Block]:
    said = "Idle servers run the cycles." if status.automatic else "Cycles run on request."
    archived = [Line(f"{plural(status.archived, 'memory')} archived.")] if status.archived else []
    rows = (*status.cycles, *((status.evolution,) if status.evolution else ()))
    return [Line(said), Grid(_COLUMNS, tuple(_cycle_row(row, now) for row in rows)), *archived]


def _consolidations(answer: model.Consolidations, now: int | None) -> list[Block]:
    blocks: list[Block] = _cycles(answer.status, now) if answer.status is not None else []
    for run in answer.cycles:
        blocks += _consolidated(run, now)
    if any(run.steps_total and not run.applied for run in answer.cycles):
        blocks.append(Line("Apply it with --apply.", "weak"))
    return blocks or [Line("No cycle ran.", "weak")]


SHOWN: Mapping[type[model.Record], Show] = {
    model.NamespaceStats: _namespace_stats,
    model.NamespaceList: _namespace_list,
    model.NamespaceCount: listed(_namespace_count),
    model.WorkspaceAnswer: _workspace_answer,
    model.Spending: _spending,
    model.Spendings: _spendings,
    model.Usage: lambda row, _now: [_days([row])],
    model.Stats: _stats,
    model.ScoringWeights: _scoring_weights,
    model.Check: lambda check, _now: [_checks([check])],
    model.Health: _health,
    model.Exported: _exported,
    model.Imported: _imported,
    model.ImportedPart: lambda part, _now: [_imported_grid([part])],
    model.Learnt: _learnt,
    model.Rebuilt: _rebuilt,
    model.Undone: _undone,
    model.History: _history,
    model.TokenView: _token,
    model.TokenCreated: _token_created,
    model.TokenPage: _tokens,
    model.Shared: _shared,
    model.RepositoryTrust: _trust,
    model.TokenCallPage: _calls,
    model.PlanStep: listed(_step_entry),
    model.Consolidated: _consolidated,
    model.CycleStatus: lambda row, now: [Grid(_COLUMNS, (_cycle_row(row, now),))],
    model.ConsolidationStatus: _cycles,
    model.Consolidations: _consolidations,
}

"""Answers as data for a model: the fields it can use, in few tokens.

    record ─► brief ─► fit ─► {"hits": ["1a2b3c4d decision, 3 days ago, 0.82, matches port: …"], …}

A field that is empty, a default, or named in `UNUSED` is left out; a nested record is one text, the line of its text
form. Keys cost more than words: ten hits as objects of six keys are 600 tokens of punctuation. `detail="full"` gives
all fields instead.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from recollect import model
from recollect.code import code_records as code
from recollect.model import Record
from recollect.model.coding import CodingMemory, Evolution, RelevantMemories
from recollect.model.graph_answer import Expansion, Impact, ImpactRecall
from recollect.render.block import Block, Entry, Facts, Grid, Line, Listing, Quote
from recollect.render.memory_text import Changed, memory_entry, quoted
from recollect.render.quantities import since
from recollect.render.record_table import SHOWN
from recollect.render.session_text import session_entry
from recollect.render.untrusted import short_id, visible

# Fields that no model uses: arguments of the call, internals of the store, and values that only programs compare.
UNUSED = frozenset(
    {
        "query", "mode", "task", "budget", "root", "content_hash", "hash", "seq", "rev", "head", "mark", "fingerprint",
        "signals", "shares", "last_accessed_at", "access_count", "trust", "language", "cpu_s", "read_bytes",
        "size_bytes", "database", "database_bytes", "schema_version", "embedding_model", "bytes", "observations",
        "algorithm", "max_depth", "damping", "resolution", "expansion_depth", "snapshot", "window_at", "evidence",
        "profile", "stats", "ranked_by", "looked_at", "excused", "spared", "sources",
    }
)  # fmt: skip

# The default token budget of an answer by its type; all others `DEFAULT_TOKENS`.
TOKENS: Mapping[type[Record], int] = {
    model.Recall: 1_200,
    model.MemoryView: 4_000,
    model.SessionView: 2_000,
    model.Summed: 2_000,
    model.Exported: 2_500,
    model.PatternInsights: 2_500,
    model.Proposal: 2_500,
    code.Review: 2_000,
    code.CrossRepo: 2_000,
}
DEFAULT_TOKENS = 1_500
# The default token budget of an answer with all details.
FULL_TOKENS = 20_000
# Answers whose omitted texts get_memory returns.
OF_MEMORIES = frozenset({model.Recall, model.MemoryPage, model.Drift, Expansion, ImpactRecall})

Brief = Callable[[Any, "int | None"], dict[str, Any]]


def tokens_of(kind: type[Record], *, full: bool) -> int:
    """Return the default token budget of an answer; 0: none."""
    if full:
        return 0 if kind is model.Exported else FULL_TOKENS
    return TOKENS.get(kind, DEFAULT_TOKENS)


def how_to_get_more(kind: type[Record]) -> str:
    """Return how a caller gets the omitted part of an answer."""
    return "raise limit or tokens, or call get_memory with an id" if kind in OF_MEMORIES else "raise limit or tokens"


def brief(record: Record, now: int | None) -> dict[str, Any]:
    """Return an answer as data for a model, texts still uncut (see fit.py)."""
    shown: Brief = BRIEF.get(type(record), _fields)
    return shown(record, now)


def _fields(record: Record, now: int | None) -> dict[str, Any]:
    """Return the fields of a record that have a value, and required lists even if they are empty."""
    shown: dict[str, Any] = {}
    for field in msgspec.structs.fields(type(record)):
        value = getattr(record, field.name)
        if field.name in UNUSED or _is_counted(record, field.name, value):
            continue
        if field.required and isinstance(value, tuple):
            shown[field.name] = _value(value, now)
        elif value not in (None, "", (), {}) and value != field.default:
            name = field.name.removesuffix("_at")
            shown[name] = since(value, now) if _is_moment(field.name, value) else _value(value, now)
    return shown


def _is_counted(record: Record, name: str, value: Any) -> bool:
    """Return whether a field is the length of a list that is complete."""
    return name.endswith("_total") and len(getattr(record, name.removesuffix("_total"), ())) == value


def _is_moment(name: str, value: Any) -> bool:
    return isinstance(value, int) and (name.endswith("_at") or name in ("at", "valid_from", "valid_to"))


def _value(value: Any, now: int | None) -> Any:
    if isinstance(value, Record):
        return line(value, now)
    if isinstance(value, Mapping):
        return {str(key): _value(item, now) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_value(item, now) for item in value]
    if isinstance(value, float):
        return float(f"{value:.2g}") if abs(value) < 1 else round(value, 2)
    return visible(short_id(value)) if isinstance(value, str) else value


def line(record: Record, now: int | None) -> Any:
    """Return a record as one text: the entry or quote of its text form, or its facts on one line."""
    if type(record) in LISTED:
        return LISTED[type(record)](record, now)
    show = SHOWN.get(type(record))
    if show is None:
        return _fields(record, now)
    blocks = show(record, now)
    return _line(next((block for block in blocks if isinstance(block, Listing | Quote)), blocks[0]))


def _line(block: Block) -> Any:
    if isinstance(block, Listing):
        return block.entries[0]
    if isinstance(block, Facts):
        return ", ".join(f"{label} {value}" for label, value in block.rows)
    if isinstance(block, Grid):
        return ", ".join(f"{label} {cell}" for label, cell in zip(block.columns, block.rows[0], strict=True))
    return block.text if isinstance(block, Line) else block


# Records that have a shorter form inside a list.
LISTED: Mapping[type[Record], Callable[[Any, int | None], Entry]] = {
    model.Memory: memory_entry,
    model.Session: session_entry,
}

# --- answers that differ from their fields ---


def _stored(stored: model.Stored, _now: int | None) -> dict[str, Any]:
    superseded = [short_id(row.memory_id) for row in stored.amends if row.superseded]
    contradicted = [short_id(row.memory_id) for row in stored.amends if not row.superseded]
    return _said(
        id=short_id(stored.memory.id),
        created=stored.created,
        merged=list(stored.merged),
        supersedes=superseded,
        contradicts=contradicted,
        redacted=list(stored.redacted),
        observed=stored.memory.observed or None,
        new_project=stored.new_project or None,
    )


def _changed(changed: Changed, _now: int | None) -> dict[str, Any]:
    return {"id": short_id(changed.memory.id), "updated": True}


def _said(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value not in (None, "", [], {})}


def _memory(memory: model.Memory, now: int | None) -> dict[str, Any]:
    quote = quoted(memory, now)
    about = "; ".join((quote.head, *(f"{label} {value}" for label, value in quote.facts)))
    return {"about": about, "text": quote._replace(head="", facts=())}


def _settled(settled: model.Settled, _now: int | None) -> dict[str, Any]:
    fresh = settled.freshness.note
    return _said(id=short_id(settled.memory.id), action=settled.action, freshness=fresh, batch=short_id(settled.batch))


def _summed(summed: model.Summed, now: int | None) -> dict[str, Any]:
    text = None if summed.memory is None else summed.memory.content
    return _said(session=short_id(summed.session.id), summary=text and visible(text), notes=_value(summed.notes, None))


def _map(answer: code.RepoMap, _now: int | None) -> dict[str, Any]:
    return _said(map=visible(answer.text()), tokens=answer.tokens, notes=_value(answer.notes, None))


def _packed(pack: model.Packed, _now: int | None) -> dict[str, Any]:
    return {"text": visible(pack.text.rstrip()), **_said(tokens=pack.tokens, notes=_value(pack.notes, None))}


def _documented(record: Record, now: int | None) -> dict[str, Any]:
    """Every field, under its name: the documents print these answers."""
    return {name: _value(value, now) for name, value in msgspec.to_builtins(record).items()}


def _symbol(view: code.SymbolView, now: int | None) -> dict[str, Any]:
    """Callers and callees as paths from the root, those of other projects as full paths."""
    root = f"sym:{view.symbol.root}/"
    ends = {
        name: [end.removeprefix(root).removeprefix("sym:") for end in getattr(view, name)]
        for name in ("callers", "callees")
    }
    return _fields(view, now) | {name: _value(value, now) for name, value in ends.items() if value}


def _history(history: model.History, now: int | None) -> dict[str, Any]:
    shown = [block for block in SHOWN[model.History](history, now) if isinstance(block, Listing)]
    return {"changes": [entry for block in shown for entry in block.entries], "total": history.total}


def _impact(found: Impact, now: int | None) -> dict[str, Any]:
    """Without the files: they are in the places."""
    return {name: value for name, value in _fields(found, now).items() if name not in ("files", "files_total", "depth")}


def _health(health: model.Health, now: int | None) -> dict[str, Any]:
    """Only the checks that failed."""
    wrong = [line(check, now) for check in health.checks if check.status != "ok"]
    return {"status": health.status, "version": health.version, "checks": wrong}


BRIEF: Mapping[type[Record], Brief] = {
    model.Stored: _stored,
    Changed: _changed,
    **dict.fromkeys((model.Memory, model.MemoryView), _memory),
    model.Settled: _settled,
    model.Summed: _summed,
    code.RepoMap: _map,
    model.Packed: _packed,
    model.Health: _health,
    model.History: _history,
    code.SymbolView: _symbol,
    Impact: _impact,
    **dict.fromkeys((CodingMemory, RelevantMemories, Evolution, model.WorkspaceAnswer), _documented),
}

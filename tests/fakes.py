"""Stand-ins for what is slow, far away or ever changing: an embedder, a language model, a clock, a store in a dict.

They enter through the same doors as the real ones (`Engine(embedder=…)`, `recollect.clock`, the Store protocol), so no
test has to reach into anything.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from recollect import clock
from recollect.errors import Conflict, EmbeddingFailed, NotFound, Purged
from recollect.model import Anchor, Change, Edge, Memory, Node, Record, Session, Workspace
from recollect.store.store_values import Filter, Has, R, Range
from recollect.store.transaction import Transaction


class HashingEmbedder:
    """Embeds a text as the hashed bag of its words: the same words, the same vector, on every machine.

    `embedded` holds every text it was given; with `failing` set it fails as a provider that cannot be reached.
    """

    def __init__(self, dimensions: int = 64, *, model_id: str = "") -> None:
        self.dimensions = dimensions
        self.model_id = model_id or f"hashing/{dimensions}"
        self.embedded: list[str] = []
        self.failing = False
        self.when_called: Callable[[], None] = lambda: None

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.when_called()
        if self.failing:
            raise EmbeddingFailed("the fake provider is down")
        self.embedded += texts
        return np.stack([self._vector(text) for text in texts]) if texts else np.empty((0, self.dimensions), np.float32)

    def _vector(self, text: str) -> NDArray[np.float32]:
        vector = np.zeros(self.dimensions, np.float32)
        for word in text.lower().split():
            digest = hashlib.sha256(word.encode()).digest()
            vector[int.from_bytes(digest[:4]) % self.dimensions] += 1 if digest[4] % 2 else -1
        length = float(np.linalg.norm(vector))
        if not length:
            vector[0] = length = 1.0
        return vector / np.float32(length)


class ScriptedModel:
    """A language model that says what `says` makes of the prompt, without a network.

    `asked` holds every prompt; with `failure` set it raises that instead of answering.
    """

    def __init__(self, says: Callable[[str], str] | str = "Score: 0.5", *, model_id: str = "scripted/1") -> None:
        self.says = says
        self.model_id = model_id
        self.asked: list[str] = []
        self.failure: Exception | None = None

    def complete(self, prompt: str, *, max_tokens: int) -> str:
        self.asked.append(prompt)
        if self.failure is not None:
            raise self.failure
        return self.says if isinstance(self.says, str) else self.says(prompt)


class FrozenClock:
    """A clock that stands still until it is moved; install it with `monkeypatch.setattr(clock, "now", frozen)`."""

    def __init__(self, at: int = 1_700_000_000) -> None:
        self.at = at

    def __call__(self) -> int:
        return self.at

    def advance(self, seconds: int) -> None:
        self.at += seconds


# --- a store in a dictionary: the row-shaped verbs of the protocol, without searches ---------------------------------

Rows = dict[type[Record], dict[Any, Any]]

VOLATILE = {Memory: {"rev", "seq", "access_count", "last_accessed_at"}, Node: {"rev", "centrality"}}
HANGING = {Memory: ((Anchor, "memory_id"),), Node: ((Edge, "src"), (Edge, "dst"))}
# The logged tables; the others are derived from files, or are the log.
NAMES: dict[type[Record], str] = {
    Memory: "memories",
    Node: "graph_nodes",
    Edge: "graph_edges",
    Anchor: "anchors",
    Session: "sessions",
    Workspace: "workspaces",
}


class DictRows:
    """Reading records; the part that store and transaction share."""

    def __init__(self, rows: Rows, changes: list[Change]) -> None:
        self._rows = rows
        self._changes = changes

    def _all(self, kind: type[R]) -> list[R]:
        if kind is Change:
            return self._changes  # type: ignore[return-value]
        return list(self._rows.get(kind, {}).values())

    def get(self, kind: type[R], ids: Sequence[str | int]) -> list[R]:
        rows = self._rows.get(kind, {})
        return [rows[row_id] for row_id in ids if row_id in rows]

    def find(
        self, kind: type[R], where: Filter | None = None, *, order: str = "", limit: int | None = None, offset: int = 0
    ) -> list[R]:
        found = [row for row in self._all(kind) if matches(row, where)]
        tie = "seq" if hasattr(kind, "seq") else "id"
        field = order.lstrip("-") or tie
        found.sort(key=lambda row: (getattr(row, field), getattr(row, tie)), reverse=order.startswith("-"))
        return found[offset : None if limit is None else offset + limit]

    def logged(self, kind: type[R], field: str, value: str) -> list[R]:
        rows = [_row(kind, change.before) for change in self._changes if change.entity == NAMES[kind] and change.before]
        return [row for row in rows if getattr(row, field) == value]


class DictTransaction(DictRows):
    """Writes on copies of the tables, which the store takes over at the end."""

    def __init__(self, rows: Rows, changes: list[Change], operation: str, batch: str) -> None:
        super().__init__(rows, changes)
        self._operation = operation
        self.batch = batch

    def insert(self, record: R) -> R:
        table = self._rows.setdefault(type(record), {})
        if record.id in table:  # type: ignore[attr-defined]
            raise Conflict("that id exists")
        if type(record) in NAMES:
            number = self._log(record, "insert", None)
            numbered = {"rev": number} | ({"seq": number} if hasattr(record, "seq") and not record.seq else {})
            record = msgspec.structs.replace(record, **numbered)
        table[record.id] = record  # type: ignore[attr-defined]
        return record

    def update(self, kind: type[R], row_id: str, values: Mapping[str, Any]) -> R:
        current = next(iter(self.get(kind, [row_id])), None)
        if current is None:
            raise NotFound("no such row")
        if any(getattr(current, field) != value for field, value in values.items()):
            numbered = {"rev": self._log(current, "update", current)} if kind in NAMES else {}
            current = msgspec.structs.replace(current, **values, **numbered)
            self._rows[kind][row_id] = current
        return current

    def delete(self, kind: type[Record], where: Filter) -> int:
        doomed: list[Any] = self.find(kind, where)
        for record in doomed:
            edges = self.find(Edge, {"src": f"mem:{record.id}", "relationship": "SUPERSEDES"}) if kind is Memory else []
            for edge in edges:
                for old in self.get(Memory, [edge.dst.removeprefix("mem:")]):
                    newer = self.get(Memory, [record.id])[0].superseded_by
                    ends = (newer, record.valid_to) if newer and self.get(Memory, [newer]) else (None, None)
                    self.update(Memory, old.id, dict(zip(("superseded_by", "valid_to"), ends, strict=True)))
                    if ends[0]:
                        self.update(Edge, edge.id, {"src": f"mem:{newer}"})
            for dependent, field in HANGING.get(kind, ()):
                self.delete(dependent, {field: record.id})
            for node in self.find(Node, {"memory_id": record.id}) if kind is Memory else ():
                if node.kind == "Memory":
                    self.delete(Node, {"id": node.id})
                else:
                    self.update(Node, node.id, {"memory_id": None})
            if kind in NAMES:
                self._log(record, "delete", record)
            del self._rows[kind][record.id]
        return len(doomed)

    def undo(self, batch: str) -> int:
        changes = self.find(Change, {"batch": batch}, order="-seq")
        if not changes:
            raise NotFound("no such batch")
        rows = sum(self._take_back(change) for change in changes)
        if not rows:
            raise Purged("nothing of it is left")
        return rows

    def purge(self, kind: type[Record], ids: Sequence[str], *, keep: bool = False) -> int:
        traces = {(NAMES[kind], row_id) for row_id in ids}
        hanging = ((Node, "memory_id"), *HANGING[Memory]) if kind is Memory else HANGING.get(kind, ())
        emptied = 0
        for dependent, field in hanging:
            for name in ids:
                rows: list[Any] = [*self.find(dependent, {field: name}), *self.logged(dependent, field, name)]
                names = [row.id for row in rows if dependent is not Node or row.kind == "Memory"]
                emptied += self.purge(dependent, names, keep=keep) if names else 0
        if not keep:
            self.delete(kind, {"id": tuple(ids)})
        for place, change in enumerate(self._changes):
            if (change.entity, change.entity_id) in traces and change.before is not None:
                self._changes[place] = msgspec.structs.replace(change, before=None)
                emptied += 1
        return emptied

    def _take_back(self, change: Change) -> bool:
        kind: Any = next(kind for kind, name in NAMES.items() if name == change.entity)
        current = next(iter(self.get(kind, [change.entity_id])), None)
        later = [row for row in self._changes if row.entity_id == change.entity_id and row.seq > change.seq]
        telling = later[:1] if change.action == "insert" else [change]
        if any(row.action != "insert" and row.before is None for row in telling):
            return False
        left = None if change.action == "delete" else _row(kind, later[0].before) if later else current
        if _comparable(current) != _comparable(left):
            raise Conflict("changed since")
        before = _row(kind, change.before)
        if before is None:
            self.delete(kind, {"id": change.entity_id})
        elif current is None:
            self.insert(before)
        else:
            self.update(kind, change.entity_id, _comparable(before))
        return True

    def _log(self, record: Any, action: Any, before: Record | None) -> int:
        image = msgspec.to_builtins(before) if before is not None else None
        number = len(self._changes) + 1
        self._changes.append(
            Change(
                seq=number,
                batch=self.batch,
                at=clock.now(),
                operation=self._operation,
                entity=NAMES[type(record)],
                entity_id=record.id,
                action=action,
                before=image,
            )
        )
        return number


class DictStore(DictRows):
    """Rows in a dictionary; two stores over the same one see each other's rows, as two processes would."""

    def __init__(self, shared: dict[str, Any] | None = None) -> None:
        self._shared = {} if shared is None else shared
        super().__init__(self._shared.setdefault("rows", {}), self._shared.setdefault("changes", []))

    def count(self, kind: type[Record], where: Filter | None = None) -> int:
        return len(self.find(kind, where))

    def tally(self, kind: type[Record], field: str, where: Filter | None = None) -> dict[Any, int]:
        values = [getattr(row, field) for row in self.find(kind, where)]
        return dict(sorted(((value, values.count(value)) for value in dict.fromkeys(values)), key=lambda row: -row[1]))

    @contextmanager
    def transaction(self, operation: str, *, batch: str | None = None) -> Iterator[Transaction]:
        rows, changes = {kind: dict(table) for kind, table in self._rows.items()}, list(self._changes)
        yield DictTransaction(rows, changes, operation, batch or clock.new_id())
        self._rows.update(rows)
        self._changes[:] = changes

    def touch(self, ids: Sequence[str], *, at: int | None = None, read: bool = True) -> None:
        for memory in self.get(Memory, list(dict.fromkeys(ids))):
            seen = {"access_count": memory.access_count + read, "last_accessed_at": clock.now() if at is None else at}
            self._rows[Memory][memory.id] = msgspec.structs.replace(memory, **seen)

    def setting(self, key: str) -> str | None:
        return self._shared.get("settings", {}).get(key)

    def keep_setting(self, key: str, value: str) -> None:
        self._shared.setdefault("settings", {})[key] = value

    def swap_setting(self, key: str, before: str | None, value: str) -> bool:
        is_same = self.setting(key) == before
        if is_same:
            self.keep_setting(key, value)
        return is_same

    def close(self) -> None:
        return None


def matches(row: Any, where: Filter | None) -> bool:
    """Tell whether a record passes a filter: the meaning of filters in a few lines."""
    return all(_passes(getattr(row, field), wanted) for field, wanted in (where or {}).items())


def _passes(value: Any, wanted: object) -> bool:
    if isinstance(wanted, Has):
        return set(wanted.values) <= set(value)
    if isinstance(wanted, Range):
        low = wanted.at_least is None or (value is not None and value >= wanted.at_least)
        return low and (wanted.below is None or (value is not None and value < wanted.below))
    if isinstance(wanted, Iterable) and not isinstance(wanted, str):
        return value in wanted
    return bool(value == wanted)


def _row(kind: type[Record], image: dict[str, Any] | None) -> Any:
    return None if image is None else msgspec.convert(image, kind)


def _comparable(record: Any) -> Any:
    if record is None:
        return None
    volatile = VOLATILE.get(type(record), {"rev"})
    return {field: getattr(record, field) for field in record.__struct_fields__ if field not in volatile}

"""Import the memories of another tool.

    reader ─► Found ─► plan: keys, dangling links        the whole source is read once before anything is written
    reader ─► Found ─► Memory, Session, Node, Edge ─► without secrets ─► outcome ─► batches, undone if one fails

Ids depend on source, project and key (or are the source's own, where those are unique everywhere), so that importing
again leaves the same memories. A record that has changed since updates its memory, unless a user edited that; deleted
memories stay deleted. Unknown fields are kept in the metadata under `origin`.
"""

from __future__ import annotations

import contextlib
import re
import uuid
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from recollect import clock, progress
from recollect.engine.records import input_checks
from recollect.engine.records.identity import namespace_of
from recollect.engine.records.memory_rows import TRUST, content_hash, ensure_node, node_id, renewed, unwanted
from recollect.engine.records.record_redaction import refuse_secret_names, without_secrets
from recollect.errors import InvalidInput, InvalidWorkspace, RecollectError
from recollect.importing.import_records import Found, Left, Linked, Noded, Remembered, Sat, relation
from recollect.importing.import_source import Reader
from recollect.model import NODE_KINDS, Edge, Imported, ImportedPart, Memory, Node, Record, Session
from recollect.text.redaction.name_redaction import holds_secret

if TYPE_CHECKING:
    from recollect.engine.context import Context
    from recollect.engine.memory.anchor_tracking import AnchorTracking
    from recollect.engine.models.embedding_queue import Embedding
    from recollect.store.sql import Store
    from recollect.store.transaction import Transaction

# Rows per transaction: enough to be fast, few enough that other writers do not wait long.
BATCH = 500
# Metadata key of fields that have no place here.
ORIGIN = "origin"
# Longer titles are cut; the whole title is kept in the metadata.
TITLE_CHARACTERS = input_checks.MAX_LABEL_CHARACTERS

_SPACE = uuid.UUID("6f1f9a5c-8d0b-5b7c-9d3a-0c6f3f2b7e19")
_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_BECAME: Mapping[type, str] = {Remembered: "memories", Sat: "sessions", Noded: "nodes", Linked: "links"}


Rows = Mapping[tuple[type[Record], str], Record]


class Known(NamedTuple):
    """A memory of the source: its id here, and when it was written."""

    id: str
    at: int | None


class Plan:
    """The result of the first reading: ids of keys, dangling links, unknown fields of sessions."""

    def __init__(self) -> None:
        self.total = 0
        self.memories: dict[str, Known] = {}
        self.nodes: set[str] = set()
        self.loose: dict[str, list[dict[str, Any]]] = {}
        self.sessions: dict[str, Mapping[str, Any]] = {}


class Report:
    """Counts for each part of the source what was found, imported and skipped."""

    def __init__(self) -> None:
        self._found: Counter[str] = Counter()
        self._taken: Counter[str] = Counter()
        self._became: dict[str, str] = {}
        self._left: dict[str, Counter[str]] = {}
        self.fates: Counter[str] = Counter()
        self.beside: Counter[str] = Counter()
        self.redacted: Counter[str] = Counter()

    def take(self, found: Found, fate: str) -> None:
        """Count a record that was imported or known."""
        self._found[found.part] += 1
        self._taken[found.part] += 1
        self._became.setdefault(found.part, _BECAME[type(found)])
        self.fates[fate] += 1

    def leave(self, left: Left) -> None:
        """Count a record that was skipped, and why."""
        self._found[left.part] += left.rows
        self._left.setdefault(left.part, Counter())[left.why] += left.rows

    def parts(self) -> tuple[ImportedPart, ...]:
        """Return the counts by part, in the order of the source."""
        return tuple(
            ImportedPart(
                name=name,
                found=found,
                became=self._became.get(name, ""),
                taken=self._taken[name],
                left=dict(self._left.get(name, {})),
            )
            for name, found in self._found.items()
            if found
        )


class MemoryImport:
    """One import from another tool."""

    def __init__(
        self,
        context: Context,
        reader: Reader,
        *,
        embedding: Embedding,
        anchor_tracking: AnchorTracking,
        namespace: str | None,
        dry_run: bool,
    ) -> None:
        self._context = context
        self._embedding = embedding
        self._anchor_tracking = anchor_tracking
        self._source = reader.source_name
        self._reader = reader
        self._namespace = namespace_of(namespace)
        self._dry_run = dry_run
        self._projects: dict[str, str | None] = {}
        self._plan = Plan()
        self._report = Report()
        # Links from fields of memories: source, relation, target, time.
        self._hanging: list[tuple[str, str, str, int]] = []
        # Ids that this import has written or skipped.
        self._met: set[tuple[type[Record], str]] = set()

    def run(self) -> Imported:
        """Import everything and return the report; after an error nothing is left."""
        self._look_through()
        batch = clock.new_id()
        try:
            self._write_all(batch)
        except BaseException:
            undo_failed(self._context.store, batch)
            raise
        changed = self._report.fates["created"] + self._report.fates["updated"]
        if changed and not self._dry_run:
            self._embedding.after_import()
            self._anchor_tracking.catch_up()
        return self._answer(batch if changed and not self._dry_run else "")

    def _answer(self, batch: str) -> Imported:
        report, fates = self._report, self._report.fates
        return Imported(
            lines=self._plan.total,
            created=fates["created"],
            known=fates["known"],
            merged=0,
            batch=batch,
            redacted=dict(report.redacted),
            source=self._source,
            program=self._reader.program,
            updated=fates["updated"],
            refused=fates["refused"],
            dry_run=self._dry_run,
            parts=report.parts(),
            beside=dict(report.beside.most_common()),
        )

    # --- reading ---

    def _look_through(self) -> None:
        plan = self._plan
        for found in self._reader.read():
            if isinstance(found, Left):
                continue
            plan.total += 1
            if plan.total % BATCH == 0:
                progress.report(plan.total, None, f"reading {self._reader.program}")
            if isinstance(found, Remembered):
                with contextlib.suppress(InvalidInput):  # it is left out when it is written
                    plan.memories[found.key] = Known(self._id(found), found.at)
            elif isinstance(found, Sat) and found.beside:
                plan.sessions[found.key] = found.beside
            elif isinstance(found, Noded):
                plan.nodes.add(found.key)
            elif isinstance(found, Linked):
                self._note_loose(found)

    def _note_loose(self, link: Linked) -> None:
        """Keep a dangling link in the metadata of its memory."""
        ends = (link.src, link.dst)
        here = [end for end in ends if end in self._plan.memories]
        if len(here) == 1 and not (set(ends) - set(here)) & self._plan.nodes:
            said = {"relation": link.name, "from": link.src, "to": link.dst, **link.properties}
            self._plan.loose.setdefault(here[0], []).append(said)

    # --- writing ---

    def _write_all(self, batch: str) -> None:
        sessions = dict(self._plan.sessions)
        records = (found for found in self._reader.read())
        done = 0
        while chunk := list(islice(records, BATCH)):
            ready = [(found, self._record(found, sessions)) for found in chunk]
            if self._dry_run:
                self._count(self._context.store, ready)
            else:
                with self._context.store.transaction("import_memories", batch=batch) as transaction:
                    self._write(transaction, ready)
            done += sum(not isinstance(found, Left) for found in chunk)
            progress.report(done, self._plan.total, f"importing from {self._reader.program}")
        for start in range(0, len(self._hanging), BATCH):
            with self._context.store.transaction("import_memories", batch=batch) as transaction:
                self._hang(transaction, self._hanging[start : start + BATCH])
        for key in sessions:
            self._report.leave(Left("sessions without memories", f"its other fields: {', '.join(sessions[key])}"))

    def _count(self, rows: Store | Transaction, ready: Sequence[tuple[Found, Record | Left]]) -> list[str]:
        """Count and return the outcome of each record: created, updated, known, refused or left."""
        gone = unwanted(rows, [record.id for _, record in ready if isinstance(record, Memory)])
        known = _known(rows, [record for _, record in ready])
        fates: list[str] = []
        for found, record in ready:
            fate = self._fate(found, record, known, gone)
            if isinstance(fate, Left):
                self._report.leave(fate)
                fates.append("left")
                continue
            if fate == "refused":
                self._report.leave(Left(found.part, "deleted from recollect earlier"))
                self._report.fates[fate] += 1
            else:
                self._report.take(found, fate)
            fates.append(fate)
        return fates

    def _fate(self, found: Found, record: Record | Left, known: Rows, gone: frozenset[str]) -> str | Left:
        if isinstance(record, Left):
            return record
        if _name(record) in self._met:
            return Left(found.part, "duplicate id in the source; the first one was imported")
        self._met.add(_name(record))
        old = known.get(_name(record))
        if not isinstance(record, Memory):
            return "created" if old is None else "known"
        if old is None:
            return "refused" if record.id in gone else "created"
        if not isinstance(old, Memory) or old.content_hash == record.content_hash:
            return "known"
        if _written(old) == old.content_hash:
            return "updated"
        if _written(record):
            return "known"  # a user changed it here
        return Left(found.part, "its id belongs to a different memory in recollect")

    def _write(self, transaction: Transaction, ready: Sequence[tuple[Found, Record | Left]]) -> None:
        """Write records, nodes before the links between them."""
        points = [(found, record) for found, record in ready if not isinstance(record, Edge)]
        for (_, record), fate in zip(points, self._count(transaction, points), strict=True):
            if fate == "created" and not isinstance(record, Left):
                transaction.insert(record)
            elif fate == "updated" and isinstance(record, Memory):
                transaction.update(Memory, record.id, renewed(record))
            if fate in ("created", "updated") and isinstance(record, Memory):
                self._remember_hanging(record)
        edges = [(found, record) for found, record in ready if isinstance(record, Edge)]
        whole = [(found, self._with_ends(transaction, found, edge)) for found, edge in edges]
        for (_, made), fate in zip(whole, self._count(transaction, whole), strict=True):
            if fate == "created" and isinstance(made, Edge):
                transaction.insert(made)

    def _with_ends(self, transaction: Transaction, found: Found, edge: Edge) -> Edge | Left:
        """Return an edge whose ends exist; memories get their nodes."""
        for end in (edge.src, edge.dst):
            memories = transaction.get(Memory, [end.removeprefix("mem:")]) if end.startswith("mem:") else []
            if memories:
                ensure_node(transaction, memories[0])
            elif not transaction.get(Node, [end]):
                return Left(found.part, "an item it links was not imported")
        return edge

    def _remember_hanging(self, memory: Memory) -> None:
        """Collect links to parents and successors, which are written last."""
        if memory.parent_id:
            self._hanging.append((memory.id, "PART_OF", memory.parent_id, memory.created_at))
        if memory.superseded_by:
            self._hanging.append((memory.superseded_by, "SUPERSEDES", memory.id, memory.created_at))

    def _hang(self, transaction: Transaction, hanging: Sequence[tuple[str, str, str, int]]) -> None:
        for src, name, dst, at in hanging:
            ends = transaction.get(Memory, [src, dst])
            edge = self._edge(node_id(src), node_id(dst), name, at)
            if len(ends) == len({src, dst}) and not transaction.get(Edge, [edge.id]):
                for memory in ends:
                    ensure_node(transaction, memory)
                transaction.insert(edge)

    # --- records ---

    def _record(self, found: Found, sessions: dict[str, Mapping[str, Any]]) -> Record | Left:
        if isinstance(found, Left):
            return found
        try:
            raw = self._made(found, sessions)
            if isinstance(raw, Left):
                return raw
            refuse_secret_names(raw)
            with clock.cpu_limit(clock.RECORD_CPU_S):
                clean, kinds = without_secrets(raw)
        except InvalidInput as problem:
            return Left(found.part, problem.message)
        except clock.CpuLimitExceeded:
            return Left(found.part, "took too long to read")
        self._report.redacted.update(kinds)
        return self._signed(clean) if isinstance(clean, Memory) else clean

    def _made(self, found: Remembered | Sat | Noded | Linked, sessions: dict[str, Mapping[str, Any]]) -> Record | Left:
        if isinstance(found, Remembered):
            extra = sessions.pop(found.session, None) if found.session is not None else None
            return self._memory(found, extra)
        if isinstance(found, Sat):
            return Session(
                id=self._session_id(found.key),
                namespace=self._project(found.project),
                started_at=found.started_at,
                ended_at=found.ended_at,
                memory_count=found.memory_count,
                summary=found.summary,
                assistant=found.assistant,
                branch=found.branch,
                seen_at=found.ended_at or found.started_at,
                ended_by="import" if found.ended_at is not None else "",
            )
        if isinstance(found, Noded):
            kind = found.kind if found.kind in NODE_KINDS else "Type"
            payload = dict(found.beside) if kind == found.kind else {**found.beside, "kind": found.kind}
            return Node(
                id=input_checks.text("id", found.key),
                kind=kind,  # type: ignore[arg-type]
                label=found.label,
                payload=payload,
                namespace=self._project(found.project),
            )
        return self._link(found)

    def _memory(self, found: Remembered, extra: Mapping[str, Any] | None) -> Memory:
        limit = self._context.settings.max_content_bytes
        input_checks.content(found.content, max_bytes=limit)
        now = clock.now()
        at = found.at if found.at is not None else now
        beside = dict(found.beside)
        namespace = self._project(found.project)
        if found.project and namespace is None:
            beside["project"] = found.project
        title, category, author = (
            self._label(name, getattr(found, name), beside) for name in ("title", "category", "author")
        )
        tags = found.tags[: input_checks.MAX_TAGS]
        if len(found.tags) > len(tags):
            beside["tags"] = list(found.tags)
        if extra:
            beside["session"] = dict(extra)
        self._report.beside.update(f"{found.part}.{name}" for name in beside)
        metadata = self._metadata(found, beside)
        parent = self._plan.memories.get(found.parent or "")
        newer = self._plan.memories.get(found.replaced_by or "")
        return Memory(
            id=self._plan.memories[found.key].id,
            content=found.content,
            memory_type=found.memory_type,
            importance=found.importance,
            confidence=found.confidence,
            access_count=found.access_count,
            tags=input_checks.tags(tags),
            metadata=input_checks.metadata(metadata, max_bytes=limit),
            namespace=namespace,
            created_at=at,
            updated_at=found.updated_at if found.updated_at is not None else at,
            last_accessed_at=found.accessed_at if found.accessed_at is not None else at,
            title=title,
            category=category,
            author=author,
            source="import",
            trust=TRUST["imported"]["import"],
            session_id=self._session_id(found.session) if found.session else None,
            parent_id=parent.id if parent else None,
            chunk_index=found.place,
            valid_from=found.at,
            valid_to=found.ended_at if found.ended_at is not None else newer.at if newer else None,
            superseded_by=newer.id if newer else None,
            expires_at=found.expires_at,
            observed=found.observed,
        )

    def _metadata(self, found: Remembered, beside: dict[str, Any]) -> dict[str, Any]:
        """Return the metadata of the source, with unknown fields under `origin`."""
        origin: dict[str, Any] = {"program": self._source}
        if not self._reader.kept_ids:
            origin["key"] = found.key
        if ORIGIN in found.metadata:
            beside = {**beside, "metadata.origin": found.metadata[ORIGIN]}
        if beside:
            origin["fields"] = beside
        if loose := self._plan.loose.get(found.key):
            origin["links"] = loose
        says_more = not self._reader.kept_ids or beside or loose
        return {**found.metadata, ORIGIN: origin} if says_more else dict(found.metadata)

    def _signed(self, memory: Memory) -> Memory:
        """Return a memory with its content hash, by which later edits are recognised."""
        written = content_hash(memory.content)
        origin = memory.metadata.get(ORIGIN)
        metadata = memory.metadata
        if not self._reader.kept_ids and isinstance(origin, dict):
            metadata = {**metadata, ORIGIN: {**origin, "written": written}}
        return msgspec.structs.replace(memory, content_hash=written, metadata=metadata)

    def _label(self, name: str, value: str | None, beside: dict[str, Any]) -> str | None:
        """Return a short text; a longer one is cut and kept in `beside`."""
        said = " ".join(value.split()) if value else ""
        if len(said) <= TITLE_CHARACTERS:
            return said or None
        beside[name] = value
        return said[: TITLE_CHARACTERS - 1] + "…"

    def _link(self, found: Linked) -> Edge | Left:
        ends: list[str] = []
        for end in (found.src, found.dst):
            memory = self._plan.memories.get(end)
            if memory is None and end not in self._plan.nodes:
                is_kept = found.src in self._plan.loose or found.dst in self._plan.loose
                why = (
                    "its target does not exist; kept in the metadata of its memory"
                    if is_kept
                    else "both linked items are missing"
                )
                return Left(found.part, why)
            ends.append(node_id(memory.id) if memory else end)
        at = found.at if found.at is not None else clock.now()
        edge = self._edge(ends[0], ends[1], found.name, at)
        properties = {**found.properties, **edge.properties}
        limit = self._context.settings.max_content_bytes
        properties = input_checks.metadata(properties, max_bytes=limit)
        return msgspec.structs.replace(edge, weight=found.weight, properties=properties)

    def _edge(self, src: str, dst: str, name: str, at: int) -> Edge:
        kind = relation(name)
        edge_id = str(uuid.uuid5(_SPACE, f"{src}\n{name}\n{dst}"))
        # The source's own name of the relation.
        properties = {} if name == kind else {"relation": name}
        return Edge(id=edge_id, src=src, dst=dst, relationship=kind, properties=properties, created_at=at)

    def _id(self, found: Remembered) -> str:
        if self._reader.kept_ids:
            return input_checks.text("id", found.key)
        scope = self._project(found.project) or ""
        return str(uuid.uuid5(_SPACE, f"{self._source}\n{scope}\n{found.key}"))

    def _session_id(self, key: str) -> str:
        """Return the id of a session: the assistant's own, which hooks use too, or one made of its key."""
        if self._reader.kept_ids or _UUID.fullmatch(key):
            return key
        return str(uuid.uuid5(_SPACE, f"{self._source}\nsession\n{key}"))

    def _project(self, name: str | None) -> str | None:
        """Return the namespace of a project: the requested one, else that of the source's name."""
        if self._namespace is not None:
            return self._namespace
        if not name:
            return namespace_of(self._context.settings.namespace)
        if name not in self._projects:
            if holds_secret(name):
                raise InvalidInput("its project name contains a secret")
            try:
                self._projects[name] = namespace_of(name)
            except InvalidWorkspace:
                self._projects[name] = None
        return self._projects[name]


def _name(record: Record) -> tuple[type[Record], str]:
    return type(record), record.id  # type: ignore[attr-defined]


def _known(rows: Store | Transaction, records: Sequence[Record | Left]) -> Rows:
    """Return stored rows with the ids of these records, by one query per kind."""
    wanted: dict[type[Record], list[str]] = {}
    for record in records:
        if not isinstance(record, Left):
            kind, row_id = _name(record)
            wanted.setdefault(kind, []).append(row_id)
    return {_name(row): row for kind, ids in wanted.items() for row in rows.get(kind, ids)}


def _written(memory: Memory) -> str | None:
    """Return the hash of the imported text; None if an import may not update it."""
    origin = memory.metadata.get(ORIGIN)
    found = origin.get("written") if isinstance(origin, dict) else None
    return found if isinstance(found, str) else None


def undo_failed(store: Store, batch: str) -> None:
    """Undo the written part of a failed import; if that fails too, the first error matters more."""
    with contextlib.suppress(RecollectError), store.transaction(f"undo {batch}") as transaction:
        transaction.undo(batch)

"""Export and import everything that is not derived, as JSON Lines.

One record per line with its `kind`; a first line names the format. An import checks the whole file before it writes
anything, and keeps ids, so that importing twice changes nothing. Other formats are imported by importing/.

    {"kind": "recollect", "format": 1}
    {"kind": "memory", "id": "…", "content": "…", …}
    {"kind": "node", …} {"kind": "edge", …} {"kind": "anchor", …} {"kind": "session", …} {"kind": "workspace", …}
"""

import contextlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import msgspec

from recollect import clock, progress
from recollect.engine.records import input_checks
from recollect.engine.records.identity import namespace_of
from recollect.engine.records.memory_rows import content_hash, store_in
from recollect.engine.records.output_file import written
from recollect.engine.records.record_redaction import refuse_secret_names, without_secrets
from recollect.errors import InvalidInput, NotFound
from recollect.files import copy_pipe, open_file
from recollect.model import (
    IMPORT_SOURCES,
    Anchor,
    Edge,
    Exported,
    Imported,
    ImportedPart,
    ImportSource,
    Memory,
    Node,
    Record,
    Session,
    Workspace,
)
from recollect.operations import operation
from recollect.parsing import parse_json
from recollect.store.store_values import Range
from recollect.text.display import json_escaped

if TYPE_CHECKING:
    from recollect.engine.context import Context
    from recollect.engine.memory.anchor_tracking import AnchorTracking
    from recollect.engine.models.embedding_queue import Embedding
    from recollect.store.sql import Store
    from recollect.store.transaction import Transaction

FORMAT = 1

# In this order, so that a line refers only to lines above it.
KINDS: dict[str, type[Record]] = {
    "workspace": Workspace,
    "session": Session,
    "memory": Memory,
    "node": Node,
    "edge": Edge,
    "anchor": Anchor,
}

# Fields that refer to other records, which must exist first.
POINTERS: dict[type[Record], dict[str, type[Record]]] = {
    Node: {"memory_id": Memory},
    Edge: {"src": Node, "dst": Node},
    Anchor: {"memory_id": Memory},
}

# Rows per transaction of an import: enough to be fast, few enough that other writers do not wait long.
BATCH = 500
# Largest export in an answer; more goes to a file.
MAX_INLINE_BYTES = 4 * 1024 * 1024

# Fields that belong to one database: log numbers and centrality.
_LOCAL_FIELDS = ("seq", "rev", "centrality")


class Archive:
    """Exports and imports memories."""

    def __init__(self, context: "Context", *, embedding: "Embedding", anchor_tracking: "AnchorTracking") -> None:
        self._context = context
        self._embedding = embedding
        self._anchor_tracking = anchor_tracking

    @operation(
        "export_memories", "export", destructive=True, idempotent=True, positional=("path",), listed=("path", "project")
    )
    def export(self, path: str = "-", *, namespace: str | None = None, overwrite: bool = False) -> Exported:
        """Export memories, links and sessions as JSON Lines.

        Text is exported exactly as stored. A server writes only below the project and the recollect home.

        path: file to write; '-': return the text
        overwrite: replace an existing file
        """
        scope, target = namespace_of(namespace), input_checks.text("path", path)
        # One snapshot: a link whose ends were deleted meanwhile could not be imported again.
        with self._context.store.snapshot():
            lines = _lines(self._context.store, scope)
            return _inline(lines) if target == "-" else self._write(_file(path), lines, overwrite=overwrite)

    def _write(self, path: Path, lines: Iterator[tuple[str, bytes]], *, overwrite: bool) -> Exported:
        count = memories = 0
        with written(self._context, path, overwrite=overwrite) as file:
            for kind, line in lines:
                file.write(line + b"\n")
                count += 1
                memories += kind == "memory"
        return Exported(lines=count, memories=memories, path=str(path))

    @operation("import_memories", "import", idempotent=True, positional=("path",), listed=("path", "from", "dry_run"))
    def import_(
        self,
        path: str | None = None,
        *,
        content: str | None = None,
        from_: ImportSource = "auto",
        namespace: str | None = None,
        dry_run: bool = False,
    ) -> Imported:
        """Import an export or the memories of another tool.

        It reads databases of memory_lib, codemem, claude-mem and mcp-memory-service, JSON of an episodic memory, JSON
        Lines of codemem and of the reference memory server, and folders of basic-memory or plain Markdown. It never
        writes to them. Dates and projects are kept, relations become links, secrets are replaced. The answer reports
        what was imported, what was skipped, and why. Unknown fields go to the metadata.

        The whole source is checked first: if a line is invalid, nothing is written. Importing again changes nothing
        unless the source changed. Lines without an id are merged with a memory of the same content.

        path: file or folder to read
        content: JSON Lines, instead of a path
        from: source format; auto: detect it
        namespace: project path or name; default: from the source
        dry_run: show what would be imported
        """
        if (path is None) == (content is None):
            raise InvalidInput("import needs either path or content", hint="Give exactly one of them.")
        wanted = input_checks.one_of("from", from_, IMPORT_SOURCES)
        scope = namespace_of(namespace)
        with contextlib.ExitStack() as stack:
            place = _file(path) if path is not None else stack.enter_context(_spooled(content))
            if wanted != "recollect" and (found := self._migrated(place, wanted, scope, dry_run=dry_run)):
                return found
            source = stack.enter_context(_opened(place))
            total = sum(1 for _ in self._read(source, above={}))
            source.seek(0)
            refused: Counter[str] = Counter()
            records = _named((_moved(record, scope) for record in self._read(source)), refused)
            done = self._import_lines(records, total, dry_run=dry_run)
            left = ImportedPart(name="lines", found=total, taken=total - refused.total(), left=dict(refused))
            return msgspec.structs.replace(done, parts=(left,)) if refused else done

    def _migrated(self, place: Path, wanted: str, scope: str | None, *, dry_run: bool) -> Imported | None:
        """Import from another tool; None if it may be an export."""
        from recollect.engine.importing.memory_import import MemoryImport
        from recollect.importing.import_formats import opened

        with opened(place, wanted) as found:
            if not found:
                return None
            importer = MemoryImport(
                self._context,
                found,
                embedding=self._embedding,
                anchor_tracking=self._anchor_tracking,
                namespace=scope,
                dry_run=dry_run,
            )
            return importer.run()

    def _read(self, source: BinaryIO, *, above: dict[type[Record], set[str]] | None = None) -> Iterator[Record]:
        """Yield the records of the lines. above: collects ids, and refuses records that refer to none of them"""
        for number, line in enumerate(source, 1):
            if not line.strip():
                continue
            try:
                record = self._parse(line)
                if record is not None and above is not None:
                    self._refuse_dangling(record, above)
            except (msgspec.DecodeError, msgspec.ValidationError, InvalidInput, TypeError, ValueError) as problem:
                told = problem.message if isinstance(problem, InvalidInput) else str(problem)
                raise InvalidInput(
                    f"line {number} cannot be imported: {told}",
                    hint="Nothing was imported. Correct or remove the line and import again.",
                    line=number,
                ) from None
            if record is not None:
                yield record

    def _parse(self, line: bytes) -> Record | None:
        row = parse_json(line, what="it")
        if not isinstance(row, dict):
            raise InvalidInput("not a JSON object")
        kind = row.pop("kind", "memory") if "content" in row or "kind" in row else ""
        if kind == "recollect":
            if row.get("format") != FORMAT:
                raise InvalidInput(f"unknown export format {row.get('format')}", hint="Upgrade recollect.")
            return None
        if kind == "memory":
            return self._memory(row)
        # A graph node has a kind of its own, so its line is {"kind": "node", "node": {...}}; likewise the others.
        if kind not in KINDS or not isinstance(row.get(kind), dict):
            raise InvalidInput(f"unknown record kind {kind!r}")
        fields = {name: value for name, value in row[kind].items() if name not in _LOCAL_FIELDS}
        if kind == "node" and isinstance(fields.get("payload"), dict):
            fields["payload"] = _without_centrality(fields["payload"])
        record = msgspec.convert(fields, KINDS[kind])
        self._refuse_unstorable(record)
        return record

    def _memory(self, row: dict[str, Any]) -> Memory:
        limit = self._context.settings.max_content_bytes
        now = clock.now()
        text = input_checks.content(row.get("content"), max_bytes=limit)
        created = row.get("created_at", now)
        fields = {
            "id": clock.new_id(),
            "created_at": created,
            "updated_at": row.get("updated_at", created),
            "last_accessed_at": row.get("last_accessed_at", created),
            **{name: value for name, value in row.items() if name not in _LOCAL_FIELDS},
            "content_hash": _observed_hash(row) or content_hash(text),
        }
        memory = msgspec.convert(fields, Memory)
        self._refuse_unstorable(memory)
        input_checks.tags(memory.tags)
        input_checks.text("id", memory.id)
        for name in ("importance", "confidence", "trust"):
            input_checks.ratio(name, getattr(memory, name))
        # An empty id marks a line without one: its memory is merged with one of the same content.
        return memory if "id" in row else msgspec.structs.replace(memory, id="")

    def _refuse_unstorable(self, record: Record) -> None:
        """Refuse values of the right type that no database can store."""
        for name in record.__struct_fields__:
            value = getattr(record, name)
            if isinstance(value, str):
                input_checks.storable(name, value)
            elif isinstance(value, int) and not isinstance(value, bool):
                input_checks.whole(name, value, least=-(2**63), most=2**63 - 1)
            elif isinstance(value, dict):
                input_checks.metadata(value, max_bytes=self._context.settings.max_content_bytes)

    def _refuse_dangling(self, record: Record, above: dict[type[Record], set[str]]) -> None:
        for field, kind in POINTERS.get(type(record), {}).items():
            target = getattr(record, field)
            known = target is None or target in above.get(kind, ()) or self._context.store.get(kind, [target])
            if not known:
                raise InvalidInput(f"{field} {target} does not exist, neither in the file nor in the database")
        above.setdefault(type(record), set()).add(record.id)  # type: ignore[attr-defined]

    def _import_lines(self, records: Iterator[Record], total: int, *, dry_run: bool) -> Imported:
        from recollect.engine.importing.memory_import import undo_failed

        store, batch = self._context.store, "" if dry_run else clock.new_id()
        counts: Counter[str] = Counter()
        redacted: Counter[str] = Counter()
        try:
            while chunk := list(islice(records, BATCH)):
                clean = [_clean(record) for record in chunk]
                redacted.update(kind for _, kinds in clean for kind in kinds)
                if dry_run:
                    counts.update(_fate(store, record) for record, _ in clean)
                    continue
                with store.transaction("import_memories", batch=batch) as transaction:
                    counts.update(_take(transaction, record) for record, _ in clean)
                progress.report(counts.total(), total, "importing")
        except BaseException:
            if not dry_run:
                undo_failed(store, batch)
            raise
        if not dry_run:
            self._embedding.after_import()
            self._anchor_tracking.catch_up()
        return Imported(
            lines=total,
            created=counts["created"],
            known=counts["known"],
            merged=counts["merged"],
            batch=batch,
            redacted=dict(redacted),
            dry_run=dry_run,
        )


def _observed_hash(row: dict[str, Any]) -> str:
    """Return the hash of the text that a shortened memory was made of; "" for others."""
    metadata, kept = row.get("metadata"), row.get("content_hash")
    is_shortened = isinstance(metadata, dict) and metadata.get("compressed") is True
    return kept if is_shortened and isinstance(kept, str) and re.fullmatch("[0-9a-f]{64}", kept) else ""


def _clean(record: Record) -> tuple[Record, tuple[str, ...]]:
    """Return a record without secrets, rehashed if it had some, and their kinds."""
    clean, kinds = without_secrets(record)
    if kinds and isinstance(clean, Memory) and not clean.metadata.get("compressed"):
        clean = msgspec.structs.replace(clean, content_hash=content_hash(clean.content))
    return clean, kinds


def _moved(record: Record, scope: str | None) -> Record:
    """Return a record in the requested project, if there is one."""
    if scope is None or not isinstance(record, Memory | Node | Session):
        return record
    return msgspec.structs.replace(record, namespace=scope)


def _named(records: Iterator[Record], refused: Counter[str]) -> Iterator[Record]:
    """Yield records, without those that have a secret in a name and those that refer to them."""
    gone: set[tuple[type[Record], str]] = set()
    for record in records:
        try:
            refuse_secret_names(record)
            pointers = POINTERS.get(type(record), {})
            if any((kind, getattr(record, field)) in gone for field, kind in pointers.items()):
                raise InvalidInput("it refers to an item that was not imported")
        except InvalidInput as problem:
            gone.add((type(record), record.id))  # type: ignore[attr-defined]
            refused[problem.message] += 1
        else:
            yield record


def _fate(store: "Store", record: Record) -> str:
    """Return the count that a record would belong to; repeated lines are not detected."""
    if isinstance(record, Memory) and not record.id:
        same = {"content_hash": record.content_hash, "namespace": record.namespace}
        return "merged" if store.count(Memory, same) else "created"
    return "known" if store.get(type(record), [record.id]) else "created"  # type: ignore[attr-defined]


def _take(transaction: "Transaction", record: Record) -> str:
    """Add one record; return the count it belongs to."""
    if isinstance(record, Memory) and not record.id:
        stored = store_in(transaction, msgspec.structs.replace(record, id=clock.new_id()))
        return "created" if stored.created else "merged"
    if transaction.get(type(record), [record.id]):  # type: ignore[attr-defined]
        return "known"
    transaction.insert(record)
    return "created"


def _lines(store: "Store", namespace: str | None) -> Iterator[tuple[str, bytes]]:
    """Yield (kind, line) for everything to export, in the order of KINDS."""
    yield "recollect", msgspec.json.encode({"kind": "recollect", "format": FORMAT})
    where = {"namespace": namespace} if namespace is not None else None
    workspaces = store.find(Workspace, {"id": namespace} if namespace is not None else None)
    nodes = {node.id: node for node in store.find(Node, {**(where or {}), "kind": "Memory"})}
    edges = _edges_of(store, nodes)
    missing = [end for edge in edges for end in (edge.src, edge.dst) if end not in nodes]
    for node in store.get(Node, list(dict.fromkeys(missing))):
        nodes[node.id] = node
    for kind, records in (
        ("workspace", workspaces),
        ("session", store.find(Session, where, order="started_at")),
        ("memory", _memories(store, where)),
        ("node", _without_dangling(nodes.values(), namespace)),
        ("edge", edges),
        ("anchor", _anchors(store, where)),
    ):
        for record in records:
            yield kind, _line(kind, record)


def _line(kind: str, record: Record) -> bytes:
    # Redacted again: the database may be older than today's rules.
    record, _ = without_secrets(record)
    fields = {name: getattr(record, name) for name in record.__struct_fields__ if name not in _LOCAL_FIELDS}
    if isinstance(record, Node):
        fields["payload"] = _without_centrality(record.payload)
    # JSON escapes lose nothing, and control characters do no harm to a reader.
    return json_escaped(msgspec.json.encode({"kind": kind, **(fields if kind == "memory" else {kind: fields})}))


def _without_centrality(payload: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in payload.items() if key != "centrality"}


def _memories(store: "Store", where: dict[str, str] | None) -> Iterator[Memory]:
    done, total, last = 0, store.count(Memory, where), 0
    # Pages continue after the last row: another process may delete rows meanwhile.
    while page := store.find(Memory, {**(where or {}), "seq": Range(last + 1)}, order="seq", limit=BATCH):
        yield from page
        done, last = done + len(page), page[-1].seq
        progress.report(done, total, "exporting")


def _edges_of(store: "Store", nodes: dict[str, Node]) -> list[Edge]:
    found: dict[str, Edge] = {}
    ids = list(nodes)
    for start in range(0, len(ids), BATCH):
        chunk = tuple(ids[start : start + BATCH])
        for side in ("src", "dst"):
            found.update({edge.id: edge for edge in store.find(Edge, {side: chunk})})
    return sorted(found.values(), key=lambda edge: (edge.created_at, edge.id))


def _without_dangling(nodes: Iterable[Node], namespace: str | None) -> Iterator[Node]:
    """Yield nodes; those of memories outside the exported namespace lose their pointer."""
    for node in nodes:
        outside = namespace is not None and node.memory_id and node.namespace != namespace
        yield msgspec.structs.replace(node, memory_id=None) if outside else node


def _anchors(store: "Store", where: dict[str, str] | None) -> Iterator[Anchor]:
    if where is None:
        yield from store.find(Anchor)
        return
    for memory in _memories(store, where):
        yield from store.find(Anchor, {"memory_id": memory.id})


def _inline(lines: Iterator[tuple[str, bytes]]) -> Exported:
    parts: list[bytes] = []
    size = memories = 0
    for kind, line in lines:
        parts.append(line)
        size += len(line) + 1
        memories += kind == "memory"
        if size > MAX_INLINE_BYTES:
            raise InvalidInput(
                f"the export is too large for an answer: more than {MAX_INLINE_BYTES:,} bytes",
                hint="Give a path to write the export to a file.",
            )
    return Exported(lines=len(parts), memories=memories, content=b"\n".join(parts).decode() + "\n")


def _file(path: object) -> Path:
    named = input_checks.text("path", path)
    try:
        return Path(named).expanduser()
    except RuntimeError as problem:  # ~name of an unknown user
        raise InvalidInput(f"{named} is not a usable path: {problem}", path=named) from None


@contextlib.contextmanager
def _spooled(content: str | None) -> Iterator[Path]:
    """Write text to a temporary file, for readers of files."""
    import tempfile

    with tempfile.TemporaryDirectory(prefix="recollect-import-") as folder:
        file = Path(folder) / "content"
        file.write_text(input_checks.text("content", content), encoding="utf-8")
        yield file


@contextlib.contextmanager
def _opened(file: Path) -> Iterator[BinaryIO]:
    """Open the import source so that it can be read twice."""
    import tempfile

    try:
        if not file.exists():
            raise NotFound(f"{file} does not exist", hint="Check the path.", path=str(file))
        if file.is_file():
            with open_file(file) as source:
                yield source
                return
        with tempfile.TemporaryFile() as copy:
            copy_pipe(file, copy)
            copy.seek(0)
            yield copy
    except OSError as problem:
        raise InvalidInput(f"{file} cannot be read: {problem.strerror}", path=str(file)) from None

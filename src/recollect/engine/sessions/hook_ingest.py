"""Ingest hook events: each claimed payload becomes observations and memories exactly once.

    payload ─► observation ─► without secrets ─► lesson, statements ─► PreparedEvent   before a transaction is opened
    PreparedEvent ─► observations, memories, nodes, edges, sessions                    in one

The name of a payload is the key of its observation. A drainer that dies after the commit leaves the file behind; the
next one finds the key and removes the file.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import msgspec

from recollect import clock
from recollect.capture.extract import lesson as lesson_of
from recollect.capture.filter import TWICE_S, cleaned, is_answer, is_noise, mark, memory_ids
from recollect.capture.observation import BadPayload, Observation
from recollect.capture.observation_lesson import Defined, Lesson, Place
from recollect.capture.payload import read
from recollect.capture.spool import MAX_BYTES, Payload
from recollect.capture.summary import CHANGING
from recollect.capture.transcript_tail import with_answer, with_rollout
from recollect.engine.memory.anchor_drafts import NOTHING, UNANCHORED, Prepared, spoken_text
from recollect.engine.memory.stated_memories import Stated, compare, keep, stated
from recollect.engine.records.branches import NOWHERE, Branches, Position
from recollect.engine.records.checkout import checkout, work_tree
from recollect.engine.records.identity import namespace_of, project_root
from recollect.engine.records.memory_rows import TRUST, content_hash, ensure_node, new_memory, node_id, store_in
from recollect.engine.records.record_redaction import without_secrets
from recollect.errors import RecollectError
from recollect.model import Edge, Memory, Node, Observed, Session
from recollect.store.store_values import Range
from recollect.text.redaction.redact import redact_value

if TYPE_CHECKING:
    from recollect.engine.context import Context
    from recollect.engine.memory.amendments import Amendments
    from recollect.engine.memory.anchoring import Anchoring
    from recollect.providers.provider_protocol import Classify
    from recollect.store.transaction import Transaction

# Longer texts are not taken apart for their symbols: a file of this size is generated.
OUTLINED_CHARACTERS = 200_000
# Files of one lesson that are linked.
LINKED_FILES = 12

Written = Literal["stored", "merged", "noted", "twice", "known"]


class WorkFolder(NamedTuple):
    """The place of a session: its project, folder and branch, and where its memories belong."""

    namespace: str | None
    place: Place
    branch: str = ""
    position: Position = NOWHERE


class OwnAnswer(NamedTuple):
    """An answer of recollect that an assistant asked for: its session, its time, and the memories in it."""

    session_id: str
    at: int
    name: str
    mark: str
    memory_ids: tuple[str, ...]


class PreparedEvent(NamedTuple):
    """One event, ready to be written. stated: the statements in its text"""

    seen: Observation
    row: Observed
    is_own_mark: bool
    lesson: Lesson
    branch: str
    memory: Memory | None
    anchors: Prepared
    stated: tuple[Stated, ...] = ()


class EventReader:
    """Prepares payloads of hooks for writing. Folders are looked up once per reader and moment."""

    def __init__(
        self, context: Context, *, branches: Branches, anchoring: Anchoring, classify: Classify | None
    ) -> None:
        self._context = context
        self.classify = classify
        self._branches = branches
        self._anchoring = anchoring
        self._folders: dict[tuple[str, int | None], WorkFolder] = {}
        # The store has the memories of these answers, but not yet that they were shown.
        self.answers: list[OwnAnswer] = []

    def read(self, payload: Payload) -> PreparedEvent | None:
        """Return the rows to write for a payload; None for noise. Raises BadPayload."""
        raw = payload.read()
        if len(raw) > MAX_BYTES:
            raise BadPayload(f"larger than {MAX_BYTES:,} bytes")
        return self.parse(raw, payload.name, event=payload.event, assistant=payload.assistant, at_ns=payload.at_ns)

    def parse(self, raw: bytes, name: str, *, event: str, assistant: str, at_ns: int) -> PreparedEvent | None:
        """Return the rows to write for a hook's payload bytes; None for noise. Raises BadPayload."""
        at = min(max(0, at_ns // 10**9), 253_402_300_799)
        seen = with_rollout(cleaned(with_answer(read(raw, event=event, assistant=assistant, at=at))))
        if name and is_answer(seen):
            self.answers.append(OwnAnswer(seen.session, at, name, mark(seen)[0], memory_ids(seen)))
        if is_noise(seen):
            return None
        told, is_own = mark(seen)
        seen = redacted(seen)
        folder = self.folder(seen.cwd, at_ns) if seen.cwd else self._of_session(seen.session, at_ns)
        learnt = lesson_of(seen, folder.place, outline)
        session = seen.session or _unnamed(seen, folder.namespace, at)
        row, _ = without_secrets(observed(name, told, at, session, seen, folder, learnt))
        memory = _memory(row, seen, learnt, folder)
        # Without a name nothing is written: a hook is answered.
        said = stated(seen, row, folder.position, self.classify) if name else ()
        return PreparedEvent(seen, row, is_own, learnt, folder.branch, memory, self.anchors(memory), said)

    def _of_session(self, session_id: str, at_ns: int) -> WorkFolder:
        """Return where a session began, for events that do not name a folder."""
        known = self._context.store.get(Session, [session_id]) if session_id else []
        if not known or not known[0].namespace:
            return self.folder("", at_ns)
        namespace, branch = known[0].namespace, known[0].branch
        found = checkout(namespace, at_ns)
        if found is not None and branch not in ("", found.branch, found.default):  # it works in another work tree
            return WorkFolder(namespace, Place(root=namespace), branch, Position(branch))
        return WorkFolder(namespace, Place(root=namespace), branch, self._branches.of(found))

    def folder(self, cwd: str, at_ns: int | None = None) -> WorkFolder:
        """Return where a session in a folder works, or worked at a time: events are read some time after it."""
        if (cwd, at_ns) not in self._folders:
            namespace, root = namespace_of(self._context.settings.namespace or None), ""
            found = None
            if cwd.startswith(("/", "~")):
                # An event is kept even if its folder cannot exist.
                with suppress(RecollectError, OSError, ValueError, RuntimeError):
                    namespace, root = namespace_of(cwd), work_tree(cwd)
                    found = checkout(root, at_ns)
            branch = found.branch if found is not None else ""
            place = Place(cwd.rstrip("/"), root)
            self._folders[cwd, at_ns] = WorkFolder(namespace, place, branch, self._branches.of(found))
        return self._folders[cwd, at_ns]

    def anchors(self, memory: Memory | None) -> Prepared:
        """Return the anchors of a memory; empty if it mentions no code or none can be read."""
        if memory is None or memory.category in UNANCHORED:
            return NOTHING
        try:
            return self._anchoring.prepare(spoken_text(memory), memory.namespace)
        except (RecollectError, OSError):  # an observation is kept whether or not its code can be read
            return NOTHING


def redacted(seen: Observation) -> Observation:
    """Return an observation with every secret in it replaced: nothing is taken out of it before."""
    values: dict[str, Any] = {}
    for name in ("text", "error", "input", "output", "reason", "cwd", "session"):
        values[name] = redact_value(getattr(seen, name)).value
    return seen._replace(**values)


def outline(path: str, text: str) -> tuple[Defined, ...]:
    """Return what a text defines; nothing where it is no source code, or too much of it."""
    from recollect.code.index.extract import outline as outline_of
    from recollect.code.index.languages import detect

    if not text or len(text) > OUTLINED_CHARACTERS:
        return ()
    source = text.encode()
    language = detect(path, source[:4096])
    if language is None or language.document:
        return ()
    return tuple(
        Defined(each.name, each.qualified, each.kind, each.start_line, each.end_line, each.parent)
        for each in outline_of(source, path, language).symbols
    )


def _memory(row: Observed, seen: Observation, learnt: Lesson, folder: WorkFolder) -> Memory | None:
    if not learnt.content.strip():
        return None
    about = {"assistant": seen.assistant, **({"branch": folder.branch} if folder.branch else {})}
    if seen.agent:
        about["agent"] = seen.agent
    memory, _ = new_memory(
        row.at,
        content=learnt.content,
        memory_type=learnt.memory_type,
        importance=learnt.importance,
        category=learnt.category,
        tags=tuple(dict.fromkeys(tag.strip() for tag in learnt.tags if tag.strip())),
        metadata={**about, **learnt.metadata},
        namespace=row.namespace,
        source="hook",
        trust=TRUST["observed"]["hook"],
        session_id=row.session_id,
        observed=True,
        **folder.position._asdict(),
    )
    return memory


def observed(
    name: str, told: str, at: int, session: str, seen: Observation, folder: WorkFolder, learnt: Lesson
) -> Observed:
    """Return the row of an event. name: its key; told: its mark, which is the same when it is sent twice"""
    return Observed(
        id=name,
        mark=told,
        at=at,
        session_id=session,
        namespace=folder.namespace,
        assistant=seen.assistant,
        event=seen.event,
        tool=seen.tool,
        target=learnt.target,
        outcome=learnt.outcome,
        fingerprint=learnt.fingerprint,
        told=learnt.told,
    )


def _unnamed(seen: Observation, namespace: str | None, at: int) -> str:
    """Return a session id for events without one: one per day, assistant and project."""
    return content_hash(f"{seen.assistant}\n{namespace}\n{at // 86_400}")[:32]


def file_node(path: str) -> str:
    """Return the id of a file's node: that of indexed code, for all work trees of a repository."""
    root = work_tree(str(Path(path).parent))
    whole = os.path.realpath(path)
    inside = whole[len(root) :].lstrip("/") if whole.startswith(root + "/") else ""
    return f"file:{project_root(Path(root))}/{inside}" if inside else f"file:{whole}"


# --- writing ---


def compared(event: PreparedEvent, amendments: Amendments, anchoring: Anchoring) -> PreparedEvent:
    """Return an event with its statements compared with stored memories."""
    return event._replace(stated=tuple(compare(amendments, anchoring, each) for each in event.stated))


def write(
    transaction: Transaction, event: PreparedEvent, anchor: Callable[[Transaction, Memory, Prepared], None]
) -> Written:
    """Write one event unless it was written before, or is sent a second time."""
    row = event.row
    if transaction.get(Observed, [row.id]):
        return "known"
    if _is_twice(transaction, event):
        # Its name is not kept: removing the file twice does no harm.
        return "twice"
    written: Written = "noted"
    if event.memory is not None:
        stored = store_in(transaction, event.memory)
        written = "stored" if stored.created else "merged"
        if stored.created:
            anchor(transaction, stored.memory, event.anchors)
        row = msgspec.structs.replace(row, memory_id=stored.memory.id)
        _link(transaction, event, stored.memory)
    for each in event.stated:
        written = "stored" if keep(transaction, each, anchor) else written
    transaction.insert(row)
    return written


def _is_twice(transaction: Transaction, event: PreparedEvent) -> bool:
    same: dict[str, object] = {"mark": event.row.mark}
    if not event.is_own_mark:
        same["at"] = Range(event.row.at - TWICE_S, event.row.at + TWICE_S + 1)
    if event.row.event != "turn_end":
        return bool(transaction.find(Observed, same, limit=1))
    return any(not _is_asked_between(transaction, event.row, each) for each in transaction.find(Observed, same))


def _is_asked_between(transaction: Transaction, one: Observed, other: Observed) -> bool:
    """Tell whether a prompt is between two ends of turns: then two turns ended with the same words."""
    between = Range(*sorted((one.id, other.id)))
    return bool(transaction.find(Observed, {"session_id": one.session_id, "event": "prompt", "id": between}, limit=1))


def _link(transaction: Transaction, event: PreparedEvent, memory: Memory) -> None:
    """Link a memory with its files; a file that was read before it was changed has evolved."""
    paths = event.lesson.paths[:LINKED_FILES]
    if not paths:
        return
    ensure_node(transaction, memory)
    for path in paths:
        clean = redact_value(path).value
        target = file_node(clean)
        if not transaction.get(Node, [target]):
            label = target.removeprefix("file:").removeprefix(f"{event.row.namespace}/")
            transaction.insert(Node(id=target, kind="File", label=label, namespace=event.row.namespace))
        _connect(transaction, node_id(memory.id), target, "RELATES_TO", {})
        read_before = {"target": clean, "tool": "read", "outcome": "ok"}
        is_changed = event.row.tool in CHANGING and event.row.outcome == "ok"
        if is_changed and transaction.find(Observed, read_before, limit=1):
            _connect(transaction, target, target, "EVOLVED_INTO", {"times": 1, "last_at": event.row.at})


def _connect(
    transaction: Transaction,
    src: str,
    dst: str,
    relationship: Literal["RELATES_TO", "EVOLVED_INTO"],
    properties: Mapping[str, Any],
) -> None:
    """Link two nodes, once; `times` of a known link is increased."""
    known = transaction.find(Edge, {"src": src, "dst": dst, "relationship": relationship}, limit=1)
    if not known:
        edge = Edge(id=clock.new_id(), src=src, dst=dst, relationship=relationship, properties=dict(properties),
                    created_at=clock.now())  # fmt: skip
        transaction.insert(edge)
    elif properties:
        times = known[0].properties.get("times")
        counted = {**properties, "times": (times if isinstance(times, int) else 0) + 1}
        transaction.update(Edge, known[0].id, {"properties": counted})

"""Ingest hook events: each claimed payload becomes observations and memories exactly once.

    payload ─► observation ─► without secrets ─► lesson, statements ─► Notice   before a transaction is opened
    Notice ─► observations, memories, nodes, edges, sessions                    in one, with the name of the payload

The name of a payload is the key of its observation. A drainer that dies after the commit leaves the file behind;
whoever takes it next finds the name and removes it.
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
from recollect.capture.transcript_tail import with_answer, with_rollout
from recollect.engine.anchoring import NOTHING, Prepared, spoken_text
from recollect.engine.branches import NOWHERE, Position
from recollect.engine.checkout import Checkout, checkout, work_tree
from recollect.engine.identity import namespace_of, project_root
from recollect.engine.memories import content_hash, ensure_node, node_id, store_in
from recollect.engine.offers import Handed
from recollect.engine.redaction import without_secrets
from recollect.engine.stated import Stated, compare, keep, stated
from recollect.errors import RecollectError
from recollect.model import Edge, Memory, Node, Observed, Session
from recollect.store.protocol import Range
from recollect.text.redaction.redact import redact_value

if TYPE_CHECKING:
    from recollect.engine.root import Engine
    from recollect.store.protocol import Transaction

# Longer texts are not taken apart for their symbols: a file of this size is generated.
OUTLINED_CHARACTERS = 200_000
# Files of one lesson that are linked.
LINKED_FILES = 12
CHANGING = frozenset({"edit", "write", "patch"})
# What hooks saw was said by programs and pages, not by people; who ranks or shows it can tell.
TRUST = 0.7

Written = Literal["stored", "merged", "noted", "twice", "known"]


class Home(NamedTuple):
    """Where a session works: the project, the folder, the branch it is on, and where memories of it are written."""

    namespace: str | None
    place: Place
    branch: str = ""
    position: Position = NOWHERE


class Notice(NamedTuple):
    """One observation, ready to be written. stated: what its text lays down"""

    seen: Observation
    row: Observed
    is_own_mark: bool
    lesson: Lesson
    branch: str
    memory: Memory | None
    anchors: Prepared
    stated: tuple[Stated, ...] = ()


class Noticing:
    """Makes notices of payloads; what it learns of folders holds for one drain."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._homes: dict[str, Home] = {}
        # Answers of ours that were met on the way: what they say is in the store already, but not that it was said.
        self.handed: list[Handed] = []

    def notice(self, payload: Payload) -> Notice | None:
        """Return the rows to write for a payload; None for noise. Raises BadPayload."""
        raw = payload.read()
        if len(raw) > MAX_BYTES:
            raise BadPayload(f"larger than {MAX_BYTES:,} bytes")
        at = min(max(0, payload.at_ns // 10**9), 253_402_300_799)
        return self.of_bytes(raw, payload.name, event=payload.event, assistant=payload.assistant, at=at)

    def of_bytes(self, raw: bytes, name: str, *, event: str, assistant: str, at: int) -> Notice | None:
        """Return the rows to write for a hook's payload bytes; None for noise. Raises BadPayload."""
        seen = with_rollout(cleaned(with_answer(read(raw, event=event, assistant=assistant, at=at))))
        if name and is_answer(seen):
            self.handed.append(Handed(seen.session, at, name, mark(seen)[0], memory_ids(seen)))
        if is_noise(seen):
            return None
        told, is_own = mark(seen)
        seen = redacted(seen)
        home = self.home(seen.cwd) if seen.cwd else self._of_session(seen.session)
        learnt = lesson_of(seen, home.place, outline)
        session = seen.session or _unnamed(seen, home.namespace, at)
        row, _ = without_secrets(observed(name, told, at, session, seen, home, learnt))
        memory = _memory(row, seen, learnt, home)
        # Without a name nothing is written: a hook is answered.
        said = stated(seen, row, home.position) if name else ()
        return Notice(seen, row, is_own, learnt, home.branch, memory, self.anchors(memory), said)

    def _of_session(self, session_id: str) -> Home:
        """Return where a session is that does not say so with every event: where it was begun."""
        known = self._engine.store.get(Session, [session_id]) if session_id else []
        if not known or not known[0].namespace:
            return self.home("")
        namespace, branch = known[0].namespace, known[0].branch
        found = checkout(namespace)
        if found is not None and branch not in ("", found.branch, found.default):  # it works in another work tree
            return Home(namespace, Place(root=namespace), branch, Position(branch))
        return Home(namespace, Place(root=namespace), branch, self._position(found))

    def home(self, cwd: str) -> Home:
        """Return where a session in a folder works."""
        if cwd not in self._homes:
            namespace, root = namespace_of(self._engine.settings.namespace or None), ""
            found = None
            if cwd.startswith(("/", "~")):
                # A folder that nobody could have is no reason to lose what happened in it.
                with suppress(RecollectError, OSError, ValueError, RuntimeError):
                    namespace, root = namespace_of(cwd), work_tree(cwd)
                    found = checkout(root)
            branch = found.branch if found is not None else ""
            self._homes[cwd] = Home(namespace, Place(cwd.rstrip("/"), root), branch, self._position(found))
        return self._homes[cwd]

    def _position(self, found: Checkout | None) -> Position:
        return self._engine.branches.of(found) if found is not None else NOWHERE

    def anchors(self, memory: Memory | None) -> Prepared:
        """Return the anchors of a memory; empty if it mentions no code or none can be read."""
        if memory is None or memory.category in ("prompt", "find", "search"):
            return NOTHING
        try:
            return self._engine.anchoring.prepare(spoken_text(memory), memory.namespace)
        except (RecollectError, OSError):  # an observation is kept whether or not its code can be looked at
            return NOTHING


def redacted(seen: Observation) -> Observation:
    """Return an observation with every secret in it replaced: nothing is taken out of it before."""
    values: dict[str, Any] = {}
    for name in ("text", "error", "input", "output", "reason", "cwd", "session"):
        values[name] = redact_value(getattr(seen, name)).value
    return seen._replace(**values)


def outline(path: str, text: str) -> tuple[Defined, ...]:
    """Return what a text defines; nothing where it is no source code, or too much of it."""
    from recollect.code.extract import outline as outline_of
    from recollect.code.languages import detect

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


def _memory(row: Observed, seen: Observation, learnt: Lesson, home: Home) -> Memory | None:
    if not learnt.content.strip():
        return None
    about = {"assistant": seen.assistant, **({"branch": home.branch} if home.branch else {})}
    if seen.agent:
        about["agent"] = seen.agent
    memory, _ = without_secrets(_as_told(row, learnt, about))
    branch, head = home.position
    return msgspec.structs.replace(memory, content_hash=content_hash(memory.content), branch=branch, head=head)


def _as_told(row: Observed, learnt: Lesson, about: Mapping[str, Any]) -> Memory:
    return Memory(
        id=clock.new_id(),
        content=learnt.content,
        memory_type=learnt.memory_type,
        importance=learnt.importance,
        category=learnt.category,
        tags=tuple(dict.fromkeys(tag.strip() for tag in learnt.tags if tag.strip())),
        metadata={**about, **learnt.metadata},
        namespace=row.namespace,
        created_at=row.at,
        updated_at=row.at,
        last_accessed_at=row.at,
        source="hook",
        trust=TRUST,
        session_id=row.session_id,
        observed=True,
    )


def observed(name: str, told: str, at: int, session: str, seen: Observation, home: Home, learnt: Lesson) -> Observed:
    """Return the row of an event: under which name and mark it is kept, when and where it was, what it taught."""
    return Observed(
        id=name,
        mark=told,
        at=at,
        session_id=session,
        namespace=home.namespace,
        assistant=seen.assistant,
        event=seen.event,
        tool=seen.tool,
        target=learnt.target,
        outcome=learnt.outcome,
        fingerprint=learnt.fingerprint,
        told=learnt.told,
    )


def _unnamed(seen: Observation, namespace: str | None, at: int) -> str:
    """Return a session for events that name none: one for each day, assistant and project."""
    return content_hash(f"{seen.assistant}\n{namespace}\n{at // 86_400}")[:32]


def file_node(path: str) -> str:
    """Return the id of a file's node: the same for all work trees of a repository, and that of indexed code."""
    root = work_tree(str(Path(path).parent))
    whole = os.path.realpath(path)
    inside = whole[len(root) :].lstrip("/") if whole.startswith(root + "/") else ""
    return f"file:{project_root(Path(root))}/{inside}" if inside else f"file:{whole}"


# --- writing ---


def compared(engine: Engine, notice: Notice) -> Notice:
    """Return a notice with its statements compared with what is stored."""
    return notice._replace(stated=tuple(compare(engine, each) for each in notice.stated))


def write(transaction: Transaction, notice: Notice, anchor: Callable[[Transaction, Memory, Prepared], None]) -> Written:
    """Write one notice; what was written before, or is told a second time, is left alone."""
    row = notice.row
    if transaction.get(Observed, [row.id]):
        return "known"
    if _is_twice(transaction, notice):
        # Its name is not kept: removing the file twice does no harm.
        return "twice"
    written: Written = "noted"
    if notice.memory is not None:
        stored = store_in(transaction, notice.memory)
        written = "stored" if stored.created else "merged"
        if stored.created:
            anchor(transaction, stored.memory, notice.anchors)
        row = msgspec.structs.replace(row, memory_id=stored.memory.id)
        _link(transaction, notice, stored.memory)
    for each in notice.stated:
        written = "stored" if keep(transaction, each, anchor) else written
    transaction.insert(row)
    return written


def _is_twice(transaction: Transaction, notice: Notice) -> bool:
    same: dict[str, object] = {"mark": notice.row.mark}
    if not notice.is_own_mark:
        same["at"] = Range(notice.row.at - TWICE_S, notice.row.at + TWICE_S + 1)
    return bool(transaction.find(Observed, same, limit=1))


def _link(transaction: Transaction, notice: Notice, memory: Memory) -> None:
    """Link a memory with the files it is about; a file that was read before it was changed has evolved."""
    paths = notice.lesson.paths[:LINKED_FILES]
    if not paths:
        return
    ensure_node(transaction, memory)
    for path in paths:
        clean = redact_value(path).value
        target = file_node(clean)
        if not transaction.get(Node, [target]):
            label = target.removeprefix("file:").removeprefix(f"{notice.row.namespace}/")
            transaction.insert(Node(id=target, kind="File", label=label, namespace=notice.row.namespace))
        _connect(transaction, node_id(memory.id), target, "RELATES_TO", {})
        if notice.row.tool in CHANGING and notice.row.outcome == "ok" and _was_read(transaction, clean):
            _connect(transaction, target, target, "EVOLVED_INTO", {"times": 1, "last_at": notice.row.at})


def _was_read(transaction: Transaction, path: str) -> bool:
    return bool(transaction.find(Observed, {"target": path, "tool": "read", "outcome": "ok"}, limit=1))


def _connect(
    transaction: Transaction,
    src: str,
    dst: str,
    relationship: Literal["RELATES_TO", "EVOLVED_INTO"],
    properties: Mapping[str, Any],
) -> None:
    """Link two nodes, once; what counts is added up."""
    known = transaction.find(Edge, {"src": src, "dst": dst, "relationship": relationship}, limit=1)
    if not known:
        edge = Edge(id=clock.new_id(), src=src, dst=dst, relationship=relationship, properties=dict(properties),
                    created_at=clock.now())  # fmt: skip
        transaction.insert(edge)
    elif properties:
        times = known[0].properties.get("times")
        counted = {**properties, "times": (times if isinstance(times, int) else 0) + 1}
        transaction.update(Edge, known[0].id, {"properties": counted})

"""Memories: store, read, change, delete and link them."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from recollect import clock
from recollect.engine.graph.code_nodes import code_nodes, is_code
from recollect.engine.memory.anchor_drafts import spoken_text
from recollect.engine.memory.freshness import freshness_of
from recollect.engine.records import input_checks, memory_rows
from recollect.engine.records.branches import holds_everywhere
from recollect.engine.records.identity import namespace_of
from recollect.engine.records.record_redaction import WRITTEN, fields_without_secrets
from recollect.errors import Conflict, MemoryNotFound, NotFound
from recollect.model import (
    Change,
    Deleted,
    Edge,
    Freshness,
    Limit,
    Linked,
    Memory,
    MemoryPage,
    MemoryType,
    MemoryView,
    Node,
    Offset,
    Purge,
    Ratio,
    Relation,
    Source,
    Stored,
    Undone,
)
from recollect.operations import operation
from recollect.store.store_values import NotBefore, Range
from recollect.text.redaction.redact import redact_value

if TYPE_CHECKING:
    from recollect.engine.context import Context
    from recollect.engine.memory.amendments import Amendments
    from recollect.engine.memory.anchoring import Anchoring
    from recollect.engine.memory.purge import HookQueue
    from recollect.engine.memory.team_outbox import TeamOutbox
    from recollect.engine.models.embedding_queue import Embedding
    from recollect.engine.models.llm import Language
    from recollect.engine.records.branches import Branches
    from recollect.engine.records.scope import Scope
    from recollect.store.transaction import Transaction

Order = Literal["newest", "oldest", "important"]

_ORDERS: dict[str, str] = {"newest": "-created_at", "oldest": "created_at", "important": "-importance"}


class Memories(msgspec.Struct, eq=False):
    """Stores, changes, deletes and links memories. undo: reverts a batch; hooks: returns the queue of hook events"""

    context: "Context"
    scope: "Scope"
    branches: "Branches"
    anchoring: "Anchoring"
    amendments: "Amendments"
    embedding: "Embedding"
    llm: "Language"
    undo: Callable[[str], Undone]
    hooks: "Callable[[], HookQueue]"
    team: "TeamOutbox"

    @operation("store_memory", "store", listed=("type", "tags", "project", "global"))
    def store(
        self,
        content: str,
        *,
        memory_type: MemoryType | None = None,
        tags: tuple[str, ...] = (),
        namespace: str | None = None,
        global_: bool = False,
        importance: Ratio = 0.5,
        confidence: Ratio = 1.0,
        title: str | None = None,
        category: str | None = None,
        author: str | None = None,
        session_id: str | None = None,
        valid_from: int | str | None = None,
        supersedes: str | None = None,
        anchors: tuple[str, ...] = (),
        source: Source | None = None,
        metadata: dict[str, Any] = {},  # noqa: B006 - read only; a schema needs the default as a value
        deduplicate: bool = True,
        amend: bool = True,
    ) -> Stored:
        """Store a memory. Call it when something will be worth knowing next time: a decision and its reason, a
        correction by the user, a root cause, a convention. One self-contained fact each; no secrets.

        The same content is stored once per project: storing it again adds tags, metadata and missing fields, and keeps
        the higher importance. A question is stored as evidence, not as knowledge. Keys, tokens and passwords are
        replaced by a placeholder. If the memory changes an older one, the older one is marked as superseded and the
        answer names it. If it contradicts an older one, the two are linked.

        content: what to remember, understandable without this conversation
        memory_type: kind of knowledge; default: by its wording, else context
        tags: labels to find it by
        namespace: project path or name; default: this project
        global_: store it for all projects
        importance: 0 to 1
        confidence: how certain it is, 0 to 1
        title: short headline
        category: finer kind than the type, free text
        author: name of the author
        session_id: session it belongs to
        valid_from: date, age like 2w, or yesterday; default: now
        supersedes: id of the memory that this one replaces
        anchors: code it is about: path, path::symbol or path:line
        source: who wrote it; default: user, or assistant over MCP
        metadata: JSON object
        deduplicate: merge with an equal memory
        amend: mark older memories that this one changes
        """
        values, redacted = self._checked(
            {
                "content": content,
                "memory_type": "context" if memory_type is None else memory_type,
                "tags": tags,
                "namespace": self.scope.target(namespace, everywhere=global_),
                "importance": importance,
                "confidence": confidence,
                "title": title,
                "category": category,
                "author": author,
                "session_id": session_id,
                "valid_from": valid_from,
                "source": self.context.writes_as if source is None else source,
                "metadata": metadata,
            }
        )
        values |= {"trust": memory_rows.TRUST["stored"].get(values["source"], 1.0), "observed": _is_question(values)}
        if memory_type is None:
            values["memory_type"] = _worded_type(values)
        memory = self._new(values, namespace)
        # A description of code may be worded as a convention: "keys are compared byte by byte".
        stated_as = memory_type or ("preference" if memory.memory_type == "preference" else "context")
        if holds_everywhere(stated_as, memory.content, memory.branch):
            memory = msgspec.structs.replace(memory, branch=None)
        is_new = namespace is not None and not global_ and not self.scope.is_known(memory.namespace or "")
        anchors, found = redact_value(anchors)
        amend = amend and supersedes is None
        stored = self._keep(memory, anchors, supersedes, deduplicate=deduplicate, amend=amend)
        self.embedding.wake()
        self.team.wake()
        return msgspec.structs.replace(stored, redacted=(*redacted, *found), new_project=is_new)

    def _keep(
        self, memory: Memory, anchors: tuple[str, ...], supersedes: str | None, *, deduplicate: bool, amend: bool
    ) -> Stored:
        """Write a new memory with its anchors and the memories it replaces, given or found."""
        from recollect.engine.memory.amendments import allowed, write

        supersedes = self.team.local_id(supersedes) if supersedes is not None else None
        prepared = self.anchoring.prepare(spoken_text(memory), memory.namespace, anchors)
        changed = list(allowed(memory, self.amendments.find(memory))) if amend else []
        with self.context.store.transaction("store_memory") as transaction:
            replaced = memory_rows.existing(transaction, supersedes) if supersedes is not None else None
            stored = memory_rows.store_in(transaction, memory, deduplicate=deduplicate)
            if stored.created or anchors:
                self.anchoring.write(transaction, stored.memory, prepared, new=stored.created)
            if replaced is not None:
                memory_rows.replace(transaction, replaced, stored.memory)
            noted = write(transaction, stored.memory, changed) if stored.created else ()
            texts = {
                row.id: memory_rows.headline(row) for row in transaction.get(Memory, [row.memory_id for row in noted])
            }
            self.team.queue(transaction, stored.memory)
        amends = tuple(msgspec.structs.replace(row, text=texts.get(row.memory_id, "")) for row in noted)
        return msgspec.structs.replace(stored, amends=amends)

    def insert(self, rows: Sequence[Mapping[str, Any]]) -> list[Memory]:
        """Add memories exactly as given, all or none of them: nothing is merged, amended or anchored.

        For libraries on the engine. A row has fields of a memory; its id and created_at may be among them,
        what it is a part of (parent_id, chunk_index), and how it was used (access_count, last_accessed_at). Secrets
        are replaced as ever. Raises InvalidInput, and Conflict where an id is taken.
        """
        made = [self._given(dict(row)) for row in rows]
        with self.context.store.transaction("insert_memories") as transaction:
            kept = [transaction.insert(memory) for memory in made]
        self.embedding.wake()
        return kept

    def _given(self, row: dict[str, Any]) -> Memory:
        memory_id = input_checks.name("memory_id", row.pop("id", None) or clock.new_id())
        at = input_checks.moment("created_at", row.pop("created_at", None))
        now = clock.now() if at is None else at
        seen = input_checks.moment("last_accessed_at", row.pop("last_accessed_at", None))
        beside: dict[str, Any] = {
            name: input_checks.whole(name, value, least=0, most=2**53)
            for name in ("access_count", "chunk_index")
            if (value := row.pop(name, None)) is not None
        }
        parent = row.pop("parent_id", None)
        values, _ = self._checked(row)
        return Memory(
            id=memory_id,
            created_at=now,
            updated_at=now,
            last_accessed_at=now if seen is None else seen,
            parent_id=None if parent is None else input_checks.name("parent_id", parent),
            **beside,
            **values,
        )

    @operation("get_memory", "get", read_only=True)
    def get(self, memory_id: str) -> MemoryView:
        """Show one memory in full, and whether its code has changed.

        Use it when a result was cut.
        """
        try:
            found = memory_rows.existing(self.context.store, memory_id)
        except MemoryNotFound:
            if (other := self.team.fetch(memory_id)) is not None:
                return other
            raise
        self.context.store.touch([found.id])
        fields = msgspec.structs.asdict(found) | {
            "access_count": found.access_count + 1,
            "last_accessed_at": clock.now(),
        }
        fresh = freshness_of(self.context.store, [found.id]).get(found.id, Freshness())
        return MemoryView(**fields, freshness=fresh)

    @operation("list_memories", "list", read_only=True, listed=("type", "project", "tags", "limit"))
    def list(
        self,
        *,
        memory_type: MemoryType | None = None,
        namespace: str | None = None,
        all_projects: bool = False,
        tags: tuple[str, ...] = (),
        source: Source | None = None,
        branch: str | None = None,
        since: int | str | None = None,
        until: int | str | None = None,
        archived: bool | None = None,
        observed: bool = False,
        id_prefix: str | None = None,
        order: Order = "newest",
        limit: Limit = 20,
        offset: Offset = 0,
    ) -> MemoryPage:
        """List memories by type, project, tag or date.

        namespace: project path or name; default: this project
        all_projects: list memories of all projects
        source: only from this source
        branch: only written on this git branch
        since: date, age like 2w or 30m (minutes), or yesterday
        until: date (included), age like 2w or 30m (minutes), or yesterday
        archived: only archived, or only not archived; default: both
        id_prefix: only ids that begin with this
        order: newest, oldest or important first
        """
        self.hooks().catch_up()
        where = memory_rows.memory_filter(memory_type=memory_type, tags=tags, source=source, since=since, until=until)
        where |= self.scope.where(namespace, all_projects=all_projects)
        where |= {} if observed else {"observed": False}
        if id_prefix is not None:
            where["id"] = memory_rows.beginning(input_checks.text("id_prefix", id_prefix))
        where |= self.branches.filter(branch, namespace)
        if archived is not None:
            now = clock.now() + 1
            where["expires_at"] = Range(below=now) if archived else NotBefore(now)
        limit = input_checks.whole("limit", limit, least=1, most=1000)
        offset = input_checks.whole("offset", offset, least=0, most=2**53)
        by = _ORDERS[input_checks.one_of("order", order, _ORDERS)]
        rows = self.context.store.find(Memory, where, order=by, limit=limit, offset=offset)
        return MemoryPage(memories=tuple(rows), total=self.context.store.count(Memory, where), offset=offset)

    @operation("update_memory", "update", idempotent=True, listed=("content", "tags"))
    def update(
        self,
        memory_id: str,
        *,
        content: str | None = None,
        memory_type: MemoryType | None = None,
        tags: tuple[str, ...] | None = None,
        namespace: str | None = None,
        importance: Ratio | None = None,
        confidence: Ratio | None = None,
        title: str | None = None,
        category: str | None = None,
        metadata: dict[str, Any] | None = None,
        anchors: tuple[str, ...] | None = None,
    ) -> Memory:
        """Update a memory that is no longer right. Fields that you omit stay.

        Its search index and its vector are updated too. A coding memory with new content is analysed again.

        content: new text
        memory_type: new type
        tags: new tags; they replace all old ones
        namespace: new project, path or name; empty: none
        importance: 0 to 1
        confidence: how certain it is, 0 to 1
        title: new headline; empty: remove it
        category: new category; empty: remove it
        metadata: new JSON object; replaces the old one
        anchors: code it is about: path, path::symbol or path:line
        """
        given = {
            "content": content,
            "memory_type": memory_type,
            "tags": tags,
            "namespace": namespace,
            "importance": importance,
            "confidence": confidence,
            "title": title,
            "category": category,
            "metadata": metadata,
        }
        values, _ = self._checked({field: value for field, value in given.items() if value is not None})
        anchors, _ = redact_value(anchors)
        memory_id = self.team.local_id(memory_id)
        known = memory_rows.existing(self.context.store, memory_id)
        values = self._analysed(known, values)
        wanted = msgspec.structs.replace(known, **values)
        prepared = self.anchoring.prepare_update(known, wanted, anchors)
        with self.context.store.transaction("update_memory") as transaction:
            current = memory_rows.existing(transaction, memory_id)
            if any(getattr(current, field) != value for field, value in values.items()):
                values["updated_at"] = clock.now()
            updated = transaction.update(Memory, current.id, values)
            if updated.namespace != current.namespace and transaction.get(Node, [memory_rows.node_id(updated.id)]):
                transaction.update(Node, memory_rows.node_id(updated.id), {"namespace": updated.namespace})
            if prepared is not None:
                self.anchoring.write(transaction, updated, prepared, replace=True)
            if "updated_at" in values:
                self.team.queue(transaction, updated)
        self.embedding.wake()
        self.team.wake()
        return updated

    def _analysed(self, known: Memory, values: dict[str, Any]) -> dict[str, Any]:
        """Return new fields of a memory, with a new analysis if it is code that changes."""
        if values.get("content", known.content) == known.content or not (known.category or "").startswith(
            memory_rows.CODE
        ):
            return values
        from recollect.engine.memory.snippet_analysis import analysed_again

        return {**analysed_again(self.llm, known, values["content"]), **values}

    @operation("delete_memory", "delete")
    def delete(self, memory_id: str, *, undo: bool = False) -> Deleted:
        """Delete a memory. undo=true brings it back.

        Its links and its vector are deleted and restored with it. Memories that it superseded become current again.

        undo: restore a deleted memory
        """
        if undo:
            return self._undelete(memory_rows.logged_id(self.context.store, memory_id))
        memory_id = self.team.local_id(memory_id)
        with self.context.store.transaction("delete_memory") as transaction:
            found = memory_rows.existing(transaction, memory_id)
            self.team.queue(transaction, found, deleted=True)
            deleted = transaction.delete(Memory, {"id": found.id})
            batch = transaction.batch
        self.team.wake()
        return Deleted(deleted=deleted, batch=batch)

    def _undelete(self, memory_id: str) -> Deleted:
        """Undo the last deletion of a memory."""
        deletion = self._deletion(memory_id)
        try:
            return Deleted(deleted=0, restored=1, batch=self.undo(deletion).batch)
        except Conflict:
            message = f"memory {memory_id} is linked to a memory that was changed or deleted later"
            raise Conflict(message, hint="Undo the later change first; `recollect changes` lists both.") from None

    def _deletion(self, memory_id: str) -> str:
        """Return the batch that deleted this memory alone."""
        store = self.context.store
        if store.get(Memory, [memory_id]):
            raise Conflict(f"memory {memory_id} is not deleted", hint="There is nothing to undo.", memory_id=memory_id)
        where = {"entity": "memories", "entity_id": memory_id, "action": "delete"}
        found = store.find(Change, where, order="-seq", limit=1)
        if not found or found[0].before is None:
            message = f"no deleted memory has the id {memory_id}"
            raise MemoryNotFound(message, hint="A purged memory cannot be brought back.", memory_id=memory_id)
        if found[0].operation != "delete_memory":
            message = f"memory {memory_id} was deleted by {found[0].operation}, maybe with others"
            raise Conflict(message, hint=f"`undo` with batch {found[0].batch} brings back all of them.")
        return found[0].batch

    @operation("purge_memories", "purge", destructive=True, idempotent=True, positional=("memory_ids",), listed=())
    def purge(self, memory_ids: tuple[str, ...] = (), *, keep_current: bool = False, dry_run: bool = False) -> Purge:
        """Purge memories: remove them for good, from the log too. This cannot be undone; use it for a secret that was
        stored.

        Purging removes the memory, its parts and summaries, its log entries, vectors and cached results. It then
        rewrites the database files; other processes wait while it does. Memories with some of the same words are kept
        and listed in the answer. Exports and backups are not touched.

        memory_ids: memories to remove; default: only rewrite the files
        keep_current: keep the memory, remove its earlier versions
        dry_run: show what would be removed
        """
        from recollect.engine.memory.purge import purge

        return purge(
            self.context.store,
            memory_ids,
            keep_current=keep_current,
            dry_run=dry_run,
            hooks=self.hooks,
            retry=self.embedding.retry,
        )

    @operation("associate_memories", "associate", idempotent=True, listed=("relationship",))
    def associate(
        self, source_id: str, target_id: str, *, relationship: Relation = "RELATES_TO", weight: Ratio = 1.0
    ) -> Linked:
        """Associate two memories by a typed link. Linking them again sets the weight.

        Either end may be a file or a symbol of indexed code, by its graph id (file:… or sym:…).

        source_id: memory where the link starts
        target_id: memory where the link ends
        relationship: such as RELATES_TO, LEADS_TO, CONTRADICTS
        weight: strength of the link, 0 to 1
        """
        kind, strength = input_checks.relation(relationship), input_checks.ratio("weight", weight)
        with self.context.store.transaction("associate_memories") as transaction:
            src, dst = (self._end(transaction, name) for name in (source_id, target_id))
            known = transaction.find(Edge, {"src": src, "dst": dst, "relationship": kind}, limit=1)
            if known:
                return Linked(edge=transaction.update(Edge, known[0].id, {"weight": strength}), created=False)
            edge = Edge(id=clock.new_id(), src=src, dst=dst, relationship=kind, weight=strength, created_at=clock.now())
            return Linked(edge=transaction.insert(edge), created=True)

    def _new(self, values: dict[str, Any], near: str | None) -> Memory:
        """Return a new memory; near: what the caller named its project by."""
        now = clock.now()
        where = self.branches.written(near, values["namespace"])._asdict()
        return Memory(id=clock.new_id(), created_at=now, updated_at=now, last_accessed_at=now, **where, **values)

    def _end(self, transaction: "Transaction", name: str) -> str:
        """Return the node of a memory, file or symbol; it is created if missing."""
        if not is_code(input_checks.text("memory_id", name)):
            memory = memory_rows.existing(transaction, name)
            memory_rows.ensure_node(transaction, memory)
            return memory_rows.node_id(memory.id)
        found = code_nodes(self.context.store, [name]).get(name)
        if found is None:
            raise NotFound(f"no indexed code has the id {name}", hint="search_symbols shows ids of symbols.", id=name)
        if not transaction.get(Node, [name]):
            kind, label = ("File", found.file.path) if found.symbol is None else (found.symbol.kind, found.symbol.name)
            transaction.insert(
                Node(id=name, kind=kind, label=label, namespace=found.tree.namespace)  # type: ignore[arg-type]
            )
        return name

    def _checked(self, given: dict[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
        """Return checked fields without secrets, and the kinds of secrets that were replaced.

        With the content comes its hash.
        """
        limit = self.context.settings.max_content_bytes
        checks: dict[str, Callable[[Any], Any]] = {
            "content": lambda value: input_checks.content(value, max_bytes=limit),
            "memory_type": input_checks.memory_type,
            "tags": input_checks.tags,
            "namespace": namespace_of,
            "importance": lambda value: input_checks.ratio("importance", value),
            "confidence": lambda value: input_checks.ratio("confidence", value),
            "title": lambda value: input_checks.label("title", value),
            "category": lambda value: input_checks.label("category", value),
            "author": lambda value: input_checks.label("author", value),
            "session_id": lambda value: input_checks.label("session_id", value),
            "valid_from": lambda value: input_checks.moment("valid_from", value),
            "source": input_checks.source,
            "metadata": lambda value: input_checks.metadata(value, max_bytes=limit),
        }
        values = {field: checks[field](value) for field, value in given.items()}
        clean, kinds = fields_without_secrets({field: values[field] for field in WRITTEN[Memory] if field in values})
        values |= clean
        if "content" in values:
            values["content_hash"] = memory_rows.content_hash(values["content"])
        return values, kinds


def _is_question(values: Mapping[str, Any]) -> bool:
    """Tell whether a text without a given type, and no turn of a conversation, is only a question."""
    from recollect.text.questions import only_asks

    return values["memory_type"] == "context" and not _is_turn(values) and only_asks(values["content"])


def _worded_type(values: Mapping[str, Any]) -> MemoryType:
    """Return the type of a memory by its wording; context for questions and turns."""
    from recollect.capture.statements import type_of
    from recollect.text.questions import is_standing_order

    if values["observed"] or _is_turn(values):
        return "context"
    return "preference" if is_standing_order(values["content"]) else type_of(values["content"])


def _is_turn(values: Mapping[str, Any]) -> bool:
    return values["session_id"] is not None or values["author"] is not None

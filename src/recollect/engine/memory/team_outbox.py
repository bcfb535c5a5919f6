"""Team outbox: memories of projects that live on a team server are stored here and sent there.

    store, update, delete ─► local row + outbox row (one transaction) ─► server, at once or later ─► remote id

The local row is a copy: searches prefer the server's version while it answers. Without the server nothing waits and
nothing is lost. A row is sent by one process at a time, and sending it twice changes nothing: the server stores the
same content once. A change is sent as a memory that supersedes the server's one, so that both versions are kept.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from recollect import clock
from recollect.engine.context import Context, Worker
from recollect.engine.records.memory_rows import TRUST, content_hash, existing, full_id
from recollect.errors import MemoryNotFound, RecollectError
from recollect.model import Memory, MemoryView, TeamWrite
from recollect.providers.team_client import TeamClient
from recollect.store.store_values import Range
from recollect.text.display import oneline
from recollect.text.redaction.redact import redact_value

if TYPE_CHECKING:
    from recollect.store.transaction import Transaction

# The first retry, doubled each time.
FIRST_PAUSE_S = 5
MAX_PAUSE_S = 3_600
# How long a process that sends a row keeps others from it: longer than a request takes.
CLAIM_S = 60
BATCH = 50
# How often a server process looks for rows that are due.
POLL_S = 5.0
FAILURE_CHARACTERS = 300
# The longest memory of a server that is copied or shown.
MAX_CHARACTERS = 100_000
# What the server gets of a memory, beside its content, type and project.
SENT = ("importance", "confidence", "title", "category", "author", "valid_from", "source")


class TeamOutbox(Worker):
    """Queues writes for the team server and sends them."""

    thread_name = "recollect-team"
    stop_s = 1.0

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self.client = TeamClient(context.settings)
        self._due = threading.Event()

    # --- queue ---

    def queue(self, transaction: Transaction, memory: Memory, *, deleted: bool = False) -> None:
        """Queue the current state of a memory, if its project lives on the server."""
        project = self.client.projects.get(memory.namespace or "")
        if project is None or memory.observed:
            return
        now = clock.now()
        row = TeamWrite(
            id=memory.id,
            write_id=clock.new_id(),
            project=project,
            action="delete" if deleted else "store",
            made_at=now,
            due_at=now,
        )
        if transaction.get(TeamWrite, [row.id]):
            fields = ("write_id", "action", "made_at", "due_at", "tries", "sent_at", "failure")
            transaction.update(TeamWrite, row.id, {name: getattr(row, name) for name in fields})
        else:
            transaction.insert(row)

    def copies(self, ids: Iterable[str]) -> dict[str, str]:
        """Return which of these memories the server has, by its own ids."""
        rows = self._context.store.get(TeamWrite, list(ids))
        return {row.id: row.remote_id for row in rows if row.sent_at and row.remote_id}

    def fetch(self, memory_id: str) -> MemoryView | None:
        """Return a memory of the server; None if there is none, or no answer."""
        try:
            return self.client.get(memory_id) if self.client.projects else None
        except RecollectError:
            return None

    def local_id(self, memory_id: str) -> str:
        """Return the id of the local copy of a memory of the server, made now if there is none; else the id itself."""
        store = self._context.store
        with suppress(MemoryNotFound):
            return existing(store, memory_id).id
        if copied := full_id(store, TeamWrite, "remote_id", memory_id):
            return store.find(TeamWrite, {"remote_id": copied})[0].id
        found = self.fetch(memory_id)
        namespace = (found.namespace if found is not None else None) or ""
        if found is not None and namespace in self.client.projects and found.id.startswith(memory_id):
            self._adopt(found, namespace)
        return memory_id

    def _adopt(self, found: MemoryView, namespace: str) -> None:
        """Store a memory of the server here, as one that was sent."""
        given = {name: getattr(found, name) for name in (*SENT, "memory_type", "tags", "created_at")}
        values, _ = redact_value({"content": found.content[:MAX_CHARACTERS], **given})
        values |= {"content_hash": content_hash(values["content"]), "trust": TRUST["imported"]["import"]}
        with self._context.store.transaction("adopt_memory") as transaction:
            self.queue(transaction, transaction.insert(Memory(id=found.id, namespace=namespace, **values)))
            transaction.update(TeamWrite, found.id, {"remote_id": found.id, "sent_at": clock.now()})

    def overtaken(self) -> set[str]:
        """Return memories of the server that were changed or deleted here, which the server does not know yet."""
        return {row.remote_id for row in self._context.store.find(TeamWrite, {"sent_at": 0})}

    def waiting(self) -> tuple[int, str]:
        """Return how many writes were not sent yet, and why the latest try failed."""
        rows = self._context.store.find(TeamWrite, {"sent_at": 0}, order="-made_at")
        return len(rows), next((row.failure for row in rows if row.failure), "")

    # --- send ---

    def wake(self) -> None:
        """Send what is due: in the background where there is one, otherwise now."""
        if self._thread is not None:
            self._due.set()
        elif self.client.projects:
            self.send()

    def send(self) -> int:
        """Send rows that are due, the oldest first, until one fails; returns how many were sent. Never raises."""
        sent = 0
        try:
            for row in self._claimed():
                failure = self._sent(row)
                if failure:
                    break
                sent += 1
        except RecollectError:  # the store is busy: the next try has the same rows
            pass
        return sent

    def _claimed(self) -> list[TeamWrite]:
        now = clock.now()
        due = {"sent_at": 0, "due_at": Range(below=now + 1)}
        store = self._context.store
        if not self.client.projects or not store.find(TeamWrite, due, limit=1):
            return []
        with store.transaction("send_to_team") as transaction:
            rows = transaction.find(TeamWrite, due, order="made_at", limit=BATCH)
            return [transaction.update(TeamWrite, row.id, {"due_at": now + CLAIM_S}) for row in rows]

    def _sent(self, row: TeamWrite) -> str:
        """Send a row; returns why it failed, empty if it did not."""
        values: dict[str, Any] = {"sent_at": clock.now(), "failure": ""}
        failure = ""
        try:
            if row.action == "store" and (found := self._context.store.get(Memory, [row.id])):
                values["remote_id"] = self.client.store(self._arguments(row, found[0]))
            elif row.action == "delete" and row.remote_id:
                self.client.delete(row.remote_id)
        except RecollectError as problem:
            pause_s = min(MAX_PAUSE_S, FIRST_PAUSE_S * 2 ** min(row.tries, 20))
            failure = oneline(problem.message, FAILURE_CHARACTERS)
            values = {"failure": failure, "tries": row.tries + 1, "due_at": clock.now() + pause_s}
        with self._context.store.transaction("send_to_team") as transaction:
            now = next(iter(transaction.get(TeamWrite, [row.id])), row)
            if now.write_id != row.write_id:  # it was written again meanwhile: what is sent next supersedes this
                values = {"remote_id": values.get("remote_id", now.remote_id)}
            elif row.action == "delete" and not failure:
                transaction.delete(TeamWrite, {"id": row.id})
                return ""
            transaction.update(TeamWrite, row.id, values)
        return failure

    def _arguments(self, row: TeamWrite, memory: Memory) -> dict[str, Any]:
        arguments = {name: value for name in SENT if (value := getattr(memory, name)) is not None}
        older = self._context.store.find(Memory, {"namespace": memory.namespace, "superseded_by": memory.id})
        replaced = row.remote_id or next(iter(self.copies(each.id for each in older).values()), "")
        if replaced:
            arguments["supersedes"] = replaced
        about = {
            "project": row.project,
            "tags": memory.tags,
            "metadata": {**memory.metadata, "client_id": row.write_id},
        }
        return {"content": memory.content, "type": memory.memory_type, **about, **arguments}

    # --- in the background ---

    def start(self) -> None:
        """Send in a thread until stopped, if there is a team server."""
        if self.client.projects:
            super().start()

    def stop(self) -> None:
        """End the thread after the request that it is sending, if that is quick."""
        self._stop.set()
        self._due.set()
        super().stop()

    def _work(self) -> None:
        while not self._stop.is_set():
            self.send()
            self._due.wait(POLL_S)
            self._due.clear()

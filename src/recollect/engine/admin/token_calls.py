"""Token calls: who read and wrote what with an access token, and how many memories a token may store in a day."""

import threading
import time
from collections.abc import Iterator, Mapping
from typing import Any

from recollect import clock
from recollect.engine.admin.access_rules import PROJECTS
from recollect.engine.admin.access_tokens import Grant
from recollect.engine.context import Context
from recollect.engine.records import input_checks
from recollect.errors import QuotaExceeded, StorageError
from recollect.model import Limit, Memory, Offset, Record, TokenCall, TokenCallPage
from recollect.operations import Operation, operation
from recollect.store.store_values import Range

DAY_S = 86_400
# Calls are written many at a time, so that a read is not a write; at most these are lost if the process is killed.
BUFFERED = 50
BUFFERED_S = 2.0
# Rows that are kept: some weeks of a busy team, about 30 MB.
MAX_ROWS = 100_000
# How often the oldest are looked for, in written rows.
TRIMMED = 1_000
MAX_IDS = 50
# Operations that create memories, which the quota counts.
STORING = ("store_memory", "store_coding_memory", "import_memories")


class TokenCalls:
    """Records and lists calls with access tokens."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._buffer: list[TokenCall] = []
        self._flushed_at = 0.0
        self._written = 0
        self._lock = threading.Lock()

    @operation("list_token_calls", "audit", read_only=True)
    def audit(
        self, *, name: str | None = None, since: int | str | None = None, limit: Limit = 50, offset: Offset = 0
    ) -> TokenCallPage:
        """List calls with access tokens. It shows who read or wrote which memories. The latest 100,000 are kept.

        name: only calls of this person or token
        """
        self.flush()
        where: dict[str, object] = {} if name is None else {"name": input_checks.text("name", name)}
        if since is not None:
            where["at"] = Range(input_checks.moment("since", since))
        limit = input_checks.whole("limit", limit, least=1, most=1000)
        rows = self._context.store.find(TokenCall, where, order="-at", limit=limit, offset=offset)
        return TokenCallPage(calls=tuple(rows), total=self._context.store.count(TokenCall, where), offset=offset)

    def check_quota(self, grant: Grant, row: Operation) -> None:
        """Raise QuotaExceeded if a token has stored as many memories today, in UTC, as it may."""
        most = self._context.settings.quota_memories_per_day
        if not most or row.name not in STORING:
            return
        self.flush()
        today = clock.now() // DAY_S * DAY_S
        where = {"token_id": grant.token_id, "operation": STORING, "at": Range(today)}
        stored = sum(call.created for call in self._context.store.find(TokenCall, where))
        if stored >= most:
            raise QuotaExceeded(f"{grant.name} has stored {stored:,} memories today", quota=most)

    def record(
        self, grant: Grant, row: Operation, arguments: Mapping[str, Any], answer: Record | None, outcome: str
    ) -> None:
        """Note a call; outcome: ok, or the code of an error."""
        created = int(getattr(answer, "created", 0)) if row.name in STORING else 0
        call = TokenCall(
            id=clock.new_id(),
            at=clock.now(),
            token_id=grant.token_id,
            name=grant.name,
            operation=row.name,
            project=next((str(arguments[name]) for name in PROJECTS if arguments.get(name)), "")[:200],
            outcome=outcome,
            memory_ids=tuple(dict.fromkeys(_memory_ids(answer)))[:MAX_IDS],
            created=created,
        )
        with self._lock:
            self._buffer.append(call)
            is_due = len(self._buffer) >= BUFFERED or time.monotonic() - self._flushed_at > BUFFERED_S
        if is_due or created:
            self.flush()

    def flush(self) -> None:
        """Write what waits. A busy store is no error: the next call tries again."""
        with self._lock:
            rows, self._buffer = self._buffer, []
            self._flushed_at = time.monotonic()
            if not rows:
                return
            try:
                with self._context.store.transaction("record_calls", patiently=False) as transaction:
                    for row in rows:
                        transaction.insert(row)
            except StorageError:
                self._buffer = rows[-MAX_ROWS:]
                return
            self._written += len(rows)
            if self._written >= TRIMMED:
                self._written = 0
                self._trim()

    def _trim(self) -> None:
        oldest = self._context.store.find(TokenCall, order="-at", limit=1, offset=MAX_ROWS)
        if oldest:
            with self._context.store.transaction("record_calls") as transaction:
                transaction.delete(TokenCall, {"at": Range(below=oldest[0].at + 1)})


def _memory_ids(answer: Any) -> Iterator[str]:
    """Yield the memories that an answer shows."""
    lists = (getattr(answer, name, ()) for name in ("hits", "memories", "sources"))
    # `memories` of statistics is a number.
    for item in (answer, *(item for each in lists if isinstance(each, tuple) for item in each)):
        memory = getattr(item, "memory", item)
        if isinstance(memory, Memory):
            yield memory.id
        elif isinstance(getattr(item, "memory_id", None), str):
            yield item.memory_id

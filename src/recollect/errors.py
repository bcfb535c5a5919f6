"""Every error recollect raises on purpose, as one tree.

    RecollectError                  INTERNAL_ERROR        exit 1   a defect of ours
      InvalidInput                  INVALID_INPUT         exit 2   the caller's value cannot be used
        ContentTooLarge             CONTENT_TOO_LARGE
        InvalidWorkspace            INVALID_WORKSPACE
      NotFound                      NOT_FOUND             exit 3   nothing has that name
        MemoryNotFound              MEMORY_NOT_FOUND
        WorkspaceNotFound           WORKSPACE_NOT_FOUND
        Purged                      PURGED                         it was removed for good
      Conflict                      CONFLICT              exit 4   true, but not any more or not twice
        WorkspaceExists             WORKSPACE_EXISTS
      ConfigError                   BAD_SETTING           exit 5   a setting, file or installation is wrong
      StorageError                  STORAGE_ERROR         exit 6   the database said no
        StoreLocked                 STORE_LOCKED                   another process held the lock too long (retry)
        StoreCorrupt                STORE_CORRUPT                  the file is damaged
        StoreForeign                STORE_FOREIGN                  a database of another program, or no database
        StoreUnwritable             STORE_UNWRITABLE               read-only, no permission
        StoreFull                   STORE_FULL                     no space left
        SchemaTooNew                SCHEMA_TOO_NEW                 written by a newer recollect
      Cancelled                     CANCELLED             exit 130 the caller withdrew the request
      ProviderError                 PROVIDER_ERROR        exit 7   something we asked outside did not answer
        EmbeddingFailed             EMBEDDING_FAILED
        ModelFailed                 LLM_ERROR
          BudgetSpent               BUDGET_SPENT                   the language model may not be asked any more today

An error carries a stable `code` for programs, a message for people, a `hint` for the next step and `details` as plain
data. Surfaces map `code`, `exit_status` and `retryable`; they never parse messages. Expected outcomes (nothing
found, a duplicate merged) are values, not errors.
"""

from __future__ import annotations

from typing import Any, ClassVar


class RecollectError(Exception):
    """A failure with a stable code, a message, a hint and details."""

    code: ClassVar[str] = "INTERNAL_ERROR"
    exit_status: ClassVar[int] = 1
    retryable: ClassVar[bool] = False
    default_hint: ClassVar[str] = "Run `recollect health`; if it is well, please report this with the command you ran."

    def __init__(self, message: str, *, hint: str = "", **details: Any) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint or self.default_hint
        self.details = details

    def as_dict(self) -> dict[str, Any]:
        """Return the one error shape of every surface."""
        return {
            "code": self.code,
            "message": self.message,
            "hint": self.hint,
            "retryable": self.retryable,
            "details": self.details,
        }


class InvalidInput(RecollectError):
    code = "INVALID_INPUT"
    exit_status = 2
    default_hint = "Correct the value and call again; nothing was written."


class ContentTooLarge(InvalidInput):
    code = "CONTENT_TOO_LARGE"
    default_hint = "Store the part that matters, split it, or raise max_content_bytes; nothing was written."


class InvalidWorkspace(InvalidInput):
    code = "INVALID_WORKSPACE"
    default_hint = "Use a path, or a name of letters, digits, '.', '-', '_', ':' and '/'."


class NotFound(RecollectError):
    code = "NOT_FOUND"
    exit_status = 3
    default_hint = "Check the id; `recollect list` shows what there is."


class MemoryNotFound(NotFound):
    code = "MEMORY_NOT_FOUND"


class WorkspaceNotFound(NotFound):
    code = "WORKSPACE_NOT_FOUND"
    default_hint = "Use workspace_init to create it; `recollect namespaces` lists those with memories."


class Purged(NotFound):
    code = "PURGED"
    default_hint = "It was purged so that nobody can bring it back; `recollect changes` lists what can be undone."


class Conflict(RecollectError):
    code = "CONFLICT"
    exit_status = 4
    default_hint = "Read the current state and try again."


class WorkspaceExists(Conflict):
    code = "WORKSPACE_EXISTS"
    default_hint = "Use workspace_retrieve to read it, or workspace_init, which does either."


class ConfigError(RecollectError):
    code = "BAD_SETTING"
    exit_status = 5
    default_hint = "`recollect config` shows every setting, its value and where it came from."


class StorageError(RecollectError):
    code = "STORAGE_ERROR"
    exit_status = 6
    default_hint = "Run `recollect health` to see what is wrong with the database."


class StoreLocked(StorageError):
    code = "STORE_LOCKED"
    retryable = True
    default_hint = "Another process is writing for unusually long. Try again, or raise busy_timeout_ms."


class StoreCorrupt(StorageError):
    code = "STORE_CORRUPT"
    default_hint = (
        "`recollect health` says whether only the full text is damaged, which `recollect rebuild` mends. Else keep the "
        "file and restore an export or a backup; `sqlite3 FILE .recover` may save most of it."
    )


class StoreForeign(StorageError):
    code = "STORE_FOREIGN"
    default_hint = (
        "Point RECOLLECT_DATABASE (or --database) at a recollect database, or at a file that does not exist yet."
    )


class StoreUnwritable(StorageError):
    code = "STORE_UNWRITABLE"
    default_hint = "Check owner, permissions and mount of the file and its folder; reading still works where it can."


class StoreFull(StorageError):
    code = "STORE_FULL"
    default_hint = "Free some space and try again; what was stored before is untouched."


class SchemaTooNew(StorageError):
    code = "SCHEMA_TOO_NEW"
    default_hint = "Upgrade recollect: this database was written by a newer version. It was not touched."


class Cancelled(RecollectError):
    code = "CANCELLED"
    exit_status = 130
    default_hint = "Nothing was half-written; run it again when you like."


class ProviderError(RecollectError):
    code = "PROVIDER_ERROR"
    exit_status = 7
    retryable = True
    default_hint = "Check the provider's address and key; `recollect health` tells whether it answers."


class EmbeddingFailed(ProviderError):
    code = "EMBEDDING_FAILED"
    default_hint = "Nothing is lost: search stays lexical and vectors are filled in once the provider answers."


class ModelFailed(ProviderError):
    code = "LLM_ERROR"
    default_hint = "Nothing is lost: what a language model would have improved is done by rules until it answers."


class BudgetSpent(ModelFailed):
    code = "BUDGET_SPENT"
    retryable = False
    default_hint = (
        "It is counted anew from midnight UTC; `recollect stats` shows what was spent. To allow more, raise "
        "llm_max_calls_per_day or llm_max_tokens_per_day."
    )

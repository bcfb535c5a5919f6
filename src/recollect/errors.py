"""Every error recollect raises on purpose, as one tree.

    RecollectError                  INTERNAL_ERROR        exit 1   a bug in recollect
      InvalidInput                  INVALID_INPUT         exit 2   a value of the caller is wrong
        ContentTooLarge             CONTENT_TOO_LARGE
        InvalidWorkspace            INVALID_WORKSPACE
        AmbiguousName               AMBIGUOUS_NAME                 a name has several definitions
        MethodNotAllowed            METHOD_NOT_ALLOWED             the path of a request takes another method
      NotFound                      NOT_FOUND             exit 3   no such item
        MemoryNotFound              MEMORY_NOT_FOUND
        WorkspaceNotFound           WORKSPACE_NOT_FOUND
        Purged                      PURGED                         it was deleted permanently
      Conflict                      CONFLICT              exit 4   the state has changed, or the item exists
        WorkspaceExists             WORKSPACE_EXISTS
      ConfigError                   BAD_SETTING           exit 5   a setting, file or installation is wrong
      StorageError                  STORAGE_ERROR         exit 6   database error
        StoreLocked                 STORE_LOCKED                   another process held the lock too long (retry)
        StoreCorrupt                STORE_CORRUPT                  the file is damaged
        StoreForeign                STORE_FOREIGN                  not a recollect database
        StoreUnwritable             STORE_UNWRITABLE               read-only, no permission
        StoreFull                   STORE_FULL                     no space left
        StoreUnreachable            STORE_UNREACHABLE              the database server does not answer (retry)
        SchemaTooNew                SCHEMA_TOO_NEW                 written by a newer recollect
      Cancelled                     CANCELLED             exit 130 the caller cancelled the request
      ProviderError                 PROVIDER_ERROR        exit 7   an external service failed
        EmbeddingFailed             EMBEDDING_FAILED
        ModelFailed                 LLM_ERROR
          BudgetSpent               BUDGET_SPENT                   the daily limit for the language model is used up
      AccessRefused                 ACCESS_REFUSED        exit 8   the caller may not do this
        Unauthorized                UNAUTHORIZED                   no access token, or not a valid one
        Forbidden                   FORBIDDEN                      the access token does not cover this
        TooManyRequests             RATE_LIMITED                   too many requests (retry)
          QuotaExceeded             QUOTA_EXCEEDED                 the token stored as much as it may today
        RequestTimeout              REQUEST_TIMEOUT                a request took too long to arrive (retry)

An error has a stable `code` for programs, a message and a `hint` for people, and `details` as plain data. Surfaces read
`code`, `exit_status` and `retryable`; they never parse messages. Expected outcomes (no hits, a merged duplicate) are
values, not errors.
"""

from __future__ import annotations

from typing import Any, ClassVar


class RecollectError(Exception):
    """A failure with a stable code, a message, a hint and details.

    code: from the name of the class, unless that sets another
    """

    code: ClassVar[str] = "INTERNAL_ERROR"
    exit_status: ClassVar[int] = 1
    retryable: ClassVar[bool] = False
    default_hint: ClassVar[str] = (
        "This is a bug in recollect. Run `recollect health` and report this error with the command you ran."
    )

    def __init_subclass__(cls) -> None:
        words = "".join(f"_{letter}" if letter.isupper() else letter for letter in cls.__name__)
        cls.code = vars(cls).get("code") or words[1:].upper()

    def __init__(self, message: str, *, hint: str = "", **details: Any) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint or self.default_hint
        self.details = details

    def as_dict(self) -> dict[str, Any]:
        """Return the error as every surface shows it."""
        return {
            "code": self.code,
            "message": self.message,
            "hint": self.hint,
            "retryable": self.retryable,
            "details": self.details,
        }


class InvalidInput(RecollectError):
    exit_status = 2
    default_hint = "Correct the value and try again. Nothing was written."


class ContentTooLarge(InvalidInput):
    default_hint = "Shorten or split the content, or raise max_content_bytes. Nothing was written."


class InvalidWorkspace(InvalidInput):
    default_hint = "Use a path, or a name of letters, digits and the characters '.', '-', '_', ':' and '/'."


class AmbiguousName(InvalidInput):
    default_hint = "Name one of them by its path: src/server.py::Server.start."


class MethodNotAllowed(InvalidInput):
    default_hint = "GET /api/v1/openapi.json lists the methods of every path."


class NotFound(RecollectError):
    exit_status = 3
    default_hint = "Check the id. `recollect list` shows all memories."


class MemoryNotFound(NotFound):
    """No memory has the id."""


class WorkspaceNotFound(NotFound):
    default_hint = (
        "`recollect workspace init` creates it. `recollect workspace list` lists projects that have memories."
    )


class Purged(NotFound):
    default_hint = "A purged item cannot be restored. `recollect changes` lists changes that can be undone."


class Conflict(RecollectError):
    exit_status = 4
    default_hint = "Reload the current state and try again."


class WorkspaceExists(Conflict):
    default_hint = "`recollect workspace get` shows it, and `recollect workspace init` creates or shows one."


class ConfigError(RecollectError):
    code = "BAD_SETTING"
    exit_status = 5
    default_hint = "`recollect config` shows every setting, its value and its source."


class StorageError(RecollectError):
    exit_status = 6
    default_hint = "Run `recollect health` to check the database."


class StoreLocked(StorageError):
    retryable = True
    default_hint = "Another process is writing to the database. Try again, or raise busy_timeout_ms."


class StoreCorrupt(StorageError):
    default_hint = (
        "Run `recollect health`. `recollect admin rebuild` repairs a damaged full-text index. For other damage, keep "
        "the file and restore an export or a backup; `sqlite3 FILE .recover` may recover most of it."
    )


class StoreForeign(StorageError):
    default_hint = "Set RECOLLECT_DATABASE or --database to a recollect database, or to a file that does not exist yet."


class StoreUnwritable(StorageError):
    default_hint = "Check the owner, permissions and mount of the file and its folder. Reading may still work."


class StoreFull(StorageError):
    default_hint = "Free some disk space and try again. Existing memories are intact."


class StoreUnreachable(StorageError):
    retryable = True
    default_hint = (
        "Check that the database server runs, and its address in RECOLLECT_DATABASE_URL. A write that was not "
        "confirmed may be missing; it is safe to repeat it."
    )


class SchemaTooNew(StorageError):
    default_hint = "Upgrade recollect: a newer version wrote this database. Nothing was changed."


class Cancelled(RecollectError):
    exit_status = 130
    default_hint = "No partial changes were written. You can run it again."


class ProviderError(RecollectError):
    exit_status = 7
    retryable = True
    default_hint = "Check the provider's address and key. `recollect health` tests the connection."


class EmbeddingFailed(ProviderError):
    default_hint = (
        "Nothing is lost: search is keyword-only until the provider answers; then missing embeddings are computed."
    )


class ModelFailed(ProviderError):
    code = "LLM_ERROR"
    default_hint = "Nothing is lost: built-in rules are used until the language model answers."


class BudgetSpent(ModelFailed):
    retryable = False
    default_hint = (
        "The limit resets at midnight UTC; `recollect stats` shows the usage. To allow more, raise "
        "llm_max_calls_per_day or llm_max_tokens_per_day."
    )


class AccessRefused(RecollectError):
    exit_status = 8
    default_hint = "`recollect admin tokens` lists the access tokens and what each one covers."


class Unauthorized(AccessRefused):
    default_hint = 'Send the header "Authorization: Bearer TOKEN". `recollect admin create-token` makes a token.'


class Forbidden(AccessRefused):
    default_hint = "Use a token with a wider scope. `recollect admin create-token` makes one."


class TooManyRequests(AccessRefused):
    code = "RATE_LIMITED"
    retryable = True
    default_hint = "Wait and try again. The details say after how many seconds."


class QuotaExceeded(TooManyRequests):
    retryable = False
    default_hint = "The count resets at midnight UTC. The setting quota_memories_per_day of the server allows more."


class RequestTimeout(AccessRefused):
    retryable = True
    default_hint = "Send the request again over a faster connection."

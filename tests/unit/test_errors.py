"""Errors: one tree, drawn as it is, with stable codes in one shape."""

from __future__ import annotations

import inspect
import json
import re

import pytest

from recollect import errors
from recollect.errors import ContentTooLarge, RecollectError, StoreLocked

CLASSES = [member for _, member in inspect.getmembers(errors, inspect.isclass) if issubclass(member, RecollectError)]
EACH = pytest.mark.parametrize("error", CLASSES, ids=lambda error: error.__name__)

# Exit statuses are part of the interface of the command line: scripts rely on them.
EXIT_STATUSES = {
    "INTERNAL_ERROR": 1, "INVALID_INPUT": 2, "CONTENT_TOO_LARGE": 2, "INVALID_WORKSPACE": 2, "NOT_FOUND": 3,
    "MEMORY_NOT_FOUND": 3, "WORKSPACE_NOT_FOUND": 3, "PURGED": 3, "CONFLICT": 4, "WORKSPACE_EXISTS": 4,
    "BAD_SETTING": 5,
    "STORAGE_ERROR": 6, "STORE_LOCKED": 6, "STORE_CORRUPT": 6, "STORE_FOREIGN": 6, "STORE_UNWRITABLE": 6,
    "STORE_FULL": 6, "STORE_UNREACHABLE": 6, "SCHEMA_TOO_NEW": 6,
    "PROVIDER_ERROR": 7, "EMBEDDING_FAILED": 7, "LLM_ERROR": 7,
    "BUDGET_SPENT": 7, "ACCESS_REFUSED": 8, "UNAUTHORIZED": 8, "FORBIDDEN": 8, "RATE_LIMITED": 8, "REQUEST_TIMEOUT": 8,
    "QUOTA_EXCEEDED": 8,
    "METHOD_NOT_ALLOWED": 2, "AMBIGUOUS_NAME": 2, "CANCELLED": 130,
}  # fmt: skip


def drawn() -> list[tuple[str, str, str, int | None]]:
    """Return the tree of the module's docstring as (class, parent, code, exit status where one is written)."""
    path: list[str] = []
    rows = []
    for line in (errors.__doc__ or "").splitlines():
        found = re.match(r"    ((?:  )*)([A-Z]\w+) +([A-Z_]+)\b(?: +exit (\d+))?", line)
        if found:
            path[len(found[1]) // 2 :] = [found[2]]
            rows.append((found[2], path[-2] if len(path) > 1 else "Exception", found[3], found[4] and int(found[4])))
    return rows


def test_the_tree_in_the_docstring_is_the_tree_of_the_classes() -> None:
    assert {(name, parent, code) for name, parent, code, _ in drawn()} == {
        (error.__name__, error.__bases__[0].__name__, error.code) for error in CLASSES
    }
    assert len(drawn()) >= 21


def test_the_exit_statuses_in_the_docstring_hold() -> None:
    shown = {name: status for name, _, _, status in drawn() if status is not None}
    assert len(shown) == 9
    for name, status in shown.items():
        assert getattr(errors, name).exit_status == status


def test_codes_are_unique_and_exit_statuses_stay_as_they_are() -> None:
    assert len({error.code for error in CLASSES}) == len(CLASSES)
    assert {error.code: error.exit_status for error in CLASSES} == EXIT_STATUSES


@EACH
def test_every_error_has_one_shape_that_is_plain_data(error: type[RecollectError]) -> None:
    raised = error("what happened", field="value", number=3)
    shape = raised.as_dict()
    assert shape == {
        "code": error.code,
        "message": "what happened",
        "hint": error.default_hint,
        "retryable": error.retryable,
        "details": {"field": "value", "number": 3},
    }
    assert json.loads(json.dumps(shape)) == shape
    assert str(raised) == "what happened"


@EACH
def test_every_error_says_what_to_do_next(error: type[RecollectError]) -> None:
    assert len(error.default_hint) > 20
    assert error.default_hint.endswith(".")


def test_a_hint_of_its_own_replaces_the_general_one() -> None:
    assert ContentTooLarge("too large", hint="Send less.").hint == "Send less."


def test_only_what_may_work_later_is_retryable() -> None:
    assert {error.code for error in CLASSES if error.retryable} == {
        "STORE_LOCKED", "STORE_UNREACHABLE", "PROVIDER_ERROR", "EMBEDDING_FAILED", "LLM_ERROR", "RATE_LIMITED",
        "REQUEST_TIMEOUT",
    }  # fmt: skip
    assert StoreLocked("held").as_dict()["retryable"] is True


@pytest.mark.promise("M3")
@pytest.mark.parametrize(
    "code", ["INVALID_WORKSPACE", "MEMORY_NOT_FOUND", "EMBEDDING_FAILED", "LLM_ERROR", "STORAGE_ERROR"]
)
def test_the_documented_codes_exist_with_message_and_details(code: str) -> None:
    (error,) = (error for error in CLASSES if error.code == code)
    shape = error("what happened", workspace="w").as_dict()
    assert shape["code"] == code
    assert shape["message"] == "what happened"
    assert shape["details"] == {"workspace": "w"}

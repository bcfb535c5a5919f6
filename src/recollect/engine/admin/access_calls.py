"""Calls on behalf of a grant: the arguments are checked, and notes say nothing of other projects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from recollect.engine.admin.access_rules import PROJECTS, Row, RowKind, arguments_for
from recollect.engine.context import is_confined
from recollect.engine.graph.code_nodes import code_nodes, is_code
from recollect.engine.records.identity import namespace_of
from recollect.engine.records.memory_rows import full_id
from recollect.errors import Forbidden, RecollectError
from recollect.model import Change, Memory, Record, Session
from recollect.store.confinement import confined_to

if TYPE_CHECKING:
    from recollect.engine.admin.access_tokens import Grant
    from recollect.operations import Operation
    from recollect.store.sql import Store


def call_as(grant: Grant, engine: Any, operation: Operation, arguments: Mapping[str, Any]) -> Record:
    """Call an operation as a grant allows it. Raises Forbidden, QuotaExceeded, and what the operation raises.

    Calls with a token are recorded.
    """
    if not grant.token_id:
        return _called(grant, engine, operation, arguments)
    answer, outcome = None, RecollectError.code
    try:
        engine.token_calls.check_quota(grant, operation)
        answer = _called(grant, engine, operation, arguments)
        outcome = "ok"
        return answer
    except RecollectError as problem:
        outcome = problem.code
        raise
    finally:
        engine.token_calls.record(grant, operation, arguments, answer, outcome)


def _called(grant: Grant, engine: Any, operation: Operation, arguments: Mapping[str, Any]) -> Record:
    rows = Rows(engine.store)
    checked = arguments_for(grant, operation, arguments, rows.find)
    for project in {str(checked[name]) for name in PROJECTS if grant.projects and checked.get(name)}:
        # A folder may have become part of another repository since the token was made.
        if namespace_of(project) != project:
            raise Forbidden(f"{project} belongs to another project now", hint="Create a new token.", project=project)
    token = is_confined.set(bool(grant.projects))
    try:
        with confined_to(grant.projects):
            return operation.call(engine, checked)
    finally:
        is_confined.reset(token)


class Rows:
    """Finds the rows that a caller names by id."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def find(self, kind: RowKind, given: str, projects: tuple[str, ...]) -> Row | None:
        """Return a row by its id, or by the beginning of its id among rows of these projects."""
        if kind == "node" and is_code(given):
            place = code_nodes(self._store, [given]).get(given)
            return None if place is None else Row(given, place.tree.namespace)
        if kind == "node":
            return self._stored(Memory, given.removeprefix("mem:"), projects)
        if kind == "session":
            return self._stored(Session, given, projects)
        return self._stored(Memory, given, projects) or self._deleted(given)

    def _stored(self, kind: type[Memory] | type[Session], given: str, projects: tuple[str, ...]) -> Row | None:
        found = self._store.get(kind, [given])
        if not found:
            known = full_id(self._store, kind, "id", given, {"namespace": (*projects, None)})
            found = self._store.get(kind, [known]) if known else []
        return Row(found[0].id, found[0].namespace) if found else None

    def _deleted(self, memory_id: str) -> Row | None:
        """Return a deleted memory as the log has it."""
        where = {"entity": "memories", "entity_id": memory_id, "action": "delete"}
        found = self._store.find(Change, where, order="-seq", limit=1)
        before = found[0].before if found else None
        return None if before is None else Row(memory_id, before.get("namespace"))

"""Access rules: which operations a grant covers, with which arguments; and calls on behalf of a grant.

    grant ─► level of the operation ─► parameters that name files ─► projects ─► rows ─► arguments, or Forbidden

Denied by default: an operation without a rule needs a grant for everything. A grant that is limited to projects can
name its own projects only. An id of another project gets the same answer as an id that does not exist,
and notes say nothing of other projects.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from recollect.engine.admin.access_tokens import SCOPES, Grant
from recollect.engine.context import is_confined
from recollect.engine.graph.code_nodes import code_nodes, is_code
from recollect.engine.records.identity import PRIVATE, namespace_of
from recollect.engine.records.memory_rows import full_id
from recollect.errors import Forbidden, RecollectError
from recollect.model import AccessScope, Change, Memory, Record, Session
from recollect.operations import Operation, public
from recollect.store.confinement import confined_to

if TYPE_CHECKING:
    from recollect.store.sql import Store


RowKind = Literal["memory", "session", "node"]


class Row(NamedTuple):
    """A stored row that a caller named, perhaps by the beginning of its id; namespace None: for all projects."""

    id: str
    namespace: str | None


# Finds a row of some projects or for all projects: (kind, id or its beginning, projects) → the row, or None.
FindRow = Callable[[RowKind, str, tuple[str, ...]], Row | None]


class Rule(NamedTuple):
    """The access rule of an operation.

    level: the least scope. is_whole: it reads or changes more than one project, so that no limited grant covers it
    guarded: parameters that name files of this machine or carry hook events: they need admin for all projects
    """

    level: AccessScope
    is_whole: bool = False
    guarded: frozenset[str] = frozenset()


def _rules(level: AccessScope, names: str, *, is_whole: bool = False, guarded: str = "") -> dict[str, Rule]:
    return dict.fromkeys(names.split(), Rule(level, is_whole, frozenset(guarded.split())))


RULES: Mapping[str, Rule] = {
    **_rules(
        "read",
        "get_memory list_memories recall_memory pack_context recall_with_expansion recall_with_impact graph_traverse "
        "get_pagerank get_clusters graph_layout embedding_map "
        "namespace_stats workspace_retrieve retrieve_relevant_memories search_symbols "
        "search_code preview_context get_dependencies get_impact repo_map find_cycles find_dead_code drift "
        "list_sessions get_session detect_patterns pattern_insights get_decision_chain list_commands context_window",
    ),
    # The source of a symbol is read from its file.
    **_rules("read", "get_symbol_info", guarded="with_source"),
    # They answer about the whole store, or about packages and changes of every project.
    **_rules(
        "read",
        "list_namespaces get_cross_repo consolidation_status stats health model_spending list_changes",
        is_whole=True,
    ),
    # Without a path it reads the folder of the server, whichever project that is.
    **_rules("read", "review_diff", is_whole=True, guarded="path"),
    **_rules(
        "write",
        "store_memory update_memory delete_memory associate_memories workspace_init workspace_create "
        "store_coding_memory settle_drift memory_usefulness consolidate_decay consolidate_creative "
        "consolidate_cluster consolidate_forget archive_memory restore_memory consolidate",
    ),
    # Without a hook event the briefing is only read.
    **_rules("read", "session_context", guarded="payload event assistant"),
    **_rules("write", "summarize_session", guarded="payload event assistant"),
    **_rules("write", "recompute_centrality evolve_memory_network", is_whole=True),
    # A record of an import may have the id of another project's memory.
    **_rules("write", "import_memories", is_whole=True, guarded="path"),
    # Destructive, but inside one project.
    **_rules(
        "admin",
        "delete_namespace set_scoring_weights context_window_set context_window_demote context_window_clean "
        "context_window_complete",
    ),
    # They name files or folders of this machine, carry hook events, answer with rows of other projects (export: the
    # far ends of links; purge: memories with the same words), or change the whole store.
    **_rules(
        "admin",
        "index_codebase import_history distil export_memories purge_memories context_window_start "
        "context_window_look_up context_window_promote ingest submit_prompt rebuild undo create_token list_tokens "
        "revoke_token list_token_calls share_memories trust_repository untrust_repository",
        is_whole=True,
    ),
}
UNKNOWN = Rule("admin", is_whole=True)

# Parameters that name a project, in the order in which a missing one is filled in.
PROJECTS = ("project", "workspace_id", "project_path", "project_filter", "identifier")
# Operations that search all projects of a grant where none is named.
SEARCHES = frozenset({"recall_memory", "pack_context", "list_memories"})
# Operations whose project is where a row moves to: it is not filled in.
MOVES = frozenset({"update_memory"})
# Parameters that let the language model work: its budget is not for readers.
SPENDING = frozenset({"judge"})
# Parameters that widen an operation to all projects; `status` counts the runs of all.
EVERYWHERE = ("all_projects", "global", "status")
# Parameters that name rows. An id of code is a node.
ROWS: Mapping[str, RowKind] = {
    "memory_id": "memory",
    "memory_ids": "memory",
    "supersedes": "memory",
    "session_id": "session",
    "source_id": "node",
    "target_id": "node",
    "start_id": "node",
}


def arguments_for(grant: Grant, operation: Operation, arguments: Mapping[str, Any], find: FindRow) -> dict[str, Any]:
    """Return the arguments that a caller with this grant may call an operation with. Raises Forbidden.

    For a limited grant a missing project is filled in: the only one, or that of the person. Ids become full ids.
    """
    rule = RULES.get(operation.name, UNKNOWN)
    if SCOPES.index(grant.scope) < SCOPES.index(rule.level):
        hint = f"Create one with `recollect admin create-token NAME --scope {rule.level}`."
        raise _refused(f"{operation.name} needs a token with scope {rule.level}", operation, hint)
    if grant.projects and rule.is_whole:
        hint = "It needs a token for all projects."
        raise _refused(f"{operation.name} is not limited to projects of this token", operation, hint)
    if grant.scope == "admin" and not grant.projects:
        return dict(arguments)
    given = {public(name): value for name, value in operation.accept(arguments).items()}
    defaults = {row.name: row.default for row in operation.parameters}
    for name in sorted(rule.guarded & given.keys()):
        if given[name] != defaults[name]:
            raise _refused(f"{name} needs a token with scope admin for all projects", operation, f"Omit {name}.")
    for name in sorted(SPENDING & given.keys()) if grant.scope == "read" else ():
        if given[name]:
            message = f"{name} needs a token with scope write: it uses the budget of the language model"
            raise _refused(message, operation, f"Omit {name}.")
    return _confined(grant, operation, given, find) if grant.projects else given


def _confined(grant: Grant, operation: Operation, given: dict[str, Any], find: FindRow) -> dict[str, Any]:
    """Return arguments that reach rows of the grant's projects only."""
    for name in EVERYWHERE:
        if given.get(name):
            raise _refused(f"{name} is not allowed: this token is limited to projects", operation, f"Omit {name}.")
    given |= _named_projects(grant, operation, given)
    rows = {name: kind for name, kind in ROWS.items() if given.get(name) not in (None, ())}
    if not rows and operation.name not in SEARCHES and not any(name in given for name in PROJECTS):
        raise _refused(f"{operation.name} needs the id of an item in a project of this token", operation)
    for name, kind in rows.items():
        one = isinstance(given[name], str)
        ids = tuple(_own(grant, operation, kind, value, find) for value in ((given[name],) if one else given[name]))
        given[name] = ids[0] if one else ids
    return given


def _named_projects(grant: Grant, operation: Operation, given: Mapping[str, Any]) -> dict[str, str]:
    """Return the projects that arguments name; where they name none, the only or private one of the grant."""
    known = {row.name for row in operation.parameters}
    accepted = [name for name in PROJECTS if name in known]
    named = {name: str(given[name]).strip() for name in accepted if given.get(name) is not None}
    own = f"Projects of this token: {', '.join(grant.projects)}."
    for name, value in named.items():
        if value not in grant.projects:
            raise _refused(f'{name} "{value}" is not a project of this token', operation, own)
    if named or not accepted or operation.name in MOVES:
        return named
    if len(grant.projects) > 1 and operation.name in SEARCHES:
        return {}
    private = [name for name in grant.projects if name.startswith(PRIVATE)]
    if len(grant.projects) > 1 and not private:
        raise _refused(f"{operation.name} needs {accepted[0]}: this token is limited to projects", operation, own)
    return {accepted[0]: (private or grant.projects)[0]}


def _own(grant: Grant, operation: Operation, kind: RowKind, given: str, find: FindRow) -> str:
    """Return the full id of a row that the grant covers; a memory for all projects may be read."""
    found = find(kind, given, grant.projects)
    covered = found is not None and (
        found.namespace in grant.projects or (found.namespace is None and operation.read_only and kind != "session")
    )
    if found is None or not covered:
        raise _refused(f"no {kind} of this token's projects has the id {given}", operation)
    return found.id


def _refused(message: str, operation: Operation, hint: str = "") -> Forbidden:
    return Forbidden(message, hint=hint, operation=operation.name)


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

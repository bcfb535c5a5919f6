"""Namespaces and workspaces: list projects, show their statistics, name and delete them."""

from collections import Counter
from datetime import UTC, datetime

from recollect import clock
from recollect.engine.context import Context, is_confined
from recollect.engine.memory.library_state import Documents
from recollect.engine.records import input_checks
from recollect.engine.records.identity import namespace_of
from recollect.engine.records.record_redaction import without_secrets
from recollect.errors import InvalidWorkspace, WorkspaceExists, WorkspaceNotFound
from recollect.model import (
    Deleted,
    Edge,
    File,
    Fix,
    Memory,
    NamespaceCount,
    NamespaceList,
    NamespaceStats,
    Node,
    Observed,
    Session,
    Tree,
    Workspace,
    WorkspaceAnswer,
    WorkspaceView,
)
from recollect.operations import operation


class Namespaces:
    """Projects that memories belong to."""

    def __init__(self, context: Context) -> None:
        self._context = context

    @operation("list_namespaces", "namespaces", read_only=True)
    def list(self) -> NamespaceList:
        """List projects (namespaces) with memories and indexed files."""
        store = self._context.store
        memories, per_tree = store.tally(Memory, "namespace"), store.tally(File, "tree", {"skipped": ""})
        files: Counter[str | None] = Counter()
        for tree in store.find(Tree):
            files[tree.namespace] += per_tree.get(tree.id, 0)
        # Trees have no rights of their own: who may see some projects only sees those with memories or a name.
        indexed = () if is_confined.get() else files
        names = dict.fromkeys([*memories, *store.tally(Workspace, "id"), *indexed])
        rows = (NamespaceCount(namespace=name, memories=memories.get(name, 0), files=files[name]) for name in names)
        return NamespaceList(namespaces=tuple(rows))

    @operation("namespace_stats", "namespace-stats", read_only=True)
    def stats(self, namespace: str) -> NamespaceStats:
        """Show stats of one project (namespace).

        namespace: project path or name; '-': memories without a project
        """
        scope = _named(namespace)
        store, where = self._context.store, {"namespace": scope}
        newest = store.find(Memory, where, order="-created_at", limit=1)
        oldest = store.find(Memory, where, order="created_at", limit=1)
        nodes = store.find(Node, where)
        ids = tuple(node.id for node in nodes)
        return NamespaceStats(
            namespace=scope,
            memories=store.count(Memory, where),
            nodes=len(nodes),
            edges=sum(store.count(Edge, {"src": ids[i : i + 500]}) for i in range(0, len(ids), 500)),
            sessions=store.count(Session, where),
            by_type=store.tally(Memory, "memory_type", where),
            oldest_at=oldest[0].created_at if oldest else None,
            newest_at=newest[0].created_at if newest else None,
        )

    @operation("delete_namespace", "delete-namespace", destructive=True)
    def delete(self, namespace: str) -> Deleted:
        """Delete everything in a project (namespace).

        It deletes memories, graph nodes, sessions, the workspace and the code index. `undo` with the batch in the
        answer brings them back, except hook events and the code index; `index` rebuilds that.

        namespace: project path or name; '-': memories without a project
        """
        from recollect.engine.sessions.injection_outcomes import learn

        scope = _named(namespace)
        store = self._context.store
        with store.transaction("delete_namespace") as transaction:
            deleted = transaction.delete(Memory, {"namespace": scope})
            for kind in (Node, Session, Observed, Fix):
                transaction.delete(kind, {"namespace": scope})
            if scope is not None:
                transaction.delete(Workspace, {"id": scope})
        learn(store, scope)  # without memories: this drops the weights of the project
        store.drop_trees([tree.id for tree in store.find(Tree, {"namespace": scope})])
        if scope is not None:
            Documents(store, scope).forget()
        return Deleted(deleted=deleted, batch=transaction.batch)


def _named(namespace: str) -> str | None:
    return None if input_checks.text("namespace", namespace).strip() == "-" else namespace_of(namespace)


class Workspaces:
    """Named projects. The id of a workspace is its namespace."""

    def __init__(self, context: Context) -> None:
        self._context = context

    @operation("workspace_init", "workspace-init", idempotent=True, positional=("identifier",), listed=())
    def init(self, identifier: str | None = None, *, name: str | None = None) -> WorkspaceAnswer:
        """Init a workspace: open it, or create it if it is missing.

        identifier: path or name; default: the current project
        name: display name of a new workspace
        """
        key = _key(identifier if identifier is not None else ".")
        with self._context.store.transaction("workspace_init") as transaction:
            known = transaction.get(Workspace, [key])
            if known:
                return self._answer(known[0], created=False)
            return self._answer(transaction.insert(_new(key, name, None)), created=True)

    @operation("workspace_create", "workspace-create", listed=())
    def create(self, identifier: str, *, name: str | None = None, description: str | None = None) -> WorkspaceAnswer:
        """Create a workspace. It fails if the workspace exists.

        identifier: path or name
        name: display name
        description: what it is about
        """
        key = _key(identifier)
        workspace = _new(key, name, description)
        with self._context.store.transaction("workspace_create") as transaction:
            if transaction.get(Workspace, [key]):
                raise WorkspaceExists(f"workspace {key} already exists", workspace_id=key)
            return self._answer(transaction.insert(workspace), created=True)

    @operation("workspace_retrieve", "workspace-retrieve", read_only=True)
    def retrieve(self, identifier: str) -> WorkspaceAnswer:
        """Retrieve a workspace. It fails if the workspace does not exist.

        identifier: path or name
        """
        key = _key(identifier)
        known = self._context.store.get(Workspace, [key])
        if not known:
            raise WorkspaceNotFound(f"workspace {key} does not exist", workspace_id=key)
        return self._answer(known[0], created=False)

    def _answer(self, workspace: Workspace, *, created: bool) -> WorkspaceAnswer:
        view = WorkspaceView(
            id=workspace.id,
            name=workspace.name,
            description=workspace.description,
            created_at=_iso(workspace.created_at),
            updated_at=_iso(workspace.updated_at),
            memory_count=self._context.store.count(Memory, {"namespace": workspace.id}),
        )
        return WorkspaceAnswer(workspace=view, created=created)


def _key(identifier: str) -> str:
    key = namespace_of(identifier) if isinstance(identifier, str) else None
    if key is None:
        raise InvalidWorkspace("the workspace identifier is empty", identifier=identifier)
    return key


def _new(key: str, name: str | None, description: str | None) -> Workspace:
    now = clock.now()
    shown = input_checks.label("name", name) or key.rstrip("/").rsplit("/", 1)[-1] or key
    about = input_checks.text("description", description) if description else ""
    workspace = Workspace(id=key, name=shown, description=about, created_at=now, updated_at=now)
    return without_secrets(workspace)[0]


def _iso(timestamp: int) -> str:
    return datetime.fromtimestamp(timestamp, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

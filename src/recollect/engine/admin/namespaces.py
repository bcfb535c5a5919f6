"""Namespaces: list projects, show their statistics, delete one."""

from typing import TYPE_CHECKING

from recollect.engine.memory.library_documents import Documents
from recollect.engine.records import input_checks
from recollect.engine.records.identity import namespace_of
from recollect.model import (
    Deleted,
    Edge,
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
)
from recollect.operations import operation

if TYPE_CHECKING:
    from recollect.engine.context import Context


class Namespaces:
    """Projects that memories belong to."""

    def __init__(self, context: "Context") -> None:
        self._context = context

    @operation("list_namespaces", "namespaces", read_only=True)
    def list(self) -> NamespaceList:
        """List projects (namespaces) with their number of memories."""
        tally = self._context.store.tally(Memory, "namespace")
        known = self._context.store.tally(Workspace, "id")
        counts = {**tally, **{name: 0 for name in known if name not in tally}}
        return NamespaceList(
            namespaces=tuple(NamespaceCount(namespace=name, memories=count) for name, count in counts.items())
        )

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
        store, code_store = self._context.store, self._context.code_store
        with store.transaction("delete_namespace") as transaction:
            deleted = transaction.delete(Memory, {"namespace": scope})
            for kind in (Node, Session, Observed, Fix):
                transaction.delete(kind, {"namespace": scope})
            if scope is not None:
                transaction.delete(Workspace, {"id": scope})
        learn(store, scope)  # without memories: this drops the weights of the project
        code_store.drop_trees([tree.id for tree in code_store.find(Tree, {"namespace": scope})])
        if scope is not None:
            Documents(store, scope).forget()
        return Deleted(deleted=deleted, batch=transaction.batch)


def _named(namespace: str) -> str | None:
    return None if input_checks.text("namespace", namespace).strip() == "-" else namespace_of(namespace)

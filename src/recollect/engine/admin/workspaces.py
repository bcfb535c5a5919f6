"""Workspaces: the display name and description of a namespace."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from recollect import clock
from recollect.engine.records import input_checks
from recollect.engine.records.identity import namespace_of
from recollect.engine.records.record_redaction import without_secrets
from recollect.errors import InvalidWorkspace, WorkspaceExists, WorkspaceNotFound
from recollect.model import Memory, Workspace, WorkspaceAnswer, WorkspaceView
from recollect.operations import operation

if TYPE_CHECKING:
    from recollect.engine.context import Context


class Workspaces:
    """Named projects. The id of a workspace is its namespace."""

    def __init__(self, context: "Context") -> None:
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

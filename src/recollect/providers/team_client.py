"""Team server: another recollect over HTTP, asked for memories and given new ones.

Its answers are those of a stranger: their size is limited, they must have the form of our records, and what they say
is shown as data. The address comes from settings that a project file cannot set.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import msgspec

from recollect.errors import ConfigError, ProviderError
from recollect.model import Deleted, MemoryView, Recall, Stored
from recollect.providers.http_exchange import Exchange, Patience

if TYPE_CHECKING:
    from recollect.settings import Settings

# Fifty memories of the usual length are 100 KB.
MAX_ANSWER_BYTES = 8 * 2**20
TIMEOUT_S = 5.0
MISSING = 404


class TeamClient:
    """Calls operations of the team server. Every call raises ProviderError if there is no proper answer."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    @cached_property
    def projects(self) -> Mapping[str, str]:
        """The projects that live on the server: the local namespace and the name there. Empty: there is no server."""
        if not self._settings.team_url:
            return {}
        pairs = (entry.partition("=") for entry in self._settings.team_projects)
        return {_local(local.strip()): remote.strip() or local.strip().rpartition("/")[2] for local, _, remote in pairs}

    def recall(self, arguments: Mapping[str, Any]) -> Recall:
        """Return the answer of a search."""
        return self._exchange.post("/recall_memory", arguments, Recall)

    def get(self, memory_id: str) -> MemoryView | None:
        """Return a memory, with the local name of its project; None if there is none."""
        try:
            found = self._exchange.post("/get_memory", {"memory_id": memory_id}, MemoryView)
            local = {remote: name for name, remote in self.projects.items()}
            return msgspec.structs.replace(found, namespace=local.get(found.namespace or "", found.namespace))
        except ProviderError as problem:
            _pass_if_missing(problem)
            return None

    def store(self, arguments: Mapping[str, Any]) -> str:
        """Return the id of a stored memory."""
        try:
            return self._exchange.post("/store_memory", arguments, Stored).memory.id
        except ProviderError as problem:
            # The memory that it should supersede may be gone (403 for a limited token), or be the same one.
            if "supersedes" not in arguments or problem.details.get("status") not in (400, 403, MISSING):
                raise
        rest = {name: value for name, value in arguments.items() if name != "supersedes"}
        return self._exchange.post("/store_memory", rest, Stored).memory.id

    def delete(self, memory_id: str) -> None:
        """Delete a memory, unless it is deleted already."""
        try:
            self._exchange.post("/delete_memory", {"memory_id": memory_id}, Deleted)
        except ProviderError as problem:
            _pass_if_missing(problem)

    @cached_property
    def _exchange(self) -> Exchange:
        if not self._settings.team_token:
            hint = "An administrator of the server makes one: recollect admin create-token NAME --scope write."
            raise ConfigError("team_url needs team_token", hint=hint, setting="team_token")
        return Exchange(
            "the team server",
            f"{self._settings.team_url.rstrip('/')}/api/v1",
            headers={"Authorization": f"Bearer {self._settings.team_token}"},
            secret=self._settings.team_token,
            patience=Patience(timeout_s=TIMEOUT_S, retries=0),
            max_bytes=MAX_ANSWER_BYTES,
        )


def _local(project: str) -> str:
    """Return the namespace of a project: the real path of a folder, or a name."""
    return os.path.realpath(os.path.expanduser(project)) if project.startswith(("/", "~")) else project  # noqa: PTH111


def _pass_if_missing(problem: ProviderError) -> None:
    """Return if the server has no such memory; else raise."""
    if problem.details.get("status") != MISSING:
        raise problem

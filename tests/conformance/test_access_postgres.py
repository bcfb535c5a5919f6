"""A caller who is limited to a project reaches nothing of another one on PostgreSQL, not even by a mistake of ours."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.conformance import test_access
from tests.conformance.test_access import APP, WORD, answer, theirs
from tests.conformance.test_access import prepared as prepared  # fixtures
from tests.conformance.test_access import quiet as quiet
from tests.conformance.test_access import shared as shared
from tests.conformance.test_operations import CASES
from tests.postgres_server import empty_schema

from recollect import Engine
from recollect.engine.admin import access_rules as access_calls
from recollect.engine.admin.access_tokens import LOCAL
from recollect.store.sqlite import Sqlite
from recollect.store.store_copy import copy_store

# Questions about all projects, which a limited token may not ask.
WIDE: tuple[tuple[str, dict[str, Any]], ...] = (
    ("list_memories", {"all_projects": True}),
    ("list_memories", {"project": f"{WORD}-project"}),
    ("recall_memory", {"query": f"parser written by hand {WORD}", "all_projects": True}),
    ("get_memory", {"memory_id": f"{WORD}-1"}),
    ("list_namespaces", {}),
    ("list_sessions", {"all_projects": True}),
    ("get_session", {"session_id": f"s-{WORD}"}),
    ("namespace_stats", {"namespace": f"{WORD}-project"}),
    ("export_memories", {}),
)


@pytest.fixture(scope="module")
def team(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """An engine on a PostgreSQL server that has the memories of two projects."""
    from recollect.store.postgres import Postgres

    home = tmp_path_factory.mktemp("team")
    with empty_schema() as url:
        with closing(Sqlite(shared / "recollect.db")) as old, closing(Postgres(url, home)) as new:
            copy_store(old, new)
        with Engine(home=str(home), embed_provider="off", database_url=url) as engine:
            engine.scope.enter(str(home))
            yield engine


@pytest.mark.promise("B12")
@pytest.mark.usefixtures("quiet")
def test_a_limited_token_reaches_nothing_of_another_project_on_postgresql(team: Engine) -> None:
    before, worked = theirs(team), set()
    for case in CASES:
        code, shown = answer(team, APP, case.operation, case.arguments)
        assert WORD not in shown.lower(), case
        assert code != "STORE_UNWRITABLE", (case, shown)
        worked |= set() if code else {case.operation}
    assert theirs(team) == before
    assert len(worked) >= 40


@pytest.mark.usefixtures("quiet")
def test_no_argument_opens_another_project_on_postgresql(
    team: Engine, shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Kept:
        """The engine of this module: it stays open."""

        __enter__ = staticmethod(lambda: team)
        __exit__ = staticmethod(lambda *_: None)

    monkeypatch.setattr(test_access, "opened", lambda *_: Kept())
    test_access.test_no_argument_opens_another_project(shared, tmp_path)


@pytest.mark.promise("B12")
@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize(("name", "arguments"), WIDE, ids=[f"{name}-{n}" for n, (name, _) in enumerate(WIDE)])
def test_the_database_shows_nothing_even_if_no_argument_is_checked(
    team: Engine, monkeypatch: pytest.MonkeyPatch, name: str, arguments: dict[str, Any]
) -> None:
    monkeypatch.setattr(access_calls, "arguments_for", lambda grant, operation, given, find: dict(given))
    monkeypatch.setattr(access_calls, "namespace_of", lambda project: project)
    assert WORD in answer(team, LOCAL, name, arguments)[1].lower(), "the question would show the other project"
    asked = {key: value for key, value in arguments.items() if WORD in str(value)}
    code, shown = answer(team, APP, name, arguments)
    found = shown.lower()
    for value in asked.values():
        found = found.replace(str(value).lower(), "")  # an error may repeat what was asked
    assert WORD not in found, (code, shown)


def test_a_transaction_that_fails_does_not_change_who_the_next_caller_is(team: Engine) -> None:
    from recollect.model import Memory
    from recollect.store.confinement import confined_to

    everything = team.store.count(Memory)
    with confined_to(("app",)):
        own = team.store.count(Memory)
        with pytest.raises(RuntimeError), team.store.transaction("test") as transaction:
            transaction.find(Memory)
            raise RuntimeError
        assert team.store.count(Memory) == own
    assert 0 < own < everything == team.store.count(Memory)

"""Direct SQL under the role of a team reads the projects of that team, and nothing of any other."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import psycopg
import pytest
from tests.postgres_server import empty_schema, run_sql, schema_of

from recollect import Engine
from recollect.model import Anchor, Edge, Memory, Node, Session, Workspace
from recollect.store.confinement import confined_to
from recollect.store.postgres import Postgres
from recollect.store.sql import Store
from recollect.store.store_values import Vectors

TEAMS = ("red", "blue")
READABLE = {
    "role_projects", "memories", "graph_nodes", "graph_edges", "sessions", "workspaces", "memory_embeddings", "anchors",
}  # fmt: skip


class Roles(NamedTuple):
    url: str
    names: dict[str, str]
    member: str

    def ask(self, role: str, sql: str) -> list[tuple[Any, ...]]:
        base = self.url.rpartition("?")[0].replace("postgres@", f"{role}@")
        with psycopg.connect(base, autocommit=True) as connection:
            connection.execute(f"SET search_path = {schema_of(self.url)}, public".encode())
            return connection.execute(sql.encode()).fetchall()


@pytest.fixture(scope="module")
def roles() -> Iterator[Roles]:
    """A store of two teams, a role for each, and a person who is a member of the first."""
    names = {team: f"{team}_{uuid.uuid4().hex}" for team in TEAMS}
    member = f"ada_{uuid.uuid4().hex}"
    with empty_schema() as url:
        with closing(Store(Postgres(url, Path()))) as store:
            for team in TEAMS:
                fill(store, team)
        schema = schema_of(url)
        for team, name in names.items():
            run_sql(url, f"CREATE ROLE {name} LOGIN")
            run_sql(url, f"SELECT {schema}.grant_project('{name}', '/{team}')")
        run_sql(url, f"CREATE ROLE {member} LOGIN IN ROLE {names['red']}")
        yield Roles(url, names, member)
        for name in (member, *names.values()):
            run_sql(url, f"DROP OWNED BY {name}")
            run_sql(url, f"DROP ROLE {name}")


def fill(store: Store, team: str) -> None:
    place = f"/{team}"
    with store.transaction("test") as transaction:
        memory = transaction.insert(Memory(id=team, content=f"secret of {team}", namespace=place))
        transaction.insert(Memory(id=f"{team}-nowhere", content="without a project"))
        for end in ("a", "b"):
            transaction.insert(Node(id=f"{team}-{end}", kind="Concept", namespace=place))
        transaction.insert(Edge(id=team, src=f"{team}-a", dst=f"{team}-b", relationship="RELATES_TO"))
        transaction.insert(Session(id=team, namespace=place, started_at=1))
        transaction.insert(Workspace(id=place))
        transaction.insert(Anchor(id=team, memory_id=team, path="a.py"))
    store.put_vectors("m", [Vectors(team, memory.rev, np.ones((1, 4), np.float32))])


@pytest.mark.promise("B12")
@pytest.mark.parametrize("who", ["red", "blue", "member"])
def test_a_role_sees_the_rows_of_its_projects_and_no_others(roles: Roles, who: str) -> None:
    role = roles.member if who == "member" else roles.names[who]
    mine, theirs = ("blue", "red") if who == "blue" else ("red", "blue")
    sql = "SELECT tablename FROM pg_tables WHERE schemaname = current_schema"
    tables = {name for (name,) in roles.ask(role, sql)}
    assert len(tables) > 40
    seen = set()
    for table in sorted(tables):
        try:
            rows = roles.ask(role, f"SELECT t::text FROM {table} t")
        except psycopg.errors.InsufficientPrivilege:
            continue
        seen.add(table)
        assert rows, table
        assert all(mine in row[0] and theirs not in row[0] for row in rows), table
        assert roles.ask(role, f"SELECT count(*) FROM {table}") == [(len(rows),)]
    assert seen == READABLE


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE memories SET content = 'x'",
        "DELETE FROM memories",
        "INSERT INTO role_projects SELECT current_user, '/blue'",
        "SELECT grant_project(current_user, '/blue')",
        "TRUNCATE memories",
        "ALTER TABLE memories DISABLE ROW LEVEL SECURITY",
    ],
)
def test_a_role_changes_nothing(roles: Roles, sql: str) -> None:
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        roles.ask(roles.names["red"], sql)


def test_a_revoked_project_is_not_seen_any_more(roles: Roles) -> None:
    role = roles.names["blue"]
    run_sql(roles.url, f"SELECT {schema_of(roles.url)}.revoke_project('{role}', '/blue')")
    assert roles.ask(role, "SELECT id FROM memories") == []
    run_sql(roles.url, f"SELECT {schema_of(roles.url)}.grant_project('{role}', '/blue')")
    assert roles.ask(role, "SELECT id FROM memories") == [("blue",)]


def test_an_owner_without_further_rights_stores_and_serves_limited_callers(tmp_path: Path) -> None:
    owner, schema = f"o{uuid.uuid4().hex}", f"s{uuid.uuid4().hex}"
    with empty_schema() as url, closing(Store(Postgres(url, Path()))) as store:
        store.describe()  # creates the extension, which an administrator does otherwise
        run_sql(url, f"CREATE ROLE {owner} LOGIN")
        run_sql(url, f"CREATE SCHEMA {schema} AUTHORIZATION {owner}")
        theirs = url.rpartition("?")[0].replace("postgres@", f"{owner}@") + f"?schema={schema}"
        try:
            for is_member in (False, True):
                if is_member:
                    run_sql(url, f"GRANT recollect_confined TO {owner}")
                with closing(Store(Postgres(theirs, Path()))) as limited, confined_to(("/red",)):
                    for team in TEAMS if not is_member else ():
                        with limited.transaction("test") as transaction:
                            transaction.insert(Memory(id=team, content=f"secret of {team}", namespace=f"/{team}"))
                    assert {row.id for row in limited.find(Memory)} == ({"red"} if is_member else set(TEAMS))
                    assert limited.describe().enforces_rights is is_member
                with Engine(home=str(tmp_path), database_url=theirs) as engine:
                    storage = next(check for check in engine.admin.health().checks if check.name == "storage")
                    assert ("recollect_confined" in storage.mend) is not is_member
        finally:
            run_sql(url, f"DROP SCHEMA {schema} CASCADE")
            run_sql(url, f"DROP OWNED BY {owner}")
            run_sql(url, f"DROP ROLE {owner}")

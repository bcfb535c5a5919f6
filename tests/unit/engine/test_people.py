"""People of a team server: what is private, what a team shares, and what is for all."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from recollect import Engine
from recollect.capabilities import OPERATIONS
from recollect.engine.admin.access_rules import call_as
from recollect.errors import Forbidden, InvalidInput


class Team(NamedTuple):
    """Callers of one server, by name."""

    engine: Engine
    secrets: dict[str, str]

    def call(self, who: str, name: str, **given: Any) -> Any:
        return call_as(self.engine.access_tokens.check(self.secrets[who]), self.engine, OPERATIONS[name], given)

    def store(self, who: str, content: str, **given: Any) -> str | None:
        namespace: str | None = self.call(who, "store_memory", content=content, **given).memory.namespace
        return namespace

    def seen(self, who: str, **given: Any) -> set[str]:
        listed = {row.content for row in self.call(who, "list_memories", **given).memories}
        found = self.call(who, "recall_memory", query="how do we deploy", min_score=0.0, **given)
        assert {hit.memory.content for hit in found.hits} <= listed
        return listed


@pytest.fixture
def team(engine: Engine) -> Team:
    engine.scope.enter("")
    create = engine.access_tokens.create
    people = {
        "ada": create("ada-laptop", scope="write", person="ada", projects=("team:payments", "shop")),
        "ben": create("ben", scope="write", person="ben", projects=("team:payments",)),
        "eve": create("eve", scope="read", person="eve", projects=("shop",)),
        "root": create("root", scope="admin"),
    }
    return Team(engine, {name: made.secret for name, made in people.items()})


def test_a_memory_without_a_project_is_seen_by_its_author_alone(team: Team) -> None:
    assert team.store("ada", "We deploy on my laptop") == "private:ada"
    assert team.store("ben", "We deploy by hand") == "private:ben"
    assert team.seen("ada") == {"We deploy on my laptop"}
    assert team.seen("ben") == {"We deploy by hand"}
    assert team.seen("eve") == set()


def test_a_team_sees_its_memories_and_all_see_those_for_all(team: Team) -> None:
    assert team.store("ada", "We deploy with ansible", project="team:payments") == "team:payments"
    assert team.store("root", "We deploy on Mondays") is None
    assert team.seen("ben") == {"We deploy with ansible", "We deploy on Mondays"}
    assert team.seen("eve") == {"We deploy on Mondays"}


def test_nobody_names_the_private_namespace_of_another(team: Team) -> None:
    team.store("ada", "We deploy on my laptop")
    for name, given in (
        ("list_memories", {"project": "private:ada"}),
        ("store_memory", {"content": "x", "project": "private:ada"}),
        ("recall_memory", {"query": "deploy", "all_projects": True}),
    ):
        with pytest.raises(Forbidden):
            team.call("ben", name, **given)
    with pytest.raises(Forbidden):
        team.store("eve", "a reader stores nothing")
    with pytest.raises(InvalidInput):
        team.engine.access_tokens.create("mallory", projects=("private:ada",))
    with pytest.raises(InvalidInput):
        team.engine.access_tokens.create("mallory", person=" ")


@pytest.mark.parametrize("person", ["ada|lovelace", "auth0|5f7c8ec7c33c6c004bbafe82", "5f7c8ec7c33c6c004bbafe82"])
def test_a_name_that_cannot_be_a_namespace_still_has_one(team: Team, person: str) -> None:
    made = team.engine.access_tokens.create("odd", scope="write", person=person)
    assert made.token.projects[0].startswith("private:")
    team.secrets["odd"] = made.secret
    assert team.store("odd", "We deploy with a difference engine") == made.token.projects[0]

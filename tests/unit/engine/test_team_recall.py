"""Two ranked answers become one: by score, each in its own order, and nothing twice."""

from __future__ import annotations

from recollect.engine.records.memory_rows import content_hash
from recollect.engine.retrieval.team_recall import TEAM, checked, merge
from recollect.model import Hit, Memory, Signals


def hit(name: str, score: float, *, origin: str = "", observed: bool = False, content: str = "") -> Hit:
    text = content or f"what {name} says"
    memory = Memory(id=name, content=text, content_hash=content_hash(text), observed=observed)
    return Hit(memory=memory, score=score, reason="", signals=Signals(), origin=origin)


def names(*hits: Hit) -> str:
    return "".join(each.memory.id for each in hits)


def test_the_better_head_is_next_and_a_local_one_wins_a_tie() -> None:
    local = [hit("a", 0.9), hit("b", 0.5), hit("c", 0.6)]
    team = [hit("x", 0.9, origin=TEAM), hit("y", 0.55, origin=TEAM)]
    assert names(*merge(local, team, {})) == "axybc", "c comes after b, as its own server said"


def test_the_same_content_is_there_once_and_the_server_decides_about_copies() -> None:
    local = [hit("a", 0.9, content="same"), hit("b", 0.8)]
    team = [hit("x", 0.95, origin=TEAM, content="same"), hit("y", 0.1, origin=TEAM)]
    assert names(*merge(local, team, {})) == "aby"
    assert names(*merge(local, team, {"b": "remote"})) == "ay"
    assert names(*merge(local, team, {"a": "x", "b": "remote"})) == "xy"


def test_evidence_gives_way_to_knowledge_of_the_team() -> None:
    local = [hit("a", 0.9, observed=True)]
    assert names(*merge(local, [hit("x", 0.2, origin=TEAM)], {})) == "x"
    assert names(*merge(local, [], {})) == "a"


def test_a_hit_of_the_server_claims_nothing() -> None:
    foreign = hit("x", 7.0)
    claimed = Memory(id="x", content="y" * 200_000, namespace="/etc", metadata={"shared": 1}, content_hash="f00")
    made = checked(Hit(memory=claimed, score=foreign.score, reason="", signals=Signals()), "/home/me/shop")
    assert (made.score, made.origin, made.memory.namespace) == (1.0, TEAM, "/home/me/shop")
    assert made.memory.metadata == {}
    assert len(made.memory.content) == 100_000
    assert made.memory.content_hash == content_hash(made.memory.content)

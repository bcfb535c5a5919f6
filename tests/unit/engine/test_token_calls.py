"""Calls with access tokens are recorded with who and what, and a token stores no more than it may."""

from __future__ import annotations

import contextlib

import pytest
from tests.fakes import FrozenClock

from recollect import Engine
from recollect.capabilities import OPERATIONS
from recollect.engine.admin import token_calls
from recollect.engine.admin.access_rules import call_as
from recollect.engine.admin.access_tokens import LOCAL, Grant
from recollect.errors import Forbidden, QuotaExceeded, RecollectError
from recollect.model import TokenCall
from recollect.operations import Operation
from recollect.surface.http.rest import status_of

ADA = Grant("t1", "ada", "write", ("shop",))
ADMIN = Grant("t0", "root", "admin", ())
BOB = Grant("oidc:bob", "bob", "read", ())


def store(engine: Engine, text: str, grant: Grant = ADA) -> None:
    call_as(grant, engine, OPERATIONS["store_memory"], {"content": text, "project": "shop"})


def test_reads_writes_and_refusals_are_recorded_with_the_person_and_the_memories(engine: Engine) -> None:
    store(engine, "Deploy at noon")
    (memory,) = engine.memories.list().memories
    call_as(BOB, engine, OPERATIONS["recall_memory"], {"query": "deploy", "project": "shop"})
    with pytest.raises(Forbidden):
        call_as(BOB, engine, OPERATIONS["delete_memory"], {"memory_id": memory.id})
    call_as(LOCAL, engine, OPERATIONS["list_memories"], {})
    page = engine.token_calls.audit()
    seen = {(row.name, row.operation, row.project, row.outcome, row.memory_ids, row.created) for row in page.calls}
    assert seen == {
        ("ada", "store_memory", "shop", "ok", (memory.id,), 1),
        ("bob", "recall_memory", "shop", "ok", (memory.id,), 0),
        ("bob", "delete_memory", "", "FORBIDDEN", (), 0),
    }
    assert page.total == 3, "a caller without a token is the person at this machine"
    assert [row.name for row in engine.token_calls.audit(name="ada").calls] == ["ada"]
    assert engine.token_calls.audit(since="2999-01-01").total == 0


@pytest.mark.parametrize("row", [row for row in OPERATIONS.values() if row.read_only], ids=lambda row: row.name)
def test_the_call_of_any_operation_can_be_recorded(engine: Engine, row: Operation) -> None:
    store(engine, "Deploy at noon")
    given = {each.name: next(iter(each.choices), "shop") for each in row.parameters if each.required}
    with contextlib.suppress(RecollectError):
        call_as(ADMIN, engine, row, given)
    assert engine.token_calls.audit(name="root").total == 1


def test_a_read_is_not_a_write_at_once(engine: Engine) -> None:
    store(engine, "Deploy at noon")
    for _ in range(10):
        call_as(BOB, engine, OPERATIONS["list_memories"], {})
    assert engine.store.count(TokenCall) < 10
    assert engine.token_calls.audit().total == 11


def test_only_the_latest_calls_are_kept(engine: Engine, monkeypatch: pytest.MonkeyPatch, frozen: FrozenClock) -> None:
    monkeypatch.setattr(token_calls, "MAX_ROWS", 20)
    monkeypatch.setattr(token_calls, "TRIMMED", 10)
    for _ in range(60):
        frozen.advance(1)
        call_as(BOB, engine, OPERATIONS["list_memories"], {})
        engine.token_calls.flush()
    assert 20 <= engine.token_calls.audit().total <= 30
    assert engine.token_calls.audit(limit=1).calls[0].at == frozen.at


def test_a_token_stores_no_more_than_its_quota_per_day(home: object, frozen: FrozenClock) -> None:
    with Engine(quota_memories_per_day=2, embed_provider="off") as engine:
        store(engine, "one")
        store(engine, "one")  # known: nothing is created
        store(engine, "two")
        with pytest.raises(QuotaExceeded) as found:
            store(engine, "three")
        assert status_of(found.value) == 429
        store(engine, "three", Grant("t2", "carl", "write", ("shop",)))
        call_as(ADA, engine, OPERATIONS["list_memories"], {"project": "shop"})
        frozen.advance(86_400)
        store(engine, "four")

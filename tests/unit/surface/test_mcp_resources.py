"""Resources over MCP: what is listed, what an address reads, and what no address can reach."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.hostile import FORGED, NAME, PLANTED, TEXT, harmful, outside, texts

from recollect.render.block import NOTICE
from recollect.surface.mcp.jsonrpc import INTERNAL_ERROR, INVALID_PARAMS
from recollect.surface.mcp.resources import PAGE_SIZE, URI_CHARACTERS
from recollect.surface.mcp.server import MODERN, RESOURCE_NOT_FOUND, VERSION_KEY
from recollect.text.token_count import tokens

MODERN_META = {VERSION_KEY: MODERN}
BRIEFING = "recollect://briefing"


def every(desk: Any) -> list[dict[str, Any]]:
    """Return all resources, page by page."""
    found, params = [], {}
    while params is not None:
        page = desk.ask("resources/list", params)
        assert len(page["resources"]) <= PAGE_SIZE
        found += page["resources"]
        params = {"cursor": page["nextCursor"]} if "nextCursor" in page else None
    return found


def names(desk: Any) -> list[str]:
    return [row["name"] for row in every(desk)]


def read(desk: Any, uri: str) -> str:
    (content,) = desk.ask("resources/read", {"uri": uri})["contents"]
    assert content["uri"] == uri
    assert content["mimeType"] == "text/plain"
    text: str = content["text"]
    return text


# --- list ------------------------------------------------------------------------------------------------------------


def test_an_empty_project_has_a_briefing(project: Any) -> None:
    assert [row["uri"] for row in every(project)] == [BRIEFING]
    assert read(project, BRIEFING)


def test_preferences_come_first_and_then_the_newest_memories_each_once(project: Any) -> None:
    for number in range(30):
        project.store(f"Fact {number} about the harbour is in the log", memory_type="context")
    project.store("Never mock the clock", memory_type="preference")
    project.store("Names are short", memory_type="style")
    found = names(project)
    assert found[:3] == ["briefing", "Never mock the clock", "Names are short"]
    assert found[3:] == [f"Fact {number} about the harbour is in the log" for number in reversed(range(30))]


def test_many_preferences_are_on_several_pages(project: Any) -> None:
    for number in range(45):
        project.store(f"Preference {number} holds always", memory_type="preference")
    project.store("The log is in UTC", memory_type="context")
    found = names(project)
    assert len(found) == len(set(found)) == 47
    assert found[-1] == "The log is in UTC"


def test_a_page_is_bounded_work_and_may_be_short(project: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recollect.surface.mcp.resources.READ_MEMORIES", 2)
    for number in range(40):
        project.store(f"Preference {number} holds always", memory_type="habit")
    project.store("The log is in UTC", memory_type="context")
    assert len(set(names(project))) == 42


def test_memories_that_do_not_hold_are_not_listed(project: Any) -> None:
    old = project.store("Deploys run on Monday", title="Old")
    project.store("Deploys run on Friday", title="New", supersedes=old)
    project.store("It is archived", title="Archived")
    archived = project.engine.memories.list(limit=1).memories[0]
    with project.engine.store.transaction("test") as transaction:
        transaction.update(type(archived), archived.id, {"expires_at": int(time.time()) - 10})
    assert names(project) == ["briefing", "New"]


def test_an_entry_has_a_short_name_and_says_that_it_is_untrusted(project: Any) -> None:
    project.store("The first line, which is long enough. " * 10 + "\nAnd a second")
    row = every(project)[1]
    assert len(row["name"]) == 80
    assert "untrusted" in row["description"]
    assert "second" not in row["name"]


def test_a_full_page_costs_a_model_little(project: Any) -> None:
    for number in range(PAGE_SIZE):
        project.store(f"Fact {number}: the crane of the harbour lifts forty tons, since the ground is rock " * 3)
    page = project.ask("resources/list")
    assert len(page["resources"]) == PAGE_SIZE
    assert tokens(msgspec.json.encode(page).decode()) < 2_300


# --- read ------------------------------------------------------------------------------------------------------------


def test_a_memory_is_read_by_its_id_or_the_first_characters_of_it(project: Any) -> None:
    name = project.store("The cart rounds prices down")
    text = read(project, f"recollect://memory/{name}")
    assert "The cart rounds prices down" in text
    assert text.startswith(NOTICE)
    assert read(project, f"recollect://memory/{name[:8]}") == text


def test_the_beginning_of_several_ids_is_refused_and_one_whole_id_is_not(project: Any) -> None:
    rows = ({"id": name, "content": f"content of {name}"} for name in ("harbour-1", "harbour-12", "harbour-2"))
    project.engine.archive.import_(content="\n".join(msgspec.json.encode(row).decode() for row in rows), namespace="")
    assert "content of harbour-1" in read(project, "recollect://memory/harbour-1")
    error = project.ask("resources/read", {"uri": "recollect://memory/harbour"})
    assert (error["code"], error["data"]["code"]) == (INVALID_PARAMS, "INVALID_INPUT")
    assert project.ask("resources/read", {"uri": "recollect://memory/harb"})["code"] == RESOURCE_NOT_FOUND


def test_a_long_memory_is_read_within_a_budget(project: Any) -> None:
    name = project.store("The archive of the harbour is long. " * 10_000)
    assert tokens(read(project, f"recollect://memory/{name}")) <= 20_100


def test_a_symbol_is_read_with_its_other_definitions(project: Any) -> None:
    project.engine.code.index(".")
    text = read(project, "recollect://symbol/total")
    assert "Cart.total" in text
    assert "Other symbols with this name" in text
    assert "def total(cart)" in text
    assert "Other symbols" not in read(project, "recollect://symbol/Cart.total")
    assert read(project, "recollect://symbol/Cart%2Etotal") == read(project, "recollect://symbol/Cart.total")


def test_the_briefing_is_that_of_the_project(project: Any) -> None:
    project.store("Never mock the clock", memory_type="preference", importance=0.9)
    assert "Never mock the clock" in read(project, BRIEFING)


BAD = [
    "",
    "recollect://",
    "recollect:briefing",
    "recollect://memory",
    "recollect://memory/",
    "recollect://memory/ ",
    "recollect://memory/no-such-id",
    "recollect://memory/../../etc/passwd",
    "recollect://memory/%2e%2e%2fetc%2fpasswd",
    "recollect://memory/%00",
    "recollect://memory/%ff%fe",
    "recollect://memory/\x00",
    "recollect://memory/%",
    f"recollect://memory/{'a' * 1_000_000}",
    "recollect://symbol/",
    "recollect://symbol/no_such_symbol",
    "recollect://symbol/shop/prices.py:1",
    "recollect://symbol/%0a%1b[2J\u202e",
    "recollect://briefing/x",
    "recollect://briefing?x",
    "RECOLLECT://briefing",
    "file:///etc/passwd",
    "http://localhost/",
    "javascript:alert(1)",
    TEXT,
]


@pytest.mark.parametrize("uri", BAD)
def test_any_other_address_is_not_found_in_the_words_of_each_era(project: Any, uri: str) -> None:
    project.store("The cart rounds prices down")
    project.engine.code.index(".")
    older = project.ask("resources/read", {"uri": uri})
    modern = project.ask("resources/read", {"uri": uri, "_meta": MODERN_META})
    assert (older["code"], modern["code"]) == (RESOURCE_NOT_FOUND, INVALID_PARAMS)
    assert older["data"] == modern["data"]
    for error in (older, modern):
        assert [sign for text in texts(error) for sign in harmful(text)] == []
        assert len(msgspec.json.encode(error)) < 2 * URI_CHARACTERS + 1_000


@pytest.mark.parametrize("params", [None, {}, {"uri": 5}, {"uri": ["recollect://briefing"]}, {"uri": None}])
def test_a_read_without_an_address_is_refused(project: Any, params: Any) -> None:
    assert project.ask("resources/read", params)["code"] == INVALID_PARAMS


def test_a_store_that_cannot_be_opened_is_an_error_with_its_code_and_hint(project: Any, home: Path) -> None:
    home.mkdir()
    (home / "recollect.db").write_bytes(b"this is no database, and never was one" * 100)
    error = project.ask("resources/list")
    assert error["code"] == INTERNAL_ERROR
    assert error["data"]["code"] == "STORE_FOREIGN"
    assert error["data"]["hint"]


# --- security --------------------------------------------------------------------------------------------------------


def test_memories_and_symbols_of_other_projects_are_neither_listed_nor_read(project: Any, tmp_path: Path) -> None:
    bank = tmp_path / "bank"
    (bank / "src").mkdir(parents=True)
    (bank / "src" / "main.py").write_text("def interest(account):\n    return account.rate\n")
    project.engine.code.index(str(bank))
    own = project.store("Prices in the shop are in cents")
    shared = project.store("Prices are never floats", global_=True)
    other = project.store("Prices in the bank are in euros", namespace=str(bank))
    assert set(names(project)) == {"briefing", "Prices in the shop are in cents", "Prices are never floats"}
    assert "cents" in read(project, f"recollect://memory/{own}")
    assert "floats" in read(project, f"recollect://memory/{shared}")
    for uri in (f"recollect://memory/{other}", f"recollect://memory/{other[:8]}", "recollect://symbol/interest"):
        assert project.ask("resources/read", {"uri": uri})["code"] == RESOURCE_NOT_FOUND
    (unread,) = project.engine.memories.list(namespace=str(bank)).memories
    assert (unread.id, unread.access_count) == (other, 0)


def test_text_of_strangers_stays_inside_of_a_fence_and_is_harmless(project: Any) -> None:
    lines = [
        {"id": f"odd{number}{NAME}", "content": f"The parser {TEXT}", "title": TEXT if number else None, "tags": [NAME],
         "author": NAME, "memory_type": kind}
        for number, kind in enumerate(("preference", "decision"))
    ]  # fmt: skip
    project.engine.archive.import_(content="\n".join(msgspec.json.encode(line).decode() for line in lines))
    listed = every(project)
    assert len(listed) == 3
    assert [sign for text in texts(listed) for sign in harmful(text)] == []
    assert not any("\n" in text for text in texts(listed))
    for row in listed:
        assert all(31 < ord(sign) < 127 for sign in row["uri"])
        text = read(project, row["uri"])
        assert PLANTED in text
        assert harmful(text) == []
        own = outside(text)
        assert PLANTED not in own and FORGED not in own and NOTICE in own


def test_a_secret_that_was_stored_before_is_not_shown(project: Any) -> None:
    from recollect.model import Memory

    name = project.store("A placeholder")
    secret = "ghp_" + "A1b2C3d4E5f6G7h8I9j0" * 2
    with project.engine.store.transaction("test") as transaction:
        transaction.update(Memory, name, {"content": f"The token is {secret[:40]}", "title": f"token {secret[:40]}"})
    assert secret[:40] not in str(every(project)) + read(project, f"recollect://memory/{name}")


# --- cancellation and progress ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("resources/list", {}),
        ("resources/read", {"uri": BRIEFING}),
        ("prompts/get", {"name": "recall", "arguments": {"question": "x"}}),
        ("completion/complete", {"ref": {"type": "ref/resource", "uri": "recollect://memory/{id}"},
                                 "argument": {"name": "id", "value": "x"}}),
    ],
)  # fmt: skip
def test_a_cancelled_request_gets_no_answer(project: Any, method: str, params: dict[str, Any]) -> None:
    request = {"jsonrpc": "2.0", "id": 5, "method": method, "params": params}
    project.peer.expect(5)
    project.tell({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 5}})
    assert project.tell(request) is None
    project.peer.settle(5)
    assert "result" in project.tell(request)

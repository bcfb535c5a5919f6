"""Which projects commands and tools read, and for which one they store."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.conformance.surfaces import called, run
from tests.trees import git, write

from recollect import Engine
from recollect.settings import load
from recollect.surface.mcp.stdio import in_project

Ask = Callable[..., dict[str, Any]]

# Options and arguments that mean the same.
ARGUMENTS = {"--all-projects": ("all_projects", True), "--global": ("global", True)}
TOOLS = {"store": "store_memory", "search": "recall_memory", "list": "list_memories", "code": "search_code"}


def command(name: str, text: str = "", *options: str) -> dict[str, Any]:
    """Return the answer of a command in the current folder."""
    status, out, error = run(name, "--json", *([text] if text else []), *options)
    told: dict[str, Any] = json.loads(out)
    assert (status == 0) == ("error" not in told), error
    return told


def tool(name: str, text: str = "", *options: str) -> dict[str, Any]:
    """Return the answer of the same operation over MCP, to an assistant that works in the current folder."""
    arguments: dict[str, Any] = {"content" if name == "store" else "query": text} if text else {}
    arguments |= dict(ARGUMENTS[option] for option in options)
    result = called(TOOLS[name], {**arguments, "detail": "full"}, in_project(load()))
    told: dict[str, Any] = result["structuredContent"]
    return told


@pytest.fixture(params=[command, tool], ids=["command line", "mcp"])
def ask(request: pytest.FixtureRequest) -> Ask:
    found: Ask = request.param
    return found


@pytest.fixture(autouse=True)
def shop(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The repository that commands run in."""
    monkeypatch.setenv("RECOLLECT_EMBED_PROVIDER", "off")
    monkeypatch.delenv("CLAUDE_PROJECT_DIR", raising=False)
    for name in ("shop", "bank"):
        write(tmp_path / name, {"src/main.py": f"def {name}_total(cart):\n    return sum(cart)\n"})
        git(tmp_path / name, "init", "-q")
    monkeypatch.chdir(tmp_path / "shop")
    return tmp_path / "shop"


@pytest.fixture
def bank(tmp_path: Path) -> Path:
    return tmp_path / "bank"


def contents(told: dict[str, Any]) -> list[str]:
    rows = told["hits"] if "hits" in told else told["memories"]
    return sorted(row.get("memory", row)["content"] for row in rows)


def test_what_is_stored_in_a_project_belongs_to_it_and_what_is_global_to_all(ask: Ask, shop: Path) -> None:
    assert ask("store", "The cart rounds prices down")["memory"]["namespace"] == str(shop)
    assert ask("store", "I want short answers", "--global")["memory"]["namespace"] is None


def test_a_folder_of_a_repository_stands_for_all_of_it(ask: Ask, shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(shop / "src")
    assert ask("store", "The cart rounds prices down")["memory"]["namespace"] == str(shop)


@pytest.mark.parametrize("name", ["search", "list"])
def test_memories_of_other_projects_are_read_only_where_that_is_asked_for(
    ask: Ask, name: str, shop: Path, bank: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Engine() as engine:
        engine.memories.store("Prices in the shop are in cents", namespace=str(shop))
        engine.memories.store("Prices in the bank are in euros", namespace=str(bank))
        engine.memories.store("Prices are never floats")
    asked = (name, "prices") if name == "search" else (name,)
    assert contents(ask(*asked)) == ["Prices are never floats", "Prices in the shop are in cents"]
    everything = ["Prices are never floats", "Prices in the bank are in euros", "Prices in the shop are in cents"]
    if name == "search":
        assert contents(ask(*asked, "--all-projects")) == everything
    else:
        assert contents(ask(name, "", "--all-projects")) == everything


def test_a_named_project_is_exactly_that_one_in_a_list_and_with_what_is_for_all_in_an_answer(
    shop: Path, bank: Path
) -> None:
    command("store", "Prices in the shop are in cents")
    command("store", "Prices in the bank are in euros", "--project", str(bank))
    command("store", "Prices are never floats", "--global")
    assert contents(command("list", "", "--project", str(bank))) == ["Prices in the bank are in euros"]
    found = contents(command("search", "prices", "--project", str(bank)))
    assert found == ["Prices are never floats", "Prices in the bank are in euros"]
    packed = command("pack", "prices", "--project", str(bank))["text"]
    assert "floats" in packed
    assert "euros" in packed
    assert "cents" not in packed


def test_outside_of_any_project_everything_is_read_and_stored_for_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command("store", "The cart rounds prices down")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert command("store", "Prices are never floats")["memory"]["namespace"] is None
    assert len(command("search", "prices")["hits"]) == 2
    assert len(command("list")["memories"]) == 2


@pytest.mark.parametrize("known_by", ["a memory", "a workspace", "an index"])
def test_a_folder_without_a_repository_is_a_project_once_it_is_known(
    known_by: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "notes"
    write(folder, {"deep/main.py": "def f():\n    return 1\n"})
    with Engine() as engine:
        if known_by == "a memory":
            engine.memories.store("Notes are kept by year", namespace=str(folder))
        elif known_by == "a workspace":
            engine.workspaces.create(str(folder))
        else:
            engine.code.index(str(folder))
    monkeypatch.chdir(folder / "deep")
    assert command("store", "Drafts are kept apart")["memory"]["namespace"] == str(folder)


def test_a_configured_project_is_the_one_that_is_meant(monkeypatch: pytest.MonkeyPatch, ask: Ask) -> None:
    monkeypatch.setenv("RECOLLECT_NAMESPACE", "ledger")
    assert ask("store", "Bookings are never deleted")["memory"]["namespace"] == "ledger"
    assert contents(ask("list")) == ["Bookings are never deleted"]


def test_a_search_that_finds_nothing_tells_of_matches_in_other_projects(ask: Ask, bank: Path) -> None:
    with Engine() as engine:
        for day in ("Monday", "Friday"):
            engine.memories.store(f"Interest is booked every {day} night", namespace=str(bank))
        engine.memories.store("The harbour closes at nine", namespace=str(bank))
    told = ask("search", "interest booked at night")
    assert told["hits"] == []
    assert any(note.startswith("2 matches in other projects: all_projects=true") for note in told["notes"])
    assert not any("other projects" in note for note in ask("search", "zeppelin maintenance")["notes"])
    outside, _, inside = run("search", "interest booked at night")[1].decode().partition("~~~")
    assert "\nNote: 2 matches in other projects: --all-projects\n" in outside
    assert "all projects" not in outside
    assert "projects" not in inside


def test_a_pack_that_finds_nothing_tells_of_matches_in_other_projects(bank: Path) -> None:
    command("store", "Interest is booked every night", "--project", str(bank))
    told = command("pack", "interest is booked every night")
    assert told["sources"] == []
    assert any(note.startswith("1 match in other projects: all_projects=true") for note in told["notes"])
    assert b"1 match in other projects: --all-projects\n" in run("pack", "interest is booked every night")[1]


def test_the_folder_name_of_a_project_is_not_taken_for_a_project(shop: Path) -> None:
    command("store", "Prices in the shop are in cents")
    for words in (("store", "Carts expire"), ("search", "prices"), ("list",)):
        told = command(*words, *(("",) if len(words) == 1 else ()), "--project", "shop")
        assert str(shop) in told["error"]["hint"]
    command("workspace", "create", "shop")
    assert command("store", "Carts expire", "--project", "shop")["memory"]["namespace"] == "shop"


def test_the_first_memory_of_a_named_project_says_that_the_project_is_new() -> None:
    new = [command("store", text, "--project", "ledger")["new_project"] for text in ("Book nightly", "Never delete")]
    assert new == [True, False]
    assert not command("store", "Carts expire")["new_project"]


def test_code_of_other_projects_is_found_only_where_that_is_asked_for(ask: Ask, shop: Path, bank: Path) -> None:
    with Engine() as engine:
        engine.code.index(str(shop))
        engine.code.index(str(bank))
    assert [hit["symbol"] for hit in ask("code", "shop_total")["hits"]] == ["shop_total"]
    told = ask("code", "bank_total")
    assert "bank_total" not in [hit["symbol"] for hit in told["hits"]]
    found = ask("code", "bank_total", "--all-projects")["hits"]
    assert found[0]["symbol"] == "bank_total"


def test_places_in_code_beside_memories_are_of_the_project_that_was_searched(shop: Path, bank: Path) -> None:
    with Engine() as engine:
        engine.code.index(str(shop))
        engine.code.index(str(bank))
    told = command("search", "total of the cart", "--code")
    assert [place["path"] for place in told["places"]] == ["src/main.py"]
    assert len(command("search", "total of the cart", "--code", "--all-projects")["places"]) == 2


@pytest.mark.parametrize("option", ["--all-projects", "--global"])
def test_a_project_and_the_opposite_of_one_are_refused(option: str) -> None:
    words = ("search", "prices") if option == "--all-projects" else ("store", "prices")
    told = command(*words, option, "--project", "bank")
    assert told["error"]["code"] == "INVALID_INPUT"
    assert told["error"]["message"].startswith(option)


def test_a_program_that_uses_the_library_names_its_projects_itself(shop: Path, bank: Path) -> None:
    with Engine() as engine:
        assert engine.memories.store("Prices are never floats").memory.namespace is None
        engine.memories.store("Prices in the bank are in euros", namespace=str(bank))
        assert len(engine.recall.search("prices").hits) == 2
        assert len(engine.recall.search("prices", namespace=str(bank)).hits) == 1
        assert engine.recall.search("prices", namespace=str(shop)).notes == (
            "embeddings are off: search is keyword-only",
        )


def test_what_an_assistant_stores_says_so_and_what_a_person_types_does_too() -> None:
    by_tool, by_hand = tool("store", "The cart is cached")["memory"], command("store", "The cart is typed")["memory"]
    assert (by_tool["source"], by_tool["trust"]) == ("assistant", 0.8)
    assert (by_hand["source"], by_hand["trust"]) == ("user", 1.0)
    again = command("store", "The cart is cached")["memory"]
    assert (again["id"], again["source"], again["trust"]) == (by_tool["id"], "user", 1.0)
    assert tool("store", "The cart is typed")["memory"]["source"] == "user"

"""Prompts and completions over MCP: what a user sends by name, and what a client offers while one types."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.hostile import FORGED, NAME, PLANTED, TEXT, harmful, outside, texts
from tests.trees import git

from recollect.surface.mcp.jsonrpc import INVALID_PARAMS
from recollect.surface.mcp.prompts import ARGUMENT_CHARACTERS
from recollect.surface.mcp.server import MODERN, VERSION_KEY

MEMORY = {"type": "ref/resource", "uri": "recollect://memory/{id}"}
SYMBOL = {"type": "ref/resource", "uri": "recollect://symbol/{name}"}


def prompt(name: str) -> dict[str, str]:
    return {"type": "ref/prompt", "name": name}


def text(desk: Any, name: str, **arguments: str) -> str:
    result = desk.ask("prompts/get", {"name": name, "arguments": arguments})
    (message,) = result["messages"]
    assert message["role"] == "user"
    assert message["content"]["type"] == "text"
    assert result["description"]
    said: str = message["content"]["text"]
    return said


def completed(desk: Any, ref: dict[str, str], name: str, value: str) -> dict[str, Any]:
    result = desk.ask("completion/complete", {"ref": ref, "argument": {"name": name, "value": value}})
    found: dict[str, Any] = result["completion"]
    assert len(found["values"]) <= 100
    return found


# --- prompts ---------------------------------------------------------------------------------------------------------


def test_the_list_says_what_each_prompt_needs(desk: Any) -> None:
    prompts = {row["name"]: row for row in desk.ask("prompts/list")["prompts"]}
    assert list(prompts) == ["recall", "remember", "review"]
    needed = {name: [part["name"] for part in row["arguments"] if part["required"]] for name, row in prompts.items()}
    assert needed == {"recall": ["question"], "remember": [], "review": []}
    assert all(row["title"] and row["description"] for row in prompts.values())


def test_recall_is_the_question_with_the_memories_that_answer_it(project: Any) -> None:
    project.store("The cart rounds prices down, since the tax office does")
    said = text(project, "recall", question="How are prices rounded?")
    assert said.startswith("How are prices rounded?\n")
    assert "since the tax office does" in said
    assert "tax office" not in outside(said)


def test_recall_does_not_show_memories_of_other_projects(project: Any, tmp_path: Path) -> None:
    project.store("Prices in the bank are in euros", namespace=str(tmp_path / "bank"))
    assert "euros" not in text(project, "recall", question="In what are prices?")


def test_remember_asks_to_store_what_is_given_or_what_was_decided(project: Any) -> None:
    said = text(project, "remember", what="we never mock the clock {answer}")
    assert "we never mock the clock {answer}" in said
    assert "store_memory" in said
    assert "reason" in said
    assert "this conversation" in text(project, "remember").splitlines()[0]


def test_a_client_that_passes_only_the_first_word_is_allowed_for(project: Any) -> None:
    for name, argument in (("recall", "question"), ("remember", "what")):
        assert "all of them" in text(project, name, **{argument: "how"}).splitlines()[0]
        assert "all of them" not in text(project, name, **{argument: "how are prices rounded"})


def test_review_is_the_review_of_the_uncommitted_changes_or_of_a_range(project: Any) -> None:
    project.engine.code.index(".")
    git(Path(), "add", ".")
    git(Path(), "commit", "-q", "-m", "Add the cart")
    file = Path("shop/prices.py")
    file.write_text(file.read_text().replace("return 1", "return 2"))
    assert "Cart.total" in text(project, "review")
    git(Path(), "commit", "-q", "-a", "-m", "Change the total")
    assert "Cart.total" not in text(project, "review")
    assert "Cart.total" in text(project, "review", range="HEAD~1")


@pytest.mark.parametrize(
    "params",
    [
        None,
        {},
        {"name": "nope"},
        {"name": ["recall"]},
        {"name": "recall"},
        {"name": "recall", "arguments": {}},
        {"name": "recall", "arguments": {"question": " "}},
        {"name": "recall", "arguments": {"question": 5}},
        {"name": "recall", "arguments": []},
        {"name": "recall", "arguments": {"question": "x", "more": "y"}},
        {"name": "remember", "arguments": {"what": "x" * (ARGUMENT_CHARACTERS + 1)}},
        {"name": "review", "arguments": {"range": "no-such-commit"}},
        {"name": "review", "arguments": {"range": "--output=x"}},
    ],
)
@pytest.mark.parametrize("meta", [{}, {"_meta": {VERSION_KEY: MODERN}}], ids=["handshake", "modern"])
def test_a_prompt_that_does_not_exist_and_arguments_that_do_not_fit_are_refused(
    project: Any, params: Any, meta: dict[str, Any]
) -> None:
    error = project.ask("prompts/get", None if params is None and not meta else {**(params or {}), **meta})
    assert error["code"] == INVALID_PARAMS
    assert len(error["message"]) <= 500
    assert not Path("x").exists()


def test_words_of_strangers_in_a_prompt_stay_inside_of_a_fence(project: Any) -> None:
    project.store(f"The parser is written by hand: {TEXT}".replace("\x00", ""))
    said = text(project, "recall", question="How is the parser written?")
    assert PLANTED in said
    assert harmful(said) == []
    assert PLANTED not in outside(said) and FORGED not in outside(said)


def test_harmful_characters_of_an_argument_are_shown_as_escapes(project: Any) -> None:
    assert harmful(text(project, "remember", what="a\x1b[2J\u202eb")) == []


# --- completions -----------------------------------------------------------------------------------------------------


def test_an_id_is_completed_by_its_beginning_by_words_of_the_title_or_from_nothing(project: Any) -> None:
    cart = project.store("It rounds prices down", title="The cart and its prices")
    first = project.store("Deploys run on Friday because of the bank\nand a second line")
    for value in (cart[:2], cart[:8], cart):
        assert cart in completed(project, MEMORY, "id", value)["values"]
    assert completed(project, MEMORY, "id", "Prices CART") == {"values": [cart], "total": 1, "hasMore": False}
    assert completed(project, MEMORY, "id", "friday")["values"] == [first]
    assert completed(project, MEMORY, "id", "second")["values"] == []
    assert completed(project, MEMORY, "id", "")["values"] == [first, cart]


def test_at_most_a_hundred_ids_are_offered_with_their_number(project: Any) -> None:
    rows = ({"id": f"tide-{number:03}", "content": f"The tide table {number}"} for number in range(120))
    project.engine.archive.import_(content="\n".join(msgspec.json.encode(row).decode() for row in rows), namespace="")
    for value in ("tide-", "table"):
        found = completed(project, MEMORY, "id", value)
        assert (len(found["values"]), found["total"], found["hasMore"]) == (100, 120, True)


def test_where_not_all_memories_were_looked_at_the_number_is_not_claimed(
    project: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("recollect.surface.mcp.completions.MOST_READ", 2)
    for number in range(3):
        project.store(f"The tide table {number}")
    found = completed(project, MEMORY, "id", "tide")
    assert (len(found["values"]), found["hasMore"]) == (2, True)
    assert "total" not in found


def test_completing_does_not_count_as_reading(project: Any) -> None:
    name = project.store("The cart rounds prices down")
    completed(project, MEMORY, "id", "prices")
    completed(project, MEMORY, "id", name[:8])
    assert project.engine.memories.list().memories[0].access_count == 0


def test_memories_and_symbols_of_other_projects_are_not_offered(project: Any, tmp_path: Path) -> None:
    bank = tmp_path / "bank"
    bank.mkdir()
    (bank / "main.py").write_text("def interest(account):\n    return account.rate\n")
    project.engine.code.index(str(bank))
    other = project.store("Prices in the bank are in euros", namespace=str(bank))
    for value in ("prices", other, ""):
        assert completed(project, MEMORY, "id", value)["values"] == []
    assert completed(project, SYMBOL, "name", "inter")["values"] == []


def test_a_symbol_is_completed_by_the_beginning_of_its_name(project: Any) -> None:
    project.engine.code.index(".")
    assert set(completed(project, SYMBOL, "name", "tot")["values"]) == {"total", "total_of"}
    assert completed(project, SYMBOL, "name", "Cart.t")["values"] == ["Cart.total"]
    for value in ("", " ", "zz", "x" * 5_000, "\x00", "\x1b"):
        assert project.ask("completion/complete", {"ref": SYMBOL, "argument": {"name": "name", "value": value}})


def test_where_more_symbols_begin_alike_than_are_read_the_number_is_not_claimed(project: Any) -> None:
    Path("shop/many.py").write_text("".join(f"def crane_{number}():\n    return 1\n\n\n" for number in range(90)))
    project.engine.code.index(".")
    found = completed(project, SYMBOL, "name", "cran")
    assert len(found["values"]) >= 60
    assert found["hasMore"] is True
    assert "total" not in found


def test_the_last_word_of_a_question_is_completed_as_a_symbol(project: Any) -> None:
    project.engine.code.index(".")
    assert "who calls total_of" in completed(project, prompt("recall"), "question", "who calls tot")["values"]
    assert completed(project, prompt("remember"), "what", "to")["values"] == []
    assert completed(project, prompt("review"), "range", "HEAD")["values"] == []


def test_names_that_cannot_be_shown_as_they_are_are_not_offered(project: Any) -> None:
    line = msgspec.json.encode({"id": f"odd{NAME}", "content": "The parser"}).decode()
    project.engine.archive.import_(content=line)
    for value in ("odd", "parser", ""):
        assert list(texts(completed(project, MEMORY, "id", value)["values"])) == []


ARGUMENT = {"name": "id", "value": "x"}


@pytest.mark.parametrize(
    "params",
    [
        None,
        {},
        {"ref": MEMORY},
        {"argument": ARGUMENT},
        {"ref": 5, "argument": ARGUMENT},
        {"ref": {"type": "ref/resource"}, "argument": ARGUMENT},
        {"ref": {"type": ["ref/resource"], "uri": []}, "argument": ARGUMENT},
        {"ref": {"type": "ref/resource", "uri": "file:///{path}"}, "argument": ARGUMENT},
        {"ref": {"type": "ref/prompt", "uri": "recollect://memory/{id}"}, "argument": ARGUMENT},
        {"ref": {"type": "ref/resource", "name": "recall"}, "argument": {"name": "question", "value": "x"}},
        {"ref": {"type": "ref/prompt", "name": "nope"}, "argument": ARGUMENT},
        {"ref": MEMORY, "argument": {"name": "name", "value": "x"}},
        {"ref": MEMORY, "argument": {"name": "id"}},
        {"ref": MEMORY, "argument": {"name": "id", "value": 5}},
        {"ref": MEMORY, "argument": []},
    ],
)
def test_a_reference_to_nothing_is_refused(project: Any, params: Any) -> None:
    assert project.ask("completion/complete", params)["code"] == INVALID_PARAMS

"""Observed memories are shown as what hooks recorded, never as decisions, and are listed only on request."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.conformance.surfaces import called, run
from tests.payloads import ROOT, claude, edited, looked, ran

from recollect import Engine

EVENTS = {
    "edit": edited("return net * (100 + TAX) / 100", "return round(net * (100 + TAX) / 100)"),
    "read": looked(),
    "command": ran("make test-prices", "2 passed"),
    "prompt": claude("UserPromptSubmit", prompt="Round the gross prices of the shop to whole cents"),
}


@pytest.fixture(autouse=True)
def seen(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A home in which each event was recorded, and one decision stored."""
    monkeypatch.setenv("RECOLLECT_EMBED_PROVIDER", "off")
    monkeypatch.chdir(tmp_path)
    with Engine() as engine:
        for payload in EVENTS.values():
            engine.capture.put(payload, event="", assistant="claude")
        engine.capture.drain()
        engine.memories.store("Prices are kept in cents", memory_type="decision", namespace=ROOT)


def command(*words: str) -> str:
    status, out, error = run(*words)
    assert status == 0, error
    return out.decode()


def test_a_list_has_what_is_known_and_with_an_option_what_was_observed() -> None:
    known = command("list")
    assert "decision, " in known
    assert "(observed)" not in known
    everything = command("list", "--observed")
    for kind in EVENTS:
        assert f"{kind} (observed), " in everything
    assert everything.count("decision, ") == 1
    tool = called("list_memories", {"observed": True})["content"][0]["text"]
    assert "edit (observed), " in tool
    assert tool.count("decision, ") == 1


@pytest.mark.parametrize("name", ["search", "pack"])
def test_an_edit_is_found_as_an_edit(name: str) -> None:
    found = command(name, "which edit changed gross in price.py", "--observed")
    assert "edit (observed), " in found
    assert "decision, " not in found.replace("Prices are kept", "")


def test_an_edit_is_shown_as_an_edit_with_its_documented_type_for_programs() -> None:
    with Engine() as engine:
        (edit,) = engine.memories.list(memory_type="decision", source="hook", observed=True).memories
    assert "edit (observed), " in command("get", edit.id)
    assert '"memory_type":"decision"' in command("get", edit.id, "--json")
    assert '"observed":true' in command("get", edit.id, "--json")


def test_what_only_asks_is_shown_as_a_question() -> None:
    command("store", "Please tell me where prices are kept?")
    assert "question (observed), " in command("list", "--observed")

"""What a model reads of an answer over MCP: few tokens, mostly content, within a budget in both forms."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.conformance.surfaces import called, run, tool

from recollect import Engine
from recollect.render import to_data
from recollect.text.token_count import tokens

# Two sentences each, as assistants store them.
ORDINARY = (
    (
        "We use Postgres for the ledger because SQLite locked up under the nightly settlement batch. Ask the "
        "payments team before changing the isolation level, since reconciliation depends on it."
    ),
    (
        "Service ports come in blocks of ten: the gateway owns the first block, the ledger the second one. "
        "Staging adds one thousand to every port so that both can run on one machine."
    ),
    (
        "The flaky checkout test fails when the staging database is torn down in the evening. Run it before "
        "that hour, or point the database address at the local container instead."
    ),
    (
        "Prefer small pull requests with one migration each; the reviewers asked for that twice. Squash "
        "before merging and keep the ticket number in the subject line of the ledger commits."
    ),
    (
        "The gateway retries idempotent requests three times with exponential backoff. Payments are never "
        "retried there, because a duplicate charge in the ledger cost a day of refunds."
    ),
    (
        "A reset connection to the ledger service means that the connection pool is exhausted in staging. "
        "Raise the pool size, or find the worker that leaks connections and restart it."
    ),
    (
        "Feature flags live in one file and are read once at the start of each service. A change needs a "
        "rolling restart of the ledger, which the deploy script does when the checksum differs."
    ),
    (
        "The staging environment is shared by three teams, so announce schema changes in the channel. The "
        "ledger team deploys on Tuesdays, the gateway team on Thursdays after lunch."
    ),
    (
        "Before every release somebody runs the load test against the ledger with two hundred users. The "
        "numbers go into the release notes together with the commit they were measured at."
    ),
    (
        "Nightly settlement takes forty minutes because every ledger row is locked one by one. Batching five "
        "hundred rows brought it down to six minutes in the experiment on staging."
    ),
)
QUESTION = "what do we know about the ledger service in staging?"


def stored(*contents: str, **fields: Any) -> list[str]:
    with Engine(embed_provider="off") as engine:
        return [engine.memories.store(content, **fields).memory.id for content in contents]


def forms(result: dict[str, Any]) -> dict[str, str]:
    """Return what a client may show of a result: its text, or its structured content."""
    return {
        "text": result["content"][0]["text"],
        "structured": msgspec.json.encode(result["structuredContent"]).decode(),
    }


@pytest.fixture(autouse=True)
def by_words(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_EMBED_PROVIDER", "off")


def test_ten_ordinary_hits_cost_at_most_900_tokens_and_are_mostly_content() -> None:
    stored(*ORDINARY, memory_type="decision", namespace="shop", amend=False)
    answers = forms(called("recall_memory", {"query": QUESTION, "limit": 10, "min_score": 0.0}))
    content = sum(map(tokens, ORDINARY))
    for form, answer in answers.items():
        assert [text for text in ORDINARY if text not in answer] == [], form
        assert tokens(answer) <= 900, form
        assert content / tokens(answer) >= 0.6, form


def test_two_memories_of_a_megabyte_are_recalled_within_1500_tokens() -> None:
    filler = "The settlement of the harbour was a long story that nobody wrote down. " * 7_000
    contents = [f"{filler}{number} {'filler ' * 70_000}The vault code is {number}." for number in (1, 2)]
    ids = stored(*contents, amend=False)
    assert all(len(content) > 980_000 for content in contents)
    for form, answer in forms(called("recall_memory", {"query": "what is the vault code?", "min_score": 0.0})).items():
        assert tokens(answer) <= 1_500, form
        assert "The vault code is 1." in answer and "The vault code is 2." in answer, form
        assert all(name[:8] in answer for name in ids), form
        assert "get_memory" in answer, form


def test_a_long_memory_is_read_up_to_a_larger_bound_and_all_of_it_for_more_tokens() -> None:
    (name,) = stored("It was a dark and stormy night. " * 2_000 + "The end.")
    for form, answer in forms(called("get_memory", {"memory_id": name[:8]})).items():
        assert 3_000 < tokens(answer) <= 4_000, form
        assert "raise limit or tokens" in answer and "The end." not in answer, form
    for form, answer in forms(called("get_memory", {"memory_id": name, "tokens": 100_000})).items():
        assert "The end." in answer and "raise limit" not in answer, form


def test_hits_that_do_not_fit_are_counted_and_come_for_more_tokens() -> None:
    stored(*(f"{text} Number {number} of its kind." for number in range(6) for text in ORDINARY), amend=False)
    asked = {"query": QUESTION, "limit": 50, "min_score": 0.0}
    for form, answer in forms(called("recall_memory", asked)).items():
        assert 900 < tokens(answer) <= 1_200, form
        left = re.search(
            r"(\d+) more(, long texts are cut)?: raise limit or tokens, or call get_memory with an id\.", answer
        )
        assert left and int(left[1]) >= 25, form
    for form, answer in forms(called("recall_memory", {**asked, "tokens": 20_000})).items():
        assert answer.count("of its kind.") == 50, form
        assert " more" not in answer, form


def test_texts_are_shortened_before_hits_are_left_out() -> None:
    stored(*(f"Ledger note {number}: " + ORDINARY[number] * 6 for number in range(10)), amend=False)
    for form, answer in forms(called("recall_memory", {"query": "ledger note", "limit": 10, "min_score": 0.0})).items():
        assert answer.count("Ledger note ") == 10, form
        assert tokens(answer) <= 1_200, form
        assert "Long texts are cut: raise limit or tokens" in answer, form


def test_a_store_is_answered_in_one_line() -> None:
    result = called("store_memory", {"content": ORDINARY[0]})
    assert re.fullmatch(r"Stored [0-9a-f]{8} for all projects\.", result["content"][0]["text"])
    assert set(result["structuredContent"]) == {"notice", "id", "created"}
    again = called("store_memory", {"content": ORDINARY[0]})
    assert again["content"][0]["text"] == f"Already known as {result['structuredContent']['id']} for all projects."
    changed = called("update_memory", {"memory_id": result["structuredContent"]["id"], "title": "Ledger"})
    assert changed["content"][0]["text"] == f"Updated {result['structuredContent']['id']}."
    assert ORDINARY[0] not in str((result, again, changed))


def test_all_fields_come_with_detail_full_and_only_then() -> None:
    (name,) = stored(ORDINARY[0], tags=("ledger",))
    with Engine(embed_provider="off") as engine:
        known = to_data(engine.memories.get(name))
    full = tool("get_memory", {"memory_id": name[:8], "detail": "full"})
    assert set(full) == set(known)
    assert (full["id"], full["content"], full["content_hash"]) == (name, ORDINARY[0], known["content_hash"])
    hit = tool("recall_memory", {"query": "ledger", "detail": "full"})["hits"][0]
    assert hit["memory"]["id"] == name and "signals" in hit
    for form, answer in forms(called("recall_memory", {"query": "ledger"})).items():
        assert name not in answer and known["content_hash"] not in answer and "null" not in answer, form


@pytest.mark.parametrize("wrong", [{"detail": "all"}, {"tokens": 3}, {"tokens": "many"}, {"tokens": [1]}])
def test_a_shape_that_does_not_exist_is_refused(wrong: dict[str, Any]) -> None:
    answer = tool("list_memories", wrong)
    assert answer["error"]["code"] == "INVALID_INPUT"


def test_the_budget_of_an_operation_is_its_own() -> None:
    stored(*ORDINARY, amend=False)
    packed = called("pack_context", {"task": QUESTION, "tokens": 200, "min_score": 0.0})
    assert 100 < packed["structuredContent"]["tokens"] <= 200
    more = called("pack_context", {"task": QUESTION, "tokens": 5_000, "min_score": 0.0})
    assert all(text in form for text in ORDINARY for form in forms(more).values())


def test_a_search_hit_is_three_lines_of_a_pipe_and_more_with_full(home: Path) -> None:
    stored(ORDINARY[0], namespace="shop")
    _, short, _ = run("search", "ledger")
    _, full, _ = run("search", "ledger", "--full")
    assert len(short.decode().splitlines()) == 7  # count, notice, fence, note, hit
    assert b"project: shop" in full and b"importance: 0.50" in full

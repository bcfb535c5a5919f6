"""The recall benchmark from end to end, on an invented chat: what it writes, and what it says."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import recall

Bench = Callable[..., dict[str, Any]]

CHATS = {
    "name": "invented",
    "conversations": [
        {
            "id": "garden",
            "sessions": [
                {
                    "id": "S1",
                    "date": "2021-03-04T05:06",
                    "turns": [
                        {"id": "D1:1", "speaker": "Ida", "text": "The pumpkin seeds are in the shed."},
                        {"id": "D1:2", "speaker": "Bo", "text": "", "caption": "a rusty wheelbarrow"},
                        {"id": "D1:3", "speaker": "Bo", "text": ""},
                    ],
                }
            ],
            "questions": [
                {"id": "q1", "category": 1, "question": "Where are the pumpkin seeds?", "evidence": ["D1:1"]},
                {"id": "q2", "category": 1, "question": "Is the wheelbarrow rusty?", "evidence": []},
            ],
        },
        {
            "id": "boat",
            "sessions": [
                {
                    "id": "S1",
                    "date": "2021-03-04T05:06",
                    "turns": [{"id": "D1:1", "speaker": "user", "text": "The mast was varnished in April."}],
                }
            ],
            "questions": [{"id": "q1", "category": 2, "question": "When was the mast done?", "evidence": ["D1:1"]}],
        },
    ],
}

SETS = {
    "name": "rules",
    "sets": [
        {
            "id": "indent",
            "kind": "sessions",
            "documents": [
                {"id": "old", "date": "2021-01-01", "text": "We indent with tabs."},
                {"id": "other", "date": "2021-01-02", "text": "The coffee machine is on the second floor."},
                {"id": "new", "date": "2021-02-01", "text": "From now on we indent with spaces."},
            ],
            "queries": [
                {"id": "q1", "query": "How do we indent?", "current": ["new"], "superseded": ["old"]},
                {"id": "q2", "query": "Where is the coffee machine?", "current": ["other"], "superseded": []},
            ],
        }
    ],
}


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Bench:
    """Run the benchmark without an embedder and return its JSON."""
    monkeypatch.setenv("RECOLLECT_EMBED_PROVIDER", "off")
    (tmp_path / "chats.json").write_text(json.dumps(CHATS), encoding="utf-8")
    (tmp_path / "sets.json").write_text(json.dumps(SETS), encoding="utf-8")
    monkeypatch.chdir(tmp_path)

    def run(*words: str) -> dict[str, Any]:
        monkeypatch.setattr(sys, "argv", ["recall.py", *words, "--json"])
        recall.main()
        printed: dict[str, Any] = json.loads(capsys.readouterr().out)
        return printed

    return run


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_every_question_is_answered_from_its_own_conversation(bench: Bench, tmp_path: Path) -> None:
    (found,) = bench("--data", "chats.json", "--out", "ranked.jsonl")["recall"]
    written = {(row["conversation"], row["question"]): row["ranked"] for row in lines(tmp_path / "ranked.jsonl")}
    assert list(written) == [("garden", "q1"), ("garden", "q2"), ("boat", "q1")]
    assert written["garden", "q1"][0] == "D1:1"
    assert written["garden", "q2"][0] == "D1:2"
    assert written["boat", "q1"] == ["D1:1"]
    assert (found["questions"], found["questions_without_evidence"], found["turns"]) == (3, 1, 4)
    assert (found["model"], found["modes"]) == ("none", {"lexical": 3})
    for who in ("recollect", "bm25"):
        assert found[who]["evidence"]["headline"]["n"] == 2
        assert found[who]["evidence"]["headline"]["mrr"] == 1.0
        assert set(found[who]["corrected"]["categories"]) == {"1", "2"}
    assert found["ratio_to_bm25"]["recall@10"] == 1.0


def test_changed_facts_and_facts_stated_once_are_reported_apart(bench: Bench, tmp_path: Path) -> None:
    (found,) = bench("--supersession", "sets.json", "--out", "ranked.jsonl")["supersession"]
    written = {(row["set"], row["query"]): row["ranked"] for row in lines(tmp_path / "ranked.jsonl")}
    assert set(written["indent", "q1"]) >= {"old", "new"}
    assert written["indent", "q2"][0] == "other"
    for who in ("recollect", "bm25", "bm25_newest_first"):
        assert (found[who]["updated"]["n"], found[who]["stable"]["n"], found[who]["chats"]["n"]) == (1, 1, 0)
    assert found["recollect"]["stable"]["current@1"] == 1.0
    assert found["bm25_newest_first"]["updated"]["current_first"] == 1.0


def test_chats_with_and_without_changed_facts_have_one_mean(bench: Bench, tmp_path: Path) -> None:
    (rules,) = SETS["sets"]
    (tmp_path / "sets.json").write_text(json.dumps({"sets": [{**rules, "kind": "chats"}]}), encoding="utf-8")  # type: ignore[dict-item]
    (found,) = bench("--supersession", "sets.json")["supersession"]
    assert (found["recollect"]["chats"]["n"], found["bm25"]["chats"]["current_first"]) == (2, 0.0)


def test_what_should_find_nothing_is_asked_of_the_wrong_memory(bench: Bench) -> None:
    (found,) = bench("--data", "chats.json", "--supersession", "sets.json", "--negative", "--limit", "1")["negative"]
    (chats,) = found["conversations"]
    assert chats["wrong_conversation"] == {"n": 2, "silent": 1.0}
    assert chats["answerable"]["n"] == 2
    assert chats["answerable"]["any@10"] == 1.0
    assert found["prompts"]["name"] == "rules"
    assert found["prompts"]["each_namespace"]["n"] == found["prompts"]["all_at_once"]["n"] == 1


def test_a_table_can_be_printed_of_everything(bench: Bench) -> None:
    report = bench("--data", "chats.json", "--supersession", "sets.json", "--negative", "--limit", "1")
    for section in ("recall", "supersession", "negative"):
        for part in report[section]:
            assert recall.TABLES[section](part).count("\n| ") > 2


def test_an_ablation_says_what_is_lost_without_each_signal() -> None:
    report = {"name": "x", "everything": {"mrr": 0.5}, "earned_points": {"a": {"mrr": 1.0}, "b": {"mrr": 2.5}}}
    assert recall.ablation_table(report).splitlines()[4:] == [
        "| everything | 50.0 |",
        "| without b | -2.5 |",
        "| without a | -1.0 |",
    ]

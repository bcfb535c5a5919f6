"""Labels and extracted statements are compared by the words that they share."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import statements as bench
import train_statements


def test_precision_and_recall_are_counted_by_kind_and_by_how_messages_were_sampled(tmp_path: Path) -> None:
    rows = (
        {"speaker": "user", "text": "Never push to main. Fix the parser.", "statements": ["Never push to main"],
         "kinds": ["rule"]},
        {"speaker": "user", "text": "We use pnpm, not npm.", "statements": [], "kinds": [], "net": True},
        {"speaker": "user", "text": "The tax is odd here.", "statements": ["The tax is odd here"], "kinds": ["fact"]},
    )  # fmt: skip
    (tmp_path / "labels.jsonl").write_text("\n".join(json.dumps({"id": "1", **row}) for row in rows))
    told = bench.measured(tmp_path, show=5)
    assert told["precision"]["all"] == {"n": 2, "matched": 1, "share": 0.5}
    assert told["precision"]["user, by words"]["matched"] == 0
    assert told["recall"]["rule"]["share"] == 1.0
    assert told["recall"]["fact"]["share"] == 0.0
    assert (told["wrong"], told["missed"]) == (["We use pnpm, not npm."], ["fact: The tax is odd here"])
    assert not told["within_bars"]


def test_statements_are_marked_in_the_text_of_messages(tmp_path: Path) -> None:
    (tmp_path / "some.txt").write_text(
        "# shops, and more\nrule| no tabs\nok. {fact| prod is azure}, so\\n{keep| maybe eu}\nrun it\n"
    )
    whole, marked, none = bench.messages(tmp_path)
    assert (whole["text"], whole["statements"], whole["kinds"]) == ("no tabs", ["no tabs"], ["rule"])
    assert marked["text"] == "ok. prod is azure, so\nmaybe eu"
    assert (marked["kinds"], marked["borderline"], marked["leaning"]) == (["fact"], ["maybe eu"], ["keep"])
    assert (none["statements"], none["project"], none["speaker"]) == ([], "some shops", "user")


def test_labels_say_whether_a_statement_is_about_work_or_the_product(tmp_path: Path) -> None:
    lines = (
        "# shops",
        "{ruleW| Never push to main}. Fix the parser.",
        "factP| orders ship on fridays",
        "rule| no tabs",
    )
    (tmp_path / "some.txt").write_text("\n".join(lines))
    found = list(bench.messages(tmp_path))
    assert [(row["text"], row["kinds"], row["of_work"]) for row in found] == [
        ("Never push to main. Fix the parser.", ["rule"], [True]),
        ("orders ship on fridays", ["fact"], [False]),
        ("no tabs", ["rule"], [None]),
    ]
    assert train_statements._label(found[0], "Never push to main.") == ("rule", True)
    assert bench.of_work(found[:1])["precision"] == bench.of_work(found[:1])["recall"] == 1.0
    told = {**found[0], "of_work": [False]}
    assert bench.of_work([told]) == {"n": 1, "precision": 0.0, "recall": 0.0}


def test_the_weights_of_the_package_were_made_from_the_labels_of_the_repository() -> None:
    head = gzip.decompress(train_statements.WEIGHTS.read_bytes()).decode().split("\n", 1)[0]
    assert train_statements.checksum() in head, "run `python bench/train_statements.py --write`"


def test_a_fragment_of_a_statement_is_no_example() -> None:
    message = {"statements": ["Huber reviews anything under legal first, always"], "kinds": ["rule"]}
    assert train_statements._label(message, "Huber first.")[0] == ""
    assert train_statements._label(message, "Huber reviews anything under legal first") == ("rule", None)
    assert train_statements._label(message, "rename the file") == ("none", None)

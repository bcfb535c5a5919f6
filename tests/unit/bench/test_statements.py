"""Labels and extracted statements are compared by the words that they share."""

from __future__ import annotations

import json
from pathlib import Path

import statements as bench


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

"""Plain words in a memory anchor where the project has one symbol that they can mean."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect import Engine

FILES = {
    "pool.py": "class Pool:\n    def close(self):\n        return 1\n\n\ndef redirect(url):\n    return url\n",
    "a.py": "class Worker:\n    pass\n\n\ndef Monitor():\n    return 2\n",
    "b.py": "class Worker:\n    size = 3\n",
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Nobody may resize the Pool at night", ["pool.py::Pool"]),
        ("The redirect function keeps the query", ["pool.py::redirect"]),
        ("See pool.py for the limits", ["pool.py"]),
        # Two classes of that name, a function, and words that are no names.
        ("Nobody may stop a Worker at night", []),
        ("They look at the Monitor all day", []),
        ("Pool parties are on a friday, and we redirect people who close the door", []),
    ],
)
def test_a_plain_word_anchors_only_where_it_is_certain(
    engine: Engine, tmp_path: Path, text: str, expected: list[str]
) -> None:
    for path, content in FILES.items():
        (tmp_path / path).write_text(content, encoding="utf-8")
    engine.code.index(str(tmp_path))
    stored = engine.memories.store(text, namespace=str(tmp_path)).memory
    anchors = engine.memories.get(stored.id).freshness.anchors
    assert [row.path if row.symbol is None else f"{row.path}::{row.symbol}" for row in anchors] == expected

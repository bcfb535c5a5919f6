"""Tag: when a question names one, and by which of its words."""

from __future__ import annotations

import pytest

from recollect.recall.lexical import named_tags
from recollect.recall.query import understand


@pytest.mark.parametrize(
    ("question", "tags", "terms"),
    [
        ("Which chimneys are there?", ("chimney", "roof"), [{"chimney"}]),
        ("ext:rs", ("ext:rs",), [{"ext", "rs", "ext:rs"}]),
        ("files in rs", ("ext:rs",), [{"rs"}]),
        ("ext of it", ("ext:rs",), []),
        ("error handling in Rust", ("error-handling", "lang:rust"), [{"error", "handl"}, {"rust"}]),
        ("error in Rust", ("error-handling",), []),
        ("where is the rule engine", ("stated", "rule", "engine"), [{"engin"}]),
        ("anything", (), []),
    ],
)
def test_a_tag_is_named_by_all_its_words(question: str, tags: tuple[str, ...], terms: list[set[str]]) -> None:
    assert named_tags(tags, frozenset(understand(question).terms)) == terms

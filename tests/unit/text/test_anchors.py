"""Words that share a pass are found where each would be found alone."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.text.secrets.anchors import ALONE, TOGETHER, anchors, places

WORDS = [*ALONE, *(word for _, words in TOGETHER for word, _ in words.values())]
# What the words are made of, cut so that they also meet half and overlapping.
PIECES = [*WORDS, b"to", b"coo", b"k", b"p", b"b", b":", b"/", b"5432", b"s", b"en", b"ie", b" "]


def alone(text: bytes) -> dict[bytes, list[int]]:
    found = {word: [match.start() for match in re.finditer(re.escape(word), text)] for word in WORDS}
    return {word: at for word, at in found.items() if at}


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"tokenkeycookie",
        b"postgres:5432://x:5432:",
        b"passpwkey",
        b"bearerbasic",
        b"tokey cokie toke",
        b"sig=secret",
    ],
)
def test_words_that_touch_are_all_found(text: bytes) -> None:
    assert anchors(text) == alone(text)


@given(st.lists(st.sampled_from(PIECES), max_size=12).map(b"".join))
def test_every_word_is_found_where_it_would_be_found_alone(text: bytes) -> None:
    assert anchors(text) == alone(text)
    assert places(text, WORDS) == alone(text)

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.providers.provider_protocol import excerpt


@given(st.text(), st.integers(0, 40))
def test_an_excerpt_is_the_longest_beginning_that_fits(text: str, room: int) -> None:
    cut = excerpt(text, room)
    assert text.startswith(cut) and len(cut.encode()) <= room
    if cut != text:
        assert len(text[: len(cut) + 1].encode()) > room


@pytest.mark.parametrize(("text", "expected"), [("a\ud800b", "a?b"), ("\udfff", "?"), ("", "")])
def test_what_cannot_be_encoded_becomes_a_question_mark(text: str, expected: str) -> None:
    assert excerpt(text, 100) == expected

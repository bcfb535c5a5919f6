"""Any text can be cut into passages, nothing of it is lost, and what is kept of a passage's shape comes back."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import example, given
from hypothesis import strategies as st

from recollect.text.passage_features import shape, unpacked
from recollect.text.passages import MAX_PASSAGES, PASSAGE_CHARACTERS, SLACK, passages

# All of Unicode, surrogates included, with many of the characters at which a text is cut.
fragment = st.text(st.characters() | st.sampled_from("a \n\r\t.!?。！\u2028\u3000"), min_size=1, max_size=30)
# Long texts of few draws: fragments that are repeated.
long_text = st.lists(st.tuples(fragment, st.integers(1, 150)), max_size=8).map(
    lambda parts: "".join(piece * times for piece, times in parts)
)


@given(long_text)
@example("")
@example("\n" * 5000)
@example(" " * 5000)
@example("。" * 5000)
@example("e\u0301" * 3000)
@example("." * 1251)
def test_passages_join_to_the_text_and_none_is_empty_or_too_long(text: str) -> None:
    found = passages(text)
    assert "".join(found) == text
    assert 1 <= len(found) <= MAX_PASSAGES
    assert all(found) or not text
    longest = PASSAGE_CHARACTERS if len(found) > 1 else PASSAGE_CHARACTERS * SLACK
    assert max(map(len, found)) <= longest


@given(long_text)
def test_two_passages_in_a_row_are_more_than_one_could_hold(text: str) -> None:
    found = passages(text)
    assert all(len(one) + len(next_one) > PASSAGE_CHARACTERS for one, next_one in pairwise(found))


@given(fragment | st.sampled_from(["yesterday", "in 1832 and last week"]), st.integers(1, MAX_PASSAGES), st.integers())
def test_the_shape_of_any_passage_comes_back_from_storage(text: str, parts: int, at: int) -> None:
    made = shape(text, parts=parts, at=at)
    assert unpacked(made.packed()) == made
    assert (made.characters, made.parts) == (len(text), parts)

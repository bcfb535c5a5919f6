"""Chunking: parent and children, boundaries, and invalid arguments."""

from __future__ import annotations

import itertools

import pytest

from recollect.episodic import ChunkedMemoryRecord, ContextualChunker

SENTENCES = "Lists keep their order. Dictionaries map keys to values. Sets hold each thing once. "


def children(records: list[ChunkedMemoryRecord]) -> list[ChunkedMemoryRecord]:
    parent, *found = records
    assert parent.is_parent
    assert all(child.parent_id == parent.id for child in found)
    return found


@pytest.mark.promise("A2")
def test_a_conversation_becomes_a_parent_and_chunks_with_their_exact_places() -> None:
    records = ContextualChunker().chunk_conversation("Tell me about data structures", SENTENCES * 20)
    parent, found = records[0], children(records)
    assert parent.content == f"User: Tell me about data structures\nAssistant: {SENTENCES * 20}"
    assert (parent.chunk_index, [child.chunk_index for child in found]) == (0, list(range(1, len(found) + 1)))
    assert 4 <= len(found) <= 6
    for child in found:
        place = child.chunk_metadata
        assert place is not None
        assert child.content == parent.content[place.start_char : place.end_char]
        assert child.full_context == parent.content
        assert 100 <= len(child.content) <= 400 + 50 + 100
        assert place.semantic_boundary
        assert child.content.rstrip().endswith(".")


@pytest.mark.promise("A2")
def test_chunks_overlap_by_a_fifth_at_most_and_begin_at_a_word() -> None:
    found = children(ContextualChunker().chunk_conversation("Tell me", SENTENCES * 20))
    places = [child.chunk_metadata for child in found if child.chunk_metadata is not None]
    for before, after in itertools.pairwise(places):
        assert before.overlap_end == after.overlap_start == before.end_char - after.start_char
        assert 40 <= after.overlap_start <= 80
    assert (places[0].start_char, places[0].overlap_start, places[-1].overlap_end) == (0, 0, 0)
    assert all(
        not child.content[0].isspace() and child.content.split()[0].strip(".") in SENTENCES for child in found[1:]
    )


@pytest.mark.promise("A2")
def test_without_overlap_the_chunks_joined_are_the_parent() -> None:
    records = ContextualChunker(overlap_ratio=0.0).chunk_conversation("Tell me", SENTENCES * 20)
    assert "".join(child.content for child in children(records)) == records[0].content


@pytest.mark.promise("A2")
def test_a_turn_that_fits_into_one_chunk_has_no_children() -> None:
    assert len(ContextualChunker().chunk_conversation("Hi", "Hello")) == 1
    assert len(ContextualChunker(chunk_size=10).chunk_conversation("Hi", "Hello there, how are you?")) > 1


@pytest.mark.promise("A2")
@pytest.mark.parametrize("size", [5_000, 50_000, 2_000_000])
def test_a_long_turn_has_ten_chunks_at_most_and_they_cover_it(size: int) -> None:
    records = ContextualChunker().chunk_conversation("Tell me", (SENTENCES * (size // 80))[:size])
    found = children(records)
    assert len(found) <= 10
    places = [child.chunk_metadata for child in found if child.chunk_metadata is not None]
    assert (places[0].start_char, places[-1].end_char) == (0, len(records[0].content))
    assert all(before.end_char >= after.start_char for before, after in itertools.pairwise(places))
    assert len(children(ContextualChunker(max_chunks=3).chunk_conversation("Tell me", SENTENCES * 100))) == 3


@pytest.mark.promise("A2")
@pytest.mark.parametrize(("user", "assistant"), [("", "x"), ("x", " \n"), (None, "x"), ("x", 7)])
def test_a_text_that_says_nothing_is_a_value_error(user: object, assistant: object) -> None:
    with pytest.raises(ValueError, match=r"(user|assistant)_text is (empty|None|not text: 7)"):
        ContextualChunker().chunk_conversation(user, assistant)  # type: ignore[arg-type]


@pytest.mark.promise("A2")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"chunk_size": 0}, "chunk_size must be a whole number of at least 1"),
        ({"chunk_size": 2.5}, "chunk_size"),
        ({"overlap_ratio": 0.6}, "overlap_ratio must be a number from 0 to 0.5"),
        ({"overlap_ratio": -0.1}, "overlap_ratio"),
        ({"min_chunk_size": 0}, "min_chunk_size"),
        ({"max_chunks": True}, "max_chunks"),
    ],
)
def test_a_configuration_that_makes_no_sense_is_a_value_error(arguments: dict[str, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ContextualChunker(**arguments)  # type: ignore[arg-type]


@pytest.mark.promise("A3")
@pytest.mark.parametrize(
    ("text", "ideal", "expected"),
    [
        ("One. Two, three\n\nfour five. Six", 12, (17, True)),  # a paragraph before the sentence that is nearer
        ("One two. Three, four five six", 16, (8, True)),  # a sentence before the clause that is nearer
        ("One two three, four five six", 19, (14, False)),  # a clause before the word that is nearer
        ("One two three four", 9, (8, False)),  # the nearest word
        ("One two. Three four. Five six", 19, (20, True)),  # the nearest of two sentences
        ('He said "stop!" and went', 12, (15, True)),  # with what closes the quotation
        ("Version 3.11 is out now", 11, (13, False)),  # a point within a number ends nothing
        ("他说你好。然后走了", 4, (5, True)),  # sentences without spaces
        ("One\r\n\r\ntwo", 4, (7, True)),
        ("abcdefgh", 4, (4, False)),  # nowhere better
    ],
)
def test_the_best_kind_of_boundary_wins_and_then_the_nearest(text: str, ideal: int, expected: tuple[int, bool]) -> None:
    assert ContextualChunker().find_semantic_boundary(text, ideal) == expected


@pytest.mark.promise("A3")
def test_a_boundary_is_looked_for_within_the_window_alone() -> None:
    text = "First sentence. " + "x" * 40 + " tail"
    chunker = ContextualChunker()
    assert chunker.find_semantic_boundary(text, 30, 5) == (30, False)
    assert chunker.find_semantic_boundary(text, 30, 20) == (15, True)
    assert chunker.find_semantic_boundary(text, 1_000) == (len(text), True)
    assert chunker.find_semantic_boundary(text, -3) == (0, False)
    for arguments in ((7, 5), (text, "5"), (text, 5, -1)):
        with pytest.raises(ValueError, match=r"text|ideal_pos|search_window"):
            chunker.find_semantic_boundary(*arguments)  # type: ignore[arg-type]


@pytest.mark.promise("A3")
@pytest.mark.parametrize("one", ["e\u0301", "👨‍👩‍👧‍👦", "🇵🇪", "👍🏽", "\r\n", "한", "क्षि"])
def test_what_people_see_as_one_character_is_not_cut(one: str) -> None:
    text = one * 40
    for ideal in range(1, len(text)):
        position, _ = ContextualChunker().find_semantic_boundary(text, ideal, 20)
        assert position % len(one) == 0

"""Chunks cover their conversation exactly, whatever it is written in, and come back as they were kept."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.episodic import ChunkedMemoryRecord, ContextualChunker, EnhancedEpisodicMemory, TemporalMemoryWeighting
from recollect.episodic.chunker import is_whole

# What a cut can go wrong on: marks, joined and coloured emoji, flags, line ends, scripts without spaces, blanks.
PIECES = st.sampled_from(
    ["e\u0301", "\u0301" * 3, "👨‍👩‍👧", "👍🏽", "🇵🇪🇩🇪", "\r\n", "\r\n\r\n", "\n\n", "。", "他说", "ภาษาไทย",
     "क्षि", "한글", " ", "  \t ", "\u2029", "\u200b", "word ", "A sentence. ", "a clause, ", "x", "\ufeff", "\u0000"]
)  # fmt: skip
TEXTS = st.text(max_size=300) | st.lists(PIECES, max_size=200).map("".join)
CHUNKERS = st.builds(
    ContextualChunker,
    chunk_size=st.integers(1, 120),
    overlap_ratio=st.floats(0.0, 0.5),
    min_chunk_size=st.integers(1, 150),
    max_chunks=st.integers(1, 12),
)


@pytest.mark.promise("A2")
@settings(max_examples=300)
@given(chunker=CHUNKERS, user=TEXTS, assistant=TEXTS)
def test_chunks_are_slices_that_cover_the_whole_text(chunker: ContextualChunker, user: str, assistant: str) -> None:
    if not user.strip() or not assistant.strip():
        with pytest.raises(ValueError, match="empty"):
            chunker.chunk_conversation(user, assistant)
        return
    parent, *children = chunker.chunk_conversation(user, assistant)
    check(chunker, parent, children)


def check(chunker: ContextualChunker, parent: ChunkedMemoryRecord, children: list[ChunkedMemoryRecord]) -> None:
    text = parent.content
    assert len(children) <= chunker.max_chunks
    assert len(children) != 1
    if not children:
        return
    places = [child.chunk_metadata for child in children if child.chunk_metadata is not None]
    assert len(places) == len(children)
    assert (places[0].start_char, places[-1].end_char) == (0, len(text))
    for child, place in zip(children, places, strict=True):
        assert child.content == text[place.start_char : place.end_char]
        assert len(child.content) >= min(chunker.min_chunk_size, chunker.chunk_size)
    for before, after in itertools.pairwise(places):
        assert before.start_char < after.start_char <= before.end_char < after.end_char
        overlap = before.end_char - after.start_char
        assert before.overlap_end == after.overlap_start == overlap
        assert overlap <= chunker.overlap_ratio * (before.end_char - before.start_char) * 4 / 3 + 1
    assert (places[0].overlap_start, places[-1].overlap_end) == (0, 0)
    assert [child.chunk_index for child in children] == list(range(1, len(children) + 1))


@pytest.mark.promise("A3")
@settings(max_examples=300)
@given(text=TEXTS, ideal=st.integers(-5, 400), window=st.integers(0, 60))
def test_a_boundary_is_within_its_window_and_cuts_no_character_in_two(text: str, ideal: int, window: int) -> None:
    position, is_semantic = ContextualChunker().find_semantic_boundary(text, ideal, window)
    assert 0 <= position <= len(text)
    clipped = min(max(ideal, 0), len(text))
    assert abs(position - clipped) <= window
    near = range(max(1, clipped - window), min(len(text), clipped + window) + 1)
    if 0 < ideal < len(text) and any(is_whole(text, place) for place in near):
        assert is_whole(text, position)
    if is_semantic and position < len(text):
        assert not text[:position].isalnum()


@pytest.fixture(scope="module")
def memory() -> Iterator[EnhancedEpisodicMemory]:
    def nothing(text: str) -> list[float]:
        return [1.0, float(len(text))]

    with EnhancedEpisodicMemory(
        embedding_fn=nothing, chunker=ContextualChunker(40, 0.3, 10), max_records=10_000_000
    ) as opened:
        yield opened


@pytest.mark.promise("A2", "A9")
@settings(max_examples=60)
@given(user=TEXTS, assistant=TEXTS)
def test_whatever_is_remembered_comes_back_or_is_refused(
    memory: EnhancedEpisodicMemory, user: str, assistant: str
) -> None:
    before = len(memory)
    try:
        made = memory.remember(user, assistant)
    except ValueError:
        both = user + assistant
        assert not user.strip() or not assistant.strip() or "\0" in both or any("\ud800" <= c <= "\udfff" for c in both)
        assert len(memory) == before
        return
    assert len(memory) == before + len(made)
    for record in made:
        kept = memory.get_record(record.id)
        assert kept is not None
        kept.embedding = record.embedding
        assert kept == record


@pytest.mark.promise("A5")
@given(
    similarity=st.floats(0, 1),
    age_s=st.floats(-1e9, 1e12),
    count=st.integers(0, 10**9),
    base=st.floats(0, 100),
    kind=st.sampled_from(["working", "session", "episodic", "semantic"]),
)
def test_weights_stay_in_their_bounds_and_age_never_helps(
    similarity: float, age_s: float, count: int, base: float, kind: str
) -> None:
    weighting = TemporalMemoryWeighting()
    now = 2e12
    weight = weighting.calculate_temporal_weight(now - age_s, kind, now)
    assert 0.0 <= weight <= 1.0
    assert weighting.calculate_temporal_weight(now - age_s - 3600, kind, now) <= weight
    multiplier = weighting.calculate_importance_multiplier(count, base)
    assert 0.0 <= multiplier <= 5.0
    assert weighting.calculate_importance_multiplier(count + 1, base) >= multiplier
    score = weighting.calculate_final_score(similarity, now - age_s, count, base, kind, current_time=now)
    assert score == similarity * weight * multiplier

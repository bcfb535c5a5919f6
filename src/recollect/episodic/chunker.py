"""Chunker: a conversation becomes a parent and overlapping children that cover it, cut where meaning ends.

    parent   |---------------------------------------------------|
    child 1  |----------------|
    child 2               |~~~|-------------|
    child 3                               |~~|------------------|      ~ the overlap, in both

A child's content is exactly `parent.content[start_char:end_char]`. A turn that fits into one chunk has no children. A
turn that would need more chunks than are allowed gets larger ones.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

from recollect.episodic import boundary
from recollect.episodic.defaults import documented, number, settled, whole
from recollect.episodic.records import ChunkedMemoryRecord, ChunkMetadata, conversation, required

# How far from the wanted place a cut is looked for, unless chunks are so small that this would be most of one.
SEARCH_WINDOW = 50
LARGEST_WINDOW = 0.25


class Span(NamedTuple):
    """Where a chunk begins and ends, and whether it ends with a sentence or paragraph."""

    start: int
    end: int
    is_semantic: bool


class ContextualChunker:
    """Cuts conversations at paragraphs, sentences, clauses and words."""

    def __init__(
        self,
        chunk_size: int = documented(400),
        overlap_ratio: float = documented(0.2),
        min_chunk_size: int = documented(100),
        *,
        max_chunks: int = documented(10),
    ) -> None:
        """Cut into chunks of about `chunk_size` characters.

        overlap_ratio: which share of a chunk the next one repeats at most, 0 to 0.5
        min_chunk_size: no chunk is shorter; a larger one than chunk_size counts as chunk_size
        max_chunks: how many chunks a conversation has at most
        """
        given = settled(
            chunk_size=chunk_size,
            chunk_overlap=overlap_ratio,
            min_chunk_size=min_chunk_size,
            max_chunks_per_turn=max_chunks,
        )
        self.chunk_size = whole("chunk_size", given["chunk_size"], 1)
        self.overlap_ratio = number("overlap_ratio", given["chunk_overlap"], 0.0, 0.5)
        self.min_chunk_size = whole("min_chunk_size", given["min_chunk_size"], 1)
        self.max_chunks = whole("max_chunks", given["max_chunks_per_turn"], 1)

    def chunk_conversation(self, user_text: str, assistant_text: str) -> list[ChunkedMemoryRecord]:
        """Return a conversation as its parent record, followed by its chunks in order.

        Raises ValueError if one of the texts is empty or none.
        """
        user, assistant = required("user_text", user_text), required("assistant_text", assistant_text)
        parent = ChunkedMemoryRecord(user=user, assistant=assistant, content=conversation(user, assistant))
        parent.last_accessed = parent.timestamp
        return [parent, *self._children(parent)]

    def find_semantic_boundary(self, text: str, ideal_pos: int, search_window: int = SEARCH_WINDOW) -> tuple[int, bool]:
        """Return the best place to cut near a position, and whether a sentence or paragraph ends there.

        Raises ValueError for a position or window that is no whole number, or a window below 0.
        """
        if not isinstance(text, str):
            raise ValueError(f"text must be a string, not {text!r:.40}")
        if isinstance(ideal_pos, bool) or not isinstance(ideal_pos, int):
            raise ValueError(f"ideal_pos must be a whole number, not {ideal_pos!r}")
        position, is_semantic = boundary.find(text, ideal_pos, whole("search_window", search_window, 0))
        return position, is_semantic

    def _children(self, parent: ChunkedMemoryRecord) -> Iterator[ChunkedMemoryRecord]:
        spans = list(self._spans(parent.content))
        for place, span in enumerate(spans if len(spans) > 1 else ()):
            before = spans[place - 1].end - span.start if place else 0
            after = span.end - spans[place + 1].start if place + 1 < len(spans) else 0
            yield ChunkedMemoryRecord(
                parent_id=parent.id,
                chunk_index=place + 1,
                user=parent.user,
                assistant=parent.assistant,
                content=parent.content[span.start : span.end],
                full_context=parent.content,
                timestamp=parent.timestamp,
                chunk_metadata=ChunkMetadata(span.start, span.end, before, after, span.is_semantic),
                last_accessed=parent.timestamp,
            )

    def _spans(self, text: str) -> Iterator[Span]:
        """Yield the chunks of a text from its beginning to its end, at most as many as are allowed."""
        start = 0
        for left in range(self.max_chunks, 0, -1):
            size = self._size(len(text) - start, left)
            end, is_semantic = self._end(text, start, size)
            yield Span(start, end, is_semantic)
            if end == len(text):
                return
            start = self._start(text, end, int(size * self.overlap_ratio))

    def _size(self, rest: int, left: int) -> int:
        """Return how large a chunk should be so that as many as are left cover the rest."""
        return max(self.chunk_size, math.ceil(rest / (1 + (left - 1) * (1 - self.overlap_ratio))))

    def _end(self, text: str, start: int, size: int) -> boundary.Boundary:
        least = min(self.min_chunk_size, self.chunk_size)
        if len(text) - start <= size:
            return boundary.Boundary(len(text), True)
        window = min(SEARCH_WINDOW, int(size * LARGEST_WINDOW))
        end = boundary.find(text, start + max(size, least + window), window)
        # What would be left is too little for a chunk of its own.
        return boundary.Boundary(len(text), True) if len(text) - end.position < least else end

    @staticmethod
    def _start(text: str, end: int, overlap: int) -> int:
        """Return where the chunk after one that ends here begins: at a word, and repeating `overlap` at most."""
        first = end - overlap
        for place in range(first, end - overlap // 2):
            if boundary.WORD.match(text[place - 1]) and not boundary.WORD.match(text[place]):
                return place
        return next((place for place in range(first, end) if boundary.is_whole(text, place)), end)

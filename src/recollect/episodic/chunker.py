"""Chunker: split a conversation into a parent and overlapping children that cover it.

    parent   |---------------------------------------------------|
    child 1  |----------------|
    child 2               |~~~|-------------|
    child 3                               |~~|------------------|      ~ the overlap, in both

A child's content is exactly `parent.content[start_char:end_char]`. A turn that fits into one chunk has no children. A
turn that would need more chunks than are allowed gets larger ones. The best kind of boundary within reach wins, and of
that kind the one nearest to the ideal position:

    paragraph  >  sentence  >  clause or line  >  word  >  between two grapheme clusters

A grapheme cluster (a letter with its accents, a flag, a family of emoji, CR LF) is split only if nothing else is within
reach.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

from recollect.episodic.records import ChunkedMemoryRecord, ChunkMetadata, conversation
from recollect.episodic.validation import documented, number, required, settled, whole

# How far from the ideal position a boundary is searched, and the largest share of a chunk that this may be.
SEARCH_WINDOW = 50
LARGEST_WINDOW = 0.25

# From the best boundary to the worst; the cut is at the end of a match.
PARAGRAPH = re.compile("(?:\r\n|\r|\n)[^\\S\r\n]*(?:\r\n|\r|\n)|\u2029")
SENTENCE = re.compile(r"(?<![.!?…؟۔])[.!?…؟۔]++[\"'”’»)\]]*+(?=\s|\Z)|[。！？｡।॥။។᠃]+[」』”’）]*")
CLAUSE = re.compile("(?<![,;:،؛—–])[,;:،؛—–]++(?=\\s)|[、，；：]|\r\n|\r|\n|\u2028")
WORD = re.compile("\\s|\u200b")

ZERO_WIDTH_JOINER = "\u200d"
# Characters that continue a grapheme cluster although Unicode does not call them marks: joiners, skin tones of emoji,
# tags of flags, and the rest of a Hangul syllable.
_ATTACHED = re.compile("[\u200c\u200d\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f\u1160-\u11ff]")
# The combining class of the sign that joins two consonants of an Indic script into one.
VIRAMA = 9
_FLAG = re.compile("[\U0001f1e6-\U0001f1ff]")


class Boundary(NamedTuple):
    """A position, and whether a sentence or paragraph ends there."""

    position: int
    is_semantic: bool


class Span(NamedTuple):
    """Start and end of a chunk, and whether it ends with a sentence or paragraph."""

    start: int
    end: int
    is_semantic: bool


class ContextualChunker:
    """Splits conversations at paragraphs, sentences, clauses and words."""

    def __init__(
        self,
        chunk_size: int = documented(400),
        overlap_ratio: float = documented(0.2),
        min_chunk_size: int = documented(100),
        *,
        max_chunks: int = documented(10),
    ) -> None:
        """Split into chunks of about `chunk_size` characters.

        overlap_ratio: maximum share of a chunk that the next one repeats, 0 to 0.5
        min_chunk_size: minimum length of a chunk; at most chunk_size
        max_chunks: maximum number of chunks of a conversation
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

        Raises ValueError if one of the texts is empty or None.
        """
        user, assistant = required("user_text", user_text), required("assistant_text", assistant_text)
        parent = ChunkedMemoryRecord(user=user, assistant=assistant, content=conversation(user, assistant))
        parent.last_accessed = parent.timestamp
        return [parent, *self._children(parent)]

    def find_semantic_boundary(self, text: str, ideal_pos: int, search_window: int = SEARCH_WINDOW) -> tuple[int, bool]:
        """Return the best boundary near a position, and whether a sentence or paragraph ends there.

        Raises ValueError for a position or window that is not a whole number, or a negative window.
        """
        if not isinstance(text, str):
            raise ValueError(f"text must be a string, not {text!r:.40}")
        if isinstance(ideal_pos, bool) or not isinstance(ideal_pos, int):
            raise ValueError(f"ideal_pos must be a whole number, not {ideal_pos!r}")
        position, is_semantic = find_boundary(text, ideal_pos, whole("search_window", search_window, 0))
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
        """Yield the spans of the chunks that cover a text, at most `max_chunks`."""
        start = 0
        for left in range(self.max_chunks, 0, -1):
            size = self._size(len(text) - start, left)
            end, is_semantic = self._end(text, start, size)
            yield Span(start, end, is_semantic)
            if end == len(text):
                return
            start = self._start(text, end, int(size * self.overlap_ratio))

    def _size(self, rest: int, left: int) -> int:
        """Return the chunk size with which `left` chunks cover the rest."""
        return max(self.chunk_size, math.ceil(rest / (1 + (left - 1) * (1 - self.overlap_ratio))))

    def _end(self, text: str, start: int, size: int) -> Boundary:
        least = min(self.min_chunk_size, self.chunk_size)
        if len(text) - start <= size:
            return Boundary(len(text), True)
        window = min(SEARCH_WINDOW, int(size * LARGEST_WINDOW))
        end = find_boundary(text, start + max(size, least + window), window)
        # A rest below the minimum joins this chunk.
        return Boundary(len(text), True) if len(text) - end.position < least else end

    @staticmethod
    def _start(text: str, end: int, overlap: int) -> int:
        """Return the start of the next chunk: at a word, repeating at most `overlap` characters."""
        first = end - overlap
        for place in range(first, end - overlap // 2):
            if WORD.match(text[place - 1]) and not WORD.match(text[place]):
                return place
        return next((place for place in range(first, end) if is_whole(text, place)), end)


def find_boundary(text: str, ideal: int, reach: int) -> Boundary:
    """Return the best boundary within `reach` characters of `ideal`, inside the text."""
    if ideal >= len(text):
        return Boundary(len(text), True)
    if ideal <= 0:
        return Boundary(0, False)
    first, last = max(1, ideal - reach), min(len(text), ideal + reach)
    for kind, is_semantic in ((PARAGRAPH, True), (SENTENCE, True), (CLAUSE, False), (WORD, False)):
        places = _ends(kind, text, first, last)
        if places:
            return Boundary(min(places, key=lambda place: (abs(place - ideal), place)), is_semantic)
    return Boundary(whole_place(text, ideal, reach), False)


def _ends(kind: re.Pattern[str], text: str, first: int, last: int) -> list[int]:
    """Return the ends of matches within bounds; a match may begin before them."""
    found = (match.end() for match in kind.finditer(text, max(0, first - 8), min(len(text), last + 8)))
    return [place for place in found if first <= place <= last and is_whole(text, place)]


def whole_place(text: str, ideal: int, reach: int) -> int:
    """Return the position nearest to `ideal` that splits no grapheme cluster; else `ideal`."""
    for away in range(reach + 1):
        for place in (ideal - away, ideal + away):
            if 0 < place <= len(text) and is_whole(text, place):
                return place
    return ideal


def is_whole(text: str, place: int) -> bool:
    """Return whether a cut here splits no grapheme cluster."""
    if not 0 < place < len(text):
        return True
    before, after = text[place - 1], text[place]
    if before == "\r" and after == "\n":
        return False
    if before == ZERO_WIDTH_JOINER or _ATTACHED.match(after) or unicodedata.category(after)[0] == "M":
        return False
    if unicodedata.combining(before) == VIRAMA and after.isalpha():
        return False
    return not (_FLAG.match(after) and _flags_before(text, place) % 2)


def _flags_before(text: str, place: int) -> int:
    """Return the number of regional indicators directly before a position; two make a flag."""
    count = 0
    while count < place and _FLAG.match(text[place - count - 1]):
        count += 1
    return count

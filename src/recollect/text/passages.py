"""Passages: the parts of a long text that are indexed separately. Most memories are one passage.

A text is cut at blank lines, line ends and sentences, and the pieces are joined until a passage is full. Passages have
no gaps or overlaps: joined they are the text.

The changes of a release are cut item by item, and imported commits into a few sentences: each is about something else,
and is found by its own words.
"""

from __future__ import annotations

from collections.abc import Iterator

from recollect.text.lazy_patterns import compiled

# About 250 tokens: the embedding model was trained on short texts.
PASSAGE_CHARACTERS = 1000
# A slightly longer text stays whole.
SLACK = 1.25
# The number of a passage has ten bits.
MAX_PASSAGES = 1024

# The end of the first line of a list of changes.
LIST_HEAD = ", other changes:"
HEAD_CHARACTERS = 200
LIST_CHARACTERS = 20_000
_ITEMS = compiled(r"(?<=\n)(?=- )")
# The line below the message of an imported commit, and characters of its passages.
_COMMIT = compiled(r"(?<=\n\n)Commit [0-9a-f]{12}, \d{4}-\d\d-\d\d(?P<more>\n|\Z)")
COMMIT_CHARACTERS = 300

# From the best place to cut to the worst.
_CUTS = (compiled(r"\n\s*\n"), compiled(r"\n"), compiled(r"(?<=[.!?])\s+|(?<=[。！？])\s*"), compiled(r"\s+"))


def passages(text: str) -> list[str]:
    """Return the passages of `text` in order; a short text is its only passage."""
    if list_head(text) and len(text) <= LIST_CHARACTERS:
        head, *items = _ITEMS.split(text)
        return [head + "".join(items[:1]), *items[1:]]
    if (commit := _COMMIT.search(text)) and len(text) <= LIST_CHARACTERS:
        *before, last = _joined(text[: commit.start()], COMMIT_CHARACTERS)
        # What a changelog says about it is a passage of its own.
        end = text[commit.start() :]
        return [*before, last, end] if commit["more"] else [*before, last + end]
    return _joined(text, max(PASSAGE_CHARACTERS, -(-len(text) // (MAX_PASSAGES // 2))))[:MAX_PASSAGES]


def _joined(text: str, size: int) -> list[str]:
    if len(text) <= size * SLACK:
        return [text]
    joined: list[str] = []
    current = ""
    for piece in _pieces(text, size, 0):
        if current and len(current) + len(piece) > size:
            joined.append(current)
            current = ""
        current += piece
    return [*joined, current]


def head(text: str) -> str:
    """Return the first line of a text whose passages are ranked as notes: a list of changes, a commit; "" of others."""
    return list_head(text) or (text.partition("\n")[0] if _COMMIT.search(text) else "")


def list_head(text: str) -> str:
    """Return the first line of a list of changes; "" if a text is none."""
    head = text[: text.find("\n", 0, HEAD_CHARACTERS) + 1].rstrip("\n")
    return head if head.endswith(LIST_HEAD) else ""


def _pieces(text: str, size: int, level: int) -> Iterator[str]:
    """Yield pieces no longer than `size` that join to `text`, cut at the best places there are."""
    if len(text) <= size:
        yield text
        return
    if level == len(_CUTS):
        for start in range(0, len(text), size):
            yield text[start : start + size]
        return
    start = 0
    for cut in _CUTS[level].finditer(text):
        yield from _pieces(text[start : cut.end()], size, level + 1)
        start = cut.end()
    if start < len(text):
        yield from _pieces(text[start:], size, level + 1)

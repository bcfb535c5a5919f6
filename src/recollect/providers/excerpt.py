"""The beginning of a text, cut where an embedder stops reading anyway."""

from __future__ import annotations


def excerpt(text: str, max_bytes: int) -> str:
    """Return the longest beginning of `text` that fits into `max_bytes` of UTF-8, never half a character.

    A lone surrogate, which no tokenizer and no JSON reader takes, becomes a question mark.
    """
    return text[:max_bytes].encode("utf-8", "replace")[:max_bytes].decode("utf-8", "ignore")

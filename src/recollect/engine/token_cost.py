"""What a text costs a language model, for the libraries that stand on the engine: in tokens and in bytes."""

from __future__ import annotations

from recollect.text.token_count import tokens as tokens


def size(text: str) -> int:
    """Return how many bytes a text is in UTF-8; a lone surrogate counts as the three bytes it would be."""
    return len(text.encode("utf-8", "surrogatepass"))

"""Understand: what a question asks for, before anything is looked up."""

from __future__ import annotations

from typing import NamedTuple

from recollect.text.tokens import query_terms


class Query(NamedTuple):
    """A question and the search terms in it."""

    text: str
    terms: tuple[str, ...]


def understand(text: str) -> Query:
    """Return the question with its search terms, each once."""
    return Query(text, tuple(query_terms(text)))

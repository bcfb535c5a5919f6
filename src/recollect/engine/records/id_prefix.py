"""Ids by their beginning: people and models read eight characters of an id and may type them back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from recollect.errors import InvalidInput
from recollect.store.protocol import Range

if TYPE_CHECKING:
    from recollect.model import Record
    from recollect.store.protocol import Store, Transaction

# Fewer characters match too much: six hexadecimal digits tell 16 million ids apart.
LEAST_CHARACTERS = 6
# As many candidates as an error lists.
MAX_CANDIDATES = 5


def full_id(
    rows: Store | Transaction, kind: type[Record], field: str, given: str, where: Mapping[str, object] | None = None
) -> str | None:
    """Return the only value of an id field that begins with `given`, by index; None if there is none.

    Raises InvalidInput with the candidates if there are several.
    """
    if len(given) < LEAST_CHARACTERS:
        return None
    found: list[str] = []
    low, end = given, given + "\U0010ffff"
    while len(found) < MAX_CANDIDATES:
        page = rows.find(kind, {**(where or {}), field: Range(low, end)}, order=field, limit=1)
        if not page:
            break
        found.append(str(getattr(page[0], field)))
        low = found[-1] + "\x01"  # the next value in the index: no id contains this character
    if len(found) > 1:
        hint = f"Give more characters. It is one of: {', '.join(found)}."
        raise InvalidInput(f"several ids begin with {given}", hint=hint, candidates=found)
    return found[0] if found else None

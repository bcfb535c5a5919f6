"""Ids as people and models read them."""

from __future__ import annotations

import re

# Eight hexadecimal digits tell four billion ids apart; operations accept the beginning of an id.
CHARACTERS = 8

_UUID = re.compile("[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def short_id(name: str) -> str:
    """Return the first eight characters of a UUID, or of that of a memory's node; any other id as it is."""
    bare = name.removeprefix("mem:")
    return bare[:CHARACTERS] if _UUID.fullmatch(bare) else name

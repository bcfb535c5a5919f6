"""Standing: what is read of a memory beside its text when a passage of it is ranked; the same in every dialect."""

from __future__ import annotations

from functools import lru_cache

import msgspec

from recollect.store.protocol import ORDINARY, Standing, Written

# Columns of `memories m`. A memory that was only stored was never come back to; one that was replaced, nobody knows
# when, has not held since ever.
COLUMNS = (
    "m.importance, m.confidence, m.tags, CASE WHEN m.access_count > 0 THEN m.last_accessed_at END, "
    "CASE WHEN m.superseded_by IS NULL THEN m.valid_to ELSE coalesce(m.valid_to, 0) END, m.expires_at, "
    "m.branch, CASE WHEN m.branch IS NOT NULL THEN m.head END, CASE WHEN m.branch IS NOT NULL THEN m.namespace END"
)

# Lists of tags repeat, and decoding one takes as long as reading its row.
TAG_CACHE = 8_192

_ORDINARY_ROW = (ORDINARY.importance, ORDINARY.confidence, "[]", None, None, None, None, None, None)

Row = tuple[float, float, str, int | None, int | None, int | None, str | None, str | None, str | None]


def standing(row: Row) -> Standing:
    """Return the standing that the columns tell; one shared value for all memories that nothing is told of."""
    if row == _ORDINARY_ROW:
        return ORDINARY
    importance, confidence, tags, accessed_at, replaced_at, expires_at, branch, head, namespace = row
    if replaced_at is None or expires_at is None:
        ends_at = replaced_at if expires_at is None else expires_at
    else:
        ends_at = min(replaced_at, expires_at)
    written = Written(namespace, branch, head or "") if branch else None
    return Standing(importance, confidence, _tags(tags), accessed_at, ends_at, written)


@lru_cache(maxsize=TAG_CACHE)
def _tags(text: str) -> tuple[str, ...]:
    """Return a list of tags as kept; one that cannot be read has none, and is reported when its memory is read."""
    try:
        return msgspec.json.decode(text, type=tuple[str, ...])
    except msgspec.DecodeError:
        return ()

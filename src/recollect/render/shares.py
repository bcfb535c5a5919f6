"""What each kind of evidence added to a hit's score, as blocks."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.model import Share
from recollect.render.block import Block, Grid
from recollect.render.untrusted import oneline


def show_shares(shares: Sequence[Share]) -> list[Block]:
    """Return what each kind of evidence added, as a table; nothing if it was not asked for."""
    if not shares:
        return []
    return [Grid(("share", "because of"), tuple((f"{row.share:+.2f}", oneline(row.meaning)) for row in shares))]

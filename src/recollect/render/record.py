"""Each record's blocks: ONE table keyed on the record's type; a new operation with a known answer needs nothing.

A record without a row is shown as its fields; a test holds that every answered record has a row.
"""

from __future__ import annotations

from collections.abc import Mapping

from recollect.model import Record
from recollect.render import (
    code,
    coding,
    consolidation,
    graph,
    links,
    memory,
    packages,
    pattern,
    session,
    survey,
    upkeep,
    usefulness,
    window,
)
from recollect.render.block import Block, Facts, Show, particular

SHOWN: Mapping[type[Record], Show] = {
    **memory.SHOWN,
    **graph.SHOWN,
    **links.SHOWN,
    **code.SHOWN,
    **coding.SHOWN,
    **packages.SHOWN,
    **session.SHOWN,
    **pattern.SHOWN,
    **survey.SHOWN,
    **upkeep.SHOWN,
    **consolidation.SHOWN,
    **usefulness.SHOWN,
    **window.SHOWN,
}


def show_fields(record: Record, _now: int | None) -> list[Block]:
    """Return the fields of a record as they are."""
    rows = ((name.replace("_", " "), particular(getattr(record, name))) for name in record.__struct_fields__)
    return [Facts(tuple(rows))]

"""The functions that show each record as blocks, in one table by the type of the record.

A record without a row is shown as its fields. A test requires a row for every record that an operation returns.
"""

from __future__ import annotations

from collections.abc import Mapping

from recollect.model import Record
from recollect.render import admin_text, code_text, graph_text, memory_text, session_text, window_text
from recollect.render.block import Block, Facts, Show, particular

SHOWN: Mapping[type[Record], Show] = {
    **memory_text.SHOWN,
    **graph_text.SHOWN,
    **code_text.SHOWN,
    **session_text.SHOWN,
    **admin_text.SHOWN,
    **window_text.SHOWN,
}


def show_fields(record: Record, _now: int | None) -> list[Block]:
    """Return the fields of a record as they are."""
    rows = ((name.replace("_", " "), particular(getattr(record, name))) for name in record.__struct_fields__)
    return [Facts(tuple(rows))]

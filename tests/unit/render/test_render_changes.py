"""Operations that change something answer in one line, without what their caller said."""

from __future__ import annotations

import msgspec
import pytest
from tests.unit.render.test_records import AMENDMENT, MEMORY, NOW

from recollect import model
from recollect.model import Deleted, Record
from recollect.render import acknowledged, to_brief, to_text
from recollect.text.token_count import tokens

UUIDS = ("1a2b3c4d-0000-4000-8000-000000000001", "9f8e7d6c-0000-4000-8000-000000000002")
KEPT = msgspec.structs.replace(MEMORY, id=UUIDS[0])


@pytest.mark.parametrize(
    ("record", "said"),
    [
        (model.Stored(memory=KEPT, created=True), "Stored 1a2b3c4d."),
        (model.Stored(memory=KEPT, created=False), "Already known as 1a2b3c4d."),
        (model.Stored(memory=KEPT, created=False, merged=("tags",)), "Already known as 1a2b3c4d, added tags."),
        (
            model.Stored(memory=KEPT, created=True, amends=(msgspec.structs.replace(AMENDMENT, memory_id=UUIDS[1]),)),
            "Stored 1a2b3c4d, supersedes 9f8e7d6c.",
        ),
        (acknowledged(KEPT, read_only=False), "Updated 1a2b3c4d."),
        (Deleted(deleted=1, batch=UUIDS[1]), "Deleted 1 memory. Undo with batch 9f8e7d6c."),
        (
            model.Undone(undone=UUIDS[0], restored=1, batch=UUIDS[1]),
            "Undid batch 1a2b3c4d: 1 row restored. Undo this with batch 9f8e7d6c.",
        ),
    ],
)
def test_a_change_is_acknowledged_in_one_line_without_what_was_said(record: Record, said: str) -> None:
    assert to_text(record, NOW) == said
    assert MEMORY.content not in str(to_brief(record, NOW))
    assert tokens(str(to_brief(record, NOW))) < 50


def test_a_memory_that_is_read_is_not_acknowledged() -> None:
    assert acknowledged(KEPT, read_only=True) is KEPT

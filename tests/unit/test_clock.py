"""Time and identity."""

from __future__ import annotations

import time
import uuid

from recollect import clock


def test_now_is_the_current_time_in_whole_seconds() -> None:
    before, now, after = int(time.time()), clock.now(), int(time.time())
    assert isinstance(now, int)
    assert before <= now <= after


def test_an_id_is_a_random_uuid_in_its_usual_spelling() -> None:
    for _ in range(200):
        text = clock.new_id()
        parsed = uuid.UUID(text)
        assert str(parsed) == text
        assert parsed.version == 4
        assert parsed.variant == uuid.RFC_4122


def test_ids_do_not_repeat() -> None:
    assert len({clock.new_id() for _ in range(10_000)}) == 10_000

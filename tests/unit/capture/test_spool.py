"""A payload is held by one drainer at a time, and comes back when that one dies."""

from __future__ import annotations

import os
import signal
import stat
import time
from pathlib import Path

import pytest

from recollect import hook
from recollect.capture import spool as module
from recollect.capture.spool import BAD_FILES, Claims, Payload, Spool


@pytest.fixture
def spool(tmp_path: Path) -> Spool:
    return Spool(tmp_path)


def filled(spool: Spool, number: int) -> list[str]:
    return [spool.put(f"payload {each}".encode()) for each in range(number)]


def test_the_limit_is_that_of_the_hook() -> None:
    assert module.MAX_BYTES == hook.LIMIT_BYTES


def test_the_oldest_come_first_and_each_once(spool: Spool) -> None:
    names = filled(spool, 5)
    with Claims(spool) as first, Claims(spool) as second:
        taken = [payload.name for payload in (*first.take(2), *second.take(2), *first.take(2), *second.take(2))]
    assert taken == sorted(names)


@pytest.mark.parametrize("seconds", [1_700_000_000, 2_000_000_000])
def test_payloads_keep_their_order_where_a_second_ends_between_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seconds: int
) -> None:
    moments = iter([1_700_000_000_999_999_999, 1_700_000_001_000_000_001, 1_700_000_001_000_000_002])
    monkeypatch.setattr(module.time, "time_ns", lambda: next(moments))
    monkeypatch.setattr(module.clock, "now", lambda: seconds)
    names = [Spool(tmp_path).put(b"{}") for _ in range(3)]
    assert names == sorted(names)


def test_what_is_not_finished_is_given_back(spool: Spool) -> None:
    names = filled(spool, 3)
    with Claims(spool) as claims:
        done, *_ = claims.take(2)
        claims.done(done)
    assert spool.waiting() == 2
    assert sorted(path.name for path in spool.new.iterdir()) == sorted(names)[1:]
    assert list(spool.work.iterdir()) == []


def test_a_drainer_that_was_killed_loses_its_claims_and_a_living_one_does_not(spool: Spool) -> None:
    filled(spool, 4)
    ready, tell = os.pipe()
    child = os.fork()
    if child == 0:
        Claims(spool).__enter__().take(2)
        os.write(tell, b".")
        signal.pause()
    os.read(ready, 1)
    spool.tidy()
    assert spool.waiting() == 2, "its drainer is alive"
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    spool.tidy()
    assert spool.waiting() == 4
    assert list(spool.work.iterdir()) == []
    os.close(ready)
    os.close(tell)


def test_an_empty_spool_is_seen_without_making_folders(spool: Spool, tmp_path: Path) -> None:
    assert spool.is_empty()
    assert list(tmp_path.iterdir()) == []
    filled(spool, 1)
    assert not spool.is_empty()


def test_the_payload_of_a_hook_that_is_answered_does_not_count_as_another(spool: Spool) -> None:
    assert not spool.has_others(b"own")
    spool.put(b"own")
    assert not spool.has_others(b"own")
    assert spool.has_others(b"another")
    spool.put(b"own")
    assert spool.has_others(b"own")


def test_the_name_tells_when_and_by_whom(tmp_path: Path) -> None:
    name = "01767000000123456789-12-ab.PostToolUse.claude-code"
    payload = Payload(name, tmp_path / name)
    assert (payload.at_ns, payload.event, payload.assistant) == (
        1_767_000_000_123_456_789,
        "PostToolUse",
        "claude-code",
    )
    bare = Payload("somebody's file", tmp_path / "x")
    assert (bare.event, bare.assistant) == ("", "")
    assert bare.at_ns > 0
    assert Payload("1-2.unknown.unknown", tmp_path / "x").event == ""


def test_a_hook_and_we_name_payloads_alike(spool: Spool) -> None:
    ours = spool.put(b"x", event="Stop", assistant="../../x y")
    theirs = hook.file_name(["Stop", "../../x y"])
    assert ours.split(".")[1:] == theirs.split(".")[1:]
    assert len(ours.split("-")[0]) == len(theirs.split("-")[0]) == 20


def test_what_is_refused_is_kept_in_short_with_its_reason(spool: Spool) -> None:
    filled(spool, 1)
    with Claims(spool) as claims:
        (payload,) = claims.take(1)
        spool.refuse(payload, "it is not JSON", "x" * 1_000_000)
    (kept,) = spool.bad.iterdir()
    text = kept.read_text(encoding="utf-8")
    assert text.startswith("reason: it is not JSON\nbytes: 9\n\nxxx")
    assert len(text) < 20_000
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert spool.is_empty()


def test_of_bad_payloads_the_latest_are_kept(spool: Spool) -> None:
    names = filled(spool, BAD_FILES + 5)
    with Claims(spool) as claims:
        for payload in claims.take(1_000):
            spool.refuse(payload, "bad", "")
    assert sorted(path.name for path in spool.bad.iterdir()) == sorted(names)[5:]


def test_folders_and_links_in_the_spool_are_left_alone(spool: Spool, tmp_path: Path) -> None:
    filled(spool, 1)
    (spool.new / "folder").mkdir()
    (spool.new / "link").symlink_to(tmp_path / "secret")
    with Claims(spool) as claims:
        assert len(claims.take(10)) == 1


def test_what_a_dead_hook_had_begun_is_removed_in_time(spool: Spool) -> None:
    filled(spool, 1)
    for name, age in (("old", 7_200), ("young", 5)):
        path = spool.folder / "tmp" / name
        path.write_bytes(b"half")
        os.utime(path, (time.time() - age,) * 2)
    spool.tidy()
    assert [path.name for path in (spool.folder / "tmp").iterdir()] == ["young"]

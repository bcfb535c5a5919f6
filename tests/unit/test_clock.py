"""Time and identity."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import threading
import time
import uuid
from pathlib import Path

import pytest

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


def test_a_limit_of_cpu_time_interrupts_a_regular_expression_and_lets_go_of_the_timer() -> None:
    with pytest.raises(clock.CpuLimitExceeded), clock.cpu_limit(0.1):
        re.match("(a|a)*$", "a" * 100 + "b")
    assert signal.getitimer(signal.ITIMER_PROF) == (0, 0)
    assert signal.getsignal(signal.SIGPROF) is signal.SIG_DFL


def test_an_outer_limit_holds_after_an_inner_one() -> None:
    with pytest.raises(clock.CpuLimitExceeded), clock.cpu_limit(0.1):
        with clock.cpu_limit(100):
            pass
        while True:
            pass


def test_other_threads_do_not_use_up_a_limit() -> None:
    done = threading.Event()

    def work() -> None:
        while not done.is_set():
            pass

    working = threading.Thread(target=work)
    working.start()
    try:
        with clock.cpu_limit(0.2):
            began = time.process_time()
            while time.process_time() - began < 0.25:
                done.wait(0.01)  # gives way: the time is the other's
    finally:
        done.set()
        working.join()


def test_another_thread_runs_without_a_limit() -> None:
    found: list[bool] = []

    def work() -> None:
        with clock.cpu_limit(0.0001):
            began = time.thread_time()
            while time.thread_time() - began < 0.01:
                pass
            found.append(clock.can_limit_cpu())

    working = threading.Thread(target=work)
    working.start()
    working.join()
    assert found == [False]


def test_an_owner_has_ended_with_its_process() -> None:
    code = "from recollect import clock; print(clock.new_owner())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    ours = clock.new_owner()
    assert not clock.has_ended(ours)
    assert clock.has_ended(done.stdout.strip()) == Path("/proc/self/stat").exists()
    assert not clock.has_ended(done.stdout.strip().replace("@", "@another-machine"))
    assert not clock.has_ended(clock.new_id())
    # A number is used again by another process: the start tells them apart.
    assert clock.has_ended(ours.rpartition(":")[0] + ":1") == Path("/proc/self/stat").exists()

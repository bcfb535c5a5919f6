"""Slow calls: they keep nobody else waiting, can be withdrawn, and the engine warms up beside them."""

from __future__ import annotations

from typing import Any

import pytest

from recollect.surface.mcp.stdio import WORKERS

MODERN_META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


def cancel(line: Any, request_id: Any) -> None:
    line.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": request_id}})


def test_everything_else_is_answered_while_a_call_takes_its_time(patient: Any, make_fifo: Any) -> None:
    started, go = make_fifo("started"), make_fifo("go")
    patient.call("wait", "slow", started=started.path, go=go.path)
    started.wait()
    assert patient.ask("ping")["result"] == {}
    assert "supportedVersions" in patient.ask("server/discover", _meta=MODERN_META)["result"]
    assert "protocolVersion" in patient.ask("initialize", protocolVersion="2025-11-25")["result"]
    assert patient.ask("tools/list")["result"]["tools"][0]["name"] == "echo"
    patient.call("echo", "quick", text="x")
    assert patient.receive()["id"] == "quick"
    go.go()
    assert patient.receive()["id"] == "slow"


def test_more_calls_than_threads_are_all_answered(patient: Any, make_fifo: Any) -> None:
    started, go = make_fifo("started"), make_fifo("go")
    slow = range(WORKERS + 3)
    for number in slow:
        patient.call("wait", number, started=started.path, go=go.path)
    started.wait()
    assert patient.ask("ping")["result"] == {}
    go.go(len(slow))
    assert sorted(patient.receive()["id"] for _ in slow) == list(slow)


def test_a_withdrawn_call_stops_and_is_never_answered(patient: Any, make_fifo: Any) -> None:
    started, stopped = make_fifo("started"), make_fifo("stopped")
    patient.call("loop", "endless", started=started.path, stopped=stopped.path)
    started.wait()
    cancel(patient, "endless")
    assert stopped.wait() == b"stopped"
    patient.call("echo", "next", text="x")
    assert patient.receive()["id"] == "next"


def test_withdrawing_a_call_that_was_answered_changes_nothing(patient: Any) -> None:
    for _ in range(2):
        patient.call("echo", "again", text="x")
        assert patient.receive()["result"]["isError"] is False
        cancel(patient, "again")


def test_a_call_withdrawn_while_it_waits_for_a_thread_never_runs(patient: Any, make_fifo: Any) -> None:
    started, go, never = make_fifo("started"), make_fifo("go"), make_fifo("never")
    for number in range(WORKERS):
        patient.call("wait", number, started=started.path, go=go.path)
    patient.call("wait", "queued", started=never.path, go=go.path)
    patient.call("echo", "last", text="x")
    cancel(patient, "queued")
    assert patient.ask("ping")["result"] == {}
    go.go(WORKERS)
    assert {patient.receive()["id"] for _ in range(WORKERS + 1)} == {*range(WORKERS), "last"}


def test_progress_comes_before_the_answer_and_only_with_a_token(patient: Any, make_fifo: Any) -> None:
    started, stopped = make_fifo("started"), make_fifo("stopped")
    params = {"name": "loop", "arguments": {"started": started.path, "stopped": stopped.path}}
    meta = {"_meta": {"progressToken": "t"}}
    patient.send({"jsonrpc": "2.0", "id": "told", "method": "tools/call", "params": params | meta})
    first, second = patient.receive(), patient.receive()
    assert first["method"] == second["method"] == "notifications/progress"
    assert first["params"]["progress"] < second["params"]["progress"]
    cancel(patient, "told")
    patient.send({"jsonrpc": "2.0", "id": "after", "method": "ping"})
    while (message := patient.receive()).get("id") != "after":
        assert message["method"] == "notifications/progress"
    stopped.wait()


def test_the_engine_warms_up_once_the_client_was_answered_and_fell_quiet(connect: Any, make_fifo: Any) -> None:
    warm = make_fifo("warm")
    line = connect(AWKWARD_WARM=warm.path, QUIET_S="0.01", PARENT_S="0.01")
    assert line.ask("ping")["result"] == {}
    assert warm.wait() == b"warm"
    line.hang_up()
    assert line.end() == 0


def test_an_engine_that_cannot_warm_up_is_logged_and_no_more(connect: Any, make_fifo: Any) -> None:
    warm = make_fifo("warm")
    line = connect(AWKWARD_WARM=warm.path, AWKWARD_COLD="1", QUIET_S="0.01")
    assert line.ask("ping")["result"] == {}
    warm.wait()
    line.call("echo", 1, text="x")
    assert line.receive()["result"]["isError"] is False
    line.hang_up()
    assert line.end() == 0
    assert "ZeroDivisionError: cold" in line.errors()


@pytest.mark.parametrize("requests", [0, 1])
def test_a_client_that_goes_at_once_costs_no_engine(connect: Any, requests: int) -> None:
    line = connect(AWKWARD_COLD="1", QUIET_S="600")
    for _ in range(requests):
        line.ask("ping")
    line.hang_up()
    assert line.end() == 0
    assert "cold" not in line.errors()

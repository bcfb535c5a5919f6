"""Calls that take long: what the client hears of them, and how it takes them back."""

from __future__ import annotations

from typing import Any

import pytest

CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "count", "arguments": {"steps": 3}}}
CANCEL = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1, "reason": "enough"}}


def told(desk: Any) -> list[dict[str, Any]]:
    assert {message["method"] for message in desk.emitted} <= {"notifications/progress"}
    assert all("id" not in message for message in desk.emitted)
    return [message["params"] for message in desk.emitted]


@pytest.mark.parametrize("token", ["t", 0, 5])
def test_a_client_that_gives_a_token_hears_of_progress(desk: Any, token: Any) -> None:
    desk.call("count", _meta={"progressToken": token}, steps=2, said_total=2)
    assert told(desk) == [
        {"progressToken": token, "progress": 1, "total": 2, "message": "step 1"},
        {"progressToken": token, "progress": 2, "total": 2, "message": "step 2"},
    ]


def test_progress_without_a_known_end_has_no_total(desk: Any) -> None:
    desk.call("count", _meta={"progressToken": "t"}, steps=1)
    assert told(desk) == [{"progressToken": "t", "progress": 1, "message": "step 1"}]


@pytest.mark.parametrize("meta", [None, {}, {"progressToken": None}, {"progressToken": True}, {"progressToken": [1]}])
def test_a_client_without_a_token_hears_of_no_progress(desk: Any, meta: Any) -> None:
    assert desk.call("count", _meta=meta, steps=3)["isError"] is False
    assert desk.emitted == []


def test_progress_that_is_none_is_not_told(desk: Any) -> None:
    hear = desk.peer.listener(1, "t")
    for done in (0, 1, 1, 0, 2):
        hear(done, None, "")
    assert [params["progress"] for params in told(desk)] == [1, 2]


def test_a_long_task_tells_about_a_hundred_steps_and_its_end(desk: Any) -> None:
    desk.call("count", _meta={"progressToken": "t"}, steps=10_000, said_total=10_000)
    progress = [params["progress"] for params in told(desk)]
    assert progress == sorted(set(progress))
    assert 90 <= len(progress) <= 101
    assert progress[-1] == 10_000


def test_a_call_that_is_withdrawn_stops_at_its_next_report_and_is_not_answered(desk: Any) -> None:
    desk.peer.expect(1)
    desk.pad.on_step = lambda step: desk.tell(CANCEL) if step == 2 else None
    assert desk.tell(CALL) is None
    assert desk.pad.ran == ["step 1", "step 2"]


def test_a_call_that_is_withdrawn_before_its_turn_never_runs(desk: Any) -> None:
    desk.peer.expect(1)
    desk.tell(CANCEL)
    assert desk.tell(CALL) is None
    assert desk.pad.ran == []


def test_a_call_that_is_withdrawn_but_never_reports_is_not_answered_either(desk: Any) -> None:
    desk.peer.expect(1)
    desk.pad.on_step = lambda step: desk.tell(CANCEL)
    assert desk.tell(CALL | {"params": {"name": "store_memory", "arguments": {"text": "x"}}}) is None
    assert desk.pad.ran == ["store"]


def test_withdrawing_one_call_leaves_the_others_alone(desk: Any) -> None:
    desk.peer.expect(1, "1", 2)
    desk.tell(CANCEL)
    assert desk.tell(CALL) is None
    assert desk.tell(CALL | {"id": "1"})["result"]["isError"] is False
    assert desk.tell(CALL | {"id": 2})["result"]["isError"] is False


def test_withdrawing_what_is_over_or_unknown_changes_nothing(desk: Any) -> None:
    desk.tell(CANCEL)
    assert desk.tell(CALL)["result"]["isError"] is False
    desk.peer.expect(1)
    desk.peer.settle(1)
    desk.tell(CANCEL)
    assert desk.tell(CALL)["result"]["isError"] is False


def test_everything_can_be_withdrawn_at_once(desk: Any) -> None:
    desk.peer.expect(1, 2)
    desk.peer.withdraw()
    assert desk.tell(CALL) is None
    assert desk.tell(CALL | {"id": 2}) is None


def test_work_that_stops_of_its_own_accord_is_answered(desk: Any) -> None:
    assert desk.call("give_up")["structuredContent"]["error"]["code"] == "CANCELLED"

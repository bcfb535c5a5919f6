"""REST over a real socket: every operation as a route, with one error shape, pages, ETags and a document."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest
from jsonschema import Draft202012Validator
from tests.http_server import PATIENCE_S, Answer, HttpProcess

from recollect.capabilities import OPERATIONS


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpProcess]:
    with HttpProcess(tmp_path_factory.mktemp("rest") / "home") as process:
        for number in range(5):
            process.post("store_memory", content=f"We decided to deploy service {number} with ansible", project="app")
        yield process


def test_a_memory_is_stored_found_and_read_again(server: HttpProcess) -> None:
    stored = server.post("store_memory", content="The staging database is called heron", type="decision", tags=["db"])
    assert stored.status == 200
    memory = stored.json["memory"]
    assert (memory["memory_type"], memory["source"]) == ("decision", "user")
    found = server.get("recall_memory", query="what is the staging database called?", limit=1)
    assert found.json["hits"][0]["memory"]["id"] == memory["id"]
    assert server.get("get_memory", memory_id=memory["id"]).json["content"] == memory["content"]


def test_a_list_is_given_by_repeating_its_name(server: HttpProcess) -> None:
    server.post("store_memory", content="Both tags", tags=["one", "two"], project="tags")
    assert server.get("list_memories", tags=["one", "two"], project="tags").json["total"] == 1


def test_the_answer_is_what_the_command_prints_as_json(server: HttpProcess) -> None:
    assert set(server.get("stats").json) == set(OPERATIONS["stats"].returns.__struct_fields__)


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "code"),
    [
        ("GET", "/api/v1/recall_memory", None, 400, "INVALID_INPUT"),
        ("GET", "/api/v1/recall_memory?query=a&query=b", None, 400, "INVALID_INPUT"),
        ("GET", "/api/v1/recall_memory?query=a&nonsense=1", None, 400, "INVALID_INPUT"),
        ("GET", "/api/v1/get_memory?memory_id=0000000000", None, 404, "MEMORY_NOT_FOUND"),
        ("GET", "/api/v1/store_memory?content=a", None, 405, "METHOD_NOT_ALLOWED"),
        ("PUT", "/api/v1/stats", {}, 405, "METHOD_NOT_ALLOWED"),
        ("GET", "/api/v1/nothing", None, 404, "NOT_FOUND"),
        ("GET", "/api/v1/../../etc/passwd", None, 404, "NOT_FOUND"),
        ("GET", "/", None, 404, "NOT_FOUND"),
        ("POST", "/api/v1/store_memory", b"{", 400, "INVALID_INPUT"),
        ("POST", "/api/v1/store_memory", [], 400, "INVALID_INPUT"),
        ("POST", "/api/v1/store_memory", {"content": "x" * 2_000_000}, 413, "CONTENT_TOO_LARGE"),
        ("POST", "/api/v1/store_memory", {"content": 7}, 400, "INVALID_INPUT"),
    ],
)
def test_a_wrong_request_is_refused_in_the_one_shape(
    server: HttpProcess, method: str, path: str, body: Any, status: int, code: str
) -> None:
    answer = server.ask(method, path, body)
    assert (answer.status, answer.code) == (status, code)
    assert set(answer.json["error"]) == {"code", "message", "hint", "retryable", "details"}
    assert b"Traceback" not in answer.body


def test_a_body_that_is_not_called_json_is_refused(server: HttpProcess) -> None:
    answer = server.ask("POST", "/api/v1/store_memory", b'{"content": "a"}', {"content-type": "text/plain"})
    assert answer.status == 400


def test_pages_follow_each_other_until_the_last(server: HttpProcess) -> None:
    seen: list[str] = []
    page = server.get("list_memories", project="app", limit=2)
    while True:
        seen += [row["id"] for row in page.json["memories"]]
        cursor = page.json.get("next_cursor")
        if cursor is None:
            break
        assert f"cursor={cursor}" in page.headers["link"]
        page = server.get("list_memories", project="app", limit=2, cursor=cursor)
    assert len(seen) == len(set(seen)) == 5
    assert server.get("list_memories", cursor="bm9uc2Vuc2U").code == "INVALID_INPUT"


def test_an_unchanged_answer_is_not_sent_again(server: HttpProcess) -> None:
    path = "/api/v1/list_memories?project=app"
    first = server.ask("GET", path)
    again = server.ask("GET", path, headers={"if-none-match": first.headers["etag"]})
    assert (again.status, again.body) == (304, b"")
    server.post("store_memory", content="One more", project="app")
    changed = server.ask("GET", path, headers={"if-none-match": first.headers["etag"]})
    assert changed.status == 200


def test_health_and_metrics(server: HttpProcess) -> None:
    assert server.ask("GET", "/healthz").json["status"] == "ok"
    server.get("nothing")
    text = server.ask("GET", "/metrics").body.decode()
    for line in (
        'recollect_requests_total{route="other",method="GET",status="404"}',
        "recollect_database_bytes",
        "recollect_queued_hook_events 0",
        'recollect_request_seconds_bucket{route="store_memory",le="+Inf"}',
    ):
        assert line in text  # fmt: skip


def test_the_document_describes_every_operation_and_its_answers(server: HttpProcess) -> None:
    document = server.ask("GET", "/api/v1/openapi.json").json
    assert document["openapi"].startswith("3.1")
    for row in OPERATIONS.values():
        path = document["paths"][f"/api/v1/{row.name}"]
        assert ("get" in path) == row.read_only
        schema = path["post"]["requestBody"]["content"]["application/json"]["schema"]
        wanted = {part.name for part in row.parameters}
        assert wanted <= set(schema["properties"])
    assert document["paths"]["/api/v1/store_memory"]["post"]["requestBody"]["content"]["application/json"]["example"]
    answers = {
        name: server.get(name, **given).json
        for name, given in {"stats": {}, "list_memories": {"limit": 1}, "recall_memory": {"query": "deploy"}}.items()
    }
    for name, answer in answers.items():
        schema = document["paths"][f"/api/v1/{name}"]["get"]["responses"]["200"]["content"]["application/json"][
            "schema"
        ]
        Draft202012Validator({**schema, "components": document["components"]}).validate(answer)


def test_two_servers_share_a_store(server: HttpProcess, tmp_path: Path) -> None:
    home = Path(msgspec.json.decode(server.get("stats").body)["database"]).parent
    with HttpProcess(home) as second:
        second.post("store_memory", content="The second server writes too", project="both")
        assert server.get("list_memories", project="both").json["total"] == 1


def test_a_write_in_progress_is_finished_when_the_server_stops(tmp_path: Path) -> None:
    lines = "\n".join(f'{{"content": "Imported decision {number}"}}' for number in range(600))
    answers: list[Answer] = []
    with HttpProcess(tmp_path / "home") as process:
        writer = threading.Thread(target=lambda: answers.append(process.post("import_memories", content=lines)))
        writer.start()
        while 'route="import_memories"' not in (text := process.ask("GET", "/metrics").body.decode()):
            if "recollect_requests_in_progress 2" in text:  # the import and this question
                break
        assert process.end() == 0
        writer.join(PATIENCE_S)
    assert (answers[0].status, answers[0].json["created"]) == (200, 600)
    with HttpProcess(tmp_path / "home") as again:
        assert again.get("list_memories", limit=1).json["total"] == 600


def test_a_call_that_waits_does_not_hold_up_others(tmp_path: Path) -> None:
    with HttpProcess(tmp_path / "home", RECOLLECT_BUSY_TIMEOUT_MS="600000") as process:
        process.post("store_memory", content="The first")
        answers: list[Answer] = []
        with closing(sqlite3.connect(tmp_path / "home" / "recollect.db", isolation_level=None)) as lock:
            lock.execute("BEGIN IMMEDIATE")
            waiting = threading.Thread(target=lambda: answers.append(process.post("store_memory", content="Waits")))
            waiting.start()
            assert process.get("list_memories").json["total"] == 1
            assert process.begin()
            assert not answers
            lock.execute("ROLLBACK")
            waiting.join(PATIENCE_S)
        assert answers[0].status == 200

"""Who may call the HTTP server and with what: every refusal has its documented status and code, over a real socket."""

from __future__ import annotations

import http.client
import os
import shutil
import socket
import ssl
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from tests.http_server import COMMAND, PATIENCE_S, HttpProcess, create_token

from recollect import Engine
from recollect.model import AccessToken
from recollect.surface.http.request_guard import Rates, names_of

# The same server with another limit: the head of a request must arrive within a second instead of fifteen.
HASTY = """
import sys
from recollect.surface.cli import main
from recollect.surface.http import listener
listener.HEAD_S = 1.0
sys.exit(main(sys.argv[1:]))
"""
PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("guarded") / "home"


@pytest.fixture(scope="module")
def server(home: Path) -> Iterator[HttpProcess]:
    with HttpProcess(home, "--require-token", RECOLLECT_HTTP_MAX_BYTES="100000") as process:
        yield process


@pytest.fixture(scope="module")
def tokens(home: Path, server: HttpProcess) -> dict[str, str]:
    return {
        **{scope: create_token(home, scope, "--scope", scope) for scope in ("read", "write", "admin")},
        "limited": create_token(home, "limited", "--scope", "write", "--projects", "ours"),
    }


# --- tokens ---


@pytest.mark.parametrize("given", ["", "Bearer", "Bearer ", "Bearer wrong", "Bearer rcl_000000000000_x", "Basic YTpi"])
@pytest.mark.parametrize("path", ["/api/v1/stats", "/metrics", "/api/v1/openapi.json", "/mcp", "/nothing"])
def test_without_a_valid_token_nothing_is_told(server: HttpProcess, given: str, path: str) -> None:
    answer = server.ask("GET", path, headers={"authorization": given} if given else {})
    assert (answer.status, answer.code) == (401, "UNAUTHORIZED")
    assert "resource_metadata=" in answer.headers["www-authenticate"]


def test_what_a_client_needs_to_get_a_token_is_open(server: HttpProcess) -> None:
    assert server.ask("GET", "/healthz").status == 200
    told = server.ask("GET", "/.well-known/oauth-protected-resource").json
    assert told["resource"] == f"{server.url}/mcp"
    assert told["scopes_supported"] == ["read", "write", "admin"]


def test_a_scope_permits_its_operations_and_no_others(server: HttpProcess, tokens: dict[str, str]) -> None:
    assert server.get("stats", token=tokens["read"]).status == 200
    refused = server.post("store_memory", content="no", token=tokens["read"])
    assert (refused.status, refused.code) == (403, "FORBIDDEN")
    assert server.post("store_memory", content="yes", token=tokens["write"]).status == 200
    assert server.post("rebuild", token=tokens["write"]).status == 403
    assert server.post("rebuild", token=tokens["admin"]).status == 200


def test_a_scope_holds_for_mcp_too(server: HttpProcess, tokens: dict[str, str]) -> None:
    opening = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    begun = server.mcp({**PING, "method": "initialize", "params": opening}, token=tokens["read"])
    session = begun.headers["mcp-session-id"]
    call = {**PING, "method": "tools/call", "params": {"name": "store_memory", "arguments": {"content": "no"}}}
    result = server.mcp(call, session=session, token=tokens["read"]).json["result"]
    assert result["isError"]
    assert result["structuredContent"]["error"]["code"] == "FORBIDDEN"
    # A session belongs to the token that began it.
    assert server.mcp(PING, session=session, token=tokens["write"]).status == 404


def test_a_token_of_one_project_sees_nothing_of_another(server: HttpProcess, tokens: dict[str, str]) -> None:
    admin, limited = tokens["admin"], tokens["limited"]
    theirs = server.post("store_memory", content="The heron nests on the roof", project="theirs", token=admin)
    memory = theirs.json["memory"]["id"]
    server.post("store_memory", content="The heron is in our garden", project="ours", token=limited)
    found = server.get("recall_memory", query="where is the heron?", token=limited).json
    assert [hit["memory"]["namespace"] for hit in found["hits"]] == ["ours"]
    for answer in (
        server.get("get_memory", memory_id=memory, token=limited),
        server.get("recall_memory", query="heron", all_projects=True, token=limited),
        server.get("recall_memory", query="heron", project="theirs", token=limited),
        server.get("stats", token=limited),
        server.ask("GET", "/metrics", token=limited),
        server.post("delete_memory", memory_id=memory, token=limited),
    ):
        assert (answer.status, answer.code) == (403, "FORBIDDEN")
        assert b"roof" not in answer.body


def test_a_revoked_token_is_refused_at_once(server: HttpProcess, home: Path, tokens: dict[str, str]) -> None:
    secret = server.post("create_token", name="short", token=tokens["admin"]).json["secret"]
    assert server.get("stats", token=secret).status == 200
    revoked = server.ask("POST", "/api/v1/revoke_token", {"token": "short"}, token=tokens["admin"])
    assert revoked.status == 200
    assert server.get("stats", token=secret).status == 401


def test_an_expired_token_is_refused(server: HttpProcess, home: Path) -> None:
    with Engine(home=str(home)) as engine:
        secret = engine.access_tokens.create("old", expires="1d").secret
        (row,) = [row for row in engine.access_tokens.list().tokens if row.name == "old"]
        with engine.store.transaction("test") as transaction:
            transaction.update(AccessToken, row.id, {"expires_at": 1})
    answer = server.get("stats", token=secret)
    assert (answer.status, answer.code) == (401, "UNAUTHORIZED")
    assert "expired" in answer.json["error"]["message"]


# --- hosts and origins ---


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8377", "127.0.0.1.evil.example", "", "localhost@evil"])
def test_a_foreign_host_is_refused(server: HttpProcess, host: str) -> None:
    answer = server.ask("GET", "/healthz", headers={"host": host})
    assert (answer.status, answer.code) == (421, "FORBIDDEN")


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1", "http://127.0.0.1:1"])
def test_a_page_of_another_site_is_refused(server: HttpProcess, origin: str, tokens: dict[str, str]) -> None:
    answer = server.ask("GET", "/api/v1/stats", headers={"origin": origin}, token=tokens["admin"])
    assert (answer.status, answer.code) == (403, "FORBIDDEN")
    assert "access-control-allow-origin" not in answer.headers


def test_a_page_of_the_server_itself_and_other_names_of_this_machine_are_let_in(server: HttpProcess) -> None:
    own = {"origin": f"http://localhost:{server.port}", "host": f"localhost:{server.port}"}
    assert server.ask("GET", "/healthz", headers=own).status == 200


def test_an_origin_that_the_settings_name_is_let_in(tmp_path: Path) -> None:
    with HttpProcess(tmp_path / "home", RECOLLECT_HTTP_ORIGINS="https://editor.example") as process:
        answer = process.ask("GET", "/api/v1/stats", headers={"origin": "https://editor.example"})
        assert answer.headers["access-control-allow-origin"] == "https://editor.example"
        assert process.ask("GET", "/api/v1/stats", headers={"origin": "https://other.example"}).status == 403


# --- sizes and slowness ---


def test_a_body_that_is_too_large_is_refused_before_it_is_read(server: HttpProcess, tokens: dict[str, str]) -> None:
    answer = server.ask("POST", "/api/v1/store_memory", b"x" * 200_000, token=tokens["write"])
    assert (answer.status, answer.code) == (413, "CONTENT_TOO_LARGE")


def test_a_body_of_unknown_size_is_cut_at_the_limit(server: HttpProcess) -> None:
    with socket.create_connection((server.host, server.port), PATIENCE_S) as line:
        head = f"POST /mcp HTTP/1.1\r\nHost: {server.host}\r\nTransfer-Encoding: chunked\r\n"
        line.sendall(head.encode() + b"Content-Type: application/json\r\n\r\n")
        try:
            for _ in range(100):
                line.sendall(b"1000\r\n" + b"x" * 4096 + b"\r\n")
        except OSError:
            pass  # it has answered and closed
        assert _first_line(line) in (b"HTTP/1.1 413 ", b"")


@pytest.mark.parametrize(
    "head",
    [
        b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX: a\r\n\tb\x00\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\n\r\n",
        b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
        b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -1\r\n\r\n",
        b"nonsense\r\n\r\n",
        b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\n\r\n",
    ],
)
def test_a_malformed_head_is_refused(server: HttpProcess, head: bytes) -> None:
    with socket.create_connection((server.host, server.port), PATIENCE_S) as line:
        line.sendall(head)
        assert _first_line(line)[:12] in (b"HTTP/1.1 400", b"HTTP/1.1 421", b"")


def test_a_header_cannot_be_injected_through_an_answer(server: HttpProcess, tokens: dict[str, str]) -> None:
    path = "/api/v1/list_memories?limit=1&project=a%0d%0aX-Injected:%201"
    answer = server.ask("GET", path, token=tokens["admin"])
    assert "x-injected" not in answer.headers


def test_a_request_that_never_ends_is_cut_and_does_not_hold_up_others(tmp_path: Path) -> None:
    with HttpProcess(tmp_path / "home", command=(sys.executable, "-c", HASTY)) as server:
        lines = [socket.create_connection((server.host, server.port), PATIENCE_S) for _ in range(50)]
        for line in lines:
            line.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")
        assert server.ask("GET", "/healthz").status == 200
        for line in lines:
            assert line.recv(1) == b""  # closed by the server
            line.close()


def _first_line(line: socket.socket) -> bytes:
    try:
        return line.recv(13)
    except OSError:
        return b""


def test_a_read_token_reads_the_briefing(server: HttpProcess, tokens: dict[str, str]) -> None:
    assert server.post("session_context", token=tokens["read"], project="ours").status == 200
    refused = server.post("session_context", token=tokens["read"], payload="{}")
    assert (refused.status, refused.code) == (403, "FORBIDDEN")


# --- where it listens ---


def refused(home: Path, *options: str) -> str:
    done = subprocess.run(
        [COMMAND, "serve", "--http", "--port", "0", *options],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
        env={**os.environ, "RECOLLECT_HOME": str(home)},
    )
    assert done.returncode != 0
    return done.stderr


def test_listening_beyond_this_machine_needs_a_token(tmp_path: Path) -> None:
    assert "needs an access token" in refused(tmp_path / "home", "--host", "0.0.0.0")


def test_half_of_a_certificate_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_HTTP_CERTIFICATE_FILE", "/nowhere.pem")
    assert "both a certificate and a key" in refused(tmp_path / "home")


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """Return the files of a certificate for 127.0.0.1 and of its key."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed: no certificate can be made")
    made = tmp_path_factory.mktemp("tls")
    files = (str(made / "certificate.pem"), str(made / "key.pem"))
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
         "-subj", "/CN=recollect", "-addext", "subjectAltName=IP:127.0.0.1", "-out", files[0], "-keyout", files[1]],
        check=True,
        capture_output=True,
    )  # fmt: skip
    return files


@pytest.fixture(scope="module")
def exposed(home: Path, tokens: dict[str, str], certificate: tuple[str, str]) -> Iterator[HttpProcess]:
    """A server that other machines reach: with TLS, and one request in a hundred seconds."""
    settings = {"RECOLLECT_HTTP_CERTIFICATE_FILE": certificate[0], "RECOLLECT_HTTP_KEY_FILE": certificate[1]}
    with HttpProcess(
        home, "--host", "0.0.0.0", RECOLLECT_HTTP_RATE="0.01", RECOLLECT_HTTP_HOSTS="127.0.0.1", **settings
    ) as process:
        yield process


def test_a_server_with_a_certificate_speaks_tls_and_limits_the_rate(
    exposed: HttpProcess, tokens: dict[str, str], certificate: tuple[str, str]
) -> None:
    assert not any("not encrypted" in line for line in exposed.remarks)
    trusted = ssl.create_default_context(cafile=certificate[0])
    answers = []
    for _ in range(2):
        connection = http.client.HTTPSConnection("127.0.0.1", exposed.port, timeout=PATIENCE_S, context=trusted)
        connection.request("GET", "/api/v1/stats", headers={"authorization": f"Bearer {tokens['read']}"})
        response = connection.getresponse()
        answers.append((response.status, response.getheader("retry-after"), response.read()))
        connection.close()
    assert answers[0][0] == 200
    status, wait_s, body = answers[1]
    assert status == 429
    assert 1 <= int(wait_s or 0) <= 100
    assert msgspec.json.decode(body)["error"]["code"] == "RATE_LIMITED"


def test_a_server_with_a_certificate_does_not_answer_plain_http(exposed: HttpProcess) -> None:
    with socket.create_connection(("127.0.0.1", exposed.port), timeout=PATIENCE_S) as line:
        line.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        assert not _first_line(line).startswith(b"HTTP/")


def test_a_port_that_is_taken_is_said_so(server: HttpProcess, tmp_path: Path) -> None:
    assert "cannot listen" in refused(tmp_path / "home", "--port", str(server.port))


# --- parts ---


def test_a_caller_may_send_a_burst_and_then_its_rate() -> None:
    rates = Rates(2.0, 4.0)
    assert [rates.take("a", 0.0) > 0 for _ in range(6)] == [False] * 4 + [True] * 2
    assert rates.take("b", 0.0) == 0
    assert rates.take("a", 0.5) == 0
    assert rates.take("a", 0.5) == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("host", "others", "names"),
    [
        ("127.0.0.1", (), ("127.0.0.1", "localhost", "[::1]")),
        ("0.0.0.0", (), ()),
        ("0.0.0.0", ("Memory.example",), ("127.0.0.1", "localhost", "[::1]", "memory.example")),
        ("10.1.2.3", (), ("10.1.2.3",)),
    ],
)
def test_the_names_of_a_server(host: str, others: tuple[str, ...], names: tuple[str, ...]) -> None:
    assert names_of(host, others) == names


def test_an_answer_tells_browsers_not_to_guess(server: HttpProcess) -> None:
    answer = server.ask("GET", "/healthz")
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "server" not in answer.headers

"""Strangers' tests of the HTTP server: the conformance suite of MCP, and requests made from the OpenAPI document."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.http_server import PATIENCE_S, HttpProcess

TOOLS = Path(__file__).parents[2] / ".tools" / "node_modules"
NODE = TOOLS / "node" / "bin" / "node"
SUITE = TOOLS / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
SCHEMATHESIS = Path(sys.executable).with_name("schemathesis")
# No 5xx, no status, type or answer that the document does not describe.
CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"
OPTIONS = "--phases examples,fuzzing --max-examples 1 --seed 7 --suppress-health-check all --no-color".split()
# Those that need no tool, resource or prompt of a made-up test server.
SCENARIOS = [
    "server-initialize",
    "ping",
    "tools-list",
    "resources-list",
    "prompts-list",
    "server-sse-multiple-streams",
    "server-sse-polling",
    "dns-rebinding-protection",
]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpProcess]:
    folder = tmp_path_factory.mktemp("strangers")
    with HttpProcess(folder / "home", RECOLLECT_ASSISTANTS_HOME=str(folder)) as process:
        yield process


@pytest.mark.skipif(not SUITE.exists() or not NODE.exists(), reason="the conformance suite is not installed in .tools")
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_the_conformance_suite_passes(server: HttpProcess, scenario: str) -> None:
    done = subprocess.run(
        [NODE, SUITE, "server", "--url", f"{server.url}/mcp", "--scenario", scenario],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert ", 0 failed" in done.stdout


@pytest.mark.skipif(not SCHEMATHESIS.exists(), reason="schemathesis is not installed")
def test_requests_made_from_the_document_get_documented_answers(server: HttpProcess, tmp_path: Path) -> None:
    """Every operation, with the examples of the document and with values made from its schemas, right and wrong."""
    done = subprocess.run(
        [SCHEMATHESIS, "run", f"{server.url}/api/v1/openapi.json", "--checks", CHECKS, *OPTIONS],
        capture_output=True,
        text=True,
        timeout=8 * PATIENCE_S,
        check=False,
        cwd=tmp_path,  # it keeps a cache
    )
    assert done.returncode == 0, done.stdout[-4000:]

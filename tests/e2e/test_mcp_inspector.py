"""The MCP Inspector's command line, the protocol authors' own client, talks to `recollect serve`."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.http_server import HttpProcess

from recollect.capabilities import OPERATIONS

BIN = Path(__file__).parents[2] / ".tools" / "node_modules" / ".bin"
COMMAND = str(Path(sys.executable).with_name("recollect"))
PATIENCE_S = 300
ERAS = ["legacy", "auto", "modern"]
# What the Inspector exits with when a tool it called answered with an error.
TOOL_FAILED = 5

pytestmark = [
    pytest.mark.skipif(not (BIN / "mcp-inspector").exists(), reason="the MCP Inspector is not installed in .tools"),
    pytest.mark.skipif(shutil.which("node", path=f"{BIN}:{os.environ['PATH']}") is None, reason="there is no node"),
]


def inspect(era: str, method: str, *options: str, status: int = 0) -> tuple[Any, str]:
    """Return what the Inspector prints for one request to a fresh server, decoded, and its remarks."""
    home = os.environ["RECOLLECT_HOME"]
    server = [COMMAND, "serve", "-e", f"RECOLLECT_HOME={home}", "-e", "RECOLLECT_TOOLSET=all"]
    done = subprocess.run(
        [str(BIN / "mcp-inspector"), "--cli", *server, "--protocol-era", era, "--method", method, *options],
        capture_output=True,
        timeout=PATIENCE_S,
        check=False,
        env=os.environ | {"PATH": f"{BIN}:{os.environ['PATH']}", "HOME": str(Path(home).parent)},
    )
    remarks = done.stderr.decode()
    assert done.returncode == status, remarks
    return msgspec.json.decode(done.stdout), remarks


@pytest.mark.parametrize("era", ERAS)
def test_the_inspector_lists_every_tool_and_has_no_remark_on_their_schemas(era: str) -> None:
    listed, remarks = inspect(era, "tools/list", "--strict")
    assert [tool["name"] for tool in listed["tools"]] == list(OPERATIONS)
    assert "Warning" not in remarks
    assert "Error" not in remarks


@pytest.mark.parametrize("era", ERAS)
def test_the_inspector_stores_and_recalls(era: str) -> None:
    stored, _ = inspect(
        era, "tools/call", "--tool-name", "store_memory", "--tool-arg", "content=The key is in the shed"
    )
    recalled, _ = inspect(era, "tools/call", "--tool-name", "recall_memory", "--tool-arg", "query=where is the key?")
    assert stored["structuredContent"]["id"] in recalled["structuredContent"]["hits"][0]
    assert "shed" in recalled["content"][0]["text"]


@pytest.mark.parametrize("era", ERAS)
def test_the_inspector_shows_the_error_of_a_failed_call(era: str) -> None:
    failed, _ = inspect(
        era, "tools/call", "--tool-name", "get_memory", "--tool-arg", "memory_id=nope", status=TOOL_FAILED
    )
    assert failed["isError"] is True
    assert failed["structuredContent"]["error"]["code"] == "MEMORY_NOT_FOUND"


@pytest.mark.parametrize("era", ERAS)
def test_the_inspector_stores_and_recalls_over_http(era: str, home: Path) -> None:
    with HttpProcess(home, "--toolset", "all") as process:

        def ask(method: str, *options: str) -> Any:
            server = [f"{process.url}/mcp", "--transport", "http"]
            done = subprocess.run(
                [str(BIN / "mcp-inspector"), "--cli", *server, "--protocol-era", era, "--method", method, *options],
                capture_output=True,
                timeout=PATIENCE_S,
                check=False,
                env=os.environ | {"PATH": f"{BIN}:{os.environ['PATH']}", "HOME": str(home.parent)},
            )
            assert done.returncode == 0, done.stderr.decode()
            return msgspec.json.decode(done.stdout)

        assert [tool["name"] for tool in ask("tools/list")["tools"]] == list(OPERATIONS)
        ask("tools/call", "--tool-name", "store_memory", "--tool-arg", "content=The key is under the mat")
        found = ask("tools/call", "--tool-name", "recall_memory", "--tool-arg", "query=where is the key?")
        assert "under the mat" in str(found["content"])


@pytest.mark.parametrize("era", ERAS)
def test_the_inspector_lists_and_reads_resources_and_gets_prompts(era: str) -> None:
    inspect(era, "tools/call", "--tool-name", "store_memory", "--tool-arg", "content=The key is in the shed")
    listed, _ = inspect(era, "resources/list")
    briefing, memory = (row["uri"] for row in listed["resources"])
    assert briefing == "recollect://briefing"
    read, _ = inspect(era, "resources/read", "--uri", memory)
    assert "shed" in read["contents"][0]["text"]
    templates, _ = inspect(era, "resources/templates/list")
    assert [row["name"] for row in templates["resourceTemplates"]] == ["memory", "symbol"]
    prompts, _ = inspect(era, "prompts/list")
    assert [row["name"] for row in prompts["prompts"]] == ["recall", "remember", "review"]
    words = ("--prompt-name", "recall", "--prompt-args", "question=where is the key?")
    prompt, _ = inspect(era, "prompts/get", *words)
    assert "shed" in prompt["messages"][0]["content"]["text"]

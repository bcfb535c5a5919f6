"""The MCP Inspector's command line, the protocol authors' own client, talks to `recollect serve`."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.http_server import HttpProcess
from tests.waiting import PATIENCE_S

from recollect import Engine
from recollect.capabilities import OPERATIONS

BIN = Path(__file__).parents[2] / ".tools" / "node_modules" / ".bin"
COMMAND = str(Path(sys.executable).with_name("recollect"))
ERAS = ["legacy", "auto", "modern"]
# What the Inspector exits with when a tool it called answered with an error.
TOOL_FAILED = 5

pytestmark = [
    pytest.mark.skipif(not (BIN / "mcp-inspector").exists(), reason="the MCP Inspector is not installed in .tools"),
    pytest.mark.skipif(shutil.which("node", path=f"{BIN}:{os.environ['PATH']}") is None, reason="there is no node"),
]


def inspect(era: str, method: str, *options: str, server: Sequence[str] = (), status: int = 0) -> tuple[Any, str]:
    """Return what the Inspector prints for one request, decoded, and its remarks; default: to a fresh server."""
    home = os.environ["RECOLLECT_HOME"]
    server = server or [COMMAND, "serve", "-e", f"RECOLLECT_HOME={home}", "-e", "RECOLLECT_TOOLSET=all"]
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


@pytest.mark.parametrize("era", ["legacy", "modern"])  # "auto" becomes one of them
def test_the_inspector_stores_and_recalls(era: str) -> None:
    stored, _ = inspect(
        era, "tools/call", "--tool-name", "store_memory", "--tool-arg", "content=The key is in the shed"
    )
    recalled, _ = inspect(era, "tools/call", "--tool-name", "recall_memory", "--tool-arg", "query=where is the key?")
    assert stored["structuredContent"]["id"] in recalled["structuredContent"]["hits"][0]
    assert "shed" in recalled["content"][0]["text"]


# What follows is the same in every era: a request of its own kind, once the two sides have begun.


def test_the_inspector_shows_the_error_of_a_failed_call() -> None:
    failed, _ = inspect(
        "auto", "tools/call", "--tool-name", "get_memory", "--tool-arg", "memory_id=nope", status=TOOL_FAILED
    )
    assert failed["isError"] is True
    assert failed["structuredContent"]["error"]["code"] == "MEMORY_NOT_FOUND"


def test_the_inspector_lists_stores_and_recalls_over_http(home: Path) -> None:
    with HttpProcess(home, "--toolset", "all") as process:
        server = (f"{process.url}/mcp", "--transport", "http")
        for era in ("legacy", "modern"):
            listed, _ = inspect(era, "tools/list", server=server)
            assert [tool["name"] for tool in listed["tools"]] == list(OPERATIONS)
        store = ("--tool-name", "store_memory", "--tool-arg", "content=The key is under the mat")
        inspect("auto", "tools/call", *store, server=server)
        recall = ("--tool-name", "recall_memory", "--tool-arg", "query=where is the key?")
        found, _ = inspect("auto", "tools/call", *recall, server=server)
        assert "under the mat" in str(found["content"])


def test_the_inspector_lists_and_reads_resources_and_gets_prompts() -> None:
    with Engine(embed_provider="off") as engine:
        engine.memories.store("The key is in the shed")
    listed, _ = inspect("auto", "resources/list")
    briefing, memory = (row["uri"] for row in listed["resources"])
    assert briefing == "recollect://briefing"
    read, _ = inspect("auto", "resources/read", "--uri", memory)
    assert "shed" in read["contents"][0]["text"]
    templates, _ = inspect("auto", "resources/templates/list")
    assert [row["name"] for row in templates["resourceTemplates"]] == ["memory", "symbol"]
    prompts, _ = inspect("auto", "prompts/list")
    assert [row["name"] for row in prompts["prompts"]] == ["recall", "remember", "review"]
    words = ("--prompt-name", "recall", "--prompt-args", "question=where is the key?")
    prompt, _ = inspect("auto", "prompts/get", *words)
    assert "shed" in prompt["messages"][0]["content"]["text"]

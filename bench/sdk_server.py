"""The same tools on the official MCP package's low-level server: the yardstick of `speed.py start`.

The tool definitions are read from a file, so that making them costs it nothing.
"""

import json
import sys
from pathlib import Path

import anyio
from mcp import types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

TOOLS = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))


async def list_tools(context: object, params: object) -> types.ListToolsResult:
    return types.ListToolsResult.model_validate({"tools": TOOLS})


async def main() -> None:
    server: Server = Server("yardstick", version="1", on_list_tools=list_tools)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


anyio.run(main)

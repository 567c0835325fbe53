"""A server of the official MCP SDK alone, whose one tool answers at once what ours does: what no server can go below.

python -m bench.mcp_floor stdio | HTTP
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

import uvicorn
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.types import CallToolRequestParams, CallToolResult, ListToolsResult, PaginatedRequestParams, TextContent, Tool

from cdp_agent.server.serving import address_of, listening_at

ANSWER = {"elements": [{"tag": "h1", "text": "Mugs", "attributes": {}, "ref": "E1", "visible": True}], "total": 1}
SCHEMA = {"type": "object", "properties": {"selector": {"type": "string"}}}
_Context = ServerRequestContext[Any, Any]


async def list_tools(context: _Context, params: PaginatedRequestParams | None) -> ListToolsResult:
    return ListToolsResult(tools=[Tool(name="find_elements", input_schema=SCHEMA, output_schema={"type": "object"})])


async def call_tool(context: _Context, params: CallToolRequestParams) -> CallToolResult:
    return CallToolResult(content=[TextContent(text=json.dumps(ANSWER))], structured_content=ANSWER)


async def main(way: str) -> None:
    served = Server(
        "floor", on_list_tools=list_tools, on_call_tool=call_tool, get_tool_input_schema=lambda name: SCHEMA
    )
    if way == "stdio":
        async with stdio_server() as (received, sent):
            await served.run(received, sent, served.create_initialization_options())
        return
    with listening_at("127.0.0.1", 0) as listener:
        print(f"{address_of('127.0.0.1', listener)}/mcp", file=sys.stderr, flush=True)
        app = uvicorn.Config(served.streamable_http_app(), http="h11", log_config=None)
        await uvicorn.Server(app).serve([listener])


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))

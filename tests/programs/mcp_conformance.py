"""Our MCP server over HTTP with what the protocol's conformance suite expects to find in a server.

The suite calls tools and prompts by names of its own; those are added here, behind the same guard, transport and
handlers. What is read of pages and asked of users is in our own tests.
"""

from __future__ import annotations

import asyncio
import base64
import struct
import zlib
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import mcp.types as t
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from cdp_agent.mcp import server
from cdp_agent.mcp.calls import CallReply, CallRequest, FilesRequest, SessionFile
from cdp_agent.mcp.http import McpApp
from cdp_agent.security.http_guard import LOOPBACK
from cdp_agent.session import ToolError

Context = ServerRequestContext[Any, Any]
Answer = dict[str, Any]


def _png() -> str:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0))
    return base64.b64encode(
        b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(b"\0\xff\0\0")) + chunk(b"IEND", b"")
    ).decode()


PNG = {"type": "image", "data": _png(), "mimeType": "image/png"}
_WAV_HEAD = struct.pack("<4sI8sIHHIIHH", b"RIFF", 36, b"WAVEfmt ", 16, 1, 1, 8000, 8000, 1, 8)
WAV = base64.b64encode(_WAV_HEAD + struct.pack("<4sI", b"data", 0)).decode()


def text(said: str, **more: Any) -> Answer:
    return {"content": [{"type": "text", "text": said}], **more}


def resource(uri: str, said: str, kind: str = "text/plain") -> dict[str, Any]:
    return {"type": "resource", "resource": {"uri": uri, "mimeType": kind, "text": said}}


def form(message: str, **properties: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return {"method": "elicitation/create", "params": {"message": message, "requestedSchema": schema}}


def sampling(prompt: str, tokens: int) -> dict[str, Any]:
    messages = [{"role": "user", "content": {"type": "text", "text": prompt}}]
    return {"method": "sampling/createMessage", "params": {"messages": messages, "maxTokens": tokens}}


ROOTS = {"method": "roots/list", "params": {}}


def required(state: str | None = None, **requests: Any) -> Answer:
    return {"resultType": "input_required", "inputRequests": requests, **({"requestState": state} if state else {})}


# Tools that always say the same.
FIXED: dict[str, Answer] = {
    "test_simple_text": text("This is a simple text response for testing."),
    "test_image_content": {"content": [PNG]},
    "test_audio_content": {"content": [{"type": "audio", "data": WAV, "mimeType": "audio/wav"}]},
    "test_embedded_resource": {
        "content": [resource("test://embedded-resource", "This is an embedded resource content.")]
    },
    "test_multiple_content_types": {
        "content": [
            {"type": "text", "text": "Multiple content types test:"},
            PNG,
            resource("test://mixed-content-resource", '{"test":"data","value":123}', "application/json"),
        ]
    },
    "test_error_handling": text("This tool intentionally returns an error for testing", isError=True),
    "json_schema_2020_12_tool": text("It fits."),
    "test_header": text("It fits."),
}


async def progress(context: Context, arguments: Mapping[str, Any]) -> Answer:
    for done in (0, 50, 100):
        await context.session.report_progress(done, 100)
        await asyncio.sleep(0.05)  # what the suite asks for
    return text("Done.")


async def logging(context: Context, arguments: Mapping[str, Any]) -> Answer:
    for said in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        await context.session.send_log_message("info", said, related_request_id=context.request_id)
        await asyncio.sleep(0.05)  # what the suite asks for
    return text("Done.")


async def needs_sampling(context: Context, arguments: Mapping[str, Any]) -> Answer:
    capabilities = context.session.client_capabilities
    if capabilities is None or capabilities.sampling is None:
        wanted: dict[str, Any] = {"requiredCapabilities": {"sampling": {}}}
        raise MCPError(t.MISSING_REQUIRED_CLIENT_CAPABILITY, "This needs sampling.", wanted)
    return text("Done.")


async def streaming_elicitation(context: Context, arguments: Mapping[str, Any]) -> Answer:
    await context.session.report_progress(0, 1)
    return within_capabilities(ROUNDS["elicitation"][0], context)


async def reconnection(context: Context, arguments: Mapping[str, Any]) -> Answer:
    if context.close_sse_stream is not None:
        await context.close_sse_stream()
    await asyncio.sleep(0.1)
    return text("Reconnection test completed.")


async def ask_model(context: Context, arguments: Mapping[str, Any]) -> Answer:
    message = t.SamplingMessage(role="user", content=t.TextContent(text=arguments["prompt"]))
    reply = await context.session.create_message([message], max_tokens=100)
    assert isinstance(reply.content, t.TextContent)
    return text(f"LLM response: {reply.content.text}")


async def elicited(context: Context, message: str, schema: dict[str, Any], begin: str) -> Answer:
    found = await context.session.elicit_form(message, schema, related_request_id=context.request_id)
    return text(f"{begin}: action={found.action}, content={found.content}")


async def elicitation(context: Context, arguments: Mapping[str, Any]) -> Answer:
    fields = {
        "username": {"type": "string", "description": "User's response"},
        "email": {"type": "string", "description": "User's email address"},
    }
    schema = {"type": "object", "properties": fields, "required": ["username", "email"]}
    return await elicited(context, arguments["message"], schema, "User response")


async def elicitation_defaults(context: Context, arguments: Mapping[str, Any]) -> Answer:
    fields = {
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
        "verified": {"type": "boolean", "default": True},
    }
    return await elicited(context, "Who?", {"type": "object", "properties": fields}, "Elicitation completed")


async def elicitation_enums(context: Context, arguments: Mapping[str, Any]) -> Answer:
    def titled(*titles: str) -> list[dict[str, str]]:
        return [{"const": f"value{number}", "title": title} for number, title in enumerate(titles, 1)]

    plain = ["option1", "option2", "option3"]
    fields = {
        "untitledSingle": {"type": "string", "enum": plain},
        "titledSingle": {"type": "string", "oneOf": titled("First Option", "Second Option", "Third Option")},
        "legacyEnum": {
            "type": "string",
            "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"],
        },
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": plain}},
        "titledMulti": {"type": "array", "items": {"anyOf": titled("First Choice", "Second Choice", "Third Choice")}},
    }
    return await elicited(context, "Which?", {"type": "object", "properties": fields}, "Elicitation completed")


TOOLS: dict[str, Callable[[Context, Mapping[str, Any]], Awaitable[Answer]]] = {
    "test_tool_with_progress": progress,
    "test_tool_with_logging": logging,
    "test_reconnection": reconnection,
    "test_missing_capability": needs_sampling,
    "test_streaming_elicitation": streaming_elicitation,
    "test_logging_tool": logging,
    "test_sampling": ask_model,
    "test_elicitation": elicitation,
    "test_elicitation_sep1034_defaults": elicitation_defaults,
    "test_elicitation_sep1330_enums": elicitation_enums,
}

NAME, OK = {"type": "string"}, {"type": "boolean"}
ROUNDS: dict[str, list[Answer]] = {
    "elicitation": [required(user_name=form("What is your name?", name=NAME))],
    "sampling": [required(capital_question=sampling("What is the capital of France?", 100))],
    "list_roots": [required(client_roots=ROOTS)],
    "capabilities": [
        required(
            user_name=form("What is your name?", name=NAME),
            capital_question=sampling("What is the capital of France?", 100),
        )
    ],
    "request_state": [required("round-1", confirm=form("Please confirm", ok=OK))],
    "tampered_state": [required("round-1", confirm=form("Please confirm", ok=OK))],
    "multiple_inputs": [
        required(
            "round-1",
            user_name=form("What is your name?", name=NAME),
            greeting=sampling("Generate a greeting", 50),
            client_roots=ROOTS,
        )
    ],
    "multi_round": [
        required("round-1", step1=form("Step 1: What is your name?", name=NAME)),
        required("round-2", step2=form("Step 2: What is your favorite color?", color=NAME)),
    ],
}
"""What is asked in tools called test_input_required_result_…, one round after another."""


def in_rounds(rounds: list[Answer], context: Context, end: Callable[[str], Answer]) -> Answer:
    """The first round that is not answered yet; of what the client cannot do, nothing is asked."""
    params = context.params or {}
    given = params.get("inputResponses") or {}
    state = params.get("requestState")
    begin = next((number for number, each in enumerate(rounds) if each.get("requestState") == state), 0) if state else 0
    for each in rounds[begin:]:
        if not all(isinstance(given.get(key), dict) for key in each["inputRequests"]):
            return within_capabilities(each, context)
    return end(f"Hello, {given}! state-ok" if state else f"Hello, {given}!")


def within_capabilities(asked: Answer, context: Context) -> Answer:
    can = context.session.client_capabilities
    able = {
        "elicitation/create": can is not None and can.elicitation is not None,
        "sampling/createMessage": can is not None and can.sampling is not None,
        "roots/list": can is not None and can.roots is not None,
    }
    requests = {key: each for key, each in asked["inputRequests"].items() if able[each["method"]]}
    return {**asked, "inputRequests": requests} if requests else text("This client cannot be asked.", isError=True)


PROMPTS: dict[str, list[str]] = {
    "test_simple_prompt": [],
    "test_prompt_with_arguments": ["arg1", "arg2"],
    "test_prompt_with_embedded_resource": ["resourceUri"],
    "test_prompt_with_image": [],
    "test_input_required_result_prompt": [],
}


def prompt(context: Context, name: str, given: Mapping[str, str]) -> Answer:
    def says(*contents: dict[str, Any]) -> Answer:
        return {"messages": [{"role": "user", "content": each} for each in contents], **COMPLETE}

    def words(said: str) -> dict[str, Any]:
        return {"type": "text", "text": said}

    match name:
        case "test_simple_prompt":
            return says(words("This is a simple prompt for testing."))
        case "test_prompt_with_arguments":
            return says(words(f"Prompt with arguments: arg1='{given['arg1']}', arg2='{given['arg2']}'"))
        case "test_prompt_with_embedded_resource":
            embedded = resource(given["resourceUri"], "Embedded resource content for testing.")
            return says(embedded, words("Please process the embedded resource above."))
        case "test_prompt_with_image":
            return says(PNG, words("Please analyze the image above."))
        case "test_input_required_result_prompt":
            asked = required(user_context=form("What context should the prompt use?", context=NAME))
            return in_rounds([asked], context, lambda said: says(words(said)))
    raise MCPError(t.INVALID_PARAMS, f"There is no prompt {name!r}.")


RESOURCES: dict[str, dict[str, Any]] = {
    "test://static-text": {"mimeType": "text/plain", "text": "This is the content of the static text resource."},
    "test://static-binary": {"mimeType": "image/png", "blob": PNG["data"]},
}
COMPLETE = {"resultType": "complete"}
CACHED = {"ttlMs": 1000, "cacheScope": "private", **COMPLETE}


def read_resource(uri: str) -> Answer:
    parts = uri.split("/")
    if uri.startswith("test://template/") and len(parts) == 5:
        said = f'{{"id":"{parts[3]}","templateTest":true,"data":"Data for ID: {parts[3]}"}}'
        return {"contents": [{"uri": uri, "mimeType": "application/json", "text": said}], **CACHED}
    if uri not in RESOURCES:
        raise MCPError(t.INVALID_PARAMS, f"There is no resource {uri}.", {"uri": uri})
    return {"contents": [{"uri": uri, **RESOURCES[uri]}], **CACHED}


SCHEMA_2020_12 = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}
SCHEMAS: dict[str, dict[str, Any]] = {
    "json_schema_2020_12_tool": SCHEMA_2020_12,
    "test_header": {"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}}},
}


def listed() -> list[dict[str, Any]]:
    names = [*FIXED, *TOOLS, *(f"test_input_required_result_{each}" for each in ROUNDS)]
    plain: dict[str, Any] = {"type": "object", "properties": {}}
    return [{"name": each, "description": each, "inputSchema": SCHEMAS.get(each, plain)} for each in names]


async def with_fixtures(ctx: Context, call_next: CallNext) -> HandlerResult:
    """Answers what is of the suite, and lets our server answer everything else."""
    params = ctx.params or {}
    name = str(params.get("name", ""))
    match ctx.method:
        case "tools/list":
            result = await call_next(ctx)
            assert isinstance(result, dict)
            return {**result, "tools": [*result["tools"], *listed()]}
        case "tools/call" if name in FIXED:
            answer = FIXED[name]
        case "tools/call" if name in TOOLS:
            answer = await TOOLS[name](ctx, params.get("arguments") or {})
        case "tools/call" if (rounds := ROUNDS.get(name.removeprefix("test_input_required_result_"))) is not None:
            answer = in_rounds(rounds, ctx, text)
        case _:
            return await call_next(ctx)
    return {"resultType": "complete", **answer} if ctx.protocol_version in MODERN_PROTOCOL_VERSIONS else answer


class NoSession:
    """The suite opens no page."""

    async def call(self, request: CallRequest) -> CallReply:
        return CallReply(f"{request.name}: there is no page here.", error=ToolError("BrowserError", "No page."))

    async def files(self, asked: FilesRequest) -> list[SessionFile]:
        raise AssertionError(asked.session)


def conforming() -> McpApp:
    served = server(NoSession())

    async def list_prompts(context: Context, params: t.PaginatedRequestParams) -> Answer:
        prompts = [
            {"name": name, "description": name, "arguments": [{"name": each, "required": True} for each in arguments]}
            for name, arguments in PROMPTS.items()
        ]
        return {"prompts": prompts, **CACHED}

    async def get_prompt(context: Context, params: t.GetPromptRequestParams) -> Answer:
        return prompt(context, params.name, params.arguments or {})

    async def list_resources(context: Context, params: t.PaginatedRequestParams) -> Answer:
        found = [
            {"uri": uri, "name": uri, "description": uri, "mimeType": each["mimeType"]}
            for uri, each in RESOURCES.items()
        ]
        return {"resources": found, **CACHED}

    async def list_templates(context: Context, params: t.PaginatedRequestParams) -> Answer:
        return {"resourceTemplates": [{"uriTemplate": "test://template/{id}/data", "name": "template"}], **CACHED}

    async def read(context: Context, params: t.ReadResourceRequestParams) -> Answer:
        return read_resource(str(params.uri))

    async def nothing(context: Context, params: Any) -> Answer:
        return {}

    async def complete(context: Context, params: t.CompleteRequestParams) -> Answer:
        return {"completion": {"values": ["paris", "park"], "total": 2, "hasMore": False}, **COMPLETE}

    served.add_request_handler("prompts/list", t.PaginatedRequestParams, list_prompts)
    served.add_request_handler("prompts/get", t.GetPromptRequestParams, get_prompt)
    served.add_request_handler("resources/list", t.PaginatedRequestParams, list_resources)
    served.add_request_handler("resources/templates/list", t.PaginatedRequestParams, list_templates)
    served.add_request_handler("resources/read", t.ReadResourceRequestParams, read)
    served.add_request_handler("resources/subscribe", t.SubscribeRequestParams, nothing)
    served.add_request_handler("resources/unsubscribe", t.UnsubscribeRequestParams, nothing)
    served.add_request_handler("logging/setLevel", t.SetLevelRequestParams, nothing)
    served.add_request_handler("completion/complete", t.CompleteRequestParams, complete)
    boundary = RequestStateBoundary(RequestStateSecurity.ephemeral(), default_audience="conformance")
    served.middleware += [boundary, with_fixtures]
    of_ours = served.get_tool_input_schema
    assert of_ours is not None
    served.get_tool_input_schema = lambda name: SCHEMAS.get(name) or of_ours(name)
    return McpApp(served, token=None, hosts=LOOPBACK)

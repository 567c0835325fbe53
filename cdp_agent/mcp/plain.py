"""Tool calls that bypass the SDK, whose overhead takes longer than a quick tool.

A request of revision 2026-07-28 is self-contained. If all of it fits a `PlainCall`, it is decoded and answered here, as
the SDK would do. All other requests are left to the SDK: those of other revisions, with answers of the user, or with a
request for progress.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from typing import Any, Literal

import msgspec
from mcp.server.runner import modern_error_data
from mcp_types import (
    CLIENT_CAPABILITIES_META_KEY,
    CLIENT_INFO_META_KEY,
    PROTOCOL_VERSION_META_KEY,
    SERVER_INFO_META_KEY,
)

from cdp_agent.mcp.calls import CallReply, ToolCalls, make_call
from cdp_agent.mcp.elicitation import input_required, shows_forms
from cdp_agent.tools.aliases import resolve_alias
from cdp_agent.tools.base import Tool


class _Elicitation(msgspec.Struct, frozen=True):
    form: dict[str, Any] | None = None
    url: dict[str, Any] | None = None


class _Capabilities(msgspec.Struct, frozen=True):
    elicitation: _Elicitation | None = None


class _Program(msgspec.Struct, frozen=True):
    name: str
    version: str


class _Meta(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    revision: Literal["2026-07-28"] = msgspec.field(name=PROTOCOL_VERSION_META_KEY)
    capabilities: _Capabilities = msgspec.field(name=CLIENT_CAPABILITIES_META_KEY)
    client: _Program | None = msgspec.field(name=CLIENT_INFO_META_KEY, default=None)


class _Params(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    meta: _Meta = msgspec.field(name="_meta")
    arguments: dict[str, Any] = {}


class PlainCall(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="method", tag="tools/call"):
    """A request for a tool call that can be answered without the SDK."""

    jsonrpc: Literal["2.0"]
    id: int | str
    params: _Params

    @property
    def can_ask(self) -> bool:
        return shows_forms(self.params.meta.capabilities.elicitation)


class _CancelledParams(msgspec.Struct, frozen=True, rename="camel"):
    request_id: int | str


class CallCancellation(msgspec.Struct, frozen=True, tag_field="method", tag="notifications/cancelled"):
    """A client's notification that it has cancelled a call."""

    params: _CancelledParams


_DECODER = msgspec.json.Decoder(PlainCall | CallCancellation)


class PlainCalls:
    """The plain calls of a server. `tools_for` returns the tools for a client, given whether its user can be asked."""

    def __init__(
        self, calls: ToolCalls, tools_for: Callable[[bool], Mapping[str, Tool]], server_info: dict[str, Any]
    ) -> None:
        self._calls = calls
        self._tools_for = tools_for
        self._server_info = server_info

    def read(self, message: bytes) -> PlainCall | CallCancellation | None:
        """The call or cancellation in a message; None if the SDK has to handle the message."""
        try:
            said: PlainCall | CallCancellation = _DECODER.decode(message)
        except (msgspec.DecodeError, ValueError, RecursionError):  # the SDK reports what is wrong, if anything
            return None
        if isinstance(said, PlainCall):
            tools = self._tools_for(said.can_ask)
            return said if resolve_alias(said.params.name, said.params.arguments, tools)[0] in tools else None
        return said

    async def answer(self, call: PlainCall) -> bytes:
        """Makes the call and returns the response; cancelling stops it."""
        try:
            reply = await make_call(self._calls, call.params.name, call.params.arguments, {}, can_ask=call.can_ask)
            if reply.question is None:
                result = result_of(reply)
            else:
                result = input_required(reply.question).model_dump(mode="json", by_alias=True, exclude_none=True)
        except Exception as error:  # noqa: BLE001  # a bug of ours, which is logged: the client must not wait forever
            fault = modern_error_data(error).model_dump(mode="json", exclude_none=True)
            return msgspec.json.encode({"jsonrpc": "2.0", "id": call.id, "error": fault})
        result["_meta"] = {**result.get("_meta", {}), SERVER_INFO_META_KEY: self._server_info}
        return msgspec.json.encode({"jsonrpc": "2.0", "id": call.id, "result": result})


def result_of(reply: CallReply) -> dict[str, Any]:
    """The result of a call in the form of the protocol."""
    pictures = [
        {"type": "image", "data": base64.b64encode(each).decode(), "mimeType": "image/png"} for each in reply.images
    ]
    return {
        "content": [{"type": "text", "text": reply.text}, *pictures],
        "isError": reply.error is not None,
        "resultType": "complete",
        **({} if reply.value is None else {"structuredContent": reply.value}),
        **({} if reply.error is None else {"_meta": {"error": reply.error.type}}),
    }

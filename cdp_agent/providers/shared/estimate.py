"""Estimates of the tokens of a request and its reply, from their characters."""

from __future__ import annotations

from cdp_agent.providers.base import Assistant, Image, Reply, Request, System, Text, ToolResult, Usage, User

_CHARS_A_TOKEN = 3
_IMAGE_TOKENS = 1_500
_BYTES_A_TOKEN = 12
"""Bytes of a reply per token: 4 in a whole body, 150 in a stream with an event for each token."""


def estimated_tokens(request: Request) -> int:
    """An estimate of the tokens of a request, rather too high than too low."""
    chars = sum(len(tool.description) + len(str(tool.parameters)) for tool in request.tools)
    images = 0
    for message in request.messages:
        match message:
            case User(parts):
                chars += sum(len(part.text) for part in parts if isinstance(part, Text))
                images += sum(isinstance(part, Image) for part in parts)
            case ToolResult(_, text, shown):
                chars += len(text)
                images += len(shown)
            case Assistant(text, calls):
                chars += len(text) + sum(len(call.name + call.arguments) for call in calls)
            case System(text):
                chars += len(text)
    return chars // _CHARS_A_TOKEN + images * _IMAGE_TOKENS


def counted_or_estimated(request: Request, reply: Reply) -> Usage:
    """The reply's usage, or an estimate where its server reports none."""
    if reply.usage.input_tokens or reply.usage.output_tokens:
        return reply.usage
    calls = sum(len(call.name + call.arguments) for call in reply.tool_calls)
    said = len(reply.text) + len(reply.reasoning) + calls
    return Usage(estimated_tokens(request), said // _CHARS_A_TOKEN + 1, cost=reply.usage.cost)


def estimated_usage(request: Request, received_bytes: int) -> Usage:
    """An estimate of the usage of a reply that could not be read."""
    return Usage(estimated_tokens(request), received_bytes // _BYTES_A_TOKEN + 1)

"""The arguments of tool calls for providers that take them as an object, not as text."""

from __future__ import annotations

from typing import Any

import msgspec

from cdp_agent.providers.base import ToolCall


def object_of(call: ToolCall) -> dict[str, Any]:
    """The arguments; what is no JSON object is wrapped in one, so that the model sees what it wrote."""
    try:
        found = msgspec.json.decode(call.arguments or "{}")
    except msgspec.DecodeError:
        found = None
    return found if isinstance(found, dict) else {"INVALID_JSON": call.arguments}


def text_of(arguments: Any) -> str:
    return arguments if isinstance(arguments, str) else msgspec.json.encode(arguments or {}).decode()

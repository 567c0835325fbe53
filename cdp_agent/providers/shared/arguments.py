"""The arguments of tool calls for providers that take them as an object, not as text."""

from __future__ import annotations

from typing import Any

import msgspec

from cdp_agent.providers.base import ToolCall
from cdp_agent.providers.shared.nesting import decode
from cdp_agent.providers.shared.stream import whole


def object_of(call: ToolCall) -> dict[str, Any]:
    """The arguments; what is no JSON object is wrapped in one, so that the model sees what it wrote."""
    try:
        found = decode(call.arguments or "{}")
    except ValueError:
        found = None
    return found if isinstance(found, dict) else {"INVALID_JSON": call.arguments}


def text_of(arguments: Any) -> str:
    """Arguments that came as text, or as an object."""
    return arguments if isinstance(arguments, str) else msgspec.json.encode(whole(arguments or {})).decode()

"""Puts tool calls together from the fragments of streamed chat completions; their arguments as text or object."""

from __future__ import annotations

from typing import Any

import msgspec

from cdp_agent.providers.base import ToolCall
from cdp_agent.providers.shared.json_reading import decode
from cdp_agent.providers.shared.stream import Id, joined, whole


class Function(msgspec.Struct, frozen=True):
    name: str | None = None
    arguments: Any = None
    """Text, or an object from servers that do not stream arguments."""


class Fragment(msgspec.Struct, frozen=True):
    """The part of a tool call in a chunk."""

    index: int | None = None
    id: Id = None
    function: Function | None = None


class _Call:
    def __init__(self, index: int | None, call_id: str) -> None:
        self.index = index
        self.id = call_id
        self.name = ""
        self.arguments: list[str] = []


class Calls:
    """Puts tool calls together. A fragment's call is determined by its index, its id, or its position."""

    def __init__(self) -> None:
        self._calls: list[_Call] = []

    def add(self, fragment: Fragment) -> None:
        function = fragment.function or Function()
        call_id = "" if fragment.id is None else str(fragment.id)
        call = self._belongs_to(fragment.index, call_id, function)
        name = function.name or ""
        if name != call.name:  # some servers repeat the name with every fragment
            call.name += name
        if function.arguments is not None:
            call.arguments.append(text_of(function.arguments))

    def _belongs_to(self, index: int | None, call_id: str, function: Function) -> _Call:
        """The call that a fragment continues, or a new one.

        Some servers send all calls with index 0 and ids of their own, some send no index, some neither.
        """
        last = self._calls[-1] if self._calls else None
        if index is not None:
            last = next((call for call in reversed(self._calls) if call.index == index), None)
            begins = last is not None and bool(call_id and last.id) and call_id != last.id
        elif call_id:
            last = next((call for call in self._calls if call.id == call_id), None)
            begins = False
        else:
            begins = last is not None and bool(function.name and last.name)
        if last is None or begins:
            last = _Call(index, call_id)
            self._calls.append(last)
        last.id = last.id or call_id
        return last

    def all(self) -> tuple[ToolCall, ...]:
        return tuple(
            ToolCall(joined([call.id]) or f"call_{index}", joined([call.name]), joined(call.arguments))
            for index, call in enumerate(self._calls, 1)
        )


def object_of(call: ToolCall) -> dict[str, Any]:
    """The arguments as an object; other JSON or text is wrapped in one, so that the model sees what it wrote."""
    try:
        arguments = decode(call.arguments or "{}")
    except ValueError:
        arguments = None
    return arguments if isinstance(arguments, dict) else {"INVALID_JSON": call.arguments}


def text_of(arguments: object) -> str:
    """The arguments as JSON text; servers send them as text or as an object."""
    return arguments if isinstance(arguments, str) else msgspec.json.encode(whole(arguments or {})).decode()

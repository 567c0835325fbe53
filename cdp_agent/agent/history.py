"""What the model gets to read each turn: everything said so far, and of the page only the newest view.

A view stands at the end of the message that led to it, the task or a tool's result, so that user and assistant take
turns: the chat templates of many local models take nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from cdp_agent.agent import prompts
from cdp_agent.providers.base import Assistant, Message, System, Text, ToolResult, User


class _Entry(msgspec.Struct, frozen=True):
    """A message; `view` is the page as it was then, where the message shows it."""

    message: Assistant | System | User | ToolResult
    view: str | None = None


class History:
    """Grows by what is said; an older view of the page shrinks to a line when a newer one comes."""

    def __init__(self, system: str) -> None:
        self._entries = [_Entry(System(system))]

    def say(self, text: str, view: str | None = None) -> None:
        """Adds words of the user's or of ours."""
        self._entries.append(_Entry(User((Text(text),)), view))

    def hear(self, reply: Assistant) -> None:
        """Adds what the model said."""
        self._entries.append(_Entry(reply))

    def answer(self, results: Sequence[ToolResult], view: str | None = None) -> None:
        """Adds what came of the model's tool calls, of all of them."""
        *others, last = results
        self._entries += [*map(_Entry, others), _Entry(last, view)]

    def messages(self) -> tuple[Message, ...]:
        newest = max((place for place, entry in enumerate(self._entries) if entry.view is not None), default=None)
        return tuple(_rendered(entry, newest=place == newest) for place, entry in enumerate(self._entries))


def _rendered(entry: _Entry, *, newest: bool) -> Message:
    if entry.view is None:
        return entry.message
    shown = entry.view if newest else prompts.OLD_VIEW
    match entry.message:
        case ToolResult(call_id, text):
            return ToolResult(call_id, f"{text}\n\n{shown}")
        case User((*parts, Text(text))):
            return User((*parts, Text(f"{text}\n\n{shown}")))
        case message:
            return message

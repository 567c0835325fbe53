"""What the model gets to read each turn: everything said so far, and of the page only the newest view."""

from __future__ import annotations

import msgspec

from cdp_agent.agent import prompts
from cdp_agent.providers.base import Message, System, Text, User


class _View(msgspec.Struct, frozen=True):
    text: str


class History:
    """Grows by what is said; an older view of the page shrinks to a line when a newer one comes."""

    def __init__(self, system: str, task: str) -> None:
        self._entries: list[Message | _View] = [System(system), User((Text(task),))]

    def add(self, *messages: Message) -> None:
        self._entries += messages

    def say(self, text: str) -> None:
        """Adds words of our own to the model."""
        self.add(User((Text(text),)))

    def show(self, view: str) -> None:
        """Adds the page as it is now."""
        self._entries.append(_View(view))

    def messages(self) -> tuple[Message, ...]:
        last = max((place for place, entry in enumerate(self._entries) if isinstance(entry, _View)), default=None)
        return tuple(
            User((Text(entry.text if place == last else prompts.OLD_VIEW),)) if isinstance(entry, _View) else entry
            for place, entry in enumerate(self._entries)
        )

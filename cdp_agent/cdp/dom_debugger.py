"""https://chromedevtools.github.io/devtools-protocol/tot/DOMDebugger/"""

from __future__ import annotations

from .types import Command, Result


class EventListener(Result, frozen=True):
    type: str
    backend_node_id: int | None = None


class EventListeners(Result, frozen=True):
    listeners: list[EventListener]


class GetEventListeners(Command[EventListeners], frozen=True):
    object_id: str
    depth: int | None = None

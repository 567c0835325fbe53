"""https://chromedevtools.github.io/devtools-protocol/tot/Memory/"""

from __future__ import annotations

from typing import ClassVar

from .types import Command, Result


class DomCounters(Result, frozen=True):
    documents: int
    nodes: int
    js_event_listeners: int


class GetDomCounters(Command[DomCounters], frozen=True):
    method: ClassVar[str] = "Memory.getDOMCounters"

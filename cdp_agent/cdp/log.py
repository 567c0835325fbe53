"""https://chromedevtools.github.io/devtools-protocol/tot/Log/"""

from __future__ import annotations

from typing import ClassVar

from .types import Command, Empty, Event, Result


class Entry(Result, frozen=True):
    source: str
    text: str


class EntryAdded(Event, frozen=True):
    """What Chrome itself has to say of a page; what a page writes to its console is none."""

    method: ClassVar[str] = "Log.entryAdded"
    entry: Entry


class Enable(Command[Empty], frozen=True):
    method: ClassVar[str] = "Log.enable"

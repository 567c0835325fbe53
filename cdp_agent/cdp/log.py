"""https://chromedevtools.github.io/devtools-protocol/tot/Log/"""

from __future__ import annotations

from .types import Command, Empty, Event, Result


class Entry(Result, frozen=True):
    source: str
    text: str


class EntryAdded(Event, frozen=True):
    """A message from Chrome itself about a page. Messages that the page writes to its console are not reported here."""

    entry: Entry


class Enable(Command[Empty], frozen=True): ...

"""https://chromedevtools.github.io/devtools-protocol/tot/Inspector/"""

from __future__ import annotations

from .types import Command, Empty, Event


class Enable(Command[Empty], frozen=True): ...


class TargetCrashed(Event, frozen=True): ...


class TargetReloadedAfterCrash(Event, frozen=True): ...

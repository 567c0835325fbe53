"""https://chromedevtools.github.io/devtools-protocol/tot/Inspector/"""

from __future__ import annotations

from typing import ClassVar

from .types import Command, Empty, Event


class Enable(Command[Empty], frozen=True):
    method: ClassVar[str] = "Inspector.enable"


class TargetCrashed(Event, frozen=True):
    method: ClassVar[str] = "Inspector.targetCrashed"


class TargetReloadedAfterCrash(Event, frozen=True):
    method: ClassVar[str] = "Inspector.targetReloadedAfterCrash"

"""https://chromedevtools.github.io/devtools-protocol/tot/Emulation/"""

from __future__ import annotations

from typing import ClassVar

from .types import Command, Empty


class SetFocusEmulationEnabled(Command[Empty], frozen=True):
    method: ClassVar[str] = "Emulation.setFocusEmulationEnabled"
    enabled: bool


class SetDeviceMetricsOverride(Command[Empty], frozen=True):
    method: ClassVar[str] = "Emulation.setDeviceMetricsOverride"
    width: int
    height: int
    device_scale_factor: float
    mobile: bool

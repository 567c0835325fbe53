"""https://chromedevtools.github.io/devtools-protocol/tot/Performance/"""

from __future__ import annotations

from typing import ClassVar

from .types import Command, Empty, Result


class Metric(Result, frozen=True):
    name: str
    value: float


class Metrics(Result, frozen=True):
    metrics: list[Metric]
    """Empty before `Enable`."""


class Enable(Command[Empty], frozen=True):
    method: ClassVar[str] = "Performance.enable"


class GetMetrics(Command[Metrics], frozen=True):
    method: ClassVar[str] = "Performance.getMetrics"

"""https://chromedevtools.github.io/devtools-protocol/tot/Performance/"""

from __future__ import annotations

from .types import Command, Empty, Result


class Metric(Result, frozen=True):
    name: str
    value: float


class Metrics(Result, frozen=True):
    metrics: list[Metric]
    """Empty before `Enable`."""


class Enable(Command[Empty], frozen=True): ...


class GetMetrics(Command[Metrics], frozen=True): ...

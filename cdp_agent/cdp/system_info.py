"""https://chromedevtools.github.io/devtools-protocol/tot/SystemInfo/"""

from __future__ import annotations

from .types import Command, Result


class Process(Result, frozen=True):
    type: str
    id: int
    cpu_time: float


class Processes(Result, frozen=True):
    process_info: list[Process]


class GetProcessInfo(Command[Processes], frozen=True):
    """For the session of the browser: the sessions of tabs do not have this domain."""

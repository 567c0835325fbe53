"""https://chromedevtools.github.io/devtools-protocol/tot/Network/"""

from __future__ import annotations

from typing import ClassVar

from .types import Command, Empty, Event, Result


class Request(Result, frozen=True):
    url: str
    method: str


class Response(Result, frozen=True):
    url: str
    status: int
    status_text: str
    mime_type: str


class Enable(Command[Empty], frozen=True):
    method: ClassVar[str] = "Network.enable"
    max_total_buffer_size: int | None = None
    max_resource_buffer_size: int | None = None


class Disable(Command[Empty], frozen=True):
    method: ClassVar[str] = "Network.disable"


class SetExtraHTTPHeaders(Command[Empty], frozen=True):
    method: ClassVar[str] = "Network.setExtraHTTPHeaders"
    headers: dict[str, str]


class RequestWillBeSent(Event, frozen=True):
    method: ClassVar[str] = "Network.requestWillBeSent"
    request_id: str
    loader_id: str
    request: Request
    type: str | None = None
    frame_id: str | None = None


class ResponseReceived(Event, frozen=True):
    method: ClassVar[str] = "Network.responseReceived"
    request_id: str
    type: str
    response: Response


class LoadingFinished(Event, frozen=True):
    method: ClassVar[str] = "Network.loadingFinished"
    request_id: str


class LoadingFailed(Event, frozen=True):
    method: ClassVar[str] = "Network.loadingFailed"
    request_id: str
    type: str
    error_text: str
    canceled: bool = False
    blocked_reason: str | None = None

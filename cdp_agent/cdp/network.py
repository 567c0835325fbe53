"""https://chromedevtools.github.io/devtools-protocol/tot/Network/"""

from __future__ import annotations

import msgspec

from .types import Command, Empty, Event, Part, Result


class SentRequest(Result, frozen=True):
    """`Network.Request`."""

    url: str
    method: str


class LoggedSent(SentRequest, frozen=True):
    """`Network.Request` with the parts that are kept for HAR files, not decoded."""

    headers: msgspec.Raw = msgspec.Raw()
    post_data: msgspec.Raw = msgspec.Raw()
    has_post_data: bool = False


class ResourceTiming(Result, frozen=True):
    """`request_time` is in seconds, the other times in milliseconds after it; -1 for a phase that did not happen."""

    request_time: float
    dns_start: float
    connect_start: float
    ssl_start: float
    ssl_end: float
    send_start: float
    send_end: float
    receive_headers_end: float


class Response(Result, frozen=True):
    url: str
    status: int
    status_text: str
    mime_type: str
    headers: msgspec.Raw = msgspec.Raw()
    timing: ResourceTiming | None = None
    protocol: str = ""
    remote_ip: str = msgspec.field(name="remoteIPAddress", default="")
    connection_id: float = 0.0
    encoded_data_length: float = 0.0
    from_disk_cache: bool = False


class NetworkConditions(Part, frozen=True):
    """Conditions for the addresses that match a URLPattern (https://urlpattern.spec.whatwg.org/).

    Throughput is in bytes per second.
    """

    url_pattern: str
    latency: float
    download_throughput: float
    upload_throughput: float
    offline: bool | None = None
    packet_loss: float | None = None
    """For WebRTC packets, in percent."""


class Enable(Command[Empty], frozen=True):
    max_total_buffer_size: int | None = None
    max_resource_buffer_size: int | None = None


class Disable(Command[Empty], frozen=True): ...


class Body(Result, frozen=True):
    """A body as text, or in Base64 where it is not text."""

    body: str
    base64_encoded: bool


class GetResponseBody(Command[Body], frozen=True):
    request_id: str


class PostData(Result, frozen=True):
    post_data: str
    base64_encoded: bool = False


class GetRequestPostData(Command[PostData], frozen=True):
    request_id: str


class SetBypassServiceWorker(Command[Empty], frozen=True):
    bypass: bool


class SetExtraHTTPHeaders(Command[Empty], frozen=True):
    headers: dict[str, str]


class EmulateNetworkConditionsByRule(Command[Empty], frozen=True):
    matched_network_conditions: list[NetworkConditions]


class BlockPattern(Part, frozen=True):
    """A URLPattern; the first that matches an address decides whether it is blocked."""

    url_pattern: str
    block: bool


class SetBlockedURLs(Command[Empty], frozen=True):
    url_patterns: list[BlockPattern]


class RequestWillBeSent(Event, frozen=True):
    request_id: str
    loader_id: str
    request: LoggedSent
    timestamp: float = 0.0
    """In seconds, as in all events."""
    wall_time: float = 0.0
    """The same moment in Unix seconds."""
    type: str | None = None
    frame_id: str | None = None
    redirect_response: Response | None = None
    """The redirect that led to this request, which has the same id as the redirected one."""
    redirect_has_extra_info: bool = False


class ResponseReceived(Event, frozen=True):
    request_id: str
    type: str
    response: Response
    has_extra_info: bool = False


class RequestWillBeSentExtraInfo(Event, frozen=True):
    """The headers as the network service sends them, with cookies. It may come before RequestWillBeSent."""

    request_id: str
    headers: msgspec.Raw = msgspec.Raw()


class ResponseReceivedExtraInfo(Event, frozen=True):
    """The response as the network service received it. It also comes for the scripts of workers."""

    request_id: str
    headers: msgspec.Raw = msgspec.Raw()


class LoadingFinished(Event, frozen=True):
    request_id: str
    timestamp: float = 0.0
    encoded_data_length: float = 0.0


class LoadingFailed(Event, frozen=True):
    request_id: str
    type: str
    error_text: str
    timestamp: float = 0.0
    canceled: bool = False
    blocked_reason: str | None = None


class WebSocketCreated(Event, frozen=True):
    request_id: str
    url: str


class WebSocketHandshakeResponseReceived(Event, frozen=True):
    request_id: str


class WebSocketFrame(Result, frozen=True):
    payload_data: msgspec.Raw = msgspec.Raw()
    """A JSON string, not decoded: the text, or the Base64 of what is no text."""


class WebSocketFrameSent(Event, frozen=True):
    request_id: str
    response: WebSocketFrame


class WebSocketFrameReceived(Event, frozen=True):
    request_id: str
    response: WebSocketFrame


class WebSocketClosed(Event, frozen=True):
    request_id: str


class EventSourceMessageReceived(Event, frozen=True):
    request_id: str
    event_name: str = ""
    data: msgspec.Raw = msgspec.Raw()


class DataReceived(Event, frozen=True):
    request_id: str


class WebTransportCreated(Event, frozen=True):
    """The only event of a WebTransport beside its end: what comes over it is not reported."""

    url: str

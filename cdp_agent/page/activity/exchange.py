"""What went out with a request and came with its answer beside the bodies, kept as Chrome wrote it.

Nothing of it is decoded before somebody asks, since nearly nobody does: what a request costs is a copy of its headers.
"""

from __future__ import annotations

from typing import Self

import msgspec

from cdp_agent.cdp import network

LONGEST_SENT = 64_000
"""Bytes of what is sent with a request that are kept here; Chrome is asked for what is longer."""
_SMALL = 500
"""Bytes that an exchange takes beside its headers, roughly."""

Headers = dict[str, str]


class ExtraHeaders(msgspec.Struct):
    """The headers as the network service has them, for each of a request's redirects that has such."""

    sent: list[bytes] = []
    received: list[bytes] = []


class HttpExchange(msgspec.Struct):
    """Of one request, its redirects apart. `complete`: nothing of it was dropped to stay within the limit."""

    wall_time: float
    extra: ExtraHeaders
    number_of_extra: int
    """Which of the extra headers are of this one, counted from 0."""
    request_headers: bytes
    sent: bytes
    """What was sent with it, as a JSON text; empty where there was nothing, or it is too long."""
    sends: bool
    """Something was sent with it."""
    response: network.Response | None = None
    response_headers: bytes = b""
    has_extra: bool | None = None
    complete: bool = True

    @classmethod
    def of(cls, event: network.RequestWillBeSent, extra: ExtraHeaders, number_of_extra: int = 0) -> Self:
        """As it begins."""
        request = event.request
        sent = bytes(request.post_data)
        return cls(
            wall_time=event.wall_time,
            extra=extra,
            number_of_extra=number_of_extra,
            request_headers=bytes(request.headers),
            sent=sent if len(sent) <= LONGEST_SENT else b"",
            sends=request.has_post_data,
        )

    @classmethod
    def after(cls, led_here: Self, event: network.RequestWillBeSent) -> Self:
        """Where a redirect led to."""
        return cls.of(event, led_here.extra, led_here.number_of_extra + bool(led_here.has_extra))

    @property
    def size(self) -> int:
        """In bytes, roughly."""
        extra = len(self._of_extra(self.extra.sent)) + len(self._of_extra(self.extra.received))
        return _SMALL + len(self.request_headers) + len(self.sent) + len(self.response_headers) + extra

    def answered(self, response: network.Response, has_extra: bool) -> int:
        """Its answer has begun to come; returns by how much this has grown."""
        before = self.size
        self.response_headers = bytes(response.headers) if self.complete else b""
        # The rest of Chrome's message would be kept with what was not decoded of it.
        self.response = msgspec.structs.replace(response, headers=msgspec.Raw())
        self.has_extra = has_extra
        return self.size - before

    def forget(self) -> None:
        """Leaves nothing that is long."""
        self.request_headers = self.sent = self.response_headers = b""
        self.extra = ExtraHeaders()
        self.complete = False

    @property
    def headers_sent(self) -> Headers:
        """Those that went out, else those that the page asked for."""
        return _read(self._of_extra(self.extra.sent) or self.request_headers)

    @property
    def headers_received(self) -> Headers:
        """Those that came; what came several times is in lines."""
        return _read(self._of_extra(self.extra.received) or self.response_headers)

    @property
    def text_sent(self) -> str | None:
        """What was sent with it; None where that is not kept here."""
        return msgspec.json.decode(self.sent, type=str) if self.sent else None

    def _of_extra(self, told: list[bytes]) -> bytes:
        return told[self.number_of_extra] if self.has_extra is not False and self.number_of_extra < len(told) else b""


def _read(headers: bytes) -> Headers:
    return msgspec.json.decode(headers, type=Headers) if headers else {}

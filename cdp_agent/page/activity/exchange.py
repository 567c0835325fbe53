"""The parts of a request and its response other than the response body, kept as the JSON that Chrome sent.

Nothing is decoded until it is needed, which is rare: a request costs no more than a copy of its headers.
"""

from __future__ import annotations

from typing import Self

import msgspec

from cdp_agent.cdp import network
from cdp_agent.page.snapshot.lines import shortened
from cdp_agent.security.redaction import CREDENTIALS

LONGEST_SENT = 64_000
"""The largest request body, in bytes, that is kept here. Larger ones are fetched from Chrome."""
_SMALL = 500
"""The approximate size of an exchange in bytes, without its headers and bodies."""

Headers = dict[str, str]
HIDDEN = "<hidden>"
"""Written in place of the values of cookies, and of headers with credentials."""
_MOST_SHOWN = 100
_LONGEST_SHOWN = 1_000


class ExtraHeaders(msgspec.Struct):
    """The headers as the network service reports them, one item for each request of a redirect chain that has them."""

    sent: list[bytes] = []
    received: list[bytes] = []


class HttpExchange(msgspec.Struct):
    """A request and its response; a redirect begins another one. `complete`: nothing was dropped to save memory."""

    wall_time: float
    extra: ExtraHeaders
    extra_index: int
    """The index of this request's headers in `extra`."""
    request_headers: bytes
    sent: bytes
    """The request body as a JSON string, not decoded; empty if there is none, or it is too long."""
    has_body: bool
    """Whether the request has a body."""
    response: network.Response | None = None
    response_headers: bytes = b""
    has_extra: bool | None = None
    complete: bool = True

    @classmethod
    def of(cls, event: network.RequestWillBeSent, extra: ExtraHeaders, extra_index: int = 0) -> Self:
        """The exchange of a request that has just begun."""
        request = event.request
        sent = bytes(request.post_data)
        return cls(
            wall_time=event.wall_time,
            extra=extra,
            extra_index=extra_index,
            request_headers=bytes(request.headers),
            sent=sent if len(sent) <= LONGEST_SENT else b"",
            has_body=request.has_post_data,
        )

    @classmethod
    def after(cls, redirect: Self, event: network.RequestWillBeSent) -> Self:
        """The exchange of the request that a redirect led to."""
        return cls.of(event, redirect.extra, redirect.extra_index + bool(redirect.has_extra))

    @property
    def size(self) -> int:
        """The approximate size in bytes."""
        extra = len(self._of_extra(self.extra.sent)) + len(self._of_extra(self.extra.received))
        return _SMALL + len(self.request_headers) + len(self.sent) + len(self.response_headers) + extra

    def answered(self, response: network.Response, has_extra: bool) -> int:
        """Records the status and the headers of the response; returns by how many bytes the exchange has grown."""
        before = self.size
        self.response_headers = bytes(response.headers) if self.complete else b""
        # A `Raw` keeps Chrome's whole message in memory; a copy does not.
        self.response = msgspec.structs.replace(response, headers=msgspec.Raw())
        self.has_extra = has_extra
        return self.size - before

    def forget(self) -> None:
        """Drops the headers and the body, to save memory."""
        self.request_headers = self.sent = self.response_headers = b""
        self.extra = ExtraHeaders()
        self.complete = False

    @property
    def headers_sent(self) -> Headers:
        """The headers that were sent, or, if they are not known, those that the page set."""
        return _read(self._of_extra(self.extra.sent) or self.request_headers)

    @property
    def headers_received(self) -> Headers:
        """The headers of the response. The values of a repeated header are separated by line breaks."""
        return _read(self._of_extra(self.extra.received) or self.response_headers)

    @property
    def headers_shown(self) -> Headers:
        """Those of the response, names in lower case, values shortened: no cookies and credentials, 100 at most."""
        shown = list(self.headers_received.items())[:_MOST_SHOWN]
        return {name.lower(): shortened(covered(name.lower(), value), _LONGEST_SHOWN) for name, value in shown}

    @property
    def body_text(self) -> str | None:
        """The request body; None if there is none, or it is not kept here."""
        return msgspec.json.decode(self.sent, type=str) if self.sent else None

    def _of_extra(self, values: list[bytes]) -> bytes:
        return values[self.extra_index] if self.has_extra is not False and self.extra_index < len(values) else b""


def covered(name: str, value: str) -> str:
    """The value of a header, its name in lower case, with HIDDEN in place of what lets in whoever has it."""
    if name == "cookie":
        return "; ".join(f"{each.partition('=')[0].strip()}={HIDDEN}" for each in value.split(";"))
    if name == "set-cookie":
        return "\n".join(map(_covered_cookie, value.split("\n")))
    return HIDDEN if name in CREDENTIALS else value


def _covered_cookie(line: str) -> str:
    pair, _, rest = line.partition(";")
    return f"{pair.partition('=')[0]}={HIDDEN}{';' if rest else ''}{rest}"


def _read(headers: bytes) -> Headers:
    return msgspec.json.decode(headers, type=Headers) if headers else {}

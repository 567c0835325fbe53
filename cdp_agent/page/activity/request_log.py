"""The requests of a tab since its document was requested, and their results."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterator
from itertools import count
from typing import TypedDict, Unpack

import msgspec

from cdp_agent.cdp import network
from cdp_agent.cdp.connection import Session
from cdp_agent.errors import ActionError, InvalidArguments
from cdp_agent.page.snapshot.lines import shortened
from cdp_agent.patterns import pattern

from .exchange import ExtraHeaders, Headers, HttpExchange

MOST_KEPT = 1_000
MOST_RESULTS = 1_000
Status = int | str
_LONGEST_ADDRESS = 300
_LONGEST_KEPT = 20_000
"""The limit in characters for a URL, which may contain long data."""
_MOST_DETAILS = 4_000_000
"""The limit in bytes for the headers and request bodies of all requests together."""
_MOST_EARLY = 100
"""The limit for requests whose headers are kept before their own event comes, which for some it never does."""
_CLASS = pattern(r"[1-5]xx")
_API = ("fetch", "xhr")


class RequestInfo(msgspec.Struct, frozen=True, kw_only=True):
    """A request and its result. A redirect ends it: the request that follows is a separate one.

    `number` is for `Page.response_body`; `duration_ms` is in milliseconds, `size` in bytes as transferred. `status` is
    None if no response has come; `error` (`net::ERR_…`) says why none will.
    """

    number: int
    method: str
    url: str
    kind: str
    status: int | None = None
    error: str | None = None
    mime_type: str = ""
    duration_ms: float | None = None
    size: int | None = None
    response_headers: Headers = {}
    """By their names in lower case, with <hidden> in place of cookies and credentials; in what `requests` returns."""

    @property
    def failed(self) -> bool:
        """Whether it ended with an error, or a status of 400 or more."""
        return self.error is not None or (self.status or 0) >= 400

    def __str__(self) -> str:
        came = self.error or (self.status if self.status is not None else "pending")
        rest = [self.mime_type, "" if self.duration_ms is None else f"{self.duration_ms:.0f} ms"]
        size = "" if self.size is None else f"{self.size:,} bytes"
        about = ", ".join(filter(None, (self.kind, *rest, size)))
        return f"{self.number}: {self.method} {shortened(self.url, _LONGEST_ADDRESS)} {came} ({about})"


class RequestsResult(msgspec.Struct, frozen=True):
    """The latest matching requests, in order, and the total number of matches.

    `dropped`: how many earlier requests are no longer remembered.
    """

    requests: list[RequestInfo]
    total: int
    dropped: int = 0


class _End(TypedDict, total=False):
    status: int
    size: int
    error: str


class LoggedRequest(msgspec.Struct):
    """A request in the log, with the session and the id that are needed to get its body from Chrome."""

    info: RequestInfo
    session: Session
    request_id: str
    loader_id: str
    """That of the document that sent it; "" for a worker."""
    since: float
    exchange: HttpExchange


class RequestLog:
    """The log of the latest requests."""

    def __init__(self) -> None:
        self._numbers = count(1)
        self._kept: dict[str, LoggedRequest] = {}
        self._dropped = 0
        self._early_headers: dict[str, ExtraHeaders] = {}
        self._detail_bytes = 0
        """The total size of all exchanges in bytes."""
        self.past: deque[LoggedRequest] | None = None
        """Collects the requests that are removed from the log, if a caller has set a deque; None otherwise."""

    def sent(self, session: Session, event: network.RequestWillBeSent) -> None:
        """Adds a request, which may be the result of a redirect."""
        redirect = None
        if event.redirect_response is not None and event.request_id in self._kept:
            self.ended(event.request_id, event.timestamp, status=event.redirect_response.status)
            redirect = self._kept.pop(event.request_id)
            self._detail_bytes += redirect.exchange.answered(event.redirect_response, event.redirect_has_extra_info)
            self._kept[f"{event.request_id} {redirect.info.number}"] = redirect
        info = RequestInfo(
            number=next(self._numbers),
            method=event.request.method,
            url=event.request.url[:_LONGEST_KEPT],
            kind=(event.type or "other").lower(),
        )
        if redirect is not None:
            exchange = HttpExchange.after(redirect.exchange, event)
        else:
            exchange = HttpExchange.of(event, self._early_headers.pop(event.request_id, ExtraHeaders()))
        self._kept[event.request_id] = LoggedRequest(
            info, session, event.request_id, event.loader_id, event.timestamp, exchange
        )
        self._detail_bytes += exchange.size
        if len(self._kept) > MOST_KEPT:
            self._forget(next(iter(self._kept)))
            self._dropped += 1
        if self._detail_bytes > _MOST_DETAILS:
            self._forget_details()

    def headers_sent(self, event: network.RequestWillBeSentExtraInfo) -> None:
        """Adds the headers that were sent, cookies included."""
        self._keep_extra(event.request_id, event.headers, lambda extra: extra.sent)

    def headers_received(self, event: network.ResponseReceivedExtraInfo) -> None:
        """Adds the headers of the response, cookies included."""
        self._keep_extra(event.request_id, event.headers, lambda extra: extra.received)

    def answered(self, event: network.ResponseReceived) -> None:
        """Records the status and the headers of a response."""
        if (logged := self._kept.get(event.request_id)) is not None:
            response = event.response
            logged.info = msgspec.structs.replace(logged.info, status=response.status, mime_type=response.mime_type)
            self._detail_bytes += logged.exchange.answered(response, event.has_extra_info)

    def ended(self, request_id: str, timestamp: float, **what: Unpack[_End]) -> None:
        """Records the end of a request: the whole response has come, or none will."""
        if (logged := self._kept.get(request_id)) is not None:
            took_ms = round((timestamp - logged.since) * 1000, 1)
            logged.info = msgspec.structs.replace(logged.info, duration_ms=took_ms, **what)

    def forget_before(self, loader_id: str) -> None:
        """Removes all requests before the one for the tab's new document."""
        of_document = (each.info.number for each in self._kept.values() if each.request_id == loader_id)
        first = min(of_document, default=math.inf)
        for key in [key for key, each in self._kept.items() if each.info.number < first]:
            self._forget(key)
        self._detail_bytes = sum(each.exchange.size for each in self._kept.values())
        self._dropped = 0

    def _forget(self, key: str) -> None:
        forgotten = self._kept.pop(key)
        self._detail_bytes -= forgotten.exchange.size
        if self.past is not None:
            self.past.append(forgotten)

    def found(self, *, kind: str | None, status: Status | None, text: str | None, max_results: int) -> RequestsResult:
        """See `Page.requests`."""
        if not 1 <= max_results <= MOST_RESULTS:
            raise InvalidArguments(f"max_results is from 1 to {MOST_RESULTS:,}, not {max_results}.")
        wanted = list(self._wanted(kind, status, text))
        shown = [
            msgspec.structs.replace(logged.info, response_headers=logged.exchange.headers_shown)
            for logged in wanted[-max_results:]
        ]
        return RequestsResult(shown, len(wanted), self._dropped)

    def all(self) -> tuple[list[LoggedRequest], int]:
        """All requests in the log, in order, and how many earlier ones are no longer remembered."""
        return sorted(self._kept.values(), key=lambda each: each.info.number), self._dropped

    def request(self, number: int) -> LoggedRequest:
        """The request with this number. Raises ActionError if there is none."""
        for logged in self._kept.values():
            if logged.info.number == number:
                return logged
        raise ActionError(f"No request has the number {number}: list those that there are.")

    def sender(self, request_id: str) -> str | None:
        """The loader id of the document that sent the request, "" for a worker; None if it is not in the log."""
        logged = self._kept.get(request_id)
        return None if logged is None else logged.loader_id

    def by_id(self, request_id: str) -> LoggedRequest | None:
        """The request with this id of Chrome's; None if it is not in the log."""
        return self._kept.get(request_id)

    def _keep_extra(self, request_id: str, headers: msgspec.Raw, place: Callable[[ExtraHeaders], list[bytes]]) -> None:
        request = self._kept.get(request_id)
        if request is not None and not request.exchange.complete:
            return
        if request is not None:
            extra = request.exchange.extra
            self._detail_bytes += len(bytes(headers))
        else:
            extra = self._early_headers.setdefault(request_id, ExtraHeaders())
            if len(self._early_headers) > _MOST_EARLY:
                del self._early_headers[next(iter(self._early_headers))]
        place(extra).append(bytes(headers))

    def _forget_details(self) -> None:
        """Drops headers and bodies, the oldest first, until half of the limit is free."""
        self._detail_bytes = sum(request.exchange.size for request in self._kept.values())
        for request in self._kept.values():
            if self._detail_bytes <= _MOST_DETAILS // 2:
                break
            self._detail_bytes -= request.exchange.size
            request.exchange.forget()
            self._detail_bytes += request.exchange.size

    def _wanted(self, kind: str | None, status: Status | None, text: str | None) -> Iterator[LoggedRequest]:
        kinds = _API if kind == "api" else None if kind is None else (kind.lower(),)
        has = None if status is None else str(status).lower()
        if has is not None and not (has in ("failed", "pending") or has.isdecimal() or _CLASS.fullmatch(has)):
            raise InvalidArguments(f'status is a number, "4xx" and the like, "failed" or "pending", not {status!r}.')
        for logged in sorted(self._kept.values(), key=lambda each: each.info.number):
            request = logged.info
            if kinds is not None and request.kind not in kinds:
                continue
            if has is not None and not _has(request, has):
                continue
            if text is None or text.casefold() in f"{request.method} {request.url}".casefold():
                yield logged


def _has(info: RequestInfo, status: str) -> bool:
    if status == "failed":
        return info.failed
    if status == "pending":
        return info.status is None and info.error is None
    return info.status is not None and (str(info.status) == status or f"{info.status // 100}xx" == status)

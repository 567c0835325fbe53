"""HAR 1.2: the file format in which programs exchange the requests and responses of a page.

http://www.softwareishard.com/blog/har-12-spec/
Names that begin with an underscore are extensions, which the specification allows; Chrome's export has them too.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from urllib.parse import parse_qsl, urlsplit

import msgspec
from msgspec import UNSET, UnsetType, field

from cdp_agent.cdp.network import Response

from .exchange import HIDDEN, covered
from .request_log import LoggedRequest

_UNKNOWN = -1.0
_FORM = "application/x-www-form-urlencoded"
_VERSIONS = {"h2": "HTTP/2", "h3": "HTTP/3", "http/1.1": "HTTP/1.1", "http/1.0": "HTTP/1.0"}


class HarPart(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The base class of all parts: fields are named as in the specification, and left out if they have no value."""

    comment: str | UnsetType = UNSET


class HarPair(HarPart, frozen=True, kw_only=True):
    """A header, or a parameter of a URL or a form."""

    name: str
    value: str


class HarCookie(HarPart, frozen=True, kw_only=True):
    """A cookie; `expires` is in ISO 8601."""

    name: str
    value: str
    path: str | UnsetType = UNSET
    domain: str | UnsetType = UNSET
    expires: str | UnsetType = UNSET
    http_only: bool | UnsetType = UNSET
    secure: bool | UnsetType = UNSET


class HarPostData(HarPart, frozen=True, kw_only=True):
    """The body of a request."""

    mime_type: str
    params: list[HarPair]
    text: str


class HarRequest(HarPart, frozen=True, kw_only=True):
    method: str
    url: str
    http_version: str
    cookies: list[HarCookie]
    headers: list[HarPair]
    query_string: list[HarPair]
    post_data: HarPostData | UnsetType = UNSET
    headers_size: int = -1
    body_size: int = -1


class HarContent(HarPart, frozen=True, kw_only=True):
    """The body of a response. `text` is in Base64 if `encoding` says so, and left out if it is not known."""

    size: int
    mime_type: str
    text: str | UnsetType = UNSET
    encoding: str | UnsetType = UNSET


class HarResponse(HarPart, frozen=True, kw_only=True):
    """A response. If none came, `status` is 0 and `_error` says why."""

    status: int
    status_text: str
    http_version: str
    cookies: list[HarCookie]
    headers: list[HarPair]
    content: HarContent
    redirect_url: str = field(name="redirectURL")
    headers_size: int = -1
    body_size: int = -1
    transfer_size: int | UnsetType = field(name="_transferSize", default=UNSET)
    error: str | UnsetType = field(name="_error", default=UNSET)


class HarTimings(HarPart, frozen=True, kw_only=True):
    """In milliseconds, -1 for a phase that did not happen. `ssl` is part of `connect`; the rest add up to `total`."""

    blocked: float = _UNKNOWN
    dns: float = _UNKNOWN
    connect: float = _UNKNOWN
    ssl: float = _UNKNOWN
    send: float = 0.0
    wait: float = 0.0
    receive: float = 0.0

    @property
    def total(self) -> float:
        parts = (self.blocked, self.dns, self.connect, self.send, self.wait, self.receive)
        return round(sum(each for each in parts if each > 0), 3)


class HarCache(HarPart, frozen=True, kw_only=True):
    """Always empty: Chrome gives no information about its cache entries."""


class HarEntry(HarPart, frozen=True, kw_only=True):
    """A request and its response."""

    pageref: str
    started: str = field(name="startedDateTime")
    time: float
    request: HarRequest
    response: HarResponse
    cache: HarCache
    timings: HarTimings
    server_ip: str | UnsetType = field(name="serverIPAddress", default=UNSET)
    connection: str | UnsetType = UNSET
    kind: str = field(name="_resourceType")
    from_cache: str | UnsetType = field(name="_fromCache", default=UNSET)


class HarPageTimings(HarPart, frozen=True, kw_only=True):
    """When the page was parsed and loaded, in milliseconds since it was requested; -1 if not known."""

    on_content_load: float = _UNKNOWN
    on_load: float = _UNKNOWN


class HarPage(HarPart, frozen=True, kw_only=True):
    started: str = field(name="startedDateTime")
    id: str
    title: str
    page_timings: HarPageTimings


class HarProgram(HarPart, frozen=True, kw_only=True):
    """The program that wrote the file, or the browser."""

    name: str
    version: str


class HarLog(HarPart, frozen=True, kw_only=True):
    version: str = "1.2"
    creator: HarProgram
    browser: HarProgram | UnsetType = UNSET
    pages: list[HarPage]
    entries: list[HarEntry]


class HarFile(msgspec.Struct, frozen=True):
    log: HarLog


def entry_of(
    logged: LoggedRequest, pageref: str, *, content: HarContent, sent: str | None, credentials: bool
) -> HarEntry:
    """The entry of a request. `content` is the response body; `sent` is the request body, None if none is known.

    Without `credentials`, HIDDEN replaces the values of cookies and of the headers in CREDENTIALS.
    """
    info, exchange = logged.info, logged.exchange
    response = exchange.response
    timings = _timings(logged)
    from_cache = response is not None and response.from_disk_cache
    return HarEntry(
        pageref=pageref,
        started=iso(exchange.wall_time),
        time=timings.total,
        request=_request(logged, sent, credentials),
        response=_response(logged, content, credentials),
        cache=HarCache(),
        timings=timings,
        server_ip=response.remote_ip.strip("[]") if response is not None and response.remote_ip else UNSET,
        connection=f"{response.connection_id:.0f}" if response is not None and response.connection_id else UNSET,
        kind=info.kind,
        from_cache="disk" if from_cache else UNSET,
        comment=UNSET if exchange.complete else "Its headers and what was sent were dropped to save memory.",
    )


def iso(seconds: float) -> str:
    """A Unix time in seconds as ISO 8601, to the millisecond."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def content_of(logged: LoggedRequest, body: str | None, *, is_base64: bool = False, why_not: str = "") -> HarContent:
    """The content of a response: its body, or why the body is missing."""
    mime_type = logged.info.mime_type or "x-unknown"
    if body is None:
        return HarContent(size=logged.info.size or 0, mime_type=mime_type, comment=why_not or UNSET)
    size = len(base64.b64decode(body)) if is_base64 else len(body.encode())
    return HarContent(size=size, mime_type=mime_type, text=body, encoding="base64" if is_base64 else UNSET)


def _request(logged: LoggedRequest, sent: str | None, credentials: bool) -> HarRequest:
    info, exchange = logged.info, logged.exchange
    headers = exchange.headers_sent
    cookies = _named(headers, "cookie")
    kind = _named(headers, "content-type")
    post_data: HarPostData | UnsetType = UNSET
    if exchange.has_body:
        is_form = sent is not None and kind.partition(";")[0].strip().lower() == _FORM
        params = [HarPair(name=name, value=value) for name, value in parse_qsl(sent or "", True)] if is_form else []
        why = UNSET if sent is not None else "What was sent is not kept."
        post_data = HarPostData(mime_type=kind or "x-unknown", params=params, text=sent or "", comment=why)
    return HarRequest(
        method=info.method,
        url=info.url,
        http_version=_version(exchange.response),
        cookies=[
            HarCookie(name=name.strip(), value=value if credentials else HIDDEN)
            for name, _, value in (each.partition("=") for each in cookies.split(";") if each.strip())
        ],
        headers=_headers(headers, credentials),
        query_string=[HarPair(name=name, value=value) for name, value in parse_qsl(_query(info.url), True)],
        post_data=post_data,
        body_size=len(sent.encode()) if sent is not None else (-1 if exchange.has_body else 0),
    )


def _query(url: str) -> str:
    try:
        return urlsplit(url).query
    except ValueError:  # a URL that Chrome parses differently, such as one with broken brackets around the host
        return ""


def _response(logged: LoggedRequest, content: HarContent, credentials: bool) -> HarResponse:
    info, response = logged.info, logged.exchange.response
    headers = logged.exchange.headers_received
    return HarResponse(
        status=info.status or 0,
        status_text=response.status_text if response is not None else "",
        http_version=_version(response),
        cookies=[_cookie(line, credentials) for line in _named(headers, "set-cookie").split("\n") if line.strip()],
        headers=_headers(headers, credentials),
        content=content,
        redirect_url=_named(headers, "location"),
        transfer_size=UNSET if info.size is None else info.size,
        error=info.error or UNSET,
        comment=UNSET if info.status is not None or info.error else "No answer had come.",
    )


def _cookie(line: str, credentials: bool) -> HarCookie:
    """A cookie from a Set-Cookie header: https://www.rfc-editor.org/rfc/rfc6265#section-5.2"""
    pair, *rest = line.split(";")
    name, _, value = pair.partition("=")
    attributes = {key.strip().lower(): text.strip() for key, _, text in (each.partition("=") for each in rest)}
    return HarCookie(
        name=name.strip(),
        value=value.strip() if credentials else HIDDEN,
        path=attributes.get("path", UNSET),
        domain=attributes.get("domain", UNSET),
        expires=_expires(attributes.get("expires", "")),
        http_only="httponly" in attributes,
        secure="secure" in attributes,
    )


def _expires(text: str) -> str | UnsetType:
    try:
        return iso(parsedate_to_datetime(text.replace("-", " ")).timestamp()) if text else UNSET
    except (ValueError, OverflowError):
        return UNSET  # not a date


def _headers(headers: Mapping[str, str], credentials: bool) -> list[HarPair]:
    return [
        HarPair(name=name, value=line if credentials else covered(name.lower(), line))
        for name, value in headers.items()
        for line in value.split("\n")
    ]


def _named(headers: Mapping[str, str], name: str) -> str:
    return next((value for key, value in headers.items() if key.lower() == name), "")


def _version(response: Response | None) -> str:
    protocol = response.protocol if response is not None else ""
    return _VERSIONS.get(protocol.lower(), protocol)


def _timings(logged: LoggedRequest) -> HarTimings:
    """The timings from Chrome's ResourceTiming: each phase lasts until the next one begins."""
    timing = logged.exchange.response.timing if logged.exchange.response is not None else None
    total = logged.info.duration_ms
    if timing is None:
        return HarTimings(wait=max(total or 0.0, 0.0))
    before = max((timing.request_time - logged.since) * 1000, 0.0)
    marks = [
        ("blocked", -before),
        ("dns", timing.dns_start),
        ("connect", timing.connect_start),
        ("send", timing.send_start),
        ("wait", timing.send_end),
        ("receive", timing.receive_headers_end),
    ]
    happened = [marks[0], *(each for each in marks[1:] if each[1] >= 0)]
    ends = [at for _, at in happened[1:]] + [max((total or 0.0) - before, happened[-1][1])]
    parts = {name: round(max(end - at, 0.0), 3) for (name, at), end in zip(happened, ends, strict=True)}
    if timing.ssl_start >= 0:
        parts["ssl"] = round(timing.ssl_end - timing.ssl_start, 3)
    return msgspec.structs.replace(HarTimings(), **parts)

"""A HAR file of all requests of a tab since its document was requested; see har.py."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import msgspec
from msgspec import UNSET

from cdp_agent.cdp import browser as cdp_browser
from cdp_agent.cdp import network
from cdp_agent.cdp.connection import Session
from cdp_agent.errors import ActionError, ProtocolError
from cdp_agent.page.frames.world import CALL_TIMEOUT_S, deadline

from .activity import Activity, Document
from .bodies import body_of
from .har import (
    HarContent,
    HarFile,
    HarLog,
    HarPage,
    HarPageTimings,
    HarProgram,
    content_of,
    entry_of,
    iso,
)
from .request_log import MOST_KEPT, LoggedRequest

_AT_ONCE = 20
_WITHOUT_BODY = {204, 205, 304}
_PAGE = "page_1"
_NOT_KEPT = "Chrome keeps it no more: of each process the latest 2 MB, and none longer than 200 KB."
_SECRET = "it holds a secret in Base64."
_NOT_ASKED = "bodies were not asked for."
_NEVER = "Not recorded: addresses of data: and blob:, messages of WebSockets, what workers ask for by themselves."
_HIDDEN = "Hidden: the values of cookies and of headers that let in whoever has them."


class HarOptions(msgspec.Struct, frozen=True):
    """The options of `Page.har`."""

    bodies: bool = True
    credentials: bool = False
    mask: Callable[[str], str] | None = None
    max_body_bytes: int = 10_000_000


async def har_of(activity: Activity, session: Session, title: str, options: HarOptions) -> tuple[HarFile, list[str]]:
    """The file as data that is still to be masked by `written`, and notes on what was left out of it."""
    logged, dropped = activity.requests.log.all()
    collected = await _Contents(options).of(logged)
    entries = [
        entry_of(request, _PAGE, content=content, sent=sent, credentials=options.credentials)
        for request, (content, sent) in zip(logged, collected.contents, strict=True)
    ]
    notes = [
        *([f"{dropped:,} earlier requests: the last {MOST_KEPT:,} are remembered."] if dropped else []),
        *collected.left_out,
        *([] if options.credentials else [_HIDDEN]),
        _NEVER,
    ]
    product = (await session.connection.browser.send(cdp_browser.GetVersion())).product
    name, _, number = product.partition("/")
    log = HarLog(
        creator=HarProgram(name="cdp-agent", version=version("cdp-agent")),
        browser=HarProgram(name=name, version=number),
        pages=[_page(activity.document, title, logged)],
        entries=entries,
        comment=" ".join(notes),
    )
    return HarFile(log), notes


def written(har: HarFile, mask: Callable[[str], str] | None) -> bytes:
    """The file as JSON, with `mask` (if any) applied to every string value."""
    found = msgspec.to_builtins(har)
    return msgspec.json.format(msgspec.json.encode(_masked(found, mask) if mask is not None else found), indent=1)


class _Contents:
    """The bodies of requests, and as many bodies of responses as fit the limit, except Base64 with secrets in it."""

    def __init__(self, options: HarOptions) -> None:
        self.contents: list[tuple[HarContent, str | None]] = []
        self._options = options
        self._budget = options.max_body_bytes
        self._left: Counter[str] = Counter()

    @property
    def left_out(self) -> list[str]:
        """The reasons why bodies are missing, each with the number of bodies."""
        return [f"{count:,} {'body' if count == 1 else 'bodies'}: {why}" for why, count in self._left.items()]

    async def of(self, logged: list[LoggedRequest]) -> _Contents:
        newest_first = logged[::-1]  # if not all fit, the latest matter most
        for at in range(0, len(logged), _AT_ONCE):
            batch = newest_first[at : at + _AT_ONCE]
            answers, sent = await asyncio.gather(
                asyncio.gather(*map(self._content, batch)), asyncio.gather(*map(_sent, batch))
            )
            self.contents += zip(map(self._fitting, answers), sent, strict=True)
        self.contents.reverse()
        return self

    async def _content(self, logged: LoggedRequest) -> HarContent:
        info = logged.info
        if info.status is None or info.duration_ms is None or info.status in _WITHOUT_BODY or 300 <= info.status < 400:
            return content_of(logged, None)
        if not self._options.bodies:
            return content_of(logged, None, why_not=self._without(_NOT_ASKED))
        try:
            body = await body_of(logged)
        except ActionError:
            return content_of(logged, None, why_not=self._without(_NOT_KEPT) if info.size else "")
        return content_of(logged, body.body, is_base64=body.base64)

    def _fitting(self, content: HarContent) -> HarContent:
        text = content.text
        if not isinstance(text, str):
            return content
        if len(text) > self._budget:
            return _emptied(content, self._without(f"all together are {self._options.max_body_bytes:,} bytes at most."))
        self._budget -= len(text)
        mask = self._options.mask
        if mask is not None and content.encoding == "base64" and mask(text) != text:
            return _emptied(content, self._without(_SECRET))
        return content

    def _without(self, why: str) -> str:
        self._left[why] += 1
        return f"Left out: {why}"


async def _sent(logged: LoggedRequest) -> str | None:
    """The body of the request, fetched from Chrome if it is long; None if there is none or Chrome does not keep it."""
    exchange = logged.exchange
    if (text := exchange.body_text) is not None or not exchange.has_body:
        return text
    try:
        async with deadline(logged.session, CALL_TIMEOUT_S):
            body = await logged.session.send(network.GetRequestPostData(request_id=logged.request_id))
    except (ActionError, ProtocolError):
        return None  # Chrome does not keep it; the entry states this
    return None if body.base64_encoded else body.post_data


def _emptied(content: HarContent, why: str) -> HarContent:
    return msgspec.structs.replace(content, text=UNSET, encoding=UNSET, comment=why)


def _page(document: Document, title: str, logged: list[LoggedRequest]) -> HarPage:
    first = next((each for each in logged if each.request_id == document.loader_id), logged[0] if logged else None)
    since = first.since if first is not None else 0.0
    return HarPage(
        started=iso(first.exchange.wall_time if first is not None else 0.0),
        id=_PAGE,
        title=title or document.url,
        page_timings=HarPageTimings(
            on_content_load=_after(since, document.ready_at), on_load=_after(since, document.loaded_at)
        ),
    )


def _after(since: float, at: float) -> float:
    return round((at - since) * 1000, 3) if since and at >= since else -1.0


def _masked(value: object, mask: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, list):
        return [_masked(each, mask) for each in value]
    if isinstance(value, dict):
        return {key: _masked(each, mask) for key, each in value.items()}
    return value

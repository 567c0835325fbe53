"""Records the tabs of a run while its model thinks: a picture, documents, new requests, new console messages.

The run does not wait for it, except briefly for a picture that is being taken.
"""

from __future__ import annotations

import asyncio
import gzip
import logging
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import NamedTuple
from weakref import WeakKeyDictionary

import msgspec

from cdp_agent.cdp import dom_snapshot
from cdp_agent.cdp import page as cdp_page
from cdp_agent.errors import ActionError, BrowserError, ProtocolError
from cdp_agent.page.activity.bodies import body_of
from cdp_agent.page.activity.console import MOST_RESULTS, ConsoleMessage
from cdp_agent.page.activity.request_log import LoggedRequest
from cdp_agent.page.picture.marks import Box, locate_marks
from cdp_agent.page.picture.paint import Picture
from cdp_agent.page.picture.screenshot import take_picture
from cdp_agent.page.picture.view import view_of
from cdp_agent.page.tab.drawing import capture
from cdp_agent.page.tab.tab import Tab
from cdp_agent.security.secrets import Secrets
from cdp_agent.trace import documents
from cdp_agent.trace.lines import ConsoleLine, DocumentTaken, PictureTarget, RequestLine, SheetTaken
from cdp_agent.trace.recorder import Recorder

_LATEST_S = 0.25
"""How long an action waits for the picture of the page before it."""
_TAKES_AT_MOST_S = 5.0
_QUALITY = 60
_MOST_PAST = 5_000
_BLANK = "about:blank"
_SLOW_S = 0.3
_OK = 200
_log = logging.getLogger(__name__)


class Watcher:
    """Records what the tabs show and do. `tabs` returns the tabs of the run, the current one last."""

    def __init__(self, recorder: Recorder, secrets: Secrets, tabs: Callable[[], Sequence[Tab]]) -> None:
        self.recorder = recorder
        self._secrets = secrets
        self._tabs = tabs
        self._looking: asyncio.Task[None] | None = None
        self._picture: int | None = None
        """The number of the present step's picture, None until there is one."""
        self._unseen: list[PictureTarget] = []
        """Elements that were acted on but are not in the picture of their step: they may be in the next one."""
        self._requests: WeakKeyDictionary[Tab, _SeenRequests] = WeakKeyDictionary()
        self._messages: WeakKeyDictionary[Tab, _SeenMessages] = WeakKeyDictionary()
        self._slow_documents: WeakKeyDictionary[Tab, int] = WeakKeyDictionary()
        """For tabs whose documents took long to capture, the number of the document."""
        self._keeping: set[asyncio.Task[None]] = set()
        """The tasks that write documents."""
        self._sheets: set[str] = set()
        """The addresses of the style sheets that were looked for."""

    def look(self) -> None:
        """Starts to look at the tabs in the background, unless the last look is still under way."""
        if self._looking is None or self._looking.done():
            self._picture = None
            self._looking = asyncio.create_task(self._look())

    async def ready(self) -> None:
        """Before an action: waits briefly for the look that is under way, then cancels it."""
        if self._looking is None:
            return
        done, _ = await asyncio.wait([self._looking], timeout=_LATEST_S)
        if not done:
            self.recorder.omit("picture", "the page took longer to be photographed than the model to answer")
            self._looking.cancel()
            await asyncio.wait([self._looking])
        self._looking = None

    async def acts(self, calls: Sequence[tuple[str, str]]) -> None:
        """Before actions: writes the positions of their elements in the picture. `calls` are tools, each with a ref."""
        await self.ready()
        if self._picture is None or not calls:
            return
        boxes = await self._boxes([ref for _, ref in calls])
        stamp = self.recorder.stamp
        targets = [
            PictureTarget(**stamp, picture=self._picture, tool=tool, ref=ref, boxes=boxes.get(ref, []))
            for tool, ref in calls
        ]
        self._unseen = [target for target in targets if not target.boxes]
        for target in targets:
            self.recorder.record(target)

    async def end(self) -> None:
        """Looks at the tabs a last time, at the end of the run."""
        self.look()
        await self.ready()
        if self._keeping:
            await asyncio.wait(self._keeping, timeout=_TAKES_AT_MOST_S)

    async def close(self) -> None:
        """Cancels what is under way, and closes the recorder."""
        if left := [*self._keeping, *([] if self._looking is None else [self._looking])]:
            for each in left:
                each.cancel()
            await asyncio.wait(left)
        for tab in self._tabs():
            self._record_requests(tab, pending=True)
        self.recorder.close()

    async def _look(self) -> None:
        tabs = [tab for tab in self._tabs() if not tab.closed]
        for tab in tabs:  # first: requests of documents that are left are kept from then on
            self._record_requests(tab)
        try:
            async with asyncio.timeout(_TAKES_AT_MOST_S):
                if tabs:
                    await self._see(tabs[-1])
                for tab in tabs:
                    await self._record_console(tab)
        except (ActionError, ProtocolError, BrowserError, TimeoutError) as error:
            # The page hangs or has just gone, which the run notices by itself.
            _log.debug("a tab could not be looked at for the trace: %s", error)

    async def _see(self, tab: Tab) -> None:
        """Takes a picture and the documents at the same time; the documents are written in the background."""
        wanted = self.recorder.options
        capturing = asyncio.create_task(self._captured(tab)) if wanted.documents else None
        try:
            if wanted.pictures:
                await self._take_picture(tab)
            taken = None if capturing is None else await capturing
        finally:
            if capturing is not None and not capturing.done():
                capturing.cancel()
            elif capturing is not None and not capturing.cancelled():
                capturing.exception()  # retrieved: if the picture failed as well, its error is the one raised
        if taken is not None:
            keeping = asyncio.create_task(self._keep(tab, taken))
            self._keeping.add(keeping)
            keeping.add_done_callback(self._keeping.discard)

    async def _take_picture(self, tab: Tab) -> None:
        if tab.url in (_BLANK, ""):
            return
        step, url, taken = self.recorder.step, tab.url, time.time()
        if self._secrets:
            view, picture = await asyncio.gather(
                view_of(tab), take_picture(tab, hidden=self._secrets.spans, format="jpeg")
            )
        else:
            view, picture = await asyncio.gather(view_of(tab), _plain_picture(tab))
        self._picture = self.recorder.picture(
            picture,
            step=step,
            taken=taken,
            tab=f"t{tab.number}",
            url=self._secrets.mask(url),
            viewport=(view.width, view.height),
        )
        unseen, self._unseen = self._unseen, []
        if unseen and self._picture is not None:
            boxes = await self._boxes([target.ref for target in unseen])
            for target in unseen:
                if target.ref in boxes:
                    self.recorder.record(
                        msgspec.structs.replace(target, picture=self._picture, boxes=boxes[target.ref])
                    )

    async def _captured(self, tab: Tab) -> _Captured | None:
        if tab.url in (_BLANK, "") or self._is_heavy(tab):
            return None
        step, url, taken, clock = self.recorder.step, tab.url, time.time(), time.monotonic()
        view, captured = await asyncio.gather(view_of(tab), documents.capture(tab))
        if time.monotonic() - clock > _SLOW_S:
            self._slow_documents[tab] = tab.activity.document.number
            self.recorder.omit("document", "a document takes long to be told: after the first time it is left out")
        return _Captured(captured, step, url, taken, view.width, view.height)

    async def _keep(self, tab: Tab, taken: _Captured) -> None:
        frames = await asyncio.to_thread(documents.documents_of, taken.documents, self._secrets)
        if frames is None:
            self.recorder.omit("document", "a secret is spread over its elements")
            return
        content = await asyncio.to_thread(_compressed, frames)
        if (file := self.recorder.save_document(content, "json.gz")) is None:
            return
        self.recorder.record(
            DocumentTaken(
                timestamp=taken.at,
                step=taken.step,
                tab=f"t{tab.number}",
                url=self._secrets.mask(taken.url),
                file=file,
                size=len(content),
                width=taken.width,
                height=taken.height,
            )
        )
        await self._take_sheets(tab, {sheet for frame in frames for sheet in frame.sheets})

    def _is_heavy(self, tab: Tab) -> bool:
        return self._slow_documents.get(tab) == tab.activity.document.number

    async def _take_sheets(self, tab: Tab, addresses: set[str]) -> None:
        """Writes the style sheets that are new, if Chrome still has them."""
        new = addresses - self._sheets
        self._sheets |= new
        for sent in tab.activity.requests.log.all()[0] if new else ():
            if sent.info.url not in new or sent.info.status != _OK:
                continue
            try:
                body = await body_of(sent)
            except (ActionError, BrowserError) as error:
                self.recorder.omit("document", "Chrome had a style sheet no more")
                _log.debug("a style sheet was not had for the trace: %s", error)
                continue
            content = self._secrets.mask(body.body).encode()
            if not body.base64 and (file := self.recorder.save_document(content, "css")) is not None:
                line = SheetTaken(**self.recorder.stamp, url=sent.info.url, file=file, size=len(content))
                self.recorder.record(self._secrets.masked(line))

    async def _boxes(self, refs: Sequence[str]) -> dict[str, list[Box]]:
        try:
            return {mark.ref: mark.boxes for mark in await locate_marks(self._tabs()[-1], refs)}
        except (ActionError, ProtocolError, BrowserError) as error:  # as in _look
            _log.debug("elements could not be located for the trace: %s", error)
            return {}

    def _record_requests(self, tab: Tab, *, pending: bool = False) -> None:
        seen = self._requests.setdefault(tab, _SeenRequests())
        for sent in seen.new_in(tab, pending=pending):
            began, request = sent.exchange.wall_time, self._secrets.masked(sent.info)
            line = RequestLine(
                timestamp=began, step=self.recorder.step_at(began), tab=f"t{tab.number}", request=request
            )
            self.recorder.record(line)

    async def _record_console(self, tab: Tab) -> None:
        seen = self._messages.setdefault(tab, _SeenMessages())
        for message in await seen.new_in(tab):
            self.recorder.record(
                ConsoleLine(**self.recorder.stamp, tab=f"t{tab.number}", message=self._secrets.masked(message))
            )


class _SeenRequests:
    """The requests of a tab that were recorded."""

    def __init__(self) -> None:
        self._seen: set[int] = set()

    def new_in(self, tab: Tab, *, pending: bool) -> list[LoggedRequest]:
        """The requests that have ended since the last call; with `pending`, at the end of the run, all new ones."""
        log = tab.activity.requests.log
        past = log.past or ()
        log.past = deque(maxlen=_MOST_PAST)
        ended = [*past, *(each for each in log.all()[0] if pending or each.info.duration_ms is not None)]
        new = [each for each in ended if each.info.number not in self._seen]
        self._seen |= {each.info.number for each in new}
        return new


class _SeenMessages:
    """How many messages of a tab's document were recorded."""

    def __init__(self) -> None:
        self._document = -1
        self._count = 0

    async def new_in(self, tab: Tab) -> list[ConsoleMessage]:
        """The messages since the last call. Raises ActionError, ProtocolError, BrowserError."""
        document = tab.activity.document.number
        if document != self._document:
            self._document, self._count = document, 0
        page = await tab.activity.console.messages(await tab.frames(), max_results=MOST_RESULTS)
        new = page.total - self._count
        self._count = page.total
        return page.messages[-new:] if new > 0 else []


async def _plain_picture(tab: Tab) -> Picture:
    """A picture of the window without masks, where nothing has to be covered."""
    session = (await tab.frames()).root.session
    data = await capture(session, cdp_page.CaptureScreenshot(format="jpeg", quality=_QUALITY, optimize_for_speed=True))
    return Picture(data, "jpeg", 0, 0)


class _Captured(NamedTuple):
    """The documents of a tab as Chrome reported them, with the time."""

    documents: dom_snapshot.CapturedDocuments
    step: int
    url: str
    at: float
    width: float
    height: float


def _compressed(found: list[documents.FrameDocument]) -> bytes:
    return gzip.compress(msgspec.json.encode(found), compresslevel=1, mtime=0)

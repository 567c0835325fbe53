"""Makes Chrome draw the tabs that are worked in, even behind others, without bringing them to the front.

Chrome's compositor gives a page one frame a second once three of its frames were shown nowhere, which no flag changes
(`kUndrawnFrameLimit`, https://source.chromium.org/chromium/chromium/src/+/main:components/viz/service/frame_sinks/).
The front tab of a window is shown, and so is one of which a screencast is made.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import Iterator
from weakref import WeakKeyDictionary

import msgspec

from cdp_agent.cdp import page as cdp_page
from cdp_agent.cdp.connection import Session, retrieve_exception
from cdp_agent.cdp.types import Empty


class DrawnTabs:
    """The tabs of a browser context: those that are worked in are drawn, as if they were in front.

    These are the tabs in which calls are under way, and the one that was worked in last: a screencast that goes on
    costs nothing while a page stands still, whereas each start costs 10 ms of CPU.
    """

    def __init__(self, *, in_windows: bool) -> None:
        """`in_windows`: a person can cover or minimize them. Without windows, a tab that is alone is always drawn."""
        self._in_windows = in_windows
        self._open: set[str] = set()
        """The ids of the open tabs."""
        self._calls: Counter[Session] = Counter()
        """How many calls are under way in each tab."""
        self._last: Session | None = None
        """The tab that was worked in last."""
        self._drawn: set[Session] = set()

    def add(self, target_id: str) -> None:
        """Notes a new tab, which may be in front of the others from now on."""
        self._open.add(target_id)
        self._update()

    def remove(self, target_id: str, session: Session | None) -> None:
        """Notes that a tab was closed."""
        self._open.discard(target_id)
        if self._last is session:
            self._last = None
        self._update()

    @contextlib.contextmanager
    def work_in(self, session: Session) -> Iterator[None]:
        """Draws the tab while the block runs, and then until another one is worked in."""
        self._last = session
        self._calls[session] += 1
        self._update()
        try:
            yield
        finally:
            self._calls[session] -= 1
            self._update()

    def _update(self) -> None:
        self._calls = +self._calls  # without those that are 0
        needed = set(self._calls)
        if self._last is not None:
            needed.add(self._last)
        if len(self._open) == 1 and not self._in_windows:
            needed.clear()
        for session in self._drawn - needed:
            _end(session)
        for session in needed - self._drawn:
            _begin(session)
        self._drawn = needed


async def capture(session: Session, shot: cdp_page.CaptureScreenshot) -> bytes:
    """Takes a screenshot of a tab, even behind another. Raises ProtocolError, SessionClosed, BrowserError.

    Chrome takes it with the tab's next frame, for which it would wait indefinitely if it did not draw the tab.
    """
    begun = _begin(session)
    try:
        _, taken = await asyncio.gather(begun, session.post(shot))
    finally:
        _end(session)
    return taken.data


class _Screencast(msgspec.Struct):
    begun: asyncio.Future[Empty]
    wanted: int = 0
    """How many callers need it."""


_screencasts: WeakKeyDictionary[Session, _Screencast] = WeakKeyDictionary()


def _begin(session: Session) -> asyncio.Future[Empty]:
    """Has Chrome draw all frames of a tab until `_end`; returns a future of its answer.

    The pictures are not used: as none is acknowledged, Chrome sends only the first few.
    """
    screencast = _screencasts.get(session)
    if screencast is None:
        command = cdp_page.StartScreencast(format="jpeg", quality=1, max_width=16, max_height=16)
        screencast = _screencasts[session] = _Screencast(session.post(command))
        screencast.begun.add_done_callback(retrieve_exception)  # raised where it is awaited
    screencast.wanted += 1
    return screencast.begun


def _end(session: Session) -> None:
    screencast = _screencasts[session]
    screencast.wanted -= 1
    if not screencast.wanted:
        del _screencasts[session]
        session.tell(cdp_page.StopScreencast())

"""A tab: what a program and a model can see of it and do in it. Each subject has a module of its own."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Sequence
from typing import Any, Literal

import msgspec

from cdp_agent.cdp import emulation, runtime, target
from cdp_agent.cdp import page as cdp_page
from cdp_agent.cdp.connection import Session
from cdp_agent.cdp.known_errors import is_target_gone
from cdp_agent.errors import PageUnresponsive, ProtocolError, ScriptError

from . import navigation
from . import snapshot as snapshots
from .activity import Activity
from .dialogs import DialogPolicy, DialogWatcher
from .downloads import DownloadWatcher
from .frames import FrameTree
from .locate import Located, locate
from .receipts import Outcome, Receipt, perform, perform_unaimed
from .recover import Seen
from .refs import RefTable
from .snapshot import Snapshot
from .world import CALL_TIMEOUT_S, deadline

ATTACH_TIMEOUT_S = 2.0
CLOSE_TIMEOUT_S = 5.0
TAB_ARRIVES_WITHIN_S = 2.0
TAB_EXPECTED_S = 1.0
REMEMBERED_READINGS = 6

MouseButton = Literal["left", "right", "middle"]
SelectBy = Literal["text", "value", "index"]


class Page:
    """A tab of a Chrome. It is attached to at its first use, so that a page costs nothing until it is asked for."""

    def __init__(
        self,
        browser: Session,
        info: target.TargetInfo,
        *,
        dialogs: DialogPolicy,
        downloads: DownloadWatcher,
        opener: Page | None = None,
        viewport: tuple[int, int] | None = None,
    ) -> None:
        self.target_id = info.target_id
        self.title = info.title
        self.opener = opener
        self.popups: list[Page] = []
        """The tabs that this one opened, in order; those closed meanwhile too."""
        self.closed = False
        self.dialogs = DialogWatcher(dialogs)
        self.downloads = downloads
        self.refs = RefTable()
        self.history: deque[Seen] = deque(maxlen=REMEMBERED_READINGS)
        """What was read of the page lately, the latest at the end."""
        self.activity = Activity(info.target_id, info.url)
        self.acting = asyncio.Lock()
        """Held by who acts: an action's receipt is its own."""
        self._browser = browser
        self._viewport = viewport
        self._asked_for_tabs: list[tuple[str, float]] = []
        self._attached: asyncio.Task[FrameTree] | None = None
        self._reading = asyncio.Lock()

    async def frames(self) -> FrameTree:
        """The frames of the tab, attached to at the first call. Raises SessionClosed, BrowserError."""
        return await asyncio.shield(self.attach())

    @property
    def is_attached(self) -> bool:
        return self._attached is not None

    def attach(self, session_id: str | None = None) -> asyncio.Task[FrameTree]:
        """Begins to follow the tab, on the session that Chrome made for it by itself, or on a new one."""
        task = self._attached
        if task is None or (task.done() and (task.cancelled() or task.exception() is not None)):
            task = self._attached = asyncio.ensure_future(self._attach(session_id))
            task.add_done_callback(lambda done: done.cancelled() or done.exception())  # told to whoever uses the tab
        return task

    async def close(self) -> None:
        """Closes the tab, also when it would rather ask whether to stay. Raises PageUnresponsive, BrowserError."""

        def is_ours(event: target.TargetDestroyed) -> bool:
            return event.target_id == self.target_id

        async with self._browser.expect(target.TargetDestroyed, is_ours) as destroyed:
            try:
                async with asyncio.timeout(CLOSE_TIMEOUT_S):
                    await self._browser.send(target.CloseTarget(target_id=self.target_id))
                    await destroyed
            except TimeoutError as error:
                raise PageUnresponsive(f"The tab did not close within {CLOSE_TIMEOUT_S:g} s.") from error
            except ProtocolError as error:
                if not is_target_gone(error):
                    raise

    async def snapshot(self, *, budget_tokens: int | None = None) -> Snapshot:
        """The page as text, every element that matters with a ref, all frames in document order.

        Without a budget it is complete; with one it is at most so many tokens long and its last line accounts for
        what was left out. A ref stays valid as long as its element lives. Frames that could not be read are in
        `omitted`. Raises PageUnresponsive, DocumentGone, BrowserError.
        """
        return await self.read(budget_tokens)

    async def read(self, budget_tokens: int | None = None) -> Snapshot:
        """The same as `snapshot`, for use inside an action."""
        tree = await self.frames()
        async with self._reading:
            document = self.activity.document.number
            taken = await snapshots.take(tree, self.refs, budget_tokens=budget_tokens)
            self.history.append(Seen(taken, document, self.refs.next, budget_tokens is None))
        self.title = taken.title
        return taken

    async def goto(self, url: str, *, timeout_s: float = navigation.TIMEOUT_S) -> Receipt:
        """Opens an address and waits until it is settled. Raises NavigationFailed, PageUnresponsive, BrowserError."""
        return await navigation.goto(self, url, timeout_s=timeout_s)

    async def back(self) -> Receipt:
        """Goes back in the tab's history. Raises ActionError when there is no page to go back to."""
        return await navigation.back(self)

    async def forward(self) -> Receipt:
        """Goes forward in the tab's history. Raises ActionError when there is no page to go forward to."""
        return await navigation.forward(self)

    async def reload(self) -> Receipt:
        """Loads the page anew, also after it crashed."""
        return await navigation.reload(self)

    async def click(self, ref: str, *, button: MouseButton = "left", count: int = 1) -> Receipt:
        """Clicks the element with the mouse, `count` 2 for a double click. Raises NotInteractable, StaleRef."""
        from . import actions

        detail = {1: "", 2: "twice"}.get(count, f"{count} times")
        detail = " ".join(filter(None, (detail, "" if button == "left" else f"with the {button} button")))
        return await perform(
            self, "click", ref, lambda at: actions.click(at, button=button, count=count), detail=detail
        )

    async def hover(self, ref: str) -> Receipt:
        """Moves the mouse over the element. Raises NotInteractable, StaleRef."""
        from . import actions

        return await perform(self, "hover", ref, actions.hover)

    async def drag(self, from_ref: str, to_ref: str) -> Receipt:
        """Drags one element with the mouse and drops it on another. Raises NotInteractable, StaleRef."""
        from . import actions

        async def do(at: Located) -> Outcome:
            return await actions.drag(at, await locate(self, to_ref))

        return await perform(self, "drag", from_ref, do, detail=f"to {to_ref}")

    async def fill(self, ref: str, text: str, *, append: bool = False) -> Receipt:
        """Replaces the text of a field, or adds to it; `value` is what it has then. Raises NotInteractable."""
        from . import actions

        return await perform(self, "fill", ref, lambda at: actions.fill(at, text, append=append))

    async def select(self, ref: str, option: str, *, by: SelectBy = "text") -> Receipt:
        """Chooses an option of a list, native or not. Raises NotInteractable, InvalidArguments, StaleRef."""
        from . import actions

        return await perform(self, "select", ref, lambda at: actions.select(at, option, by=by))

    async def check(self, ref: str) -> Receipt:
        """Checks a checkbox, radio button or switch, if it is not. Raises NotInteractable, StaleRef."""
        from . import actions

        return await perform(self, "check", ref, actions.check)

    async def uncheck(self, ref: str) -> Receipt:
        """Unchecks a checkbox or switch, if it is checked. Raises NotInteractable, StaleRef."""
        from . import actions

        return await perform(self, "uncheck", ref, actions.uncheck)

    async def focus(self, ref: str) -> Receipt:
        """Moves the keyboard focus to the element. Raises NotInteractable, StaleRef."""
        from . import actions

        return await perform(self, "focus", ref, actions.focus)

    async def press(self, key: str, *, ref: str | None = None) -> Receipt:
        """Presses a key or chord ("Enter", "Control+A") where the focus is, or in the element."""
        from . import actions

        root = (await self.frames()).root
        if ref is None:
            return await perform_unaimed(self, "press", lambda: actions.press(root, key), detail=key)

        async def do(at: Located) -> Outcome:
            await actions.focus(at)
            return await actions.press(root, key)

        return await perform(self, "press", ref, do, detail=f"{key} in")

    async def upload(self, ref: str, paths: Sequence[str]) -> Receipt:
        """Gives files to a file field, or to what opens one. Raises NotInteractable, InvalidArguments, StaleRef."""
        from . import actions

        return await perform(self, "upload", ref, lambda at: actions.upload(at, paths))

    async def evaluate(self, expression: str, *, timeout_s: float = CALL_TIMEOUT_S) -> Any:
        """The value of a JavaScript expression as JSON, promises awaited, in the page's own world.

        For programs, not for models. Raises ScriptError when it throws, PageUnresponsive at the deadline.
        """
        tree = await self.frames()
        async with deadline(tree.root.session, timeout_s):
            answer = await tree.root.session.send(
                runtime.Evaluate(expression=expression, return_by_value=True, await_promise=True)
            )
        if answer.exception_details is not None:
            thrown = answer.exception_details.exception
            raise ScriptError((thrown and thrown.description) or answer.exception_details.text)
        return msgspec.json.decode(answer.result.value) if bytes(answer.result.value) else None

    @property
    def url(self) -> str:
        """The address that the tab shows."""
        return self.activity.document.url

    def update(self, info: target.TargetInfo) -> None:
        """What Chrome tells of the tab from outside: address and title."""
        self.title = info.title
        if not self.is_attached:
            self.activity.document.url = info.url

    def expects_tab(self, arrived: int) -> bool:
        """Whether more tabs were asked for just now than the `arrived` that came."""
        now = time.monotonic()
        return sum(now - since < TAB_EXPECTED_S for _, since in self._asked_for_tabs) > arrived

    def asked_for_tab(self, url: str) -> bool:
        """Whether a link here was just followed into a new tab with that address: true once for each time."""
        now = time.monotonic()
        self._asked_for_tabs = [each for each in self._asked_for_tabs if now - each[1] < TAB_ARRIVES_WITHIN_S]
        for asked in self._asked_for_tabs:
            if url in (asked[0], ""):  # a tab that waits for us has no address yet
                self._asked_for_tabs.remove(asked)
                return True
        return False

    async def _attach(self, session_id: str | None) -> FrameTree:
        if session_id is None:
            attached = await self._browser.send(target.AttachToTarget(target_id=self.target_id, flatten=True))
            session_id = attached.session_id
        session = self._browser.connection.session(session_id)
        self.activity.watch_root(session)
        tree = FrameTree(session, self.target_id, self._prepare)
        calls: list[asyncio.Future[Any]] = [session.post(emulation.SetFocusEmulationEnabled(enabled=True))]
        if self._viewport is not None:
            width, height = self._viewport
            calls.append(
                session.post(
                    emulation.SetDeviceMetricsOverride(width=width, height=height, device_scale_factor=0, mobile=False)
                )
            )
        following = asyncio.gather(*calls, tree.start())
        # A tab that hangs gets an answer to none of them, but can still be sent elsewhere.
        done, _ = await asyncio.wait([following], timeout=ATTACH_TIMEOUT_S)
        if done:
            await following
        else:
            following.add_done_callback(lambda late: late.cancelled() or late.exception())
        return tree

    def _prepare(self, session: Session) -> None:
        """Subscribes to what must not be missed on a new session, before anything runs there."""
        self.dialogs.watch(session)
        self.activity.watch(session)
        session.on(cdp_page.FrameRequestedNavigation, self._requested)

    def _requested(self, event: cdp_page.FrameRequestedNavigation) -> None:
        # A middle or Control click makes a tab of which Chrome does not say who opened it.
        if event.disposition in ("newTab", "newWindow"):
            self._asked_for_tabs.append((event.url, time.monotonic()))

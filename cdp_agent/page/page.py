"""A tab: what a program and a model can see of it and do in it. Each subject has a module of its own."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec

from cdp_agent.cdp import emulation, runtime, target
from cdp_agent.cdp.connection import Session
from cdp_agent.errors import ScriptError

from . import snapshot as snapshots
from .dialogs import DialogPolicy, DialogWatcher
from .frames import FrameTree
from .refs import RefTable
from .snapshot import Snapshot
from .world import CALL_TIMEOUT_S, deadline


class Page:
    """A tab of a Chrome. It is attached to at its first use, so that a page costs nothing until it is asked for."""

    def __init__(
        self, browser: Session, info: target.TargetInfo, *, dialogs: DialogPolicy, opener: Page | None = None
    ) -> None:
        self.target_id = info.target_id
        self.url = info.url
        self.title = info.title
        self.opener = opener
        self.dialogs = DialogWatcher(dialogs)
        self.refs = RefTable()
        self.last_snapshot: Snapshot | None = None
        self._browser = browser
        self._attached: asyncio.Task[FrameTree] | None = None
        self._reading = asyncio.Lock()

    async def frames(self) -> FrameTree:
        """The frames of the tab, attached to at the first call. Raises SessionClosed, BrowserError."""
        if self._attached is None or (self._attached.done() and self._attached.exception() is not None):
            self._attached = asyncio.ensure_future(self._attach())
        return await asyncio.shield(self._attached)

    async def snapshot(self, *, budget_tokens: int | None = None) -> Snapshot:
        """The page as text, every element that matters with a ref, all frames in document order.

        Without a budget it is complete; with one it is at most so many tokens long and its last line accounts for
        what was left out. A ref stays valid as long as its element lives. Frames that could not be read are in
        `omitted`. Raises PageUnresponsive, DocumentGone, BrowserError.
        """
        tree = await self.frames()
        async with self._reading:
            taken = await snapshots.take(tree, self.refs, budget_tokens=budget_tokens)
        self.url, self.title, self.last_snapshot = taken.url, taken.title, taken
        return taken

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

    def update(self, info: target.TargetInfo) -> None:
        """What Chrome tells of the tab from outside: address and title."""
        self.url, self.title = info.url, info.title

    async def _attach(self) -> FrameTree:
        attached = await self._browser.send(target.AttachToTarget(target_id=self.target_id, flatten=True))
        session = self._browser.connection.session(attached.session_id)
        tree = FrameTree(session, self.target_id, self._prepare)
        focus = session.post(emulation.SetFocusEmulationEnabled(enabled=True))
        await asyncio.gather(focus, tree.start())
        return tree

    def _prepare(self, session: Session) -> None:
        """Subscribes to what must not be missed on a new session, before anything runs there."""
        self.dialogs.watch(session)

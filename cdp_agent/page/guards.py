"""The rules of a browser.

Where all of it is ours, every request is held on the session of the browser itself, from the first on, and is judged by
whose frame sent it. In the Chrome of somebody else only the sessions of our tabs hold any. Shared workers and service
workers belong to no tab: rules for some tabs hold for those of the sites that were opened there, and they are attached
to from the browser, on a session that is there for nothing else.

What only those need who have rules is imported when there are some.
"""

from __future__ import annotations

import asyncio
import contextlib
import weakref
from collections.abc import AsyncIterator
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from cdp_agent.cdp import runtime, target
from cdp_agent.cdp.connection import Connection, Session
from cdp_agent.errors import BrowserError, ProtocolError

from .guard import WORKERS, Guard, judge

if TYPE_CHECKING:
    from cdp_agent.cdp import fetch

    from .interception import Interception, Verdict
    from .rules import Rules

_OUTLIVING = [
    target.FilterEntry(type="service_worker"),
    target.FilterEntry(type="shared_worker"),
    target.FilterEntry(exclude=True),
]


class _Limits:
    """Rules of a task (in asyncio's sense), and where they are in force."""

    def __init__(self, rules: Rules, around: _Limits | None) -> None:
        self.rules = rules
        self.guards: list[Guard] = []
        self._around = around
        """Those of the block that this one is in."""

    async def put_on(self, guard: Guard) -> None:
        if self._around is not None:
            await self._around.put_on(guard)
        if guard not in self.guards:
            self.guards.append(guard)
            await guard.enforce(self.rules)


_limits: ContextVar[_Limits | None] = ContextVar("limits", default=None)


@contextlib.asynccontextmanager
async def limited(rules: Rules | None) -> AsyncIterator[None]:
    """Inside the block, whatever tab the task (or one that it starts) opens or hands to `limit` keeps to the rules.

    None: there are none. Afterwards lists hold on where they are in force: a page still knows what it was told. What
    waited to be allowed does not: nobody is there to be asked.
    """
    if rules is None:
        yield
        return
    around = _limits.get()
    limits = _Limits(rules, around)
    _limits.set(limits)
    try:
        yield
    finally:
        _limits.set(around)
        for guard in limits.guards:
            if rules.hold is None:
                guard.outlive(rules)
            else:
                with contextlib.suppress(BrowserError, ProtocolError):  # gone, and its rules with it
                    await guard.lift(rules)


async def limit(guard: Guard) -> None:
    """Puts the rules of the block that we are in, if any, on a tab. Raises BrowserError."""
    if (limits := _limits.get()) is not None:
        await limits.put_on(guard)


class _Worker:
    """A shared or service worker, or one that it started. `began_under` are rules that it keeps for as long as it runs.

    `origin`: of what it belongs to.
    """

    def __init__(self, origin: str, began_under: list[Rules], interception: Interception) -> None:
        self.origin = origin
        self.began_under = began_under
        self.interception = interception


class Guards:
    """`all_ours`: the Chrome runs for us alone."""

    def __init__(self, connection: Connection, rules: Rules | None, *, all_ours: bool) -> None:
        self._connection = connection
        self._wide = rules if all_ours else None
        self._narrow = None if all_ours else rules
        self._all_ours = all_ours
        self._guards: weakref.WeakSet[Guard] = weakref.WeakSet()
        self._workers: dict[Session, _Worker] = {}
        self._session: Session | None = None
        self._above: Interception | None = None
        self._changing = asyncio.Lock()

    async def limit(self, guard: Guard) -> None:
        """See `limit`."""
        await limit(guard)

    async def begin(self) -> None:
        """To be called before the first tab is let run. Raises ProtocolError, BrowserError."""
        if self._wide is not None:
            await self._enforce_above([self._wide])
        if self._narrow is not None:
            await self._attach()

    def make(self, opener: Guard | None) -> Guard:
        """The guard of a new tab: that of the one that opened it, or one of its own."""
        guard = opener or Guard(self._wide, self._narrow, self._changed, from_above=self._all_ours)
        self._guards.add(guard)
        return guard

    def _judge(self, event: fetch.RequestPaused) -> Verdict:
        """A frame that nobody knows (that of a worker, or one that Chrome is still to tell of) keeps to all rules."""
        frame = event.frame_id
        sender = next((each for each in self._guards if frame in each.tabs or frame in each.frames), None)
        if sender is not None:
            return judge(sender, sender.rules, event, tab=frame in sender.tabs)
        told = next((each for each in self._guards if each.narrow), None) or next(iter(self._guards), None)
        return judge(told, self._rules, event, tab=False)

    @property
    def _rules(self) -> list[Rules]:
        wide = [] if self._wide is None else [self._wide]
        narrow = [rules for guard in self._guards for rules in guard.narrow]
        return _each_once([*wide, *narrow, *(rules for each in self._workers.values() for rules in each.began_under)])

    @property
    def in_force(self) -> bool:
        """There are rules somewhere."""
        return bool(self._rules)

    async def _changed(self) -> None:
        async with self._changing:
            if self._all_ours:
                await self._enforce_above(self._rules)
            if not self._workers and not any(each.narrow for each in self._guards):
                await self._detach()
            elif self._session is None:
                await self._attach()
            else:
                await asyncio.gather(*self._enforce(list(self._workers)), return_exceptions=True)

    async def _enforce_above(self, rules: list[Rules]) -> None:
        from .interception import Interception

        if self._above is None:
            self._above = Interception(self._connection.browser, self._judge)
        await asyncio.gather(*self._above.enforce(rules))

    async def _attach(self) -> None:
        browser = self._connection.browser
        attached = await browser.send(target.AttachToBrowserTarget())
        session = self._session = self._connection.session(attached.session_id)
        session.on(target.AttachedToTarget, lambda event: self._arrived(session, event))
        session.on(target.DetachedFromTarget, lambda event: self._left(event.session_id))
        await session.send(
            target.SetAutoAttach(auto_attach=True, wait_for_debugger_on_start=True, flatten=True, filter=_OUTLIVING)
        )

    async def _detach(self) -> None:
        if self._session is not None:
            session, self._session = self._session, None
            await self._connection.browser.send(target.DetachFromTarget(session_id=session.id))

    def _arrived(self, parent: Session, event: target.AttachedToTarget, inside: str = "") -> None:
        """`inside`: the origin of the worker that started this one."""
        from cdp_agent.origins import origin_of

        from .interception import Interception

        worker = self._connection.session(event.session_id)
        origin = inside or str(origin_of(event.target_info.url.removeprefix("blob:")))
        began_under = self._rules_for(origin)
        if not began_under:
            worker.tell(runtime.RunIfWaitingForDebugger())
            parent.tell(target.DetachFromTarget(session_id=event.session_id))
            return
        interception = Interception(worker, lambda paused: self._judge_worker(worker, paused))
        lists = [rules for rules in began_under if rules.hold is None]
        self._workers[worker] = _Worker(origin, lists, interception)
        for answer in self._enforce([worker]):
            answer.add_done_callback(lambda done: done.cancelled() or done.exception())
        worker.on(target.AttachedToTarget, lambda inner: self._arrived(worker, inner, origin))
        worker.tell(
            target.SetAutoAttach(auto_attach=True, wait_for_debugger_on_start=True, flatten=True, filter=WORKERS)
        )
        worker.tell(runtime.RunIfWaitingForDebugger())

    def _left(self, session_id: str) -> None:
        self._workers = {each: kept for each, kept in self._workers.items() if each.id != session_id}

    def _enforce(self, workers: list[Session]) -> list[asyncio.Future[Any]]:
        from cdp_agent.cdp import network

        from .interception import socket_conditions

        answers: list[asyncio.Future[Any]] = []
        for worker in workers:
            if worker not in self._workers:
                continue
            rules = self._rules_of(worker)
            if not self._all_ours:
                answers += self._workers[worker].interception.enforce(rules)
            conditions = socket_conditions(rules)
            worker.tell(network.EmulateNetworkConditionsByRule(matched_network_conditions=conditions))
        return answers

    def _guards_for(self, origin: str) -> list[Guard]:
        return [each for each in self._guards if each.narrow and (self._all_ours or origin in each.visited)]

    def _rules_for(self, origin: str) -> list[Rules]:
        return [rules for guard in self._guards_for(origin) for rules in guard.narrow]

    def _rules_of(self, worker: Session) -> list[Rules]:
        kept = self._workers[worker]
        return _each_once([*kept.began_under, *self._rules_for(kept.origin)])

    def _judge_worker(self, worker: Session, event: fetch.RequestPaused) -> Verdict:
        guards = self._guards_for(self._workers[worker].origin)
        return judge(guards[0] if guards else None, self._rules_of(worker), event, tab=False)


def _each_once(rules: list[Rules]) -> list[Rules]:
    return list({id(each): each for each in rules}.values())

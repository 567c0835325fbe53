"""The rules of a browser: which ones are in force for which tabs, frames and workers.

In a Chrome of ours, every request, including the first, is held on the browser's own session and judged by the frame
that sent it. In somebody else's Chrome, requests are held only on the sessions of our tabs. Shared workers and service
workers belong to no tab: rules of some tabs apply to the workers of the sites that were opened in these tabs. We attach
to them from the browser, on a session that is used for nothing else. The rules end with the last of the tabs; then
service workers that ran under lists are stopped, so that they lose their memory and start anew.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator
from contextvars import ContextVar
from typing import TYPE_CHECKING

from cdp_agent.cdp import fetch, runtime, target
from cdp_agent.cdp.connection import Connection, Session
from cdp_agent.cdp.types import Empty
from cdp_agent.errors import BrowserError, ProtocolError
from cdp_agent.page.frames.recent import RecentSet
from cdp_agent.security.origins import origin_of

from .held_worker import HeldWorker, Site
from .interception import FailReason, Interception, Verdict, refusal_of
from .request_policy import WORKERS, RequestPolicy, judge, retrieve_exceptions
from .rules import Blocked

if TYPE_CHECKING:
    from .rules import RequestRules

_MOST_LEFT = 10_000
_LAST_WORDS_S = 10.0
_KNOWN_WITHIN_S = 1.0
"""How long to wait for the event of a new frame, which may come after its first request."""
_OUTLIVING = [
    target.FilterEntry(type="service_worker"),
    target.FilterEntry(type="shared_worker"),
    target.FilterEntry(exclude=True),
]


class TabLimits:
    """Rules for the tabs that are opened inside its `block`, or passed to it, until `end`."""

    def __init__(self, rules: RequestRules) -> None:
        self._rules = rules
        self._policies: list[RequestPolicy] = []
        """The policies in which they are in force."""
        self._around: TabLimits | None = None
        """The limits of the enclosing block."""

    @contextlib.contextmanager
    def block(self) -> Iterator[None]:
        """A block in which they apply to all tabs that this task, or one that it starts, opens or passes to `limit`."""
        self._around = _limits.get()
        _limits.set(self)
        try:
            yield
        finally:
            _limits.set(self._around)

    async def apply_to(self, policy: RequestPolicy) -> None:
        """Puts them in force in a tab. Raises BrowserError."""
        if self._around is not None:
            await self._around.apply_to(policy)
        if policy not in self._policies:
            self._policies.append(policy)
            await policy.enforce(self._rules)

    async def end(self) -> None:
        """Ends them, except for lists of origins and refusals; see `limited`."""
        rules = self._rules
        for policy in self._policies:
            if rules.gate is None and (rules.hold is None or rules.hold.refuses):
                policy.retire(rules)
            else:
                with contextlib.suppress(BrowserError, ProtocolError):  # the tab is gone, and its rules with it
                    await policy.lift(rules)


_limits: ContextVar[TabLimits | None] = ContextVar("limits", default=None)


@contextlib.asynccontextmanager
async def limited(rules: RequestRules | None) -> AsyncIterator[None]:
    """Inside the block the rules apply to all tabs that this task, or one that it starts, opens or passes to `limit`.

    None means no rules. After the block, lists of origins stay in force in these tabs, since pages keep what was
    entered into them, and so do refusals; nothing else is held any more, since there is nobody to ask.
    """
    if rules is None:
        yield
        return
    limits = TabLimits(rules)
    with limits.block():
        try:
            yield
        finally:
            await limits.end()


async def limit(policy: RequestPolicy) -> None:
    """Puts the rules of the enclosing `limited` block, if any, in force in a tab. Raises BrowserError."""
    if (limits := _limits.get()) is not None:
        await limits.apply_to(policy)


class PolicyRegistry:
    """The policies of a browser's tabs. `rules` apply to tabs that we opened; with `all_ours`, to the whole Chrome."""

    def __init__(self, connection: Connection, rules: RequestRules | None, *, all_ours: bool) -> None:
        self._connection = connection
        self._browser_rules = rules if all_ours else None
        self._tab_rules = None if all_ours else rules
        self._context_rules: list[RequestRules] = []
        """The rules of open browser contexts, with or without tabs."""
        self._all_ours = all_ours
        self._policies: list[RequestPolicy] = []
        """The policies of the open tabs."""
        self._former: dict[str, list[RequestRules]] = {}
        """The rules of frames whose documents are gone, by frame id: their last requests may come later."""
        self._lifted: dict[str, tuple[RecentSet, list[RequestRules]]] = {}
        """For tabs that were freed of rules: the ids of requests of their former documents, and those rules."""
        self._unknown: dict[str, list[asyncio.Future[None]]] = {}
        """Futures that wait for the events of unknown frames, by frame id; `_waited_for` were waited for before."""
        self._waited_for = RecentSet()
        self._leaving: list[list[RequestRules]] = []
        """The rules of documents that are gone since a moment ago: their last requests are still held."""
        self._changes: list[asyncio.Task[None]] = []
        self._workers: dict[Session, HeldWorker] = {}
        self._starting: set[asyncio.Future[Empty]] = set()
        """The pending commands that let waiting workers run."""
        self._released: dict[str, Site] = {}
        """The workers without rules, from which we detached, by target id."""
        self._session: Session | None = None
        self._browser_interception: Interception | None = None
        self._changing = asyncio.Lock()

    async def limit(self, policy: RequestPolicy) -> None:
        """See the function `limit`."""
        await limit(policy)

    async def begin(self) -> None:
        """Puts the browser's rules in force, before the first tab may run. Raises ProtocolError, BrowserError."""
        if self._browser_rules is not None:
            await self._enforce_on_browser([self._browser_rules])
        if self._tab_rules is not None:
            await self._attach()

    async def add(self, rules: RequestRules) -> None:
        """Adds the rules of a browser context. To be called before its first tab opens. Raises as `begin`."""
        self._context_rules.append(rules)
        await self.rules_changed()

    async def remove(self, rules: RequestRules) -> None:
        """Removes the rules of a browser context that is gone, with its tabs. Raises as `begin`."""
        self._context_rules.remove(rules)
        await self.rules_changed()

    async def end_workers(self, shown: set[str]) -> None:
        """Ends the shared workers that began under lists and outlive their pages (`extendedLifetime`).

        To be called when our tabs are closed and we are about to leave a Chrome that is not ours: their requests would
        no longer be held. Workers of origins in `shown`, which other people's tabs show and may use, are spared.
        """
        left = [each for each in self._workers.values() if each.info.type == "shared_worker" and each.is_new]
        left = [each for each in left if each.origin_lists and each.site.origin not in shown]
        close = [target.CloseTarget(target_id=each.info.target_id) for each in left]
        # They may be gone with their pages.
        await asyncio.gather(*map(self._connection.browser.send, close), return_exceptions=True)

    def make(
        self,
        opener: RequestPolicy | None,
        rules: RequestRules | None = None,
        *,
        context: str | None = None,
        is_foreign: bool = False,
    ) -> RequestPolicy:
        """The policy of a new tab: that of its opener, or a new one.

        `rules` are those of its browser context, in addition to the browser's. `is_foreign`: a tab of somebody else, to
        which neither apply.
        """
        if opener is not None:
            policy = opener
        else:
            bound = self._tab_rules is not None and self._tab_rules.has_origin_lists
            policy = RequestPolicy(
                self._browser_rules,
                [] if is_foreign else [each for each in (self._tab_rules, rules) if each is not None],
                self,
                on_browser_session=self._all_ours,
                context=context,
                lists_spare_this_tab=is_foreign and bound,
            )
        if policy not in self._policies:
            self._policies.append(policy)
        return policy

    def frame_added(self, frame_id: str) -> None:
        """See `request_policy.PolicyOwner`."""
        for waits in self._unknown.pop(frame_id, []):
            if not waits.done():
                waits.set_result(None)

    def documents_gone(self, policy: RequestPolicy, frames: list[str], rules: list[RequestRules]) -> None:
        """See `request_policy.PolicyOwner`."""
        if rules:
            self._remember(frames, rules)
        if policy.idle and policy in self._policies:
            self._policies.remove(policy)
            if rules:
                self._change()

    def rules_lifted(self, policy: RequestPolicy, requests: RecentSet, rules: list[RequestRules]) -> None:
        """See `request_policy.PolicyOwner`."""
        self._lifted |= dict.fromkeys(policy.tabs, (requests, rules))

    def _remember(self, frames: list[str], rules: list[RequestRules]) -> None:
        self._leaving.append(rules)
        asyncio.get_running_loop().call_later(_LAST_WORDS_S, self._forget, rules)
        self._former |= dict.fromkeys(frames, rules)
        for oldest in list(self._former)[:-_MOST_LEFT]:
            del self._former[oldest]

    def _forget(self, rules: list[RequestRules]) -> None:
        self._leaving.remove(rules)
        self._lifted = {tab: each for tab, each in self._lifted.items() if each[1] is not rules}
        self._change()

    def _change(self) -> None:
        self._changes.append(asyncio.ensure_future(self.rules_changed()))
        self._changes = [each for each in self._changes if not each.done()]
        retrieve_exceptions(self._changes)

    def _judge(self, event: fetch.RequestPaused) -> Verdict:
        """Judges by the rules of the sender. If tabs' rules differ, the event of an unknown frame is awaited."""
        frame = event.frame_id
        if (former := self._former.get(frame)) is not None:
            return judge(None, former, event, tab=False)
        if workers := [each for each in self._workers.values() if each.info.target_id == frame]:
            return self._judge_worker(workers[0], event)
        if (sender := self._policy_of(frame)) is not None:
            if event.resource_type == "Document":
                sender.note_visit(event.request.url)
            elif (lifted := self._lifted.get(frame)) and (not event.network_id or event.network_id in lifted[0]):
                return judge(None, lifted[1], event, tab=False)
            return judge(sender, sender.rules, event, tab=frame in sender.tabs)
        if frame and frame not in self._waited_for and any(each.rules != self._rules for each in self._policies):
            return self._judge_later(event)
        recorder = next((each for each in self._policies if each.tab_rules), None) or next(iter(self._policies), None)
        return judge(recorder, self._rules, event, tab=False)

    def _policy_of(self, frame_id: str) -> RequestPolicy | None:
        """The policy of the tab or frame."""
        return next((each for each in self._policies if frame_id in each.tabs or frame_id in each.frames), None)

    def _judge_later(self, event: fetch.RequestPaused) -> asyncio.Future[FailReason | None]:
        loop = asyncio.get_running_loop()
        known, verdict = loop.create_future(), loop.create_future()
        if event.frame_id not in self._unknown:
            asked = self._connection.browser.post(target.GetTargetInfo(target_id=event.frame_id))
            asked.add_done_callback(lambda done: self._target_info_received(event.frame_id, done))
        self._unknown.setdefault(event.frame_id, []).append(known)
        timer = loop.call_later(_KNOWN_WITHIN_S, self.frame_added, event.frame_id)

        def judge_now(_: object) -> None:
            timer.cancel()
            self._waited_for.add(event.frame_id)
            judged = self._judge(event)
            if isinstance(judged, asyncio.Future):
                judged.add_done_callback(lambda done: verdict.set_result(done.result()))
            else:
                verdict.set_result(judged)

        known.add_done_callback(judge_now)
        return verdict

    def _target_info_received(self, frame_id: str, answer: asyncio.Future[target.FoundTarget]) -> None:
        """Takes in the target info of a worker that another worker started, for which Chrome sends no event."""
        if answer.cancelled() or answer.exception() is not None:
            return
        parent = answer.result().target_info.parent_frame_id or ""
        if (policy := self._policy_of(parent)) is not None:
            policy.frames.add(frame_id)
            self.frame_added(frame_id)

    @property
    def _rules(self) -> list[RequestRules]:
        """The rules of the browser, of open contexts and of open tabs."""
        wide = [] if self._browser_rules is None else [self._browser_rules]
        return _each_once(
            [*wide, *self._context_rules, *(rules for policy in self._policies for rules in policy.tab_rules)]
        )

    @property
    def _all_rules(self) -> list[RequestRules]:
        """The rules of the open tabs, and of the workers and documents that outlive their tabs."""
        workers = [rules for each in self._workers.values() for rules in each.origin_lists]
        return _each_once([*self._rules, *workers, *(rules for each in self._leaving for rules in each)])

    @property
    def in_force(self) -> bool:
        """Whether there are any rules."""
        return bool(self._all_rules)

    async def rules_changed(self) -> None:
        """See `request_policy.PolicyOwner`."""
        async with self._changing:
            if self._all_ours:
                await self._enforce_on_browser(self._all_rules)
            self._stop_workers()
            if self._session is None:
                if self._watches:
                    await self._attach()
                return
            await self._auto_attach(self._session)
            if self._watches or self._starting:
                self._reattach()
                await asyncio.gather(*self._enforce(list(self._workers)), return_exceptions=True)
            else:
                await self._detach(self._session)

    @property
    def _watches(self) -> bool:
        """Whether there are, or will be, rules for workers that belong to no tab."""
        of_tabs = self._tab_rules is not None or self._context_rules or any(each.tab_rules for each in self._policies)
        return bool(of_tabs) or any(each.origin_lists for each in self._workers.values())

    async def _enforce_on_browser(self, rules: list[RequestRules]) -> None:
        if self._browser_interception is None:
            self._browser_interception = Interception(self._connection.browser, self._judge)
        await asyncio.gather(*self._browser_interception.enforce(rules))

    async def _attach(self) -> None:
        browser = self._connection.browser
        attached = await browser.send(target.AttachToBrowserTarget())
        session = self._session = self._connection.session(attached.session_id)
        session.on(target.AttachedToTarget, lambda event: self._worker_attached(session, event))
        session.on(target.DetachedFromTarget, lambda event: self._worker_detached(event.session_id))
        await self._auto_attach(session)

    async def _auto_attach(self, session: Session) -> None:
        """Makes new workers wait for us only if there are rules: one that waits while we detach would never run."""
        waits = self._watches
        await session.send(
            target.SetAutoAttach(auto_attach=True, wait_for_debugger_on_start=waits, flatten=True, filter=_OUTLIVING)
        )

    async def _detach(self, session: Session) -> None:
        self._session = None
        self._workers, self._released = {}, {}
        await self._connection.browser.send(target.DetachFromTarget(session_id=session.id))

    def _worker_attached(self, parent: Session, event: target.AttachedToTarget, inside: Site | None = None) -> None:
        """`inside`: the site of the worker that started this one, if any."""
        worker, info = self._connection.session(event.session_id), event.target_info
        site = inside or Site(info.browser_context_id, str(origin_of(info.url.removeprefix("blob:"))))
        if not self._all_ours and not self._rules_for(site):
            self._released[info.target_id] = site
            running = self._let_run(worker)
            running.add_done_callback(lambda _: parent.tell(target.DetachFromTarget(session_id=event.session_id)))
            return
        is_new = event.waiting_for_debugger
        kept = HeldWorker(
            worker, parent, info, site, is_new=is_new, judge=self._judge_worker, on_request=self._request_seen
        )
        self._workers[worker] = kept
        retrieve_exceptions(self._enforce([worker]))
        worker.on(target.AttachedToTarget, lambda inner: self._worker_attached(worker, inner, site))
        worker.on(target.DetachedFromTarget, lambda inner: self._worker_detached(inner.session_id))
        worker.tell(
            target.SetAutoAttach(auto_attach=True, wait_for_debugger_on_start=True, flatten=True, filter=WORKERS)
        )
        if kept.ready is None:
            self._let_run(worker)
            return
        self._starting.add(kept.ready)
        # The worker's limits are in force by then, see held_worker.py.
        kept.ready.add_done_callback(lambda _: self._let_run(worker))
        kept.ready.add_done_callback(self._begun)

    def _let_run(self, worker: Session) -> asyncio.Future[Empty]:
        """Lets a worker run. If its script has not arrived yet, we must stay attached until then, or it never runs."""
        running = worker.post(runtime.RunIfWaitingForDebugger())
        retrieve_exceptions([running])
        self._starting.add(running)
        running.add_done_callback(self._begun)
        return running

    def _begun(self, running: asyncio.Future[Empty]) -> None:
        self._starting.discard(running)
        if not self._starting and not self._watches and self._session is not None:
            self._change()

    def _worker_detached(self, session_id: str) -> None:
        """Forgets a worker whose session ended, and those that it started."""
        gone = {session_id}
        for each, kept in self._workers.items():  # in the order of their arrival, parents first
            if kept.parent.id in gone:
                gone.add(each.id)
        self._workers = {each: kept for each, kept in self._workers.items() if each.id not in gone}

    def origin_visited(self, context: str | None, origin: str) -> None:
        """See `request_policy.PolicyOwner`. In somebody else's Chrome, attaches again to workers that had no rules."""
        site = Site(context, origin)
        retrieve_exceptions(self._enforce([worker for worker, kept in self._workers.items() if kept.site == site]))
        self._reattach()

    def _reattach(self) -> None:
        for target_id in [each for each, site in self._released.items() if self._rules_for(site)]:
            del self._released[target_id]
            if self._session is not None:
                self._session.tell(target.AttachToTarget(target_id=target_id, flatten=True))

    def _stop_workers(self) -> None:
        """Ends service workers that ran under lists and now have no rules. Shared workers end with their pages."""
        for worker, kept in list(self._workers.items()):
            if kept.info.type == "service_worker" and kept.origin_lists and not self._rules_for(kept.site):
                self._remember([kept.info.target_id], kept.origin_lists)
                self._connection.browser.tell(target.CloseTarget(target_id=kept.info.target_id))
                # While a session is attached, a worker that was stopped restarts with the same target.
                kept.parent.tell(target.DetachFromTarget(session_id=worker.id))
                self._worker_detached(worker.id)

    def _enforce(self, workers: list[Session]) -> list[asyncio.Future[Empty]]:
        answers: list[asyncio.Future[Empty]] = []
        for worker in workers:
            if worker not in self._workers:
                continue
            kept = self._workers[worker]
            kept.origin_lists = self._lists_of(kept)
            answers += kept.enforce(self._rules_of(kept))
        return answers

    def _policies_for(self, site: Site) -> list[RequestPolicy]:
        policies = [each for each in self._policies if each.tab_rules and each.context == site.context]
        return [each for each in policies if each.has_visited(site.origin)]

    def _rules_for(self, site: Site) -> list[RequestRules]:
        return [rules for policy in self._policies_for(site) for rules in policy.tab_rules]

    def _lists_of(self, kept: HeldWorker) -> list[RequestRules]:
        lists = [each for each in self._rules_for(kept.site) if each.hold is None and each.gate is None]
        return _each_once([*kept.origin_lists, *lists])

    def _rules_of(self, kept: HeldWorker) -> list[RequestRules]:
        wide = [] if self._browser_rules is None else [self._browser_rules]
        return _each_once([*wide, *self._lists_of(kept), *self._rules_for(kept.site)])

    def _judge_worker(self, kept: HeldWorker, event: fetch.RequestPaused) -> Verdict:
        """Judges a request of a worker, even one that was stopped: requests that it sent before may come later."""
        is_refused = self._record_refusal(kept, event.network_id or "", event.request.url, event.resource_type)
        policies = [] if is_refused else self._policies_for(kept.site)
        return judge(policies[0] if policies else None, self._rules_of(kept), event, tab=False)

    def _request_seen(self, kept: HeldWorker, request_id: str, url: str) -> None:
        self._record_refusal(kept, request_id, url)

    def _record_refusal(self, kept: HeldWorker, request_id: str, url: str, kind: str = "") -> bool:
        """Whether lists of origins refuse a request. A refusal is recorded once, even if it is reported twice."""
        refused = refusal_of(self._rules_of(kept), url, kind)
        if refused is None or not refused.violates:
            return False
        if (name := f"{request_id} {url}") not in kept.reported:
            kept.reported.add(name)
            for policy in self._policies_for(kept.site)[:1]:
                policy.record(Blocked(url, refused.why))
        return True


def _each_once(rules: list[RequestRules]) -> list[RequestRules]:
    return list({id(each): each for each in rules}.values())

"""Holds the requests of a shared or service worker, or of a worker that it started.

`Fetch` holds the requests of a shared worker only if it was enabled before the worker's script arrived. The script does
not wait for us, and from a `blob:` or `data:` address or a service worker it arrives at once. So the worker's process
is also told to block what lists of origins refuse (`Network.setBlockedURLs`), and sockets, also of service workers, are
refused by network conditions. Both apply once the process has answered, and the worker does not run before. They apply
to redirects too, and in a worker that began before there were rules.

Network conditions would stop requests as well, but Chrome passes them to the network service while it already lets the
worker run: under load the first request was faster. Sockets take the same path as the conditions, after them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import NamedTuple

from cdp_agent.cdp import fetch, network, target
from cdp_agent.cdp.connection import Session
from cdp_agent.cdp.types import Empty
from cdp_agent.page.frames.recent import RecentSet

from .interception import Interception, Verdict, blocked_urls, socket_conditions
from .rules import RequestRules


class Site(NamedTuple):
    """An origin in a browser context. Different contexts have different workers for it."""

    context: str | None
    origin: str


class HeldWorker:
    """A worker whose requests are held. They have its target id as `frameId`."""

    def __init__(
        self,
        session: Session,
        parent: Session,
        info: target.TargetInfo,
        site: Site,
        *,
        is_new: bool,
        judge: Callable[[HeldWorker, fetch.RequestPaused], Verdict],
        on_request: Callable[[HeldWorker, str, str], None],
    ) -> None:
        """`parent` is the session that attached to it, `site` its own site or that of the worker that started it.

        `is_new`: it has not run before. Under lists of origins `on_request` is called with the id and the address of
        each of its requests and sockets.
        """
        self.session = session
        self.parent = parent
        self.info = info
        self.site = site
        self.is_new = is_new
        self.origin_lists: list[RequestRules] = []
        """The lists of origins of all tabs that were at its site at or since its start. They apply while it runs."""
        self.reported = RecentSet()
        """The reported refused requests, as ids with addresses."""
        self._interception = Interception(session, lambda event: judge(self, event))
        self._on_request = on_request
        self._rules: Sequence[RequestRules] = ()
        self.ready: asyncio.Future[Empty] | None = None
        """With lists of origins, done when the worker's process has answered, and knows them; else None."""

    def enforce(self, rules: Sequence[RequestRules]) -> list[asyncio.Future[Empty]]:
        """Puts rules in force. Returns futures of Chrome's answers, which do not depend on the worker."""
        self._rules = rules
        if self.ready is None and any(each.has_origin_lists for each in rules):
            self.session.on(
                network.RequestWillBeSent, lambda sent: self._on_request(self, sent.request_id, sent.request.url)
            )
            self.session.on(network.WebSocketCreated, lambda made: self._on_request(self, made.request_id, made.url))
            self.ready = self.session.post(network.Enable())
            self.ready.add_done_callback(self._limit)
        elif self.ready is not None and self.ready.done():
            self._limit(self.ready)
        return list(self._interception.enforce(rules))

    def _limit(self, ready: asyncio.Future[Empty]) -> None:
        if not ready.cancelled() and ready.exception() is None:  # else the worker is gone
            if self.info.type != "service_worker":  # Fetch holds theirs, and a stopped one would keep the blocked URLs
                self.session.tell(network.SetBlockedURLs(url_patterns=blocked_urls(self._rules)))
            conditions = socket_conditions(self._rules)
            self.session.tell(network.EmulateNetworkConditionsByRule(matched_network_conditions=conditions))

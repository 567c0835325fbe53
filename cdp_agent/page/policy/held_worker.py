"""How the requests of a shared or service worker, or of a worker that it started, are held.

`Fetch` holds the requests of a shared worker only if it was enabled before the worker's script arrived. The script does
not wait for us, and from a `blob:`, a `data:` address or a service worker it arrives at once. So the worker's process
is also told to block what lists of origins refuse (`Network.setBlockedURLs`), and sockets, those of service workers
too, are refused by network conditions. Both hold once the process has answered, and the worker does not run before.
They hold for redirects too, and in a worker that began before there were rules.

Network conditions would stop requests as well, but Chrome passes them to the network service while it already lets the
worker run: under load the first request was faster. Sockets take the same way as the conditions, after them.
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
        """`parent` is the session that attached to it, `site` that of the worker which it is or belongs to.

        `is_new`: it has not run before. Under lists of origins `on_request` is called with the id and the address of
        each of its requests and sockets.
        """
        self.session = session
        self.parent = parent
        self.info = info
        self.site = site
        self.is_new = is_new
        self.origin_lists: list[RequestRules] = []
        """The lists of origins of all tabs that were at its site at or since its start. They hold while it runs."""
        self.reported = RecentSet()
        """The refused requests that were reported, as ids with addresses."""
        self._interception = Interception(session, lambda event: judge(self, event))
        self._on_request = on_request
        self._rules: Sequence[RequestRules] = ()
        self.ready: asyncio.Future[Empty] | None = None
        """With lists of origins: done when its process has answered, and knows them. Else None."""

    def enforce(self, rules: Sequence[RequestRules]) -> list[asyncio.Future[Empty]]:
        """Puts rules in force. The answers of Chrome do not depend on the worker."""
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
        if not ready.cancelled() and ready.exception() is None:  # else it has gone
            if self.info.type != "service_worker":  # Fetch holds those, and one that is stopped would stay so
                self.session.tell(network.SetBlockedURLs(url_patterns=blocked_urls(self._rules)))
            conditions = socket_conditions(self._rules)
            self.session.tell(network.EmulateNetworkConditionsByRule(matched_network_conditions=conditions))

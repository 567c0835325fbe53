"""A shared or service worker, or one that it started: what holds its requests.

`Fetch` holds those of a shared worker only where it was asked for before the worker's script had come. Nothing makes
that script wait for us, and one that is a `blob:`, a `data:` or a service worker's answer is there at once. So what
lists of origins refuse, the worker's process is told not to ask for either, and sockets, those of service workers too,
are refused by network conditions. Both count from when the process answers, and until then the worker does not run.
They hold redirects, too, and a worker that began before there were rules.

Network conditions would hold requests as well, but Chrome tells the network service of them while it lets the worker
run: under load the first request was there sooner. Sockets go the way that the conditions went.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from cdp_agent.cdp import fetch, network, target
from cdp_agent.cdp.connection import Session
from cdp_agent.page.frames.recent import Recent

from .interception import Interception, Verdict, blocked_urls, socket_conditions
from .rules import RequestRules


class Site(NamedTuple):
    """Workers of an origin are others in another browser context."""

    context: str | None
    origin: str


class HeldWorker:
    """Its requests name its target's id as their frame."""

    def __init__(
        self,
        session: Session,
        parent: Session,
        info: target.TargetInfo,
        site: Site,
        *,
        is_new: bool,
        judge: Callable[[HeldWorker, fetch.RequestPaused], Verdict],
        asks: Callable[[HeldWorker, str, str], None],
    ) -> None:
        """`parent` is where its own session is attached from, `site` that of what it belongs to.

        `is_new`: it has not run before. `asks` hears the id and the address of what it asks for, sockets too, under
        lists of origins.
        """
        self.session = session
        self.parent = parent
        self.info = info
        self.site = site
        self.is_new = is_new
        self.met: list[RequestRules] = []
        """The lists that it began under, or of tabs that came to its site since: it keeps to them while it runs."""
        self.told = Recent()
        """What it was refused, by ids and addresses."""
        self._interception = Interception(session, lambda event: judge(self, event))
        self._asks = asks
        self._rules: Sequence[RequestRules] = ()
        self.answers: asyncio.Future[Any] | None = None
        """Where there are, or were, lists of origins: done when its process answers, and is told of them."""

    def enforce(self, rules: Sequence[RequestRules]) -> list[asyncio.Future[Any]]:
        """From now on; the answers of Chrome, which do not wait for the worker."""
        self._rules = rules
        if self.answers is None and any(each.bound for each in rules):
            self.session.on(network.RequestWillBeSent, lambda sent: self._asks(self, sent.request_id, sent.request.url))
            self.session.on(network.WebSocketCreated, lambda made: self._asks(self, made.request_id, made.url))
            self.answers = self.session.post(network.Enable())
            self.answers.add_done_callback(self._limit)
        elif self.answers is not None and self.answers.done():
            self._limit(self.answers)
        return list(self._interception.enforce(rules))

    def _limit(self, answers: asyncio.Future[Any]) -> None:
        if not answers.cancelled() and answers.exception() is None:  # else it has gone
            if self.info.type != "service_worker":  # Fetch holds those, and one that is stopped would stay so
                self.session.tell(network.SetBlockedURLs(url_patterns=blocked_urls(self._rules)))
            conditions = socket_conditions(self._rules)
            self.session.tell(network.EmulateNetworkConditionsByRule(matched_network_conditions=conditions))

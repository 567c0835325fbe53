"""Holds what WebSockets send while a `Hold` is in force, until somebody has allowed it.

`Fetch` does not see messages. Network conditions let none of them leave, while what comes in does, and the event of a
message that waits tells of it. Any change of the conditions lets go of all that waits in the session, so they change
only while nothing waits that is undecided or refused. After a refusal nothing leaves any more: Chrome can drop no
single message, but drops all with their document.
https://chromedevtools.github.io/devtools-protocol/tot/Network/#method-emulateNetworkConditionsByRule
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from cdp_agent.cdp import network
from cdp_agent.cdp import page as cdp_page
from cdp_agent.cdp.connection import Session

from .interception import condition, exact_pattern
from .unsafe import without_query

if TYPE_CHECKING:
    from .holding import Hold
    from .judge import TabGroup

_ALL = "ws{s}?://*:*/*"
_WAITS = "an earlier message was not approved, and all later ones wait until the page is left"
_STOPPED = 0.001
"""What may leave, in bytes per second: 0 would mean no limit."""


class HeldSockets:
    """The WebSockets of a session of a tab, of a frame, or of a worker."""

    def __init__(
        self,
        session: Session,
        hold: Callable[[], Hold],
        group: TabGroup,
        limit: Callable[[], None],
        *,
        is_tab: bool,
    ) -> None:
        """`hold` returns the Hold in force in these tabs, `limit` puts `conditions` in force."""
        self._hold, self._group, self._limit = hold, group, limit
        self._is_holding = False
        self._urls: dict[str, str] = {}
        """The addresses of the connections, without queries, by request id."""
        self._is_tab = is_tab
        self._root = self._loader = ""
        self._allowed: set[str] = set()
        """The addresses of the connections that may send in this act."""
        self._undecided = 0
        self.is_stopped = False
        """Whether something that waits was refused: `limit` must not be called until the document is left."""
        session.on(network.WebSocketCreated, self._created)
        session.on(network.WebSocketFrameSent, self._sent)
        session.on(network.WebSocketClosed, self._closed)
        session.on(cdp_page.FrameNavigated, self._navigated)

    @property
    def conditions(self) -> list[network.NetworkConditions]:
        """What lets nothing leave but what connections send that are allowed to; the first match counts."""
        if not self._is_holding:
            return []
        return [*(condition(exact_pattern(url)) for url in sorted(self._allowed)), condition(_ALL, upload=_STOPPED)]

    def begin(self) -> None:
        """Begins an act: what is sent from now on waits."""
        self._is_holding, self._allowed = True, set()
        self._change()

    def end(self) -> None:
        """Lets messages leave again, unless one that waits was refused."""
        self._is_holding = False
        self._change()

    def _change(self) -> None:
        if not self._undecided and not self.is_stopped:
            self._limit()

    def _created(self, event: network.WebSocketCreated) -> None:
        self._urls[event.request_id] = without_query(event.url)

    def _closed(self, event: network.WebSocketClosed) -> None:
        self._urls.pop(event.request_id, None)

    def _navigated(self, event: cdp_page.FrameNavigated) -> None:
        """With the session's document, all that waits is gone."""
        if event.frame.parent_id is None or not (self._is_tab or self._root):  # the first, where a frame has a session
            self._root = event.frame.id
        if event.frame.id != self._root:
            return
        self._loader, self._urls = event.frame.loader_id, {}
        if self.is_stopped:
            self.is_stopped = False
            self._change()

    def _sent(self, event: network.WebSocketFrameSent) -> None:
        url = self._urls.get(event.request_id, "")
        if self.is_stopped:
            self._hold().withhold(url, _WAITS)
            return
        payload = msgspec.json.decode(event.response.payload_data, type=str)
        tab = self._group.tab_of_document(self._loader)
        verdict = self._hold().message(url, payload, self._loader, tab, self._group.beside(tab))
        if not self._is_holding or url in self._allowed:
            return
        if isinstance(verdict, bool):
            self._decided(url, allowed=verdict)
            return
        self._undecided += 1
        verdict.add_done_callback(lambda done: self._answered(url, allowed=not done.cancelled() and done.result()))

    def _answered(self, url: str, *, allowed: bool) -> None:
        self._undecided -= 1
        if allowed:
            self._allowed.add(url)
        self._decided(url, allowed=allowed)

    def _decided(self, url: str, *, allowed: bool) -> None:
        self.is_stopped |= not allowed
        self._change()

"""Ways out that nothing in Chrome holds for some of its tabs alone: WebRTC by TCP, WebTransport, `fetchLater` and
background fetch. See unheld.js.

A Chrome that is launched with a list of origins holds them by its command line. Elsewhere the pages that keep to a
list do without. What still has them: a page that took hold of them before the list was in force, and, of WebTransport,
workers (Chrome runs nothing of ours in a worker that waits to begin).
"""

from __future__ import annotations

import asyncio

from cdp_agent.cdp import page as cdp_page
from cdp_agent.cdp.connection import Session
from cdp_agent.page import js


class Unheld:
    """What was taken from the pages of the sessions, until it is given back."""

    def __init__(self) -> None:
        self._scripts: dict[Session, asyncio.Future[cdp_page.AddedScript]] = {}

    def take_from(self, session: Session) -> None:
        """From the documents of a tab's or a frame's session, those to come as well."""
        if session not in self._scripts:
            added = session.post(cdp_page.AddScriptToEvaluateOnNewDocument(source=js.unheld(), run_immediately=True))
            added.add_done_callback(lambda done: done.cancelled() or done.exception())  # it may go as fast as it came
            self._scripts[session] = added

    def give_back(self, session: Session) -> None:
        """To the documents to come."""
        added = self._scripts.pop(session, None)
        if added is not None and added.done() and not added.cancelled() and added.exception() is None:
            session.tell(cdp_page.RemoveScriptToEvaluateOnNewDocument(identifier=added.result().identifier))

    def forget_closed(self) -> None:
        self._scripts = {each: added for each, added in self._scripts.items() if each.closed_because is None}

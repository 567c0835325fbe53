"""Removes interfaces whose requests Chrome cannot hold for single tabs.

They are WebRTC by TCP, WebTransport, `fetchLater` and background fetch, see removed_interfaces.js. A Chrome that is
launched with a list of origins is kept from them by its command line. Else they are removed from pages under a list.
Pages that got hold of them before the list was in force keep them, and workers keep WebTransport (Chrome runs nothing
of ours in a worker that waits to begin).
"""

from __future__ import annotations

import asyncio

from cdp_agent.cdp import page as cdp_page
from cdp_agent.cdp.connection import Session, retrieve_exception
from cdp_agent.page import js


class RemovedInterfaces:
    """The sessions from whose pages the interfaces were removed."""

    def __init__(self) -> None:
        self._scripts: dict[Session, asyncio.Future[cdp_page.AddedScript]] = {}

    def remove_from(self, session: Session) -> None:
        """Removes the interfaces from the present and future documents of a session."""
        if session not in self._scripts:
            added = session.post(
                cdp_page.AddScriptToEvaluateOnNewDocument(source=js.removed_interfaces(), run_immediately=True)
            )
            added.add_done_callback(retrieve_exception)  # the session may be gone again already
            self._scripts[session] = added

    def restore_in(self, session: Session) -> None:
        """Leaves the interfaces in future documents of the session."""
        added = self._scripts.pop(session, None)
        if added is not None and added.done() and not added.cancelled() and added.exception() is None:
            session.tell(cdp_page.RemoveScriptToEvaluateOnNewDocument(identifier=added.result().identifier))

    def forget_closed(self) -> None:
        self._scripts = {each: added for each, added in self._scripts.items() if each.closed_because is None}

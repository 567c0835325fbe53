"""What the model is shown of the page, and when there is something new to show."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from cdp_agent.agent import prompts
from cdp_agent.errors import ActionError, SessionClosed
from cdp_agent.events import AgentObserved, AgentStatus, BrowserNavigated, Event
from cdp_agent.page.snapshot import Snapshot

if TYPE_CHECKING:
    from cdp_agent.page.page import Page


class Seen(msgspec.Struct, frozen=True):
    """A look at the page: `view` is what the model reads, or None when that would be what it has read already."""

    view: str | None
    events: list[Event]


class Sight:
    """Looks at the page for the model. `budget_tokens` is how much it may see at once."""

    def __init__(self, budget_tokens: int) -> None:
        self._budget_tokens = budget_tokens
        self._shown = ""
        self._address = ""

    async def look(self, page: Page, now: Mapping[str, Any]) -> Seen:
        """The page as it is; `now` is what every event begins with. Raises BrowserError."""
        try:
            snapshot = await page.snapshot(budget_tokens=self._budget_tokens)
        except (ActionError, SessionClosed) as error:
            self._shown = prompts.unreadable(str(error))
            return Seen(self._shown, [AgentStatus(**now, message=f"The page cannot be read: {error}")])
        return self.see(snapshot, now)

    def see(self, snapshot: Snapshot, now: Mapping[str, Any]) -> Seen:
        """The same for a snapshot that is there already."""
        events: list[Event] = []
        if snapshot.url != self._address:
            self._address = snapshot.url
            events.append(BrowserNavigated(**now, url=snapshot.url, title=snapshot.title))
        view = prompts.view(snapshot.url, snapshot.title, snapshot.text)
        if view == self._shown:
            return Seen(None, events)
        self._shown = view
        events.append(AgentObserved(**now, url=snapshot.url, title=snapshot.title, snapshot=snapshot.text))
        return Seen(view, events)

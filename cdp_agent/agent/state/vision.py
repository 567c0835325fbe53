"""Pictures of the page for a model with vision, with the refs of the snapshot painted onto them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from cdp_agent.agent.base.event_log import EventLog
from cdp_agent.agent.base.options import Options
from cdp_agent.agent.model.history import History
from cdp_agent.agent.observation.browser_state import BLANK
from cdp_agent.errors import ActionError, BrowserError, ModelError, ProtocolError
from cdp_agent.events import AgentStatus, BrowserScreenshot
from cdp_agent.page.page import Page, tab_of
from cdp_agent.page.picture.screenshot import take_picture
from cdp_agent.providers.shared.errors import is_of_pictures
from cdp_agent.security.secrets import Secrets

if TYPE_CHECKING:
    from cdp_agent.page.picture.paint import Picture


class Vision:
    """Takes the pictures that a run's models are shown. `history` is the conversation with the run's own model."""

    def __init__(self, options: Options, history: History, secrets: Secrets, log: EventLog) -> None:
        self.sees = options.vision
        """Whether the model is given pictures; False once it has refused one."""
        self._in_events = options.images_in_events
        self._history = history
        self._secrets = secrets
        self._log = log

    async def take(self, page: Page, refs: Iterable[str] = ()) -> Picture | None:
        """A picture of the window with these refs marked; None if pictures are off, or none can be taken."""
        if not self.sees or page.url == BLANK:
            return None
        try:
            return await take_picture(tab_of(page), refs, hidden=self._secrets.spans if self._secrets else None)
        except (ActionError, ProtocolError, BrowserError) as error:  # if Chrome is gone, the next action notices it
            self._log.emit(AgentStatus(**self._log.stamp, message=f"No picture of the page: {error}"))
            return None

    async def add_picture(self, page: Page, refs: Iterable[str]) -> None:
        """Adds a picture of the window to the last message, if one can be taken."""
        picture = await self.take(page, refs)
        before = self._history.picture
        if picture is None or (before is not None and before.data == picture.data):
            return
        self._history.add_picture(picture)
        self.tell(picture)

    def tell(self, picture: Picture) -> None:
        """Emits the event for a picture that a model is given."""
        self._log.emit(
            BrowserScreenshot(
                **self._log.stamp,
                size=len(picture.data),
                format=picture.format,
                width_px=picture.width_px,
                height_px=picture.height_px,
                image=picture.data if self._in_events else None,
            )
        )

    def drop_refused_pictures(self, history: History, error: ModelError) -> bool:
        """Whether the model refused pictures. If so, all are removed, and the run goes on without any."""
        if history.picture is None or not is_of_pictures(error):
            return False
        for each in (history, self._history):
            each.clip_pictures()
        self.sees = False
        message = f"The model takes no pictures, so the run goes on without: {error}"
        self._log.emit(AgentStatus(**self._log.stamp, message=message))
        return True

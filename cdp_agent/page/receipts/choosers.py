"""File choosers that an action opens: nobody could answer them, so that they are not shown, but told."""

from __future__ import annotations

from cdp_agent.cdp import page as cdp_page
from cdp_agent.page.frames.frames import FrameTree


class FileChoosers:
    """Keeps them from being shown from now on, until `stop`."""

    def __init__(self, tree: FrameTree) -> None:
        self.opened = False
        self._sessions = {frame.session for frame in tree.all()}
        self._stops = [session.on(cdp_page.FileChooserOpened, self._note) for session in self._sessions]
        self._intercept(True)

    def stop(self) -> None:
        """Whatever opens one is the user's doing again."""
        for stop in self._stops:
            stop()
        self._intercept(False)

    def _note(self, _: cdp_page.FileChooserOpened) -> None:
        self.opened = True

    def _intercept(self, enabled: bool) -> None:
        for session in self._sessions:
            session.tell(cdp_page.SetInterceptFileChooserDialog(enabled=enabled))

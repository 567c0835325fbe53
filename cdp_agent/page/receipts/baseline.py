"""What is known of a tab when an act in it begins, and what is watched from then on."""

from __future__ import annotations

import msgspec

from cdp_agent.cdp import page as cdp_page
from cdp_agent.page.frames.frames import FrameTree
from cdp_agent.page.snapshot.snapshot import Snapshot
from cdp_agent.page.tab.tab import Tab

from .effects import Pictures
from .watch import Watch


class Baseline(msgspec.Struct, frozen=True):
    """A tab as it was when an act in it began."""

    watch: Watch
    before: Snapshot | None = None
    """The page; None if it could not be read, or need not be."""
    expects_effect: bool = False
    """Whether having an effect is the act's only purpose, so that effects are recorded in the page."""
    pictures: Pictures = Pictures()
    choosers: FileChoosers | None = None
    """None if file choosers are not intercepted."""

    @property
    def tab(self) -> Tab:
        return self.watch.tab

    @property
    def has_left(self) -> bool:
        """Whether the tab is closed by now, or shows another document, or is navigating to one."""
        return self.tab.closed or self.watch.navigated or self.watch.awaits_server

    @property
    def address_changed(self) -> bool:
        """Whether the same document has another address by now."""
        return not self.watch.navigated and self.tab.activity.document.url != self.watch.url

    def stop(self, *, gave_up: bool = False) -> None:
        """Ends what is watched. `gave_up`: see `Watch.stop`."""
        self.watch.stop(gave_up=gave_up)
        if self.choosers is not None:
            self.choosers.stop()
            if self.choosers.opened:
                self.tab.met.add("file chooser")


UNANSWERABLE = (
    "a picker of Chrome itself (showOpenFilePicker, showSaveFilePicker or showDirectoryPicker), which only a person at "
    "that Chrome can answer: it was closed. A Chrome that cdp-agent launches has none, and pages use file fields and "
    "downloads there"
)
"""What a file chooser without a file field is: no command of the protocol gives it files."""


class FileChoosers:
    """File choosers that an action opens. Nobody could answer them, so Chrome does not show them until `stop`."""

    def __init__(self, tree: FrameTree) -> None:
        self.opened = False
        self.unanswerable = False
        """Whether the last was one of those that belong to no file field."""
        self._sessions = {frame.session for frame in tree.all()}
        self._stops = [session.on(cdp_page.FileChooserOpened, self._note) for session in self._sessions]
        self._intercept(True)

    def stop(self) -> None:
        """Lets Chrome show file choosers again."""
        for stop in self._stops:
            stop()
        self._intercept(False)

    def _note(self, event: cdp_page.FileChooserOpened) -> None:
        self.opened = True
        self.unanswerable = event.backend_node_id is None

    def _intercept(self, enabled: bool) -> None:
        for session in self._sessions:
            session.tell(cdp_page.SetInterceptFileChooserDialog(enabled=enabled))

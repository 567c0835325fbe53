"""The apps that a page asked to open, by addresses such as zoommtg:, mailto: or tel:.

Chrome asks its user in a dialog that it draws over the page, which gets no input meanwhile. A Chrome of ours refuses.
"""

from __future__ import annotations

import sys

from cdp_agent.cdp import network
from cdp_agent.page.snapshot.lines import in_line, shortened

_OF_CHROME = (
    *("http", "https", "file", "data", "blob", "about", "javascript", "filesystem", "view-source", "ws", "wss"),
    *("chrome", "chrome-error", "chrome-extension", "chrome-untrusted", "devtools", "edge", "brave"),
)
"""The schemes of addresses that Chrome loads itself."""
_MOST = 20


class AppRequests:
    """What the pages of a tab asked for, until it is taken."""

    def __init__(self, *, in_own_chrome: bool) -> None:
        self._opens_no_apps = in_own_chrome and sys.platform == "linux"
        """Whether this Chrome opens no apps, see browser/launch/launcher.py."""
        self._unreported: dict[str, None] = {}

    def sent(self, event: network.RequestWillBeSent) -> None:
        """Notes a request for a document that Chrome does not load, but passes on to an app: of any other scheme."""
        url = event.request.url
        scheme = url.partition(":")[0].lower()
        if event.type != "Document" or scheme in _OF_CHROME:
            return
        then = "refused" if self._opens_no_apps else "Chrome may have asked its user"
        if len(self._unreported) < _MOST:
            asked = f"the page asked to open the app {in_line(scheme)}: {then} ({in_line(shortened(url))})"
            self._unreported[asked] = None

    def take(self) -> list[str]:
        """What was asked for since the last call."""
        taken, self._unreported = list(self._unreported), {}
        return taken

    @property
    def has_unreported(self) -> bool:
        """Whether `take` would return anything."""
        return bool(self._unreported)

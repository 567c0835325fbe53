"""The new tabs that the pages of a tab ask for, since Chrome does not report the opener of all tabs."""

from __future__ import annotations

import time
from collections import deque

from cdp_agent.cdp import page as cdp_page
from cdp_agent.cdp.connection import Session

ARRIVES_WITHIN_S = 2.0
EXPECTED_S = 1.0
_REMEMBERED = 5
_LONGEST_ADDRESS = 2_000


class RequestedTabs:
    """The requests for new tabs by the pages of one tab."""

    def __init__(self) -> None:
        self.count = 0
        """How many tabs were asked for."""
        self._latest: deque[tuple[int, str]] = deque(maxlen=_REMEMBERED)
        """The latest addresses that were asked for, each with the number of addresses before it."""
        self._followed: list[tuple[str, float]] = []
        """Addresses of links that were followed into new tabs, and when."""

    def watch(self, session: Session) -> None:
        """Follows the session's requests for tabs. To be called before anything may run there."""
        session.on(cdp_page.FrameRequestedNavigation, self._requested)
        session.on(cdp_page.WindowOpen, lambda event: self._note(event.url))

    def since(self, count: int) -> list[str]:
        """The addresses that were asked for after the first `count`, without repetitions."""
        return list(dict.fromkeys(address for number, address in self._latest if number >= count))

    def expects(self, arrived: int) -> bool:
        """Whether more links were just followed into new tabs than tabs have arrived."""
        now = time.monotonic()
        return sum(now - since < EXPECTED_S for _, since in self._followed) > arrived

    def take(self, url: str) -> bool:
        """Whether a link was just followed into a new tab with that address; each such link counts once."""
        now = time.monotonic()
        self._followed = [each for each in self._followed if now - each[1] < ARRIVES_WITHIN_S]
        for asked in self._followed:
            if url in (asked[0], ""):  # a tab that waits for us has no address yet
                self._followed.remove(asked)
                return True
        return False

    def _note(self, url: str) -> None:
        self._latest.append((self.count, url[:_LONGEST_ADDRESS]))
        self.count += 1

    def _requested(self, event: cdp_page.FrameRequestedNavigation) -> None:
        # A middle or Control click opens a tab for which Chrome does not report the opener.
        if event.disposition in ("newTab", "newWindow"):
            self._followed.append((event.url, time.monotonic()))
            self._note(event.url)

"""The Chrome that its user works with: found by the file in which it writes down where it listens.

Since 136 Chrome ignores --remote-debugging-port for its usual profile; since 144 the user may let programs in on
chrome://inspect/#remote-debugging, and is asked again for each connection. Then there is no /json/version.
https://developer.chrome.com/blog/remote-debugging-port
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from urllib.parse import urlsplit

from cdp_agent.cdp.websocket import WebSocketTransport
from cdp_agent.errors import BrowserError

from .tab_closer import HttpEndpoint
from .user_profiles import folders_of, listening

CONSENT_S = 60.0
"""A person has to see the question, and answer."""


class UserChrome:
    """The way to it: by the given profile's folder, else by the first of the usual ones whose Chrome listens."""

    timeout_s: float | None = CONSENT_S
    too_late: str | None = (
        f"your Chrome did not answer within {CONSENT_S:g} s: when it asks whether to allow it, say yes"
    )

    def __init__(self, profile: str | os.PathLike[str] | None = None) -> None:
        self._url = ""
        self._folders = folders_of(profile)

    async def connect(self, headers: Mapping[str, str]) -> WebSocketTransport:
        """Raises BrowserError that tells what the user can do about it."""
        url = self._url = listening(self._folders)
        try:
            return await WebSocketTransport.open(url, headers)
        except BrowserError as error:
            raise BrowserError(f"your Chrome refused: {error}. When it asks whether to allow it, say yes.") from error

    def http_endpoint(self, headers: Mapping[str, str]) -> HttpEndpoint | None:
        """See EndpointSource. One whose user lets programs in one by one has none, and answers 404."""
        address = urlsplit(self._url)
        return HttpEndpoint(host=address.hostname or "", port=address.port or 80, headers=headers)

    def without_address(self, text: str, headers: Mapping[str, str]) -> str:
        """As it is: the address is made up by Chrome, and in no message."""
        return text

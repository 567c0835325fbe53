"""The Chrome that the user works with, found by the file in which it records where it listens.

Since version 136 Chrome ignores --remote-debugging-port for its default profile. Since 144 the user can turn on remote
debugging at chrome://inspect/#remote-debugging, and has to allow each connection; there is no /json/version then.
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
"""How long to wait for a person to see Chrome's question and answer it."""


class UserChrome:
    """Reaches the Chrome of the given profile folder, or else of the first default folder whose Chrome listens."""

    timeout_s: float | None = CONSENT_S
    too_late: str | None = (
        f"your Chrome did not answer within {CONSENT_S:g} s: when it asks whether to allow it, say yes"
    )

    def __init__(self, profile: str | os.PathLike[str] | None = None) -> None:
        self._url = ""
        self._folders = folders_of(profile)

    async def connect(self, headers: Mapping[str, str]) -> WebSocketTransport:
        """Connects to the Chrome. Raises BrowserError, which says what the user can do about it."""
        url = self._url = listening(self._folders)
        try:
            return await WebSocketTransport.open(url, headers)
        except BrowserError as error:
            raise BrowserError(f"your Chrome refused: {error}. When it asks whether to allow it, say yes.") from error

    def http_endpoint(self, headers: Mapping[str, str]) -> HttpEndpoint | None:
        """See EndpointSource. A Chrome whose user allows each connection has no such endpoints, and answers 404."""
        address = urlsplit(self._url)
        return HttpEndpoint(host=address.hostname or "", port=address.port or 80, headers=headers)

    def without_address(self, text: str, headers: Mapping[str, str]) -> str:
        """`text` as it is: the address comes from Chrome, and no message contains it."""
        return text

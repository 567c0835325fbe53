"""The Chrome that its user works with: found by the file in which it writes down where it listens.

`DevToolsActivePort`, in the folder of the profile, holds the port and the path of the WebSocket. Since 136 Chrome
ignores --remote-debugging-port for its usual profile; since 144 the user may let programs in on
chrome://inspect/#remote-debugging, and is asked again for each connection. Then there is no /json/version.
https://developer.chrome.com/blog/remote-debugging-port
"""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from cdp_agent.cdp.websocket import WebSocketTransport
from cdp_agent.errors import BrowserError

from .tab_closer import HttpEndpoint

CONSENT_S = 60.0
"""A person has to see the question, and answer."""
_ANSWERS_WITHIN_S = 1.0
_FILE = "DevToolsActivePort"
_LINUX = """
    google-chrome google-chrome-beta google-chrome-unstable chromium microsoft-edge BraveSoftware/Brave-Browser
""".split()  # noqa: SIM905 (a list of words is read as one)
_MAC = (
    *("Google/Chrome", "Google/Chrome Beta", "Google/Chrome Canary", "Chromium"),
    *("Microsoft Edge", "BraveSoftware/Brave-Browser"),
)
_WINDOWS = (
    *("Google/Chrome", "Google/Chrome Beta", "Google/Chrome SxS", "Chromium"),
    *("Microsoft/Edge", "BraveSoftware/Brave-Browser"),
)
HOW = (
    "In Chrome 144 or newer, open chrome://inspect/#remote-debugging and allow it there. Or start Chrome with "
    "--remote-debugging-port=9222 and a --user-data-dir of its own (since 136 it ignores the port for the usual "
    "profile), and connect to http://127.0.0.1:9222: beside a port that it was told it writes no file."
)


def profile_folders(platform: str = sys.platform, environment: Mapping[str, str] = os.environ) -> list[Path]:
    """Where Chrome, Chromium, Edge and Brave keep their usual profiles."""
    home = Path(environment.get("HOME") or environment.get("USERPROFILE") or Path.home())
    if platform == "darwin":
        return [home / "Library" / "Application Support" / name for name in _MAC]
    if platform == "win32":
        base = Path(environment.get("LOCALAPPDATA") or home / "AppData" / "Local")
        return [base / name / "User Data" for name in _WINDOWS]
    base = Path(environment.get("XDG_CONFIG_HOME") or home / ".config")
    snap = home / "snap" / "chromium" / "common" / "chromium"
    flatpak = home / ".var" / "app" / "com.google.Chrome" / "config" / "google-chrome"
    return [*(base / name for name in _LINUX), snap, flatpak]


class UserChrome:
    """The way to it: by the given profile's folder, else by the first of the usual ones whose Chrome listens."""

    timeout_s: float | None = CONSENT_S
    too_late: str | None = (
        f"your Chrome did not answer within {CONSENT_S:g} s: when it asks whether to allow it, say yes"
    )

    def __init__(self, profile: str | os.PathLike[str] | None = None) -> None:
        self._url = ""
        self._folders = profile_folders() if profile is None else [Path(os.path.expanduser(profile))]

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


def listening(folders: Sequence[Path]) -> str:
    """The WebSocket of the first Chrome that listens. Raises BrowserError."""
    stale = None
    for folder in folders:
        try:
            port, path, *_ = (folder / _FILE).read_text().splitlines()
        except FileNotFoundError:
            continue
        except (OSError, ValueError) as error:  # macOS may not let us read there
            reason = error.strerror if isinstance(error, OSError) else "it has another shape than we know"
            raise BrowserError(f"{folder / _FILE} cannot be read: {reason}.") from error
        if not (port.isdigit() and path.startswith("/devtools/browser/")):
            raise BrowserError(f"{folder / _FILE} cannot be read: it has another shape than we know.")
        try:  # Chrome leaves the file behind when it is killed
            socket.create_connection(("127.0.0.1", int(port)), _ANSWERS_WITHIN_S).close()
        except OSError:
            stale = folder
            continue
        return f"ws://127.0.0.1:{port}{path}"
    if stale is not None:
        raise BrowserError(f"the Chrome of {stale} has ended, or lets programs in no longer. {HOW}")
    where = str(folders[0]) if len(folders) == 1 else "the usual folders of Chrome, Chromium, Edge and Brave"
    raise BrowserError(f"no Chrome that lets programs in: no {_FILE} in {where}. {HOW}")

"""The file in which the Chrome that the user works with records where it listens.

`DevToolsActivePort`, in the folder of the profile, contains the port and the path of the WebSocket.
https://developer.chrome.com/blog/remote-debugging-port
"""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from cdp_agent.errors import BrowserError

_ANSWERS_WITHIN_S = 1.0
_FILE = "DevToolsActivePort"
_LINUX = """
    google-chrome google-chrome-beta google-chrome-unstable chromium microsoft-edge BraveSoftware/Brave-Browser
""".split()  # noqa: SIM905 (a list of words is easier to read as one text)
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


def profile_folders(platform: str = sys.platform, environment: Mapping[str, str] | None = None) -> list[Path]:
    """The folders where Chrome, Chromium, Edge and Brave keep their default profiles."""
    environment = os.environ if environment is None else environment
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


def folders_of(profile: str | os.PathLike[str] | None) -> list[Path]:
    """The folder of the given profile, or else the default folders."""
    return profile_folders() if profile is None else [Path(os.path.expanduser(profile))]


def listening(folders: Sequence[Path]) -> str:
    """The WebSocket address of the first Chrome that listens, from its file. Raises BrowserError when none does."""
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

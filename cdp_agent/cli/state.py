"""What one command leaves for the next: which tab is the current one, and what its refs stand for.

Nothing but Chrome lives on between commands. There is one small file for each Chrome, named after the id that the
browser has given itself, for the user alone (mode 600).
"""

from __future__ import annotations

import hashlib
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit

import msgspec

from cdp_agent.browser.launch.detached import DetachedChrome
from cdp_agent.browser.launch.supervisor import command_line
from cdp_agent.config.folders import user_folder
from cdp_agent.errors import BrowserError, SetupError
from cdp_agent.security import files

_T = TypeVar("_T")
_CHROME = "chrome.json"
_ELSEWHERE = "Set XDG_STATE_HOME to a folder that is yours."
_FORGET_AFTER_S = 30 * 24 * 3600


class SavedTab(msgspec.Struct, frozen=True):
    """The current tab of a Chrome. `ours`: a command opened it, so that a command may take it elsewhere."""

    target_id: str
    ours: bool
    refs: msgspec.Raw = msgspec.Raw(b"null")


def folder() -> Path:
    """Where such files are, see user_folder. Raises SetupError."""
    return user_folder("state")


def check_writable() -> None:
    """Raises SetupError where nothing can be written down: whoever starts what must be found again asks before."""
    with _told():
        tempfile.TemporaryFile(dir=_made_folder()).close()


def key_of(websocket_url: str) -> str:
    """The name of a Chrome: the id in its address, else a digest of the address (its query may be secret)."""
    address = urlsplit(websocket_url)
    last = address.path.rstrip("/").rpartition("/")[2]
    if "/devtools/browser/" in address.path and last.replace("-", "").isalnum():
        return last
    return hashlib.sha256(f"{address.hostname}:{address.port}{address.path}".encode()).hexdigest()[:32]


def tab_of(key: str) -> SavedTab | None:
    return _read(f"tab-{key}.json", SavedTab)


def save_tab(key: str, tab: SavedTab) -> None:
    _write(f"tab-{key}.json", tab)
    for path in folder().glob("tab-*.json"):
        if time.time() - path.stat().st_mtime > _FORGET_AFTER_S:
            path.unlink(missing_ok=True)


def forget_tab(key: str) -> None:
    (folder() / f"tab-{key}.json").unlink(missing_ok=True)


def started_chrome() -> DetachedChrome | None:
    """The Chrome that `chrome start` has left running, as far as is known."""
    return _read(_CHROME, DetachedChrome)


def save_chrome(chrome: DetachedChrome) -> None:
    _write(_CHROME, chrome)


def check_ended(chrome: DetachedChrome, error: BrowserError) -> None:
    """Raises BrowserError when the one that was started does not answer, and is still there."""
    if chrome.profile in command_line(chrome.pid):
        advice = "try again, or end it with `cdp-agent chrome stop`"
        raise BrowserError(f"The Chrome that was started (process {chrome.pid}): {error}: {advice}.") from error


def forget_chrome() -> None:
    (folder() / _CHROME).unlink(missing_ok=True)


def _read(name: str, kind: type[_T]) -> _T | None:
    try:
        return msgspec.json.decode((folder() / name).read_bytes(), type=kind)
    except (FileNotFoundError, NotADirectoryError, msgspec.DecodeError):  # none yet, or of another version
        return None
    except OSError as error:
        raise SetupError(f"{folder() / name} cannot be read: {error.strerror}. {_ELSEWHERE}") from error


def _write(name: str, value: msgspec.Struct) -> None:
    with _told():
        _made_folder()
        files.write(folder() / name, msgspec.json.encode(value))


def _made_folder() -> Path:
    folder().mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder()


@contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise SetupError(f"Nothing can be written down in {folder()}: {error.strerror}. {_ELSEWHERE}") from error

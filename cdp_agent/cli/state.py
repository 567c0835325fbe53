"""What one command leaves for the next: which tab is the current one, and what its refs stand for.

Nothing but Chrome lives on between commands. There is one small file for each Chrome, named after the id that the
browser has given itself, for the user alone (mode 600).
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import time
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit

import msgspec

from cdp_agent.detached import DetachedChrome

_T = TypeVar("_T")
_CHROME = "chrome.json"
_FORGET_AFTER_S = 30 * 24 * 3600


class Tab(msgspec.Struct, frozen=True):
    """The current tab of a Chrome. `ours`: a command opened it, so that a command may take it elsewhere."""

    target_id: str
    ours: bool
    refs: msgspec.Raw = msgspec.Raw(b"null")


def folder() -> Path:
    """Where the platform wants such files: $XDG_STATE_HOME/cdp-agent, ~/.local/state/cdp-agent on Linux."""
    from platformdirs import user_state_path

    return user_state_path("cdp-agent", appauthor=False)


def key_of(websocket_url: str) -> str:
    """The name of a Chrome: the id in its address, else a digest of the address (its query may be secret)."""
    address = urlsplit(websocket_url)
    last = address.path.rstrip("/").rpartition("/")[2]
    if "/devtools/browser/" in address.path and last.replace("-", "").isalnum():
        return last
    return hashlib.sha256(f"{address.hostname}:{address.port}{address.path}".encode()).hexdigest()[:32]


def tab_of(key: str) -> Tab | None:
    return _read(f"tab-{key}.json", Tab)


def save_tab(key: str, tab: Tab) -> None:
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


def forget_chrome() -> None:
    (folder() / _CHROME).unlink(missing_ok=True)


def _read(name: str, kind: type[_T]) -> _T | None:
    try:
        return msgspec.json.decode((folder() / name).read_bytes(), type=kind)
    except (FileNotFoundError, msgspec.DecodeError):  # none yet, or of another version: it can be had anew
        return None


def _write(name: str, value: msgspec.Struct) -> None:
    folder().mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, path = tempfile.mkstemp(dir=folder(), prefix=".")  # mode 600
    with open(handle, "wb") as file:
        file.write(msgspec.json.encode(value))
    os.replace(path, folder() / name)

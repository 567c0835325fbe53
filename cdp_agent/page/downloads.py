"""Downloads: into a folder, under their own names, told with the next result.

https://chromedevtools.github.io/devtools-protocol/tot/Browser/#method-setDownloadBehavior
"""

from __future__ import annotations

import asyncio
import itertools
import os
import re
from typing import TYPE_CHECKING, Any, Literal, cast

import msgspec

from cdp_agent.cdp import browser as cdp_browser
from cdp_agent.cdp.connection import Session

if TYPE_CHECKING:
    from pathlib import Path

State = Literal["inProgress", "completed", "canceled"]

_LONGEST_NAME = 180
_UNSAFE = r'[\x00-\x1f\x7f<>:"/\\|?*]+'
_RESERVED = r"(?i)^(con|prn|aux|nul|com\d|lpt\d)(\.|$)"


class Download(msgspec.Struct, frozen=True, kw_only=True):
    """A file that a page offered. `path` is where it is once it is completed, on the machine that Chrome runs on."""

    url: str
    suggested_name: str
    path: str | None = None
    state: State = "inProgress"
    received_bytes: int = 0
    total_bytes: int = 0
    """0 when the server does not say."""


class DownloadWatcher:
    """Follows the downloads of a Chrome. With a folder they go there; without one, wherever its user has them go."""

    def __init__(self, folder: str | os.PathLike[str] | None = None) -> None:
        self.folder: Path | None = None
        if folder is not None:
            from pathlib import Path  # late: whoever attaches to a Chrome rarely has one

            self.folder = Path(folder).expanduser().absolute()
        self._known: dict[str, Download] = {}
        self._untold: dict[str, None] = {}
        self._idle = asyncio.Event()
        self._idle.set()

    def watch(self, browser: Session, context: str | None = None) -> asyncio.Future[Any]:
        """Chrome's answer to come. To be called once, with the session of the browser itself and our context there."""
        browser.on(cdp_browser.DownloadWillBegin, self._began)
        browser.on(cdp_browser.DownloadProgress, self._progressed)
        if self.folder is None:
            command = cdp_browser.SetDownloadBehavior(
                behavior="default", browser_context_id=context, events_enabled=True
            )
        else:
            # With "allow" Chrome overwrites a file of the same name; so it gets an id, and its name afterwards.
            command = cdp_browser.SetDownloadBehavior(
                behavior="allowAndName",
                browser_context_id=context,
                download_path=str(self.folder),
                events_enabled=True,
            )
        return browser.post(command)

    def take(self) -> list[Download]:
        """Those that began or ended since the last call, in the order in which they began."""
        told = [download for guid, download in self._known.items() if guid in self._untold]
        self._untold.clear()
        return told

    @property
    def untold(self) -> bool:
        """Whether `take` has something to tell."""
        return bool(self._untold)

    async def settled(self, timeout_s: float = 30.0) -> bool:
        """Waits until no download is in progress. False at the deadline: they go on."""
        try:
            async with asyncio.timeout(timeout_s):
                await self._idle.wait()
        except TimeoutError:
            return False
        return True

    def _began(self, event: cdp_browser.DownloadWillBegin) -> None:
        self._known[event.guid] = Download(url=event.url, suggested_name=event.suggested_filename)
        self._untold[event.guid] = None
        self._idle.clear()

    def _progressed(self, event: cdp_browser.DownloadProgress) -> None:
        download = self._known.get(event.guid)
        if download is None:
            return  # began before we came
        state = cast(State, event.state)  # the protocol's enum, see Download.state
        path = self._name(event, download.suggested_name) if state == "completed" else None
        self._known[event.guid] = msgspec.structs.replace(
            download,
            state=state,
            path=path,
            received_bytes=int(event.received_bytes),
            total_bytes=int(event.total_bytes),
        )
        if state != "inProgress":
            self._untold[event.guid] = None
        if all(each.state != "inProgress" for each in self._known.values()):
            self._idle.set()

    def _name(self, event: cdp_browser.DownloadProgress, suggested: str) -> str | None:
        if self.folder is None:
            return event.file_path
        source = self.folder / event.guid
        if not source.exists():
            return event.file_path or str(source)  # Chrome runs on another machine
        target = _claim(self.folder, safe_name(suggested))
        os.replace(source, target)
        return str(target)


def safe_name(suggested: str) -> str:
    """The last part of a name that a server or page made up, fit for a file system."""
    name = re.sub(_UNSAFE, "_", re.split(r"[/\\]", suggested)[-1]).strip(". ")
    if re.match(_RESERVED, name):
        name = f"_{name}"
    stem, suffix = os.path.splitext(name)
    return (stem[: _LONGEST_NAME - len(suffix)] + suffix[:_LONGEST_NAME]) or "download"


def _claim(folder: Path, name: str) -> Path:
    """A file of that name that is new, numbered when there is one already: nobody else's is replaced."""
    first = folder / name
    for number in itertools.count(1):
        target = first if number == 1 else first.with_name(f"{first.stem} ({number}){first.suffix}")
        try:
            os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        except FileExistsError:
            continue
        break
    return target

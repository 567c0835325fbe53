"""Downloads: saved into a folder under their own names, and reported with the next result.

https://chromedevtools.github.io/devtools-protocol/tot/Browser/#method-setDownloadBehavior
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import os
import re
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast
from weakref import WeakSet

import msgspec

from cdp_agent.cdp import browser as cdp_browser
from cdp_agent.cdp.connection import Session
from cdp_agent.cdp.types import Empty
from cdp_agent.errors import InvalidArguments

if TYPE_CHECKING:
    from cdp_agent.page.policy.holding import Hold

State = Literal["inProgress", "completed", "canceled"]

log = logging.getLogger(__name__)

_REMEMBERED = 500
_LONGEST_NAME = 180
"""In bytes: file systems take 255, and a number may have to be added."""
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
    """0 if the server does not state it."""
    why: str = ""
    """Why it was not completed, where that was seen: Chrome does not tell it."""
    id: str = ""
    """Chrome's id of the download."""


class _Followed(msgspec.Struct):
    frame_id: str
    download: Download
    unreported: bool = True
    undecided: bool = False
    """Whether somebody is being asked to allow it."""
    refused: bool = False
    pending_event: cdp_browser.DownloadProgress | None = None
    """The last event that came while it was undecided."""


class DownloadWatcher:
    """Follows the downloads of a browser context. They go to `folder`; if None, to the folder of Chrome's user."""

    def __init__(
        self, folder: str | os.PathLike[str] | None = None, owns: Callable[[str], bool] = lambda _: True
    ) -> None:
        """`owns` returns whether the downloads of a frame, by its id, are followed here."""
        self.folder: Path | None = None
        if folder is not None:
            self.save_in(folder)
        self._owns = owns
        self._redirected = False
        self._stops: list[Callable[[], None]] = []
        self._followed: dict[str, _Followed] = {}
        self._pages: WeakSet[PageDownloads] = WeakSet()
        self._changed = asyncio.Event()
        self.completed: deque[Download] = deque(maxlen=_REMEMBERED)
        """The latest complete downloads, in the order of their completion."""
        self._context: str | None = None

    def save_in(self, folder: str | os.PathLike[str]) -> None:
        """Sets the folder. To be called before `watch`."""
        self.folder = Path(os.path.expanduser(folder)).absolute()

    def of_page(self, has_frame: Callable[[str], bool], hold: Callable[[], Hold]) -> PageDownloads:
        """The downloads that frames of one page began, and those of frames that no page knows."""
        page = PageDownloads(self, has_frame, hold)
        self._pages.add(page)
        return page

    def listen(self, browser: Session) -> None:
        """Follows download events on the session of the browser; they must be enabled already."""
        self._stops = [
            browser.on(cdp_browser.DownloadWillBegin, lambda event: self._began(browser, event)),
            browser.on(cdp_browser.DownloadProgress, self._progressed),
        ]

    def stop(self) -> None:
        """Stops following downloads."""
        for stop in self._stops:
            stop()

    def watch(self, browser: Session, context: str | None = None, *, shared: bool = False) -> asyncio.Future[Empty]:
        """Enables the events, and returns a future of Chrome's answer. To be called once, with the `browserContextId`.

        `shared`: somebody else downloads there too, so Chrome saves to their folder, and ours are moved when complete.
        """
        self.listen(browser)
        self._context = context
        self._redirected = self.folder is not None and not shared
        if not self._redirected:
            command = cdp_browser.SetDownloadBehavior(
                behavior="default", browser_context_id=context, events_enabled=True
            )
        else:
            # With "allow" Chrome overwrites files of the same name. So files are named by ids, and renamed afterwards.
            command = cdp_browser.SetDownloadBehavior(
                behavior="allowAndName",
                browser_context_id=context,
                download_path=str(self.folder),
                events_enabled=True,
            )
        return browser.post(command)

    def take(self, page: PageDownloads | None = None) -> list[Download]:
        """The downloads that began or ended since the last call, in the order of their start; of one page or all."""
        reported = [followed for followed in self._of(page) if followed.unreported]
        for followed in reported:
            followed.unreported = False
        self._followed = {
            guid: followed
            for guid, followed in self._followed.items()
            if followed.unreported or followed.download.state == "inProgress"
        }
        return [followed.download for followed in reported]

    def has_unreported(self, page: PageDownloads | None = None) -> bool:
        """Whether `take` would return anything."""
        return any(each.unreported for each in self._of(page))

    def has_unfinished(self, page: PageDownloads) -> bool:
        """Whether any download of the page that `take` has not returned yet is in progress."""
        return any(each.unreported and each.download.state == "inProgress" for each in self._of(page))

    async def settled(self, timeout_s: float = 30.0, page: PageDownloads | None = None) -> bool:
        """Waits until no download is in progress. False at the deadline, after which they continue."""
        try:
            async with asyncio.timeout(timeout_s):
                while any(each.download.state == "inProgress" for each in self._of(page)):
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            return False
        return True

    def _of(self, page: PageDownloads | None) -> list[_Followed]:
        return [
            followed
            for followed in self._followed.values()
            if page is None
            or page.has_frame(followed.frame_id)
            or not any(other.has_frame(followed.frame_id) for other in self._pages)
        ]

    def _began(self, browser: Session, event: cdp_browser.DownloadWillBegin) -> None:
        if not self._owns(event.frame_id):
            return
        download = Download(url=event.url, suggested_name=event.suggested_filename, id=event.guid)
        followed = self._followed[event.guid] = _Followed(event.frame_id, download)
        page = next((each for each in self._pages if each.has_frame(event.frame_id)), None)
        decided = page.hold().download(event) if page is not None else None
        if decided is not None:
            followed.undecided = True
            decided.add_done_callback(lambda done: self._decided(browser, event.guid, approved=done.result()))

    def _decided(self, browser: Session, guid: str, *, approved: bool) -> None:
        """Carries out a decision: the download gets its name, or is cancelled and its file deleted."""
        followed = self._followed.get(guid)
        if followed is None:
            return
        followed.undecided, followed.refused = False, not approved
        if not approved:
            browser.tell(cdp_browser.CancelDownload(guid=guid, browser_context_id=self._context))
        if followed.pending_event is not None:
            self._progressed(followed.pending_event)

    def _progressed(self, event: cdp_browser.DownloadProgress) -> None:
        followed = self._followed.get(event.guid)
        if followed is None:
            return  # began before we listened
        if followed.undecided:
            followed.pending_event = event
            return
        if followed.refused:
            self._discard(event, followed)
            return
        state = cast(State, event.state)  # the protocol's enum, see Download.state
        path = self._name(event, followed.download.suggested_name) if state == "completed" else None
        followed.download = msgspec.structs.replace(
            followed.download,
            state=state,
            path=path,
            why=self._remove_part(event) if state == "canceled" else "",
            received_bytes=int(event.received_bytes),
            total_bytes=int(event.total_bytes),
        )
        followed.unreported |= state != "inProgress"
        if state == "completed":
            self.completed.append(followed.download)
        self._changed.set()

    def _remove_part(self, event: cdp_browser.DownloadProgress) -> str:
        """Removes what Chrome wrote of a download and keeps to resume it; says so if the rest of it has no room."""
        import shutil  # late: 2 ms, with what it knows of archives

        if not self._redirected or self.folder is None:
            return ""
        part = self.folder / f"{event.guid}.crdownload"
        try:
            written = part.stat().st_size if part.exists() else 0  # Chrome has removed it if it failed early
            has_room = shutil.disk_usage(self.folder).free >= max(int(event.total_bytes) - written, 1)
            part.unlink(missing_ok=True)
        except OSError as error:
            log.debug("what is left of a download: %s", error)  # the folder is on another machine
            return ""
        return "" if has_room else f"{self.folder} has no room for the rest"

    def _discard(self, event: cdp_browser.DownloadProgress, followed: _Followed) -> None:
        if event.state == "completed":
            written = event.file_path or (str(self.folder / event.guid) if self._redirected and self.folder else None)
            if written is not None and os.path.exists(written):  # Chrome may run on another machine
                os.unlink(written)
        followed.download = msgspec.structs.replace(followed.download, state="canceled")
        followed.unreported = True
        self._changed.set()

    def _name(self, event: cdp_browser.DownloadProgress, suggested: str) -> str | None:
        if self.folder is None:
            return event.file_path
        if not self._redirected and event.file_path is None:
            return None  # this Chrome does not report the path
        source = self.folder / (event.guid if self._redirected else str(event.file_path))
        import shutil  # late: 2 ms, with what it knows of archives

        if not source.exists():
            return event.file_path or str(source)  # Chrome runs on another machine
        target = None
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            target = _claim(self.folder, safe_name(suggested))
            shutil.move(source, target)
        except OSError as error:
            if target is not None:
                target.unlink(missing_ok=True)
            log.warning("the download %s keeps its number for a name: %s", source, error)
            return str(source)
        return str(target)


class PageDownloads:
    """The downloads of one page; the methods are those of `DownloadWatcher`."""

    def __init__(self, watcher: DownloadWatcher, has_frame: Callable[[str], bool], hold: Callable[[], Hold]) -> None:
        self.has_frame = has_frame
        self.hold = hold
        """Returns the Hold that may have to ask about a download of the page."""
        self._watcher = watcher

    def take(self) -> list[Download]:
        return self._watcher.take(self)

    @property
    def has_unreported(self) -> bool:
        return self._watcher.has_unreported(self)

    @property
    def has_unfinished(self) -> bool:
        return self._watcher.has_unfinished(self)

    async def settled(self, timeout_s: float = 30.0) -> bool:
        return await self._watcher.settled(timeout_s, self)

    def file(self, name: str | None) -> Path:
        """The complete download of that name or path, in any tab of the browser context; None: the last one.

        Raises InvalidArguments if there is none: no other files of the machine are found here.
        """
        files = {Path(each.path).name: Path(each.path) for each in self._watcher.completed if each.path is not None}
        if not files:
            raise InvalidArguments("Nothing was downloaded yet, as far as is seen here.")
        path = list(files.values())[-1] if name is None else files.get(Path(name).name)
        if path is None or name not in (None, path.name, str(path)):
            raise InvalidArguments(f"No download is called {name!r}. There are: {', '.join(map(repr, files))}.")
        return path


def safe_name(suggested: str) -> str:
    """The last part of a name that a server or page suggests, made valid for file systems."""
    name = re.sub(_UNSAFE, "_", re.split(r"[/\\]", suggested)[-1]).strip(". ")
    if re.match(_RESERVED, name):
        name = f"_{name}"
    stem, suffix = os.path.splitext(name)
    suffix = _cut(suffix, _LONGEST_NAME)
    return _cut(stem, _LONGEST_NAME - len(suffix.encode())) + suffix or "download"


def _cut(text: str, longest_bytes: int) -> str:
    return text.encode()[:longest_bytes].decode(errors="ignore")


def _claim(folder: Path, name: str) -> Path:
    """Creates a file with that name, numbered if it exists already, so that no other file is replaced."""
    first = folder / name
    for number in itertools.count(1):
        target = first if number == 1 else first.with_name(f"{first.stem} ({number}){first.suffix}")
        try:
            os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        except FileExistsError:
            continue
        break
    return target

"""The files that tabs show, or were sent to and got as downloads: what is in them is read as that of pages is.

Chrome shows a PDF in a viewer of its own, whose drawing no script can read. The bytes are those that Chrome has loaded
(`Page.getResourceContent`): nothing is requested again. A file that it does not show, as most CSVs, is downloaded; then
the tab's document, which stays, has it in its place until the tab goes elsewhere or something is done in it.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable
from pathlib import Path
from weakref import WeakKeyDictionary

import msgspec

from cdp_agent.action_log import log_line
from cdp_agent.cdp import page as cdp_page
from cdp_agent.errors import ProtocolError
from cdp_agent.page.files.contents import FileContent, FileWindow, Kind, read
from cdp_agent.page.frames.frames import Frame
from cdp_agent.page.frames.world import World

from .lines import in_line, quoted, shortened

LARGEST = 50_000_000
"""In bytes. Larger ones are not taken out of Chrome."""
READING_S = 6.0
"""How long one may take to read, before the rest of it is left out."""
_SHOWN_ROWS = 3
_SHOWN_LINES = 2_000
_LONGEST_LINE = 2_000

_contents: WeakKeyDictionary[World, FileContent] = WeakKeyDictionary()
_opened: WeakKeyDictionary[World, Path] = WeakKeyDictionary()


def content_of(world: World) -> FileContent | None:
    """What is in the file that a world's document shows, or that was opened in its place; None without one."""
    return _contents.get(world)


def opened_in(world: World) -> Path | None:
    """The file that was opened in place of the world's document; None without one."""
    return _opened.get(world)


def open_file(world: World, path: Path) -> None:
    """Has the file read from now on in place of the document."""
    close_file(world)
    _opened[world] = path


def close_file(world: World) -> None:
    """Has the document itself read again."""
    if _opened.pop(world, None) is not None:
        _contents.pop(world, None)


async def read_file(frame: Frame, world: World, shown: str) -> None:
    """Reads the file that was opened there, or that the document shows under the address `shown`, if any, once.

    Raises SessionClosed, BrowserError.
    """
    path = opened_in(world)
    if world in _contents or not (path or shown):
        return
    if path is None:
        content = await read_shown(frame, shown, "pdf", FileWindow(within_s=READING_S))
    else:
        try:
            content = await read(path, path.name, FileWindow(within_s=READING_S))
        except OSError as error:
            content = FileContent(name=path.name, unread=f"{path}: {error.strerror}")
    if len(content.parts) < (content.total or 0):
        rest = f"read_file has all of its {content.total:,} parts"
        content = msgspec.structs.replace(content, unread="; ".join(filter(None, [content.unread, rest])))
    log_line("reading", "a file of kind {}{}", content.kind, f", {content.unread}" if content.unread else "")
    _contents[world] = content


async def read_shown(frame: Frame, address: str, kind: Kind, window: FileWindow) -> FileContent:
    """What is in the file that a frame's document is, as Chrome has kept it."""
    try:
        content = await frame.session.send(cdp_page.GetResourceContent(frame_id=frame.id, url=address))
    except ProtocolError as error:
        if "not cached" not in error.message:
            raise
        why = "Chrome did not keep the file (no-store): the viewer's button Download saves it"
        return FileContent(kind=kind, unread=why)
    if len(content.content) > LARGEST * 4 // 3:
        return FileContent(kind=kind, unread=f"the file has more than {LARGEST // 1_000_000} MB")
    whole = base64.b64decode(content.content) if content.base64_encoded else content.content.encode()
    return await read(whole, "", window, kind)


def what_of(content: FileContent) -> str:
    """The file in words, for what is said of it. Only one that was opened has a name."""
    return f"the file {content.name}" if content.name else f"the text of the {content.kind.upper()}"


def lines_of(content: FileContent) -> list[str]:
    """The lines of a snapshot: of a text all of it, page by page, of a table its first rows."""
    head = f"- document{f' {quoted(content.name)}' if content.name else ''} [type={content.kind}]"
    if content.kind == "pdf":
        pages = zip(content.page_names, content.parts, strict=True)
        lines = [line for name, text in pages for line in _region(name, text.splitlines())]
        return [f"{head} [pages={content.total}]:", *lines] if lines else []
    lines = []
    for section in content.sections(_SHOWN_ROWS):
        most = _SHOWN_ROWS if section.unit == "row" else _SHOWN_LINES
        left_out = (section.total or len(section.parts)) - most
        more = [f"… {left_out:,} {section.unit}s more: read_file"] if left_out > 0 else []
        lines += _region(section.name, [section.head, *section.parts[:most], *more])
    return [f"{head}:", *lines] if lines else []


def _region(name: str, lines: Iterable[str]) -> list[str]:
    texts = (shortened(line, _LONGEST_LINE) for line in map(in_line, lines) if line)
    return [f"  - region {quoted(name)}:", *(f"    | {text}" for text in texts)]

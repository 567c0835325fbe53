"""Files as rows: those that a tab shows or was sent to, and downloads by their names."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from cdp_agent.cdp import page as cdp_page
from cdp_agent.errors import ActionError
from cdp_agent.page.files.contents import FILE_KINDS, FileContent, FileTable, FileWindow, Kind, kind_shown, read
from cdp_agent.page.snapshot.file_text import content_of, opened_in, read_file, read_shown
from cdp_agent.page.tab.tab import Tab

from .naming import distinct

NO_TABLE = FileTable("", [], [], 0)
_WITH_ROWS: tuple[Kind, ...] = ("csv", "tsv", "json", "ndjson")


async def file_of(tab: Tab, name: str | None, window: FileWindow) -> FileContent:
    """What is in a download, or in the file that the tab shows, see `Page.read_file`."""
    opened = opened_in(await (await tab.frames()).root.world()) if name is None else None
    content = await _shown(tab, FILE_KINDS, window) if name is None and opened is None else None
    if content is None:
        path = opened or tab.downloads.file(name)
        try:
            content = await read(path, path.name, window)
        except OSError as error:
            raise ActionError(f"{path.name} cannot be read here: {error.strerror}.") from error
    if content.unread and not (content.tables or content.parts):
        raise ActionError(f"{content.name or tab.url} was not read: {content.unread}.")
    return content


async def tables_of_file(tab: Tab) -> FileContent | None:
    """The file that the tab was sent to, or that its document is, with its tables; None if it is a page."""
    root = (await tab.frames()).root
    world = await root.world()
    await read_file(root, world, "")
    return content_of(world) or await _shown(tab, _WITH_ROWS, FileWindow())


async def _shown(tab: Tab, kinds: Sequence[Kind], window: FileWindow) -> FileContent | None:
    """The file that the tab's document is, if it is of these kinds; of others that are no pages nothing is read."""
    root = (await tab.frames()).root
    frame = (await root.session.send(cdp_page.GetFrameTree())).frame_tree.frame
    kind = kind_shown(frame.url, frame.mime_type)
    if kind is None:
        return None
    content = await read_shown(root, frame.url, kind, window) if kind in kinds else FileContent(kind=kind)
    return msgspec.structs.replace(content, name=frame.url.partition("?")[0].rpartition("/")[2])


def named_rows(table: FileTable) -> tuple[list[str], list[dict[str, str]]]:
    """The names of the columns, none twice, and the rows by them."""
    columns = distinct([" ".join(column.split()) for column in table.columns])
    return columns, [dict(zip(columns, row, strict=True)) for row in table.rows]

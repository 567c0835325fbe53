"""Files as rows: those that a tab shows or was sent to, and downloads by their names."""

from __future__ import annotations

from cdp_agent.cdp import page as cdp_page
from cdp_agent.errors import ActionError
from cdp_agent.page.files.contents import FileContent, FileTable, FileWindow, kind_of, read
from cdp_agent.page.snapshot.file_text import content_of, read_file, read_shown
from cdp_agent.page.tab.tab import Tab

from .naming import distinct

NO_TABLE = FileTable("", [], [], 0)
_ROW_KINDS = ("csv", "tsv", "json", "ndjson")


async def downloaded(tab: Tab, name: str | None, window: FileWindow) -> FileContent:
    """What is in a download, see `Page.read_file`."""
    path = tab.downloads.file(name)
    try:
        content = await read(path, path.name, window)
    except OSError as error:
        raise ActionError(f"{path.name} cannot be read here: {error.strerror}.") from error
    if content.unread and not (content.tables or content.parts):
        raise ActionError(f"{path.name} was not read: {content.unread}.")
    return content


async def tables_of_file(tab: Tab) -> FileContent | None:
    """The file that the tab was sent to, or that its document is, with its tables; None if it is a page."""
    root = (await tab.frames()).root
    world = await root.world()
    await read_file(root, world, "")
    if (content := content_of(world)) is not None:
        return content
    frame = (await root.session.send(cdp_page.GetFrameTree())).frame_tree.frame
    name = frame.url.partition("?")[0].rpartition("/")[2]
    kind = None if frame.mime_type == "text/html" else kind_of(b"", name, frame.mime_type)
    if kind == "pdf":
        return FileContent(kind="pdf")
    return await read_shown(root, frame.url, frame.mime_type) if kind in _ROW_KINDS else None


def named_rows(table: FileTable) -> tuple[list[str], list[dict[str, str]]]:
    """The names of the columns, none twice, and the rows by them."""
    columns = distinct([" ".join(column.split()) for column in table.columns])
    return columns, [dict(zip(columns, row, strict=True)) for row in table.rows]

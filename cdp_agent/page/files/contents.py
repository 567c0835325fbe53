"""What is in a file: the pages or lines of a text, or tables. Read by a process of its own, see reader.py."""

from __future__ import annotations

import asyncio
import csv
import io
import os
import sys
from importlib.util import find_spec
from pathlib import Path, PurePath
from typing import Literal, get_args

import msgspec

from cdp_agent.extras import install_command

Kind = Literal["pdf", "xlsx", "csv", "tsv", "json", "ndjson", "text"]
FILE_KINDS: tuple[Kind, ...] = get_args(Kind)

_READER = Path(__file__).with_name("reader.py")
_ENDS_AFTER_S = 4.0
"""How long after its time the reader is ended: a single page of a PDF may take any time."""
_ENVIRONMENT = ("PATH", "HOME", "LD_LIBRARY_PATH", "PYTHONHOME", "PYTHONPATH", "SYSTEMROOT", "TMPDIR")
"""All that the reader gets of ours: a file may make a parser do anything, and is to find no keys."""
_HEAD = 4_000
_BY_NAME: dict[str, Kind] = {
    **{".csv": "csv", ".tsv": "tsv", ".tab": "tsv", ".json": "json", ".geojson": "json"},
    **dict.fromkeys((".txt", ".md", ".log", ".xml", ".yaml", ".yml", ".ini"), "text"),
    **{".ndjson": "ndjson", ".jsonl": "ndjson", ".pdf": "pdf", ".xlsx": "xlsx", ".xlsm": "xlsx"},
}
_BY_TYPE: dict[str, Kind] = {
    **{"text/csv": "csv", "text/tab-separated-values": "tsv", "application/json": "json", "text/json": "json"},
    **{"application/x-ndjson": "ndjson", "application/jsonl": "ndjson", "application/pdf": "pdf"},
}
_NEEDS = {"pdf": "pypdf", "xlsx": "openpyxl"}
_OLE = b"\xd0\xcf\x11\xe0"


class FileTable(msgspec.Struct, frozen=True):
    """A sheet, a CSV or a list of JSON objects. `total` is its number of rows, None if they were not all counted."""

    name: str
    columns: list[str]
    rows: list[list[str]]
    total: int | None


class Section(msgspec.Struct, frozen=True):
    """A table, a text or a page of a PDF as text: its parts are CSV rows below a `head`, or lines."""

    name: str
    unit: Literal["row", "line", "page"]
    parts: list[str]
    total: int | None
    head: str = ""


class FileContent(msgspec.Struct, frozen=True, kw_only=True):
    """A part of what is in a file: `tables`, or `parts`, which are the pages of a PDF or the lines of a text.

    The part has the rows, pages or lines after the first `offset`. `total` is the number of pages or lines, None if
    they were not all counted. `unread` says what could not be read, and why; "" if nothing.
    """

    name: str = ""
    kind: Kind = "text"
    tables: list[FileTable] = []
    parts: list[str] = []
    offset: int = 0
    total: int | None = None
    unread: str = ""

    @property
    def page_names(self) -> list[str]:
        """The names of the parts, if they are pages."""
        return [f"Page {self.offset + place} of {self.total}" for place, _ in enumerate(self.parts, 1)]

    def sections(self, most_rows: int | None = None) -> list[Section]:
        """What is in it as text; of a PDF, each page is a part with its name in the first line."""
        if self.kind == "pdf":
            pages = map("## {}\n{}".format, self.page_names, self.parts)
            return [Section(self.name, "page", list(pages), self.total)]
        if self.parts or self.total:
            return [Section(self.name, "line", self.parts, self.total)]
        return [
            Section(table.name or self.name, "row", [_csv(row) for row in rows], table.total, _csv(table.columns))
            for table, rows in ((table, table.rows[:most_rows]) for table in self.tables)
        ]


def _csv(row: list[str]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(row)
    return line.getvalue()


class FileWindow(msgspec.Struct, frozen=True):
    """Which part of a file to read, and within how many seconds. `sheet`: only that one of a workbook."""

    offset: int = 0
    limit: int = 100_000
    sheet: str | None = None
    within_s: float = 20.0


async def read(source: Path | bytes, name: str, window: FileWindow, kind: Kind | None = None) -> FileContent:
    """What is in the file at a path, or in these bytes, as far as it can be read. Raises OSError for the path.

    Cancelling is safe: the process that reads is ended.
    """
    head = source[:_HEAD] if isinstance(source, bytes) else await asyncio.to_thread(_head_of, source)
    kind = kind or _kind_of(head, name)
    if kind is None:
        why = "an old or an encrypted file of Office" if head.startswith(_OLE) else "neither text nor a table"
        return FileContent(name=name, unread=f"it is {why}")
    if kind in _NEEDS and find_spec(_NEEDS[kind]) is None:
        return FileContent(name=name, kind=kind, unread=f"to read it, {install_command('files')}")
    order = {"path": "" if isinstance(source, bytes) else str(source), "kind": kind, **msgspec.to_builtins(window)}
    answer = await _answer(order, source if isinstance(source, bytes) else b"", window.within_s + _ENDS_AFTER_S)
    return msgspec.structs.replace(answer, name=name, kind=kind, offset=window.offset)


async def _answer(order: dict[str, object], content: bytes, within_s: float) -> FileContent:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", str(_READER)),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={name: value for name, value in os.environ.items() if name in _ENVIRONMENT},
    )
    try:
        async with asyncio.timeout(within_s):
            answer, complaint = await process.communicate(msgspec.json.encode(order) + b"\n" + content)
    except TimeoutError:
        return FileContent(unread=f"it takes more than {within_s:g} s to read")
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode != 0:
        why = (
            complaint.decode(errors="replace").rstrip().rpartition("\n")[2] or f"its reader ended: {process.returncode}"
        )
        if why.startswith("MemoryError"):
            why = "it takes more than 1 GB of memory to read"
        return FileContent(unread=why if why.startswith("it ") else f"it could not be read: {why}")
    return msgspec.json.decode(answer, type=FileContent)


def is_readable(name: str) -> bool:
    """Whether a file of that name is one that can be read, as far as its name tells."""
    return PurePath(name).suffix.lower() in _BY_NAME


def _head_of(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(_HEAD)


def kind_shown(url: str, mime_type: str) -> Kind | None:
    """What kind of file a document with this address and type is; None for a page or a picture."""
    by_name = _BY_NAME.get(PurePath(url.partition("?")[0]).suffix.lower(), "text")
    return by_name if mime_type == "text/plain" else _BY_TYPE.get(mime_type)


def _kind_of(head: bytes, name: str) -> Kind | None:
    """What kind of file begins with these bytes; None for one that is neither text nor a table."""
    kind = _BY_NAME.get(PurePath(name).suffix.lower(), "text")
    if head.startswith(b"%PDF-"):
        return "pdf"
    if head.startswith(b"PK\x03\x04"):
        return "xlsx" if kind == "xlsx" else None
    is_text = head.startswith((b"\xff\xfe", b"\xfe\xff")) or _is_text(head)
    return kind if is_text or kind == "pdf" else None


def _is_text(head: bytes) -> bool:
    """Whether these are no bytes of a picture, an archive or a program; UTF-16 of few letters is every other one 0."""
    places = (head[0::2].count(0), head[1::2].count(0))
    return max(places) == 0 or (min(places) == 0 and max(places) > len(head) // 4)

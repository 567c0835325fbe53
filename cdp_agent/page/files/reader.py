"""The program that reads one file: its order is a line of JSON on stdin, before the file if no path is given.

It is a process of its own, since a file may take any time and memory to read, and Python can end only processes. The
order is that of `contents.read`; the answer, as JSON on stdout, has the fields of `FileContent`.
"""

from __future__ import annotations

import codecs
import csv
import io
import json
import sys
import time
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import IO, Any

_MOST_MEMORY = 1 << 30
_MOST_CHARACTERS = 20_000_000
"""Of a single answer."""
_LONGEST_CELL = 10_000_000
_SAMPLE = 64_000
_DELIMITERS = ",;\t|"
_DEEPEST = 3
"""Lists of objects in a JSON object are tables down to there."""
_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


class _Window:
    """The part of a file that was asked for: `limit` rows, lines or pages after the first `offset`, in some seconds."""

    def __init__(self, offset: int, limit: int, within_s: float) -> None:
        self.offset = offset
        self.limit = limit
        self._until = time.monotonic() + within_s
        self.within_s = within_s
        self.unread = ""

    def of(self, things: Iterable[Any], what: str) -> tuple[list[Any], int | None]:
        """The part, and how many there are in all; None if there was no time to count them."""
        part: list[Any] = []
        size = count = 0
        for count, thing in enumerate(things, 1):
            if self.offset < count <= self.offset + self.limit and size < _MOST_CHARACTERS:
                part.append(thing)
                size += sum(map(len, thing)) if isinstance(thing, list) else len(thing)
            if self.is_over():
                self.unread = f"{what} after the first {count:,} were not read within {self.within_s:g} s"
                return part, None
        return part, count

    def is_over(self) -> bool:
        return time.monotonic() > self._until


def _table(name: str, rows: Iterator[list[str]], window: _Window) -> dict[str, Any]:
    """A table whose first row names its columns; empty rows are left out."""
    filled = (row for row in rows if any(row))
    columns = next(filled, [])
    part, total = window.of(filled, "the rows")
    columns += [""] * (max(map(len, part), default=0) - len(columns))
    columns = [column or f"column {place}" for place, column in enumerate(columns, 1)]
    part = [row + [""] * (len(columns) - len(row)) for row in part]
    return {"name": name, "columns": columns, "rows": part, "total": total}


def _objects(name: str, objects: Iterable[Any], window: _Window) -> dict[str, Any]:
    """A table of JSON objects; what is none is in the column "value"."""
    dicts = (thing if isinstance(thing, dict) else {"value": thing} for thing in objects)
    part, total = window.of(dicts, "the rows")
    columns = list(dict.fromkeys(key for row in part for key in row))
    rows = [[_text(row.get(column)) for column in columns] for row in part]
    return {"name": name, "columns": columns, "rows": rows, "total": total}


def _text(value: object) -> str:
    """A value as the text of a cell."""
    if value is None or isinstance(value, str):
        return value or ""
    if hasattr(value, "isoformat"):
        return str(value.isoformat()).removesuffix("T00:00:00")
    return json.dumps(value, ensure_ascii=False)


def _decoded(file: IO[bytes]) -> io.TextIOWrapper:
    """The file as text: UTF-8 or UTF-16, else Windows-1252, as Excel writes CSVs."""
    head = file.read(_SAMPLE)
    encoding = next((name for mark, name in _MARKS if head.startswith(mark)), "")
    if not encoding and (zeros := head.count(0)) > len(head) // 4:
        encoding = "utf-16-le" if head[1::2].count(0) * 2 > zeros else "utf-16-be"
    if not encoding:
        decoder = codecs.getincrementaldecoder("utf-8")()
        try:
            decoder.decode(head)
            for chunk in iter(lambda: file.read(1 << 20), b""):
                decoder.decode(chunk)
            encoding = "utf-8"
        except UnicodeDecodeError:
            encoding = "cp1252"
    file.seek(0)
    return io.TextIOWrapper(file, encoding, errors="replace", newline="")


def read_csv(file: IO[bytes], window: _Window, *, tabs: bool = False) -> dict[str, Any]:
    text = _decoded(file)
    csv.field_size_limit(_LONGEST_CELL)
    sample = text.read(_SAMPLE)
    text.seek(0)
    if sample.startswith("sep=") and len(line := text.readline().strip()) == len("sep=") + 1:  # of Excel
        delimiter = line[-1]
    else:
        delimiter = "\t" if tabs else max(_DELIMITERS, key=lambda each: _agreement(sample, each))
    rows = ([cell.strip() for cell in row] for row in csv.reader(text, delimiter=delimiter))
    return {"tables": [_table("", rows, window)]}


def _agreement(sample: str, delimiter: str) -> int:
    """How many of the first rows have as many cells as the first one, if that has several, and how many these are."""
    lengths = [len(row) for row in islice(csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter), 50) if row]
    return lengths.count(lengths[0]) * lengths[0] if lengths and lengths[0] > 1 else 0


def read_json(file: IO[bytes], window: _Window) -> dict[str, Any]:
    value = json.load(_decoded(file))
    if isinstance(value, list) and any(isinstance(thing, dict) for thing in value):
        return {"tables": [_objects("", value, window)]}
    pretty = json.dumps(value, ensure_ascii=False, indent=1).split("\n")
    parts, total = window.of(pretty, "the lines")
    return {"tables": list(_tables_in(value, "", window)), "parts": parts, "total": total}


def _tables_in(value: object, path: str, window: _Window, depth: int = 0) -> Iterator[dict[str, Any]]:
    if isinstance(value, list) and any(isinstance(thing, dict) for thing in value):
        yield _objects(path, value, window)
    elif isinstance(value, dict) and depth < _DEEPEST:
        for name, inner in value.items():
            yield from _tables_in(inner, f"{path}.{name}".lstrip("."), window, depth + 1)


def read_json_lines(file: IO[bytes], window: _Window) -> dict[str, Any]:
    bad: list[int] = []

    def values() -> Iterator[Any]:
        for number, line in enumerate(_decoded(file), 1):
            try:
                if line.strip():
                    yield json.loads(line)
            except ValueError:
                bad.append(number)

    table = _objects("", values(), window)
    if bad:
        window.unread = f"{len(bad):,} lines are no JSON, the first of them is line {bad[0]:,}"
    return {"tables": [table]}


def read_text(file: IO[bytes], window: _Window) -> dict[str, Any]:
    text = _decoded(file)
    lines = (line.rstrip("\r\n") for line in iter(lambda: text.readline(_SAMPLE), ""))
    parts, total = window.of(lines, "the lines")
    return {"parts": parts, "total": total}


def read_xlsx(file: IO[bytes], window: _Window, sheet: str | None) -> dict[str, Any]:
    import openpyxl  # an extra

    book = openpyxl.load_workbook(file, read_only=True, data_only=True)
    names = [each.title for each in book.worksheets]
    if sheet is not None and sheet not in names:
        raise SystemExit(f"it has no sheet {sheet!r}, but {', '.join(map(repr, names))}")
    tables = []
    for each in book.worksheets:
        if sheet in (None, each.title):
            rows = ([_text(value) for value in row] for row in each.iter_rows(values_only=True))
            tables.append(_table(each.title, rows, window))
    return {"tables": tables}


def read_pdf(file: IO[bytes], window: _Window) -> dict[str, Any]:
    from pypdf import PasswordType, PdfReader  # an extra, and slow to import

    reader = PdfReader(file)
    if reader.is_encrypted and reader.decrypt("") is PasswordType.NOT_DECRYPTED:
        raise SystemExit("it is encrypted: it opens only with its password")
    count = len(reader.pages)
    parts: list[str] = []
    last = min(count, window.offset + window.limit)
    for number in range(window.offset, last):
        if window.is_over():
            window.unread = f"pages {number + 1} to {last} were not read within {window.within_s:g} s"
            break
        try:
            parts.append(reader.pages[number].extract_text())
        except Exception as error:  # noqa: BLE001 (files may be broken in any way, and pypdf fails in as many)
            window.unread = f"page {number + 1} could not be read: {error}"
            break
    empty = [str(window.offset + place) for place, text in enumerate(parts, 1) if not text.strip()]
    if empty and not window.unread:
        which = "its pages are" if len(empty) == len(parts) else f"of its pages, {', '.join(empty[:20])} are"
        window.unread = f"{which} pictures, or empty: they have no text"
    return {"parts": parts, "total": count}


def main() -> None:
    """Reads what the order says. What goes wrong is the last line on stderr."""
    order = json.loads(sys.stdin.buffer.readline())
    window = _Window(order["offset"], order["limit"], order["within_s"])
    if sys.platform != "win32":  # which has no such limit
        import resource  # late: there is none on Windows

        resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY, _MOST_MEMORY))
    with open(order["path"], "rb") if order["path"] else io.BytesIO(sys.stdin.buffer.read()) as file:
        match order["kind"]:
            case "pdf":
                answer = read_pdf(file, window)
            case "xlsx":
                answer = read_xlsx(file, window, order["sheet"])
            case "csv" | "tsv":
                answer = read_csv(file, window, tabs=order["kind"] == "tsv")
            case "json":
                answer = read_json(file, window)
            case "ndjson":
                answer = read_json_lines(file, window)
            case _:
                answer = read_text(file, window)
    json.dump({**answer, "unread": window.unread}, sys.stdout)


if __name__ == "__main__":
    main()

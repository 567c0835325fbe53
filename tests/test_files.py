"""Files that are no pages, opened or downloaded: read as text or rows, within bounds of time and memory."""

from __future__ import annotations

import io
import json
from pathlib import Path

import openpyxl
import pypdf
import pytest
from pytest_httpserver import HTTPServer

from cdp_agent.browser import Browser
from cdp_agent.errors import ActionError, InvalidArguments
from cdp_agent.page.files import contents
from cdp_agent.page.files.contents import FileContent, FileWindow, Kind, read
from cdp_agent.page.page import Page
from cdp_agent.session.session import Session
from tests.tables import table

CSV = "Name;Preis\r\nMüller – 1;1,50\r\n\r\nÖzil;2\r\n"
ROWS = (["Name", "Preis"], [["Müller – 1", "1,50"], ["Özil", "2"]], 2)


def workbook() -> bytes:
    book = openpyxl.Workbook()
    for row in (["Id", "Since"], [7, None]):
        book.worksheets[0].append(row)
    book.create_sheet("More").append(["Only a header"])
    content = io.BytesIO()
    book.save(content)
    return content.getvalue()


def pdf(*, password: str = "") -> bytes:
    writer = pypdf.PdfWriter()
    writer.add_blank_page(100, 100)
    if password:
        writer.encrypt(password)
    content = io.BytesIO()
    writer.write(content)
    return content.getvalue()


def first_table(content: FileContent) -> tuple[list[str], list[list[str]], int | None]:
    first = content.tables[0]
    return first.columns, first.rows, first.total


@table(
    ("name", "content", "kind", "expected"), [
    ("a.csv", CSV.encode(), "csv", ROWS),
    ("a.csv", CSV.encode("utf-8-sig"), "csv", ROWS),
    ("a.csv", CSV.encode("utf-16"), "csv", ROWS),
    ("a.csv", CSV.encode("utf-16-le"), "csv", ROWS),
    ("a.csv", CSV.encode("cp1252"), "csv", ROWS),
    ("a.csv", b"sep=|\na,b|c\n1|2\n", "csv", (["a,b", "c"], [["1", "2"]], 1)),
    ("a.csv", b'a,b\n"1\n2"\n3,4,5\n', "csv", (["a", "b", "column 3"], [["1\n2", "", ""], ["3", "4", "5"]], 2)),
    ("a.tsv", b"a;1\tb\n2\t3\n", "tsv", (["a;1", "b"], [["2", "3"]], 1)),
    ("a.json", b'[{"a": 1.50}, {"b": [true]}]', "json", (["a", "b"], [["1.5", ""], ["", "[true]"]], 2)),
    ("a.json", b'{"n": 1, "x": {"items": [{"a": "b"}]}}', "json", (["a"], [["b"]], 1)),
    ("a.jsonl", b'{"a": 1}\n\n{"b": 2}\n', "ndjson", (["a", "b"], [["1", ""], ["", "2"]], 2)),
    ("a.xlsx", workbook(), "xlsx", (["Id", "Since"], [["7", ""]], 1)),
])  # fmt: skip
async def test_a_file_is_read_as_rows(name: str, content: bytes, kind: Kind, expected: object) -> None:
    answer = await read(content, name, FileWindow())

    assert (answer.kind, first_table(answer), answer.unread) == (kind, expected, "")


@table(
    ("name", "content", "why"),
    [
        ("a.pdf", pdf(password="secret"), "it is encrypted: it opens only with its password"),
        ("a.pdf", pdf(), "its pages are pictures, or empty: they have no text"),
        ("a.json", b'{"a": ', "it could not be read: json.decoder.JSONDecodeError: Expecting value"),
        ("a.json", b"[" * 100_000, "it could not be read: RecursionError: "),
        ("a.jsonl", b'{"a": 1}\nno\n', "1 lines are no JSON, the first of them is line 2"),
        ("a.csv", b"\x89PNG\r\n\0\0\0\rIHDR", "it is neither text nor a table"),
        ("a.xlsx", b"\xd0\xcf\x11\xe0\0\0", "it is an old or an encrypted file of Office"),
        ("a.xlsx", b"PK\x03\x04 cut off", "it could not be read: zipfile.BadZipFile: "),
    ],
)
async def test_what_cannot_be_read_is_told_with_the_reason(name: str, content: bytes, why: str) -> None:
    assert (await read(content, name, FileWindow())).unread.startswith(why)


async def test_a_part_of_a_large_file_is_read_and_all_of_it_counted(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("n\n" + "".join(f"{number}\n" for number in range(50_000)))

    part = await read(tmp_path / "a.csv", "a.csv", FileWindow(offset=40_000, limit=2))
    hurried = await read(tmp_path / "a.csv", "a.csv", FileWindow(within_s=0))

    assert first_table(part) == (["n"], [["40000"], ["40001"]], 50_000)
    assert hurried.tables[0].total is None
    assert hurried.unread == "the rows after the first 1 were not read within 0 s"


async def test_a_reader_that_does_not_end_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "reader.py").write_text("while True: pass")
    monkeypatch.setattr(contents, "_READER", tmp_path / "reader.py")
    monkeypatch.setattr(contents, "_ENDS_AFTER_S", 0.2)

    assert (await read(b"a", "a.txt", FileWindow(within_s=0))).unread == "it takes more than 0.2 s to read"


async def test_without_its_package_a_file_names_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contents, "find_spec", lambda _: None)

    unread = (await read(workbook(), "a.xlsx", FileWindow())).unread

    assert unread.startswith("to read it, ")
    assert "[files]" in unread


async def test_an_opened_file_is_read_in_place_of_the_page_until_something_is_done_there(
    page: Page, httpserver: HTTPServer
) -> None:
    httpserver.expect_request("/").respond_with_data("<button>Stay</button>", content_type="text/html")
    httpserver.expect_request("/a.csv").respond_with_data("Id,Name\n" + "7,tea\n" * 5, content_type="text/csv")
    await page.goto(httpserver.url_for("/"))

    receipt = await page.goto(httpserver.url_for("/a.csv"))
    snapshot = await page.snapshot()
    (rows,), records, markdown = await page.tables(), await page.records(), await page.markdown()
    matches = (await page.search("tea")).total
    (button,) = snapshot.refs
    await page.click(button)

    assert receipt.text.endswith(f"a.csv (38 bytes) to {receipt.downloads[0].path}: read_file reads it")
    assert snapshot.text.split("\n") == [
        '- document "a.csv" [type=csv]:',
        '  - region "a.csv":',
        "    | Id,Name",
        *["    | 7,tea"] * 3,
        "    | … 2 rows more: read_file",
        f'- button "Stay" [ref={button}]',
    ]
    assert (rows.caption, rows.columns, rows.rows, rows.total) == ("a.csv", ["Id", "Name"], records, 5)
    assert markdown == "\n".join(["| Id | Name |", "| --- | --- |", *["| 7 | tea |"] * 5])
    assert matches == 5
    assert await page.tables() == []
    assert (await page.snapshot()).text == f'- button "Stay" [focused] [ref={button}]'


async def test_a_list_that_a_tab_shows_as_json_has_rows(page: Page, httpserver: HTTPServer) -> None:
    httpserver.expect_request("/list").respond_with_json([{"a": 1}, {"a": 2}])
    await page.goto(httpserver.url_for("/list"))

    assert [table.rows for table in await page.tables()] == [[{"a": "1"}, {"a": "2"}]]
    assert await page.records() == [{"a": "1"}, {"a": "2"}]


async def test_only_downloads_are_read_by_their_names(browser: Browser, page: Page, httpserver: HTTPServer) -> None:
    for name, text in (("notes.txt", "one\ntwo\n"), ("data.json", json.dumps({"a": 1}))):
        headers = {"Content-Disposition": f"attachment; filename={name}"}
        httpserver.expect_request(f"/{name}").respond_with_data(text, headers=headers)
        await page.goto(httpserver.url_for(f"/{name}"))

    notes = await page.read_file("notes.txt", offset=1)
    past_the_end = await Session(browser, page=page).call("read_file", {"file": "notes.txt", "offset": 9})

    assert (notes.parts, notes.total) == (["two"], 2)
    assert past_the_end.text == "notes.txt: 2 lines, none after the first 9:"
    assert (await page.read_file()).parts == ["{", ' "a": 1', "}"]
    with pytest.raises(InvalidArguments, match=r"No download is called '/etc/hostname'\. There are: .*'notes.txt'"):
        await page.read_file("/etc/hostname")
    httpserver.expect_request("/x.zip").respond_with_data(b"PK\x03\x04", content_type="application/zip")
    await page.goto(httpserver.url_for("/x.zip"))
    with pytest.raises(ActionError, match=r"x.zip was not read: it is neither text nor a table\."):
        await page.read_file("x.zip")

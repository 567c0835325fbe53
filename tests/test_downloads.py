"""Downloads go to a folder under their own names, and are told."""

# ruff: noqa: ASYNC240 (a test may wait for its own file)

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from cdp_agent.browser import Browser
from cdp_agent.detached import start_detached, stop_detached
from cdp_agent.page.downloads import Download, safe_name
from cdp_agent.page.page import Page
from tests.conftest import Serve


def _offer(serve: Serve, name: str, content: bytes = b"report") -> str:
    disposition = f'attachment; filename="{name}"'
    return serve(content, content_type="application/octet-stream", headers={"Content-Disposition": disposition})


async def _download(page: Page, url: str) -> list[Download]:
    """What comes of following the link."""
    page.downloads.take()
    await page.evaluate(f"new Promise(done => {{ location = '{url}'; setTimeout(done, 50) }})")
    while not page.downloads.untold:
        await page.evaluate("new Promise(done => setTimeout(done, 20))")
    assert await page.downloads.settled(5)
    return page.downloads.take()


async def test_a_download_is_told_with_where_it_is(page: Page, serve: Serve) -> None:
    await page.goto(serve("<p>here</p>"))
    url = _offer(serve, "report.pdf")

    (download,) = await _download(page, url)

    assert download.path is not None
    assert Path(download.path).read_bytes() == b"report"
    assert download == Download(
        url=url,
        suggested_name="report.pdf",
        path=download.path,
        state="completed",
        received_bytes=6,
        total_bytes=6,
    )


async def test_an_action_tells_of_the_download_that_it_caused(page: Page, serve: Serve) -> None:
    link = _offer(serve, "minutes.txt", b"agreed")
    await page.goto(serve(f"<a href='{link}'>Minutes</a>"))
    snapshot = await page.snapshot()
    (ref,) = [ref for ref, each in snapshot.refs.items() if each.name == "Minutes"]

    receipt = await page.click(ref)

    assert [(each.suggested_name, each.state) for each in receipt.downloads] == [("minutes.txt", "completed")]


async def test_a_name_that_is_taken_gets_a_number(serve: Serve, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("mine")
    async with Browser.launch(downloads=tmp_path) as browser:
        page = await browser.new_page(serve("<p>here</p>"))

        for content in (b"one", b"two"):
            await _download(page, _offer(serve, "a.txt", content))

    assert {each.name: each.read_text() for each in tmp_path.iterdir()} == {
        "a.txt": "mine",
        "a (2).txt": "one",
        "a (3).txt": "two",
    }


@pytest.mark.parametrize(
    ("suggested", "name"),
    [
        ("report.pdf", "report.pdf"),
        ("../../etc/passwd", "passwd"),
        ("..\\..\\boot.ini", "boot.ini"),
        (".bashrc", "bashrc"),
        ("a\x00b\n.txt", "a_b_.txt"),
        ("CON.txt", "_CON.txt"),
        ("..", "download"),
        ("", "download"),
        ("x" * 300 + ".tar", "x" * 176 + ".tar"),
        ("résumé 完.pdf", "résumé 完.pdf"),
    ],
)
def test_a_suggested_name_cannot_lead_elsewhere(suggested: str, name: str) -> None:
    assert safe_name(suggested) == name


async def test_a_download_that_breaks_off_is_told_as_cancelled(page: Page, httpserver: HTTPServer) -> None:
    def broken(_: Request) -> Response:
        def parts() -> Iterator[bytes]:
            yield b"too little"
            raise BrokenPipeError

        headers = {"Content-Length": "1000", "Content-Disposition": "attachment; filename=b.bin"}
        return Response(parts(), headers=headers, content_type="application/octet-stream")

    httpserver.expect_request("/broken").respond_with_handler(broken)
    httpserver.expect_request("/start").respond_with_data("<p>here</p>", content_type="text/html")
    await page.goto(httpserver.url_for("/start"))

    (download,) = await _download(page, httpserver.url_for("/broken"))

    assert (download.state, download.path) == ("canceled", None)


async def test_downloads_of_a_chrome_that_is_not_ours_are_only_listened_to(serve: Serve, tmp_path: Path) -> None:
    chrome = await start_detached()
    try:
        async with Browser.connect(chrome.endpoint, downloads=tmp_path) as browser:
            page = await browser.new_page(serve("<p>here</p>"))
            (download,) = await _download(page, _offer(serve, "a.txt"))
            assert download.path == str(tmp_path / "a.txt")
        async with Browser.connect(chrome.endpoint) as browser:
            page = await browser.new_page(serve("<p>here</p>"))
            (download,) = await _download(page, _offer(serve, "b.txt"))
            assert download.state == "completed"
            assert not (tmp_path / "b.txt").exists()
            if download.path is not None:
                Path(download.path).unlink()
    finally:
        await stop_detached(chrome)

"""Downloads go to a folder under their own names, and are told."""

# ruff: noqa: ASYNC240 (a test may wait for its own file)

from __future__ import annotations

import asyncio
import html
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from cdp_agent.browser import Browser
from cdp_agent.page.page import Page, tab_of
from cdp_agent.page.tab.downloads import Download, safe_name
from tests.acting import ref
from tests.conftest import Serve
from tests.detached import DetachedChrome
from tests.tables import table


def _offer(serve: Serve, name: str, content: bytes = b"report") -> str:
    disposition = f'attachment; filename="{name}"'
    return serve(content, content_type="application/octet-stream", headers={"Content-Disposition": disposition})


async def _download(page: Page, url: str) -> list[Download]:
    """What comes of following the link."""
    tab = tab_of(page)
    tab.downloads.take()
    await page.evaluate(f"new Promise(done => {{ location = '{url}'; setTimeout(done, 50) }})")
    while not tab.downloads.has_unreported:
        await page.evaluate("new Promise(done => setTimeout(done, 20))")
    assert await tab.downloads.settled(5)
    return tab.downloads.take()


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
        id=download.id,
    )


async def test_an_action_tells_of_the_download_that_it_caused(page: Page, serve: Serve) -> None:
    link = _offer(serve, "minutes.txt", b"agreed")
    await page.goto(serve(f"<a href='{link}'>Minutes</a>"))
    snapshot = await page.snapshot()
    (ref,) = [ref for ref, each in snapshot.refs.items() if each.name == "Minutes"]

    receipt = await page.click(ref)

    assert [(each.suggested_name, each.state) for each in receipt.downloads] == [("minutes.txt", "completed")]


async def test_a_name_that_is_taken_gets_a_number(browser: Browser, serve: Serve, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("mine")
    async with await browser.new_context(downloads=tmp_path) as context:
        page = await context.new_page(serve("<p>here</p>"))

        for content in (b"one", b"two"):
            await _download(page, _offer(serve, "a.txt", content))

    assert {each.name: each.read_text() for each in tmp_path.iterdir()} == {
        "a.txt": "mine",
        "a (2).txt": "one",
        "a (3).txt": "two",
    }


@table(
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


async def test_a_download_that_breaks_off_is_told_as_cancelled(
    browser: Browser, page: Page, httpserver: HTTPServer
) -> None:
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

    assert (download.state, download.path, download.why) == ("canceled", None, "")
    assert [each.name for each in Path(browser.downloads.folder or "").glob("*.crdownload")] == []


@pytest.mark.whole_chrome
async def test_a_disk_that_is_full_is_told_and_nothing_is_left_of_the_download(
    browser: Browser, serve: Serve, small_disk: Path
) -> None:
    link = _offer(serve, "large.bin", b"x" * 3_000_000)
    async with await browser.new_context(downloads=small_disk) as context:
        page = await context.new_page(serve(f"<a href='{link}'>Large</a>"))

        receipt = await page.click(await ref(page, "Large"))

    told = f"the download of large.bin ended before it was complete: {small_disk} has no room for the rest"
    assert told in receipt.text
    assert list(small_disk.iterdir()) == []


@pytest.mark.whole_chrome
async def test_downloads_of_a_chrome_that_is_not_ours_are_only_listened_to(
    detached: DetachedChrome, serve: Serve, tmp_path: Path
) -> None:
    async with Browser.connect(detached.endpoint, downloads=tmp_path) as browser:
        page = await browser.new_page(serve("<p>here</p>"))
        (download,) = await _download(page, _offer(serve, "a.txt"))
        assert download.path == str(tmp_path / "a.txt")
    async with Browser.connect(detached.endpoint) as browser:
        page = await browser.new_page(serve("<p>here</p>"))
        (download,) = await _download(page, _offer(serve, "b.txt"))
        assert download.state == "completed"
        assert not (tmp_path / "b.txt").exists()
        if download.path is not None:
            Path(download.path).unlink()


LONG = "報告書" * 41 + "。"  # 124 characters, 372 bytes
NAMES = {
    "124 characters of three bytes": f"{LONG}.pdf",
    "characters of four bytes": "😀" * 90 + ".txt",
    "a long ending": "a." + "é" * 300,
    "writing direction": "\u202egnp.exe",
    "escapes": "%00%0d%0a.txt",
}


@pytest.mark.whole_chrome
async def test_any_name_is_saved_and_ends_nothing(page: Page, serve: Serve) -> None:
    file = serve("bytes", content_type="application/octet-stream")
    links = (f'<a href="{file}" download="{html.escape(name)}">{what}</a>' for what, name in NAMES.items())
    await page.goto(serve("<br>".join(links)))

    receipts = {what: await page.click(await ref(page, what)) for what in NAMES}

    saved = [(what, download) for what, receipt in receipts.items() for download in receipt.downloads]
    assert [(what, download.state) for what, download in saved] == [(what, "completed") for what in NAMES]
    assert [what for what, download in saved if Path(download.path or "").read_text() != "bytes"] == []
    assert [what for what, download in saved if Path(download.path or "").name == download.id] == []
    assert await page.evaluate("1 + 1") == 2


@pytest.mark.whole_chrome
async def test_half_a_character_in_a_name_ends_nothing(page: Page, serve: Serve) -> None:
    await page.goto(serve("<a id=a>Save</a><script>a.href = 'data:,1'; a.download = 'x\\udc00y.txt'</script>"))
    await page.snapshot()

    receipt = await page.click("E1")

    assert [each.state for each in receipt.downloads] == ["completed"]


OFFERING = {
    "The tab itself": "location = '{url}'",
    "A popup that is none": "window.open('{url}')",
    "An iframe": "document.body.append(Object.assign(document.createElement('iframe'), {{src: '{url}'}}))",
    "An iframe that goes": "const f = document.createElement('iframe'); document.body.append(f); f.src = '{url}';"
    "setTimeout(() => f.remove(), 300)",
    "A link": "Object.assign(document.createElement('a'), {{href: '{url}', download: ''}}).click()",
}


OTHER_SITE = "A frame of another site"


async def test_two_tabs_that_act_at_once_do_not_mix_their_downloads(browser: Browser, page: Page, serve: Serve) -> None:
    pages = [page, await browser.new_page()]
    for each, name in zip(pages, ("first", "second"), strict=True):
        url = _offer(serve, f"{name}.txt", name.encode())
        offers = [f'<button onclick="{script.format(url=url)}">{what}</button>' for what, script in OFFERING.items()]
        inner = serve(f"<button onclick=\"location = '{url}'\">{OTHER_SITE}</button>", other_site=True)
        await each.goto(serve(f"{''.join(offers)}<iframe src='{inner}'></iframe>"))

    refs = [{button.name: button.ref for button in (await each.snapshot()).refs.values()} for each in pages]
    told = {}
    for what in (OTHER_SITE, *OFFERING):
        buttons = [each[what] for each in refs]
        receipts = await asyncio.gather(*(each.click(button) for each, button in zip(pages, buttons, strict=True)))
        told[what] = [[download.suggested_name for download in receipt.downloads] for receipt in receipts]

    assert told == {what: [["first.txt"], ["second.txt"]] for what in (OTHER_SITE, *OFFERING)}


@pytest.mark.whole_chrome
async def test_a_tab_that_became_a_download_is_told_as_that_alone(page: Page, serve: Serve) -> None:
    url = _offer(serve, "file.txt", b"bytes")
    popup = f"<button onclick=\"window.open('{url}')\">Popup</button>"
    await page.goto(serve(f"{popup}<a target=_blank href='{url}'>Link</a>"))

    for control in ("Popup", "Link"):
        receipt = await page.click(await ref(page, control))

        assert (receipt.new_tabs, [each.suggested_name for each in receipt.downloads]) == ([], ["file.txt"]), control

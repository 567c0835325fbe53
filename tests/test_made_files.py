"""Pictures of parts of a page, PDFs, and the tools and commands that give files."""

from __future__ import annotations

import asyncio
import base64
import json
import resource
import struct
from io import BytesIO
from pathlib import Path
from typing import Any

import pypdf
import pytest

from cdp_agent.browser import Browser
from cdp_agent.errors import BlockedByPolicy, InvalidArguments, NotInteractable
from cdp_agent.page.page import Page
from cdp_agent.security import files
from cdp_agent.session import Session
from tests.acting import ref
from tests.commands import Cli
from tests.conftest import Serve
from tests.pictures import REDS, SECRET, SECRETS, red_page
from tests.writing import opened

TALL = """<!doctype html><style>body { margin: 0 } div { width: 300px; height: 1400px; background: #f00 }
#box { overflow: auto; height: 80px } button { width: 90px; height: 40px; border: 0; padding: 0; background: #f00 }
</style><p style="height: 900px">Above</p><div role=button tabindex=0 aria-label=Tall></div>
<section id=box><p style="height: 500px">x</p><button aria-label=Small></button></section>"""


def _size(png: bytes) -> tuple[int, int]:
    width, height = struct.unpack(">II", png[16:24])
    return width, height


async def _reds(page: Page, png: bytes) -> Any:
    return await page.evaluate(f"({REDS})('{base64.b64encode(png).decode()}')")


async def test_an_element_is_pictured_alone_wherever_it_is(page: Page, serve: Serve) -> None:
    await opened(page, serve, TALL)

    tall, button = [await page.screenshot(ref=await ref(page, name)) for name in ("Tall", "Small")]

    assert (_size(tall), await _reds(page, tall)) == ((300, 1400), 300 * 1400)
    assert (_size(button), await _reds(page, button)) == ((90, 40), 90 * 40)


async def test_an_element_in_a_frame_of_another_process_is_pictured(page: Page, serve: Serve) -> None:
    inner = serve(
        "<body style='margin:0;height:3000px'><button style='margin-top:900px;width:120px;height:30px;border:0;"
        "background:#f00' aria-label=Inner></button>",
        other_site=True,
    )
    await page.goto(serve(f"<p style='height:1500px'>x<iframe src='{inner}' width=300 height=200></iframe>"))

    picture = await page.screenshot(ref=await ref(page, "Inner"))

    assert (_size(picture), await _reds(page, picture)) == ((120, 30), 120 * 30)


async def test_what_has_no_place_has_no_picture(page: Page, serve: Serve) -> None:
    await opened(page, serve, "<button id=b>Go</button>")
    at = await ref(page, "Go")
    await page.evaluate("document.getElementById('b').style.display = 'none'")

    with pytest.raises(NotInteractable, match="has no place on the page"):
        await page.screenshot(ref=at)
    with pytest.raises(InvalidArguments, match="Give ref or region alone"):
        await page.screenshot(ref=at, full_page=True)


async def test_zoom_shows_a_part_in_more_pixels(page: Page, serve: Serve) -> None:
    await opened(page, serve, "<body style='margin:0'><div style='width:100px;height:50px;background:#f00'>")

    picture = await page.zoom([50, 0, 150, 100])

    assert (_size(picture), await _reds(page, picture)) == ((400, 400), 200 * 200)
    assert await page.screenshot(region=[50, 0, 150, 100]) == picture
    with pytest.raises(InvalidArguments, match="is no part of the picture"):
        await page.zoom([10, 10, 5, 20])
    with pytest.raises(InvalidArguments, match="region is left, top, right and bottom, not 2 numbers"):
        await page.zoom([10, 10])


async def test_secrets_are_covered_in_pictures_of_parts(page: Page, serve: Serve) -> None:
    cards = "".join(
        f"<div role=button aria-label='{name}' tabindex=0 style='height:{below + 60}px;width:400px'>"
        f"<p class=s style='padding-top:{below}px'>{SECRET}</p></div>"
        for name, below in (("In view", 0), ("Beyond the viewport", 2_000))
    )
    await opened(page, serve, red_page(cards))

    for name in ("In view", "Beyond the viewport"):
        at = await ref(page, name)
        shown, covered = [await page.screenshot(ref=at, hidden=hidden) for hidden in (None, SECRETS.spans)]

        assert await _reds(page, shown) > 100
        assert await _reds(page, covered) == 0


async def test_a_pdf_has_the_whole_page_and_its_options(page: Page, serve: Serve, tmp_path: Path) -> None:
    await opened(
        page, serve, "<title>Bill</title><h1>Bill</h1>" + "<p style='break-after:page'>A leaf</p>" * 3 + "<h2>End</h2>"
    )
    path = tmp_path / "bill.pdf"

    plain = pypdf.PdfReader(BytesIO(await page.pdf(path)))
    options: dict[str, Any] = {"format": "a5", "landscape": True, "page_ranges": "2-3", "outline": True}
    other = pypdf.PdfReader(BytesIO(await page.pdf(**options, footer_template="<b style='font-size:9px'>Foot</b>")))

    assert (len(plain.pages), len(other.pages)) == (4, 2)
    assert plain.pages[3].extract_text() == "End"
    assert "Foot" in other.pages[0].extract_text()
    box = other.pages[0].mediabox
    assert (round(float(box.width) / 72, 1), round(float(box.height) / 72, 1)) == (8.3, 5.8)
    assert pypdf.PdfReader(path).metadata is not None
    with pytest.raises(InvalidArguments, match="Chrome does not print that: Page range"):
        await page.pdf(page_ranges="9-1")
    with pytest.raises(InvalidArguments, match="format is letter, legal"):
        await page.pdf(format="a9")  # type: ignore[arg-type]  # what a program may say


async def test_a_long_pdf_comes_whole(page: Page, serve: Serve) -> None:
    noise = """const canvas = document.createElement('canvas'); canvas.width = canvas.height = 620;
      const context = canvas.getContext('2d'), image = context.createImageData(620, 620);
      const dots = new Uint32Array(image.data.buffer);
      for (let i = 0; i < dots.length; i++) dots[i] = Math.random() * 2 ** 32 | 0xff000000;
      context.putImageData(image, 0, 0); document.body.append(canvas)"""
    await opened(page, serve, f"<body><script>{noise}</script>")

    content = await page.pdf()

    assert len(content) > 1_000_000
    assert content.rstrip().endswith(b"%%EOF")


KEPT_FROM_PDFS = {
    "seen": f"<p>{SECRET}",
    "only in print": f"<style>@media screen {{ p {{ display: none }} }}</style><p>{SECRET}",
    "in a field": f"<input value='{SECRET}'>",
}


async def test_a_page_without_a_secret_is_printed(page: Page, serve: Serve) -> None:
    await opened(page, serve, "<p>Nothing to hide")

    content = await page.pdf(hidden=SECRETS.spans)

    assert pypdf.PdfReader(BytesIO(content)).pages[0].extract_text().strip() == "Nothing to hide"


async def test_no_pdf_is_made_of_a_secret(page: Page, serve: Serve, subtests: pytest.Subtests) -> None:
    for where, content in KEPT_FROM_PDFS.items():
        await opened(page, serve, content)

        with (
            subtests.test(where),
            pytest.raises(BlockedByPolicy, match="nothing could cover in a PDF"),
        ):
            await page.pdf(hidden=SECRETS.spans)


async def test_tools_give_files_or_write_new_ones(browser: Browser, serve: Serve, tmp_path: Path) -> None:
    url = serve(f"<title>Bill</title><button>Pay</button><script>fetch('/none?{SECRET}')</script>")
    session = Session(browser, secrets=SECRETS)
    await session.call("goto", {"url": url})
    taken = str(tmp_path / "a.har")

    har = await session.call("har", {"path": taken})
    again = await session.call("har", {"path": taken})
    assert session.page is not None
    element = await session.call("screenshot", {"ref": await ref(session.page, "Pay")})
    zoomed = await session.call("zoom", {"region": "0, 0, 100, 50"})
    pdf = await session.call("pdf", {"page_ranges": "1"})

    assert f" bytes to {taken}.\nHidden: the values of cookies" in har.text
    text = await asyncio.to_thread(Path(taken).read_text)
    assert (SECRET in text, "<secret:password>" in text) == (False, True)
    assert again.text == f"{taken} was not written: File exists."
    assert _size(element.images[0])[1] < 40
    assert _size(zoomed.images[0]) == (400, 200)
    assert pdf.error is not None  # the secret is in the page's script
    await session.close()


@pytest.mark.chrome
def test_commands_write_files_and_print_their_paths(
    attached: Cli, serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    attached.here("open", serve("<title>Bill</title><h1>Bill</h1><button>Pay</button>"))

    made = [
        attached.here("pdf", "bill.pdf").stdout,
        attached.here("pdf", "bill.pdf").stdout,  # whoever names a file may replace it
        attached.here("pdf").stdout,
        attached.here("har").stdout,
        attached.here("screenshot", "pay.png", "--ref", "E1").stdout,
        attached.here("zoom", "0,0,100,50", "--path", "corner.png").stdout,
    ]

    names = ("bill.pdf", "bill.pdf", "pdf-1.pdf", "har-1.har", "pay.png", "corner.png")
    assert made == [f"{tmp_path}/{name}\n" for name in names]
    assert len(pypdf.PdfReader(tmp_path / "bill.pdf").pages) == 1
    assert json.loads((tmp_path / "har-1.har").read_text())["log"]["version"] == "1.2"
    assert _size((tmp_path / "corner.png").read_bytes()) == (400, 200)
    assert "is no .pdf file" in attached.here("pdf", "bill.txt", status=2).stderr


def test_of_a_file_for_which_there_is_no_room_nothing_stays(tmp_path: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    (tmp_path / "old").write_bytes(b"old")
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, hard))
    try:
        for write, name in ((files.write_new, "new"), (files.write, "old")):
            with pytest.raises(OSError, match="too large"):
                write(tmp_path / name, bytes(2_000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == {"old": b"old"}

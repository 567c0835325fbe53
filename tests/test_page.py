"""A tab as programs use it, apart from its actions."""

from __future__ import annotations

import asyncio
import struct
from base64 import b64encode

import pytest

from cdp_agent.browser import Browser
from cdp_agent.errors import ActionError, InvalidArguments, ScriptError
from cdp_agent.page.page import Page

from .conftest import Serve


def size_of(png: bytes) -> tuple[int, int]:
    assert png.startswith(b"\x89PNG")
    width, height = struct.unpack(">II", png[16:24])
    return width, height


async def first_pixel(page: Page, png: bytes) -> list[int]:
    """Red, green and blue of the left top corner, as a browser decodes it."""
    script = """(async () => {
        const image = await createImageBitmap(await (await fetch("data:image/png;base64,BYTES")).blob());
        const context = new OffscreenCanvas(1, 1).getContext("2d");
        context.drawImage(image, 0, 0);
        return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3);
    })()"""
    red, green, blue = await page.evaluate(script.replace("BYTES", b64encode(png).decode()))
    return [red, green, blue]


async def test_a_screenshot_shows_the_viewport_or_the_whole_page(page: Page, serve: Serve) -> None:
    await page.goto(serve("<body style='margin: 0; height: 2000px'>"))
    viewport = await page.evaluate("[innerWidth, innerHeight]")

    assert size_of(await page.screenshot()) == tuple(viewport)
    assert size_of(await page.screenshot(full_page=True)) == (viewport[0], 2000)


async def test_a_picture_of_all_of_a_page_that_is_in_view_gives_the_page_no_other_size(
    page: Page, serve: Serve, subtests: pytest.Subtests
) -> None:
    script = "<script>let resized = 0; onresize = () => { document.title = ++resized }</script>"
    for height in ("auto", "100vh", "100vh; overflow: scroll"):
        with subtests.test(height):
            await page.goto(serve(f"<title>0</title>{script}<body style='margin: 0; height: {height}'>"))
            viewport = await page.evaluate("[innerWidth, innerHeight]")

            assert size_of(await page.screenshot(full_page=True)) == tuple(viewport)
            assert await page.evaluate("new Promise(done => requestAnimationFrame(() => done(document.title)))") == "0"


async def test_a_tab_behind_another_is_pictured_as_it_is(browser: Browser, serve: Serve) -> None:
    pages = [await browser.new_page(serve(f"<body style='background: {colour}'>")) for colour in ("red", "lime")]
    in_front = pages[-1]
    colours = []

    await asyncio.gather(*(page.screenshot() for page in pages))
    for page in pages * 2:
        colours.append(await first_pixel(in_front, await page.screenshot()))
    await asyncio.gather(*(pages[0].screenshot() for _ in range(3)))

    assert colours == [[255, 0, 0], [0, 255, 0]] * 2
    for page in pages:
        await page.close()


async def test_html_is_found_in_any_frame_and_shadow_root(page: Page, serve: Serve) -> None:
    near, far = serve("<p class=near>near</p>"), serve("<p class=far>far</p>", other_site=True)
    script = "host.attachShadow({mode: 'open'}).innerHTML = '<p class=shadow>in</p>'"
    await page.goto(
        serve(
            f"<div id=host></div><iframe src='{near}'></iframe><iframe src='{far}'></iframe><script>{script}</script>"
        )
    )

    assert [await page.html(f".{place}") for place in ("near", "far", "shadow")] == [
        '<p class="near">near</p>',
        '<p class="far">far</p>',
        '<p class="shadow">in</p>',
    ]
    assert (await page.html()).startswith("<html>")


async def test_html_of_nothing_is_refused(page: Page, serve: Serve) -> None:
    await page.goto(serve("<p>here</p>"))

    with pytest.raises(ActionError, match=r"Nothing matches \.gone in any frame"):
        await page.html(".gone")
    with pytest.raises(InvalidArguments, match="is no CSS selector"):
        await page.html("..")


async def test_evaluate_gives_json_and_awaits(page: Page) -> None:
    assert await page.evaluate("Promise.resolve({a: [1, null, 'x']})") == {"a": [1, None, "x"]}
    assert await page.evaluate("undefined") is None


async def test_a_script_that_throws_says_what(page: Page) -> None:
    with pytest.raises(ScriptError, match="TypeError: no"):
        await page.evaluate("(() => { throw new TypeError('no') })()")


async def test_address_and_title_are_those_of_the_present_document(page: Page, serve: Serve) -> None:
    address = serve("<title>One</title>")
    await page.goto(address)
    assert (page.url, page.title) == (address, "One")

    await page.evaluate("history.pushState(0, '', '?two')")
    await page.wait_for(url="?two")
    assert page.url == f"{address}?two"


async def test_two_actions_at_once_take_turns(page: Page, serve: Serve) -> None:
    await page.goto(serve("<button onclick='this.textContent += 1'>n</button><button>idle</button>"))
    await page.snapshot()

    first, second = await asyncio.gather(page.click("E1"), page.click("E2"))

    assert first.changed == ['~ - button "n" → "n1" [ref=E1]']
    assert second.changed == []

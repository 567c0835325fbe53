"""A secret that is written in red on a page, and how much of it a picture shows."""

from __future__ import annotations

import base64
import json

from cdp_agent.cdp import emulation
from cdp_agent.page.page import Page, tab_of
from cdp_agent.page.picture.screenshot import take_picture
from cdp_agent.security.secrets import Secret, Secrets
from tests.conftest import Serve

SECRET = "kiwi-77-plum"
SECRETS = Secrets({"password": Secret(SECRET, ["https://shop.example"])})
PLACED = "position:absolute;left:100px;top:60px;width:300px;height:40px;font:20px monospace;border:0;padding:0;margin:0"

REDS = """async image => {
  const bitmap = await createImageBitmap(await (await fetch(`data:image/png;base64,${image}`)).blob());
  const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
  context.drawImage(bitmap, 0, 0);
  const { data } = context.getImageData(0, 0, bitmap.width, bitmap.height);
  let reds = 0;
  for (let i = 0; i < data.length; i += 4) if (data[i] > 150 && data[i + 1] < 100 && data[i + 2] < 100) reds++;
  return reds;
}"""


# Puts content in place of what there is, and waits for what it loads.
_PUT = """content => {
  document.body.setHTMLUnsafe(content);
  const loading = [...document.querySelectorAll('iframe, object, embed, img, input[type=image]')];
  return Promise.all(loading.map(each => new Promise(done => { each.onload = each.onerror = done })));
}"""


def red_page(content: str) -> str:
    return f"<!doctype html><meta charset=utf-8><style>body{{margin:0}} .s{{color:#f00}}</style>{content}"


async def show(page: Page, serve: Serve, content: str) -> None:
    """Has a small window show that: each picture is drawn, packed and unpacked several times.

    What has no script stands in the page of the test before, in place of what that had there.
    """
    await resize(page, 480, 300)
    if "<script" in content:
        await page.goto(serve(red_page(content)))
        return
    empty = serve(red_page(""), path="/red.html")
    if page.url != empty:
        await page.goto(empty)
    await page.evaluate(f"({_PUT})({json.dumps(content)}).then(() => 0)")


async def resize(page: Page, width_px: int, height_px: int) -> None:
    """Gives the page a window of that size."""
    session = (await tab_of(page).frames()).root.session
    await session.send(
        emulation.SetDeviceMetricsOverride(width=width_px, height=height_px, device_scale_factor=0, mobile=False)
    )


async def shown(page: Page, *, full_page: bool = False) -> tuple[int, int]:
    """How many red pixels a picture of the page has, and how many one with the secret painted over."""
    before = await reds(page, await page.screenshot(full_page=full_page))
    return before, await reds(page, await painted(page, full_page=full_page))


async def painted(page: Page, *, full_page: bool = False) -> bytes:
    """A picture of the page with the secret painted over."""
    picture = await take_picture(
        tab_of(page), full_page=full_page, hidden=SECRETS.spans, format="png", for_models=False
    )
    return picture.data


async def reds(page: Page, png: bytes) -> int:
    """How many red pixels it has."""
    found: int = await page.evaluate(f"({REDS})('{base64.b64encode(png).decode()}')")
    return found

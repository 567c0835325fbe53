"""A secret that is written in red on a page, and how much of it a picture shows."""

from __future__ import annotations

import base64

from cdp_agent.page.page import Page, tab_of
from cdp_agent.page.picture.screenshot import take_picture
from cdp_agent.security.secrets import Secret, Secrets

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


def red_page(content: str) -> str:
    return f"<!doctype html><meta charset=utf-8><style>body{{margin:0}} .s{{color:#f00}}</style>{content}"


async def shown(page: Page, *, full_page: bool = False) -> tuple[int, int]:
    """How many red pixels a picture of the page has, and how many one with the secret painted over."""
    plain = await page.screenshot(full_page=full_page)
    painted = await take_picture(
        tab_of(page), full_page=full_page, hidden=SECRETS.spans, format="png", for_models=False
    )
    before, after = [
        await page.evaluate(f"({REDS})('{base64.b64encode(each).decode()}')") for each in (plain, painted.data)
    ]
    return before, after

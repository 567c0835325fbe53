"""Text that nobody may see is found in all frames, and painted over in pictures of the tab."""

from __future__ import annotations

import base64

import pytest

from cdp_agent.page.covers import locate_text
from cdp_agent.page.marks import Box
from cdp_agent.page.page import Page
from cdp_agent.page.screenshot import take_picture
from cdp_agent.secrets import Secret, Secrets
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


def _red(content: str) -> str:
    return f"<style>body{{margin:0}} .s{{color:#f00}}</style>{content}"


@pytest.mark.parametrize(
    "content",
    [
        f"<p class=s style='{PLACED}'>{SECRET}</p>",
        f"<p class=s style='{PLACED}'>kiwi-<b>77</b>-plum</p>",
        f"<input class=s style='{PLACED}' value='{SECRET}'>",
        f"<textarea class=s style='{PLACED}'>{SECRET}</textarea>",
        f"<select class=s style='{PLACED}'><option>{SECRET}</select>",
        f"<button class=s style='{PLACED}'>{SECRET}</button>",
        f"<input class=s style='{PLACED}' placeholder='{SECRET}'><style>::placeholder{{color:red}}</style>",
        f"<style>p::after{{content:'{SECRET}'}}</style><p class=s style='{PLACED}'></p>",
        f"<iframe style='{PLACED}' srcdoc=\"<p style='color:red;font:20px monospace'>{SECRET}\"></iframe>",
        f"<input class=s style='{PLACED}' autocomplete=one-time-code value=123456>",
        f"<div style='{PLACED}'><template shadowrootmode=open><p style='color:red'>{SECRET}</p></template></div>",
    ],
)
async def test_a_picture_shows_no_secret(page: Page, serve: Serve, content: str) -> None:
    await page.goto(serve(_red(content)))

    before = await take_picture(page, format="png", for_models=False)
    picture = await take_picture(page, hidden=SECRETS.spans, format="png", for_models=False)

    reds = [await page.evaluate(f"({REDS})('{base64.b64encode(each.data).decode()}')") for each in (before, picture)]
    assert reds[0] > 50
    assert reds[1] == 0


async def test_a_frame_of_another_process_is_covered(page: Page, serve: Serve) -> None:
    inner = serve(f"<body style='margin:0'><p style='{PLACED}'>{SECRET}</p>", other_site=True)
    await page.goto(
        serve(f"<body style='margin:0'><iframe src='{inner}' style='position:absolute;left:50px;top:20px;border:0;'>")
    )
    await page.snapshot()

    (box,) = await locate_text(page, SECRETS.spans)

    assert (round(box.left), 70 < box.top < 130) == (150, True)


async def test_what_is_no_secret_is_not_covered(page: Page, serve: Serve) -> None:
    await page.goto(serve("<p>kiwi</p><input value=plum><input type=password value=x>"))

    boxes: list[Box] = await locate_text(page, SECRETS.spans)

    assert boxes == []

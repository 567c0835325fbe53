"""Text that nobody may see is found in all frames, and painted over in pictures of the tab."""

from __future__ import annotations

import base64

import pytest

from cdp_agent.page.page import Page, tab_of
from cdp_agent.page.picture.redactions import locate_text
from tests.conftest import Serve
from tests.pictures import PLACED, SECRET, SECRETS, painted, show
from tests.writing import opened

ROW_PX = 26
REDS_OF_ROWS = """async (image, height) => {
  const bitmap = await createImageBitmap(await (await fetch(`data:image/png;base64,${image}`)).blob());
  const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
  context.drawImage(bitmap, 0, 0);
  const { data } = context.getImageData(0, 0, bitmap.width, bitmap.height);
  const reds = Array(Math.ceil(bitmap.height / height)).fill(0);
  for (let i = 0; i < data.length; i += 4)
    if (data[i] > 150 && data[i + 1] < 100 && data[i + 2] < 100) reds[Math.floor(i / 4 / bitmap.width / height)]++;
  return reds;
}"""
SHOWN = [
    f"<p class=s style='@'>{SECRET}</p>",
    "<p class=s style='@'>kiwi-<b>77</b>-plum</p>",
    f"<input class=s style='@' value='{SECRET}'>",
    f"<textarea class=s style='@'>{SECRET}</textarea>",
    f"<select class=s style='@'><option>{SECRET}</select>",
    f"<button class=s style='@'>{SECRET}</button>",
    f"<input class=s style='@' placeholder='{SECRET}'><style>::placeholder{{color:red}}</style>",
    f"<style>.g::after{{content:'{SECRET}'}}</style><p class='s g' style='@'></p>",
    f"<iframe style='@' srcdoc=\"<body style='margin:0'><p style='margin:0;color:red;font:20px monospace'>{SECRET}\">"
    "</iframe>",
    "<input class=s style='@' autocomplete=one-time-code value=123456>",
    f"<div style='@'><template shadowrootmode=open><p style='margin:0;color:red'>{SECRET}</p></template></div>",
]
"""What is put in the place of the @ makes each a row."""


async def test_a_picture_shows_no_secret(page: Page, serve: Serve, subtests: pytest.Subtests) -> None:
    rows = [PLACED.replace("top:60px", f"top:{at * ROW_PX}px").replace("40px", "24px") for at in range(len(SHOWN))]
    await show(page, serve, "".join(each.replace("@", row) for each, row in zip(SHOWN, rows, strict=True)))

    pictures = [await page.screenshot(), await painted(page)]
    before, after = [
        await page.evaluate(f"({REDS_OF_ROWS})('{base64.b64encode(each).decode()}', {ROW_PX})") for each in pictures
    ]

    for content, visible, left in zip(SHOWN, before, after, strict=False):
        with subtests.test(content):
            assert visible > 50
            assert left == 0
    assert sum(after) == 0


async def test_a_frame_of_another_process_is_covered(page: Page, serve: Serve) -> None:
    inner = serve(f"<body style='margin:0'><p style='{PLACED}'>{SECRET}</p>", other_site=True)
    await page.goto(
        serve(f"<body style='margin:0'><iframe src='{inner}' style='position:absolute;left:50px;top:20px;border:0;'>")
    )
    await page.snapshot()

    (box,) = (await locate_text(tab_of(page), SECRETS.spans)).boxes

    assert (round(box.left), 70 < box.top < 130) == (150, True)


async def test_what_stands_after_emoji_is_covered_where_it_is(page: Page, serve: Serve) -> None:
    await opened(
        page, serve, f"<meta charset=utf-8><p>{'&#128105;' * 40}</p><p style='{PLACED}'>{SECRET}</p><p>words</p>"
    )

    (box,) = (await locate_text(tab_of(page), SECRETS.spans)).boxes

    assert (round(box.left), round(box.top)) == (100, 60)


async def test_what_is_no_secret_is_not_covered(page: Page, serve: Serve) -> None:
    await opened(page, serve, "<p>kiwi</p><input value=plum><input type=password value=x>")

    found = await locate_text(tab_of(page), SECRETS.spans)

    assert found == ([], frozenset())

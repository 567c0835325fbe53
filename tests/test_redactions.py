"""Text that nobody may see is found in all frames, and painted over in pictures of the tab."""

from __future__ import annotations

import pytest

from cdp_agent.page.page import Page, tab_of
from cdp_agent.page.picture.redactions import locate_text
from tests.conftest import Serve
from tests.pictures import PLACED, SECRET, SECRETS, show, shown


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
    await show(page, serve, content)

    before, after = await shown(page)

    assert before > 50
    assert after == 0


async def test_a_frame_of_another_process_is_covered(page: Page, serve: Serve) -> None:
    inner = serve(f"<body style='margin:0'><p style='{PLACED}'>{SECRET}</p>", other_site=True)
    await page.goto(
        serve(f"<body style='margin:0'><iframe src='{inner}' style='position:absolute;left:50px;top:20px;border:0;'>")
    )
    await page.snapshot()

    (box,) = (await locate_text(tab_of(page), SECRETS.spans)).boxes

    assert (round(box.left), 70 < box.top < 130) == (150, True)


async def test_what_stands_after_emoji_is_covered_where_it_is(page: Page, serve: Serve) -> None:
    await page.goto(serve(f"<meta charset=utf-8><p>{'&#128105;' * 40}</p><p style='{PLACED}'>{SECRET}</p><p>words</p>"))

    (box,) = (await locate_text(tab_of(page), SECRETS.spans)).boxes

    assert (round(box.left), round(box.top)) == (100, 60)


async def test_what_is_no_secret_is_not_covered(page: Page, serve: Serve) -> None:
    await page.goto(serve("<p>kiwi</p><input value=plum><input type=password value=x>"))

    found = await locate_text(tab_of(page), SECRETS.spans)

    assert found == ([], frozenset())

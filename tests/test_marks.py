"""A picture of the page with its refs: what is marked, where, and that nothing of it is in the page."""

from __future__ import annotations

import asyncio

import pytest

from cdp_agent.cdp import emulation
from cdp_agent.errors import PageUnresponsive
from cdp_agent.page.page import Page, tab_of
from cdp_agent.page.picture.marks import Box, locate_marks
from cdp_agent.page.picture.paint import LONGEST_PX, MOST_PIXELS, paint
from cdp_agent.page.picture.screenshot import take_picture
from cdp_agent.page.snapshot.lines import refs_in
from tests.conftest import LOOP, Serve
from tests.every_frame import PLACES, every_frame
from tests.miniwob.png import grey
from tests.pictures import resize
from tests.test_page import size_of
from tests.writing import show

BARE = (
    "<style>body { margin: 0; font: 16px sans-serif } button { position: absolute; width: 80px; height: 20px }</style>"
)


async def marks_of(page: Page, *, whole: bool = False) -> dict[str, list[Box]]:
    """The boxes of what is marked, by names."""
    snapshot = await page.snapshot()
    marks = await locate_marks(tab_of(page), refs_in(snapshot.text), whole=whole)
    return {snapshot.refs[mark.ref].name: mark.boxes for mark in marks}


async def test_what_can_be_acted_on_and_is_seen_is_marked(sheet: Page) -> None:
    await show(
        sheet,
        f"{BARE}<h1 style='position:absolute;top:400px'>A heading</h1>"
        "<button style='left:10px;top:30px'>Seen</button>"
        "<button style='left:110px;top:30px'>Covered</button>"
        "<div style='position:absolute;left:100px;top:20px;width:120px;height:60px;background:#eee'>News</div>"
        "<button style='left:10px;top:5000px'>Below</button>"
        "<button style='left:310px;top:30px;opacity:0.01'>Faint</button>",
    )

    assert await marks_of(sheet) == {"Seen": [Box(10, 30, 90, 50)], "Faint": [Box(310, 30, 390, 50)]}


async def test_in_a_picture_of_the_whole_page_all_of_it_is_marked(sheet: Page) -> None:
    await show(
        sheet,
        f"{BARE}<button style='left:10px;top:30px'>Seen</button>"
        "<button style='left:110px;top:30px'>Covered</button>"
        "<div style='position:absolute;left:100px;top:20px;width:120px;height:60px;background:#eee'>News</div>"
        "<button style='left:10px;top:3000px'>Below</button>"
        "<button style='left:10px;top:3100px;visibility:hidden'>Hidden</button>"
        "<div style='position:absolute;top:3200px;height:50px;width:99px;overflow:hidden'>"
        "<button style='top:90px'>Clipped</button></div>"
        "<iframe style='position:absolute;left:0;top:3300px;border:0;height:100px' srcdoc='"
        "<style>body { margin: 0 } button { position: absolute; left: 0; width: 80px; height: 20px }</style>"
        "<button style=top:10px>Framed</button><button style=top:500px>Far</button>'></iframe>",
    )

    marked = await marks_of(sheet, whole=True)

    assert marked == {
        "Seen": [Box(10, 30, 90, 50)],
        "Below": [Box(10, 3000, 90, 3020)],
        "Framed": [Box(0, 3310, 80, 3330)],
    }


async def test_a_label_over_what_is_marked_lets_it_be_seen(page: Page, serve: Serve) -> None:
    await page.goto(serve("<style>body { margin: 0 } button { position: fixed; inset: 0; border: 0 }</style><button>"))
    await resize(page, 40, 20)
    refs = refs_in((await page.snapshot()).text)
    shades: list[list[int]] = []
    for colours in ("#000, #000 2px, #fff 2px, #fff 4px", "#fff, #fff 2px, #000 2px, #000 4px"):
        stripes = f"repeating-linear-gradient(90deg, {colours})"
        await page.evaluate(f"document.querySelector('button').style.background = '{stripes}'")
        picture = await take_picture(tab_of(page), refs, format="png", for_models=False)
        shades.append([shade for row in grey(picture.data, top=0, bottom=20, left=0, right=40) for shade in row])

    seen = sum(abs(one - other) > 30 for one, other in zip(*shades, strict=True))
    assert seen > 0.6 * len(shades[0])  # a label that hides what is below leaves 0.44


async def test_a_box_ends_where_what_is_around_it_ends(sheet: Page) -> None:
    await show(
        sheet,
        f"{BARE}<div style='position:absolute;left:20px;top:20px;width:50px;height:100px;overflow:hidden'>"
        "<button style='left:10px;top:10px'>Cut</button>"
        "<button style='left:300px;top:60px;position:fixed'>Fixed</button></div>",
    )

    assert await marks_of(sheet) == {"Cut": [Box(30, 30, 70, 50)], "Fixed": [Box(300, 60, 380, 80)]}


async def test_a_link_over_two_lines_has_two_boxes(sheet: Page) -> None:
    await show(sheet, "<p style='width:100px;font:16px monospace'><a href=/x>one link wrapped</a></p>")

    [boxes] = (await marks_of(sheet)).values()

    assert len(boxes) == 2
    assert boxes[0].bottom <= boxes[1].top + 1


async def test_an_unseen_check_box_is_marked_at_its_label(sheet: Page) -> None:
    await show(
        sheet,
        f"{BARE}<input type=checkbox id=c style='position:absolute;opacity:0;width:0;height:0'>"
        "<label for=c style='position:absolute;left:20px;top:30px;width:100px;height:20px'>Urgent</label>",
    )

    assert await marks_of(sheet) == {"Urgent": [Box(20, 30, 120, 50)]}


async def test_a_mark_is_a_line_around_the_element_and_its_ref_beside_it(sheet: Page) -> None:
    await show(sheet, f"{BARE}<button style='left:100px;top:60px;border:0;background:#fff'></button>")
    plain = rows(await sheet.screenshot())

    marked = rows(await sheet.screenshot(marks=True))

    changed = {(x, y) for y, row in enumerate(marked) for x, red in enumerate(row) if red != plain[y][x]}
    line = {(x, 60) for x in range(130, 180)} | {(179, y) for y in range(62, 80)}
    inside = {(x, y) for x in range(104, 176) for y in range(64, 76)}
    label = {(x, y) for x in range(100, 120) for y in range(47, 58)}
    assert line <= changed
    assert not inside & changed
    assert len(label & changed) > 100
    assert {x for x, _ in changed} <= set(range(96, 184))
    assert {y for _, y in changed} <= set(range(40, 84))


async def test_a_mark_is_at_its_element_whatever_the_devices_scale_is(page: Page, serve: Serve) -> None:
    session = (await tab_of(page).frames()).root.session
    await session.send(emulation.SetDeviceMetricsOverride(width=640, height=400, device_scale_factor=2, mobile=False))
    await page.goto(serve(f"{BARE}<button style='left:100px;top:60px;border:0;background:#fff'></button>"))

    picture = await page.screenshot(marks=True)

    assert size_of(picture) == size_of(await page.screenshot()) == (1280, 800)
    marked = rows(picture, bottom=170, right=400)
    assert marked[160][240] != 255
    assert marked[140][240] == 255


async def test_elements_of_every_frame_are_marked_where_they_are(page: Page, serve: Serve) -> None:
    await page.goto(every_frame(serve))
    await page.evaluate("document.body.style.zoom = 0.5")

    marked = await marks_of(page)

    assert [place for place in PLACES if f"link in {place}" not in marked] == []
    for place in PLACES:
        [box] = marked[f"link in {place}"]
        middle = ((box.left + box.right) / 2, (box.top + box.bottom) / 2)
        assert 0 < middle[0] < 1280
        assert 0 < middle[1] < 800
    below = ["page", "same-origin", "nested"]
    assert [marked[f"link in {place}"][0].top for place in below] == sorted(
        marked[f"link in {place}"][0].top for place in below
    )


async def test_what_is_in_a_frame_of_another_site_is_not_marked_where_the_page_covers_it(
    page: Page, serve: Serve
) -> None:
    inner = serve(f"{BARE}<button style='left:10px;top:10px'>Left</button><button style='left:200px'>Right</button>")
    other = serve(f"<body style='margin:0'><iframe src='{inner}' style='border:0'></iframe>", other_site=True)
    await page.goto(
        serve(
            f"{BARE}<iframe src='{other}'"
            " style='position:absolute;left:50px;top:100px;width:400px;height:300px;border:0'></iframe>"
            "<div style='position:absolute;left:200px;top:0;width:900px;height:600px;background:#eee'>News</div>"
        )
    )

    assert await marks_of(page) == {"Left": [Box(60, 110, 140, 130)]}


async def test_masks_leave_nothing_to_be_seen(page: Page, serve: Serve) -> None:
    await page.goto(serve(f"{BARE}<body style='background:#fff'>"))
    world = await (await tab_of(page).frames()).root.world()

    painted = await paint(world, await page.screenshot(), width=1280, masks=[Box(10.4, 20, 60, 40)])

    shown = rows(painted.data, bottom=60, right=100)
    assert {shown[y][x] for y in range(20, 40) for x in range(10, 60)} == {0}
    assert shown[15][30] == shown[50][30] == shown[30][70] == 255


async def test_a_picture_for_models_is_no_larger_than_they_look_at(page: Page, serve: Serve) -> None:
    await page.goto(serve(f"{BARE}<div style='height:2500px'><button>Go</button></div>"))

    picture = await take_picture(tab_of(page), full_page=True)

    assert picture.format == "jpeg"
    assert picture.data[:3] == b"\xff\xd8\xff"
    assert picture.height_px <= LONGEST_PX
    assert picture.width_px * picture.height_px <= MOST_PIXELS
    assert abs(picture.height_px / picture.width_px - 2500 / 1280) < 0.1


@pytest.mark.usefixtures("held_loop")
async def test_with_a_page_that_hangs_there_is_no_picture(
    page: Page, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cdp_agent.page.picture.marks.TIMEOUT_S", 1.0)
    await page.goto(serve(f"{BARE}<button>Go</button>"))
    hanging = asyncio.ensure_future(page.evaluate(f"(() => {{ {LOOP} }})()", timeout_s=30))
    await asyncio.sleep(0)

    with pytest.raises(PageUnresponsive):
        await take_picture(tab_of(page))
    hanging.cancel()


def rows(png: bytes, *, bottom: int = 120, right: int = 300) -> list[list[int]]:
    """The red of the left top part."""
    return grey(png, top=0, bottom=bottom, left=0, right=right)

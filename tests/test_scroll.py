"""Scrolling pages and boxes, and what is told of it."""

import pytest

from cdp_agent.errors import InvalidArguments, StaleRef
from cdp_agent.page.actions import scroll
from cdp_agent.page.actions.scroll import Direction, Scrolled
from cdp_agent.page.actions.scrolling import movement
from cdp_agent.page.page import Page
from tests.conftest import Serve
from tests.every_frame import PLACES, every_frame
from tests.writing import opened, show

TALL = "<p>top</p><div style='height:5000px'></div><p>end</p>"


@pytest.fixture(autouse=True)
def _ends_are_told_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing in these pages comes late; how long an end is waited for is the subject of test_scroll_to_text.py."""
    monkeypatch.setattr(movement, "END_S", 0.2)
    monkeypatch.setattr(movement, "BLANK_S", 0.2)


async def test_the_page_scrolls_by_viewports(sheet: Page) -> None:
    await show(sheet, TALL)
    height = await sheet.evaluate("innerHeight")

    moved = await sheet.scroll("down", pages=2.5)

    assert (moved.moved_px, moved.container, moved.at_top, moved.at_bottom) == (
        round(height * 2.5),
        "page",
        False,
        False,
    )
    assert await sheet.evaluate("scrollY") == moved.position_px == moved.moved_px


async def test_up_stops_at_the_top(sheet: Page) -> None:
    await show(sheet, TALL)
    await sheet.scroll("down", pixels=300)

    moved = await sheet.scroll("up", pages=3)

    assert (moved.moved_px, moved.position_px, moved.at_top) == (300, 0, True)


async def test_bottom_and_top_are_the_ends(sheet: Page) -> None:
    await show(sheet, TALL)

    bottom = await sheet.scroll("bottom")
    top = await sheet.scroll("top")

    assert (bottom.at_bottom, bottom.at_top, top.at_top, top.moved_px) == (True, False, True, bottom.moved_px)


async def test_a_box_scrolls_by_its_own_ref_or_that_of_what_is_in_it(sheet: Page) -> None:
    rows = "".join(f"<li><button>{number}</button>" for number in range(100))
    await show(sheet, f"{TALL}<ul aria-label=Results style='height:200px;overflow:auto'>{rows}</ul>")
    button = next(ref for ref in (await sheet.snapshot()).refs.values() if ref.name == "3")

    moved = await sheet.scroll("down", ref=button.ref)

    assert (moved.moved_px, moved.container.split(" ")[0], moved.container.split(" ")[-1]) == (200, "list", '"Results"')
    assert await sheet.evaluate("document.querySelector('ul').scrollTop") == 200
    assert await sheet.evaluate("scrollY") == 0


async def test_what_is_in_no_box_scrolls_the_page(sheet: Page) -> None:
    await show(sheet, f"<button>Go</button>{TALL}")
    await sheet.snapshot()

    moved = await sheet.scroll("down", pixels=100, ref="E1")

    assert (moved.container, moved.moved_px) == ("page", 100)


async def test_a_body_that_scrolls_instead_of_the_document_is_the_page(sheet: Page) -> None:
    await show(
        sheet, f"<style>html{{height:100%;overflow:hidden}}body{{height:100%;margin:0;overflow:auto}}</style>{TALL}"
    )

    moved = await sheet.scroll("down", pixels=700)

    assert (moved.container, moved.moved_px, await sheet.evaluate("document.body.scrollTop")) == ("page", 700, 700)


async def test_an_app_whose_main_box_scrolls_is_scrolled_there(sheet: Page) -> None:
    await show(sheet, f"<main style='position:fixed;inset:0;overflow:auto'>{TALL}</main>")

    moved = await sheet.scroll("down", pixels=700)

    assert (moved.container.split(" ")[0], moved.moved_px) == ("main", 700)


async def test_a_feed_is_followed_as_long_as_it_grows(sheet: Page) -> None:
    await show(
        sheet,
        "<div id=feed></div><div id=end style='height:1px'></div><script>"
        "let n = 0; const more = () => { for (let i = 0; i < 20 && n < 100; i++) {"
        "  const p = document.createElement('p'); p.textContent = 'item ' + ++n;"
        "  p.style.height = '50px'; feed.append(p); } };"
        "more(); new IntersectionObserver((e) => e[0].isIntersecting && setTimeout(more, 50)).observe(end)</script>",
    )

    moved = await sheet.scroll("bottom")

    assert (await sheet.search("item 100")).total == 1
    assert moved.at_bottom
    assert moved.grew_px > 3000


async def test_of_a_feed_without_end_it_tells_that_it_grows(sheet: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scroll, "FEED_ROUNDS", 3)
    await show(
        sheet,
        f"{TALL}<script>onscroll = () => document.body.lastElementChild.insertAdjacentHTML("
        "'beforebegin', '<div style=height:900px>more</div>')</script>",
    )

    moved = await sheet.scroll("bottom")
    await sheet.evaluate("onscroll = null")

    assert (moved.at_bottom, moved.note) == (False, "it still grows: scroll on if you need more")
    assert moved.grew_px >= 2700
    assert moved.position_px > 5000


async def test_pixels_are_one_move(sheet: Page) -> None:
    await show(sheet, "<div style='height:60000px'></div><script>window.moves = 0; onscroll = () => moves++</script>")

    moved = await sheet.scroll("down", pixels=50_000)

    assert (moved.moved_px, await sheet.evaluate("[moves, onscroll = null][0]")) == (50_000, 1)


async def test_a_page_that_scrolls_back_is_not_at_its_end(sheet: Page) -> None:
    await show(
        sheet,
        f"<div id=box style='height:200px;overflow:auto'>{TALL}</div><script>box.onscroll = () => "
        "{ box.scrollTop = 100 }</script>",
    )
    (box,) = (await sheet.find("#box")).elements

    moved = await sheet.scroll("bottom", ref=box.ref)

    assert (moved.at_bottom, moved.moved_px, moved.note) == (False, 100, "the page keeps it at 100 px")


@pytest.mark.parametrize("style", ["direction:rtl", "flex-direction:row-reverse"])
async def test_a_row_that_begins_at_its_right_end_is_measured_from_the_left(sheet: Page, style: str) -> None:
    tiles = "<b style='flex:none;width:300px'>tile</b>" * 5
    await show(sheet, f"<div id=strip style='display:flex;width:500px;overflow:auto;{style}'>{tiles}</div>")
    (strip,) = (await sheet.find("#strip")).elements

    moved = [await sheet.scroll(direction, pixels=1000, ref=strip.ref) for direction in ("left", "right")]

    assert [(each.moved_px, each.position_px, each.at_top, each.at_bottom) for each in moved] == [
        (1000, 0, True, False),
        (1000, 1000, False, True),
    ]


async def test_a_virtualised_list_shows_its_later_rows(sheet: Page) -> None:
    await show(
        sheet,
        "<div id=box style='height:300px;overflow:auto' role=list aria-label=Rows>"
        "<div style='height:100000px;position:relative'></div></div><script>"
        "const inner = box.firstChild; const draw = () => { inner.replaceChildren();"
        "  for (let i = Math.floor(box.scrollTop / 20); i < Math.floor(box.scrollTop / 20) + 16; i++) {"
        "    const row = document.createElement('div'); row.role = 'listitem'; row.textContent = 'row ' + i;"
        "    row.style.cssText = `position:absolute;top:${i * 20}px`; inner.append(row); } };"
        "draw(); box.onscroll = draw</script>",
    )
    (box,) = (await sheet.find("#box")).elements

    moved = await sheet.scroll("down", pages=10, ref=box.ref)

    assert moved.moved_px == 3000
    assert [(await sheet.search(word, regex=True)).total for word in ("row 150$", "row 1$")] == [1, 0]


async def test_sideways_the_ends_are_left_and_right(sheet: Page) -> None:
    await show(sheet, "<div style='width:9000px;height:10px'></div>")

    moved = [await sheet.scroll(direction) for direction in ("right", "left")]

    assert [(each.moved_px > 0, each.at_top, each.at_bottom) for each in moved] == [
        (True, False, False),
        (True, True, False),
    ]


BAD_INPUT: list[tuple[dict[str, object], str]] = [
    ({"pages": 0}, "pages is 0: give 0.1 to 20."),
    ({"pages": 21}, "pages is 21: give 0.1 to 20."),
    ({"pixels": -5}, "pixels is -5: give 1 or more; the direction says which way."),
    ({"direction": "into_view"}, "into_view needs the ref of the element to bring into view."),
    ({"direction": "sideways"}, "direction is 'sideways': give one of up, down, left, right, top, bottom, into_view."),
]


def test_the_text_for_a_model_says_how_far_and_where() -> None:
    moved = Scrolled(
        direction="down",
        moved_px=800,
        position_px=800,
        at_top=False,
        at_bottom=True,
        grew_px=400,
        container="page",
    )

    assert moved.text == "scrolled page down by 800 px, now at 800 px; at the bottom; the content grew by 400 px"


SNAPS = """<!doctype html><style>body { margin: 0 } #box { height: 400px; overflow-y: scroll;
  scroll-snap-type: y mandatory }
  section { height: 400px; scroll-snap-align: start }
  #after { height: 150px }</style>
  <div id=box><section>1</section><section>2</section><section>3</section><div id=after></div></div>"""


@pytest.mark.parametrize("direction", ["bottom", "down"])
async def test_a_box_that_snaps_ends_where_it_snaps(direction: Direction, sheet: Page) -> None:
    await show(sheet, SNAPS)

    moved = await sheet.scroll(direction, pages=3)
    again = await sheet.scroll(direction)

    there = await sheet.evaluate("box.scrollTop")
    assert there < await sheet.evaluate("box.scrollHeight - box.clientHeight")  # so it does snap
    assert (moved.moved_px, moved.position_px, moved.at_bottom, moved.note) == (there, there, True, "")
    assert (again.moved_px, again.position_px, again.at_bottom) == (0, there, True)


async def test_a_scroll_that_moves_nothing_says_why(page: Page, serve: Serve) -> None:
    notes = []
    for content in ("<p>short</p>", f"<body style='overflow:hidden'>{TALL}", TALL):
        await opened(page, serve, content)
        notes.append((await page.scroll("up")).note)

    assert notes == [
        "nothing on the page scrolls up or down",
        "the page's scrolling is locked (overflow: hidden), perhaps by a dialog: close it, or give the ref of a box",
        "page is already at the top",
    ]


async def test_every_box_in_every_frame_and_shadow_root_scrolls(page: Page, serve: Serve) -> None:
    await page.goto(every_frame(serve))
    boxes = dict(zip(PLACES, (await page.find(".box")).elements, strict=True))

    for place in ("nested", "other-site", "deep", "open-root", "closed-root"):
        moved = await page.scroll("down", pixels=50, ref=boxes[place].ref)

        assert (moved.moved_px, moved.container.split('"')[1]) == (50, f"box in {place}")


WIDE = "<div style='width:2000px;height:20px'><button>{}</button></div>"
BESIDE = f"""<div role=grid aria-label=Staff>
<div style="overflow-x:hidden;width:300px">{WIDE.format("Head")}</div>
<div role=group aria-label=Rows style="overflow-x:auto;width:300px">{WIDE.format("Cell")}</div>
</div><button>Apart</button>"""
ONLY_BOX = "<div id=h></div><script>h.attachShadow({mode: 'closed'}).innerHTML = `%s`</script>"


async def test_a_scroll_sideways_finds_what_scrolls_and_names_it(page: Page, serve: Serve) -> None:
    await opened(page, serve, BESIDE)
    refs = {ref.name: ref.ref for ref in (await page.snapshot()).refs.values()}
    told = [(await page.scroll("right", ref=refs[name])).text for name in ("Head", "Apart")]
    back = (await page.scroll("left", ref=refs["Cell"])).text
    for content in (
        ONLY_BOX % f"<div role=group aria-label=Shadow style='overflow-x:auto;width:300px'>{WIDE.format('A')}</div>",
        f'<iframe srcdoc="{WIDE.format("A")}" height=50></iframe>',
        f"<div style='overflow:hidden;width:300px'>{WIDE.format('A')}</div>",
    ):
        await opened(page, serve, content)
        await page.snapshot()
        told.append((await page.scroll("right")).text)
    rows = told[0].split()[2]

    assert told == [
        f'scrolled group {rows} "Rows" right by 300 px, now at 300 px',
        f'scrolled nothing: nothing around {refs["Apart"]} scrolls sideways; but these do: group {rows} "Rows"',
        told[2].partition("group")[0] + f'group {told[2].split()[2]} "Shadow" right by 300 px, now at 300 px',
        "scrolled the page in the frame right by 300 px, now at 300 px",
        "scrolled nothing: nothing on the page scrolls sideways",
    ]
    assert back == f'scrolled group {rows} "Rows" left by 300 px, now at 0 px; at the left end'


async def test_into_view_brings_an_element_of_any_frame_into_the_viewport(page: Page, serve: Serve) -> None:
    inner = serve(TALL + "<button>Deep</button>", other_site=True)
    await page.goto(serve(f"{TALL}<iframe src='{inner}' style='height:200px'></iframe>"))
    button = next(ref for ref in (await page.snapshot()).refs.values() if ref.role == "button")

    moved = await page.scroll("into_view", ref=button.ref)

    assert moved.moved_px > 5000
    assert [match.in_viewport for match in (await page.search("Deep")).matches] == [True]


async def test_bad_input_is_a_clear_error(page: Page, subtests: pytest.Subtests) -> None:
    for arguments, message in BAD_INPUT:
        with subtests.test(message):
            with pytest.raises(InvalidArguments) as caught:
                await page.scroll(**arguments)  # type: ignore[arg-type]  # what a model may send

            assert str(caught.value) == message


async def test_a_ref_that_is_gone_is_an_error(page: Page, serve: Serve) -> None:
    await opened(page, serve, "<button>Go</button>")
    await page.snapshot()
    await page.evaluate("document.querySelector('button').remove()")

    with pytest.raises(StaleRef):
        await page.scroll("down", ref="E1")

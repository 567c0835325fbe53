"""What lies over the page comes first, and what it covers says so, whether ARIA is used or not."""

from __future__ import annotations

from cdp_agent.page.page import Page

from .conftest import Serve
from .tables import table
from .test_reading import FILL, read_anew
from .writing import show

BEHIND = "<header><a href=/>Home</a></header><main><h1>Shop</h1><button>Buy</button></main>"
FULL = "position:fixed;inset:0;z-index:9;background:#0008"
BOX = "Sign up <button>No</button>"
PLACED = "left:200px;top:90px;background:white"
OVER = {
    "a box in a sheet": f"<div style='{FULL}'><div style='margin:90px;background:white'>{BOX}</div></div>",
    "a box beside a backdrop": f"<div style='{FULL}'></div><div style='position:fixed;z-index:10;{PLACED}'>{BOX}</div>",
    "a box before a backdrop": f"<div style='position:relative;z-index:10;{PLACED}'>{BOX}</div>"
    f"<div style='{FULL}'></div>",
    "a sheet by rules": "<style>.o{position:fixed;top:0;left:0;width:100vw;height:100vh;background:white}</style>"
    f"<div class=o>{BOX}</div>",
    "an absolute one": f"<div style='position:absolute;left:0;top:0;width:100%;height:100vh'>{BOX}</div>",
    "one in a component": "<div id=h></div><script>h.attachShadow({mode: 'open'}).innerHTML ="
    f" `<div style='{FULL}'>{BOX}</div>`</script>",
    "one in a closed component": "<div id=h></div><script>h.attachShadow({mode: 'closed'}).innerHTML ="
    f" `<div style='{FULL}'>{BOX}</div>`</script>",
    "a layer that passes clicks on, with a backdrop in it": f"<div style='{FULL};pointer-events:none'>"
    "<i style='position:absolute;inset:0;pointer-events:auto'></i>"
    f"<div style='position:absolute;{PLACED};pointer-events:auto'>{BOX}</div></div>",
    "a backdrop that the box draws": "<style>.o::before{content:'';position:fixed;inset:0}</style>"
    f"<div class=o style='position:fixed;z-index:9;{PLACED}'>{BOX}</div>",
    "a backdrop that the page draws": "<style>body::after{content:'';position:fixed;inset:0;z-index:9}</style>"
    f"<div style='position:fixed;z-index:10;{PLACED}'>{BOX}</div>",
    "a popover": "<div popover=manual id=p style='inset:0;width:100vw;height:100vh;box-sizing:border-box'>"
    f"{BOX}</div><script>p.showPopover()</script>",
    "a page that takes no mouse": f"<style>body{{pointer-events:none}}</style><div style='{FULL};"
    f"pointer-events:auto'></div><div style='position:fixed;z-index:10;pointer-events:auto;{PLACED}'>{BOX}</div>",
}


def shown(text: str) -> list[str]:
    return [line.partition(" [ref")[0] for line in text.split("\n")]


@table("overlay", OVER)
async def test_what_lies_over_the_page_comes_first_and_what_it_covers_says_so(sheet: Page, overlay: str) -> None:
    await show(sheet, BEHIND + overlay)

    assert shown((await sheet.snapshot()).text) == [
        "- generic [overlay]: Sign up",
        '  - button "No"',
        "- banner [covered]:",
        '  - link "Home"',
        "- main [covered]:",
        '  - heading "Shop" [level=1]',
        '  - button "Buy"',
    ]


NOTHING_OVER = {
    "a shell": f"<div style='position:fixed;inset:0'>{BEHIND}</div>"
    "<p style='position:absolute;width:1px;height:1px;overflow:hidden;clip:rect(0,0,0,0)'>News</p>",
    "a background": f"<div style='position:fixed;inset:0;z-index:-1'>Pattern</div>{BEHIND}",
    "a background below what is raised": "<canvas style='position:fixed;inset:0;width:100vw;height:100vh'></canvas>"
    f"<div style='position:relative;z-index:1'>{BEHIND}</div>",
    "a sheet that lets clicks through": f"{BEHIND}<div style='{FULL};pointer-events:none'>Confidential</div>",
    "a bar": f"{BEHIND}<div style='position:fixed;bottom:0;left:0;right:0'>Cookies <button>OK</button></div>",
    "a header that stays": f"<div style='position:sticky;top:0;height:90px'>Site</div>{BEHIND}",
    "a toast": f"<div style='position:absolute;inset:0'>{BEHIND}</div>"
    "<div style='position:fixed;inset:0;pointer-events:none'><p style='pointer-events:auto'>Saved</div>",
    "a sheet that is not shown": f"{BEHIND}<div style='{FULL};visibility:hidden'><button>OK</button></div>",
}


@table("content", NOTHING_OVER)
async def test_a_page_that_nothing_covers_has_no_overlay(sheet: Page, content: str) -> None:
    await show(sheet, content)

    text = (await sheet.snapshot()).text

    assert "[overlay]" not in text
    assert "[covered]" not in text


async def test_what_is_not_covered_says_nothing(sheet: Page) -> None:
    await show(
        sheet,
        "<nav style='height:60px'><a href=/>Home</a></nav><main><button>Buy</button></main>"
        f"<aside style='position:fixed;z-index:99;right:0;bottom:0'><button>Chat</button></aside>"
        f"<section aria-label=Cookies style='{FULL};top:60px'>We use some <button>OK</button></section>",
    )

    assert shown((await sheet.snapshot()).text) == [
        '- region "Cookies" [overlay]: We use some',
        '  - button "OK"',
        "- complementary:",
        '  - button "Chat"',
        "- navigation:",
        '  - link "Home"',
        "- main [covered]:",
        '  - button "Buy"',
    ]


async def test_what_an_absolute_layer_leaves_below_the_fold_is_not_covered(sheet: Page) -> None:
    await show(
        sheet,
        "<main><button>Top</button><div style='height:3000px'></div><button>Bottom</button></main>"
        f"<div style='position:absolute;left:0;top:0;width:100%;height:100vh'>{BOX}</div>",
    )

    lines = shown((await sheet.snapshot()).text)

    assert lines[-3:] == ["- main:", '  - button "Top" [covered]', '  - button "Bottom"']


async def test_a_sheet_that_comes_and_goes_is_read_as_a_fresh_reading_would(sheet: Page) -> None:
    await show(sheet, f"{BEHIND}{FILL}<div id=o hidden style='{FULL}'>Wait <button>Stop</button></div>")
    before = (await sheet.snapshot()).text

    await sheet.evaluate("o.hidden = false")
    during = (await sheet.snapshot()).text
    assert during.startswith("- generic [overlay]: Wait")
    assert during == await read_anew(sheet)

    await sheet.evaluate("o.hidden = true")
    assert (await sheet.snapshot()).text == before


async def test_what_became_covered_is_one_line_of_a_receipt(sheet: Page) -> None:
    await show(
        sheet,
        "<header><a href=/>Home</a></header><button onclick='o.hidden = false'>Buy</button><nav><a href=/1>1</a></nav>"
        f"<main><a href=/2>2</a></main><div id=o hidden style='{FULL}'>Sign up <button>No</button></div>",
    )
    refs = {element.name: ref for ref, element in (await sheet.snapshot()).refs.items()}

    receipt = await sheet.click(refs["Buy"])

    assert [change.partition(" [ref")[0] for change in receipt.changed] == [
        "+ - generic [overlay]: Sign up",
        '+   - button "No"',
        "~ now [covered]: 4 lines, with all that is below them",
    ]


async def test_what_a_sheet_covers_in_a_frame_says_so(page: Page, serve: Serve) -> None:
    inner = f"{BEHIND}<div style='{FULL}'><button>No</button></div>"
    await page.goto(serve(f"<p>Above</p><iframe width=500 height=300 src={serve(inner)}></iframe>"))

    text = (await page.snapshot()).text

    assert text.index("[overlay]") < text.index("banner [covered]") < text.index("main [covered]")
    assert "iframe [covered]" not in text

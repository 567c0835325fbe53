"""What is rendered and cannot be seen is marked as not shown, once; what can be seen, or is read aloud, is not."""

from __future__ import annotations

import pytest

from cdp_agent.page.page import Page
from tests.conftest import Serve
from tests.tables import table
from tests.test_reading import FILL, read_anew
from tests.writing import opened, show

BUTTON = "<button>Go</button>"
AWAY = "position:absolute;width:200px;height:100px;"
SPEAKS = "position:absolute;width:1px;height:1px;overflow:hidden;clip:rect(0 0 0 0)"

NOT_SHOWN = {
    "collapsed by max-height": f"<div style='max-height:0;overflow:hidden'>{BUTTON}</div>",
    "without height": f"<div style='height:0;overflow:hidden'>{BUTTON}</div>",
    "without width": f"<div style='width:0;overflow:hidden;white-space:nowrap'>{BUTTON}</div>",
    "a row of a grid without height": "<div style='display:grid;grid-template-rows:0fr'>"
    f"<div style='min-height:0;overflow:clip'>{BUTTON}</div></div>",
    "a box without size": f"<span style='{AWAY}width:0;height:0;overflow:hidden'>{BUTTON}</span>",
    "left of the page": f"<div style='{AWAY}left:-9999px'>{BUTTON}</div>",
    "above the page": f"<div style='{AWAY}top:-900px'>{BUTTON}</div>",
    "a negative margin": f"<div style='margin-left:-3000px;width:900px'>{BUTTON}</div>",
    "a drawer to the left": "<nav style='position:fixed;inset:0 auto 0 0;width:200px;"
    f"transform:translateX(-100%)'>{BUTTON}"
    f"</nav>",
    "a drawer to the right": f"<nav style='position:fixed;inset:0 0 0 auto;width:200px;translate:100% 0'>{BUTTON}"
    f"</nav>",
    "a sheet below": "<div style='height:4000px'></div><div style='position:fixed;inset:auto 0 0 0;height:200px;"
    f"transform:translateY(100%)'>{BUTTON}</div>",
    "right of a box that clips": "<div style='position:relative;overflow:hidden;width:300px;height:90px'>"
    f"<div style='{AWAY}left:400px'>{BUTTON}</div></div>",
    "left of a box that scrolls": "<div style='position:relative;overflow:auto;width:300px;height:90px'>"
    f"<div style='{AWAY}left:-400px'>{BUTTON}</div></div>",
    "the next slide": "<div style='overflow:hidden;width:300px'><div style='display:flex'>"
    f"<p style='flex:0 0 300px'>one</p><p style='flex:0 0 300px'>{BUTTON}</p></div></div>",
    "indented away": f"<div style='text-indent:-9999px;overflow:hidden;white-space:nowrap'>{BUTTON}</div>",
    "transparent": "<button style='opacity:0'>Go</button>",
    "in something transparent": f"<div style='opacity:0'><div>{BUTTON}</div></div>",
    "a transparent filter": f"<div style='filter:opacity(0)'>{BUTTON}</div>",
    "scaled to nothing": f"<div style='transform:scale(0)'>{BUTTON}</div>",
    "scaled to nothing in height": f"<div style='scale:1 0'>{BUTTON}</div>",
    "cut by clip-path": f"<div style='clip-path:inset(0 0 100% 0)'>{BUTTON}</div>",
    "cut to a circle without radius": f"<div style='clip-path:circle(0 at 50% 50%)'>{BUTTON}</div>",
    "cut to an empty polygon": f"<div style='clip-path:polygon(0 0,100% 0,100% 0,0 0)'>{BUTTON}</div>",
    "cut by clip": f"<div style='{AWAY}clip:rect(0,0,0,0)'>{BUTTON}</div>",
    "a skip link": f"<a href='#x' style='{SPEAKS}'>Go</a>",
    "a collapsed answer": "<div style='max-height:0;overflow:hidden'><p>words</p></div>",
    "a checkbox in what is collapsed": "<div style='height:0;overflow:hidden'><label><input type=checkbox>words</label>"
    "</div>",
}
SHOWN = {
    "below the window": f"<div style='height:5000px'></div>{BUTTON}",
    "right of the window": f"<div style='width:5000px;text-align:right'>{BUTTON}</div>",
    "below in a box that scrolls": f"<div style='height:90px;overflow:auto'><div style='height:900px'></div>{BUTTON}"
    f"</div>",
    "right in a box that scrolls": "<div style='width:90px;overflow-x:scroll'>"
    f"<div style='width:900px;text-align:right'>{BUTTON}</div></div>",
    "out of a box without height": f"<div style='height:0'>{BUTTON}</div>",
    "a box that does not position what it holds": "<div style='height:0;overflow:hidden'>"
    f"<div style='{AWAY}'>{BUTTON}</div></div>",
    "a fixed one in a box that clips": "<div style='width:0;height:0;overflow:hidden;position:relative'>"
    f"<div style='position:fixed;inset:0 auto auto 0'>{BUTTON}</div></div>",
    "without a box of its own": "<div style='display:contents'><button style='display:contents'>Go</button></div>",
    "floats in a box without height": f"<div><div style='float:left'>{BUTTON}</div></div>",
    "partly clipped": f"<div style='height:9px;overflow:hidden'>{BUTTON}</div>",
    "half transparent": "<button style='opacity:.2'>Go</button>",
    "words for screen readers": f"<p>seen <span style='{SPEAKS}'>spoken</span></p>",
    "a heading for screen readers": f"<h2 style='{SPEAKS}'>Spoken</h2><p>seen</p>",
    "a status for screen readers": f"<div role=status style='{SPEAKS}'>Spoken</div>",
    "a button with a name for screen readers": f"<button style='width:30px'><span style='{SPEAKS}'>Go</span></button>",
    "a link around a picture": "<a href='#x'><img alt=Go width=9 height=9 style='float:left'></a>",
    "a transparent checkbox with a label": "<label><input type=checkbox style='opacity:0'>words</label>",
    "a clipped checkbox with a label beside it": f"<input id=c type=checkbox style='{SPEAKS}'><label for=c>words"
    f"</label>",
    "a transparent switch with a face": "<span style='display:inline-block;width:40px;height:20px;background:red'>"
    "<input type=checkbox role=switch aria-label=On style='opacity:0;width:40px;height:20px;margin:0'></span>",
    "a file field over its button": "<label>Upload<input type=file style='opacity:0;position:absolute;inset:0'>"
    "</label>",
    "a list over its face": "<div>Two<select aria-label=N style='opacity:0;position:absolute;inset:0'>"
    "<option>Two</select>"
    "</div>",
    "a search field without width": "<div style='width:200px;height:20px;display:flex'>"
    "<input role=combobox aria-label=N style='opacity:0;width:2px;padding:0;border:0'></div>",
    "a line in a drawing": "<svg width=90 height=9><path d='M0 4h80' stroke=red role=button tabindex=0 aria-label=Go />"
    "</svg>",
    "an option in a list": "<select aria-label=N><option>one<option>two</select>",
    "what a page that stops scrolling has below": "<style>body{overflow:hidden}</style>"
    f"<div style='height:5000px'></div>{BUTTON}",
}


@table("content", NOT_SHOWN)
async def test_what_cannot_be_seen_is_marked_once(content: str, sheet: Page) -> None:
    await show(sheet, f"<h1>Page</h1>{content}")

    text = (await sheet.snapshot()).text

    assert text.count("[not-shown]") == 1, text
    assert 'heading "Page" [level=1]' in text


@table("content", SHOWN)
async def test_what_can_be_seen_or_is_read_aloud_is_not_marked(content: str, sheet: Page) -> None:
    await show(sheet, f"<h1>Page</h1>{content}")

    text = (await sheet.snapshot()).text

    assert "[not-shown]" not in text, text


RULES = """<style>
.drawer { position: fixed; inset: 0 auto 0 0; width: 200px; transform: translateX(-100%); transition: transform 1ms }
.open ~ .drawer { transform: none }
.panel { max-height: 0; overflow: hidden } .panel.shown { max-height: none }
.track { display: flex; overflow: hidden; width: 90px } .track p { flex: none; width: 90px; margin: 0 }
@media (max-width: 100px) { .narrow { opacity: 0 } }
</style>"""
WIDGETS = f"""{RULES}<i id=toggle></i><nav class=drawer><a href=/d>drawn</a></nav>
<div class=panel id=panel><a href=/p>in the panel</a> and <b>words</b></div>
<div class=track id=track><p><a href=/1>one</a></p><p><a href=/2>two</a></p></div>
<button class=narrow>narrow</button>{FILL}"""
CHANGES = {
    "a class of a neighbour": "toggle.className = 'open'",
    "what opens": "panel.className += ' shown'",
    "a slide by scrolling": "track.scrollLeft = 90",
    "a slide by a transform": "track.lastChild.style.transform = 'translateX(-90px)'",
    "a style attribute": "track.style.opacity = 0",
    "the value of a rule": "document.styleSheets[0].cssRules[2].style.maxHeight = 'none'",
    "another rule": "document.styleSheets[0].insertRule('#track { opacity: 0 }')",
    "a media rule": "document.styleSheets[0].cssRules[6].media.mediaText = 'all'",
    "text that grows": "panel.lastChild.textContent = 'more words'",
}


async def test_a_kept_reading_sees_what_a_fresh_one_would(sheet: Page, subtests: pytest.Subtests) -> None:
    for name, change in CHANGES.items():
        await show(sheet, WIDGETS)
        before = (await sheet.snapshot()).text
        await sheet.evaluate(change)
        await sheet.evaluate(
            "Promise.all(document.getAnimations().map((animation) => animation.finished)).then(() => 0)"
        )

        kept = (await sheet.snapshot()).text

        with subtests.test(name):
            assert before.count("[not-shown]") == 3
            assert kept != before
            assert kept == await read_anew(sheet)


async def test_text_in_what_is_not_shown_has_a_line_of_its_own(sheet: Page) -> None:
    await show(sheet, "<p>before</p><div style='opacity:0'><a href=/a>One</a> and <a href=/b>two</a></div>after")

    lines = [line.partition(" [ref")[0] for line in (await sheet.snapshot()).text.split("\n")]

    assert lines == [
        "- paragraph: before",
        "- generic [not-shown]:",
        '  - link "One"',
        "  - text: and",
        '  - link "two"',
        "- text: after",
    ]


async def test_what_frames_and_components_hide_is_marked_too(page: Page, serve: Serve) -> None:
    hidden = "<style>.away{position:absolute;left:-999px}</style><div class=away><button>Go</button></div>"
    await opened(page, serve, "")
    await page.goto(
        serve(
            f"<div id=h></div><script>h.attachShadow({{mode: 'closed'}}).innerHTML = `{hidden}`</script>"
            f'<iframe srcdoc="{hidden}"></iframe><iframe src={serve(hidden)}></iframe>'
        )
    )

    assert (await page.snapshot()).text.count('button "Go" [not-shown]') == 3

"""What opens while the mouse is over it has a ref and says so."""

from __future__ import annotations

from cdp_agent.page.page import Page

from .tables import table
from .test_reading import FILL, read_anew
from .writing import show

MENU = "<p class=menu><a href=/a>A</a> <a href=/b>B</a></p>"
TOP = f"<div class=top><button>Tools</button>{MENU}</div>"
ON_HOVER = {
    "display": f"<style>.menu{{display:none}} .top:hover .menu{{display:block}}</style>{TOP}",
    "a child": "<style>li > ul{display:none} li:hover > ul, li:focus-within > ul{display:block}</style>"
    "<ul><li><a href=/t>Tools</a><ul><li><a href=/a>A</a><ul><li><a href=/b>B</a></ul></ul></ul>",
    "visibility": f"<style>.menu{{visibility:hidden}} div:hover > .menu{{visibility:visible}}</style>{TOP}",
    "opacity of a neighbour": "<style>.menu{opacity:0} .top:hover + .menu{opacity:1}</style>"
    f"<button class=top>Tools</button>{MENU}",
    "a later neighbour": "<style>.menu{display:none} .top:is(:hover, :focus) ~ i .menu{display:block}</style>"
    f"<button class=top>Tools</button><b>-</b><i>{MENU}</i>",
    "a height": f"<style>.menu{{max-height:0;overflow:hidden}} .top:hover .menu{{max-height:20em}}</style>{TOP}",
    "a scale": f"<style>.menu{{transform:scaleY(0)}} .top:hover .menu{{transform:none}}</style>{TOP}",
    "what is far away": "<style>.menu{position:absolute;left:-999em} .top:hover .menu{left:auto}</style>" + TOP,
    "a nested rule": f"<style>.menu{{display:none}} .top{{&:hover .menu{{display:block}}}}</style>{TOP}",
    "a group of utility classes": "<style>.menu{display:none} .on-hover{&:is(:where(.group):hover *)"
    "{@media (width > 1px){display:block}}}</style>"
    f"<div class=group><button>Tools</button><div class='menu on-hover'>{MENU}</div></div>",
    "what has no control": "<style>.menu{display:none} .top:hover .menu{display:block}</style>"
    f"<div class=top><b>Tools</b>{MENU}</div>",
}


@table("content", ON_HOVER)
async def test_what_opens_on_hover_has_a_ref_and_says_so(sheet: Page, content: str) -> None:
    await show(sheet, content)

    text = (await sheet.snapshot()).text

    assert '"Tools" [opens on hover] [ref=' in text
    assert text.count("[opens on") == 1


OTHERWISE = {
    "a colour": "<style>.top:hover a{color:red}</style><div class=top><a href=/>A</a></div>",
    "a tooltip": "<style>.tip{display:none} button:hover .tip{display:block}</style>"
    "<button>Save<i class=tip>Saves</i></button>",
    "what is open": f"<style>.top:hover .menu{{display:block}}</style>{TOP}",
    "what hides on hover": f"<style>.menu,.top:hover .menu{{display:none}}</style>{TOP}",
    "a link beside a heading": "<style>h2 a{visibility:hidden} h2:hover > a{visibility:visible}</style>"
    "<h2>Usage<a href=#usage>¶</a></h2>",
}


@table("content", OTHERWISE)
async def test_what_opens_no_menu_has_no_such_mark(sheet: Page, content: str) -> None:
    await show(sheet, content)

    assert "[opens on" not in (await sheet.snapshot()).text


async def test_what_opens_with_the_focus_in_it_says_that(sheet: Page) -> None:
    await show(sheet, f"<style>.menu{{display:none}} .top:focus-within .menu{{display:block}}</style>{TOP}")

    assert 'button "Tools" [opens on focus] [ref=' in (await sheet.snapshot()).text


async def test_a_menu_that_comes_to_be_one_is_read_as_a_fresh_reading_would(sheet: Page) -> None:
    await show(sheet, f"<style>.menu{{display:none}} .on:hover .menu{{display:block}}</style>{TOP}{FILL}")
    before = (await sheet.snapshot()).text

    await sheet.evaluate("document.querySelector('.top').classList.add('on')")
    during = (await sheet.snapshot()).text
    assert "[opens on hover]" in during
    assert during == await read_anew(sheet)

    await sheet.evaluate("document.querySelector('.top').classList.remove('on')")
    assert (await sheet.snapshot()).text == before


async def test_a_menu_opens_by_what_its_mark_stands_at(sheet: Page) -> None:
    await show(sheet, f"<style>.menu{{display:none}} .top:hover .menu{{display:block}}</style>{TOP}")
    text = (await sheet.snapshot()).text

    receipt = await sheet.hover(text.split("[ref=")[1].split("]")[0])

    assert "".join(receipt.changed).count('link "') == 2

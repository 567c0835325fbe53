"""The page's markup, cleaned for whoever reads it."""

from __future__ import annotations

import pytest

from cdp_agent.errors import StaleRef
from cdp_agent.page.page import Page
from tests.acting import ref
from tests.conftest import Serve
from tests.every_frame import PLACES, every_frame
from tests.writing import opened


async def test_scripts_styles_comments_and_handlers_are_left_out(page: Page, serve: Serve) -> None:
    await opened(
        page,
        serve,
        "<!doctype html><html lang=en><head><title>Tea &amp; co</title><style>p{color:red}</style><link rel=icon>"
        "<script>1</script></head><body><!-- a comment --><p onclick='go()' style='color:red' class=lead id=a>\n"
        "  Tea <b>&lt;now&gt;</b></p><noscript>no</noscript><template><i>t</i></template><img src=/a alt='\"A\"'>"
        "<pre>a\n  b</pre><input type=password value=secret><input value=open disabled></body></html>",
    )

    found = await page.clean_html()

    assert (found.text, found.cut) == (
        '<html lang="en"><head><title>Tea &amp; co</title></head><body><p class="lead" id="a"> Tea <b>&lt;now&gt;</b>'
        '</p><img src="/a" alt="&quot;A&quot;"><pre>a\n  b</pre><input type="password"><input value="open" disabled>'
        "</body></html>",
        0,
    )


async def test_line_breaks_that_a_style_keeps_stay(page: Page, serve: Serve) -> None:
    style = "<style>.kept{white-space:pre-wrap}.long{white-space:nowrap}</style>"
    await opened(page, serve, f"{style}<div class=kept>a\n  b</div><div class=long>a\n  b</div>")

    html = (await page.clean_html()).text

    assert html.endswith('<div class="kept">a\n  b</div><div class="long">a b</div></body></html>')


async def test_an_element_comes_alone(page: Page, serve: Serve) -> None:
    await opened(page, serve, "<p>before</p><button><b>Go</b></button>")

    assert (await page.clean_html(await ref(page, "Go"))).text == "<button><b>Go</b></button>"


async def test_every_frame_and_shadow_root_is_inside_and_an_element_in_each_comes_alone(
    page: Page, serve: Serve
) -> None:
    await page.goto(every_frame(serve))

    html = (await page.clean_html()).text

    assert [html.count(f"needle in {place}<") for place in PLACES] == [1] * len(PLACES)
    assert html.index("needle in other-site") < html.index("needle in deep") < html.index("needle in open-root")
    assert html.count('<template shadowrootmode="open">') == 2
    refs = {each.name: each.ref for each in (await page.snapshot()).refs.values()}
    for place in PLACES:
        html = (await page.clean_html(refs[f"link in {place}"])).text
        assert html == f'<a class="where" href="/{place}">link in {place}</a>'


async def test_a_long_page_is_cut_before_a_tag(page: Page, serve: Serve) -> None:
    await opened(page, serve, "<p class=a>word word word</p>" * 500)

    found = await page.clean_html(budget_tokens=200)

    assert found.text.endswith("</p>") or found.text.endswith("word")
    assert found.cut == len((await page.clean_html()).text) - len(found.text)


async def test_a_very_deep_page_is_read(page: Page, serve: Serve) -> None:
    await opened(page, serve, "<div>" * 500 + "bottom")

    assert "bottom" in (await page.clean_html()).text


async def test_a_ref_that_is_gone_is_named(page: Page, serve: Serve) -> None:
    await opened(page, serve, "<button>Go</button>")
    await ref(page, "Go")
    await page.evaluate("document.querySelector('button').remove()")

    with pytest.raises(StaleRef):
        await page.clean_html("E1")

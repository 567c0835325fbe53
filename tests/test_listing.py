"""What a page lists: entries, their boxes, and the text beside them."""

from __future__ import annotations

import pytest

from cdp_agent.page.page import Page, tab_of
from cdp_agent.page.query.listing import Listing, ListingEntry, ListingRules, listing
from tests.conftest import Serve

ALONE = ListingRules(links="a[href]:has(h3)", title="h3", rest=True)


async def test_an_entry_has_its_title_its_absolute_address_and_the_first_text_that_is_there(
    page: Page, serve: Serve
) -> None:
    content = """<base href="https://shop.example/mugs/"><ul>
        <li class=item><a href="blue?a=1&amp;b=2">Blue <b>mug</b></a><p>Of tin.
            <p class=said>It is<br>blue<script>1</script>.
        <li><a href="/no-item">Something else</a>
        <li class=item><a href="//other.example">Cup</a><p>Of <i class=no>real</i>glass.</ul>"""
    await page.goto(serve(content))

    found = await listing(
        tab_of(page), ListingRules(links="a", box=".item", texts=(".said", "p"), without=".no"), [".item", "form"]
    )

    mug = ListingEntry("Blue mug", "https://shop.example/mugs/blue?a=1&b=2", "It is blue.")
    assert found == Listing([mug, ListingEntry("Cup", "https://other.example/", "Of glass.")], [True, False])


async def test_without_a_box_an_entry_reaches_as_far_as_its_link_is_alone(page: Page, serve: Serve) -> None:
    entry = "<div><div><a href='https://{0}.example/'><h3>{0}</h3>{0}.example</a></div><div>All of {0}</div></div>"
    around = f"<p>Before</p><main>{entry.format('a')}{entry.format('b')}</main><p>After</p>"
    await page.goto(serve(around))

    found = await listing(tab_of(page), ALONE)

    assert found.entries == [
        ListingEntry("a", "https://a.example/", "All of a"),
        ListingEntry("b", "https://b.example/", "All of b"),
    ]


async def test_a_lone_entry_ends_where_the_list_does(page: Page, serve: Serve) -> None:
    await page.goto(
        serve("<p>Before<div id=list><div><a href='https://a.example/'><h3>a</h3></a><p>All of a</div></div>")
    )

    found = await listing(tab_of(page), ListingRules(links="a", within=("#none", "#list"), title="h3", rest=True))

    assert found.entries == [ListingEntry("a", "https://a.example/", "All of a")]


@pytest.mark.parametrize("content", ["", "<frameset></frameset>", "<svg><a href='x'><text>t</text></a></svg>"])
async def test_a_page_without_entries_lists_none(page: Page, serve: Serve, content: str) -> None:
    await page.goto(serve(content))

    assert await listing(tab_of(page), ALONE, ["h3"]) == Listing([], [False])


async def test_fields_with_the_names_of_properties_and_endless_nesting_do_no_harm(page: Page, serve: Serve) -> None:
    names = "".join(f"<input name={name}>" for name in ("parentNode", "firstChild", "querySelectorAll", "matches"))
    script = """let at = document.forms[0];
        for (let i = 0; i < 3000; i++) at = at.appendChild(document.createElement('span'));
        at.textContent = 'ground \\ud800'"""
    await page.goto(serve(f"<form>{names}<a href='https://a.example/'><h3>a</h3></a></form><script>{script}</script>"))

    found = await listing(tab_of(page), ALONE)

    assert found.entries == [ListingEntry("a", "https://a.example/", "ground \ufffd")]

"""Search engines in a tab: what their pages show, and that nothing else of the browser is touched."""

from __future__ import annotations

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from cdp_agent.browser import Browser
from cdp_agent.errors import ActionError
from cdp_agent.page.page import Page
from cdp_agent.websearch import Results, Search, configure
from cdp_agent.websearch.tab import unwrap
from tests import result_pages as pages
from tests.conftest import Serve
from tests.detached import DetachedChrome

PATHS = {"duckduckgo": "/html/", "google": "/search", "bing": "/search"}


def engine(name: str, serve: Serve, content: str) -> Search:
    """The engine of that name, on the test's server."""
    url = serve(content, path=PATHS[name])
    return configure(name, base_url=url.removesuffix(PATHS[name]), environment={})


@pytest.mark.parametrize(
    ("name", "content", "shown"),
    [("duckduckgo", pages.DUCKDUCKGO, "DuckDuckGo"), ("google", pages.GOOGLE, "Google"), ("bing", pages.BING, "Bing")],
)
async def test_the_results_come_with_their_own_addresses(
    browser: Browser, serve: Serve, name: str, content: str, shown: str
) -> None:
    found = await engine(name, serve, content).find("tea", browser=browser)

    assert found == Results("tea", shown, pages.FOUND)


async def test_searches_for_other_words_are_no_results_and_highlighting_is_left_out(
    browser: Browser, serve: Serve
) -> None:
    content = """<div id=rso><div><a href="/search?q=green+tea"><h3>Green tea</h3></a></div>
<div><a href="https://www.google.com/search?q=tea+pot"><h3>Tea pot</h3></a></div>
<div><a href="https://tea.example/a#history:~:text=first,leaf"><h3>History</h3></a></div>
<div><a href="https://tea.example/b#:~:text=leaf"><h3>Leaves</h3></a></div>
<div><a href="https://tea.example/b"><h3>Leaves again</h3></a></div></div>"""

    found = await engine("google", serve, content).find("tea", browser=browser)

    assert [each.url for each in found.results] == ["https://tea.example/a#history", "https://tea.example/b"]


async def test_results_read_as_a_list() -> None:
    found = Results("tea", "Bing", pages.FOUND)

    assert found.text == (
        "Bing found for 'tea':\n"
        "1. Tea – the free encyclopedia\n   https://en.wikipedia.org/wiki/Tea?a=1&b=2\n"
        "   Tea is an aromatic beverage.\n"
        "2. Mugs & more\n   https://mugs.example/shop\n   All mugs, from 4 € on."
    )


@pytest.mark.parametrize(
    ("name", "content"), [("duckduckgo", pages.DUCKDUCKGO_NONE), ("bing", pages.BING_NONE)], ids=["duckduckgo", "bing"]
)
async def test_that_there_is_nothing_is_said(browser: Browser, serve: Serve, name: str, content: str) -> None:
    found = await engine(name, serve, content).find("qzx", browser=browser)

    assert (found.results, found.markdown) == ([], "")
    assert "found nothing for 'qzx'" in found.text


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("duckduckgo", pages.DUCKDUCKGO_CHALLENGE, "DuckDuckGo asks for proof that a person is searching"),
        ("google", pages.GOOGLE_CHALLENGE, "Google asks for proof that a person is searching"),
        ("google", pages.GOOGLE_CONSENT, "Google asks a person to agree to its terms"),
        ("bing", pages.BING_CHALLENGE, "Bing asks for proof that a person is searching"),
    ],
)
async def test_what_only_a_person_can_pass_is_named(
    browser: Browser, serve: Serve, name: str, content: str, why: str
) -> None:
    with pytest.raises(ActionError, match=why):
        await engine(name, serve, content).find("tea", browser=browser)


@pytest.mark.parametrize("name", PATHS)
async def test_a_page_in_another_form_comes_as_markdown(browser: Browser, serve: Serve, name: str) -> None:
    found = await engine(name, serve, pages.CHANGED).find("tea", browser=browser)

    assert (found.results, found.markdown) == (
        [],
        "[Tea for all](https://tea.example/all)\n\nIt looks different today.",
    )
    assert "no results in the usual form" in found.text


async def test_a_long_page_in_another_form_is_cut(browser: Browser, serve: Serve) -> None:
    content = "<main>" + "<p>It looks very different indeed today, and goes on.</p>" * 2000

    found = await engine("bing", serve, content).find("tea", browser=browser)

    assert len(found.markdown) < 3_000 * 6


async def test_no_more_results_than_asked_for(browser: Browser, serve: Serve) -> None:
    found = await engine("google", serve, pages.GOOGLE).find("tea", browser=browser, max_results=1)

    assert found.results == pages.FOUND[:1]


async def test_the_query_arrives_as_it_was_given(browser: Browser, httpserver: HTTPServer) -> None:
    queries: list[str] = []

    def answer(request: Request) -> Response:
        queries.append(request.args["q"])
        return Response(pages.BING, content_type="text/html")

    httpserver.expect_request("/search").respond_with_handler(answer)
    search = configure("bing", base_url=httpserver.url_for("/"), environment={})

    await search.find('"te & a" +été #1', browser=browser)

    assert queries == ['"te & a" +été #1']


async def test_an_engine_that_cannot_be_reached_is_an_action_error(browser: Browser) -> None:
    search = configure("duckduckgo", base_url="http://127.0.0.1:9", environment={})

    with pytest.raises(ActionError):
        await search.find("tea", browser=browser)


async def test_the_tab_is_closed_also_after_a_failure(browser: Browser, page: Page, serve: Serve) -> None:
    before = browser.pages
    await engine("bing", serve, pages.BING).find("tea", browser=browser)
    with pytest.raises(ActionError):
        await engine("duckduckgo", serve, pages.DUCKDUCKGO_CHALLENGE).find("tea", browser=browser)

    assert browser.pages == before


async def test_a_person_keeps_the_tab_in_front(detached: DetachedChrome, serve: Serve) -> None:
    async with Browser.connect(detached.endpoint) as browser:
        theirs = await browser.new_page(serve("<title>Theirs"))
        await theirs.evaluate("window.left = 0; addEventListener('visibilitychange', () => left++)")
        shown = await theirs.evaluate("document.visibilityState")

        await engine("duckduckgo", serve, pages.DUCKDUCKGO).find("tea", browser=browser)

        assert await theirs.evaluate("[document.visibilityState, left]") == [shown, 0]


async def test_the_agents_tab_stays_in_front_in_a_chrome_of_ours(browser: Browser, page: Page, serve: Serve) -> None:
    await page.goto(serve("<title>Agent"))
    await page.evaluate(
        "window.left = 0; addEventListener('visibilitychange', () => left++); addEventListener('blur', () => left++)"
    )

    await engine("duckduckgo", serve, pages.DUCKDUCKGO).find("tea", browser=browser)

    assert await page.evaluate("[document.visibilityState, document.hasFocus(), left]") == ["visible", True, 0]


@pytest.mark.parametrize(
    ("wrapped", "address"),
    [
        ("https://duckduckgo.com/l/?uddg=https%3A%2F%2Fa.example%2F%3Fx%3D1%262&rut=1", "https://a.example/?x=1&2"),
        ("https://www.google.com/url?q=https://a.example/&sa=U", "https://a.example/"),
        ("https://www.google.no/url?url=https://a.example/", "https://a.example/"),
        ("http://127.0.0.1:8/url?q=https://a.example/", "https://a.example/"),
        (pages.bing_link("https://a.example/ø").replace("&amp;", "&"), "https://a.example/ø"),
        ("https://www.google.com/url?q=https://duckduckgo.com/l/?uddg=https://a.example/", "https://a.example/"),
        ("https://www.bing.com/ck/a?u=a1%%%", "https://www.bing.com/ck/a?u=a1%%%"),
        ("https://www.google.com/url?q=javascript:alert(1)", "https://www.google.com/url?q=javascript:alert(1)"),
        ("https://shop.example/url?q=https://a.example/", "https://shop.example/url?q=https://a.example/"),
        ("https://notbing.com/ck/a?u=a1", "https://notbing.com/ck/a?u=a1"),
        ("https://notgoogle.com/url?q=https://a.example/", "https://notgoogle.com/url?q=https://a.example/"),
        ("http://[", "http://["),
    ],
)
def test_wrappers_are_taken_off(wrapped: str, address: str) -> None:
    assert unwrap(wrapped, "http://127.0.0.1:8/search") == address

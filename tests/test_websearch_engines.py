"""Search engines in a tab: what their pages show, and that nothing else of the browser is touched."""

from __future__ import annotations

from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from cdp_agent.browser import Browser
from cdp_agent.errors import ActionError
from cdp_agent.page.page import Page
from cdp_agent.websearch import Results, Search, configure
from cdp_agent.websearch.engines import bing, duckduckgo, google
from cdp_agent.websearch.tab import read, unwrap
from tests import result_pages as pages
from tests.conftest import Serve
from tests.tables import table
from tests.writing import write

PATHS = {"duckduckgo": "/html/", "google": "/search", "bing": "/search"}


ENGINES: dict[str, Any] = {"duckduckgo": duckduckgo, "google": google, "bing": bing}


def engine(name: str, serve: Serve, content: str) -> Search:
    """The engine of that name, on the test's server."""
    url = serve(content, path=PATHS[name])
    return configure(name, base_url=url.removesuffix(PATHS[name]), environment={})


async def shown(page: Page, name: str, content: str, query: str = "tea", max_results: int = 10) -> Results:
    """What is read where the page has that content."""
    await write(page, content)
    return await read(ENGINES[name], query, page, max_results)


RESULTS = [
    ("duckduckgo", pages.DUCKDUCKGO, "DuckDuckGo"),
    ("google", pages.GOOGLE, "Google"),
    ("bing", pages.BING, "Bing"),
]
NONE = [("duckduckgo", pages.DUCKDUCKGO_NONE), ("bing", pages.BING_NONE)]
OBSTACLES = [
    ("duckduckgo", pages.DUCKDUCKGO_CHALLENGE, "DuckDuckGo asks for proof that a person is searching"),
    ("google", pages.GOOGLE_CHALLENGE, "Google asks for proof that a person is searching"),
    ("google", pages.GOOGLE_CONSENT, "Google asks a person to agree to its terms"),
    ("bing", pages.BING_CHALLENGE, "Bing asks for proof that a person is searching"),
]
OTHER_WORDS = """<div id=rso><div><a href="/search?q=green+tea"><h3>Green tea</h3></a></div>
<div><a href="https://www.google.com/search?q=tea+pot"><h3>Tea pot</h3></a></div>
<div><a href="https://tea.example/a#history:~:text=first,leaf"><h3>History</h3></a></div>
<div><a href="https://tea.example/b#:~:text=leaf"><h3>Leaves</h3></a></div>
<div><a href="https://tea.example/b"><h3>Leaves again</h3></a></div></div>"""


async def test_what_a_page_of_results_shows(page: Page, serve: Serve, subtests: pytest.Subtests) -> None:
    await page.goto(serve("", path="/search"))
    for name, content, told in RESULTS:
        with subtests.test("results come with their own addresses", name=name):
            assert await shown(page, name, content) == Results("tea", told, pages.FOUND)
    with subtests.test("no more than asked for"):
        assert (await shown(page, "google", pages.GOOGLE, max_results=1)).results == pages.FOUND[:1]
    with subtests.test("searches for other words are no results and highlighting is left out"):
        found = await shown(page, "google", OTHER_WORDS)
        assert [each.url for each in found.results] == ["https://tea.example/a#history", "https://tea.example/b"]
    with subtests.test("a result with links below it has its text"):
        found = await shown(page, "google", pages.GOOGLE_SUB_LINKS)
        assert [(each.title, each.snippet) for each in found.results] == [
            ("Tea house", "Teas of all kinds."),
            ("Green", "Green teas."),
            ("Black", ""),
            ("Mugs", "All mugs."),
        ]
    for name, content in [("google", pages.GOOGLE_QUESTIONS), ("bing", pages.BING_QUESTIONS)]:
        with subtests.test("questions that others asked are no results", name=name):
            found = await shown(page, name, content)
            assert [(each.url, each.snippet) for each in found.results] == [
                ("https://tea.example/", "Teas of all kinds.")
            ]
    for name, content in NONE:
        with subtests.test("that there is nothing is said", name=name):
            found = await shown(page, name, content, "qzx")
            assert (found.results, found.markdown) == ([], "")
            assert "found nothing for 'qzx'" in found.text
    for name, content, why in OBSTACLES:
        with subtests.test("what only a person can pass is named", why=why), pytest.raises(ActionError, match=why):
            await shown(page, name, content)
    for name in PATHS:
        with subtests.test("a page in another form comes as Markdown", name=name):
            found = await shown(page, name, pages.CHANGED)
            as_markdown = "[Tea for all](https://tea.example/all)\n\nIt looks different today."
            assert (found.results, found.markdown) == ([], as_markdown)
            assert "no results in the usual form" in found.text
    with subtests.test("a long page in another form is cut"):
        long = "<main>" + f"<p>{'different ' * 1000}</p>" * 10
        assert len((await shown(page, "bing", long)).markdown) < 3_000 * 6


@pytest.mark.parametrize(
    ("status", "content", "why"),
    [
        (
            429,
            "<h1>Too Many Requests</h1>",
            r"refused the search \(HTTP 429\): it had too many requests. Search again later",
        ),
        (503, "<h1>Unavailable</h1>", r"refused the search \(HTTP 503\). Search again later"),
        (429, pages.BING_CHALLENGE, "asks for proof that a person is searching"),
    ],
    ids=["too many", "unavailable", "challenge"],
)
async def test_a_page_that_is_an_error_is_no_answer(
    browser: Browser, httpserver: HTTPServer, status: int, content: str, why: str
) -> None:
    httpserver.expect_request("/search").respond_with_data(content, status=status, content_type="text/html")
    search = configure("bing", base_url=httpserver.url_for("/"), environment={})

    with pytest.raises(ActionError, match=f"Bing {why}"):
        await search.find("tea", browser=browser)


async def test_results_read_as_a_list() -> None:
    found = Results("tea", "Bing", pages.FOUND)

    assert found.text == (
        "Bing found for 'tea':\n"
        "1. Tea – the free encyclopedia\n   https://en.wikipedia.org/wiki/Tea?a=1&b=2\n"
        "   Tea is an aromatic beverage.\n"
        "2. Mugs & more\n   https://mugs.example/shop\n   All mugs, from 4 € on."
    )


async def test_the_query_arrives_as_it_was_given_and_the_tab_is_closed(
    browser: Browser, httpserver: HTTPServer
) -> None:
    queries: list[str] = []

    def answer(request: Request) -> Response:
        queries.append(request.args["q"])
        return Response(pages.BING, content_type="text/html; charset=utf-8")

    httpserver.expect_request("/search").respond_with_handler(answer)
    search = configure("bing", base_url=httpserver.url_for("/"), environment={})
    before = browser.pages

    found = await search.find('"te & a" +été #1', browser=browser)

    assert (queries, found.results) == (['"te & a" +été #1'], pages.FOUND)
    assert browser.pages == before


async def test_an_engine_that_cannot_be_reached_is_an_action_error_and_the_tab_is_closed(browser: Browser) -> None:
    search = configure("duckduckgo", base_url="http://127.0.0.1:9", environment={})
    before = browser.pages

    with pytest.raises(ActionError):
        await search.find("tea", browser=browser)

    assert browser.pages == before


async def test_the_agents_tab_stays_in_front_in_a_chrome_of_ours(browser: Browser, page: Page, serve: Serve) -> None:
    await page.goto(serve("<title>Agent"))
    await page.evaluate(
        "window.left = 0; addEventListener('visibilitychange', () => left++); addEventListener('blur', () => left++)"
    )

    await engine("duckduckgo", serve, pages.DUCKDUCKGO).find("tea", browser=browser)

    assert await page.evaluate("[document.visibilityState, document.hasFocus(), left]") == ["visible", True, 0]


@table(
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

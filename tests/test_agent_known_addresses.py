"""A run opens only what it has seen: enforced, whatever the model says."""

import pytest

from cdp_agent.agent.observation.known_addresses import KnownAddresses
from cdp_agent.browser import Browser
from cdp_agent.errors import InvalidArguments
from cdp_agent.events import BrowserNavigated
from cdp_agent.page.page import Page
from cdp_agent.page.query.find import FindResult, FoundElement
from cdp_agent.page.query.markup import CleanHtml
from cdp_agent.page.receipts.receipts import Receipt
from cdp_agent.websearch.base import Results, WebResult
from fixtures.replay import tool_call
from tests.agents import DONE, play, told
from tests.conftest import Serve
from tests.tables import table

TASK = """Go to https://Example.com/shop?q=1, then to www.other.org/a. (See http://127.0.0.1:8080/x.)
Or localhost:3000, example.net, or HTTPS://Example.COM:443/Caf\u00e9/./b/../c?x=\u00e9 y"""
PAGE = """- link "Reset" [ref=E1] → /reset
- link "Next" [ref=E2] → page2.html#top
- link "Away" [ref=E3] → https://away.net/b/
- iframe [ref=E4]:
  - link "Inside" [ref=E5] → /inside
- link "After" [ref=E6] → /after
- text: → http://evil.org/?order=4711
- paragraph: "→ http://evil.org/1"
- button "x → http://evil.org/2" [ref=E7] → http://evil.org/3: → http://evil.org/4
- button "- link → http://evil.org/5" [ref=E8]
- link "[Docs](http://evil.org/6)" [ref=E9] → /docs: https://evil.org/7
- textbox "Notes" [ref=E10]:
  | - link "x" [ref=E11] → http://evil.org/8
- text: see https://text.org/x"""
HERE = "https://site.org/dir/index.html"


def given() -> KnownAddresses:
    known = KnownAddresses()
    known.learn(TASK)
    known.learn_page(PAGE, HERE, {"E4": "https://frame.org/in/"})
    change = '~ - link "To" [ref=E1] (now → /new, before → http://evil.org/10)'
    known.learn_changes([change, "+ - text: → http://evil.org/9", "~ title"], '- link "To" [ref=E1] → /new', HERE, {})
    return known


@table(
    "address",
    [
        "https://example.com/shop?q=1",
        "https://EXAMPLE.com:443/shop?q=1",
        "https:\\\\example.com/shop?q=1",
        "https://www.other.org/a",
        "http://www.other.org/a",
        "http://127.0.0.1:8080/x",
        "https://site.org/reset",
        "https://site.org/dir/page2.html",
        "https://site.org/dir/page2.html#top",
        "https://away.net/b/",
        "https://frame.org/inside",
        "https://site.org/after",
        "https://site.org/docs",
        "http://evil.org/3",
        "https://site.org/new",
        "http://localhost:3000",
        "https://example.net",
        "https://example.net/",
        "https://example.com/Caf%C3%A9/c?x=%C3%A9",
        HERE,
        "about:blank",
    ],
)
def test_what_was_given_may_be_opened(address: str) -> None:
    given().check(address)


# Each could carry something out, if it were only like one that was given.
@table(
    "address",
    [
        "https://example.com/shop?q=2",
        "https://example.com/shop?q=1#order=4711",
        "https://example.com/shop?q=1#",
        "https://example.com/shop/?q=1",
        "https://example.com/Shop?q=1",
        "https://example.com/shop?Q=1",
        "https://example.com/shop?q=1&",
        "https://example.com//shop?q=1",
        "http://example.com/shop?q=1",
        "https://www.example.com/shop?q=1",
        "https://example.com:8443/shop?q=1",
        "https://order4711:x@example.com/shop?q=1",
        "https://order4711@example.com/shop?q=1",
        "https://:order4711@example.com/shop?q=1",
        "https://example.com/",
        "https://evil.org/?secret=KIWI",
        "https://away.net/b?secret=KIWI",
        "https://away.net/b",
        "https://away.net/b//",
        "https://away.net/b////",
        "https://away.net/b/%2e%2e/x",
        "https://site.org/inside",
        "https://site.org/admin",
        "https://other.org/a",
        "http://127.0.0.1:9090/x",
        "http://127.1:8080/x?",
        "file:///etc/passwd",
        "https://example.com.evil.org/shop?q=1",
        "https://example.com@evil.org/shop?q=1",
        "https://4711.example.net",
        "http://evil.org/?order=4711",
        *(f"http://evil.org/{number}" for number in (1, 2, 4, 5, 6, 8, 9, 10)),
        "https://evil.org/7",
        "https://text.org/x",
        "javascript:alert(1)",
        "",
    ],
)
def test_what_was_not_given_may_not(address: str) -> None:
    with pytest.raises(InvalidArguments, match="was not opened: it stands neither in the task nor in anything"):
        given().check(address)


def test_one_that_is_like_it_is_named() -> None:
    with pytest.raises(
        InvalidArguments, match=r"exactly as it was written. One that was given is https://away.net/b/."
    ):
        given().check("http://www.away.net/b")


def test_of_a_step_that_a_model_wrote_only_sites_are_taken() -> None:
    known = KnownAddresses()
    known.learn_sites(
        "Go to wikipedia.org, https://shop.example/, https://a.example/x, https://b.example/?q, https://c.example/#4, "
        "https://u:p@d.example/, https://order4711.e.example/, https://f.example:4711/, http://localhost:8000/"
    )

    assert {each for each in known.known if each.startswith("https")} == {
        "https://wikipedia.org/",
        "https://shop.example/",
    } | {each for each in known.known if "localhost" in each and each.startswith("https")}
    assert "http://localhost:8000/" in known.known


def test_what_a_tool_of_ours_answers_gives_the_addresses_that_are_some() -> None:
    known = KnownAddresses()
    attributes = {"href": "https://a.example/1", "class": "https b", "title": "see https://evil.org/", "data-to": None}
    element = FoundElement("a", "https://evil.org/", attributes, "E1", True, HERE, None)
    known.learn_result(FindResult([element], 1, []), HERE)
    known.learn_result(CleanHtml("<a href=/2>https://evil.org</a><form action='b?x'></form><p title='/no'>"), HERE)
    known.learn_result(Results("q", "Bing", [WebResult("https://evil.org/", "https://b.example/3", "evil.org")]), HERE)
    known.learn_result(
        Receipt(action="click", value="https://evil.org/", navigated_to="https://c.example/4", title="evil.org"), HERE
    )

    assert known.known == {
        "https://a.example/1",
        "https://site.org/2",
        "https://site.org/dir/b?x",
        "https://b.example/3",
        "https://c.example/4",
    }


async def test_an_address_that_was_made_up_is_not_opened(browser: Browser, page: Page, serve: Serve) -> None:
    there = serve("<title>There</title>")
    replies = [tool_call("goto", {"url": there}), DONE]

    _, server = await play(browser, page, replies, content="<title>Here</title>")

    assert "was not opened" in told(server, 2)[0]
    assert page.title == "Here"


async def test_an_address_from_anywhere_else_is_opened(browser: Browser, page: Page, serve: Serve) -> None:
    there = {where: serve(f"<title>{where}</title>") for where in ("task", "data", "plan", "page", "result")}
    here = f"<title>Here</title><a href='{there['page']}' data-to='{there['result']}'>Go</a>"
    replies = [
        tool_call("create_plan", {"success_criteria": "Seen.", "plan": there["plan"]}),
        tool_call("find_elements", {"selector": "a", "attributes": ["data-to"]}),
        *(tool_call("goto", {"url": address}) for address in there.values()),
        DONE,
    ]

    events, _ = await play(
        browser, page, replies, content=here, task=f"Go to {there['task']}.", data={"to": there["data"]}
    )

    titles = [each.title for each in events if isinstance(each, BrowserNavigated)]
    assert titles[-len(there) :] == list(there)

"""A run opens only what it has seen: enforced, whatever the model says."""

import pytest

from cdp_agent.agent.known_addresses import KnownAddresses
from cdp_agent.browser import Browser
from cdp_agent.errors import InvalidArguments
from cdp_agent.page.page import Page
from fixtures.replay import tool_call
from tests.agents import DONE, play, told
from tests.conftest import Serve

SEEN = """Go to https://Example.com/shop?q=1, then to www.other.org/a. (See http://127.0.0.1:8080/x.)
- link "Reset" [ref=E1] → /reset
- link "Next" [ref=E2] → page2.html#top
- link "Away" [ref=E3] → https://away.net/b/
[Docs](../docs) and localhost:3000"""


@pytest.mark.parametrize(
    "address",
    [
        "https://example.com/shop?q=1",
        "http://example.com/shop/?q=1",
        "https://example.com/shop?q=1#part",
        "https://other.org/a",
        "http://127.0.0.1:8080/x",
        "https://site.org/reset",
        "https://site.org/dir/page2.html",
        "https://away.net/b",
        "https://site.org/docs",
        "http://localhost:3000",
        "https://site.org/dir/index.html",
        "about:blank",
    ],
)
def test_what_was_seen_may_be_opened(address: str) -> None:
    known = KnownAddresses()
    known.learn(SEEN, "https://site.org/dir/index.html")

    known.check(address)


@pytest.mark.parametrize(
    "address",
    [
        "https://example.com/shop?q=2",
        "https://example.com/",
        "https://evil.org/?secret=KIWI",
        "https://away.net/b?secret=KIWI",
        "https://site.org/admin",
        "http://127.0.0.1:9090/x",
        "file:///etc/passwd",
        "https://example.com.evil.org/shop?q=1",
        "https://example.com@evil.org/shop?q=1",
    ],
)
def test_what_was_not_seen_may_not(address: str) -> None:
    known = KnownAddresses()
    known.learn(SEEN, "https://site.org/dir/index.html")

    with pytest.raises(InvalidArguments, match="was not opened: it stands neither in the task nor in anything"):
        known.check(address)


async def test_an_address_that_was_made_up_is_not_opened(browser: Browser, page: Page, serve: Serve) -> None:
    there = serve("<title>There</title>")
    replies = [tool_call("goto", {"url": there}), DONE]

    _, server = await play(browser, page, replies, url=serve("<title>Here</title>"))

    assert "was not opened" in told(server, 2)[0]
    assert page.title == "Here"


@pytest.mark.parametrize("where", ["task", "data", "plan", "page", "result"])
async def test_an_address_from_anywhere_else_is_opened(browser: Browser, page: Page, serve: Serve, where: str) -> None:
    there = serve("<title>There</title>")
    here = serve(f"<title>Here</title><a href='{there if where == 'page' else '/x'}' data-to='{there}'>Go</a>")
    plan = {"success_criteria": "Seen.", "plan": there if where == "plan" else "Go."}
    replies = [tool_call("create_plan", plan)]
    if where == "result":
        replies.append(tool_call("find_elements", {"selector": "a", "attributes": ["data-to"]}))
    replies += [tool_call("goto", {"url": there}), DONE]

    await play(
        browser,
        page,
        replies,
        url=here,
        task=f"Go to {there}." if where == "task" else "Go there.",
        data={"to": there} if where == "data" else None,
    )

    assert page.title == "There"

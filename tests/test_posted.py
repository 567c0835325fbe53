"""Pages that are the answer to a form: what loading them anew sends, who is asked about it, and what is told."""

from __future__ import annotations

import re

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from cdp_agent.browser import Browser
from cdp_agent.decisions import Ask, Decision, Execute, Skip
from cdp_agent.errors import NavigationFailed
from cdp_agent.page.page import Page
from fixtures.replay import tool_call
from tests.acting import ref
from tests.agents import DONE, play

FORM = "<form method=post action='{}'><input name=amount value=5><button>Send</button></form><p>{} {}</p>"


class Shop:
    """A server that answers every address with a form, and counts what it was sent."""

    def __init__(self, server: HTTPServer) -> None:
        self.posts: list[str] = []
        self.url = server.url_for("/")
        server.expect_request(re.compile("/.*")).respond_with_handler(self._answer)

    def _answer(self, request: Request) -> Response:
        if request.method == "POST":
            self.posts.append(request.get_data(as_text=True))
            if request.path == "/redirects":
                return Response(status=303, headers={"Location": "/thanks"})
        action = request.args.get("action", "/done")
        kept = "max-age=60" if request.path == "/kept" else "no-store"
        text = FORM.format(action, request.method, len(self.posts))
        return Response(text, content_type="text/html", headers={"Cache-Control": kept})


@pytest.fixture
def shop(httpserver: HTTPServer) -> Shop:
    return Shop(httpserver)


async def send(page: Page, shop: Shop, action: str = "/done") -> None:
    await page.goto(f"{shop.url}?action={action}")
    await page.click(await ref(page, "Send"))


async def test_a_reload_tells_that_it_sent_the_form_again(page: Page, shop: Shop) -> None:
    await send(page, shop)

    receipt = await page.reload()

    assert receipt.note == f"the page is the answer to a form, which was sent again: POST {shop.url}done"
    assert shop.posts == ["amount=5"] * 2


@pytest.mark.parametrize("action", ["/redirects", ""], ids=["the server led elsewhere", "nothing was sent"])
async def test_a_reload_of_what_was_requested_only_is_a_plain_one(page: Page, shop: Shop, action: str) -> None:
    await (send(page, shop, action) if action else page.goto(shop.url))
    before = list(shop.posts)

    assert (await page.reload()).note == ""
    assert shop.posts == before


async def test_going_back_to_an_answer_that_chrome_has_not_kept_fails(page: Page, shop: Shop) -> None:
    await send(page, shop)
    await page.goto(shop.url)

    with pytest.raises(NavigationFailed, match="forward leads away from it, reload sends the form again"):
        await page.back()

    assert shop.posts == ["amount=5"]
    assert "was sent again" in (await page.reload()).note
    assert shop.posts == ["amount=5"] * 2


async def test_going_back_to_an_answer_that_chrome_has_kept_sends_nothing(page: Page, shop: Shop) -> None:
    await send(page, shop, "/kept")
    await page.goto(shop.url)

    await page.back()

    assert "POST 1" in (await page.snapshot()).text
    assert len(shop.posts) == 1


async def test_opening_the_address_of_an_answer_only_requests_it(page: Page, shop: Shop) -> None:
    await send(page, shop)

    assert (await page.goto(page.url)).note == ""
    assert len(shop.posts) == 1


@pytest.mark.parametrize(("decision", "times"), [(Execute(), 2), (Skip(), 1)], ids=["allowed", "not allowed"])
async def test_a_reload_is_asked_about_like_the_form(
    browser: Browser, page: Page, shop: Shop, decision: Decision, times: int
) -> None:
    await send(page, shop)
    questions = []

    async def person(ask: Ask) -> Decision:
        questions.append(ask)
        return decision

    await play(browser, page, [tool_call("reload", {}), DONE], approve=person)

    assert [str(ask.held) for ask in questions] == [f"POST {shop.url}done"]  # type: ignore[union-attr]
    assert len(shop.posts) == times

"""Which documents nothing can run in, and that those are waited for no longer than for what they do at once."""

from __future__ import annotations

import asyncio

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Response

from cdp_agent.cdp.connection import Session
from cdp_agent.page.frames.frames import _SCRIPTS_IN_MARKUP
from cdp_agent.page.page import Page, tab_of
from cdp_agent.page.receipts import stability
from tests.acting import ref
from tests.conftest import Serve
from tests.writing import opened


async def is_still(page: Page) -> bool | None:
    return (await tab_of(page).frames()).root.is_static


DOCUMENTS = [
    ("<p>One</p><a href=/x>Two</a><form><input autofocus></form><style>p { color: red }</style>", True),
    ("<p>said of onto = all</p>", False),  # it may be one: nothing is taken for certain that is not
    ("<script>1</script>", False),
    ("<script>document.currentScript.remove()</script><p>", False),
    ("<body onload='1'>", False),
    ("<img/onerror=1 src=x>", False),
    ("<svg><script>1</script></svg>", False),
    ("<iframe srcdoc='<p>'></iframe>", False),
    ("<a href='java&#115;cript:1'>x</a>", False),
    ("<meta http-equiv=refresh content='9'>", False),
    ("<object data='/x'></object>", False),
]


THROUGHOUT = (DOCUMENTS[0], DOCUMENTS[3], DOCUMENTS[8])
"""A still one, one by what was sent alone, and one by what it became alone."""


async def test_a_document_is_still_where_no_script_can_run(page: Page, serve: Serve, subtests: pytest.Subtests) -> None:
    for content, still in THROUGHOUT:
        await page.goto(serve(f"<!doctype html>{content}"))

        with subtests.test(content):
            assert await is_still(page) is still


async def test_what_was_sent_or_what_it_became_tells_that_a_script_can_run(
    page: Page, serve: Serve, subtests: pytest.Subtests
) -> None:
    for content, still in DOCUMENTS:
        await opened(page, serve, f"<!doctype html>{content}")
        world = await (await tab_of(page).frames()).root.world()

        with subtests.test(content):
            seems = await world.call("seemsScriptless", returning=bool)
            assert (seems and _SCRIPTS_IN_MARKUP.search(content) is None) is still


async def test_a_document_of_another_kind_or_with_an_opener_is_not(
    page: Page, serve: Serve, httpserver: HTTPServer
) -> None:
    httpserver.expect_request("/xml").respond_with_response(Response("<p>One</p>", content_type="application/xml"))
    await page.goto(httpserver.url_for("/xml"))
    assert await is_still(page) is False

    await page.goto(serve(f"<a href='{serve('<p>Opened')}' target=_blank rel=opener>Open</a>"))
    await page.click(await ref(page, "Open"))
    (popup,) = page.popups
    await popup.click((await popup.find("p")).elements[0].ref)
    assert await is_still(popup) is False
    await popup.close()


async def test_one_that_nobody_may_store_is(page: Page, httpserver: HTTPServer) -> None:
    private = Response("<!doctype html><p>One", content_type="text/html", headers={"Cache-Control": "no-store"})
    httpserver.expect_request("/private").respond_with_response(private)
    await page.goto(httpserver.url_for("/private"))

    assert await is_still(page) is True


async def test_a_document_in_which_a_program_ran_something_is_not_any_more(page: Page, serve: Serve) -> None:
    await page.goto(serve("<button>Go</button><p id=p>"))
    assert await is_still(page) is True

    await page.evaluate(
        "void (document.querySelector('button').onclick = () => setTimeout(() => p.textContent = 'Late', 40))"
    )
    receipt = await page.click(await ref(page, "Go"))

    assert await is_still(page) is False
    assert receipt.changed == ["+ - paragraph: Late"]


async def test_what_a_still_document_does_at_once_is_seen(page: Page, serve: Serve) -> None:
    receipt = await page.goto(
        serve("<input aria-label=City autofocus><details><summary>More</summary>Inside</details>")
    )

    assert receipt.settled == "quiet"
    assert "[focused]" in (await page.snapshot()).text
    opened = await page.click(await ref(page, "More"))
    assert any("Inside" in each for each in opened.changed)
    assert await is_still(page) is True


async def test_one_that_leads_to_another_is_waited_for_as_that_one_needs(page: Page, serve: Serve) -> None:
    late = serve("<p id=p>Soon</p><script>setTimeout(() => p.textContent = 'There', 45)</script>")
    await page.goto(serve(f"<a href='{late}'>On</a>"))

    await page.click(await ref(page, "On"))

    assert (await page.snapshot()).text == "- paragraph: There"
    assert await is_still(page) is False


async def test_events_that_come_while_something_else_is_asked_are_not_waited_for_again(
    page: Page, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = serve("<link rel=icon href=data:,><p>There")
    await page.goto(serve(f"<link rel=icon href=data:,><a href='{there}'>On</a>"))
    on = await ref(page, "On")
    activity = tab_of(page).activity

    async def slow(session: Session) -> None:
        while activity.document.url != there or await activity.wait_for_event(0.3):
            await activity.wait_for_event(0.3)

    monkeypatch.setattr(stability, "check_chrome", slow)
    monkeypatch.setattr(stability, "_ASK_EVERY_S", 60)
    async with asyncio.timeout(10):
        receipt = await page.click(on)

    assert receipt.navigated_to == there

"""Addresses that Chrome lets no page lead to: each is told as what it is, and nothing waits for it."""

from __future__ import annotations

import pytest

from cdp_agent.errors import ActionError, NavigationFailed
from cdp_agent.page.activity.network import REFUSED, RequestFailure
from cdp_agent.page.page import Page
from cdp_agent.page.receipts.stability import QUIET

from .acting import ref
from .conftest import Serve
from .writing import show

FORM = "const f = document.createElement('form'); f.action = '{}'; document.body.append(f); f.submit()"
LINK = "const a = document.createElement('a'); a.href = 'data:text/html,x'; a.target = '_blank'; a.click()"
VIEW_SOURCE = "view-source:file:///etc"
IN_PLACE = {
    "a script": ("location = 'file:///etc/passwd'", "file:///etc/passwd"),
    "a script, to a page of Chrome": ("location.href = 'chrome://settings'", "chrome://settings/"),
    "a script, to data": ("location.assign('data:text/html,x')", "data:text/html,x"),
    "a form": (FORM.format("file:///etc/passwd"), "file:///etc/passwd?"),
    "a form, to a page of Chrome": (FORM.format("chrome://settings"), "chrome://settings/?"),
}
TABS = {
    "dangling markup": ("window.open('/other?a\\n<b')", "/other?a%3Cb"),
    "two": ("window.open('data:,1'); window.open('data:,2')", "data:,2"),
}


def button(script: str) -> str:
    acting = f"document.querySelector('button').onclick = () => {{ {script} }}"
    return f"<title>P</title><button>Go</button><script>{acting}</script>"


async def test_an_address_that_a_page_may_not_lead_to_is_told(
    page: Page, serve: Serve, subtests: pytest.Subtests
) -> None:
    await page.goto(serve(""))
    for way, (script, url) in IN_PLACE.items():
        with subtests.test(way):
            await show(page, button(script))
            go = await ref(page, "Go")

            receipt = await page.click(go)

            assert receipt.failed_requests == [RequestFailure("GET", url, error=REFUSED)]
            assert receipt.text == (
                f'clicked {go} button "Go"\nfailed: GET {url} was refused by Chrome: a page may not lead there'
            )


@pytest.mark.parametrize("way", ["a script", "a script, to data", "a form, to a page of Chrome"])
async def test_a_page_that_leads_there_while_it_loads_is_not_waited_for(page: Page, serve: Serve, way: str) -> None:
    script, url = IN_PLACE[way]

    receipt = await page.goto(serve(f"<title>P</title><p>Here<script>{script}</script>"))

    assert (receipt.settled, receipt.title) == (QUIET, "P")
    assert receipt.failed_requests == [RequestFailure("GET", url, error=REFUSED)]
    assert "Here" in (await page.snapshot()).text


async def test_a_form_that_a_page_calls_off_itself_is_no_failure(page: Page, serve: Serve) -> None:
    script = FORM.format("/a") + "; location = '/b'; window.stop(); location = 'javascript:1'; location = '#c'"
    await page.goto(serve(button(script)))
    await page.snapshot()

    receipt = await page.click("E1")

    assert receipt.failed_requests == []


async def test_a_tab_that_chrome_does_not_open_is_told(page: Page, serve: Serve, subtests: pytest.Subtests) -> None:
    await page.goto(serve(""))
    for times, url in ((2, "file:///etc/passwd"), (1, "chrome://settings/"), (1, "devtools://x/"), (1, VIEW_SOURCE)):
        with subtests.test(url):
            await show(page, button(f"console.error('Not allowed to load local resource: x:y'); window.open('{url}')"))
            go = await ref(page, "Go")

            receipts = [await page.click(go) for _ in range(times)]

            assert [each.failed_requests for each in receipts] == times * [[RequestFailure("GET", url, error=REFUSED)]]


async def test_a_tab_that_stays_empty_is_told_with_what_was_not_opened(
    page: Page, serve: Serve, subtests: pytest.Subtests
) -> None:
    await page.goto(serve(""))
    for way, (script, url) in TABS.items():
        with subtests.test(way):
            before = len(page.popups)
            await show(page, button(script))

            receipt = await page.click(await ref(page, "Go"))

            opened = receipt.new_tabs[-1]
            assert opened.not_opened.endswith(url)
            assert receipt.text.endswith(f"new tab: empty, since Chrome refuses to open {opened.not_opened} in it")
            assert [each.url for each in page.popups[before:]] == [""] * len(receipt.new_tabs)
    with subtests.test("where nobody knows its address"):
        await show(page, button(LINK))

        receipt = await page.click(await ref(page, "Go"))

        assert receipt.text.split("\n")[1].startswith("new tab: empty, since ")
    with subtests.test("there is no picture of it"):
        popup = page.popups[0]
        for taking in (popup.screenshot(), popup.screenshot(full_page=True), popup.screenshot(marks=True)):
            with pytest.raises(ActionError, match="no page was ever opened in this tab"):
                await taking
        await popup.goto(page.url)
        assert await popup.screenshot()


async def test_a_server_that_leads_there_is_told(page: Page, serve: Serve) -> None:
    moved = {to: serve("", status=302, headers={"Location": to}) for to in ("data:text/html,x", "file:///etc/passwd")}
    with pytest.raises(NavigationFailed, match="redirects to an address of a kind that a server may not lead to"):
        await page.goto(moved["file:///etc/passwd"])
    await page.goto(serve(button(f"location = '{moved['data:text/html,x']}'")))
    receipt = await page.click(await ref(page, "Go"))

    assert "(it redirects to an address of a kind that a server may not lead to)" in receipt.text

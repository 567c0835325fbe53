"""What was filled in and not sent is not lost in silence with its page, and a page that always asks is left."""

from __future__ import annotations

import pytest

from cdp_agent.browser import Browser
from cdp_agent.errors import ActionError, NavigationFailed
from cdp_agent.page.page import Page
from cdp_agent.page.tab.dialogs import Dialog
from cdp_agent.session.session import Session
from cdp_agent.tools import BUILT_IN
from cdp_agent.tools.base import Context
from cdp_agent.tools.members.anthropic import MEMBERS
from cdp_agent.toolsets.driving import DrivenBrowser, refusal
from tests.acting import ref
from tests.commands import Cli
from tests.conftest import Serve
from tests.detached import DetachedChrome

# As wikis and mail: they ask once something was written, and no more when it was sent.
WIKI = """<title>Wiki</title><form method=post action=/saved>%s<button>Save</button></form><a href=/elsewhere>Leave</a>
<script>
let changed = false;
addEventListener("input", () => { changed = true });
addEventListener("submit", () => { changed = false });
addEventListener("beforeunload", event => { if (changed) event.preventDefault() });
</script>"""
AREA = "<textarea aria-label=Text></textarea>"
EDITOR = "<div contenteditable role=textbox aria-label=Text></div>"
ALWAYS = f"""<title>Always</title>{AREA}<a href=/elsewhere>Leave</a>
<script>addEventListener("beforeunload", event => event.preventDefault())</script>"""
LOST = (
    "the page asked whether to leave it, and what was filled in there and not sent would be lost: "
    'textbox E1 "Text". It stays. Send that first, or lose it with leave (--leave).'
)


async def opened(page: Page, serve: Serve, content: str) -> str:
    """Has the page, which came from another one, show this; returns the address of the other one."""
    serve("<title>Saved</title>", path="/saved")
    first = serve("<title>First</title>", path="/elsewhere")
    await page.goto(first)
    await page.goto(serve(content))
    await page.snapshot()
    return first


@pytest.mark.parametrize("field", [AREA, EDITOR, "<input aria-label=Text>"], ids=["area", "editor", "input"])
@pytest.mark.parametrize("how", ["goto", "back", "reload"])
async def test_what_was_filled_in_is_not_lost_by_going_elsewhere(
    page: Page, serve: Serve, field: str, how: str
) -> None:
    first = await opened(page, serve, WIKI % field)
    url = page.url
    await page.fill("E1", "Hello.")

    with pytest.raises(ActionError) as refused:
        await {"goto": lambda: page.goto(first), "back": page.back, "reload": page.reload}[how]()

    begins = f"{first} was not opened" if how == "goto" else "The tab stayed where it is"
    assert str(refused.value) == f"{begins}: {LOST}"
    assert page.url == url
    assert "Hello." in (await page.snapshot()).text


async def test_what_was_typed_is_not_lost_either(page: Page, serve: Serve) -> None:
    first = await opened(page, serve, WIKI % EDITOR)
    await page.type("Hello", ref="E1")

    with pytest.raises(NavigationFailed, match="would be lost: textbox E1"):
        await page.goto(first)


@pytest.mark.whole_chrome
async def test_what_was_chosen_is_not_lost_either(page: Page, serve: Serve) -> None:
    first = await opened(page, serve, WIKI % "<select aria-label=Text><option>a<option>b</select>")
    await page.select("E1", "b")

    with pytest.raises(NavigationFailed, match="would be lost: combobox E1"):
        await page.goto(first)


@pytest.mark.whole_chrome
async def test_a_page_is_left_on_purpose(page: Page, serve: Serve) -> None:
    first = await opened(page, serve, WIKI % AREA)
    await page.fill("E1", "Hello")

    receipt = await page.goto(first, leave=True)

    assert receipt.navigated_to == first
    assert "dialog beforeunload (whether to leave the page) was accepted" in receipt.text


async def test_what_was_sent_holds_nothing_up(page: Page, serve: Serve) -> None:
    first = await opened(page, serve, WIKI % AREA)

    sent = await page.fill("E1", "Hello", submit=True)

    assert sent.title == "Saved"
    assert (await page.goto(first)).title == "First"


@pytest.mark.parametrize("before", ["nothing", "a click", "an emptied field"])
async def test_a_page_that_always_asks_is_left_where_nothing_is_lost(page: Page, serve: Serve, before: str) -> None:
    first = await opened(page, serve, ALWAYS)
    await page.click("E1")
    if before == "an emptied field":
        await page.fill("E1", "Hello")
        await page.fill("E1", "")

    receipt = await page.goto(first)

    assert receipt.navigated_to == first
    assert [(each.kind, each.answer) for each in receipt.dialogs] == [("beforeunload", "accept")]


async def test_a_link_that_would_lose_it_is_asked_about(page: Page, serve: Serve) -> None:
    await opened(page, serve, WIKI % AREA)
    await page.fill("E1", "Hello")
    url = page.url

    receipt = await page.click(await ref(page, "Leave"))

    assert receipt.dialog == Dialog("beforeunload", "", url, None)
    assert "with which what was filled in and not sent is lost" in receipt.text
    assert (await page.answer_dialog(False)).navigated_to is None
    assert "Hello" in (await page.snapshot()).text


async def test_a_link_of_a_page_that_always_asks_is_followed_where_nothing_is_lost(page: Page, serve: Serve) -> None:
    await opened(page, serve, ALWAYS)
    await page.click("E1")

    assert (await page.click(await ref(page, "Leave"))).title == "First"


async def test_what_was_filled_in_stays_in_a_chrome_that_is_not_ours(detached: DetachedChrome, serve: Serve) -> None:
    async with Browser.connect(detached.endpoint) as browser:
        page = await browser.new_page()
        first = await opened(page, serve, WIKI % AREA)
        await page.fill("E1", "Hello")

        with pytest.raises(NavigationFailed, match="would be lost: textbox E1"):
            await page.goto(first)

        assert "Hello" in (await page.snapshot()).text


@pytest.mark.new_tab
@pytest.mark.whole_chrome
async def test_a_tab_is_not_closed_with_what_was_filled_in(browser: Browser, page: Page, serve: Serve) -> None:
    await opened(page, serve, WIKI % AREA)
    await browser.new_page()
    await page.fill(await ref(page, "Text"), "Hello")
    close, context = BUILT_IN["manage_tabs"], Context(page, browser)

    with pytest.raises(ActionError, match=r"t\d+ was not closed: the page asked .* would be lost: textbox E\d+ .Text"):
        await close.run(close.parse({"action": "close"}), context)
    assert "Hello" in (await page.snapshot()).text
    await close.run(close.parse({"action": "close", "leave": True}), context)

    assert page.closed


async def test_a_session_is_not_ended_with_what_was_filled_in(browser: Browser, serve: Serve) -> None:
    session = Session(browser)
    await session.call("goto", {"url": serve(WIKI % AREA)})
    page = session.page
    assert page is not None
    await session.call("fill", {"ref": await ref(page, "Text"), "value": "Hello"})

    with pytest.raises(ActionError, match=r"was not closed: .* would be lost: textbox"):
        await session.close_tabs_with_input()
    assert "Hello" in (await session.call("snapshot", {})).text
    await session.close()

    assert page.closed


@pytest.mark.chrome
def test_the_command_that_ends_a_session_asks_for_leave(cli: Cli, serve: Serve) -> None:
    page = cli.here("open", serve(WIKI % AREA)).stdout
    cli.here("fill", page.partition("[ref=")[2].partition("]")[0], "Hello")

    refused = cli.here("close", status=1)

    assert "would be lost: textbox E1 " in refused.stderr
    assert cli.here("close", "--leave").stdout == "Session 'default' has ended.\n"


async def test_vendors_tools_leave_where_nothing_is_lost_and_stay_where_something_is(page: Page, serve: Serve) -> None:
    first = await opened(page, serve, ALWAYS)
    driven = DrivenBrowser(page)
    await page.click("E1")

    assert (await driven.perform(MEMBERS["navigate"], {"url": first})).error is None
    await opened(page, serve, WIKI % AREA)
    await page.fill(await ref(page, "Text"), "Hello")
    refused = await driven.perform(MEMBERS["navigate"], {"url": first})
    link = {"type": "ref", "ref": await ref(page, "Leave")}
    clicked = await driven.perform(MEMBERS["left_click"], {"target": link})

    assert refusal(refused).endswith('would be lost: textbox E3 "Text". It stays. Send that first.')
    assert "dialog beforeunload (whether to leave the page) was dismissed" in clicked.text
    assert "Hello" in (await page.snapshot()).text

"""The tool for tabs: stable names, the agent follows, and what belongs to a person stays."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from cdp_agent.agent.agent import Agent
from cdp_agent.agent.model import prompts
from cdp_agent.browser import Browser
from cdp_agent.cdp import browser as cdp_browser
from cdp_agent.errors import ActionError, InvalidArguments
from cdp_agent.page.page import Page
from cdp_agent.tools import BUILT_IN
from cdp_agent.tools.base import Context, Observation
from cdp_agent.tools.tabs import TabList
from fixtures.replay import reply, tool_call
from tests.agents import DONE, play, told
from tests.conftest import Serve
from tests.detached import DetachedChrome


@pytest.fixture
async def connected(detached: DetachedChrome) -> AsyncIterator[Browser]:
    """A Chrome in which a person has one tab open."""
    async with Browser.connect(detached.endpoint) as person, Browser.connect(detached.endpoint) as browser:
        for page in person.pages:
            await page.close()
        theirs = await person.new_page()
        async with asyncio.timeout(5):
            while [each.target_id for each in browser.pages] != [theirs.target_id]:
                await browser.session.send(cdp_browser.GetVersion())
        yield browser


async def manage(browser: Browser, page: Page, action: str, **arguments: Any) -> Observation:
    tool = BUILT_IN["manage_tabs"]
    seen = await tool.run(tool.parse({"action": action, **arguments}), Context(page, browser))
    assert isinstance(seen, Observation)
    return seen


def listed(seen: Observation) -> list[tuple[str, str, bool]]:
    assert isinstance(seen.value, TabList)
    return [(each.id, each.url, each.current) for each in seen.value.tabs]


async def test_a_tab_that_is_opened_is_the_one_to_go_on_in(connected: Browser, serve: Serve) -> None:
    first, url = await connected.new_page(), serve("<title>Second")

    seen = await manage(connected, first, "open", url=url)

    assert seen.tab is not None
    assert (seen.tab.url, seen.tab.opener) == (url, None)
    second = f"t{seen.tab.number}"
    assert listed(seen) == [(f"t{first.number}", "about:blank", False), (second, url, True)]
    assert seen.text.split("\n") == [
        f"Opened {second}, and you are in it now.",
        f"t{first.number} about:blank",
        f'{second} "Second" {url} (you are here)',
        "1 more of a person, which are left alone.",
    ]


LINK = "<title>First</title><a href='{url}' target=_blank{rel}>Open</a><button>Keep</button>"


@pytest.mark.parametrize("rel", ["", " rel=noopener", " rel=opener"])
async def test_back_leads_from_a_tab_that_a_link_opened_to_where_the_link_is(
    browser: Browser, page: Page, serve: Serve, rel: str
) -> None:
    first = serve(LINK.format(url=serve("<title>Second</title><button>Remove all</button>"), rel=rel))
    replies = [tool_call("click", {"ref": "{{ref:link Open}}"}), tool_call("back", {}), DONE]

    _, server = await play(browser, page, replies, url=first)

    opened, back = told(server, 3)
    number = page.popups[0].number
    assert f"A new tab was opened, t{number}, and you are in it now: back leads to t{page.number}." in opened
    assert '- button "Remove all" E3' in opened
    assert f"You are back in t{page.number}, from which t{number} was opened: no page was before this one." in back
    assert f"t{number} stays open." in back
    assert back.endswith(prompts.UNCHANGED)


@pytest.mark.parametrize("changes", ["", "document.querySelector('h1').textContent = 'Invoice 2'"])
async def test_calls_after_the_way_back_to_a_tab_are_made_where_it_is_as_it_was_seen(
    browser: Browser, page: Page, serve: Serve, changes: str
) -> None:
    opened = serve(
        f"<title>Second</title><button onclick=\"opener.eval('{changes.replace(chr(39), '`')}')\">Act</button>"
    )
    first = serve(
        "<h1>Invoice 1</h1>" + LINK.format(url=opened, rel=" rel=opener") + "<button onclick='gone = 1'>Delete</button>"
    )
    act, keep, delete = (("click", {"ref": ref}) for ref in ("{{ref:button Act}}", "E2", "E3"))
    replies = [tool_call("click", {"ref": "{{ref:link Open}}"}), reply(act, ("back", {}), keep, delete), DONE]

    _, server = await play(browser, page, replies, url=first, max_actions_per_step=5)

    assert (await page.evaluate("window.gone ?? 0")) == (0 if changes else 1)
    texts = told(server, 3)[2:]
    assert 'button "Keep"' in texts[1]
    assert ("may stand for another record" in texts[2]) == bool(changes)


async def test_the_tool_is_offered_once_there_are_two_tabs(browser: Browser, page: Page, serve: Serve) -> None:
    first = serve(LINK.format(url=serve("<title>Second"), rel=""))
    replies = [
        tool_call("click", {"ref": "{{ref:link Open}}"}),
        tool_call("manage_tabs", {"action": "switch", "tab": f"t{page.number}"}),
        DONE,
    ]

    _, server = await play(browser, page, replies, url=first)

    offered = [[each["function"]["name"] for each in turn["tools"]] for turn in server.turns]
    assert "manage_tabs" not in offered[0]
    assert offered[1] == offered[2] == [*offered[0], "manage_tabs"]
    assert f"You are in t{page.number} now." in told(server, 3)[1]


async def test_back_leads_past_a_tab_that_was_closed(browser: Browser, page: Page, serve: Serve) -> None:
    third = serve("<title>Third")
    await page.goto(serve(LINK.format(url=serve(LINK.format(url=third, rel="")), rel="")))
    await page.click("E" + (await page.snapshot()).text.partition("[ref=E")[2][0])
    (second,) = page.popups
    text = (await second.snapshot()).text
    await second.click("E" + text.partition("[ref=E")[2].partition("]")[0])
    (last,) = second.popups
    await second.close()

    tool = BUILT_IN["back"]
    seen = await tool.run(tool.parse({}), Context(last, browser))

    assert isinstance(seen, Observation)
    assert seen.tab is page
    with pytest.raises(ActionError, match=f"this is the first one. This tab was opened from t{page.number}"):
        await last.back()


async def test_titles_are_told_as_they_are_now(connected: Browser, detached: DetachedChrome, serve: Serve) -> None:
    page = await connected.new_page(serve("<title>One"))
    await page.evaluate("document.title = 'Two'")
    async with Browser.connect(detached.endpoint) as other:
        seen = await manage(connected, page, "list")
        await other.renew_titles()

        assert (' "Two" ' in seen.text, page.title) == (True, "Two")
        assert other.find_page("Two").target_id == page.target_id


async def test_tabs_keep_their_names_are_switched_between_and_closed_but_for_the_last(connected: Browser) -> None:
    first, second, third = [await connected.new_page() for _ in range(3)]

    switched = await manage(connected, first, "switch", tab=str(second.number))
    assert switched.tab is second
    with pytest.raises(InvalidArguments, match=r"There is no tab 't99'\. Those there are: ") as unknown:
        await manage(connected, first, "switch", tab="t99")
    assert str(unknown.value).endswith(", ".join(f"t{each.number}" for each in (first, second, third)) + ".")
    with pytest.raises(InvalidArguments, match="switch needs the tab to go to"):
        await manage(connected, first, "switch")

    await manage(connected, first, "close", tab=f"t{second.number}")
    fourth = (await manage(connected, first, "open")).tab
    assert fourth is not None
    assert fourth.number == third.number + 1
    assert [name for name, _, _ in listed(await manage(connected, first, "list"))] == [
        f"t{each.number}" for each in (first, third, fourth)
    ]

    await manage(connected, first, "close", tab=f"t{third.number}")
    back = await manage(connected, fourth, "close")
    assert (back.tab, fourth.closed) == (first, True)
    with pytest.raises(ActionError, match=f"t{first.number} is the only tab: open another one first"):
        await manage(connected, first, "close")
    assert not first.closed


async def test_a_tab_of_a_person_is_left_alone_and_an_address_that_was_not_seen_is_not_opened(
    connected: Browser,
) -> None:
    ours = await connected.new_page()
    (theirs,) = [each for each in connected.pages if each is not ours]
    before = connected.pages

    async def refuse(address: str) -> None:
        raise InvalidArguments(f"{address} was not seen.")

    with pytest.raises(ActionError, match="belongs to a person"):
        await manage(connected, theirs, "close")
    with pytest.raises(InvalidArguments, match="There is no tab"):
        await manage(connected, ours, "switch", tab=f"t{theirs.number}")
    tool = BUILT_IN["manage_tabs"]
    with pytest.raises(InvalidArguments, match=r"https://a.example was not seen"):
        await tool.run(tool.parse({"action": "open", "url": "a.example"}), Context(ours, connected, None, refuse))
    assert connected.pages == before


async def test_the_agent_follows(browser: Browser, page: Page, serve: Serve) -> None:
    url = serve("<title>Other</title><button>Over here</button>")
    before = browser.pages

    _, server = await play(
        browser,
        page,
        [
            tool_call("manage_tabs", {"action": "open", "url": url}),
            tool_call("click", {"ref": "{{ref:button Over here}}"}),
            DONE,
        ],
        task=f"Look at {url}",
        tools=[BUILT_IN["manage_tabs"]],
    )

    assert "and you are in it now" in told(server, 2)[0]
    assert "Error" not in told(server, 3)[-1]
    (opened,) = [each for each in browser.pages if each not in before]
    assert opened.url == url
    await opened.close()


async def test_steps_lead_into_a_tab_and_back(browser: Browser, page: Page, serve: Serve) -> None:
    first = serve(LINK.format(url=serve("<title>Second</title><button>Remove all</button>"), rel=""))

    result = await Agent(browser).do(["Click 'Open'", "Go back", "Click 'Keep'"], url=first, page=page)

    assert result.success
    assert (await page.snapshot()).text.startswith('- link "Open"')
    assert '- button "Keep" [focused]' in (await page.snapshot()).text

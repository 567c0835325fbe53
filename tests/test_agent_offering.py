"""Which tools a run offers to its model, and from when."""

from __future__ import annotations

from contextlib import aclosing
from itertools import pairwise
from pathlib import Path

import pytest

from cdp_agent.agent.agent import Agent
from cdp_agent.browser import Browser
from cdp_agent.page.page import Page
from cdp_agent.tools import BUILT_IN, DEFAULT
from fixtures.replay import ReplayServer, tool_call
from tests.agents import DONE, play, result_of, scripted, told
from tests.conftest import Serve

PLAIN = "<title>Plain</title><button>Go</button><input aria-label=Name><p>Nothing to drag</p>"
ALWAYS = [*(name for name, tool in DEFAULT.items() if tool.useful_if is None), "steps"]
LOOK = tool_call("snapshot", {})


def offered(server: ReplayServer) -> list[list[str]]:
    """The tools beyond those that every page has a use for, by turns. Each begins with the tools of the one before."""
    names = [[tool["function"]["name"] for tool in turn["tools"]] for turn in server.turns]
    assert all(after[: len(before)] == before for before, after in pairwise(names))
    assert all(set(ALWAYS) <= set(turn) for turn in names)
    return [[name for name in turn if name not in ALWAYS] for turn in names]


PAGES = {
    "nothing": (PLAIN, []),
    "a draggable element": (PLAIN + "<p draggable=true>Card</p>", ["drag"]),
    "a class": (PLAIN + "<p class=ui-draggable>Card</p>", ["drag"]),
    "a description": (PLAIN + "<p role=button aria-roledescription=sortable>Card</p>", ["drag"]),
    "a cursor": (PLAIN + "<style>p {cursor: grab}</style>", ["drag"]),
    "a canvas": (PLAIN + "<canvas></canvas>", ["drag", "type_text"]),
    "a drawing": (PLAIN + "<svg width=400 height=300 onpointerdown='1'><circle r=20></circle></svg>", ["drag"]),
    "a frame": (PLAIN + "<iframe srcdoc='<p draggable=true>Card'></iframe>", ["drag"]),
    "a long table": (PLAIN + "<table>" + "<tr><td>1<td>2" * 30 + "</table>", ["read_table"]),
    "a terminal": ("<textarea aria-label='Terminal input'></textarea>", ["type_text"]),
    "a file field, without folders": (PLAIN + "<input type=file>", []),
}


@pytest.mark.parametrize(("content", "tools"), PAGES.values(), ids=PAGES)
async def test_a_tool_is_offered_where_the_page_has_a_use_for_it(
    browser: Browser, page: Page, serve: Serve, content: str, tools: list[str]
) -> None:
    _, server = await play(browser, page, [DONE], url=serve(content))

    assert offered(server) == [tools]


async def test_uploading_is_offered_with_folders_and_a_file_field(
    browser: Browser, page: Page, serve: Serve, tmp_path: Path
) -> None:
    files = serve(PLAIN + "<input type=file>")
    replies = [tool_call("goto", {"url": files}), DONE]

    _, server = await play(browser, page, replies, url=serve(PLAIN), task=files, upload_folders=[tmp_path])

    assert offered(server) == [[], ["upload"]]


async def test_uploading_is_offered_once_a_click_opened_a_chooser(
    browser: Browser, page: Page, serve: Serve, tmp_path: Path
) -> None:
    chooser = "<button onclick='i.click()'>Choose</button><input id=i type=file style='display:none'>"
    click = tool_call("click", {"ref": "{{ref:button Choose}}"})

    _, server = await play(browser, page, [click, DONE], url=serve(chooser), upload_folders=[tmp_path])

    assert offered(server) == [[], ["upload"]]


async def test_dragging_is_offered_once_something_to_drag_came(browser: Browser, page: Page, serve: Serve) -> None:
    grows = serve("<button onclick='p.draggable = true'>Edit</button><p id=p>Card</p>" + "<p>Text</p>" * 200)
    click = tool_call("click", {"ref": "{{ref:button Edit}}"})

    _, server = await play(browser, page, [click, DONE], url=grows)

    assert offered(server) == [[], ["drag"]]


async def test_answering_is_offered_from_the_first_dialog_to_the_end(
    browser: Browser, page: Page, serve: Serve
) -> None:
    asks = serve("<button onclick='p.textContent = confirm(`Sure?`)'>Ask</button><p id=p></p>")
    replies = [tool_call("click", {"ref": "{{ref:button Ask}}"}), tool_call("dialog", {"action": "accept"}), DONE]

    _, server = await play(browser, page, replies, url=asks)

    assert offered(server) == [[], ["dialog"], ["dialog"]]


async def test_a_tool_that_the_task_names_is_offered(browser: Browser, page: Page, serve: Serve) -> None:
    _, server = await play(browser, page, [DONE], url=serve(PLAIN), task="Dragging cards, then reload. Draw forward.")

    assert offered(server) == [["drag", "forward", "reload"]]


async def test_a_tool_of_ours_that_the_caller_adds_is_offered_at_once(
    browser: Browser, page: Page, serve: Serve
) -> None:
    _, server = await play(browser, page, [DONE], url=serve(PLAIN), tools=[BUILT_IN["drag"], BUILT_IN["markdown"]])

    assert offered(server) == [["drag", "markdown"]]


async def test_a_tool_that_is_not_offered_works_all_the_same(browser: Browser, page: Page, serve: Serve) -> None:
    replies = [tool_call("drag", {"from_ref": "{{ref:button Go}}", "by": [5, 5]}), DONE]

    events, server = await play(browser, page, replies, url=serve(PLAIN))

    assert result_of(events).success
    assert "dragged" in told(server, 2)[0]
    assert offered(server) == [[], []]


async def test_a_resumed_run_offers_the_same(browser: Browser, page: Page, serve: Serve, tmp_path: Path) -> None:
    plain, cards = serve(PLAIN), serve(PLAIN + "<p draggable=true>Card</p>")
    replies = [LOOK, tool_call("goto", {"url": plain}), LOOK]
    with scripted(browser, replies, checkpoint=tmp_path) as (agent, before):
        async with aclosing(agent.stream(plain, url=cards, page=page)) as stream:
            async for _ in stream:
                if len(before.turns) == 3:
                    break

    with ReplayServer(replies=[DONE]) as after:
        async for _ in Agent.resume(browser, tmp_path, base_url=after.base_url):
            pass

    assert offered(after) == offered(before)[-1:] == [["drag"]]

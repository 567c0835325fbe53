"""A model that sees: what pictures it gets, and how a run goes on when it takes none."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from cdp_agent.agent.agent import Agent
from cdp_agent.agent.model import prompts
from cdp_agent.agent.model.history import CallResult, History
from cdp_agent.agent.state import vision
from cdp_agent.agent.state.checkpoint import load
from cdp_agent.browser import Browser
from cdp_agent.errors import PageUnresponsive
from cdp_agent.events import AgentProcessing, AgentStatus, BrowserScreenshot
from cdp_agent.page.page import Page, tab_of
from cdp_agent.page.picture.paint import Picture
from cdp_agent.page.picture.screenshot import take_picture
from cdp_agent.providers.base import Image, Text, ToolResult, User
from fixtures.replay import ReplayServer, tool_call
from tests.agents import CLICK, DONE, FILL, SHOP, WAIT, of, play, result_of
from tests.conftest import Serve
from tests.miniwob.png import grey
from tests.pictures import resize
from tests.writing import put

FIRST = Picture(b"first", "jpeg", 1280, 800)
SECOND = Picture(b"second", "jpeg", 1280, 800)


def pictures(server: ReplayServer, turn: int) -> list[bytes]:
    """What the model was shown in that turn (from 1)."""
    parts = [
        part
        for message in server.turns[turn - 1]["messages"]
        if isinstance(message["content"], list)
        for part in message["content"]
        if part["type"] == "image_url"
    ]
    return [base64.b64decode(part["image_url"]["url"].partition(",")[2]) for part in parts]


async def test_each_turn_shows_the_page_as_it_is_then(browser: Browser, page: Page) -> None:
    events, server = await play(browser, page, [FILL, DONE], content=SHOP, vision=True)

    assert result_of(events).success
    shown = [pictures(server, turn) for turn in (1, 2)]
    assert [len(each) for each in shown] == [1, 1]
    assert shown[0] != shown[1]
    assert all(each[0].startswith(b"\xff\xd8\xff") for each in shown)
    told = of(events, BrowserScreenshot)
    assert [(each.format, each.size, each.width_px, each.height_px, each.image) for each in told] == [
        ("jpeg", len(each[0]), 1280, 800, None) for each in shown
    ]
    assert [each.has_screenshot for each in of(events, AgentProcessing)] == [False, True, True, True]
    assert "Coloured boxes and labels were painted onto it" in server.turns[0]["messages"][0]["content"]


async def test_without_vision_there_is_no_picture(browser: Browser, page: Page) -> None:
    events, server = await play(browser, page, [DONE], content=SHOP)

    assert (pictures(server, 1), of(events, BrowserScreenshot)) == ([], [])
    assert "painted" not in server.turns[0]["messages"][0]["content"]


async def test_a_picture_that_shows_nothing_new_is_not_sent_again_and_events_have_it_when_asked(
    browser: Browser, page: Page
) -> None:
    events, server = await play(browser, page, [WAIT, DONE], content=SHOP, vision=True, images_in_events=True)

    assert [event.image for event in of(events, BrowserScreenshot)] == pictures(server, 1) == pictures(server, 2)


async def test_where_no_picture_can_be_had_the_text_will_do(
    browser: Browser, page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def hang(*_: Any, **__: Any) -> Picture:
        raise PageUnresponsive("It hangs.")

    monkeypatch.setattr(vision, "take_picture", hang)

    events, server = await play(browser, page, [DONE], content=SHOP, vision=True)

    assert result_of(events).success
    assert pictures(server, 1) == []
    assert "No picture of the page: It hangs." in [event.message for event in of(events, AgentStatus)]


async def test_a_secret_is_painted_over(browser: Browser, page: Page, serve: Serve) -> None:
    url = serve("<body style='margin:0;background:#fff'><p style='margin:0;font-size:60px'>tulip-44-xyz</p>")
    await resize(page, 400, 80)
    await page.goto(url)
    plain = await take_picture(tab_of(page), format="png")

    events, _ = await play(
        browser, page, [DONE], url=url, vision=True, images_in_events=True, secrets={"flower": "tulip-44-xyz"}
    )
    hidden = await take_picture(tab_of(page), hidden=lambda text: [(0, len(text))] if text else [], format="png")

    [shown] = of(events, BrowserScreenshot)
    assert shown.image is not None
    assert dark(hidden.data) > 2 * dark(plain.data)
    assert len(shown.image) < len((await take_picture(tab_of(page))).data)  # one black box takes less than letters


def dark(png: bytes) -> int:
    return sum(red < 100 for row in grey(png, top=0, bottom=70, left=0, right=400) for red in row)


@contextmanager
def blind(httpserver: HTTPServer, server: ReplayServer) -> Iterator[str]:
    """The address of a provider that refuses pictures, and otherwise answers as the server does."""

    def answer(request: Request) -> Response:
        body = request.get_data()
        if b"image_url" in body:
            return Response('{"error": {"message": "This model does not support image input."}}', 404)
        passed_on = httpx.post(f"{server.base_url}/chat/completions", content=body, trust_env=False)
        return Response(passed_on.content, passed_on.status_code, content_type=passed_on.headers["content-type"])

    httpserver.expect_request("/v1/chat/completions").respond_with_handler(answer)
    yield httpserver.url_for("/v1")


async def test_a_model_that_takes_no_pictures_goes_on_with_words(
    browser: Browser, page: Page, httpserver: HTTPServer
) -> None:
    await put(page, SHOP)
    with ReplayServer(replies=[CLICK, DONE]) as server, blind(httpserver, server) as url:
        agent = Agent(browser, model="openai-compatible/blind", base_url=url, vision=True)
        events = [event async for event in agent.stream("Find tea", page=page)]

    assert result_of(events).success
    assert len(of(events, BrowserScreenshot)) == 1
    [told] = [each.message for each in of(events, AgentStatus) if "takes no pictures" in each.message]
    assert "does not support image input" in told


async def test_a_run_goes_on_from_its_checkpoint_with_its_picture(
    browser: Browser, page: Page, serve: Serve, tmp_path: Path
) -> None:
    go = tool_call("goto", {"url": "about:blank"})
    with ReplayServer(replies=[FILL, go, DONE]) as server:
        agent = Agent(browser, model="openai-compatible/m", base_url=server.base_url, vision=True, checkpoint=tmp_path)
        stream = agent.stream("Find tea", url=serve(SHOP), page=page)
        async for event in stream:
            if event.step == 2:
                break
        await stream.aclose()
        saved = load(tmp_path)

        resumed = [event async for event in Agent.resume(browser, tmp_path, base_url=server.base_url)]

    assert saved.options.vision
    assert [each for entry in saved.history for each in images_of(entry.message)]
    assert of(resumed, BrowserScreenshot)


def images_of(message: Any) -> list[Image]:
    if isinstance(message, ToolResult):
        return list(message.images)
    return [part for part in message.parts if isinstance(part, Image)] if isinstance(message, User) else []


def test_of_the_pictures_only_the_latest_is_kept() -> None:
    history = History("Be good.")
    history.add_user_message("Task: buy it", "first view")
    before = history.tokens
    history.add_picture(FIRST)
    with_one = history.tokens
    history.add_results([CallResult("a", "Clicked.", "Clicked.")], "second view")

    history.add_picture(SECOND)

    assert history.messages()[1:] == (
        User((Text("Task: buy it\n\nfirst view"), Text(prompts.OLD_PICTURE))),
        ToolResult("a", f"Clicked.\n\nsecond view\n\n{prompts.PICTURE}", (Image(b"second", "image/jpeg"),)),
    )
    assert history.picture == Image(b"second", "image/jpeg")
    assert 1700 < with_one - before < 1750
    assert history.tokens < with_one + 100


def test_nothing_is_left_of_a_picture_when_the_history_shrinks() -> None:
    history = History("Be good.")
    history.add_user_message("Task: buy it", "first view")
    history.add_picture(FIRST)

    history.shrink()

    assert history.picture is None
    assert history.messages()[1:] == (User((Text(f"Task: buy it\n\n{prompts.OLD_VIEW}"),)),)

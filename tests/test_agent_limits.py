"""What a run may open and upload, as its model is told."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from cdp_agent.agent.agent import Agent
from cdp_agent.browser import Browser
from cdp_agent.errors import SetupError
from cdp_agent.page.page import Page
from fixtures.replay import tool_call
from tests.agents import DONE, play, told
from tests.web import Web, running


@pytest.fixture
async def web() -> AsyncIterator[Web]:
    async with running() as web:
        yield web


async def test_a_model_is_told_where_it_may_not_go_and_goes_on(browser: Browser, page: Page, web: Web) -> None:
    evil = web.origin("evil")
    start = web.put("good", "/", f"<a href='{evil}/link'>Link</a><a href='/tab' target=_blank>Tab</a>")
    web.put("good", "/tab", f"<title>Tab</title><a href='{evil}/from-tab'>Onwards</a>")
    replies = [
        tool_call("click", {"ref": "{{ref:link Link}}"}),
        tool_call("goto", {"url": f"{evil}/link"}),
        tool_call("click", {"ref": "{{ref:link Tab}}"}),
        tool_call("click", {"ref": "{{ref:link Onwards}}"}),
        DONE,
    ]

    _, server = await play(browser, page, replies, url=start, allow=["good.localhost"])
    for popup in page.popups:  # while one of the run is open, the list holds
        await popup.close()
    await page.goto(f"{evil}/after-the-run")

    why = f"{evil} is not among the allowed origins (good.localhost), so nothing was sent there."
    answers = told(server, len(server.turns))
    assert [why in each for each in answers[:4]] == [True, True, False, True]
    assert [path for path in web.paths("evil") if path != "/favicon.ico"] == ["/after-the-run"]


async def test_a_model_uploads_out_of_the_given_folders_alone(
    browser: Browser, page: Page, web: Web, tmp_path: Path
) -> None:
    (tmp_path / "given").mkdir()
    (tmp_path / "given" / "a.txt").write_text("a")
    (tmp_path / "private.txt").write_text("private")
    start = web.put("good", "/", "<input type=file aria-label=File>")
    field = "{{ref:button File}}"
    replies = [
        tool_call("upload", {"ref": field, "files": [f"{tmp_path}/given/../private.txt"]}),
        tool_call("upload", {"ref": field, "files": [f"{tmp_path}/given/a.txt"]}),
        DONE,
    ]

    _, server = await play(browser, page, replies, url=start, upload_folders=[tmp_path / "given"])

    refused, done = told(server, len(server.turns))[:2]
    assert f"may not be uploaded, only those in {tmp_path}/given, such as a.txt." in refused
    assert 'value: "a.txt"' in done


def test_a_pattern_that_is_no_origin_is_told_when_the_agent_is_made(browser: Browser) -> None:
    with pytest.raises(SetupError, match="is no origin: write"):
        Agent(browser, model="openai-compatible/x", base_url="http://127.0.0.1:9/v1", allow=["https://a.example/path"])
    with pytest.raises(SetupError, match="deny is a list, not"):
        Agent(browser, model="openai-compatible/x", base_url="http://127.0.0.1:9/v1", deny="a.example")

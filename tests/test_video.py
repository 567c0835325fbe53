"""Films of a tab: that they play, and show what was there."""

from __future__ import annotations

import asyncio
import base64
import stat
from pathlib import Path
from typing import Any

import pytest

from cdp_agent.browser import Browser
from cdp_agent.browser.instance import Instance
from cdp_agent.cdp.connection import Connection
from cdp_agent.cdp.websocket import WebSocketTransport
from cdp_agent.errors import ActionError, InvalidArguments, PageUnresponsive
from cdp_agent.page.page import Page
from cdp_agent.sync import Browser as BlockingBrowser
from tests.conftest import Serve
from tests.detached import DetachedChrome
from tests.faults import Faulty, Moment, unanswered

PLAYED = """async film => {
  const video = document.createElement('video');
  video.muted = true;
  video.src = `data:video/mp4;base64,${film}`;
  const told = name => new Promise((done, fail) => {
    video.addEventListener(name, done, { once: true });
    video.addEventListener('error', () => fail(new Error(video.error.message)), { once: true });
  });
  await told('loadeddata');
  const canvas = new OffscreenCanvas(video.videoWidth, video.videoHeight).getContext('2d');
  const colours = [];
  for (let at = 0; at <= video.duration; at += 0.1) {
    const seeked = told('seeked');
    video.currentTime = Math.min(at + 0.001, video.duration);
    await seeked;
    canvas.drawImage(video, 0, 0);
    const [red, green, blue] = canvas.getImageData(200, 200, 1, 1).data;
    const strongest = red > green && red > blue ? 'red' : green > blue ? 'green' : 'blue';
    const colour = red > 200 && green > 200 ? 'white' : strongest;
    if (colour !== colours.at(-1)) colours.push(colour);
  }
  return [video.videoWidth, video.videoHeight, video.duration, colours];
}"""
"""How large and long it is, and the colours of one of its points, one after another."""


async def _played(cinema: Page, film: bytes) -> Any:
    return await cinema.evaluate(f"({PLAYED})('{base64.b64encode(film).decode()}')", timeout_s=30)


def _coloured(colour: str) -> str:
    return f"<title>{colour}</title><body style='background:{colour}'><h1>{colour}</h1>"


async def _wait(page: Page, ms: int = 400) -> None:
    """So long pages show what they show: that is what the film is of."""
    await page.evaluate(f"new Promise(done => setTimeout(done, {ms}))")


async def test_a_film_plays_and_shows_one_page_after_another_also_when_the_block_fails(
    page: Page, serve: Serve, tmp_path: Path
) -> None:
    path = tmp_path / "run.mp4"
    await page.goto(serve(_coloured("red")))

    async def filmed() -> None:
        async with page.record_video(path, max_width=640):
            await _wait(page)
            await page.goto(serve(_coloured("lime"), other_site=True))
            assert (await page.screenshot()).startswith(b"\x89PNG")
            await _wait(page)
            await page.evaluate("document.body.style.background = 'blue'")
            await _wait(page)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await filmed()

    width, height, seconds, colours = await _played(page, path.read_bytes())
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert (width, height) == (640, 400)
    assert [each for each in colours if each != "white"] == ["red", "green", "blue"]  # Chrome fades in a white one
    assert 1.2 < seconds < 60


@pytest.mark.parametrize("is_behind", [False, True], ids=["in front", "behind another"])
async def test_a_film_ends_with_what_the_page_shows_last(
    browser: Browser, serve: Serve, tmp_path: Path, is_behind: bool
) -> None:
    page = await browser.new_page(serve(_coloured("red")))
    if is_behind:
        await browser.new_page("about:blank")

    async with page.record_video(tmp_path / "run.mp4", max_width=640):
        await page.evaluate("document.body.style.background = 'blue'")

    _, _, _, colours = await _played(page, (tmp_path / "run.mp4").read_bytes())
    assert colours[-1] == "blue"  # what it showed for less than a frame of the film may not be in it


async def test_a_tab_that_stands_still_behind_another_and_crashes_is_filmed(
    browser: Browser, serve: Serve, tmp_path: Path
) -> None:
    page = await browser.new_page(serve(_coloured("red")))
    await browser.new_page("about:blank")

    async with page.record_video(tmp_path / "run.mp4", max_width=640) as recording:
        await _wait(page)
        await page.goto("chrome://crash")
        await page.goto(serve(_coloured("blue")))

    film = (tmp_path / "run.mp4").read_bytes()
    _, _, _, colours = await _played(page, film)
    assert recording.size == len(film)
    assert (colours[0], colours[-1]) == ("red", "blue")


async def test_of_a_tab_that_was_closed_there_is_no_film(browser: Browser, serve: Serve, tmp_path: Path) -> None:
    page = await browser.new_page(serve(_coloured("red")))

    with pytest.raises(ActionError, match="its tab was closed before the recording ended"):
        async with page.record_video(tmp_path / "run.mp4"):
            await page.close()

    assert not (tmp_path / "run.mp4").exists()


async def test_a_chrome_that_begins_no_recording_is_not_waited_for_without_end(
    detached: DetachedChrome, serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cdp_agent.page.tab.tab.OWN_SESSION_S", 0.2)
    faulty = Faulty(await WebSocketTransport.open(detached.websocket_url))
    browser = Browser(Instance(Connection(faulty)))
    await browser._instance.start()
    async with browser:
        page = await browser.new_page(serve(_coloured("red")))
        faulty.arm(Moment("Target.attachToTarget"), unanswered)

        with pytest.raises(PageUnresponsive, match=r"Chrome began no further session with the tab within 0\.2 s"):
            async with asyncio.timeout(10), page.record_video(tmp_path / "run.mp4"):
                pytest.fail("the block began")

        await page.close()


CANNOT_BE_RECORDED = [
    ("run.webm", 10, "is no .mp4 file"),
    ("none/run.mp4", 10, "was not written"),
    ("run.mp4", 0, "from 1 to 60"),
]


async def test_what_cannot_be_recorded_is_said_before(page: Page, tmp_path: Path, subtests: pytest.Subtests) -> None:
    for name, rate, why in CANNOT_BE_RECORDED:
        with subtests.test(why), pytest.raises(InvalidArguments, match=why):
            async with page.record_video(tmp_path / name, frame_rate=rate):
                pytest.fail("the block began")


def test_the_blocking_face_films_too(detached: DetachedChrome, serve: Serve, tmp_path: Path) -> None:
    with BlockingBrowser.connect(detached.endpoint) as browser:
        page = browser.new_page(serve(_coloured("red")))

        with page.record_video(tmp_path / "run.mp4") as recording:
            page.goto(serve(_coloured("blue")))

        assert recording.size == (tmp_path / "run.mp4").stat().st_size > 500
        with pytest.raises(ZeroDivisionError), page.record_video(tmp_path / "failed.mp4"):
            raise ZeroDivisionError

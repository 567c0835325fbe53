"""In the Chrome of somebody who works with it, headed, on a desktop of its own: what is theirs stays as it is."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from cdp_agent.browser import Browser
from cdp_agent.cdp import input as cdp_input
from cdp_agent.cdp import page as cdp_page
from cdp_agent.cdp import runtime, target
from cdp_agent.cdp.connection import Connection
from cdp_agent.cdp.websocket import WebSocketTransport
from cdp_agent.errors import BrowserError
from cdp_agent.page.page import Page
from cdp_agent.page.tab.settings import Viewport
from tests.acting import SOON_MS, TEN_FRAMES, ref
from tests.conftest import Serve
from tests.desktop import Person, chrome_of_a_person, desktop

pytestmark = [pytest.mark.slow, pytest.mark.whole_chrome]

EVERYTHING: dict[str, Any] = {
    "viewport": Viewport(500, 400, scale=2),
    "user_agent": "Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/140.0.0.0 Safari/537.36",
    "locale": "de-DE",
    "timezone": "Asia/Tokyo",
    "geolocation": (52.52, 13.4),
    "color_scheme": "dark",
    "extra_headers": {"X-Team": "blue"},
    "block": ["font"],
}
# It writes down whatever a page can be told of its tab and its window.
WATCHES = """<script>
const heard = [];
for (const type of ["blur", "focus", "resize", "pagehide", "beforeunload"]) {
  addEventListener(type, () => heard.push(type));
}
document.addEventListener("visibilitychange", () => heard.push(document.visibilityState));
for (const query of ["(prefers-color-scheme: dark)", "(min-width: 501px)", "(min-resolution: 1.5dppx)"]) {
  matchMedia(query).addEventListener("change", () => heard.push(query));
}
</script>"""
FORM = f"<title>Form</title><label>Name <input id=name></label><label>Note <textarea></textarea></label>{WATCHES}"
SEEN = """(() => [document.visibilityState, document.hasFocus(), document.activeElement.id, document.title,
    innerWidth, innerHeight, outerWidth, outerHeight, screenX, screenY, devicePixelRatio, navigator.userAgent,
    navigator.language, Intl.DateTimeFormat().resolvedOptions().timeZone,
    matchMedia('(prefers-color-scheme: dark)').matches,
    [...document.querySelectorAll("input, textarea")].map(each => each.value)])()"""
COVERED = """new Promise(done => {
    const look = () => heard.at(-1) === "visible" ? done(heard.splice(0)) : setTimeout(look, 20);
    look();
})"""
OURS = """<title>Ours</title><input aria-label=Name><button onclick="alert('ours')">Alert</button>
<button onclick="window.focus(); document.title += '!'">Focus</button><a href="#end">Down</a>
<select aria-label=City><option>Oslo<option>Bergen</select><p style="margin-top: 3000px" id=end>End"""


@pytest.fixture(scope="module")
def screen() -> Iterator[dict[str, str]]:
    with desktop() as environment:
        yield environment


@pytest.fixture(scope="module")
def profile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("profile")


@pytest.fixture(scope="module")
def chrome(screen: dict[str, str], profile: Path, unused_tcp_port_factory: Callable[[], int]) -> Iterator[str]:
    """As we advise where no Chrome is found: with a port that it was told, and a profile of its own."""
    place = ["--window-position=50,60", "--window-size=600,500"]
    with chrome_of_a_person(profile, screen, place, port=unused_tcp_port_factory()) as url:
        yield url


@pytest.fixture
async def person(chrome: str) -> AsyncIterator[Person]:
    """With the window that Chrome began with."""
    connection = Connection(await WebSocketTransport.open(chrome))
    someone = Person(connection, chrome.split("/")[2])
    await someone.see_first_window()
    [first] = await someone.tabs()
    yield someone
    for opened in [each for each in await someone.tabs() if each.target_id != first.target_id]:
        await connection.browser.send(target.CloseTarget(target_id=opened.target_id))
    async with asyncio.timeout(10):
        while len(await someone.tabs()) > 1:
            pass
    await connection.close()


async def _steps(page: Page, url: str) -> AsyncIterator[str]:
    """One of every kind, and the first one once more, from a page that was used."""
    await page.goto(url)
    yield "goto"
    name, city = await ref(page, "Name"), await ref(page, "City")
    yield "snapshot"
    await page.fill(name, "Grace")
    yield "fill"
    await page.select(city, "Bergen")
    yield "select"
    receipt = await page.click(await ref(page, "Alert"))
    assert [each.message for each in receipt.dialogs] == ["ours"]
    yield "alert"
    await page.click(await ref(page, "Focus"))
    yield "focus"
    await page.press("Tab")
    yield "press"
    await page.scroll("down")
    yield "scroll"
    assert len(await page.screenshot()) > 1000
    yield "screenshot"
    await page.markdown()
    yield "markdown"
    await page.goto(url)
    yield "goto again"


async def test_whatever_we_do_nothing_of_theirs_changes(person: Person, serve: Serve) -> None:
    """Beside their tabs, and in a context of our own."""
    asks = await person.open(serve(f"<title>Asks</title>{WATCHES}"))
    async with asks.expect(cdp_page.JavascriptDialogOpening) as opening:
        asking = asks.post(runtime.Evaluate(expression="confirm('Delete all?')"))
        await opening
    form = await person.open(serve(FORM), new_window=True)
    await person.see(form, "document.getElementById('name').focus() || true")
    await form.send(cdp_input.InsertText(text="Ada, half-way thr"))
    before, bounds = await person.see(form, SEEN), await person.bounds()
    assert before[:3] == ["visible", True, "name"]
    await person.see(form, "heard.length = 0")

    async with Browser.connect(f"http://{person.address}", **EVERYTHING) as browser:
        theirs = browser.find_page("Form")
        beside = await browser.new_page()
        assert await person.see(form, SEEN) == before
        assert await person.see(form, "heard") == []
        apart = await (await browser.new_context(**EVERYTHING)).new_page()
        # Chrome shows a new window in the place of the last one for a moment, wherever it was asked for.
        assert await person.see(form, COVERED) == ["hidden", "visible"]
        url, seen = serve(OURS), []
        both = _steps(beside, url), _steps(apart, url)
        async for step in both[0]:
            seen.append((step, await person.see(form, SEEN)))
            seen.append((await anext(both[1]), await person.see(form, SEEN)))
        assert [step for step, state in seen if state != before] == []
        assert 'textbox "Name"' in (await theirs.snapshot()).text
        assert "half-way" in await theirs.markdown()
        assert await person.see(form, SEEN) == before
        assert not asking.done()
        ours = {each.target_id for each in (beside, apart)}
        around = {each: place for each, place in (await person.bounds()).items() if each in bounds}
        frames_ms = await asyncio.gather(beside.evaluate(TEN_FRAMES), apart.evaluate(TEN_FRAMES))
        told = [await each.evaluate("[innerWidth, navigator.language, devicePixelRatio]") for each in (beside, apart)]

    assert len(seen) == 22
    assert max(frames_ms) < SOON_MS
    assert told == [[500, "de-DE", 2]] * 2
    assert around == bounds
    assert ours.isdisjoint(bounds)
    assert await person.bounds() == bounds
    assert await person.see(form, SEEN) == before
    assert await person.see(form, "heard") == []
    assert not asking.done()
    await asks.send(cdp_page.HandleJavaScriptDialog(accept=False))
    assert bytes((await asking).result.value) == b"false"
    assert await person.see(asks, "heard.filter(each => !['blur', 'focus', 'hidden', 'visible'].includes(each))") == []


async def test_where_no_chrome_is_found_one_such_as_theirs_is_advised(chrome: str, profile: Path) -> None:
    advised = (
        r"--remote-debugging-port=9222 and a --user-data-dir of its own .*, and connect to http://127\.0\.0\.1:9222"
    )
    with pytest.raises(BrowserError, match=advised):  # it writes no file beside a port that it was told
        await Browser.connect(profile=profile)

"""Attaching to the Chrome that somebody works with: how it is found, what refuses, and that it is left as it was."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from pytest_httpserver import HTTPServer

from cdp_agent.browser import Browser
from cdp_agent.browser.attach.connecting import same_chromes
from cdp_agent.browser.attach.endpoints import address_of
from cdp_agent.browser.attach.user_profiles import profile_folders
from cdp_agent.browser.launch.chrome import LaunchOptions
from cdp_agent.cdp import runtime, target
from cdp_agent.cdp.connection import Connection
from cdp_agent.errors import BrowserError, SetupError
from cdp_agent.page.tab.settings import Viewport
from tests.conftest import Serve
from tests.desktop import GetWindow
from tests.detached import DetachedChrome, start_detached, stop_detached
from tests.raw_server import saying, silence, talking

pytestmark = pytest.mark.whole_chrome

PATH = "/devtools/browser/2c2f4f2e-0000-4000-8000-000000000000"


async def _tabs(connection: Connection) -> list[target.TargetInfo]:
    return (await connection.browser.send(target.GetTargets(filter=[target.FilterEntry(type="page")]))).target_infos


class Person:
    """Somebody who looks at their Chrome: nothing is set or emulated there on their behalf."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    async def state(self) -> dict[str, Any]:
        """All tabs, with all that could have been changed of them."""
        browser = self.connection.browser
        state = {}
        for info in await _tabs(self.connection):
            attached = await browser.send(target.AttachToTarget(target_id=info.target_id, flatten=True))
            told = await self.connection.session(attached.session_id).send(
                runtime.Evaluate(expression=SEEN, return_by_value=True, await_promise=True)
            )
            await browser.send(target.DetachFromTarget(session_id=attached.session_id))
            window = await browser.send(GetWindow(target_id=info.target_id))
            seen = msgspec.json.decode(told.result.value)
            state[info.target_id] = (info.url, seen, window.window_id, msgspec.json.decode(window.bounds))
        return state


SEEN = """(async () => [document.title, document.visibilityState, document.hasFocus(), innerWidth, innerHeight,
    devicePixelRatio, navigator.userAgent, navigator.languages, navigator.maxTouchPoints, (1234.5).toLocaleString(),
    Intl.DateTimeFormat().resolvedOptions().timeZone, matchMedia('(prefers-color-scheme: dark)').matches,
    Object.entries(localStorage), document.cookie, scrollY,
    (await navigator.permissions.query({name: 'geolocation'})).state])()"""
EVERYTHING: dict[str, Any] = {
    "viewport": Viewport(400, 700, scale=2, mobile=True, touch=True),
    "user_agent": "Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/140.0.0.0 Safari/537.36",
    "locale": "de-DE",
    "timezone": "Asia/Tokyo",
    "geolocation": (52.52, 13.4),
    "color_scheme": "dark",
    "extra_headers": {"X-Team": "blue"},
}


@pytest.fixture(scope="module")
async def users_chrome(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[DetachedChrome]:
    chrome = await start_detached(LaunchOptions(profile=str(tmp_path_factory.mktemp("profile"))))
    yield chrome
    await stop_detached(chrome)


@pytest.fixture(scope="module")
async def person(users_chrome: DetachedChrome, make_httpserver: HTTPServer) -> AsyncIterator[Person]:
    """With two windows, one of two tabs, which are left as they were by all tests."""
    connection = Connection(await address_of(users_chrome.endpoint).connect({}))
    for number, (title, new_window) in enumerate((("Inbox", True), ("Calendar", None), ("Bank of Norway", True))):
        content = f"<title>{title}</title><script>localStorage.setItem('kept', 1)</script><p>{title}</p>"
        path = f"/tab-{number}.html"
        make_httpserver.expect_request(path).respond_with_data(content, content_type="text/html")
        url = make_httpserver.url_for(path)
        await connection.browser.send(target.CreateTarget(url=url, new_window=new_window))
    async with asyncio.timeout(10):
        while not {"Inbox", "Calendar", "Bank of Norway"} <= {info.title for info in await _tabs(connection)}:
            pass
    yield Person(connection)
    await connection.close()


async def test_the_chrome_is_left_as_it_was_whatever_is_set(
    users_chrome: DetachedChrome, person: Person, serve: Serve, tmp_path: Path
) -> None:
    before = await person.state()

    async with Browser.connect(profile=users_chrome.profile, downloads=tmp_path, **EVERYTHING) as browser:
        theirs = browser.find_page("inbox")
        await theirs.snapshot()
        await theirs.markdown()
        page = await browser.new_page(serve("<title>ours</title><a href='/x' download>get</a>"))
        await page.snapshot()
        while_there = await person.state()
        del while_there[page.target_id]

    assert while_there == before
    assert await person.state() == before


async def test_a_tab_is_named_by_title_address_or_id(users_chrome: DetachedChrome, person: Person) -> None:
    async with Browser.connect(profile=users_chrome.profile) as browser:
        inbox = browser.find_page("INBOX")

        assert inbox.title == "Inbox"
        assert browser.find_page(inbox.target_id) is inbox
        assert browser.find_page(inbox.url) is inbox


async def test_a_tab_that_is_not_there_or_not_the_only_one_is_told_with_the_others(
    users_chrome: DetachedChrome, person: Person
) -> None:
    async with Browser.connect(profile=users_chrome.profile) as browser:
        pages = {page.title: page for page in browser.pages}
        with pytest.raises(SetupError) as several:
            browser.find_page("n")
        with pytest.raises(SetupError) as none:
            browser.find_page("weather")

    def line(title: str) -> str:
        return f"{title!r} at {pages[title].url} ({pages[title].target_id})"

    assert sorted(str(several.value).splitlines()) == sorted(
        [
            "3 tabs fit 'n': name one by its id, or by more of its title or address.",
            *(line(title) for title in pages if title),
        ]
    )
    assert str(none.value).splitlines()[0].startswith("No tab fits 'weather'")


def _profile(folder: Path, content: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "DevToolsActivePort").write_text(content)
    return folder


async def test_the_first_of_the_usual_folders_whose_chrome_listens_is_taken(
    users_chrome: DetachedChrome, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, unused_tcp_port: int
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setattr("sys.platform", "linux")
    _profile(tmp_path / "google-chrome", f"{unused_tcp_port}\n{PATH}")
    listens = (Path(users_chrome.profile) / "DevToolsActivePort").read_text()
    _profile(tmp_path / "chromium", listens)

    async with Browser.connect() as browser:
        assert browser.version.product.startswith("Chrome/")


async def test_the_chrome_of_the_user_is_the_one_at_its_address(users_chrome: DetachedChrome, tmp_path: Path) -> None:
    here = same_chromes([users_chrome.endpoint], None)

    assert same_chromes(["auto"], users_chrome.profile) == same_chromes([users_chrome.websocket_url], None) == here
    assert same_chromes(["auto"], tmp_path) == ["auto"]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (None, "no Chrome that lets programs in: no DevToolsActivePort in "),
        ("9222", "cannot be read: it has another shape than we know"),
        ("x\ny", "cannot be read: it has another shape than we know"),
        (f"PORT\n{PATH}", "has ended, or lets programs in no longer. In Chrome 144 or newer, open chrome://inspect"),
    ],
    ids=["no file", "half a file", "another file", "left behind"],
)
async def test_a_profile_whose_chrome_cannot_be_reached_is_explained(
    tmp_path: Path, unused_tcp_port: int, content: str | None, told: str
) -> None:
    if content is not None:
        _profile(tmp_path, content.replace("PORT", str(unused_tcp_port)))

    with pytest.raises(BrowserError) as caught:
        await Browser.connect(profile=tmp_path)

    assert told in str(caught.value)


async def test_a_chrome_whose_user_says_no_is_explained(tmp_path: Path) -> None:
    async with talking(saying(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")) as port:
        with pytest.raises(
            BrowserError, match=r"your Chrome refused: .*HTTP/1.1 403 Forbidden.*When it asks .* say yes\."
        ):
            await Browser.connect(profile=_profile(tmp_path, f"{port}\n{PATH}"))


async def test_a_chrome_whose_user_does_not_answer_is_explained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cdp_agent.browser.attach.user_chrome.UserChrome.timeout_s", 0.2)
    async with talking(silence) as port:
        with pytest.raises(BrowserError, match="when it asks whether to allow it, say yes"):
            await Browser.connect(profile=_profile(tmp_path, f"{port}\n{PATH}"))


def test_each_platform_has_its_usual_folders() -> None:
    mac = profile_folders("darwin", {"HOME": "/Users/ada"})
    windows = profile_folders("win32", {"LOCALAPPDATA": "/C/Local"})
    linux = profile_folders("linux", {"HOME": "/home/ada"})

    assert mac[0] == Path("/Users/ada/Library/Application Support/Google/Chrome")
    assert windows[0] == Path("/C/Local/Google/Chrome/User Data")
    assert linux[:2] == [Path("/home/ada/.config/google-chrome"), Path("/home/ada/.config/google-chrome-beta")]

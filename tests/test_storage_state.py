"""Cookies and local storage, saved and put back."""

from __future__ import annotations

import os
import stat
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest
from pytest_httpserver import HTTPServer

from cdp_agent.browser import Browser
from cdp_agent.cdp import storage
from cdp_agent.errors import BrowserError, SetupError
from cdp_agent.page.storage_state import StorageState, StorageVisitor, read_state, write_state
from tests.conftest import Serve
from tests.detached import DetachedChrome
from tests.fake_chrome import FakeChrome

LOGGED_IN = "<script>localStorage.setItem('token', 'für Ada'); localStorage.setItem('cart', '3')</script>"
COOKIES = {"Set-Cookie": "session=abc; Max-Age=1000"}
READ = "[document.cookie, localStorage.getItem('token'), localStorage.getItem('cart')]"


def _saved(path: Path) -> Any:
    return msgspec.json.decode(path.read_bytes())


def _pages_asked(server: HTTPServer) -> list[str]:
    """Without a page's icon, which Chrome asks for when it likes, also just as it is closed."""
    return [request.url for request, _ in server.log if request.path != "/favicon.ico"]


async def test_a_login_is_there_again_on_both_origins(
    browser: Browser, serve: Serve, tmp_path: Path, httpserver: HTTPServer
) -> None:
    path = tmp_path / "state.json"
    here, there = (
        serve(LOGGED_IN, headers=COOKIES),
        serve("<script>localStorage.setItem('cart', '7')</script>", other_site=True),
    )
    async with await browser.new_context() as context:
        page = await context.new_page(here)
        await page.evaluate("document.cookie = 'seen=yes'")
        await page.goto(there)
        await context.save_storage_state(path)
        assert context.pages == [page]
    asked = _pages_asked(httpserver)

    async with await browser.new_context(storage_state=path) as another:
        assert another.pages == []
        assert _pages_asked(httpserver) == asked  # no site has seen us
        page = await another.new_page(serve("<p>again</p>"))
        assert await page.evaluate(READ) == ["session=abc; seen=yes", "für Ada", "3"]
        await page.goto(serve("<p>again</p>", other_site=True))
        assert await page.evaluate(READ) == ["", None, "7"]


async def test_every_kind_of_cookie_comes_back_as_it_was(serve: Serve, tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    expires = time.time() // 1 + 86_400
    cookies = [
        {"name": "host", "value": "1", "domain": "shop.test", "path": "/", "expires": -1, "httpOnly": False,
         "secure": False, "sameSite": "Lax"},
        {"name": "domain", "value": "2", "domain": ".shop.test", "path": "/cart", "expires": expires, "httpOnly": True,
         "secure": True, "sameSite": "None"},
        {"name": "strict", "value": "3", "domain": ".shop.test", "path": "/", "expires": -1, "httpOnly": True,
         "secure": False, "sameSite": "Strict"},
        {"name": "plain", "value": "4", "domain": "other.test", "path": "/", "expires": -1, "httpOnly": False,
         "secure": False},
        {"name": "chip", "value": "5", "domain": "widget.test", "path": "/", "expires": -1, "httpOnly": False,
         "secure": True, "sameSite": "None", "partitionKey": "https://shop.test", "_crHasCrossSiteAncestor": True},
    ]  # fmt: skip
    path.write_bytes(msgspec.json.encode({"cookies": cookies, "origins": []}))
    async with Browser.launch(storage_state=path) as browser:
        await browser.save_storage_state(path)

    saved = _saved(path)["cookies"]
    assert sorted(saved, key=lambda each: str(each["value"])) == cookies


async def test_the_state_of_somebody_elses_chrome_is_not_ours(
    detached: DetachedChrome, serve: Serve, tmp_path: Path
) -> None:
    path = tmp_path / "state.json"
    write_state(path, msgspec.convert({"cookies": [{"name": "a", "value": "b", "domain": "127.0.0.1"}]}, StorageState))
    async with Browser.connect(detached.endpoint) as theirs:
        await theirs.session.send(
            storage.SetCookies(cookies=[storage.CookieParam(name="their", value="own", domain="127.0.0.1", path="/")])
        )
        before = await theirs.session.send(storage.GetCookies())

        async with Browser.connect(detached.endpoint, storage_state=path) as browser:
            page = await browser.new_page(serve("<p>mine</p>"))
            assert await page.evaluate("document.cookie") == "a=b"

        assert await theirs.session.send(storage.GetCookies()) == before


async def test_a_saved_state_is_for_the_user_alone_and_whole_or_not_there(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    path.write_text("old")
    path.chmod(0o644)

    write_state(path, StorageState())

    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert os.listdir(tmp_path) == ["state.json"]
    assert read_state(path) == StorageState()


async def test_what_playwright_saves_is_taken(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    path.write_text(
        """{"cookies": [{"name": "a", "value": "b", "domain": "x.test", "path": "/", "expires": -1, "httpOnly": true,
        "secure": false, "sameSite": "Lax"}], "origins": [{"origin": "https://x.test",
        "localStorage": [{"name": "k", "value": "v"}], "indexedDB": []}]}"""
    )

    state = read_state(path)

    assert [each.name for each in state.cookies] == ["a"]
    assert [(each.origin, each.local_storage[0].value) for each in state.origins] == [("https://x.test", "v")]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (None, r"The storage state .*state\.json cannot be read: No such file or directory\."),
        (
            '{"cookies": [{"value": "secret"}]}',
            r".*state\.json is no storage state: .*`name` - at `\$\.cookies\[0\]`\.",
        ),
        ("secret", r".*state\.json is no storage state: JSON is malformed"),
    ],
    ids=["missing", "without a name", "no JSON"],
)
def test_a_file_that_is_no_state_is_refused_before_chrome_starts(
    tmp_path: Path, content: str | None, told: str
) -> None:
    path = tmp_path / "state.json"
    if content is not None:
        path.write_text(content)

    with pytest.raises(SetupError, match=told) as caught:
        Browser.launch(executable="/nowhere", storage_state=path)

    assert "secret" not in str(caught.value)


async def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match=r"nowhere/state\.json cannot be written: No such file or directory\."):
        write_state(tmp_path / "nowhere" / "state.json", StorageState())


async def test_an_origin_that_is_not_reached_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cdp_agent.page.storage_state._VISIT_S", 0.01)
    chrome = FakeChrome()

    with pytest.raises(BrowserError, match=r"local storage of https://a\.example was not reached within 0\.01 s"):
        await StorageVisitor(chrome.connect().session("S")).read("https://a.example")

"""What most tests need: one real Chrome for all of them, a new tab for each, and pages on two sites."""

from __future__ import annotations

import asyncio
import gc
import itertools
import os
import shutil
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Condition, Event
from typing import Any, Protocol
from urllib.parse import urlsplit

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from bench.cache import NotFetched
from bench.server import serving
from cdp_agent import Config
from cdp_agent.browser import Browser
from cdp_agent.browser.launch.chrome import EXECUTABLE_VARIABLE
from cdp_agent.cdp import runtime
from cdp_agent.cdp.connection import Session
from cdp_agent.cdp.types import Command
from cdp_agent.config.file import FILE_VARIABLE
from cdp_agent.config.setting import settings_of
from cdp_agent.page import js
from cdp_agent.page.frames import world
from cdp_agent.page.page import Page
from tests import orphans, protocol_logs
from tests.app_pages import app_pages
from tests.commands import Cli
from tests.detached import DetachedChrome, closing_tabs, start_detached, stop_detached
from tests.one_tab import OneTab
from tests.ports import free_port
from tests.tiers import shuffle, sort_into_tiers
from tests.writing import write

AppUrl = Callable[[str], str]


class Serve(Protocol):
    """Puts content on the test's server; returns its address.

    `other_site` gives the address on another host: a frame with it is cross-site, hence out of process.
    """

    def __call__(
        self,
        content: str | bytes,
        *,
        path: str | None = None,
        other_site: bool = False,
        content_type: str = "text/html; charset=utf-8",
        headers: dict[str, str] | None = None,
        status: int = 200,
    ) -> str: ...


def _plain_environment() -> None:
    """What a developer has set decides no test: no setting or key, and not how the terminal is, or the language."""
    ours = {name for setting in settings_of(Config).values() for name in setting.variables} - {EXECUTABLE_VARIABLE}
    google = {"GOOGLE_APPLICATION_CREDENTIALS", "CLOUDSDK_CONFIG", "GCE_METADATA_HOST"}
    terminal = {"COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "PYTHON_COLORS"}
    language = {"LANGUAGE", *(name for name in os.environ if name.startswith("LC_"))}
    for name in ours | google | terminal | language:
        os.environ.pop(name, None)
    # Proxies stay, as registries may need them, but not for what the tests serve.
    os.environ |= {FILE_VARIABLE: os.devnull, "LANG": "C.UTF-8", "TZ": "UTC", "NO_PROXY": "localhost,127.0.0.1"}
    time.tzset()
    # Many tests start a Python of their own, which would compile all that it imports.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False


_plain_environment()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--random-order", metavar="SEED", help="files, and the tests of each, in the order of that seed")


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):  # a worker of xdist ends with the process that started it
        orphans.end_with_this_process()
    config.pluginmanager.register(protocol_logs)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """What is collected stays to the end: nothing is to look through it for what could be freed, now or later."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(tryfirst=True)  # before pytest chooses by marker
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    sort_into_tiers(items)
    if (seed := config.getoption("random_order")) is not None:
        shuffle(items, seed)


@pytest.fixture(autouse=True)
def _no_chrome_for_unit_tests(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever starts one in a test of that tier is told so, in this process and in those that it starts."""
    if request.node.get_closest_marker("unit"):
        monkeypatch.setenv(EXECUTABLE_VARIABLE, "no Chrome: this is a unit test, so mark it `chrome`")


@pytest.fixture(scope="session", autouse=True)
def _sessions_of_its_own(tmp_path_factory: pytest.TempPathFactory) -> None:
    """The commands find the sessions of their user: not of the one who runs the tests."""
    os.environ["XDG_RUNTIME_DIR"] = str(tmp_path_factory.mktemp("run"))


@pytest.fixture(scope="session")
def unused_tcp_port_factory() -> Callable[[], int]:
    """In place of pytest-asyncio's, whose ports may be given to another program meanwhile."""
    return free_port


@pytest.fixture(scope="session")
async def shared_browser() -> AsyncIterator[Browser]:
    """One Chrome for all tests. Those that end or wreck it launch their own.

    It always has a tab: a window for each test, gone with it, costs Chrome three times as much.
    """
    async with Browser.launch() as browser:
        await browser.new_page()
        yield browser


@pytest.fixture(scope="session")
async def one_tab(shared_browser: Browser) -> AsyncIterator[OneTab]:
    """See one_tab.py."""
    tab = OneTab(shared_browser)
    yield tab
    await tab.close()


@pytest.fixture
async def browser(shared_browser: Browser, one_tab: OneTab) -> AsyncIterator[Browser]:
    """The same; what tabs a test opens are closed afterwards.

    Frames of the site of one that was left would share its process, and its fate.
    """
    before = {each.target_id for each in shared_browser.pages}
    shared_browser._instance.ref_counter.next = 1
    yield shared_browser
    for new in [each for each in shared_browser.pages if each.target_id not in {*before, one_tab.target_id}]:
        await new.close()
    shared_browser.downloads.take()


@pytest.fixture(scope="session")
def detached() -> Iterator[DetachedChrome]:
    """A Chrome that is not ours, to connect to."""
    chrome = asyncio.run(start_detached())
    yield chrome
    asyncio.run(stop_detached(chrome))


@pytest.fixture
async def page(request: pytest.FixtureRequest, browser: Browser, one_tab: OneTab) -> AsyncIterator[Page]:
    """The one tab of all tests, at a blank document; a new one for tests that are marked so."""
    if request.node.get_closest_marker("new_tab"):
        yield await browser.new_page()
    else:
        yield await one_tab.take()
        await one_tab.give_back()


@pytest.fixture
async def sheet(page: Page) -> Page:
    """The page with an empty document, for tests that `show` what they need in its body, and need no address."""
    await write(page, "<!doctype html><title>Sheet</title>")
    return page


@pytest.fixture(scope="session")
def make_httpserver() -> Iterator[HTTPServer]:
    """pytest-httpserver's own fixture, with a thread for each request: Chrome asks for many things at once."""
    server = HTTPServer(host="127.0.0.1", port=0, threaded=True)
    server.start()
    yield server
    server.clear()
    if server.is_running():
        server.stop()


@pytest.fixture
def change_script() -> Iterator[Callable[[str, str], None]]:
    """Has what we run in the pages to come say the second in the place of the first."""
    body = js._body

    def begin_anew() -> None:
        for text in (js._parts, js.reading, js.added, js.ahead, js.kept):
            text.cache_clear()
        world._preloaded.clear()

    with pytest.MonkeyPatch.context() as patch:

        def change(right: str, wrong: str) -> None:
            assert right in body(js.READING)
            patch.setattr(js, "is_packed", lambda: False)
            patch.setattr(js, "_body", lambda names: body(names).replace(right, wrong))
            begin_anew()

        yield change
    begin_anew()


@pytest.fixture
def serve(httpserver: HTTPServer) -> Serve:
    """See `Serve`."""
    numbers = itertools.count(1)

    def put(
        content: str | bytes,
        *,
        path: str | None = None,
        other_site: bool = False,
        content_type: str = "text/html; charset=utf-8",
        headers: dict[str, str] | None = None,
        status: int = 200,
    ) -> str:
        path = path or f"/page-{next(numbers)}.html"
        httpserver.expect_request(path).respond_with_data(
            content, status=status, headers=headers, content_type=content_type
        )
        return on_other_site(httpserver.url_for(path)) if other_site else httpserver.url_for(path)

    return put


@contextmanager
def held(httpserver: HTTPServer, path: str, answer: str, *, within_s: float = 30.0) -> Iterator[Event]:
    """A path is answered when the event is set, when the time is over, or when the block is left."""
    released = Event()

    def wait(request: Request) -> Response:
        released.wait(within_s)
        return Response(answer)

    httpserver.expect_request(path).respond_with_handler(wait)
    try:
        yield released
    finally:
        released.set()


LOOP = """const held = new XMLHttpRequest();
for (;;) { held.open('GET', '/held', false); held.send(); for (let left = 1e4; left--;); }"""
"""As good as `for (;;);`, and waits for a server meanwhile: it takes no processor from other tests. See `held_loop`.

It counts after each request, as Chrome ends a script in what is the script's own, not on the way into or out of a call.
"""


BUSY = "const busy = new XMLHttpRequest(); busy.open('GET', '/busy', false); busy.send();"
"""Keeps a page busy until the server answers `/busy`, and takes no processor meanwhile. See `held`."""


@pytest.fixture
def held_loop(httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What `LOOP` asks for is answered now and then, and at once where a script is ended: between two requests."""
    ended, often_until, tell = Condition(), 0.0, Session.tell

    def answer(request: Request) -> Response:
        with ended:
            ended.wait(0.1 if time.monotonic() < often_until else 0.5)
        return Response("")

    def answer_often(for_s: float) -> None:
        nonlocal often_until
        often_until = time.monotonic() + for_s
        with ended:
            ended.notify_all()

    def tell_and_answer(session: Session, command: Command[Any]) -> None:
        tell(session, command)
        if isinstance(command, runtime.TerminateExecution):
            answer_often(2.0)

    monkeypatch.setattr(Session, "tell", tell_and_answer)
    httpserver.expect_request("/held").respond_with_handler(answer)
    yield
    answer_often(30.0)


@pytest.fixture
def told_sooner(monkeypatch: pytest.MonkeyPatch) -> None:
    """That a page hangs is told sooner, and it is left sooner. Some tests wait in full."""
    monkeypatch.setattr("cdp_agent.page.actions.mouse.HANDLED_WITHIN_S", 1.0)
    monkeypatch.setattr("cdp_agent.page.receipts.watch._ASK_TIMEOUT_S", 1.5)
    monkeypatch.setattr("cdp_agent.page.receipts.stability._HANGS_S", 1.5)
    monkeypatch.setattr("cdp_agent.page.snapshot.reading.READ_TIMEOUT_S", 2.0)
    monkeypatch.setattr("cdp_agent.page.tab.hanging.UNLOAD_TIMEOUT_S", 1.5)
    monkeypatch.setattr("cdp_agent.page.tab.hanging._CPU_WAIT_S", 1.0)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A folder on a disk of its own, of 1 MB. Skips where none can be mounted."""
    folder = tmp_path / "small"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1M,mode=700", "tmpfs", str(folder)]
    done = subprocess.run(mount, capture_output=True, text=True, check=False) if shutil.which("mount") else None
    if done is None or done.returncode != 0:
        pytest.skip(f"no disk can be mounted here: {'no mount' if done is None else done.stderr.strip()}")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """What the commands of the test have: sessions and states of their own."""
    return environment_in(tmp_path)


def environment_in(folder: Path) -> dict[str, str]:
    """What commands have whose sessions and states are in the folder."""
    (folder / "run").mkdir()
    return {**os.environ, "XDG_RUNTIME_DIR": str(folder / "run"), "XDG_STATE_HOME": str(folder / "state")}


@pytest.fixture
def cli(environment: dict[str, str]) -> Iterator[Cli]:
    """See `Cli`; its sessions are ended afterwards."""
    cli = Cli(environment)
    yield cli
    cli.end()


@pytest.fixture
def attached(cli: Cli, detached: DetachedChrome) -> Iterator[Cli]:
    """The same, whose commands go to the Chrome that runs already."""
    cli.environment["CDP_AGENT_CDP"] = detached.endpoint
    with closing_tabs(detached.endpoint):
        yield cli


@pytest.fixture(scope="session")
def app_url() -> Iterator[AppUrl]:
    """The address of one of the real editors, grids and lists by its name; see app_pages.py."""
    try:
        folder = app_pages()
    except NotFetched as error:
        pytest.skip(f"it cannot be had here: {error}")
    with serving(folder) as port:
        yield lambda name: f"http://127.0.0.1:{port}/{name}.html"


def on_other_site(url: str) -> str:
    """The same page on the other host, to which Chrome gives another process."""
    host = {"127.0.0.1": "localhost", "localhost": "127.0.0.1"}[urlsplit(url).hostname or ""]
    return urlsplit(url)._replace(netloc=f"{host}:{urlsplit(url).port}").geturl()


async def new_tab(page: Page) -> Page:
    """The tab that the page opened last, or opens next."""
    async with asyncio.timeout(5):
        while not page.popups:
            await page.evaluate("new Promise(done => setTimeout(done, 10))")
    return page.popups[-1]

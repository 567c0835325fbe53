"""What pages are made to see, in the tab, its frames, popups and workers; and what is refused before Chrome starts."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from cdp_agent.browser import Browser
from cdp_agent.browser.context import BrowserContext
from cdp_agent.cdp.connection import Session
from cdp_agent.cdp.types import Command
from cdp_agent.errors import SetupError
from cdp_agent.page.page import Page
from cdp_agent.page.tab.emulate import identity
from cdp_agent.page.tab.settings import PageSettings, Viewport
from tests.conftest import Serve, new_tab, on_other_site
from tests.detached import DetachedChrome
from tests.tables import table

WINDOWS = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.7339.5 Safari/537.36"
)
SETTINGS: dict[str, Any] = {
    "user_agent": WINDOWS,
    "locale": "de-DE",
    "timezone": "Asia/Tokyo",
    "geolocation": (52.52, 13.405),
    "color_scheme": "dark",
    "extra_headers": {"X-Team": "blue"},
}
SEEN_IN_A_WORKER = """{
    userAgent: navigator.userAgent, languages: navigator.languages,
    zone: Intl.DateTimeFormat().resolvedOptions().timeZone, number: (1234.5).toLocaleString()}"""
SEEN = f"""(async () => ({{
    ...{SEEN_IN_A_WORKER}, platform: navigator.platform,
    dark: matchMedia('(prefers-color-scheme: dark)').matches,
    brands: navigator.userAgentData.brands.map(each => each.brand),
    hints: await navigator.userAgentData.getHighEntropyValues(['platform', 'platformVersion', 'uaFullVersion']),
    place: await new Promise((done, failed) => navigator.geolocation.getCurrentPosition(
        ({{coords}}) => done([coords.latitude, coords.longitude]), failed)).catch(error => error.message),
}}))()"""
EXPECTED_IN_A_WORKER = {
    "userAgent": WINDOWS,
    "languages": ["de-DE", "de"],
    "zone": "Asia/Tokyo",
    "number": "1.234,5",
}
EXPECTED = {
    **EXPECTED_IN_A_WORKER,
    "platform": "Win32",
    "dark": True,
    "brands": ["Not=A?Brand", "Chromium", "Google Chrome"],
    "place": [52.52, 13.405],
}


@pytest.fixture(scope="module", params=["attached", "isolated"])
async def german_browser(request: pytest.FixtureRequest, detached: DetachedChrome) -> AsyncIterator[BrowserContext]:
    """One that we connect to, and a browser context of its own there. For one that we launch, see the workers."""
    if request.param == "attached":
        async with Browser.connect(detached.endpoint, **SETTINGS) as browser:
            yield browser
    else:
        async with Browser.connect(detached.endpoint) as browser:
            yield await browser.new_context(**SETTINGS)


@pytest.fixture
async def german(german_browser: BrowserContext) -> AsyncIterator[BrowserContext]:
    """The same, without the tabs of the test before."""
    before = german_browser.pages
    yield german_browser
    for opened in [each for each in german_browser.pages if each not in before]:
        await opened.close()


def _expected(browser: BrowserContext) -> dict[str, Any]:
    """In a browser context that its user has tabs in, the place is told where they have permitted it."""
    alone = browser.is_ours or browser.id is not None
    return EXPECTED if alone else {**EXPECTED, "place": "User denied Geolocation"}


def _without_hints(seen: dict[str, Any]) -> dict[str, Any]:
    hints = seen.pop("hints")
    assert (hints["platform"], hints["platformVersion"], hints["uaFullVersion"]) == (
        "Windows",
        "10.0.0",
        "140.0.7339.5",
    )
    return seen


async def test_a_page_its_popup_and_an_iframe_of_another_process_see_what_was_set_and_requests_carry_it(
    german: BrowserContext, httpserver: HTTPServer
) -> None:
    got: dict[str, list[str | None]] = {}
    inner = f"<script>{SEEN}.then(seen => parent.postMessage(seen, '*')); fetch('/inner-fetched')</script>"
    url = on_other_site(httpserver.url_for("/inner"))
    top = f"""<iframe allow=geolocation src='{url}'></iframe><script>
        const told = new Promise(done => onmessage = event => done(event.data)); fetch('/fetched')</script>"""
    contents = {"/top": top, "/inner": inner}

    def answer(request: Request) -> Response:
        got[request.path] = [request.headers.get(name) for name in ("User-Agent", "Accept-Language", "X-Team")]
        return Response(contents.get(request.path, ""), mimetype="text/html")

    for path in ("/top", "/inner", "/fetched", "/inner-fetched", "/popup"):
        httpserver.expect_request(path).respond_with_handler(answer)
    page = await german.new_page(httpserver.url_for("/top"))

    assert _without_hints(await page.evaluate(SEEN)) == _expected(german)
    assert _without_hints(await page.evaluate("told")) == _expected(german)

    url = httpserver.url_for("/popup")
    await page.evaluate(f"window.open('{url}') && 1")
    popup = await new_tab(page)
    await popup.wait_for(url=url)
    assert _without_hints(await popup.evaluate(SEEN)) == _expected(german)

    async with asyncio.timeout(5):
        while len(got) < 5:
            await page.evaluate("new Promise(done => setTimeout(done, 10))")
    assert got == {path: [WINDOWS, "de-DE,de;q=0.9", "blue"] for path in got}


WORKERS = {
    "dedicated": "new Worker('/worker').onmessage = told => done(told.data)",
    "shared": "new SharedWorker('/shared').port.onmessage = told => done(told.data)",
    "service": """navigator.serviceWorker.onmessage = told => done(told.data)
        navigator.serviceWorker.register('/service')
        navigator.serviceWorker.ready.then(registration => registration.active.postMessage(0))""",
}


@pytest.mark.whole_chrome
async def test_a_page_and_the_workers_of_a_chrome_of_ours_see_what_was_set(
    serve: Serve, subtests: pytest.Subtests
) -> None:
    for name, answer in {
        "worker": "",
        "shared": "onconnect = event => event.ports[0].",
        "service": "onmessage = event => event.source.",
    }.items():
        serve(f"{answer}postMessage({SEEN_IN_A_WORKER})", path=f"/{name}", content_type="text/javascript")
    async with Browser.launch(**SETTINGS) as browser:
        page = await browser.new_page(serve("<p>here</p>"))
        assert _without_hints(await page.evaluate(SEEN)) == _expected(browser)

        for kind, asks in WORKERS.items():
            with subtests.test(kind):
                assert await page.evaluate(f"new Promise(done => {{ {asks} }})") == EXPECTED_IN_A_WORKER


async def test_a_locale_alone_leaves_the_user_agent(page: Page, browser: Browser, serve: Serve) -> None:
    url = serve("<p>here</p>")
    await page.goto(url)
    question = "[navigator.userAgent, navigator.platform, navigator.userAgentData.brands.length]"
    async with await browser.new_context(isolated=False, locale="fr") as french:
        french_page = await french.new_page(url)

        assert await french_page.evaluate(question) == await page.evaluate(question)
        assert await french_page.evaluate("[navigator.languages, (1.5).toLocaleString()]") == [["fr"], "1,5"]


async def test_a_phone_has_its_size_and_touch(browser: Browser, serve: Serve) -> None:
    phone = Viewport(390, 844, scale=3, mobile=True, touch=True)
    async with await browser.new_context(isolated=False, viewport=phone) as context:
        page = await context.new_page(serve("<meta name=viewport content='width=device-width'><p>small</p>"))

        assert await page.evaluate("[innerWidth, innerHeight, devicePixelRatio, navigator.maxTouchPoints]") == [
            390,
            844,
            3,
            5,
        ]


async def test_where_nothing_is_set_nothing_is_sent(detached: DetachedChrome) -> None:
    sent: list[str] = []
    async with Browser.connect(detached.endpoint) as browser:
        post = browser._instance.connection._post

        def listen(session: Session, command: Command[Any]) -> Any:
            sent.append(command.method)
            return post(session, command)

        browser._instance.connection._post = listen  # type: ignore[method-assign]  # to hear what is sent
        await browser.new_page()

    assert [each for each in sent if each.startswith("Emulation.")] == ["Emulation.setFocusEmulationEnabled"]
    assert "Network.setExtraHTTPHeaders" not in sent


@table(
    ("setting", "told"),
    [
        ({"timezone": "Mars/Base"}, "'Mars/Base' is no time zone: write a name such as Europe/Berlin or UTC."),
        ({"timezone": "../etc/passwd"}, "'../etc/passwd' is no time zone"),
        ({"locale": "german!"}, "'german!' is no locale: write a language, or one with its country, such as de-DE."),
        ({"geolocation": (91, 0)}, "(91, 0) is no place: write latitude (-90 to 90)"),
        ({"geolocation": (1,)}, "(1,) is no place"),
        ({"geolocation": ("52", "13")}, "('52', '13') is no place"),
        ({"geolocation": "Berlin"}, "'Berlin' is no place"),
        ({"geolocation": {"latitude": 52, "longitude": 13}}, "{'latitude': 52, 'longitude': 13} is no place"),
        ({"geolocation": (float("nan"), 0)}, "(nan, 0) is no place"),
        ({"timezone": 2}, "2 is no time zone"),
        ({"locale": ["de"]}, "['de'] is no locale"),
        ({"color_scheme": "blue"}, "'blue' is no color scheme: write light or dark."),
        ({"action_timeout_s": 0}, "0 is no time limit: write seconds, more than 0."),
        ({"action_timeout_s": "5"}, "'5' is no time limit"),
        ({"navigation_timeout_s": float("inf")}, "inf is no time limit"),
        ({"user_agent": 5}, "The user agent holds a character that no header can"),
        ({"extra_headers": {"X-Key": 1}}, "The value of the header X-Key holds a character"),
        ({"user_agent": "Mozilla\n5.0"}, "The user agent holds a character that no header can"),
        ({"extra_headers": {"Bad Name": "x"}}, "'Bad Name' is no name of a header."),
        ({"extra_headers": {"X-Key": "a\r\nb"}}, "The value of the header X-Key holds a character"),
        ({"viewport": (0, 600)}, "(0, 600) is no viewport: write width and height in CSS pixels, such as (1280, 800)"),
        ({"viewport": (800,)}, "(800,) is no viewport"),
        ({"viewport": (800.5, 600)}, "(800.5, 600) is no viewport"),
        ({"viewport": (20_000, 600)}, "(20000, 600) is no viewport"),
        ({"viewport": (16_000, 16_000)}, "(16000, 16000) is no viewport"),
        ({"viewport": "800x600"}, "'800x600' is no viewport"),
        ({"viewport": {"width": 800, "height": 600}}, "{'width': 800, 'height': 600} is no viewport"),
        ({"viewport": Viewport(800, 600, scale=-1)}, "Viewport(width=800, height=600, scale=-1,"),
    ],
)
def test_what_makes_no_sense_is_refused_before_chrome_starts(setting: dict[str, Any], told: str) -> None:
    with pytest.raises(SetupError) as caught:
        Browser.launch(executable="/nowhere", **setting)

    assert str(caught.value).startswith(told)


async def test_a_time_zone_that_only_chrome_does_not_know_is_refused_by_the_page(
    monkeypatch: pytest.MonkeyPatch, detached: DetachedChrome
) -> None:
    monkeypatch.setattr("zoneinfo.available_timezones", lambda: {"Europe/Atlantis"})
    async with Browser.connect(detached.endpoint, timezone="Europe/Atlantis") as connected:
        before = connected.pages
        with pytest.raises(SetupError, match="Chrome knows no time zone 'Europe/Atlantis'"):
            await connected.new_page()
        assert connected.pages == before


IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Mobile Safari/604.1"
EDGE = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 Chrome/141.0.0.0 Safari/537.36 Edg/141.0.1.2"
PIXEL = "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 Chrome/140.0.0.0 Mobile Safari/537.36"


@pytest.mark.parametrize(
    ("user_agent", "platform", "hints"),
    [
        (IPHONE, "iPhone", None),
        (EDGE, "MacIntel", ("macOS", "10.15.7", "", False, ["Not=A?Brand", "Chromium", "Microsoft Edge"])),
        (PIXEL, "Linux armv81", ("Android", "14.0.0", "Pixel 8", True, ["Not=A?Brand", "Chromium", "Google Chrome"])),
        ("Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0", "Linux x86_64", None),
        ("my-crawler/1.0", None, None),
    ],
    ids=["iPhone", "Edge", "Pixel", "Firefox", "crawler"],
)
def test_platform_and_hints_follow_from_the_user_agent(user_agent: str, platform: str | None, hints: Any) -> None:
    told = identity(user_agent, None)
    metadata = told.user_agent_metadata

    assert told.platform == platform
    assert hints == (
        metadata
        and (
            metadata.platform,
            metadata.platform_version,
            metadata.model,
            metadata.mobile,
            [each.brand for each in metadata.brands or []],
        )
    )


def test_settings_that_are_left_out_are_none() -> None:
    assert PageSettings.of(None, user_agent=None, extra_headers=None) == PageSettings()


async def test_a_new_page_goes_nowhere_before_its_settings_are_in_force(
    detached: DetachedChrome, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cdp_agent.page.tab.tab.ATTACH_TIMEOUT_S", 0.0)  # as where a machine under load takes long
    url = serve("<p>here</p>")
    async with Browser.connect(detached.endpoint, user_agent="Set/1") as browser:
        pages = await asyncio.gather(*(browser.new_page(url) for _ in range(2)))

        assert [await each.evaluate("navigator.userAgent") for each in pages] == ["Set/1"] * 2

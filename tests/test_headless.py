"""What pages learn of a Chrome without windows: the same as with windows, but for what docs/headless.md names."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from cdp_agent.browser import Browser
from cdp_agent.cdp.connection import Connection
from cdp_agent.cdp.websocket import WebSocketTransport
from cdp_agent.page.page import Page
from cdp_agent.page.tab.settings import Viewport
from tests.conftest import Serve, new_tab
from tests.desktop import Person, chrome_of_a_person, desktop

DOCUMENTATION = Path(__file__).parents[1] / "docs" / "headless.md"
SAME = "as with windows"
SHELLS = ("chromium-headless-shell", "chrome-headless-shell")
WINDOW = (1280, 800)

MEDIA = """hover any-hover pointer any-pointer prefers-color-scheme prefers-reduced-motion prefers-contrast
    prefers-reduced-transparency forced-colors color-gamut dynamic-range update overflow-block overflow-inline
    scripting display-mode orientation color monochrome device-posture""".split()  # noqa: SIM905
VALUES = """none hover coarse fine light dark no-preference reduce more less custom active srgb p3 rec2020 standard high
    slow fast scroll paged initial-only enabled browser fullscreen standalone portrait landscape 0 8 10 continuous
    folded""".split()  # noqa: SIM905
PERMISSIONS = """geolocation notifications camera microphone clipboard-read clipboard-write persistent-storage midi
    background-sync storage-access window-management idle-detection screen-wake-lock accelerometer
    payment-handler""".split()  # noqa: SIM905
OTHERS = {
    "screen is larger than the window": "screen.width >= outerWidth && screen.height >= outerHeight",
    "screen.isExtended": "screen.isExtended",
    "screen.colorDepth": "screen.colorDepth",
    "outerWidth": "outerWidth",
    "outerHeight": "outerHeight",
    "frame of the window": "outerWidth > innerWidth && outerHeight > innerHeight",
    "devicePixelRatio": "devicePixelRatio",
    "visualViewport.scale": "visualViewport.scale",
    "scroll bar": "(put('<div style=overflow:scroll>'), made.offsetWidth - made.clientWidth)",
    "userAgent": "navigator.userAgent",
    "userAgentData": "navigator.userAgentData.brands",
    "platform": "[navigator.platform, navigator.userAgentData.platform, navigator.userAgentData.mobile]",
    "vendor": "[navigator.vendor, navigator.product, navigator.productSub, navigator.appName]",
    "languages": "[navigator.language, navigator.languages]",
    "Accept-Language": "fetch('/languages').then(answer => answer.text())",
    "Intl": "[Intl.DateTimeFormat().resolvedOptions(), (1234.5).toLocaleString()]",
    "webdriver": "navigator.webdriver",
    "maxTouchPoints": "[navigator.maxTouchPoints, 'ontouchstart' in window]",
    "hardwareConcurrency": "[navigator.hardwareConcurrency, navigator.deviceMemory]",
    "onLine": "[navigator.onLine, navigator.cookieEnabled, navigator.doNotTrack]",
    "pdfViewerEnabled": "navigator.pdfViewerEnabled",
    "plugins": "[[...navigator.plugins].map(p => p.name), [...navigator.mimeTypes].map(m => m.type)]",
    "names of navigator": "[...(function* () { for (const name in navigator) yield name; })()]",
    "names of window": "Object.getOwnPropertyNames(window).filter(name => !/^[0-9]+$/.test(name)).sort()",
    "Notification.permission": "Notification.permission",
    "connection": "[navigator.connection.effectiveType, navigator.connection.saveData]",
    "mediaDevices": "navigator.mediaDevices.enumerateDevices().then(devices => devices.map(each => each.kind))",
    "visibilityState": "[document.visibilityState, document.hidden]",
    "hasFocus": "document.hasFocus()",
    "speech": "speechSynthesis.getVoices().length",
    "fonts": "['serif', 'sans-serif', 'monospace', 'system-ui', 'Arial', 'Times New Roman'].map(width)",
    "font of menus": "(put('<p style=\"font: menu\">'), getComputedStyle(made).font)",
    "colors": "['Highlight', 'Canvas', 'ButtonFace', 'AccentColor', 'LinkText'].map(name => "
    "(put(`<p style='color: ${name}'>`), getComputedStyle(made).color))",
    "controls": "['button', 'input', 'select', 'textarea', 'input type=checkbox', 'input type=date'].map(tag => "
    "(put(`<${tag}>`), [made.offsetWidth, made.offsetHeight]))",
    "films and sounds": "['video/mp4; codecs=avc1.42E01E', 'video/webm; codecs=vp9', 'audio/mpeg'].map(type => "
    "document.createElement('video').canPlayType(type))",
    "keyboard": "navigator.keyboard.getLayoutMap().then(keys => keys.size)",
    "gamepads": "navigator.getGamepads().length",
    "battery": "navigator.getBattery().then(battery => battery.level)",
    "fullscreenEnabled": "[document.fullscreenEnabled, document.pictureInPictureEnabled]",
}
COLLECT = """async (media, values, permissions, others) => {
    let made;
    const put = markup => { document.body.innerHTML = markup; made = document.body.firstChild; };
    const width = family => {
        const canvas = document.createElement('canvas').getContext('2d');
        canvas.font = `40px ${family}`;
        return canvas.measureText('mmmMMM wwwlli 0123').width;
    };
    const answers = {};
    for (const name of media) answers[name] = values.filter(value => matchMedia(`(${name}: ${value})`).matches);
    for (const name of permissions) answers[`permission ${name}`] = (await navigator.permissions.query({name})).state;
    for (const [name, asked] of Object.entries(others)) answers[name] = await eval(asked);
    return answers;
}"""
ASK = f"({COLLECT})({', '.join(json.dumps(each) for each in (MEDIA, VALUES, PERMISSIONS, OTHERS))})"
MOUSE = """[...['hover', 'any-hover', 'pointer', 'any-pointer'].map(name => ['none', 'hover', 'coarse', 'fine']
    .find(value => matchMedia(`(${name}: ${value})`).matches)), navigator.maxTouchPoints]"""


@pytest.mark.whole_chrome
async def test_without_windows_pages_learn_the_same_but_for_what_is_documented(
    tmp_path: Path, httpserver: HTTPServer, serve: Serve
) -> None:
    def languages(request: Request) -> Response:
        return Response(request.headers.get("Accept-Language", ""))

    async def answers(**options: Any) -> dict[str, Any]:
        async with Browser.launch(**options) as browser:
            page = await browser.new_page(url)
            return dict(await page.evaluate(ASK, timeout_s=60))

    httpserver.expect_request("/languages").respond_with_handler(languages)
    url = serve("<!doctype html><body>")
    with (
        desktop() as environment,
        chrome_of_a_person(tmp_path, environment, [f"--window-size={WINDOW[0]},{WINDOW[1]}"]) as endpoint,
    ):
        connection = Connection(await WebSocketTransport.open(endpoint))
        person = Person(connection, "")
        await person.see_first_window()
        in_window = await person.see(await person.open(url), ASK)
        await connection.close()

    headless = await answers()

    assert headless["webdriver"] is True
    assert _differences(in_window, headless) == _documented(column=1)

    shell = next((name for name in SHELLS if shutil.which(name)), None)
    if shell is None:
        pytest.skip("there is no headless shell here: apt-get install chromium-headless-shell")

    assert _differences(in_window, await answers(executable=shell)) == _documented(column=2)


def _differences(in_window: dict[str, Any], without: dict[str, Any]) -> set[str]:
    return {name for name, answer in in_window.items() if without[name] != answer}


def _documented(*, column: int) -> set[str]:
    """The answers that differ without windows (1) or in a headless shell (2)."""
    lines = DOCUMENTATION.read_text(encoding="utf-8").splitlines()
    _, _, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    return {row[0] for row in rows if row[column] != SAME}


async def test_every_frame_and_popup_has_a_mouse(page: Page, serve: Serve) -> None:
    assert await _mice(page, serve) == [["hover", "hover", "fine", "fine", 0]] * 3


async def test_every_frame_and_popup_of_a_phone_has_none(browser: Browser, serve: Serve) -> None:
    phone = Viewport(390, 844, scale=3, mobile=True, touch=True)
    async with await browser.new_context(viewport=phone) as context:
        page = await context.new_page()

        assert await _mice(page, serve) == [["none", "none", "coarse", "coarse", 5]] * 3


async def _mice(page: Page, serve: Serve) -> list[Any]:
    """What a page, its frame of another site, and its popup of another site learn of the mouse."""
    other = serve(f"<script>parent.postMessage({MOUSE}, '*')</script>Other", other_site=True)
    await page.goto(
        serve(f"""<script>onmessage = event => inner = event.data</script><iframe src="{other}"></iframe>""")
    )
    await page.evaluate(f"void window.open('{other}')")
    popup = await new_tab(page)
    await popup.wait_for(text="Other")
    return [await page.evaluate(MOUSE), await page.evaluate("inner"), await popup.evaluate(MOUSE)]


@pytest.mark.whole_chrome  # the headless shell grants pages less
async def test_a_place_is_given_without_denying_what_pages_may_do_anyway(browser: Browser, serve: Serve) -> None:
    asked = """Promise.all(['geolocation', 'clipboard-write', 'camera'].map(async name =>
        (await navigator.permissions.query({name})).state))"""
    async with await browser.new_context(geolocation=(52.52, 13.4)) as context:
        page = await context.new_page(serve("<p>Copy"))

        assert await page.evaluate(asked) == ["granted", "granted", "prompt"]

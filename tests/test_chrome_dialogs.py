"""What Chrome itself would ask its user, in dialogs over the page: refused, told, and never the end of all input."""

from __future__ import annotations

import pytest
from pytest_httpserver import HTTPServer

from cdp_agent.browser import Browser
from cdp_agent.cdp import input as cdp_input
from cdp_agent.errors import PageUnresponsive
from cdp_agent.page.page import Page, tab_of
from tests.acting import ref
from tests.conftest import Serve
from tests.detached import DetachedChrome

OTHER = """<button onclick="hits++">Other</button><input aria-label=Name>
<script>var hits = 0;
const frame = (src) => document.body.append(Object.assign(document.createElement('iframe'), {src}));</script>"""
LATE = """<script>const made = document.createElement('input'); made.ariaLabel = 'Note'; made.autocomplete = 'off';
addEventListener('load', () => document.body.append(made));</script>"""
"""A field that a script makes, whose text Chrome does not keep in its history."""
LOGIN = {"WWW-Authenticate": "Basic realm=private"}
APPS = {
    "link": "<a href='zoommtg://x'>Go</a>",
    "location": "<button onclick=\"location = 'zoommtg://x'\">Go</button>",
    "hidden frame": "<button onclick=\"frame('zoommtg://x')\">Go</button>",
    "form": "<form action='zoommtg://x'><button>Go</button></form>",
    "redirect": "<button onclick=\"location = '/leads-to-an-app'\">Go</button>",
    "new tab": "<button onclick=\"window.open('zoommtg://x')\">Go</button>",
    "frame of another site": "<iframe src='{far}'></iframe>",
}


def _leads_to_an_app(httpserver: HTTPServer) -> None:
    httpserver.expect_request("/leads-to-an-app").respond_with_data("", 302, {"Location": "zoommtg://x"})


async def _gets_input(page: Page) -> bool:
    """Whether a click and a key arrive."""
    before = await page.evaluate("hits")
    await page.click(await ref(page, "Other"))
    await page.press("q", ref=await ref(page, "Name"))
    after, value = await page.evaluate("[hits, document.querySelector('input').value]")
    return bool(after == before + 1 and value.endswith("q"))


async def _ask(page: Page, script: str) -> None:
    """Runs the script, and waits until Chrome drops the page's input."""
    await page.evaluate(f"void ({script})")
    session = (await tab_of(page).frames()).root.session
    count, before = -1, -2
    while count != before:
        before = await page.evaluate("performance.eventCounts.get('keyup')")
        await session.send(cdp_input.DispatchKeyEvent(type="keyUp", key="Shift"))
        count = await page.evaluate("performance.eventCounts.get('keyup')")


@pytest.mark.whole_chrome
@pytest.mark.parametrize("way", APPS)
async def test_no_app_is_opened(page: Page, serve: Serve, httpserver: HTTPServer, way: str) -> None:
    _leads_to_an_app(httpserver)
    far = serve(APPS["link"], other_site=True)
    await page.goto(serve(OTHER + APPS[way].replace("{far}", far)))

    receipt = await page.click(await ref(page, "Go"))

    asked = receipt.app_requests[0]
    assert asked.startswith("the page asked to open the app zoommtg: refused (zoommtg://x")
    assert asked in receipt.text
    assert "no change seen" not in receipt.text
    assert await _gets_input(page)


@pytest.mark.whole_chrome
async def test_no_app_is_opened_while_a_page_loads(page: Page, serve: Serve) -> None:
    receipt = await page.goto(serve(f"{OTHER}<script>location = 'tel:+4712345678'</script>"))

    assert receipt.app_requests == ["the page asked to open the app tel: refused (tel:+4712345678)"]
    assert await _gets_input(page)


@pytest.mark.whole_chrome
@pytest.mark.parametrize(
    "asks",
    [
        "navigator.credentials.get({publicKey: {challenge: new Uint8Array(16)}})",
        "navigator.credentials.create({publicKey: {challenge: new Uint8Array(16), rp: {name: 'x'}, user: {id:"
        " new Uint8Array(8), name: 'n', displayName: 'd'}, pubKeyCredParams: [{type: 'public-key', alg: -7}]}})",
        "navigator.credentials.get({digital: {requests: [{protocol: 'openid4vp-v1-unsigned', data: {}}]}})",
        "navigator.mediaDevices.getDisplayMedia()",
    ],
    ids=["passkey", "new passkey", "wallet", "screen"],
)
async def test_nobody_is_asked_for(page: Page, serve: Serve, asks: str) -> None:
    await page.goto(
        serve(f'{OTHER}<button onclick="{asks}.catch(() => 0)">Ask</button>').replace("127.0.0.1", "localhost")
    )

    await page.click(await ref(page, "Ask"))

    assert await _gets_input(page)


@pytest.mark.whole_chrome
@pytest.mark.parametrize(
    "asks",
    [
        "fetch('/login')",
        "document.body.append(Object.assign(new Image(), {src: '/login'}))",
        "frame('/login')",
    ],
    ids=["fetch", "image", "frame"],
)
async def test_a_login_that_a_server_asks_for_ends_with_its_request(page: Page, serve: Serve, asks: str) -> None:
    serve("no", path="/login", status=401, headers=LOGIN)
    await page.goto(serve(OTHER))
    name = await ref(page, "Name")
    await _ask(page, asks)

    with pytest.raises(PageUnresponsive) as refused:
        await page.fill(name, "Ada")

    assert str(refused.value).startswith("The page received no input: Chrome showed something of its own over it")
    assert "a server may have asked for a login" in str(refused.value)
    assert await _gets_input(page)


@pytest.mark.whole_chrome
async def test_a_page_that_stays_covered_is_loaded_anew_and_what_is_lost_is_told(page: Page, serve: Serve) -> None:
    login = serve("no", path="/login", status=401, headers=LOGIN)
    work = serve(f"fetch('{login}')", path="/work.js", content_type="text/javascript")
    await page.goto(serve(f"{OTHER}<button onclick=\"new Worker('{work}')\">Work</button>{LATE}"))
    await page.fill(await ref(page, "Name"), "Ada")
    await page.fill(await ref(page, "Note"), "Lovelace")

    other = await ref(page, "Other")
    await page.click(await ref(page, "Work"))

    with pytest.raises(PageUnresponsive) as refused:
        await page.click(other)

    told = str(refused.value)
    assert told.startswith("The page received no input: Chrome showed something of its own over it")
    assert "The page was loaded anew" in told
    assert 'What was entered there is lost: "Note". Take a new snapshot.' in told
    assert await page.evaluate("document.querySelector('input').value") == "Ada"  # as Chrome left it in its history
    assert await _gets_input(page)


@pytest.mark.whole_chrome  # a page of a busy headless shell sometimes stopped to answer with a locked mouse
async def test_a_locked_mouse_is_freed(page: Page, serve: Serve) -> None:
    locks = "locking = document.body.requestPointerLock()"
    await page.goto(serve(f'{OTHER}<button onclick="{locks}">Lock</button>'))
    await page.click(await ref(page, "Lock"))
    assert await page.evaluate("locking.then(() => document.pointerLockElement !== null)")

    receipt = await page.click(await ref(page, "Other"))

    assert receipt.note == "the page had locked the mouse: the lock was ended, as Escape does"
    assert await page.evaluate("hits") == 1


@pytest.mark.whole_chrome
async def test_in_somebody_elses_chrome_it_is_only_told(detached: DetachedChrome, serve: Serve) -> None:
    serve("no", path="/login", status=401, headers=LOGIN)
    async with Browser.connect(detached.endpoint) as browser:
        page = await browser.new_page(serve(OTHER))
        await _ask(page, "fetch('/login').finally(() => document.title = 'answered')")

        with pytest.raises(PageUnresponsive, match="Nothing was done about it: whoever sits at this Chrome"):
            await page.click(await ref(page, "Other"))

        assert await page.evaluate("document.title") == ""

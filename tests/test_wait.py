"""Waiting for something to come or go, in any frame."""

from __future__ import annotations

import re
from threading import Event
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from cdp_agent.errors import ActionError, InvalidArguments
from cdp_agent.page.page import Page

from .conftest import Serve, held
from .writing import opened, show


async def later(page: Page, script: str) -> None:
    """Runs the script in the page when we are waiting."""
    await page.evaluate(f"setTimeout(() => {{ {script} }}, 100) && 1")


SHOWN = """<style id=sheet>#hidden { display: none }</style><p id=out>Loading</p>
<div id=host></div><div id=hidden>secret</div>"""
COMES: dict[str, tuple[str, dict[str, Any]]] = {
    "text": ("out.innerHTML = 'All   <b>done</b>\\n now'", {"text": "all DONE now"}),
    "accent": ("out.textContent = 'Cafe\\u0301'", {"text": "caf\u00e9"}),
    "gone": ("out.textContent = 'nothing'", {"gone": "loading"}),
    "removed": ("out.remove()", {"gone": "loading"}),
    "hidden": ("out.style.display = 'none'", {"gone": "loading"}),
    "selector": ("out.className = 'ready'", {"selector": "p.ready"}),
    "part of url": ("history.pushState(0, '', '/cart?id=[7]')", {"url": "cart?id=[7]"}),
    "pattern of url": ("history.pushState(0, '', '/cart?id=[8]')", {"url": "http*/cart?id=[8]"}),
    "shadow root": (
        "host.attachShadow({mode: 'open'}).innerHTML = '<b class=in>inside</b>'",
        {"text": "inside", "selector": ".in"},
    ),
    "style sheet": ("sheet.textContent = '#hidden { display: block }'", {"text": "secret"}),
}


async def test_all_must_hold_at_the_same_time(sheet: Page) -> None:
    await show(sheet, "<p id=out>Loading</p>")
    await later(sheet, "out.textContent = 'Done'; setTimeout(() => (out.className = 'ready'), 100)")

    receipt = await sheet.wait_for(text="done", selector=".ready")

    assert receipt.settled == "quiet"


async def test_in_vain_says_where_a_text_still_is(sheet: Page) -> None:
    await show(sheet, "<p>Loading your data</p>")

    with pytest.raises(ActionError, match="It is in: - paragraph: Loading your data"):
        await sheet.wait_for(gone="LOADING", timeout_s=0.2)


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({}, "needs something to wait for"),
    ({"text": "  "}, "is empty"),
    ({"selector": ".."}, "is no CSS selector"),
]


async def test_a_selector_waits_until_what_matches_is_shown(sheet: Page) -> None:
    await show(sheet, "<p id=late hidden>here</p><script>setTimeout(() => { late.hidden = false }, 300)</script>")

    await sheet.wait_for(selector="#late")

    assert await sheet.evaluate("late.hidden") is False


async def test_a_ref_is_waited_for_until_it_is_shown(sheet: Page) -> None:
    await show(sheet, "<button id=b>Go</button>")
    (ref,) = (await sheet.snapshot()).refs
    await sheet.evaluate("b.hidden = true")
    await later(sheet, "b.hidden = false")

    receipt = await sheet.wait_for(ref=ref)

    assert receipt.text.splitlines()[0] == f"waited for {ref} to be shown"
    assert await sheet.evaluate("b.hidden") is False


async def test_a_ref_that_comes_again_is_the_same(sheet: Page) -> None:
    await show(sheet, "<div id=box><button>Pay now</button></div>")
    (ref,) = (await sheet.snapshot()).refs
    await sheet.evaluate("box.innerHTML = ''")
    await later(sheet, "box.innerHTML = '<button>Pay now</button>'")

    await sheet.wait_for(ref=ref)

    assert await sheet.evaluate("box.children.length") == 1


async def test_a_navigation_that_does_not_come_is_told(sheet: Page) -> None:
    await show(sheet, "<button>stay</button>")
    (ref,) = (await sheet.snapshot()).refs
    await sheet.click(ref)

    with pytest.raises(ActionError, match="the page has not gone elsewhere since the last action"):
        await sheet.wait_for(navigation=True, timeout_s=0.2)
    with pytest.raises(ActionError, match="the page has not gone elsewhere since the last action"):
        await sheet.wait_for(navigation=True, timeout_s=0.2)


NEVER_ENDING = """new EventSource('/stream');
fetch('/streamed');
(async () => { for (;;) await fetch('/hang') })();
setInterval(() => fetch('/polled'), 150);"""


async def test_what_was_filled_in_is_no_text_that_was_waited_for(sheet: Page) -> None:
    editor = "<div contenteditable role=textbox aria-label=Note></div>"
    await show(sheet, f"<input aria-label=Name><input aria-label=City value=Oslo>{editor}<p id=out></p>")
    refs = {each.name: each.ref for each in (await sheet.snapshot()).refs.values()}
    await sheet.fill(refs["Name"], "Ada")
    await sheet.fill(refs["Note"], "Bring tea")

    for text in ("Ada", "bring tea"):
        with pytest.raises(ActionError, match=f'there is no text "{text}" but where it was filled in'):
            await sheet.wait_for(text=text, timeout_s=0.2)
    await sheet.evaluate("out.textContent = 'Saved Ada'")

    assert (await sheet.wait_for(text="Ada")).detail == 'text "Ada"'
    assert (await sheet.wait_for(text="Oslo")).detail == 'text "Oslo"'


async def test_what_is_waited_for_comes(page: Page, serve: Serve, subtests: pytest.Subtests) -> None:
    await opened(page, serve, "")
    for what, (script, wanted) in COMES.items():
        with subtests.test(what):
            await show(page, SHOWN)
            await later(page, f"{script}; came = {what!r}")

            receipt = await page.wait_for(**wanted)

            assert receipt.action == "wait_for"
            assert await page.evaluate("came") == what


async def test_what_is_there_already_is_not_waited_for(page: Page, serve: Serve) -> None:
    await opened(page, serve, "<p>Done</p>")

    receipt = await page.wait_for(text="done", gone="loading", selector="p", url="written", timeout_s=5)

    assert receipt.text == (
        'waited for text "done" and text "loading" to be gone and an element that matches p and the address written'
    )


async def test_a_text_on_the_next_page_counts(page: Page, serve: Serve) -> None:
    goal = serve("<title>Goal</title><p>Thank you</p>")
    await opened(page, serve, "<p>Pay</p>")
    await later(page, f"location.href = '{goal}'")

    receipt = await page.wait_for(text="thank you")

    assert receipt.navigated_to == goal


async def test_a_text_that_comes_in_a_frame_of_another_site_that_comes_later_counts(page: Page, serve: Serve) -> None:
    inner = serve(
        "<p id=out>Paying</p><script>setTimeout(() => (out.textContent = 'Paid'), 300)</script>", other_site=True
    )
    await opened(page, serve, "<p>outer</p>")
    await later(page, f"document.body.innerHTML = `<iframe src='{inner}'></iframe>`")

    await page.wait_for(text="paid", gone="paying")


async def test_idle_waits_for_what_is_loading(page: Page, serve: Serve, httpserver: HTTPServer) -> None:
    await opened(page, serve, "<p id=out></p>")
    with held(httpserver, "/data", "data"):
        await page.evaluate("fetch('/data').then(async (r) => (out.textContent = await r.text())) && 1")

        with pytest.raises(ActionError, match=r"the page is loading GET http://.*/data"):
            await page.wait_for(idle=0.1, timeout_s=0.3)
    await page.wait_for(idle=0.1)

    assert await page.evaluate("out.textContent") == "data"


async def test_in_vain_says_what_is_there_instead(page: Page, serve: Serve) -> None:
    await opened(page, serve, "<title>Cart</title><p>Your order is placed</p>")

    with pytest.raises(ActionError) as caught:
        await page.wait_for(text="Order placed", timeout_s=0.2)

    assert str(caught.value) == (
        'Waited 0.2 s in vain: there is no text "Order placed". '
        f'The page is {page.url} "Cart". Close to it: - paragraph: Your order is placed.'
    )


async def test_what_cannot_be_waited_for_is_refused(page: Page) -> None:
    for wanted, said in REFUSED:
        with pytest.raises(InvalidArguments, match=said):
            await page.wait_for(**wanted)


async def test_a_page_that_changes_all_the_time_is_read_now_and_then(page: Page, serve: Serve) -> None:
    await page.goto(serve("<p id=out></p><script>setInterval(() => (out.textContent = performance.now()), 4)</script>"))
    await later(page, "document.body.append('Done')")

    await page.wait_for(text="done", timeout_s=10)


async def test_a_navigation_that_an_action_brought_counts(page: Page, serve: Serve) -> None:
    goal = serve("<title>Goal</title>")
    await page.goto(serve(f"<a href='{goal}'>on</a>"))
    (ref,) = (await page.snapshot()).refs
    await page.click(ref)

    await page.wait_for(navigation=True, timeout_s=1)

    assert page.url == goal


async def test_a_navigation_that_comes_later_is_waited_for(page: Page, serve: Serve) -> None:
    goal = serve("<title>Goal</title>")
    await page.goto(serve(f"<button onclick=\"setTimeout(() => (location.href = '{goal}'), 1600)\">on</button>"))
    (ref,) = (await page.snapshot()).refs
    await page.click(ref)

    receipt = await page.wait_for(navigation=True)

    assert (receipt.navigated_to, page.url) == (goal, goal)


async def test_an_address_of_the_same_document_is_a_navigation(page: Page, serve: Serve) -> None:
    await opened(
        page, serve, "<button onclick=\"setTimeout(() => history.pushState(0, '', '/cart'), 1500)\">on</button>"
    )
    (ref,) = (await page.snapshot()).refs
    await page.click(ref)

    await page.wait_for(navigation=True)

    assert page.url.endswith("/cart")


async def test_idle_counts_requests_too_short_to_be_seen_under_way(
    page: Page, serve: Serve, httpserver: HTTPServer
) -> None:
    """Four of them, one each 200 ms: it is idle half a second after the last."""
    serve("data", path="/data")
    httpserver.expect_request("/last").respond_with_data("last")
    await opened(page, serve, "<p id=out></p>")
    await page.evaluate(
        "(async () => { for (let i = 0; i < 4; i++) { await fetch('/data');"
        "await new Promise((done) => setTimeout(done, 200)); } await fetch('/last'); out.textContent = 'last' })() && 1"
    )

    await page.wait_for(idle=True)

    assert await page.evaluate("out.textContent") == "last"


async def test_what_never_ends_is_not_waited_for(page: Page, serve: Serve, httpserver: HTTPServer) -> None:
    """What were waited for would be told by its address."""
    released = Event()

    def hang(request: Request) -> Response:
        released.wait(30)
        return Response("")

    def stream(request: Request) -> Response:
        def events() -> Any:
            yield "data: 1\n\n"
            released.wait(30)

        return Response(events(), content_type="text/event-stream")

    httpserver.expect_request("/hang").respond_with_handler(hang)
    httpserver.expect_request("/stream").respond_with_handler(stream)
    httpserver.expect_request("/streamed").respond_with_handler(stream)
    serve("data", path="/polled")
    await page.goto(serve("<p>Live</p>"))
    await page.evaluate(f"{NEVER_ENDING} 1")

    try:
        await page.wait_for(idle=True, timeout_s=15)
    finally:
        released.set()
        await page.goto("about:blank")  # or it asks again at once


async def test_idle_tells_what_it_does_not_wait_for(page: Page, serve: Serve, httpserver: HTTPServer) -> None:
    await opened(page, serve, "<button onclick=\"fetch('/order', {method: 'POST'})\">Order</button>")
    with held(httpserver, "/order", "done"):
        clicked = await page.click(next(iter((await page.snapshot()).refs)))
        assert "still loading" in clicked.settled

        waited = await page.wait_for(idle=True)

    assert re.search(r"idle \(not counted, without an answer: POST http://.*/order for \d+ s\)", waited.detail)


async def test_a_text_is_seen_in_a_frame_of_another_origin_that_comes_meanwhile(page: Page, serve: Serve) -> None:
    """A `data:` document stays in its parent's process: Chrome tells of no frame."""
    later = "setTimeout(() => { frame.src = 'data:text/html,<p>Done' }, 1500)"
    await page.goto(serve(f'<iframe id=frame></iframe><button onclick="{later}">Go</button>'))
    await page.evaluate("document.querySelector('button').click()")

    await page.wait_for(text="Done")

    assert "- paragraph: Done" in (await page.snapshot()).text

"""When a page counts as settled after an action, and what is not waited for."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from threading import Event

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from cdp_agent.cdp import runtime
from cdp_agent.page.frames.frames import FrameTree
from cdp_agent.page.page import Page, tab_of
from cdp_agent.page.receipts import stability
from cdp_agent.page.receipts import watch as watching
from cdp_agent.page.receipts.receipts import Receipt
from cdp_agent.page.receipts.watch import Watch
from cdp_agent.page.snapshot import snapshot
from cdp_agent.page.snapshot.refs import RefTable
from cdp_agent.page.snapshot.snapshot import MarkedReading

from .acting import ref
from .conftest import BUSY, Serve, held
from .writing import show


async def act(page: Page, serve: Serve, script: str, body: str = "<p id=out></p>") -> Receipt:
    """Clicks a button that runs the script, in a page that is there already if there is one."""
    if page.url.startswith("http"):
        await show(page, with_button(script, body))
    else:
        await page.goto(serve(with_button(script, body)))
    return await page.click(await ref(page, "Go"))


def with_button(script: str, body: str = "<p id=out></p>") -> str:
    return f"<button id=go>Go</button>{body}<script>go.onclick = () => {{{script}}}</script>"


def every_20_ms(script: str) -> str:
    """Again and again, for as long as the page shows this."""
    return f"const o = out, t = setInterval(() => {{ if (o.isConnected) {script}; else clearInterval(t) }}, 20)"


@pytest.fixture
def release(httpserver: HTTPServer) -> Iterator[Callable[[], None]]:
    """/held is answered when the fixture is called, or when the test is over."""
    with held(httpserver, "/held", "released") as released:
        yield released.set


async def test_a_page_at_rest_is_not_waited_for(page: Page, serve: Serve) -> None:
    receipt = await act(page, serve, "out.textContent = 'done'")

    assert receipt.settled == "quiet"


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine with much else to do lets a page wait between its steps."""
    monkeypatch.setattr(stability, "QUIET_S", 0.3)


@pytest.mark.usefixtures("patient")
async def test_changes_that_follow_one_another_are_waited_for(page: Page, serve: Serve) -> None:
    steps = "let n = 0; const step = () => { out.textContent = `step ${++n}`; if (n < 5) setTimeout(step, 30) }; step()"

    assert (await act(page, serve, steps)).changed == ["+ - paragraph: step 5"]


async def test_what_begins_a_little_later_is_waited_for(
    page: Page, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stability, "PATIENCE_S", 10.0)  # a machine under load lets timers come later

    assert (await act(page, serve, "setTimeout(() => (out.textContent = 'late'), 100)")).changed == [
        "+ - paragraph: late"
    ]


async def test_a_request_that_never_ends_is_given_up(
    page: Page, serve: Serve, release: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stability, "REQUESTS_S", 0.3)

    first = await act(page, serve, "fetch('/held')")
    second = await page.click("E1")

    assert first.settled.startswith("still loading: GET http://")
    assert second.settled == "quiet"


async def test_a_request_that_was_slow_is_waited_for_the_next_time(
    page: Page, serve: Serve, httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    over = Event()

    def slow(_: Request) -> Response:
        over.wait(10)
        time.sleep(0.3)
        return Response("done")

    httpserver.expect_request("/slow").respond_with_handler(slow)
    with monkeypatch.context() as impatient:
        impatient.setattr(stability, "REQUESTS_S", 0.2)
        first = await act(page, serve, "fetch('/slow').then(() => (out.textContent += 'done '))")
    over.set()
    await page.wait_for(text="done")

    assert first.settled.startswith("still loading: GET http://")
    assert (await page.click("E1")).changed == ["~ - paragraph (now done done, before done)"]


async def test_a_request_is_waited_for_while_another_to_its_address_is_under_way(
    page: Page, serve: Serve, httpserver: HTTPServer
) -> None:
    over = Event()

    def query(request: Request) -> Response:
        if b"Feed" in request.data:
            over.wait(10)
        time.sleep(0.3)
        return Response("{}")

    httpserver.expect_request("/graphql").respond_with_handler(query)
    await page.goto(
        serve(
            with_button("send('Save').then(() => (out.textContent = 'saved'))")
            + "<script>const send = (operationName) => "
            "fetch('/graphql', {method: 'POST', body: JSON.stringify({operationName})})</script>"
        )
    )
    go = await ref(page, "Go")
    await page.evaluate("void send('Feed')")
    receipt = await page.click(go)
    over.set()

    assert receipt.changed == ["+ - paragraph: saved"]


ENDLESS = {
    "event stream": "new EventSource('/held')",
    "WebSocket": "new WebSocket('ws://' + location.host + '/held')",
    "beacon": "navigator.sendBeacon('/held', '1')",
    "picture": "document.body.append(Object.assign(new Image(), {src: '/held'}))",
    "media": "document.body.append(Object.assign(new Audio(), {src: '/held'}))",
    "font": "document.fonts.add(new FontFace('f', 'url(/held)')), document.fonts.load('12px f')",
}


async def test_what_never_ends_is_not_waited_for(
    page: Page, serve: Serve, release: Callable[[], None], subtests: pytest.Subtests
) -> None:
    await page.goto(serve(""))
    for what, script in ENDLESS.items():
        with subtests.test(what):
            await show(page, with_button(script))

            assert (await page.click(await ref(page, "Go"))).settled == "quiet"


async def test_a_stream_that_is_fetched_is_not_waited_for(page: Page, serve: Serve, httpserver: HTTPServer) -> None:
    over = Event()

    def stream() -> Iterator[bytes]:
        yield b"data: 1\n\n"
        over.wait(30)

    httpserver.expect_request("/stream").respond_with_handler(
        lambda _: Response(stream(), content_type="text/event-stream")
    )
    receipt = await act(page, serve, "fetch('/stream')")
    over.set()

    assert receipt.settled == "quiet"


async def test_a_request_from_before_is_not_the_actions_doing(
    page: Page, serve: Serve, release: Callable[[], None]
) -> None:
    await page.goto(serve("<button>Go</button>"))
    await page.evaluate("fetch('/held') && 1")
    await page.snapshot()

    assert (await page.click("E1")).settled == "quiet"


async def test_a_page_that_never_rests_is_cut_off_once(
    page: Page, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stability, "CHANGES_S", 0.3)

    first = await act(page, serve, every_20_ms("o.textContent = performance.now()"))
    second = await page.click("E1")

    assert (first.settled, second.settled) == ("the page keeps changing", "quiet")


async def test_what_was_cut_off_and_rests_again_is_an_effect_like_any_other(
    page: Page, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stability, "CHANGES_S", 0.3)
    first = await act(page, serve, "timer = setInterval(() => { out.textContent = performance.now() }, 20)")
    await page.evaluate("clearInterval(timer); go.onclick = () => { out.textContent = 'saved' }; undefined")
    await page.evaluate("new Promise((done) => setTimeout(done, 1300))")

    second = await page.click("E1")

    assert (first.settled, second.watched_s) == ("the page keeps changing", None)


async def test_an_animation_that_only_moves_things_is_no_change(page: Page, serve: Serve) -> None:
    receipt = await act(page, serve, every_20_ms("o.style.left = performance.now() + 'px'"))

    assert receipt.settled == "quiet"


async def test_something_that_fades_in_is_waited_for(page: Page, serve: Serve) -> None:
    style = "#out { visibility: hidden; transition: visibility 0.25s step-end } .on#out { visibility: visible }"

    receipt = await act(page, serve, "out.className = 'on'", f"<style>{style}</style><p id=out>here</p>")

    assert receipt.changed == ["+ - paragraph: here"]


SLIDING = [
    ("right: 0", "right: -400px"),
    ("margin-left: 0", "margin-left: -400px"),
    ("width: 90px", "width: 0px"),
    ("translate: 0", "translate: -400px"),
]


async def test_what_slides_away_before_it_is_removed_is_waited_for(
    page: Page, serve: Serve, subtests: pytest.Subtests
) -> None:
    script = "out.className = 'off'; setTimeout(() => out.remove(), 260)"
    await page.goto(serve(""))
    for before, after in SLIDING:
        with subtests.test(after):
            moves = f"position: fixed; overflow: hidden; {before}; transition: {before.partition(':')[0]} 0.25s"
            style = f"<style>#out {{ {moves} }} #out.off {{ {after} }}</style>"
            await show(page, with_button(script, f"{style}<p id=out>here</p>"))

            receipt = await page.click(await ref(page, "Go"))

            assert receipt.changed == ["- - paragraph: here"]


WENT = '- - dialog "D" (and 1 below it)'
FADING = [
    ("opacity: 0", "out.ontransitionend = () => out.remove()", WENT),
    # long after it cannot be seen any more
    ("opacity: 0", "setTimeout(() => out.remove(), 500)", '~ - dialog "D" (now [not-shown])'),
    ("transform: translateX(-900px)", "setTimeout(() => out.remove(), 260)", WENT),
]


async def test_a_dialog_that_goes_away_under_the_mouse_is_waited_for(
    page: Page, serve: Serve, subtests: pytest.Subtests
) -> None:
    await page.goto(serve(""))
    for off, then, change in FADING:
        with subtests.test(off, then=then):
            style = f"#out {{ transition: opacity 0.25s, transform 0.25s }} #out.off {{ {off} }}"
            button = f"<button onclick=\"out.className = 'off'; {then}\">Close</button>"
            dialog = f"<div id=out role=dialog aria-label=D>{button}</div>"
            await show(page, f"<style>{style}</style><p>page</p>{dialog}")

            receipt = await page.click(await ref(page, "Close"))

            assert receipt.changed == [change]


async def test_what_a_script_fades_out_is_waited_for(page: Page, serve: Serve) -> None:
    fade = (
        "const fade = (left) => { out.style.opacity = left / 20;"
        " if (left) requestAnimationFrame(() => fade(left - 1)); else out.remove() }; fade(20)"
    )

    receipt = await act(page, serve, fade, "<p id=out>here</p>")

    assert receipt.changed == ["- - paragraph: here"]


@pytest.mark.usefixtures("patient")
async def test_changes_in_a_shadow_root_are_waited_for(page: Page, serve: Serve) -> None:
    steps = (
        "const root = out.shadowRoot ?? out.attachShadow({mode: 'open'}); let n = 0;"
        "const step = () => { root.innerHTML = `<b>step ${++n}</b>`; if (n < 5) setTimeout(step, 30) }; step()"
    )

    assert (await act(page, serve, steps)).changed == ["+ - paragraph: step 5"]


@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize("other_site", [False, True], ids=["same-process", "out-of-process"])
async def test_changes_in_an_iframe_are_waited_for(page: Page, serve: Serve, other_site: bool) -> None:
    steps = (
        "onmessage = () => { let n = 0;"
        "const step = () => { out.textContent = `step ${++n}`; if (n < 5) setTimeout(step, 30) }; step() }"
    )
    inner = serve(f"<p id=out></p><script>{steps}</script>", other_site=other_site)

    receipt = await act(page, serve, "frames[0].postMessage('go', '*')", f"<iframe src='{inner}'></iframe>")

    assert [line for line in receipt.changed if "paragraph" in line] == ["+ - paragraph: step 5"]


async def test_an_iframe_that_loads_is_waited_for(page: Page, serve: Serve, httpserver: HTTPServer) -> None:
    def answer(request: Request) -> Response:
        Event().wait(0.3)  # longer than any quiet window
        return Response("<p>inner</p>", content_type="text/html")

    httpserver.expect_request("/inner").respond_with_handler(answer)

    receipt = await act(page, serve, "out.innerHTML = '<iframe src=/inner></iframe>'", "<div id=out></div>")

    assert receipt.settled == "quiet"
    assert "+   - paragraph: inner" in receipt.changed or "inner" in "".join(receipt.changed)


async def test_a_navigation_is_waited_for_until_its_document_is_there(
    page: Page, serve: Serve, httpserver: HTTPServer
) -> None:
    def answer(request: Request) -> Response:
        Event().wait(0.3)  # longer than any quiet window
        return Response("<title>Goal</title>", content_type="text/html")

    httpserver.expect_request("/goal").respond_with_handler(answer)

    receipt = await act(page, serve, "location.href = '/goal'")

    assert receipt.title == "Goal"


async def test_a_page_that_is_left_while_it_is_looked_at_is_waited_for(
    page: Page, serve: Serve, httpserver: HTTPServer
) -> None:
    def halves() -> Iterator[str]:
        yield "<title>Goal</title><p>first half"
        Event().wait(0.5)  # longer than any quiet window
        yield "<p>second half"

    httpserver.expect_request("/goal").respond_with_handler(lambda _: Response(halves(), content_type="text/html"))
    submits = f"setTimeout(() => {{ {BUSY} document.forms[0].submit() }})"

    with held(httpserver, "/busy", "", within_s=0.4):
        receipt = await act(page, serve, submits, "<form action=/goal></form>")

    assert receipt.title == "Goal"
    assert receipt.changed == []
    assert (await page.snapshot()).text == "- paragraph: first half\n- paragraph: second half"


@pytest.mark.new_tab  # it would go elsewhere in the next test, too
async def test_a_page_that_goes_on_by_itself_is_waited_for(page: Page, serve: Serve) -> None:
    there = serve("<p>There</p>")

    receipt = await page.goto(serve(f"<meta http-equiv=refresh content='1;url={there}'><p>Wait a moment</p>"))

    assert receipt.navigated_to == there


async def test_a_page_that_goes_elsewhere_for_ever_is_told(
    page: Page, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stability, "_MOST_DOCUMENTS", 4)
    serve("<script>setTimeout(() => location.replace('?' + Math.random()), 20)</script>", path="/again")
    await page.goto(serve("<a href=/again>Go</a>"))
    await page.snapshot()

    assert (await page.click("E1")).settled == "the page keeps going elsewhere by itself"


async def test_what_a_page_does_after_a_slow_answer_is_waited_for(
    page: Page, serve: Serve, httpserver: HTTPServer
) -> None:
    def answer(request: Request) -> Response:
        Event().wait(1.2)  # longer than an effect is waited for
        return Response("done")

    httpserver.expect_request("/slow").respond_with_handler(answer)

    receipt = await act(page, serve, "fetch('/slow').then(() => setTimeout(() => (out.textContent = 'done'), 300))")

    assert receipt.changed == ["+ - paragraph: done"]


async def test_what_a_new_document_fetches_is_waited_for(page: Page, serve: Serve, httpserver: HTTPServer) -> None:
    def answer(request: Request) -> Response:
        Event().wait(0.3)  # longer than any quiet window
        return Response("fetched")

    httpserver.expect_request("/data").respond_with_handler(answer)

    await page.goto(
        serve("<p id=out></p><script>fetch('/data').then(async (r) => (out.textContent = await r.text()))</script>")
    )

    assert (await page.snapshot()).text == "- paragraph: fetched"


async def test_nothing_is_left_in_the_page(page: Page, serve: Serve) -> None:
    await act(page, serve, "out.textContent = 'done'")

    world = await (await tab_of(page).frames()).root.world()
    assert (await world.call("changes"))["count"] == 0  # it began to watch just now


async def test_a_busy_page_is_told(
    page: Page, serve: Serve, httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching, "_ASK_TIMEOUT_S", 0.2)
    await page.goto(serve("<p>busy soon</p>"))
    watch = await Watch.start(tab_of(page))

    session = (await tab_of(page).frames()).root.session
    with held(httpserver, "/busy", ""):
        busy = session.post(runtime.Evaluate(expression=BUSY))

        assert await stability.settle(watch) == "the page does not answer: its own script keeps it busy"
    await busy


WORKERS = {
    "worker": "new Worker('/script').onmessage = event => { out.textContent = event.data }",
    "module": "new Worker('/script', {type: 'module'}).onmessage = event => { out.textContent = event.data }",
    "nested": "new Worker('/nested').onmessage = event => { out.textContent = event.data }",
    "shared": "new SharedWorker('/shared').port.onmessage = event => { out.textContent = event.data }",
    "that does not exist": "new Worker('/nowhere').onerror = () => { out.textContent = 'ran' }",
    "ended at once": "new Worker('/script').terminate(); out.textContent = 'ran'",
}


async def test_a_worker_is_waited_for_until_its_script_is_there(
    page: Page, serve: Serve, subtests: pytest.Subtests
) -> None:
    script = "text/javascript"
    serve("postMessage('ran')", path="/script", content_type=script)
    serve("new Worker('/script').onmessage = event => postMessage(event.data)", path="/nested", content_type=script)
    serve("onconnect = event => event.ports[0].postMessage('ran')", path="/shared", content_type=script)
    await page.goto(serve(""))
    for kind, begins in WORKERS.items():
        with subtests.test(kind):
            await show(page, with_button(begins))

            receipt = await page.click(await ref(page, "Go"))

            assert receipt.settled == "quiet"
            assert [line for line in receipt.changed if "ran" in line]


async def test_our_world_of_a_document_is_made_while_that_is_loaded(
    page: Page, serve: Serve, release: Callable[[], None]
) -> None:
    going = asyncio.ensure_future(page.goto(serve("<p>There</p><img src=/held>")))
    root = (await tab_of(page).frames()).root
    document = tab_of(page).activity.document.number
    while tab_of(page).activity.document.number == document or root.present_world is None:
        await tab_of(page).activity.wait_for_event(0.05)
    assert not tab_of(page).activity.document.loaded
    made = root.present_world
    release()

    assert (await going).settled == "quiet"
    assert root.present_world is made


@pytest.mark.new_tab
async def test_who_read_the_page_before_waits_for_no_reading_but_of_what_has_changed_since(
    page: Page, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken, take = list[str](), snapshot.take

    async def noted(
        tree: FrameTree, refs: RefTable, *, marks: bool = False, frame_timeout_s: float | None = None
    ) -> MarkedReading:
        taken.append(tree.root.url)
        return await take(tree, refs, marks=marks, frame_timeout_s=frame_timeout_s)

    monkeypatch.setattr(snapshot, "take", noted)
    late = "<p id=out>early</p><script>setTimeout(() => { out.textContent = 'late' }, 40)</script>"

    await page.goto(serve("<p>first</p>"))
    assert not taken  # nobody has read a page in this tab
    await page.snapshot()
    await page.goto(serve(late))

    assert taken[1:] == [page.url]
    assert "late" in (await page.snapshot()).text


@pytest.mark.whole_chrome
async def test_a_tab_behind_its_popup_is_drawn_while_something_is_done_in_it(page: Page, serve: Serve) -> None:
    body = "<button id=hide>Hide</button><button id=say>Say</button><p id=out style='transition: opacity .2s'>Note</p>"
    script = """<script>hide.onclick = () => out.style.opacity = 0; out.ontransitionend = () => out.remove()
        const later = left => left ? requestAnimationFrame(() => later(left - 1)) : say.append('!')
        say.onclick = () => later(3)</script>"""
    await page.goto(serve(f"<a href='{serve('In front')}' target=_blank>Open</a>{body}{script}"))
    snapshot = await page.snapshot()
    refs = {each.name: each.ref for each in snapshot.refs.values()}
    await page.click(refs["Open"])

    hidden, said = [await page.click(refs[name]) for name in ("Hide", "Say")]

    assert hidden.changed == ["- - paragraph: Note"]
    assert said.changed == [f'~ - button "Say" → "Say!" [ref={refs["Say"]}]']


async def test_an_application_is_waited_for_until_it_shows_anything(
    page: Page, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = serve("setTimeout(() => root.append('Welcome'), 500)", path="/app.js", content_type="text/javascript")
    links = "<app-name hidden>7</app-name>" + "<link rel=prefetch>" * 100  # so that all of them are in the body
    shell = f"<title>App</title>{links}<noscript>No</noscript><p id=root></p><script src={{}}></script>"

    begun = await page.goto(serve(shell.format(script)))

    assert begun.settled == "quiet"
    assert (await page.snapshot()).text == "- paragraph: Welcome"

    framed = await page.goto(serve(f"<nav>Menu</nav><main id=root></main><script src={script}></script>"))

    assert framed.settled == "quiet"
    assert (await page.snapshot()).text == "- navigation: Menu\n- main: Welcome"

    monkeypatch.setattr(stability, "EMPTY_S", 0.4)
    monkeypatch.setattr(stability, "CHANGES_S", 0.2)
    nothing = serve("'nothing'", path="/nothing.js", content_type="text/javascript")
    told = await page.goto(serve(shell.format(nothing)))
    inline = await page.goto(serve("<title>App</title><div id=root></div><script>'nothing'</script>"))

    assert told.settled == "the page shows nothing yet"
    assert "the page shows nothing yet" in told.text
    assert inline.settled == "quiet"


async def test_the_title_of_a_document_is_never_that_of_the_one_before(page: Page, serve: Serve) -> None:
    await page.goto(serve("<title>One</title>"))
    tab = tab_of(page)
    watch = await Watch.start(tab)
    assert watch.title == "One"

    await page.evaluate("setTimeout(() => location.search = 'again')")
    while not watch.navigated:
        await tab.activity.wait_for_event(5)

    assert watch.title is None
    await stability.settle(watch, keep=True)
    assert watch.title == "One"
    watch.stop()

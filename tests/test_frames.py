"""Frames that come, go and change process at any time."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from threading import Event
from typing import Any

import msgspec
import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from cdp_agent.cdp import page as cdp_page
from cdp_agent.cdp import runtime
from cdp_agent.cdp.connection import Session
from cdp_agent.cdp.types import Command
from cdp_agent.errors import SessionClosed
from cdp_agent.page.frames.frames import Frame
from cdp_agent.page.page import Page, tab_of

from .conftest import BUSY, Serve, held, on_other_site

REF = re.compile(r"\[ref=(E\d+)\]")


async def text(page: Page) -> str:
    return (await page.snapshot()).text


async def child(page: Page) -> Frame:
    """The first frame in a process of its own, when it is there."""
    await page.wait_for(idle=0.1)
    return (await tab_of(page).frames()).all()[1]


async def test_an_iframe_is_read_and_keeps_its_ref_in_whatever_process_its_content_is(page: Page, serve: Serve) -> None:
    """As it comes, goes elsewhere, and is removed."""
    await page.goto(serve("<p>outer</p>"))
    assert await text(page) == "- paragraph: outer"
    await page.evaluate("document.body.append(document.createElement('iframe'))")

    for name in ("far", "far again", "near", "near again", "back"):
        address = serve(f"<p>{name} there", other_site=name in ("far", "far again", "back"))
        await page.evaluate(f"document.querySelector('iframe').src = '{address}'")
        await page.wait_for(text=f"{name} there")
        assert await text(page) == f"- paragraph: outer\n- iframe [ref=E1]:\n  - paragraph: {name} there"

    await page.evaluate("document.querySelector('iframe').remove()")
    assert await text(page) == "- paragraph: outer"


DRAWING = """<svg xmlns="http://www.w3.org/2000/svg" width="200" height="50"><foreignObject width="200" height="50">
<button xmlns="http://www.w3.org/1999/xhtml" onclick="textContent = 'Pressed'">Inside</button></foreignObject></svg>"""


async def test_the_document_of_an_object_or_an_embed_is_read_and_acted_on(
    page: Page, serve: Serve, httpserver: HTTPServer
) -> None:
    httpserver.expect_request("/drawing.svg").respond_with_data(DRAWING, content_type="image/svg+xml")
    url = httpserver.url_for("/drawing.svg")
    holders = ("object type=image/svg+xml data={}></object", "object data={}></object", "embed src={}")
    await page.goto(serve("<p>outer</p>" + "".join(f"<{holder.format(repr(url))}>" for holder in holders)))
    before = await page.snapshot()
    buttons = [each for each in before.refs.values() if each.role == "button"]

    receipts = [await page.click(button.ref) for button in buttons]
    matches = (await page.search("pressed")).matches
    found = (await page.find("button")).elements
    words = await page.markdown()

    assert [each.frame_url for each in buttons] == [url] * len(holders)
    for receipt, button in zip(receipts, buttons, strict=True):
        assert receipt.changed[0].endswith(f'button "Inside" → "Pressed" [ref={button.ref}]')
    assert [each.ref for each in matches] == [each.ref for each in found] == [each.ref for each in buttons]
    assert words.count("Pressed") == len(holders)


async def test_nested_frames_of_alternating_sites_are_read(page: Page, serve: Serve) -> None:
    address = serve("<p>depth 4</p>")
    for depth in (3, 2, 1):
        address = serve(
            f"<p>depth {depth}</p><iframe src='{on_other_site(address) if depth % 2 else address}'></iframe>"
        )
    await page.goto(serve(f"<iframe src='{on_other_site(address)}'></iframe>"))

    receipt = await page.wait_for(text="depth 4")

    assert receipt.settled == "quiet"
    assert [line.strip() for line in (await text(page)).split("\n") if "depth" in line] == [
        f"- paragraph: depth {depth}" for depth in (1, 2, 3, 4)
    ]


@pytest.fixture
def hanging(httpserver: HTTPServer) -> Iterator[str]:
    """A page on the other site that never ends: its head is there, the rest is not."""
    over = Event()

    def answer(request: Request) -> Response:
        def stream() -> Iterator[bytes]:
            yield b"<title>half</title><p>half of it</p>" + b" " * 4096
            over.wait(30)

        return Response(stream(), content_type="text/html")

    httpserver.expect_request("/half").respond_with_handler(answer)
    yield on_other_site(httpserver.url_for("/half"))
    over.set()


async def test_a_frame_in_the_middle_of_loading_is_read_as_far_as_it_is(page: Page, serve: Serve, hanging: str) -> None:
    await page.goto(serve("<p>outer</p>"))
    await page.evaluate(f"document.body.innerHTML += `<iframe src='{hanging}'></iframe>`")

    await page.wait_for(text="half of it")

    assert "  - paragraph: half of it" in await text(page)


async def test_a_frame_that_crashes_is_named_and_the_rest_is_read(page: Page, serve: Serve) -> None:
    inner = serve("<p>inner</p>", other_site=True)
    await page.goto(serve(f"<p>outer</p><iframe src='{inner}'></iframe>"))
    frame = await child(page)
    frame.session.tell(runtime.Evaluate(expression="location.href = 'chrome://crash'"))
    crashing = frame.session.post(runtime.Evaluate(expression="new Promise(() => {})", await_promise=True))
    await page.snapshot()
    crashing.cancel()

    snapshot = await page.snapshot()

    assert snapshot.text.startswith("- paragraph: outer\n- iframe [ref=E1]")


async def test_frames_that_come_and_go_all_the_time_break_nothing(page: Page, serve: Serve) -> None:
    near, far = serve("<button>near</button>"), serve("<button>far</button>", other_site=True)
    script = """
        let turn = 0
        setInterval(() => {
          const frames = document.querySelectorAll('iframe')
          if (++turn > 100) return // or it takes all of a busy machine, for as long as that makes it take
          if (frames.length > 3) frames[turn % 4].remove()
          else if (frames.length && turn % 3 == 0) frames[0].src = turn % 2 ? NEAR : FAR
          else document.body.append(Object.assign(document.createElement('iframe'), {src: turn % 2 ? FAR : NEAR}))
        }, 40)"""
    script = script.replace("NEAR", f"'{near}'").replace("FAR", f"'{far}'")
    await page.goto(serve("<h1>Steady</h1>"))
    await page.evaluate(f"{script}; 1")

    texts = [await text(page) for _ in range(6)]

    assert all(each.startswith('- heading "Steady" [level=1]') for each in texts)
    assert [each for each in texts if sorted(set(refs := REF.findall(each))) != sorted(refs)] == []


async def test_a_tab_that_navigates_while_it_is_read_is_read_in_the_end(page: Page, serve: Serve) -> None:
    second = serve("<p>second</p>", other_site=True)
    await page.goto(serve("<p>first</p>"))
    going = (await tab_of(page).frames()).root.session.post(runtime.Evaluate(expression=f"location.href = '{second}'"))

    assert await text(page) in ("- paragraph: first", "- paragraph: second", "")

    await going
    await page.wait_for(text="second")


async def test_what_a_frame_of_another_site_goes_through_holds_up_only_itself(
    page: Page, serve: Serve, httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its elements keep their refs; it hangs, is on its way to a silent server, goes away in the middle of a call."""
    monkeypatch.setattr("cdp_agent.page.snapshot.reading.READ_TIMEOUT_S", 0.3)
    monkeypatch.setattr("cdp_agent.page.snapshot.reading.FRAME_TIMEOUT_S", 0.2)
    inner = serve("<button>Inside</button>", other_site=True)
    await page.goto(serve(f"<p>outer</p><iframe src='{inner}'></iframe>"))
    frame = await child(page)
    first = await text(page)
    assert first == '- paragraph: outer\n- iframe [ref=E1]:\n  - button "Inside" [ref=E2]'

    await page.evaluate("document.body.append(document.createElement('button'))")
    assert (await text(page)).startswith(first)

    with held(httpserver, "/busy", ""):
        busy = frame.session.post(runtime.Evaluate(expression=BUSY))
        snapshot = await page.snapshot()
    await busy
    assert snapshot.text.split("\n")[:2] == ["- paragraph: outer", "- iframe [ref=E1]: (not readable)"]
    assert [each.what for each in snapshot.omitted] == ["iframe E1"]

    silent = on_other_site(httpserver.url_for("/silent"))
    with held(httpserver, "/silent", ""):
        async with frame.session.expect(cdp_page.FrameStartedNavigating) as leaving:
            await frame.session.send(runtime.Evaluate(expression=f"location.href = '{silent}'"))
            await leaving
        snapshot = await page.snapshot()
        assert snapshot.omitted[0].why.startswith(f"It is still loading {silent}")

        never = frame.session.post(runtime.Evaluate(expression="new Promise(() => {})", await_promise=True))
        await page.evaluate("document.querySelector('iframe').remove()")
        with pytest.raises(SessionClosed):
            async with asyncio.timeout(5):
                await never


async def test_frames_of_another_origin_in_the_same_process_are_read_and_acted_on(page: Page, serve: Serve) -> None:
    sandboxed = "<button onclick='this.textContent = 1'>Sandboxed</button>"
    inside = "<a href='#x'>Nested</a><iframe src='data:text/html,<button>Deepest</button>'></iframe>"
    with HTTPServer(host="127.0.0.1", port=0, threaded=True) as other_port:
        other_port.expect_request("/").respond_with_data(inside, content_type="text/html")
        await page.goto(
            serve(
                f'<iframe sandbox=allow-scripts srcdoc="{sandboxed}"></iframe>'
                f"<iframe src='{other_port.url_for('/')}'></iframe>"
            )
        )

        snapshot = await page.snapshot()
        refs = {ref.name: ref for ref in snapshot.refs.values()}
        receipt = await page.click(refs["Sandboxed"].ref)
        found = await page.find("button, a"), await page.search("deepest")
        tree = await tab_of(page).frames()
        there = len(tree.all())
        await page.goto(serve("<p>elsewhere"))

    assert (there, tree.all()) == (4, [tree.root])
    assert snapshot.omitted == []
    assert [each.total for each in found] == [3, 1]
    assert {"Sandboxed", "Nested", "Deepest"} <= refs.keys()
    assert refs["Deepest"].frame_url.startswith("data:text/html")
    assert receipt.changed != []


async def test_a_document_that_gets_another_world_has_the_functions_that_were_sent_before(
    page: Page, serve: Serve
) -> None:
    await page.goto(serve("<button>Go</button>"))
    await page.click(next(iter((await page.snapshot()).refs)))
    (await tab_of(page).frames()).root.forget_document()

    receipt = await page.click(next(iter((await page.snapshot()).refs)))

    assert receipt.changed == []


async def test_our_functions_are_sent_once_for_all_documents_to_come_and_those_for_acts_with_the_first_act(
    page: Page, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    longest = []
    post = Session.post

    def posting(self: Session, command: Command[Any]) -> asyncio.Future[Any]:
        longest.append(len(msgspec.json.encode(command)))
        return post(self, command)

    monkeypatch.setattr(Session, "post", posting)
    sent = []
    for number in range(2):
        longest.clear()
        await page.goto(serve(f"<title>{number}</title><script>Array.prototype.map = null</script><button>Go</button>"))
        snapshot = await page.snapshot()
        sent.append(sum(each > 100_000 for each in longest))
        await page.click(next(iter(snapshot.refs)))
        sent.append(sum(each > 100_000 for each in longest))
        assert (snapshot.title, snapshot.text) == (
            str(number),
            '- button "Go" [ref=E1]'.replace("E1", f"E{number + 1}"),
        )
    await page.back()
    assert (await page.snapshot()).title == "0"
    with HTTPServer(host="127.0.0.1", port=0, threaded=True) as other_port:
        other_port.expect_request("/").respond_with_data("<button>Inside</button>", content_type="text/html")
        await page.goto(serve(f"<iframe src='{other_port.url_for('/')}'></iframe>"))
        assert 'button "Inside"' in (await page.snapshot()).text

    assert sent == [1, 2, 0, 0]
    assert await page.evaluate("Object.getOwnPropertyNames(globalThis).includes('cdp_agent')") is False


async def test_a_document_that_came_without_our_functions_after_all_is_given_them(page: Page, serve: Serve) -> None:
    await page.goto(serve("<p>One"))
    await page.goto(serve("<p>Two"))
    root = (await tab_of(page).frames()).root

    root.forget_document(next_is_new=True)  # what it came with was taken before

    assert await text(page) == "- paragraph: Two"
    assert await text(page) == "- paragraph: Two"


async def test_a_frame_of_another_origin_may_come_home_and_leave_again(page: Page, serve: Serve) -> None:
    home = serve("<p>at home</p>")
    await page.goto(serve("<iframe src='data:text/html,<p>away</p>'></iframe>"))
    seen = [await text(page)]

    for address, words in ((home, "at home"), ("data:text/html,<p>away again</p>", "away again")):
        await page.evaluate(f"document.querySelector('iframe').src = {address!r}")
        await page.wait_for(text=words)
        seen.append(await text(page))
    await page.evaluate("document.querySelector('iframe').remove()")

    assert [each.rpartition(": ")[2] for each in seen] == ["away", "at home", "away again"]
    assert await text(page) == ""
    assert len((await tab_of(page).frames()).all()) == 1

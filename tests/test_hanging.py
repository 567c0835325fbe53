"""A page whose script never ends is noticed soon, and can be left."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Coroutine, Iterator
from contextlib import suppress
from threading import Event
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from cdp_agent.browser import Browser
from cdp_agent.cdp import page as cdp_page
from cdp_agent.cdp import runtime, system_info
from cdp_agent.cdp.connection import Session
from cdp_agent.errors import NavigationFailed, PageUnresponsive
from cdp_agent.events import AgentStatus
from cdp_agent.page.actions import mouse
from cdp_agent.page.frames import responsiveness, world
from cdp_agent.page.frames.responsiveness import is_responsive, is_responsive_again
from cdp_agent.page.page import Page, tab_of
from cdp_agent.page.receipts import stability, watch
from cdp_agent.page.receipts.receipts import Receipt
from cdp_agent.page.tab import hanging
from fixtures.replay import tool_call
from tests.acting import ref
from tests.agents import DONE, of, play, result_of
from tests.conftest import LOOP, Serve
from tests.detached import DetachedChrome

HANGS = f'<title>Hangs</title><button onclick="{LOOP}">Hang</button>'
HANGS_AGAIN = f'<title>Hangs</title><button onclick="setInterval(() => {{ {LOOP} }})">Hang</button>'
HANGS_AT_LOAD = f"<title>Hangs</title><p>Before<script>{LOOP}</script>"
BUSY = "its own script keeps it busy"

ENDS = (runtime.TerminateExecution.method, cdp_page.Crash.method)
"""In that order: the second where another script hangs again."""

pytestmark = pytest.mark.usefixtures("held_loop")
sooner = pytest.mark.usefixtures("told_sooner")
left_sooner = pytest.mark.usefixtures("_left_sooner")


@pytest.fixture
def _left_sooner(told_sooner: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """For a page that loops as it is left: it can ask no server meanwhile, so it has a processor until it is ended."""
    monkeypatch.setattr(hanging, "UNLOAD_TIMEOUT_S", 0.3)
    monkeypatch.setattr(hanging, "ANSWERS_WITHIN_S", 0.5)


@pytest.fixture
def told(held_loop: None, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The commands for whose answers nobody waits."""
    methods: list[str] = []
    tell = Session.tell

    def note(session: Session, command: Any) -> None:
        methods.append(command.method)
        tell(session, command)

    monkeypatch.setattr(Session, "tell", note)
    return methods


@sooner
async def test_a_page_that_hangs_is_told_at_once_and_left_for_one_of_the_same_site(
    page: Page, serve: Serve, told: list[str]
) -> None:
    await page.goto(serve(HANGS_AGAIN))
    button = await ref(page, "Hang")
    with suppress(PageUnresponsive):
        await page.click(button)
    with pytest.raises(PageUnresponsive):
        await page.snapshot()

    began = time.monotonic()
    for _ in range(2):
        with pytest.raises(PageUnresponsive, match="still does not answer"):
            await page.snapshot()
    told_s = time.monotonic() - began
    receipt, left_s = await seconds(page.goto(serve("<p>Elsewhere")))

    assert receipt.settled == "quiet"
    assert "Elsewhere" in (await page.snapshot()).text
    assert [each for each in told if each in ENDS] == list(ENDS)
    assert (told_s < 5, left_s < 10) == (True, True)


@sooner
async def test_a_page_that_hangs_is_reloaded_without_ending_its_process(
    page: Page, serve: Serve, told: list[str], subtests: pytest.Subtests
) -> None:
    content = HANGS.replace("<button", "<button>Well</button><button") + HANGS.replace("onclick", "onmousedown")
    await page.goto(serve(content))
    for nth, when in enumerate(("released", "pressed")):
        with subtests.test(when):
            told.clear()
            named = [each.ref for each in (await page.snapshot()).refs.values() if each.name == "Hang"]
            with pytest.raises(PageUnresponsive, match=r"did not answer within 1 s"):
                await page.click(named[nth])

            await page.reload()

            assert "Well" in (await page.snapshot()).text
            assert [each for each in told if each in ENDS] == [runtime.TerminateExecution.method]


async def test_a_model_is_told_within_ten_seconds_that_the_page_hangs(
    browser: Browser, page: Page, serve: Serve
) -> None:
    click = tool_call("click", {"ref": "{{ref:button Hang}}"})
    elsewhere = serve("<p>Elsewhere")
    go = tool_call("goto", {"url": elsewhere})

    events, _ = await play(browser, page, [click, go, DONE], task=f"Go to {elsewhere}", url=serve(HANGS))

    assert result_of(events).success
    times = [event.timestamp for event in events if event.__struct_config__.tag == "agent:step"]
    assert times[1] - times[0] < 10
    assert any("cannot be read" in event.message for event in of(events, AgentStatus))


async def seconds(doing: Coroutine[Any, Any, Receipt]) -> tuple[Receipt, float]:
    began = time.monotonic()
    return await doing, time.monotonic() - began


AT_LOAD = {"script": HANGS_AT_LOAD, "dialogs": HANGS_AT_LOAD.replace("{ ", "{ alert('Again'); ")}


@sooner
async def test_a_page_that_hangs_as_it_loads_is_told_and_left(
    page: Page, serve: Serve, subtests: pytest.Subtests
) -> None:
    """Neither opening it nor loading it anew blames the server; another page is there soon, also of another site."""
    for kind, content in AT_LOAD.items():
        with subtests.test(kind):
            opened, opened_s = await seconds(page.goto(serve(content)))
            again, again_s = await seconds(page.reload()) if kind == "script" else (opened, opened_s)
            left, left_s = await seconds(page.goto(serve(f"<p>Elsewhere than {kind}", other_site=kind == "dialogs")))

            assert [opened.settled, again.settled, left.settled] == [f"the page does not answer: {BUSY}"] * 2 + [
                "quiet"
            ]
            assert (opened_s < 7, again_s < 7, left_s < 5) == (True, True, True)
            assert f"Elsewhere than {kind}" in (await page.snapshot()).text


@sooner
async def test_a_page_that_hangs_once_it_has_loaded_is_waited_for_once(page: Page, serve: Serve) -> None:
    """Not for its state and then for its title."""
    loop = f"addEventListener('DOMContentLoaded', () => setTimeout(() => {{ {LOOP} }}))"

    opened, took_s = await seconds(page.goto(serve(f"<p>Top<script>{loop}</script>")))

    assert (opened.settled, took_s < 8) == (f"the page does not answer: {BUSY}", True)


@sooner
async def test_a_page_that_hangs_after_a_click_is_waited_for_once(
    page: Page, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not for its text, then for how it looks and then for what it threw."""
    await page.goto(serve(f'<button onclick="setTimeout(() => {{ {LOOP} }})">Hang</button>'))
    button = await ref(page, "Hang")
    asked: list[Session] = []

    async def note(session: Session) -> bool:
        asked.append(session)
        return await is_responsive_again(session)

    monkeypatch.setattr(world, "is_responsive_again", note)

    receipt = await page.click(button)

    assert receipt.settled == f"the page does not answer: {BUSY}"
    assert len(asked) == 1


@sooner
@pytest.mark.alone
async def test_a_frame_of_another_site_that_hangs_is_named_and_left(
    browser: Browser, page: Page, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch, "LOAD_S", 0.7)
    monkeypatch.setattr(stability, "REQUESTS_S", 1.5)
    monkeypatch.setattr(watch, "_ASK_TIMEOUT_S", 1.0)
    monkeypatch.setattr("cdp_agent.page.snapshot.reading.READ_TIMEOUT_S", 1.0)
    is_answered, waits_s = responsiveness.is_answered, list[float]()

    async def note(session: Session, asked: Awaitable[object], within_s: float) -> bool:
        waits_s.append(within_s)
        return await is_answered(session, asked, within_s)

    beside = await browser.new_page(serve("<p>Shares its process", other_site=True))
    frame = serve(f"<script>{LOOP}</script>", other_site=True)
    await page.goto(serve(f"<button>Top</button><iframe src='{frame}'></iframe>"))

    shown = await page.snapshot()
    button = await ref(page, "Top")
    with monkeypatch.context() as patch:
        patch.setattr(responsiveness, "is_answered", note)
        clicked, clicked_s = await seconds(page.click(button))
    again, again_s = await seconds(page.reload())
    left, left_s = await seconds(page.goto(serve("<p>Elsewhere")))

    assert 'button "Top"' in shown.text
    assert [each.why.partition(".")[0] for each in shown.omitted] == [
        "The page did not answer within 1 s: a script, or its size, keeps it busy"
    ]
    assert clicked.settled == again.settled == f"the frame {frame} does not answer: {BUSY}"
    # An act asks six times: for a second, and then for no longer than it has done something else meanwhile.
    assert sum(waits_s) < 2 + (clicked_s - sum(waits_s))
    assert (left.settled, again_s < 10, left_s < 3) == ("quiet", True, True)
    assert await beside.evaluate("1 + 1") == 2


async def test_a_worker_that_loops_is_no_page_that_hangs(page: Page, serve: Serve) -> None:
    worker = "new Worker(URL.createObjectURL(new Blob(['for (;;);'])))"

    receipt, took_s = await seconds(page.goto(serve(f"<p>Top<script>{worker}</script>")))

    assert (receipt.settled, took_s < 3) == ("quiet", True)
    assert "Top" in (await page.snapshot()).text


async def test_dialogs_that_are_alike_are_told_once(page: Page, serve: Serve) -> None:
    receipt = await page.goto(serve("<script>alert('A'); alert('A'); alert('B')</script>"))

    assert [line for line in receipt.text.splitlines() if "dialog" in line] == [
        'dialog alert "A" was accepted 2 times',
        'dialog alert "B" was accepted',
    ]


ENDED = "a script of the page that was left did not end, and was ended"


def hangs_when_left(event: str) -> str:
    return f"<title>Hangs</title><p>Before<script>addEventListener('{event}', () => {{ for (;;); }})</script>"


async def use(page: Page) -> None:
    """Chrome runs `beforeunload` of pages that somebody used."""
    await page.evaluate("1")


@left_sooner
async def test_a_page_that_hangs_as_it_is_left_is_ended_and_told(page: Page, serve: Serve) -> None:
    await page.goto(serve(hangs_when_left("beforeunload")))
    await use(page)
    elsewhere = serve("<p>Elsewhere")

    receipt, took_s = await seconds(page.goto(elsewhere))

    assert (receipt.settled, receipt.note, receipt.navigated_to) == ("quiet", ENDED, elsewhere)
    assert took_s < 6
    assert "Elsewhere" in (await page.snapshot()).text


@left_sooner
async def test_a_page_that_hangs_as_it_is_left_is_reloaded(page: Page, serve: Serve) -> None:
    await page.goto(serve(hangs_when_left("pagehide")))

    again, again_s = await seconds(page.reload())

    assert (again.settled, again.note, again_s < 6) == ("quiet", ENDED, True)


@left_sooner
async def test_a_link_out_of_a_page_that_hangs_as_it_is_left_is_followed(page: Page, serve: Serve) -> None:
    elsewhere = serve("<p>Elsewhere")
    await page.goto(serve(hangs_when_left("unload") + f"<a href='{elsewhere}'>Go</a>"))

    receipt = await page.click(await ref(page, "Go"))

    assert (receipt.settled, receipt.note, receipt.navigated_to) == ("quiet", ENDED, elsewhere)


def test_a_page_that_is_left_is_ended_before_it_is_said_to_hang() -> None:
    assert min(stability._HANGS_S, mouse.HANDLED_WITHIN_S) > hanging.UNLOAD_TIMEOUT_S


@left_sooner
async def test_a_page_whose_frames_hang_as_they_are_left_is_ended_too(page: Page, serve: Serve) -> None:
    frame = "<iframe srcdoc=\"<script>addEventListener('pagehide', () => { for (;;); })</script>\"></iframe>"
    await page.goto(serve(f"<p>Top{frame}{frame}"))

    receipt, took_s = await seconds(page.goto(serve("<p>Elsewhere")))

    assert (receipt.settled, receipt.note, took_s < 8) == ("quiet", ENDED, True)


@sooner
@pytest.mark.parametrize("content", [HANGS_AT_LOAD, hangs_when_left("pagehide")], ids=["at load", "as it is left"])
async def test_a_tab_that_hangs_is_closed_in_seconds(page: Page, serve: Serve, content: str) -> None:
    await page.goto(serve(content))
    began = time.monotonic()

    await page.close()

    assert time.monotonic() - began < 3


async def renderers(page: Page) -> dict[int, float]:
    """The processor times of the processes that have pages."""
    asked = (await tab_of(page).frames()).root.session.connection.browser.send(system_info.GetProcessInfo())
    return {each.id: each.cpu_time for each in (await asked).process_info if each.type == "renderer"}


@sooner
async def test_a_tab_that_hangs_as_it_leaves_by_itself_is_closed_with_its_process(
    browser: Browser, page: Page, serve: Serve
) -> None:
    loop = "onbeforeunload = () => { for (;;); }; location = '/next'"
    beside, page = page, await browser.new_page(serve("<title>Hangs</title>"))
    session = (await tab_of(page).frames()).root.session
    before, grown = await renderers(beside), dict[float, int]()
    async with asyncio.timeout(30):
        session.tell(runtime.Evaluate(expression=loop))
        while await is_responsive(session):
            pass
        while max(grown, default=0) < 0.2:
            grown = {spent - before.get(each, spent): each for each, spent in (await renderers(beside)).items()}

        await page.close()

        while grown[max(grown)] in await renderers(beside):
            pass


@sooner
async def test_a_tab_that_hung_before_we_came_is_reloaded_and_left(detached: DetachedChrome, serve: Serve) -> None:
    async with Browser.connect(detached.endpoint) as owner:
        address = serve(HANGS_AT_LOAD)
        opened = await owner.new_page()
        await opened.goto(address)
        async with Browser.connect(detached.endpoint) as browser:
            page = next(each for each in browser.pages if each.target_id == opened.target_id)

            again, again_s = await seconds(page.reload())
            left, left_s = await seconds(page.goto(serve("<p>Elsewhere")))

            assert (again.settled, again.navigated_to) == (f"the page does not answer: {BUSY}", address)
            assert "its address was opened anew" in again.note
            assert (left.settled, again_s < 15, left_s < 5) == ("quiet", True, True)
            assert "Elsewhere" in (await page.snapshot()).text
        await opened.close()


@sooner
async def test_a_process_that_other_tabs_may_share_is_not_ended(page: Page, serve: Serve) -> None:
    """Those of a tab that it opened: what somebody typed there would be lost."""
    await page.goto(serve(HANGS_AGAIN + f"<a target=_blank rel=opener href='{serve('<p>Other')}'>Open</a>"))
    await page.click(await ref(page, "Open"))
    [other] = page.popups
    with suppress(PageUnresponsive):
        await page.click(await ref(page, "Hang"))

    address = serve("<p>Elsewhere")

    left = await page.goto(address)

    assert left.navigated_to == address
    assert not tab_of(other).activity.crashed


@left_sooner
@pytest.mark.parametrize("event", ["beforeunload", "pagehide"])
async def test_that_a_page_cannot_be_left_is_an_error_which_says_so(page: Page, serve: Serve, event: str) -> None:
    """Each of its frames loops as it is left, and its process is not to be ended, since it has another tab."""
    frames = f'<iframe srcdoc="<script>on{event} = () => {{ for (;;); }}</script>"></iframe>' * 8
    await page.goto(serve(f"<p>Top{frames}<a target=_blank rel=opener href='{serve('<p>Other')}'>Open</a>"))
    await page.click(await ref(page, "Open"))
    [other] = page.popups
    address = serve("<p>Elsewhere")

    with pytest.raises(PageUnresponsive) as refused:
        await page.goto(address)

    assert str(refused.value) == f"{address} was not opened: {hanging.OLD_PAGE_HANGS}"
    assert not tab_of(other).activity.crashed


class SlowSite:
    """A page that loops as soon as `slow` was asked for, which is answered no sooner than the test ends."""

    def __init__(self, httpserver: HTTPServer) -> None:
        self._asked, self._over, self.loops = Event(), Event(), Event()
        httpserver.expect_request("/slow").respond_with_handler(self._answer_slowly)
        httpserver.expect_request("/asked").respond_with_handler(self._tell_that_it_was_asked)
        httpserver.expect_request("/loops").respond_with_handler(self._note_loop)
        loop = f"() => {{ navigator.sendBeacon('/loops'); {LOOP} }}"
        ask = f"const asked = new Image(); asked.onerror = {loop}; asked.src = '/asked'"  # a picture is not waited for
        body = f"<title>Loops</title><p>Before<script>onload = () => setTimeout(() => {{ {ask} }})</script>"
        httpserver.expect_request("/page").respond_with_data(body, content_type="text/html")
        self.page, self.slow = httpserver.url_for("/page"), httpserver.url_for("/slow")

    def close(self) -> None:
        self._asked.set()
        self._over.set()

    def _answer_slowly(self, request: Request) -> Response:
        self._asked.set()
        self._over.wait(60)
        return Response("")

    def _tell_that_it_was_asked(self, request: Request) -> Response:
        (self._over if self.loops.is_set() else self._asked).wait(60)  # only the first page loops
        return Response("")

    def _note_loop(self, request: Request) -> Response:
        self.loops.set()
        return Response("")


@pytest.fixture
def slow_site(httpserver: HTTPServer) -> Iterator[SlowSite]:
    site = SlowSite(httpserver)
    yield site
    site.close()


async def leave_for(page: Page, site: SlowSite) -> None:
    """On its way to the server that does not answer, from a page that loops by now."""
    root = (await tab_of(page).frames()).root
    await root.session.send(runtime.Evaluate(expression=f"location.href = {site.slow!r}"))
    assert await asyncio.to_thread(site.loops.wait, 30)


@sooner
async def test_a_page_that_loops_while_a_slow_server_is_waited_for_is_left(
    page: Page, serve: Serve, slow_site: SlowSite
) -> None:
    first = serve("<p>First")
    await page.goto(first)
    await page.goto(slow_site.page)
    await leave_for(page, slow_site)

    receipt = await page.back()

    assert (receipt.settled, receipt.navigated_to) == ("quiet", first)


@sooner
async def test_that_neither_the_server_nor_the_page_answers_is_told(page: Page, slow_site: SlowSite) -> None:
    await page.goto(slow_site.page)

    with pytest.raises(NavigationFailed) as failed:
        await page.goto(slow_site.slow, timeout_s=3)

    nor = "nor does the page that is shown: its own script keeps it busy. Load it anew, or go elsewhere."
    assert str(failed.value) == f"{slow_site.slow} could not be opened: its server did not answer within 3 s; {nor}"


async def test_a_page_that_only_waits_for_its_turn_is_not_ended(
    page: Page, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where nothing of a page has used a processor, it is the machine that is slow."""
    await page.goto(serve("<title>Slow</title>"))
    told: list[str] = []
    send = Session.send

    async def send_late(session: Session, command: Any) -> Any:
        if isinstance(command, runtime.Evaluate):
            await asyncio.sleep(responsiveness.ANSWERS_WITHIN_S + 1)
        return await send(session, command)

    monkeypatch.setattr(Session, "send", send_late)
    monkeypatch.setattr(Session, "tell", lambda _, command: told.append(command.method))

    detour = await hanging.end_scripts(tab_of(page), detour=True)

    assert (detour, runtime.TerminateExecution.method in told) == (False, False)

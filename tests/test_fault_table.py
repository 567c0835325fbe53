"""Each fault at each moment: what must come of it, within which time, and that nothing is left of it afterwards."""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import pytest

from cdp_agent.agent.agent import Agent
from cdp_agent.browser import Browser
from cdp_agent.browser.instance import Instance
from cdp_agent.cdp import target
from cdp_agent.cdp.connection import Connection
from cdp_agent.cdp.known_errors import is_target_gone
from cdp_agent.cdp.websocket import WebSocketTransport
from cdp_agent.decisions import Ask, Decision, Execute, StepFailed, Stop
from cdp_agent.errors import CdpAgentError, ProtocolError
from cdp_agent.outcome import AgentResult
from cdp_agent.page.page import Page, tab_of
from fixtures.replay import ReplayServer, reply, tool_call
from tests.conftest import Serve
from tests.detached import DetachedChrome
from tests.faults import ALIKE_EVERYWHERE, AT_ANY_TIME, FAULTS, OF_A_TAB, Faulty, Moment

pytestmark = pytest.mark.slow

PAGE = """<title>Form</title><button onclick="document.title='Sent'">Send</button>
<input aria-label=Name><p>Text</p>"""
AS_AT_FIRST = "document.title = 'Form'; document.querySelector('input').value = ''"
OTHER = "<title>Other</title><p>Other"
FILL = ("fill", {"ref": "{{ref:textbox Name}}", "value": "tea"})
CLICK = ("click", {"ref": "{{ref:button Send}}"})
DONE = tool_call("done", {"result": "Done."})
WORKS_WITHIN_S = 12.0
LEFT_WITHIN_S = 10.0


class Place(NamedTuple):
    """Two addresses, and the Chrome in which they are opened."""

    url: str
    other: str
    chrome: DetachedChrome


class Row(NamedTuple):
    """A fault at a moment."""

    moment: str
    fault: str


class Stage(NamedTuple):
    """What the fault meets: a browser behind it, and its tab once there is one; and where that is."""

    url: str
    other: str
    chrome: DetachedChrome
    browser: Browser
    faulty: Faulty
    tab: Page | None
    refs: dict[str, str]
    """Those of the elements of the page, by their roles."""

    @property
    def page(self) -> Page:
        assert self.tab is not None
        return self.tab

    async def session_id(self) -> str:
        """That of the page."""
        return (await tab_of(self.page).frames()).root.session.id

    async def strike(self) -> None:
        """The fault, now."""
        self.faulty.strike(await self.session_id())


async def _click(stage: Stage) -> object:
    return await stage.page.click(stage.refs["button"])


async def _other(stage: Stage) -> object:
    await stage.page.goto(stage.other)
    return await stage.page.snapshot()


async def _come_to(stage: Stage) -> object:
    """Reads a tab of somebody else."""
    opened = stage.browser.session.post(target.CreateTarget(url=stage.url))
    try:
        return await stage.browser.find_page((await opened).target_id).snapshot()
    finally:
        await close_tabs(stage.chrome, [opened.result().target_id])


def _running(*replies: bytes) -> Callable[[Stage], Awaitable[object]]:
    async def run(stage: Stage) -> object:
        with ReplayServer(replies=[*replies, DONE]) as server:
            agent = Agent(stage.browser, model="openai-compatible/scripted", base_url=server.base_url)
            return await agent.run("Send it", page=stage.page)

    return run


class _Struck(ReplayServer):
    """The fault comes while the model makes up its mind."""

    stage: Stage
    loop: asyncio.AbstractEventLoop

    def answer(self, request: dict[str, object]) -> bytes:
        answer = super().answer(request)
        if b"click" in answer:
            asyncio.run_coroutine_threadsafe(self.stage.strike(), self.loop).result()
        return answer


async def _ask(stage: Stage) -> object:
    server = _Struck(replies=[reply(CLICK), DONE])
    server.stage, server.loop = stage, asyncio.get_running_loop()
    with server:
        agent = Agent(stage.browser, model="openai-compatible/scripted", base_url=server.base_url)
        return await agent.run("Send it", page=stage.page)


async def _do(stage: Stage) -> object:
    return await Agent(stage.browser).do(["Click on Send"], page=stage.page)


async def _approve(stage: Stage) -> object:
    """The fault comes while the user is asked."""

    async def decide(asked: Ask) -> Decision:
        if isinstance(asked, StepFailed):
            return Stop()
        await stage.strike()
        return Execute()

    return await Agent(stage.browser, approve=decide).do(["Click on Send"], page=stage.page)


Act = Callable[[Stage], Awaitable[object]]
NO_COMMAND = Moment("")
"""The act itself strikes."""
MADE_AHEAD = Moment("Runtime.callFunctionOn", "addFunctions(")
"""Where it is refused, it is asked for again when it is needed: that may be at the same moment."""
MOMENTS: dict[str, tuple[Moment, Act]] = {
    "launch": (Moment("Browser.getVersion"), lambda stage: stage.browser._instance.start()),
    "discover": (Moment("Target.setDiscoverTargets"), lambda stage: stage.browser._instance.start()),
    "open": (Moment("Target.createTarget"), lambda stage: stage.browser.new_page(stage.url)),
    "attach": (Moment("Target.attachToTarget"), _come_to),
    "navigate": (Moment("Page.navigate"), lambda stage: stage.page.goto(stage.other)),
    "load": (MADE_AHEAD, _other),
    "world": (Moment("Page.createIsolatedWorld"), _come_to),
    "read": (Moment("Runtime.callFunctionOn", "snapshot("), lambda stage: stage.page.snapshot()),
    "aim": (Moment("Runtime.callFunctionOn", "aim("), _click),
    "act": (Moment("Input.dispatchMouseEvent"), _click),
    "type": (Moment("Input.insertText"), lambda stage: stage.page.fill(stage.refs["textbox"], "tea")),
    "settle": (Moment("Runtime.callFunctionOn", "changes("), _click),
    "wait": (
        Moment("Runtime.callFunctionOn", "checkConditions("),
        lambda stage: stage.page.wait_for(text="Text", timeout_s=5),
    ),
    "picture": (Moment("Page.captureScreenshot"), lambda stage: stage.page.screenshot()),
    "ask": (NO_COMMAND, _ask),
    "run": (Moment("Input.dispatchMouseEvent"), _running(reply(FILL), reply(CLICK))),
    "batch": (Moment("Input.dispatchMouseEvent"), _running(reply(CLICK, FILL))),
    "steps": (Moment("Input.dispatchMouseEvent"), _do),
    "approve": (NO_COMMAND, _approve),
    "close": (Moment("Target.closeTarget"), lambda stage: stage.page.close()),
    "leave": (Moment("Target.closeTarget"), lambda stage: stage.browser.close()),
}
TOGETHER: dict[str, tuple[str, ...]] = {
    "starting": ("launch", "discover"),
    "tabs": ("attach", "world", "close", "open"),
    "a page": ("navigate", "load", "read", "aim", "act", "type", "settle", "wait", "picture"),
    "runs": ("ask", "run", "batch", "steps", "approve"),
    "ending": ("leave",),
}
"""Moments that take turns in one browser, as long as that lasts. `open` comes last: while a tab that was asked for
has not come, nobody knows whether one that somebody else opens is that one."""
STARTING = {"launch", "discover"}
AT_THE_END = {"leave"}
TO_THE_BROWSER = {*STARTING, *AT_THE_END, "open", "attach", "close"}
"""Commands that are not of a tab's session, with which no tab can end."""
ON_THE_WAY = {"navigate", "load"}
"""Moments at which the tab is about to show something else."""
OF_EACH_KIND = {"launch", "open", "navigate", "read", "act", "run", "leave"}
"""Moments for faults which are the same at any: the connection deals with them, or they repeat another."""


def is_row(moment: str, fault: str) -> bool:
    """Whether the fault can come at that moment, and shows something there that it does not show at others."""
    at, _ = MOMENTS[moment]
    if fault in ALIKE_EVERYWHERE and moment not in OF_EACH_KIND:
        return False
    if fault in OF_A_TAB:
        return moment not in TO_THE_BROWSER
    return fault in AT_ANY_TIME or not (at is NO_COMMAND or at is MADE_AHEAD)


async def came_of(act: Awaitable[object], within_s: float) -> str:
    """In a word: "done", the class of the error, how a run ended, or that it took too long."""
    call = asyncio.ensure_future(act)
    done, _ = await asyncio.wait([call], timeout=within_s)
    if not done:
        call.cancel()
        await asyncio.wait([call])
        return f"took longer than {within_s:g} s"
    try:
        came = call.result()
    except CdpAgentError as error:
        return type(error).__name__
    if isinstance(came, AgentResult) and came.error is not None:
        return f"ends: {came.error.code}"
    return "done"


async def cancelled_at(reached: asyncio.Event, act: Awaitable[object], within_s: float) -> str:
    """What comes of it when it is cancelled while nothing answers."""
    call = asyncio.ensure_future(act)
    async with asyncio.timeout(within_s):
        await reached.wait()
        call.cancel()
        await asyncio.wait([call])
    return "cancelled" if call.cancelled() else "not cancelled"


async def connected(chrome: DetachedChrome) -> tuple[Faulty, Browser]:
    faulty = Faulty(await WebSocketTransport.open(chrome.websocket_url))
    return faulty, Browser(Instance(Connection(faulty)))


async def rows(place: Place, faults: Iterable[Row], theirs: str | None) -> dict[Row, tuple[str, bool]]:
    """What came of each fault, and whether the browser works afterwards: the page is read, which is what the next fault
    meets; opened anew where its process ended or it is about to go, in a new tab where it is told to have crashed, on
    another session where that is told to have ended. What starts the browser, or ends it, has one of its own each time,
    and so has what comes after a connection that is gone. `theirs`: a tab of somebody else, in which faults begin."""
    found: dict[Row, tuple[str, bool]] = {}
    left = list(faults)
    while left:
        faulty, browser = await connected(place.chrome)
        stage = Stage(*place, browser, faulty, None, {})
        try:
            if left[0].moment not in STARTING:
                stage = await begun(stage, left[0].moment, theirs)
            works = True
            while left and works:
                row = left.pop(0)
                session_id = await stage.session_id() if row.fault == "detached" else ""
                came = await struck(stage, row)
                if row.fault == "detached":
                    stage = await attached_anew(stage, session_id)
                elif row.fault == "crashed":  # it is told so, untruly: no next document makes up for that
                    stage = stage._replace(tab=None)
                if row.moment not in AT_THE_END:
                    left_off = row.fault in OF_A_TAB and row.moment in ON_THE_WAY
                    stage = await opened(stage, anew=left_off or row.fault == "process_ended")
                works = row.moment not in AT_THE_END and stage.tab is not None
                found[row] = (came, works)
                if row.moment in STARTING:
                    break
        finally:
            await browser.close()
    return found


async def begun(stage: Stage, moment: str, theirs: str | None) -> Stage:
    """With a browser that has started, and the tab for that moment."""
    await stage.browser._instance.start()
    if moment in AT_THE_END:
        return stage._replace(tab=await stage.browser.new_page())
    if theirs is not None:
        stage = stage._replace(tab=stage.browser.find_page(theirs))
    return await opened(stage, anew=False)


async def struck(stage: Stage, row: Row) -> str:
    """What comes of the fault at that moment."""
    at, act = MOMENTS[row.moment]
    if at is MADE_AHEAD:
        await stage.page.goto(stage.url)
        await stage.page.find("button")  # what this document needs is made ahead for the next one
    stage.faulty.arm(at, FAULTS[row.fault])
    acting, within_s = act(stage), TABLE[row].within_s
    reached = stage.faulty.reached
    came = await (cancelled_at(reached, acting, within_s) if row.fault == "unanswered" else came_of(acting, within_s))
    assert reached.is_set(), "the moment never came"
    return came


async def attached_anew(stage: Stage, session_id: str) -> Stage:
    """With the tab as one that has just come: that its session ended was told untruly. To open another costs more."""
    targets = stage.browser._instance.targets
    tab = targets.tabs.pop(stage.page.target_id)
    tab.forget()
    await stage.browser.session.send(target.DetachFromTarget(session_id=session_id))
    targets._add(
        target.TargetInfo(target_id=tab.target_id, type="page", title="", url=tab.url), targets.contexts[tab.target_id]
    )
    return stage._replace(tab=stage.browser.find_page(tab.target_id))


async def opened(stage: Stage, *, anew: bool = True) -> Stage:
    """With the page, opened and read: in the tab where that is left, even if its process ended, else in a new one.
    What does not ask for it `anew` is read where it is, as it was at first. Without a tab where the browser does not
    work."""
    try:
        async with asyncio.timeout(WORKS_WITHIN_S):
            tab = stage.tab
            if tab is None or tab.closed:
                tab = await stage.browser.new_page(stage.url)
            elif anew or tab.url != stage.url:
                await tab.goto(stage.url)
            else:
                await tab.evaluate(AS_AT_FIRST)
            shown = await tab.snapshot()
    except CdpAgentError:
        return stage._replace(tab=None)
    refs = {element.role: ref for ref, element in shown.refs.items()}
    return stage._replace(tab=tab if 'button "Send"' in shown.text else None, refs=refs)


class Must(NamedTuple):
    """What must come of a fault, and the longest that it may take: most take a fifth of a second, thirty times that
    where the machine has ten times as much to do as it can."""

    came: str
    within_s: float


USUALLY = {
    "refused": Must("ProtocolError", 8),
    "misshapen": Must("ProtocolError", 8),
    "unanswered": Must("cancelled", 8),
    "gone": Must("BrowserError", 8),
    "detached": Must("done", 10),
    "crashed": Must("done", 10),
    "process_ended": Must("done", 10),
    "noisy": Must("done", 10),
    "answered_twice": Must("done", 10),
}
ACTING = {"crashed": "PageUnresponsive", "process_ended": "PageUnresponsive"}
READING = {**ACTING, "detached": "PageClosed"}
RUNNING = {"refused": "ends: failed", "misshapen": "ends: failed", "gone": "ends: failed"}
OTHERWISE: dict[str, dict[str, str]] = {
    "navigate": {"refused": "NavigationFailed", "misshapen": "NavigationFailed", "detached": "PageClosed"},
    "load": READING,
    "world": READING,
    "read": READING,
    "aim": ACTING,
    "act": ACTING,
    "type": ACTING,
    "wait": READING,
    "picture": READING,
    "ask": RUNNING,
    "run": RUNNING,
    "batch": RUNNING,
    "steps": {**RUNNING, "crashed": "ends: failed", "process_ended": "ends: failed"},
    "approve": {
        **RUNNING,
        "detached": "ends: aborted",
        "crashed": "ends: aborted",
        "process_ended": "ends: aborted",
    },  # it is asked what to do, and told to stop
    "leave": dict.fromkeys(("refused", "misshapen", "gone"), "done"),
}
TABLE = {
    Row(moment, fault): Must(OTHERWISE.get(moment, {}).get(fault, USUALLY[fault].came), USUALLY[fault].within_s)
    for moment in MOMENTS
    for fault in FAULTS
    if is_row(moment, fault)
}


class _Left(NamedTuple):
    """What a process and its Chrome have."""

    tasks: frozenset[asyncio.Task[object]]
    tabs: frozenset[str]
    handles: int
    temporary: frozenset[str]


def _handles(served: str) -> int:
    """How many there are, without the connections that Chrome has opened to our server: some of them ahead of time."""
    links = []
    for each in os.listdir("/proc/self/fd"):
        with suppress(FileNotFoundError):  # that of the listing itself
            links.append(os.readlink(f"/proc/self/fd/{each}"))
    rows = [line.split() for line in Path("/proc/self/net/tcp").read_text().splitlines()[1:]]
    port = urlsplit(served).port or 0
    accepted = {f"socket:[{row[9]}]" for row in rows if row[1].endswith(f":{port:04X}")}
    return sum(each not in accepted for each in links)


async def _there(place: Place) -> _Left:
    connection = Connection(await WebSocketTransport.open(place.chrome.websocket_url))
    infos = (await connection.browser.send(target.GetTargets())).target_infos
    await connection.close()
    await asyncio.sleep(0)
    tabs = frozenset(each.target_id for each in infos if each.type == "page")
    return _Left(
        frozenset(asyncio.all_tasks()), tabs, _handles(place.url), frozenset(os.listdir(tempfile.gettempdir()))
    )


async def open_tab(place: Place) -> str:
    """One of nobody's."""
    connection = Connection(await WebSocketTransport.open(place.chrome.websocket_url))
    opened = await connection.browser.send(target.CreateTarget(url=place.url))
    await connection.close()
    return opened.target_id


async def close_tabs(chrome: DetachedChrome, target_ids: Iterable[str]) -> None:
    connection = Connection(await WebSocketTransport.open(chrome.websocket_url))
    for each in target_ids:
        try:
            await connection.browser.send(target.CloseTarget(target_id=each))
        except ProtocolError as error:
            if not is_target_gone(error):  # as when it was still closing when we looked
                raise
    await connection.close()


async def left_since(before: _Left, place: Place, *, but_tabs: bool) -> dict[str, Any]:
    """What there is more than before: what was just ended is given a moment."""
    until = time.monotonic() + LEFT_WITHIN_S
    while True:
        now = await _there(place)
        left: dict[str, Any] = {
            "tasks": [repr(each) for each in now.tasks - before.tasks],
            "tabs": sorted(now.tabs - before.tabs),
            "handles": max(0, now.handles - before.handles),
            "temporary": sorted(now.temporary - before.temporary),
        }
        if but_tabs:  # of a connection that broke they are left: there is nobody who could close them
            await close_tabs(place.chrome, left.pop("tabs"))
        if not any(left.values()) or time.monotonic() > until:
            return left
        await asyncio.sleep(0.02)


NOTHING = {"tasks": [], "handles": 0, "temporary": []}


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Temporary files go where nothing else is."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)


def test_the_table_has_rows_for_every_moment() -> None:
    often = Counter(row.moment for row in TABLE)

    assert often.total() >= 100
    assert {moment for moment in MOMENTS if often[moment] >= 3} == {each for some in TOGETHER.values() for each in some}


@pytest.mark.usefixtures("temporary")
@pytest.mark.parametrize("moments", TOGETHER.values(), ids=TOGETHER)
async def test_each_fault_is_told_as_what_it_is_and_leaves_nothing(
    detached: DetachedChrome, serve: Serve, moments: tuple[str, ...]
) -> None:
    place = Place(serve(PAGE), serve(OTHER), detached)
    table = {row: TABLE[row] for moment in moments for row in TABLE if row.moment == moment}
    theirs = await open_tab(place)
    before = await _there(place)

    found = await rows(place, [row for row in table if row.fault != "gone"], None)
    left = await left_since(before, place, but_tabs=False)
    found |= await rows(place, [row for row in table if row.fault == "gone"], theirs)
    left_by_gone = await left_since(before, place, but_tabs=True)
    await close_tabs(detached, [theirs])

    assert found == {
        row: (must.came, row.fault != "gone" and row.moment not in AT_THE_END) for row, must in table.items()
    }
    assert (left, left_by_gone) == ({**NOTHING, "tabs": []}, NOTHING)

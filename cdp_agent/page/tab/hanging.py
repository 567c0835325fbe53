"""Leaving a page whose script never ends.

Chrome accepts three commands while a script runs: to end it, to disable scripts, and to crash the page's process. A
navigation within the same site waits for the page's process, so it never ends unless the script is ended first. While a
navigation waits for its server, Chrome holds all three back for the next document, so the navigation is stopped first.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from cdp_agent.action_log import log_line
from cdp_agent.cdp import page as cdp_page
from cdp_agent.cdp import runtime, system_info, target
from cdp_agent.cdp.connection import Session
from cdp_agent.errors import PageUnresponsive, ProtocolError
from cdp_agent.page.frames.deadline import Deadline, loop_time
from cdp_agent.page.frames.frames import FrameTree
from cdp_agent.page.frames.responsiveness import ANSWERS_WITHIN_S, ask, is_answered

from .tab import Tab

UNLOAD_TIMEOUT_S = 3.0
"""How long the unload handlers of a page that is left may take."""
OLD_PAGE_HANGS = (
    "the page that was to be left does not answer: its own script keeps it busy and cannot be ended. Close the tab"
)
NEW_PAGE_HANGS = "nor does the page that is shown: its own script keeps it busy. Load it anew, or go elsewhere"
_STOPS_WITHIN_S = 1.0
_CPU_WAIT_S = 3.0
"""How long a page that does not answer may wait for the processor on a busy machine."""
_BUSY_CPU_S = 0.4
"""The processor time, in seconds, after which a page is not waiting for the processor but busy."""
_LOOK_EVERY_S = 0.2
_CRASHES_WITHIN_S = 2.0
_ENDED = "a script of the page that was left did not end, and was ended"
_CRASHED = "a script of the page that was left could not be ended: its process was"
_EMPTY_PAGE = "data:text/html,"
"""An empty page, which gets a process of its own."""
_MOST_SCRIPTS = 3
"""How many scripts in a row, such as those of frames, are ended before the process is ended."""


async def end_scripts(tab: Tab, *, detour: bool = False) -> bool:
    """Ends the script that keeps the page busy, so that it can be left; if that fails, ends the page's process.

    If that is impossible (the page hung before we attached), or would end other tabs too, `detour` makes the tab go to
    an empty page in another process; returns whether it did. Raises PageUnresponsive, BrowserError.
    """
    tree = await tab.frames()
    root = tree.root
    session = root.session
    tree.terminate_hanging_scripts()
    if tab.dialogs.is_flooded and detour and await take_detour(tab):  # a page of the same site would wait for ever
        return True
    if tab.activity.stuck:  # perhaps only because the machine was so busy that an empty page took too long
        if detour and await take_detour(tab):
            return True
        raise PageUnresponsive(f"The tab stayed where it is: {OLD_PAGE_HANGS}")
    if session.blocked_because is not None:  # a dialog blocks it, so no script runs that could be ended
        if not await _shares_process(tab) and await _crash(tab):
            return False
    elif tab.has_answered:
        if session.stalled_because is not None or not await stop_loading(tab) or not await hangs(tab, ask(session)):
            return False
        log_line("decision", "the page hangs: its script is ended, so that it can be left")
        session.tell(runtime.TerminateExecution())
        if not await hangs(tab, ask(session)) or (not await _shares_process(tab) and await _crash(tab)):
            return False
    return detour and await take_detour(tab)


def ask_along(tab: Tab, tree: FrameTree) -> asyncio.Future[runtime.Evaluated] | None:
    """Asks the page something before a navigation is sent, which need not wait for the answer: see `hangs`.

    None if it is to be made ready for the navigation first, by `end_scripts`: since it is not as it should be, or since
    Chrome is near, where one can wait: of one that is stopped one then learns before it was told to navigate.
    """
    root, session = tree.root, tree.root.session
    is_amiss = (
        tab.activity.stuck
        or tab.dialogs.is_flooded
        or session.blocked_because
        or session.stalled_because
        or session.unresponsive
    )
    if session.connection.is_near or is_amiss or not tab.has_answered or root.navigating_to is not None:
        return None
    tree.terminate_hanging_scripts()
    return ask(session)


async def stop_loading(tab: Tab) -> bool:
    """Stops the tab's navigation; False if it could not be stopped because the next document is arriving."""
    root = (await tab.frames()).root
    if root.navigating_to is not None:
        log_line("decision", "stops the loading of {}", root.navigating_to)
        root.session.tell(cdp_page.StopLoading())
    return await _wait_until(tab, lambda: root.navigating_to is None, _STOPS_WITHIN_S)


class UnloadWatchdog:
    """Makes sure that a page is left: its handlers (such as `pagehide`) may hold up the next page."""

    def __init__(self, tab: Tab, clock: Deadline) -> None:
        """`clock` is paused while somebody is asked, which is not the old page's fault."""
        self.note = ""
        """What had to be ended, for the receipt."""
        self._tab = tab
        self._clock = clock
        self._tries = 0
        self._tried_at = 0.0

    async def end_blocking_scripts(self) -> bool:
        """Ends scripts of the old page that have held up the next one for long; False if that has no effect.

        Raises BrowserError.
        """
        if self._tab.activity.unload_wait_s() - self._clock.paused_s < UNLOAD_TIMEOUT_S:
            return True
        if self._tries and loop_time() - self._tried_at < ANSWERS_WITHIN_S:
            return True
        self._tries += 1
        session = (await self._tab.frames()).root.session
        if self._tries <= _MOST_SCRIPTS:
            session.tell(runtime.TerminateExecution())
            log_line("decision", _ENDED)
            self.note, self._tried_at = _ENDED, loop_time()
            return True
        self.note = ""
        if await _shares_process(self._tab) or not await _crash(self._tab):
            self._tab.activity.stuck = True
            return False
        self.note = _CRASHED
        return True


async def hangs(tab: Tab, question: asyncio.Future[runtime.Evaluated]) -> bool:
    """Whether a script keeps the page busy, which was asked the question.

    A page that only waits for the processor of a busy machine will answer.
    """
    session = (await tab.frames()).root.session
    if await is_answered(session, asyncio.shield(question), ANSWERS_WITHIN_S):
        return False
    before, dialogs = await _processor_times(session), tab.dialogs.opened
    until = loop_time() + _CPU_WAIT_S
    while not question.done() and loop_time() < until and tab.dialogs.opened == dialogs:
        await asyncio.wait([question], timeout=_LOOK_EVERY_S)
        now = await _processor_times(session)
        if any(spent - before.get(process, 0) >= _BUSY_CPU_S for process, spent in now.items()):
            break
    session.unresponsive = not question.done()
    question.cancel()
    return session.unresponsive


async def _processor_times(session: Session) -> dict[int, float]:
    """The processor time of all renderer processes in seconds, by id; it is not known which process is this page's."""
    try:
        processes = (await session.connection.browser.send(system_info.GetProcessInfo())).process_info
    except ProtocolError:
        return {}  # a service between us and Chrome refuses the command: then only the waiting time decides
    return {each.id: each.cpu_time for each in processes if each.type == "renderer"}


async def _crash(tab: Tab) -> bool:
    """Ends the page's process; False if it did not end."""
    log_line("decision", "ends the page's process")
    (await tab.frames()).root.session.tell(cdp_page.Crash())
    return await _wait_until(tab, lambda: tab.activity.crashed, _CRASHES_WITHIN_S)


async def _shares_process(tab: Tab) -> bool:
    """Whether other tabs may live in the page's process: those that opened it, or that it opened, directly or not."""
    browser = (await tab.frames()).root.session.connection.browser
    openers = {each.target_id: each.opener_id for each in (await browser.send(target.GetTargets())).target_infos}

    def first(target_id: str) -> str:
        while (opener := openers.get(target_id)) is not None:
            target_id = opener
        return target_id

    return sum(first(each) == first(tab.target_id) for each in openers) > 1


async def take_detour(tab: Tab) -> bool:
    """Goes to an empty page in another process; returns whether the tab got there."""
    log_line("decision", "goes to an empty page in another process first")
    number = tab.activity.document.number
    (await tab.frames()).root.session.tell(cdp_page.Navigate(url=_EMPTY_PAGE))
    return await _wait_until(tab, lambda: tab.activity.document.number != number, UNLOAD_TIMEOUT_S)


async def _wait_until(tab: Tab, is_so: Callable[[], bool], within_s: float) -> bool:
    until = loop_time() + within_s
    while not is_so():
        if (left_s := until - loop_time()) <= 0:
            return False
        await tab.activity.wait_for_event(left_s)
    return True

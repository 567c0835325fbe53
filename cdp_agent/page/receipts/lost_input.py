"""Input that arrives nowhere in the page, since something that Chrome itself draws is over it.

While Chrome asks its user for something, in a dialog of its own, it drops all input of the tab, and reports it as
handled. So after an act that seems to have come to nothing the page is asked: Chrome counts the events of each document
(`performance.eventCounts`). If none has had any of those that were sent, a key that means nothing, as input methods
send it, makes sure that none arrive, since not every movement of the mouse makes an event that is counted.
"""

from __future__ import annotations

import asyncio
from typing import Literal

from cdp_agent.action_log import log_line
from cdp_agent.cdp import emulation
from cdp_agent.cdp import input as cdp_input
from cdp_agent.cdp import page as cdp_page
from cdp_agent.cdp.types import Command, Empty
from cdp_agent.errors import ActionError, PageUnresponsive, SessionClosed
from cdp_agent.page.frames.world import CALL_TIMEOUT_S, World, deadline
from cdp_agent.page.snapshot.lines import quoted
from cdp_agent.page.tab.closing import disable_scripts
from cdp_agent.page.tab.hanging import take_detour
from cdp_agent.page.tab.tab import Tab

LOST_AFTER_S = 0.6
"""How long an act may wait for something before it is asked whether the page gets input at all."""
_TRIES = 3
_COMES_BACK_S = 5.0
_MOST_LISTED = 3
_KEY = "Unidentified"
_KEY_CODE = 229
"""Keys that an input method handles: pages ignore them. https://w3c.github.io/uievents/#determine-keydown-keyup-keyCode"""
_COVERS = "The page receives no input: Chrome shows something of its own over it, such as a question to its user"
_COVERED = "The page received no input: Chrome showed something of its own over it, such as a question to its user"
_LEFT_ALONE = f"{_COVERS}. Nothing was done about it: whoever sits at this Chrome has to answer it."
_POINTER_LOCKED = "the page has locked the mouse: whoever sits at this Chrome can press Escape"
POINTER_FREED = "the page had locked the mouse: the lock was ended, as Escape does"


Obstacle = Literal["", "covered", "locked"]
"""What keeps input from the page, or from where it was meant to go; "" if it arrives, or if the page does not tell."""


async def look(tab: Tab, *, lacks_input: bool) -> Obstacle:
    """Finds out what keeps input from the page, if no document has had any (`lacks_input`).

    Ends a lock of the mouse in a tab of ours.
    """
    try:
        if await _pointer_lock(tab, end=tab.is_ours):
            return "locked"
        return "covered" if lacks_input and not await _receives_input(tab) else ""
    except (ActionError, SessionClosed):
        return ""  # it goes elsewhere, or hangs: whoever reads it next reports that


async def settle(tab: Tab, obstacle: Obstacle) -> str:
    """Brings a tab of ours back if input does not reach its page; returns a note, or "".

    In somebody else's tab nothing is done. Raises PageUnresponsive for lost input, with what was done about it and what
    is lost. Raises BrowserError.
    """
    log_line("input", "whether the page gets input: {}", obstacle or "it does")
    if obstacle != "covered":
        return "" if not obstacle else POINTER_FREED if tab.is_ours else _POINTER_LOCKED
    done = await _bring_back(tab) if tab.is_ours else _LEFT_ALONE
    raise PageUnresponsive(f"{done} The act did not reach the page.")


async def _worlds(tab: Tab) -> list[World]:
    return await asyncio.gather(*(each.world() for each in (await tab.frames()).all()))


async def _pointer_lock(tab: Tab, *, end: bool) -> bool:
    """Whether a document of the tab has locked the mouse; with `end`, the lock is ended."""
    return any(await asyncio.gather(*(each.call("pointerLock", end, returning=bool) for each in await _worlds(tab))))


async def _receives_input(tab: Tab) -> bool:
    """Whether a key arrives, or has no place to go to where it could be seen."""
    session = (await tab.frames()).root.session
    for attempt in range(_TRIES):
        if (before := await _key_events(tab)) < 0:
            return True
        async with deadline(session, CALL_TIMEOUT_S):
            await asyncio.gather(*(session.post(each) for each in _probe(with_press=attempt > 0)))
        await (await (await tab.frames()).root.world()).call("nextFrame")  # Chrome drops input until a page has painted
        if await _key_events(tab) != before:
            return True
    return False


def _probe(*, with_press: bool) -> list[Command[Empty]]:
    """The release of a key is enough, except after a key that Chrome has taken for itself."""
    down, up = (
        cdp_input.DispatchKeyEvent(type=kind, key=_KEY, windows_virtual_key_code=_KEY_CODE)
        for kind in ("rawKeyDown", "keyUp")
    )
    return [down, up] if with_press else [up]


async def _key_events(tab: Tab) -> int:
    """How many key events the documents have had; -1 where a key has no place to go to that could be seen."""
    worlds = await _worlds(tab)
    counts = await asyncio.gather(*(world.call("keyEventCount", returning=int) for world in worlds))
    return -1 if -1 in counts else sum(counts)


async def _entered(tab: Tab) -> list[str]:
    fields = await asyncio.gather(*(each.call("enteredFields", returning=list[str]) for each in await _worlds(tab)))
    return [name for names in fields for name in names]


async def _bring_back(tab: Tab) -> str:
    """Ends what Chrome asks, if need be by loading the page anew; returns what was done for it, and what is lost."""
    waiting = ", ".join(tab.activity.requests.unanswered()[:_MOST_LISTED]) or "such as that of a picture"
    session = (await tab.frames()).root.session
    session.tell(cdp_page.StopLoading())  # Chrome withdraws the question about a login with the request
    if await _receives_input(tab):
        why = "a server may have asked for a login"
        return f"{_COVERED}. That is gone, with the requests that waited ({waiting}): {why}."
    entered = await _entered(tab)
    if not await _load_anew(tab):
        return f"{_COVERS}. It could not be ended: close the tab."
    lost = list(entered)
    for name in await _entered(tab):  # Chrome fills in a page of its history as it was left
        if name in lost:
            lost.remove(name)
    what = f" What was entered there is lost: {', '.join(map(quoted, lost))}." if lost else ""
    return f"{_COVERED}. The page was loaded anew, which ended that.{what} Take a new snapshot."


async def _load_anew(tab: Tab) -> bool:
    """Leaves the page for an empty one of no site, which closes what Chrome shows over it, and comes back; or fails."""
    session = (await tab.frames()).root.session
    history = await session.send(cdp_page.GetNavigationHistory())
    entry = history.entries[history.current_index]
    await disable_scripts(await tab.frames())  # its `beforeunload` would ask, too
    try:
        left = await take_detour(tab)
    finally:
        session.tell(emulation.SetScriptExecutionDisabled(value=False))
    if not left or not await _arrives(tab):
        return False
    number = tab.activity.document.number
    await session.send(cdp_page.NavigateToHistoryEntry(entry_id=entry.id))
    return await _arrives(tab, beyond=number)


async def _arrives(tab: Tab, *, beyond: int = -1) -> bool:
    """Whether a document with a number above `beyond` comes in time; waits until it has loaded, with its fields."""
    activity, now = tab.activity, asyncio.get_running_loop().time
    until = now() + _COMES_BACK_S
    while activity.document.number <= beyond or activity.navigating() is not None or not activity.document.loaded:
        if not await activity.wait_for_event(until - now()):
            break
    return activity.document.number > beyond

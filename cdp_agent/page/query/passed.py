"""What came and went on a page that its caller was shown, for commands that neither act nor read the whole page."""

from __future__ import annotations

import asyncio
import time

from cdp_agent.action_log import log_line
from cdp_agent.errors import ActionError, SessionClosed
from cdp_agent.page.frames.frames import Frame
from cdp_agent.page.snapshot.snapshot import PassedText
from cdp_agent.page.tab.shown import passed_lines
from cdp_agent.page.tab.tab import Tab

_ASK_TIMEOUT_S = 1.0


async def came_and_went(tab: Tab, *, was_read: bool = False) -> list[str]:
    """Lines on the texts that came and went since the caller was last told of such; it is told now.

    `was_read`: the page has just been read, which tells them along. Nothing of a page that does not answer: its texts
    are told later. Raises BrowserError.
    """
    if not was_read:
        await note_passed(tab)
    readings = [past.snapshot.text for past in list(tab.history)[-1:]]
    return passed_lines(tab.take_passed(), [tab.shown.text, *readings])


async def note_passed(tab: Tab) -> None:
    """Asks the page for the texts that came and went, for the caller to be told later. Raises BrowserError."""
    if tab.closed or tab.shown.passed_in != tab.activity.document.number:
        return
    try:
        frames = [frame for frame in (await tab.frames()).all() if not frame.session.unresponsive]
        for passed in await asyncio.gather(*map(_passed_in, frames)):
            tab.note_passed(passed)
    except (ActionError, SessionClosed) as error:
        log_line("reading", "what came and went could not be read: {}", str(error))


async def _passed_in(frame: Frame) -> list[PassedText]:
    world = frame.present_world
    if world is None or frame.navigating_to is not None:
        return []
    return await world.call("takePassed", time.monotonic(), returning=list[PassedText], timeout_s=_ASK_TIMEOUT_S)

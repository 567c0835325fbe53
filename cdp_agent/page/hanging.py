"""A page whose script never ends: how it is noticed at once that it still hangs, and how it is left.

Chrome takes three commands in the middle of a script: to end it, to allow no other, and to crash the page's process. A
navigation within the same site waits for the page's process, hence for ever; what is to be left may be ended before.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from cdp_agent.cdp import page as cdp_page
from cdp_agent.cdp import runtime
from cdp_agent.cdp.connection import Session
from cdp_agent.errors import ProtocolError

if TYPE_CHECKING:
    from .page import Page

ANSWERS_WITHIN_S = 1.0
_CRASHES_WITHIN_S = 2.0


async def answers(session: Session) -> bool:
    """Whether the page's process has time for us; takes a third of a millisecond when it has."""
    try:
        async with asyncio.timeout(ANSWERS_WITHIN_S):
            await session.send(runtime.Evaluate(expression="1"))
    except TimeoutError:
        session.silent = True
        return False
    except ProtocolError:
        pass  # that is an answer, too
    session.silent = False
    return True


async def end_scripts(page: Page) -> None:
    """Ends what keeps the page busy, so that it can be left. What cannot be ended takes its process with it.

    Raises BrowserError.
    """
    root = (await page.frames()).root
    session = root.session
    if not page.reached:
        return  # what it has not taken yet, Chrome hands on to the process of the page that follows
    if session.stalled_because is not None or root.leaving_for is not None or await answers(session):
        return
    session.tell(runtime.TerminateExecution())
    if await answers(session):
        return
    session.tell(cdp_page.Crash())
    until = asyncio.get_running_loop().time() + _CRASHES_WITHIN_S
    while not page.activity.crashed and (left := until - asyncio.get_running_loop().time()) > 0:
        await page.activity.stir(left)

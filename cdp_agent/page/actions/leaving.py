"""Leaving a page on purpose, and not by mistake: what was filled in there and not sent would be lost with it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

from cdp_agent.action_log import log_line
from cdp_agent.cdp import page as cdp_page
from cdp_agent.errors import ActionError, DocumentGone
from cdp_agent.page.frames.frames import Frame
from cdp_agent.page.tab.closing import CLOSE_TIMEOUT_S
from cdp_agent.page.tab.dialogs import Answer
from cdp_agent.page.tab.tab import Tab


@asynccontextmanager
async def leaving(tab: Tab, *, leave: bool) -> AsyncIterator[str]:
    """A block that leaves the page; yields the reason for an error, in case that it asks whether to, and stays.

    It is left if nothing would be lost that was filled in, or on purpose (`leave`); else it stays. In a Chrome that is
    not ours a person may have filled in something, and the policy for dialogs decides. Raises PageUnresponsive.
    """
    lost = await unsent_fields(tab) if tab.unsent.has_entered and not leave else []
    answer: Answer | None = "accept" if leave or (tab.is_ours and not lost) else "dismiss" if lost else None
    log_line("decision", "if the page asks whether to leave it: {}", answer or "as the policy says")
    with _answering(tab, answer):
        yield stay_reason(lost)


@contextmanager
def _answering(tab: Tab, answer: Answer | None) -> Iterator[None]:
    tab.unsent.answer = answer
    try:
        yield
    finally:
        tab.unsent.answer = None


async def close(tab: Tab, *, leave: bool) -> None:
    """Closes the tab, unless its page asks whether to leave it, and something would be lost (`leave`: even then).

    Raises ActionError if it stays, PageUnresponsive, BrowserError.
    """
    if tab.unsent.has_entered and not leave and (lost := await unsent_fields(tab)):
        session = (await tab.frames()).root.session
        with session.future(cdp_page.JavascriptDialogClosed.method) as answered, _answering(tab, "dismiss"):
            stop = session.on(cdp_page.JavascriptDialogClosed, answered.set_result)
            session.tell(cdp_page.Close())
            await asyncio.wait([answered], timeout=CLOSE_TIMEOUT_S)
            stop()
        if tab.dialogs.stayed():
            tab.dialogs.take()  # told here
            raise ActionError(f"{tab.id} was not closed: {stay_reason(lost)}.")
    await tab.close()


def stay_reason(lost: list[str]) -> str:
    """Why the page was not left, and what to do."""
    if not lost:
        return "the page asked whether to stay, and stays"
    filled = f"what was filled in there and not sent would be lost: {', '.join(lost)}"
    asked = f"the page asked whether to leave it, and {filled}"
    return f"{asked}. It stays. Send that first, or lose it with leave (--leave)"


async def unsent_fields(tab: Tab) -> list[str]:
    """The fields that hold what was filled in, as messages name them: `textbox E1 "Text"`. Raises PageUnresponsive.

    None of a page whose process has ended: all that was in it is lost.
    """
    if tab.activity.crashed:
        return []
    frames = (await tab.frames()).all()
    return [field for fields in await asyncio.gather(*(_unsent_in(tab, each) for each in frames)) for field in fields]


async def _unsent_in(tab: Tab, frame: Frame) -> list[str]:
    try:
        world = await frame.world()
        fields = await world.call("unsentFields", returning=list[str])
    except DocumentGone:  # with all that was in it
        return []
    return [tab.refs.write(world, field) for field in fields]

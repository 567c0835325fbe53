"""The one deadline of a call: all its stages share it, whatever each of them may take by itself."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from cdp_agent.action_log import log_line
from cdp_agent.errors import ActionError, PageUnresponsive
from cdp_agent.page.frames.deadline import Deadline

from .tab import Tab

CALL_S = 30.0
"""The limit of a call that has no other."""
REPORT_S = 2.0
"""How much longer a call may take to report what it did, or why it failed."""
_GIVEN_UP = (
    "It was not finished within {:g} s and was given up: the page keeps itself or Chrome busy. Whether it had an effect"
    " is not known. Take a new snapshot, reload the page or go elsewhere."
)


@asynccontextmanager
async def call_limit(
    tab: Tab, seconds: float = CALL_S, *, error: Callable[[], ActionError] | None = None
) -> AsyncIterator[Deadline]:
    """A block that ends REPORT_S after its deadline, which is in `seconds`, not counting the time that people take.

    A block that does not end by then raises PageUnresponsive, or what `error` returns.
    """

    def given_up() -> ActionError:
        log_line("decision", "given up {:g} s after its limit of {:g} s", REPORT_S, seconds)
        return PageUnresponsive(_GIVEN_UP.format(seconds)) if error is None else error()

    deadline = Deadline.on((await tab.frames()).root.session, seconds)
    async with deadline.later(REPORT_S, error=given_up):
        yield deadline

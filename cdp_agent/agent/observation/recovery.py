"""When Chrome goes away in the middle of a task: another one is opened, at the page where the last one was."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cdp_agent.agent.model import prompts
from cdp_agent.agent.observation.browser_state import BLANK, go_back_to
from cdp_agent.errors import BrowserError
from cdp_agent.events import BrowserReconnected, EndpointConnected, EndpointCycle

if TYPE_CHECKING:
    from cdp_agent.agent.state.run import Run

MOST = 3


async def recover(run: Run, error: BrowserError) -> str:
    """Opens the browser anew; what the model is told of it. Raises BrowserError when that fails, or was done often."""
    if run.recoveries >= MOST:
        raise error
    run.recoveries += 1
    await run.browser.reopen()
    run.tabs, missing = await go_back_to(run.browser, run.place)
    run.sight.forget()
    tell_endpoints(run)
    url = run.tabs.page.url
    run.tell(BrowserReconnected, reason=str(error), url=url, tabs=len(run.place.tabs) - len(missing))
    return prompts.reconnected(at_page=url != BLANK, missing=len(missing))


def tell_endpoints(run: Run) -> None:
    """Which of several endpoints were tried for the browser that is there now; none for a Chrome of our own."""
    for each in run.browser.attempts:
        if each.error is None:
            run.tell(EndpointConnected, endpoint_index=each.index, total=each.total)
        else:
            run.tell(EndpointCycle, endpoint_index=each.index, total=each.total, error=each.error)

"""Observes the page. If Chrome goes away meanwhile, another one is opened at the same addresses."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from cdp_agent.agent.model import prompts
from cdp_agent.agent.observation.browser_state import BLANK, reopen_tabs
from cdp_agent.agent.observation.observer import ObservedPage, Observer
from cdp_agent.errors import BrowserError
from cdp_agent.events import BrowserReconnected, EndpointConnected, EndpointCycle
from cdp_agent.page.receipts.receipts import Receipt

if TYPE_CHECKING:
    from cdp_agent.agent.state.run import Run

MOST = 3


async def observe(
    run: Run, receipts: Collection[Receipt], *, whole: bool, observer: Observer | None = None
) -> tuple[ObservedPage, list[str]]:
    """What is new on the page, and notes for the model if Chrome went away and was replaced meanwhile.

    `observer` is that of the role that observes, if it is not the run's own model.
    """
    notes = []
    observer = observer or run.observer
    try:
        seen = await observer.observe(run.tabs.page, receipts, whole=whole)
    except BrowserError as error:
        notes.append(await recover(run, error))
        seen = await observer.observe(run.tabs.page)
    run.record_observation(seen)
    return seen, notes


async def recover(run: Run, error: BrowserError) -> str:
    """Opens the browser again; returns a line about that for the model.

    Raises BrowserError when that fails, or after too many recoveries.
    """
    if run.recoveries >= MOST:
        raise error
    run.recoveries += 1
    await run.browser.reopen()
    run.tabs, missing = await reopen_tabs(run.browser, run.browser_state)
    run.observer.forget()
    tell_endpoints(run)
    url = run.tabs.page.url
    run.emit(
        BrowserReconnected(**run.stamp, reason=str(error), url=url, tabs=len(run.browser_state.tabs) - len(missing))
    )
    return prompts.reconnected(at_page=url != BLANK, missing=len(missing))


def tell_endpoints(run: Run) -> None:
    """Emits an event for each endpoint that was tried for the current browser; none for a Chrome that we started."""
    for attempt in run.browser.attempts:
        if attempt.error is None:
            run.emit(EndpointConnected(**run.stamp, endpoint_index=attempt.index, total=attempt.total))
        else:
            run.emit(EndpointCycle(**run.stamp, endpoint_index=attempt.index, total=attempt.total, error=attempt.error))

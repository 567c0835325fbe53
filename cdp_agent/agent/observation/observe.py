"""Looking at the page for the model, also when Chrome goes away meanwhile."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from cdp_agent.agent.observation import recovery
from cdp_agent.agent.observation.observer import ObservedPage, Observer
from cdp_agent.errors import BrowserError
from cdp_agent.page.receipts.receipts import Receipt

if TYPE_CHECKING:
    from cdp_agent.agent.state.run import Run


async def look(
    run: Run, receipts: Collection[Receipt], *, whole: bool, sight: Observer | None = None
) -> tuple[ObservedPage, list[str]]:
    """What there is to see, also when Chrome went away meanwhile; what is to be said of that.

    `sight` is of whom it is for, where that is not the run's own model.
    """
    notes = []
    sight = sight or run.sight
    try:
        seen = await sight.look(run.tabs.page, receipts, whole=whole)
    except BrowserError as error:
        notes.append(await recovery.recover(run, error))
        seen = await sight.look(run.tabs.page)
    run.saw(seen)
    return seen, notes

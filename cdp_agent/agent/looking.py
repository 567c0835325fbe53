"""Looking at the page for the model, also when Chrome goes away meanwhile, and with a history that is not too long."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from cdp_agent.agent import recovery
from cdp_agent.agent.place import BLANK
from cdp_agent.agent.sight import Seen
from cdp_agent.agent.vision import add_picture
from cdp_agent.errors import BrowserError
from cdp_agent.events import HistoryShrunk
from cdp_agent.page.receipts import Receipt

if TYPE_CHECKING:
    from cdp_agent.agent.run import Run


async def look(run: Run, receipts: Collection[Receipt], *, whole: bool) -> tuple[Seen, list[str]]:
    """What there is to see, also when Chrome went away meanwhile; what is to be said of that."""
    notes = []
    try:
        seen = await run.sight.look(run.tabs.page, receipts, whole=whole)
    except BrowserError as error:
        notes.append(await recovery.recover(run, error))
        seen = await run.sight.look(run.tabs.page)
    run.saw(seen)
    return seen, notes


async def shrink(run: Run) -> None:
    """Leaves a line of each old observation, and shows the page as it is now."""
    before = run.history.tokens
    run.history.shrink()
    run.sight.forget()
    if run.tabs.page.url != BLANK:
        seen, notes = await look(run, [], whole=True)
        run.history.show("\n\n".join([*notes, seen.view or ""]))
        await add_picture(run)
    run.tell(HistoryShrunk, tokens_before=before, tokens_after=run.history.tokens)

"""Handing the page over to the user between two turns, and taking it back: what became of it is told to the model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cdp_agent.agent.model import prompts
from cdp_agent.agent.state.recovery import look
from cdp_agent.decisions import Paused
from cdp_agent.errors import ActionError

if TYPE_CHECKING:
    from cdp_agent.agent.state.run import Run


async def hand_over(run: Run) -> bool:
    """Where that was asked for, waits until the user hands back; False when they end the run."""
    if run.pause is None or run.ask_user is None or not run.pause.is_set():
        return True
    page = run.tabs.page
    try:
        said = await run.ask_user(Paused(id=0, url=page.url, title=page.title))
    except ActionError:
        return False  # the run has its end
    run.pause.clear()
    notes = [moved] if (moved := await run.tabs.follow()) else []
    seen, lost = await look(run, [], whole=False)
    if seen.same:
        notes.append(prompts.UNCHANGED)
    run.history.say(prompts.handed_back(str(said or ""), [*notes, *lost]), seen.view)
    await run.vision.add_picture(run.tabs.page, run.sight.refs)
    return True

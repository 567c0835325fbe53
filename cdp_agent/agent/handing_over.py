"""Handing the page over to the user between two turns, and taking it back: what became of it is told to the model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cdp_agent.agent.model import prompts
from cdp_agent.agent.state.recovery import look
from cdp_agent.decisions import AskUser, Paused
from cdp_agent.errors import ActionError

if TYPE_CHECKING:
    from cdp_agent.agent.state.run import Run


async def hand_over(run: Run) -> bool:
    """Where that was asked for, waits until the user of a run of one model hands back; False when they end it."""
    handed_back = await wait_for_user(run, run.ask_user)
    if handed_back is None:
        return run.end is None
    said, notes = handed_back
    seen, lost = await look(run, [], whole=False)
    if seen.same:
        notes.append(prompts.UNCHANGED)
    run.history.say(prompts.handed_back(said, [*notes, *lost]), seen.view)
    await run.vision.add_picture(run.tabs.page, run.sight.refs)
    return True


async def wait_for_user(run: Run, ask_user: AskUser | None) -> tuple[str, list[str]] | None:
    """Where that was asked for, waits until the user hands the page back: what they say, and what became of the tab.

    None where nobody asked for it, nobody is there to hand back, or the user ends the run.
    """
    if run.pause is None or ask_user is None or not run.pause.is_set():
        return None
    page = run.tabs.page
    try:
        said = await ask_user(Paused(id=0, url=page.url, title=page.title, tab=f"t{page.number}"))
    except ActionError:
        return None  # the run has its end
    run.pause.clear()
    moved = await run.tabs.follow()
    return str(said or ""), [moved] if moved else []

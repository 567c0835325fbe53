"""Pictures of the page for a model that sees, with the refs of the snapshot painted onto them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cdp_agent.agent.observation.browser_state import BLANK
from cdp_agent.errors import ActionError, BrowserError, ModelError, ProtocolError
from cdp_agent.events import AgentStatus, BrowserScreenshot
from cdp_agent.providers.shared.errors import is_of_pictures

if TYPE_CHECKING:
    from cdp_agent.agent.model.history import History
    from cdp_agent.agent.state.run import Run
    from cdp_agent.page.picture.paint import Picture


async def add_picture(run: Run) -> None:
    """Adds what the window shows to what the model was told last; words will do where there is no picture to be had."""
    if not run.sees or run.tabs.page.url == BLANK:
        return
    from cdp_agent.page.picture.screenshot import take_picture

    page = run.tabs.page
    try:
        picture = await take_picture(page, run.sight.refs, hidden=run.secrets.spans if run.secrets else None)
    except (ActionError, ProtocolError, BrowserError) as error:  # where Chrome is gone, the next action finds out
        run.tell(AgentStatus, message=f"No picture of the page: {error}")
        return
    before = run.history.picture
    if before is not None and before.data == picture.data:
        return  # nothing new is to be seen
    run.history.add_picture(picture)
    tell_picture(run, picture)


def tell_picture(run: Run, picture: Picture) -> None:
    """Says that the model gets it."""
    run.tell(
        BrowserScreenshot,
        size=len(picture.data),
        format=picture.format,
        width_px=picture.width_px,
        height_px=picture.height_px,
        image=picture.data if run.options.images_in_events else None,
    )


def gave_up_pictures(run: Run, asked: History, error: ModelError) -> bool:
    """Whether it is pictures that the model refuses: then the run goes on in words alone."""
    if asked.picture is None or not is_of_pictures(error):
        return False
    for each in (asked, run.history):
        each.clip_pictures()
    run.sees = False
    run.tell(AgentStatus, message=f"The model takes no pictures, so the run goes on without: {error}")
    return True

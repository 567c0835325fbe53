"""What moves while one plays."""

from __future__ import annotations

from cdp_agent.errors import ActionError

from .play import Play, solves


@solves("chase-circle")
async def stay_with_the_circle(play: Play) -> None:
    circle = (await play.one("circle")).ref
    while not await play.done():
        await play.call("hover", ref=circle)


@solves("moving-items")
async def click_what_passes(play: Play) -> None:
    while not await play.done():
        for circle in (await play.look()).all("circle"):
            try:
                await play.click_on(circle.ref)
            except ActionError:
                continue  # it is outside of the picture

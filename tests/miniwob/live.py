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


@solves("stock-market")
async def buy_below_a_price(play: Play) -> None:
    most = float(play.said(r"less than \$([\d.]+)\.")[1])
    buy = (await play.one("button", "Buy")).ref
    while "undefined" not in (shown := (await play.find("#stock-price"))[0].text):  # after the last price
        if float(shown.removeprefix("$") or most) < most:
            await play.click_on(buy)
            break


@solves("hot-cold")
async def feel_for_the_hot_place(play: Play) -> None:
    """Each place that was felt leaves those that are as far from it as it said."""
    area = (await play.one("generic", id="touch-area")).ref
    left = [complex(x, y) for x in range(5, 155) for y in range(5, 120)]
    while True:
        place = left[len(left) // 2] if len(left) < 200 else _in_the_middle(left)
        await play.call("hover", ref=area, at=(place.real, place.imag))
        words = (await play.find("#signal"))[0].text
        nearest, farthest = next(band for word, band in BANDS.items() if word in words)
        if nearest == 0:
            break
        left = [other for other in left if nearest <= abs(other - place) < farthest]
    await play.click_on(area, position=(place.real, place.imag))


BANDS = {"ICE COLD": (40, 300), "COLD": (10, 40), "WARM": (5, 10), "HOT": (0, 5)}


def _in_the_middle(places: list[complex]) -> complex:
    """One that about half of the others are near."""
    some = places[:: len(places) // 60]
    return min(some, key=lambda place: abs(2 * sum(abs(other - place) < 40 for other in some) - len(some)))

"""Where the time of a call goes: a click, a filling and a small snapshot in their parts, each also after a rest.

python -m bench.anatomy [--rounds 40] [--json FILE]

Chrome's part is what nobody can do without: the same input events or an empty call, sent by the same connection.
"After a rest" is after 60 ms in which nothing happens, as after settling: threads of Chrome and of the system then
have to wake, which takes more than most of the work.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import msgspec

from bench.micro import Figure
from bench.options import keep, options
from bench.pages import PAGES, SMALL_FORM, serve_all
from bench.report import spread, table, this_machine
from cdp_agent import Browser, Page
from cdp_agent.cdp import input as cdp_input
from cdp_agent.cdp import runtime
from cdp_agent.cdp.types import Command, Empty
from cdp_agent.page.actions.keyboard import send, typing
from cdp_agent.page.actions.mouse import click_at
from cdp_agent.page.frames.world import World
from cdp_agent.page.page import tab_of

REST_S = 0.06
_AT_ONCE, _AFTER_REST = "one after the other", "after a rest"
_MAIL = next(page for page in PAGES if page.name == "mail task")
_TEXT = "Ada"
_AIMING = {"guard": "press", "enabled": True, "place": False, "position": None, "wait_ms": 5000}
_READY = {"append": False, "wait_ms": 2000}

Work = Callable[[], Awaitable[object]]


def measure(rounds: int) -> list[Figure]:
    return asyncio.run(_measure(rounds))


async def _measure(rounds: int) -> list[Figure]:
    with serve_all([SMALL_FORM, _MAIL]) as (served, _):
        urls = {one.page.name: one.url for one in served}
        async with Browser.launch() as browser:
            figures = []
            if SMALL_FORM.name in urls:
                figures += await _acting(await browser.new_page(urls[SMALL_FORM.name]), rounds)
            if _MAIL.name in urls:
                figures += await _reading(await browser.new_page(urls[_MAIL.name]), rounds)
            return figures


async def _acting(page: Page, rounds: int) -> list[Figure]:
    named = {element.name: ref for ref, element in (await page.snapshot()).refs.items()}
    await page.click(named["Send"])
    await page.fill(named["Name"], _TEXT)  # what these need is in the page from here on
    world = await (await tab_of(page).frames()).root.world()
    button, field = int(named["Send"][1:]), int(named["Name"][1:])
    aimed = await world.call("aim", button, {**_AIMING, "guard": ""})

    async def ready() -> None:
        await world.call("prepareField", field, _READY)

    async def click() -> float:
        return (await page.click(named["Send"])).acted_ms

    async def fill() -> float:
        return (await page.fill(named["Name"], _TEXT)).acted_ms

    inputs: dict[str, list[Command[Empty]]] = {
        "Chrome's part: one insertion": [cdp_input.InsertText(text=_TEXT)],
        "Chrome's part: insertion and last key": [cdp_input.InsertText(text=_TEXT[:-1]), *typing(_TEXT[-1])],
    }
    parts: dict[str, Work] = {
        "an empty call": lambda: _empty_call(world),
        "click: aiming": lambda: world.call("aim", button, _AIMING),
        "click: Chrome's part: three mouse events": lambda: click_at(world.session, aimed["x"], aimed["y"]),
        "fill: focusing and selecting": ready,
    }
    figures = [each for name, work in parts.items() for each in await _both(name, work, rounds)]
    for name, commands in inputs.items():
        figures += await _both(f"fill: {name}", partial(send, world.session, commands), rounds, before=ready)
    # Settling is the rest before the next one.
    figures.append(Figure("click: all but settling", _AFTER_REST, "ms", [await click() for _ in range(rounds)]))
    figures.append(Figure("fill: all but settling", _AFTER_REST, "ms", [await fill() for _ in range(rounds)]))
    return figures


async def _reading(page: Page, rounds: int) -> list[Figure]:
    await page.snapshot()
    world = await (await tab_of(page).frames()).root.world()
    inside = [await _inside_ms(world) for _ in range(rounds)]
    name = f"snapshot of the {_MAIL.name}"
    return [
        Figure(f"{name}: inside the page", _AT_ONCE, "ms", inside),
        *await _both(f"{name}: all", page.snapshot, rounds),
    ]


async def _inside_ms(world: World) -> float:
    """Of ten, since the page's clock ticks every 0.1 ms."""
    timing = (
        "function(...args) { const t = performance.now(); for (let i = 0; i < 10; i++) this.snapshot(...args);"
        " return (performance.now() - t) / 10 }"
    )
    options = {"next": [1_000_000, 1_000_000], "places": False, "base": None}
    return float(await _value(world, timing, options))


async def _empty_call(world: World) -> None:
    await _value(world, "function() { return 1 }")


async def _value(world: World, function: str, *arguments: object) -> Any:
    """What a function of ours, called on the object that has all functions of page/js, returns."""
    assert world._functions is not None  # once anything was read there
    call = runtime.CallFunctionOn(
        function_declaration=function,
        object_id=world._functions.object_id,
        arguments=[runtime.CallArgument(value=each) for each in arguments],
        return_by_value=True,
    )
    return msgspec.json.decode((await world.session.send(call)).result.value)


async def _both(name: str, work: Work, rounds: int, *, before: Work | None = None) -> list[Figure]:
    return [
        Figure(name, _AT_ONCE, "ms", [await _ms(work, 0, before) for _ in range(rounds + 1)][1:]),
        Figure(name, _AFTER_REST, "ms", [await _ms(work, REST_S, before) for _ in range(rounds)]),
    ]


async def _ms(work: Work, rest_s: float, before: Work | None) -> float:
    if before is not None:
        await before()
    await asyncio.sleep(rest_s)
    began = time.perf_counter()
    await work()
    return (time.perf_counter() - began) * 1000


def main() -> None:
    arguments = options(__doc__, rounds=40).parse_args()
    figures = measure(arguments.rounds)
    keep(figures, arguments.json)
    rows = [[each.name, each.what, f"{spread(each.values)} {each.unit}"] for each in figures]
    print(table(["", "", "median (least–most)"], rows))
    print(f"\n{this_machine('Chrome in its own version')}")


if __name__ == "__main__":
    main()

"""A step's click that no click came of: it is made once more if nothing else came of it, and is never taken as done."""

from __future__ import annotations

import pytest

from cdp_agent.agent.agent import Agent
from cdp_agent.browser import Browser
from cdp_agent.events import BrowserActionCompleted
from cdp_agent.page.actions.actions import ELEMENT_GONE, ELEMENT_MOVED
from cdp_agent.page.page import Page
from tests.agents import of, result_of
from tests.writing import show

AWAY = "style.transform = 'translateX(5000px)'"
BACK = "style.transform = ''"
FLEEING = f"{AWAY}; setTimeout(() => {{ go.{BACK} }}, 300)"
LOST = {
    "moves once": (f"once() && ({FLEEING.replace('; ', ', ')})", True, ""),
    "moves each time": (FLEEING, False, ELEMENT_MOVED),
    "moves, and the page does something": (f"{FLEEING}; out.textContent += 'pressed'", False, ELEMENT_MOVED),
    "moves, and the page sends something": (f"{FLEEING}; fetch('data:,')", False, ELEMENT_MOVED),
    "is rendered anew once": ("once() && setTimeout(render)", True, ""),
    "goes at the press": ("this.remove()", False, ELEMENT_GONE),
}
PAGE = """<div id=place></div><p id=out></p><button onclick="out.textContent += ' then'">Then</button>
<script>let presses = 0; const once = () => !presses++
const render = () => {{
    place.innerHTML = `<button id=go onmousedown="{press}" onclick="out.textContent += 'clicked'">Go` }}
render()</script>"""


@pytest.mark.parametrize(("press", "clicked", "note"), LOST.values(), ids=LOST)
async def test_a_click_that_never_came_is_not_taken_as_done(
    browser: Browser, sheet: Page, press: str, clicked: bool, note: str
) -> None:
    await show(sheet, PAGE.format(press=press))

    events = [event async for event in Agent(browser).stream_steps(["Click 'Go'", "Click 'Then'"], page=sheet)]

    result, shown = result_of(events), await sheet.evaluate("out.textContent")
    assert ("clicked then" in shown, "then" in shown, result.success) == (clicked, clicked, clicked)
    assert note in (result.error.message if result.error is not None else "")
    assert len(of(events, BrowserActionCompleted)) == 1 + clicked

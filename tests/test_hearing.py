"""A field that nobody in the page can hear of is waited for for one frame; where that is not certain, for longer."""

from __future__ import annotations

import pytest

from cdp_agent.page.page import Page
from tests.acting import ref
from tests.conftest import Serve

UNHEARD = "nobody in the page listens for that"
FIELD = "<!doctype html><input id=f aria-label=Name><p id=out></p>"
TELLS = "out.textContent = f.value"


async def is_unheard(page: Page, content: str, serve: Serve) -> bool:
    """Whether the field is filled in unheard, once it is known how long the page's scripts take while nobody acts."""
    await page.goto(serve(FIELD + content))
    name = await ref(page, "Name")
    await page.fill(name, "one")
    receipt = await page.fill(name, "two")
    return any(UNHEARD in line.text for line in receipt.log)


@pytest.mark.parametrize(
    "content",
    [
        "<button onclick=1>Go</button>",
        "<script>onmousemove = onload = onmessage = () => 1; setTimeout(onload)</script>",
    ],
    ids=["a button", "scripts that are over"],
)
async def test_a_field_that_nobody_can_hear_of_needs_one_frame(page: Page, serve: Serve, content: str) -> None:
    assert await is_unheard(page, content, serve)


@pytest.mark.parametrize(
    "content",
    [
        f"<script>oninput = () => setTimeout(() => {{ {TELLS} }}, 40)</script>",
        f"<script>f.onblur = () => {{ {TELLS} }}</script>",
        f"<script>setInterval(() => {{ {TELLS} }}, 45)</script>",
        "<script>(async () => { for (;;) await scheduler.postTask(() => 1, {delay: 30}) })()</script>",
        "<script>const look = () => requestAnimationFrame(look); look()</script>",
        "<div id=h></div><script>h.attachShadow({mode: 'open'}).innerHTML = '<input oninput=1>'</script>",
        "<iframe srcdoc='<script>1</script>'></iframe>",
    ],
    ids=["the window", "the field", "a timer", "tasks", "frames", "a shadow root", "a frame"],
)
async def test_who_may_hear_of_a_field_is_waited_for(page: Page, serve: Serve, content: str) -> None:
    assert not await is_unheard(page, content, serve)

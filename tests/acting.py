"""What tests of actions share: finding refs by name, and what the page noticed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import pytest

from cdp_agent.action_log import ActionLog
from cdp_agent.cdp import runtime
from cdp_agent.page.page import Page, tab_of
from cdp_agent.page.receipts.receipts import Outcome
from cdp_agent.page.refs.locate import Located, locate

LOGGING = """<script>
window.log = [];
const note = (event) => log.push(`${event.type} ${event.target.id || event.target.nodeName || "window"}`);
const types = ["mousedown", "click", "dblclick", "auxclick", "contextmenu", "input", "change", "drop", "dragend"];
if (!document.documentElement.noting) for (const type of types) addEventListener(type, note, true);
document.documentElement.noting = true;
</script>"""
"""Once for a document, as often as it is put in."""


WATCHING = """<script>
window.records = 0;
const everything = {subtree: true, childList: true, attributes: true, characterData: true};
new MutationObserver((all) => records += all.length).observe(document, everything);
window.names = 0;
window.names = Reflect.ownKeys(window).length
</script>"""


TEN_FRAMES = """new Promise(done => {
    const begun = performance.now();
    const draw = left => {
        document.body.style.outline = `${left}px solid`;
        left ? requestAnimationFrame(() => draw(left - 1)) : done(performance.now() - begun);
    };
    draw(10);
})"""
"""How many milliseconds they take: 140 on an idle machine, 7,000 in a tab that is not drawn."""
SOON_MS = 5000
"""So long they take at most, whatever else runs on the machine."""


async def ref(page: Page, name: str, role: str | None = None) -> str:
    """The ref of the only element of that name."""
    snapshot = await page.snapshot()
    found = [each.ref for each in snapshot.refs.values() if each.name == name and role in (None, each.role)]
    assert len(found) == 1, f"{name}: {found} in\n{snapshot.text}"
    return found[0]


@asynccontextmanager
async def running_after(page: Page, words: str, script: str) -> AsyncIterator[None]:
    """A block in which the page runs the script whenever an action logs these words: between its steps, at any pace."""
    session = (await tab_of(page).frames()).root.session
    write = ActionLog.write

    def written(log: ActionLog, kind: Any, template: str, *values: Any) -> None:
        write(log, kind, template, *values)
        if words in template.format(*values):
            session.tell(runtime.Evaluate(expression=script))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ActionLog, "write", written)
        yield


async def at(page: Page, name: str, role: str | None = None) -> Located:
    """The only element of that name."""
    return await locate(tab_of(page), await ref(page, name, role))


def now(outcome: Outcome) -> Outcome:
    """What is known at once of the value, without what the receipt waits for and the list that was opened."""
    return msgspec.structs.replace(outcome, read_again=None, on_replaced=None, suggests=False, chosen=())


async def log(page: Page) -> list[str]:
    """What the page noticed since the last call."""
    return list(await page.evaluate("log.splice(0)"))


async def in_frame(page: Page, expression: str) -> Any:
    """The value of an expression in the one out-of-process iframe."""
    (frame,) = [each for each in (await tab_of(page).frames()).all() if each.parent is not None]
    answer = await frame.session.send(runtime.Evaluate(expression=expression, return_by_value=True))
    return msgspec.json.decode(answer.result.value)


async def until_named(page: Page, name: str) -> str:
    """The ref of what will come in a frame that is still loading."""
    async with asyncio.timeout(5):
        while f'"{name}"' not in (await page.snapshot()).text:
            pass
    return await ref(page, name)

"""A step, held against the page as it is: the tool call that it means, found without a model."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence

from cdp_agent.page.page import Page
from cdp_agent.steps.call import Call, Output
from cdp_agent.steps.calls import call_for, needs_page
from cdp_agent.steps.grammar import read_step, split_step
from cdp_agent.steps.outline import Node, Outline, outline
from cdp_agent.steps.resolve import Unclear

PATIENCE_S = 3.0
_LOOK_AGAIN_S = 0.25
_FORMS = (
    'such as "Click Save", "Type \'cats\' into the search box", "Select Oslo in City", "Wait until \'Done\' appears"'
)


async def understand_step(
    step: str,
    page: Page,
    outputs: Sequence[Output] = (),
    *,
    tabs: Sequence[Page] = (),
    patience_s: float = PATIENCE_S,
) -> Call | Unclear:
    """The call that the step means. What is not on the page yet is waited for; what may be several things is not.

    `tabs` are those of the browser that a step may switch to. Raises ActionError when the page cannot be read,
    BrowserError.
    """
    intent = read_step(step)
    if intent is None:
        return Unclear(f"This is not one act in words that are known, {_FORMS}")
    if not needs_page(intent):
        nothing = Outline(Node("page", "", "", "", {}, None, -1, -1), [], page.url)
        return call_for(intent, nothing, outputs, tabs=tabs, current=page)
    until = time.monotonic() + patience_s
    while True:
        found = call_for(intent, outline(await page.snapshot()), outputs, tabs=tabs, current=page)
        if isinstance(found, Call) or found.score:
            return found
        if time.monotonic() > until:
            return _as_several(step, found)
        await asyncio.sleep(_LOOK_AGAIN_S)


def _as_several(step: str, found: Unclear) -> Unclear:
    """Where nothing fits and the step may be more than one act, that is said too."""
    acts = split_step(step)
    if len(acts) < 2:
        return found
    return Unclear(
        f"{found.why}. If these are {len(acts)} acts, give each a line: {' / '.join(acts)}", found.candidates
    )

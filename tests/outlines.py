"""Pages as snapshots show them, written down, for tests of what steps mean on them."""

from __future__ import annotations

from textwrap import dedent

from cdp_agent.page.snapshot.snapshot import Snapshot
from cdp_agent.steps.language.grammar import read_step
from cdp_agent.steps.resolve.call import StepCall
from cdp_agent.steps.resolve.calls import call_for
from cdp_agent.steps.resolve.outline import Outline, outline
from cdp_agent.steps.resolve.understanding import meant_now


def shown(text: str) -> Outline:
    """The outline of a page whose snapshot has this text."""
    return outline(Snapshot(dedent(text).strip("\n"), "https://shop.test/", "Shop", [], {}))


def done(step: str, text: str) -> str:
    """The call that the step is on a page with this text, in short: "click E1"; or why it is none."""
    intent = read_step(step)
    assert intent is not None, f"no known words: {step}"
    found = call_for(meant_now(intent, has_dialog=False), shown(text))
    if not isinstance(found, StepCall):
        return str(found)
    return " ".join([found.tool, *(str(value) for value in found.arguments.values())])

"""Files of steps, one a line, carried out without a model."""

from __future__ import annotations

from pathlib import Path

from cdp_agent.browser import Browser
from cdp_agent.page.page import Page
from cdp_agent.session.calls import Call, perform
from cdp_agent.steps.resolve.call import Output, StepCall
from cdp_agent.steps.resolve.understanding import understand_step
from cdp_agent.tools import BUILT_IN
from cdp_agent.tools.base import Context, Observation

FOLDER = Path(__file__).parent / "steps"


class NotDone(Exception):
    """A step was refused, or failed; the message holds the snapshot."""


def steps_of(name: str, site: str = "") -> list[str]:
    """The steps of tests/steps/NAME.txt, SITE being this address."""
    lines = (FOLDER / f"{name}.txt").read_text("utf-8").replace("SITE", site).splitlines()
    return [line for line in lines if line and not line.startswith("#")]


async def carry_out(browser: Browser, page: Page, steps: list[str]) -> Page:
    """Does them all and gives the page that one is on then. Raises NotDone."""
    outputs: list[Output] = []
    for number, step in enumerate(steps, 1):
        call = await understand_step(step, page, outputs, tabs=browser.pages)
        if not isinstance(call, StepCall):
            raise NotDone(f"{step}: {call}\n{(await page.snapshot()).text}")
        tool = BUILT_IN[call.tool]
        outcome = await perform(Call(tool, tool.parse(call.arguments)), Context(page, browser))
        if not isinstance(outcome, Observation):
            raise NotDone(f"{step}: {outcome}\n{(await page.snapshot()).text}")
        page = outcome.tab or page
        outputs.append(Output(number, call.tool, outcome.text, url=page.url))
    return page

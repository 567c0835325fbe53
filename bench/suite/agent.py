"""What the agent's loop costs with a scripted model that answers at once: turns, tokens, time, also of a long task."""

from __future__ import annotations

import asyncio
from itertools import pairwise

from bench import loop
from bench.peers import US
from cdp_agent import Browser

from . import figures
from .run import Bench

_STEPS = (1, 5, 20, 50, 100, 250, 500)


def measure(bench: Bench) -> None:
    result = asyncio.run(loop.measure(runs=bench.pace.rounds, turn_s=0))
    for form in result.form:
        setting = f"a form, {form.most} actions a step"
        bench.note("turns", setting, US, "", form.turns)
        bench.note("prompt tokens", setting, US, "", form.prompt_tokens)
        # The loop with nobody to wait for, a plan and a judgement included.
        spent = form.took_s
        each = [seconds * 1000 / (form.turns + 2) for seconds in (spent.median, spent.least, spent.most)]
        bench.note("time of a turn, settling included", setting, US, "ms", *each)
    for prompts in result.long_task:
        bench.note("prompt tokens of 30 steps", prompts.shown, US, "", prompts.tokens)
        bench.note("of them anew", prompts.shown, US, "", prompts.anew)
    turns_ms, turn_tokens = asyncio.run(_history(bench.pace.steps))
    for before, steps in pairwise((0, *_STEPS)):
        if steps <= bench.pace.steps:
            bench.note(figures.TURN, f"up to step {steps}", US, "ms", *turns_ms[before:steps])
            bench.note(figures.TURN_TOKENS, f"up to step {steps}", US, "", *turn_tokens[before:steps])


async def _history(steps: int) -> tuple[list[float], list[int]]:
    async with Browser.launch() as browser:
        return await loop.history(browser, steps)

"""How much of each request begins as the one before did, which a provider with a prompt cache reads at a tenth.

python -m bench.prefixes [--json FILE]

The models are scripted and carry out the tasks of bench.steps: an order in a shop, page after page, and work on one
page that stays. Of each request after the first, the characters are counted with which its messages begin just as those
of the one before did; the tools, which providers read first, stay the same for each role and are left out. `anew` are
the others, and all of the first. `with a cache` is what both come to when a token that is remembered costs a tenth;
without one each costs the same.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from itertools import pairwise
from typing import Any
from unittest.mock import patch

import msgspec

from bench.options import keep, options
from bench.report import Machine, table, this_machine
from bench.steps import TASKS, Act, check, unclear
from cdp_agent import Agent, Browser
from cdp_agent.page.snapshot.budget import tokens
from cdp_agent.steps.approval.policy import ALLOW_ALL
from cdp_agent.steps.flow import executor as by_steps
from fixtures.replay import ReplayServer, tool_call
from fixtures.shop import ShopServer

MISSING = "It is not shown that it was done."
REFUSED = tool_call("verify", {"task_completed": False, "message": MISSING})
PARTIAL = tool_call(
    "validate_task", {"task_assessment": "Some of it.", "completion_quality": "partial", "feedback": MISSING}
)


class Role(msgspec.Struct, frozen=True):
    """What one role of a task was asked with, in tokens; `again`: of the characters after the first request."""

    task: str
    role: str
    requests: int
    tokens: int
    anew: int
    again: float

    @property
    def with_a_cache(self) -> float:
        return self.anew + (self.tokens - self.anew) / 10


class Result(msgspec.Struct, frozen=True):
    machine: Machine
    roles: list[Role]


def role(task: str, name: str, requests: Sequence[dict[str, Any]]) -> Role:
    texts = [written(each) for each in requests]
    same = [same_characters(*each) for each in pairwise(texts)]
    after = sum(map(len, texts[1:]))
    anew = tokens(texts[0]) + sum(tokens(text[n:]) for text, n in zip(texts[1:], same, strict=True))
    return Role(task, name, len(texts), sum(map(tokens, texts)), anew, sum(same) / after if after else 0.0)


def same_characters(one: str, other: str) -> int:
    """How many two texts begin with."""
    if other.startswith(one):
        return len(one)
    least = min(len(one), len(other))
    return next((at for at in range(least) if one[at] != other[at]), least)


def written(request: dict[str, Any]) -> str:
    """The messages of a request in their order."""
    return "\n".join(json.dumps(each, ensure_ascii=False) for each in request["messages"])


def asked_for(requests: Sequence[dict[str, Any]], tool: str) -> list[dict[str, Any]]:
    """Those of the requests in which that is the one tool that may be called."""
    return [each for each in requests if [tool] == [spec["function"]["name"] for spec in each["tools"]]]


async def one_agent(browser: Browser, task: str, url: str, acts: Sequence[Act]) -> list[Role]:
    """The loop, and its judge, who refuses the first answer."""
    done = [tool_call("done", {"result": f"Done, {n}."}) for n in (1, 2)]
    replies = [*(tool_call(name, given) for _, name, given in acts), done[0], PARTIAL, done[1]]
    with ReplayServer(replies=replies) as server:
        check(await Agent(browser, model="openai-compatible/one", base_url=server.base_url).run("Do it.", url=url))
        judged = asked_for(server.requests, "validate_task")
        return [role(task, "loop", server.turns), role(task, "judge of the loop", judged)]


async def step_by_step(browser: Browser, task: str, url: str, acts: Sequence[Act]) -> list[Role]:
    """The planner that says one step at a time, the executor of each, and the judge, who refuses the first answer."""
    moves = [tool_call("next_step", {"needs_action": True, "action": words}) for words, _, _ in acts]
    ends = [tool_call("next_step", {"needs_action": False, "message": f"Done, {n}."}) for n in (1, 2)]
    verdict = tool_call("verify", {"task_completed": True, "message": "Done."})
    planner = ReplayServer(replies=[*moves, ends[0], REFUSED, ends[1], verdict])
    executor = ReplayServer(replies=[tool_call(name, given) for _, name, given in acts])
    with planner, executor, patch.object(by_steps, "call_in_run", unclear):
        agent = Agent(
            browser,
            flow="iterative",
            planner="openai-compatible/large",
            base_url=planner.base_url,
            executor="openai-compatible/small",
            executor_base_url=executor.base_url,
            approve=ALLOW_ALL,
        )
        check(await agent.run("Do it.", url=url))
    return [
        role(task, "planner, step by step", asked_for(planner.requests, "next_step")),
        role(task, "executor", executor.requests),
        role(task, "judge of the steps", asked_for(planner.requests, "verify")),
    ]


async def measure() -> Result:
    roles: list[Role] = []
    async with Browser.launch() as browser:
        for task, (where, acts) in TASKS.items():
            for way in (one_agent, step_by_step):
                with ShopServer() as shop:
                    roles += await way(browser, task, shop.url if where == "shop" else where, acts)
                for page in browser.pages:
                    await page.close()
        return Result(this_machine(browser.version.product), roles)


def main() -> None:
    arguments = options(__doc__).parse_args()
    result = asyncio.run(measure())
    keep(result, arguments.json)
    print(f"{result.machine}\n")
    rows = [
        [
            each.task,
            each.role,
            str(each.requests),
            f"{each.tokens:,}",
            f"{each.anew:,}",
            f"{each.with_a_cache:,.0f}",
            f"{each.again:.0%}",
        ]
        for each in result.roles
    ]
    heads = ["task", "role", "requests", "prompt tokens", "of them anew", "with a cache", "begins as before"]
    print(table(heads, rows))


if __name__ == "__main__":
    main()

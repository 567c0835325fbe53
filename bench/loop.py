"""Turns, tokens and time of the agent's loop, with a scripted model that takes a second a turn.

python -m bench.loop [--runs 3] [--turn-s 1] [--json FILE]

A form of five fields and a submit, at 1, 3 and 6 actions a step. Then a task of 30 steps on a
page of about 400 elements: the prompt tokens of all its turns, against a full snapshot after each action, and against
the same with all but the newest snapshot clipped. Those that a request does not begin with as the one before did are
what a provider with a prompt cache has to read anew. Last, ten short tasks, eight questions and two acts: how often a
model is called with each way of planning.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Self

import msgspec

from bench.options import keep, options
from bench.report import Machine, Spread, spread, table, this_machine
from cdp_agent import Agent, AgentResult, Browser, Limits, Page
from cdp_agent.agent.base.agent_settings import Planning
from cdp_agent.agent.base.options import Options
from cdp_agent.agent.base.task import Task
from cdp_agent.agent.loop import Loop
from cdp_agent.agent.observation.observer import ObservedPage, Observer
from cdp_agent.agent.state.run import Run
from cdp_agent.events import TaskCompleted
from cdp_agent.page.snapshot.budget import tokens
from cdp_agent.providers.services import endpoint
from cdp_agent.tools import DEFAULT
from fixtures.replay import PLAIN, ReplayServer, forced_tool, reply, tool_call

FIELDS = ["Name", "Street", "City", "Country", "Mail"]
FORM = (
    'data:text/html,<title>Form</title><form onsubmit="event.preventDefault();'
    "document.querySelector('p').textContent='Sent'\">"
    + "".join(f"<label>{name} <input></label>" for name in FIELDS)
    + "<button>Send</button></form><p>Not sent</p>"
)
STEPS = 30
ROWS = 130
LONG = (
    "data:text/html,<title>Orders</title><h1>Orders</h1><table>"
    + "".join(
        f"<tr><td>Order {row}</td><td>Customer {row}</td><td><button onclick=\"this.textContent='Done'\">Pack {row}"
        "</button></td></tr>"
        for row in range(ROWS)
    )
    + "</table>"
)
COUNTERS = "data:text/html,<title>Counters</title><h1>Counters</h1>" + "".join(
    f"<p><button onclick='out{number}.value++'>Count {number}</button> <input id=out{number} value=0 "
    f"aria-label='Count of {number}'>"
    for number in range(20)
)
DONE = ("done", {"result": "Sent"})
KETTLES = (
    "data:text/html;charset=utf-8,<title>Kettles</title><h1>Kettles</h1><table><tr><th>Kettle<th>Price<th>Weight<th>Warranty"
    "<tr><td>Camp kettle<td>€ 39.00<td>480 g<td>24 months<tr><td>Steel kettle<td>€ 22.00<td>610 g<td>12 months</table>"
    "<dl><dt>Phone<dd>22 60 45 10<dt>Ships on<dd>2 June 2026</dl><p>8 kettles</p>"
    "<button onclick=\"document.title='Sent'\">Send</button>"
    "<label>Note <input></label>"
)
SHORT: dict[str, list[tuple[str, dict[str, Any]]]] = {
    question: [("done", {"result": answer})]
    for question, answer in {
        "What does the Camp kettle cost?": "The Camp kettle costs € 39.00.",
        "What is the price of the Steel kettle?": "€ 22.00",
        "What is the weight of the Camp kettle?": "480 g",
        "What is the warranty of the Steel kettle?": "12 months",
        "What is the warranty of the Camp kettle?": "The warranty is 24 months.",
        "When does it ship?": "2 June 2026",
        "How many kettles are there?": "8 kettles",
        "Which kettle is the cheapest?": "The Steel kettle, at € 22.00.",
    }.items()
}
SHORT |= {
    "Click Send": [("click", {"ref": "{{ref:button Send}}"}), ("done", {"result": "It was clicked."})],
    "Fill in the note": [
        ("fill", {"ref": "{{ref:textbox Note}}", "value": "x"}),
        ("done", {"result": "It is filled."}),
    ],
}

Call = tuple[str, dict[str, Any]]


class FormRun(msgspec.Struct, frozen=True):
    """The form at one setting. `turns`: replies that act; planning and judging come on top and are in `took_s`."""

    most: int
    turns: int
    prompt_tokens: int
    took_s: Spread


class Prompts(msgspec.Struct, frozen=True):
    """The tokens of all prompts of a run; `anew`: without those with which the request before began, too."""

    shown: str
    tokens: int
    anew: int


class ShortTasks(msgspec.Struct, frozen=True):
    """The calls of a model for all the tasks of SHORT. `verified`: how many answers code verified."""

    plan: Planning
    calls: int
    tokens: int
    verified: int


class Result(msgspec.Struct, frozen=True):
    machine: Machine
    form: list[FormRun]
    long_task: list[Prompts]
    short_tasks: list[ShortTasks]


class Model(ReplayServer):
    """A model that takes its time."""

    def __init__(self, replies: Sequence[bytes], turn_s: float) -> None:
        super().__init__(replies=replies)
        self._turn_s = turn_s
        self.turned_s: list[float] = []
        """When each of `turns` came."""

    def __enter__(self) -> Self:
        super().__enter__()
        return self

    def answer(self, request: dict[str, Any]) -> bytes:
        answer = super().answer(request)
        if forced_tool(request) not in PLAIN:
            self.turned_s.append(time.perf_counter())
        time.sleep(self._turn_s)  # in a thread of its own
        return answer


class FullSight(Observer):
    """What others do: the whole page after each action."""

    async def observe(self, page: Page, receipts: Any = (), *, whole: bool = False) -> ObservedPage:
        return await super().observe(page, [], whole=True)


def form_replies(most: int) -> list[bytes]:
    calls: list[Call] = [
        *(("fill", {"ref": f"{{{{ref:textbox {name}}}}}", "value": name}) for name in FIELDS),
        ("click", {"ref": "{{ref:button Send}}"}),
    ]
    return [*(reply(*calls[at : at + most]) for at in range(0, len(calls), most)), tool_call(*DONE)]


async def fill_form(browser: Browser, most: int, turn_s: float, runs: int) -> FormRun:
    took: list[float] = []
    for _ in range(runs):
        with Model(form_replies(most), turn_s) as model:
            agent = Agent(
                browser,
                model="openai-compatible/scripted",
                base_url=model.base_url,
                max_actions_per_step=most,
            )
            page = await browser.new_page()
            began = time.perf_counter()
            result = await agent.run("Send the form", url=FORM, page=page)
            took.append(time.perf_counter() - began)
            await check(page, result, "Sent")
            turns, prompt_tokens = len(model.turns), prompts("", model.turns).tokens
    return FormRun(most, turns, prompt_tokens, spread(took))


async def long_task(browser: Browser, observer: type[Observer]) -> list[dict[str, Any]]:
    """The requests of a task of 30 steps."""
    clicks = [tool_call("click", {"ref": f'{{{{ref:button "Pack {number}"}}}}'}) for number in range(STEPS - 1)]
    page = await browser.new_page()
    with Model([*clicks, tool_call(*DONE)], 0) as model:
        where = endpoint("openai-compatible/scripted", base_url=model.base_url, environment={})
        run = Run(browser, where, DEFAULT, Options(limits=Limits(history_tokens=10_000_000)), Task("Do it", LONG))
        run.observer = observer(run.limits.observation_tokens)
        events = [event async for event in Loop(run, page).events()]
        assert isinstance(events[-1], TaskCompleted)
        await check(page, events[-1].result, "Done")
        return model.turns


async def short_tasks(browser: Browser, plan: Planning) -> ShortTasks:
    """How often a model is called for the tasks of SHORT."""
    requests: list[dict[str, Any]] = []
    verified = 0
    for task, calls in SHORT.items():
        with Model([tool_call(*call) for call in calls], 0) as model:
            agent = Agent(browser, model="openai-compatible/scripted", base_url=model.base_url, plan=plan)
            result = await agent.run(task, url=KETTLES)
            assert result.success, result.error
            requests += model.requests
            verified += result.validation == "verified"
    return ShortTasks(plan, len(requests), prompts("", requests).tokens, verified)


async def history(browser: Browser, steps: int) -> tuple[list[float], list[int]]:
    """Of each turn of a task of so many steps: the milliseconds to the next one, and the tokens of its messages.

    The model answers at once, so the former are our loop's and the page's.
    """
    clicks = [tool_call("click", {"ref": f'{{{{ref:button "Count {number % 20}"}}}}'}) for number in range(steps)]
    page = await browser.new_page()
    with Model([*clicks, tool_call(*DONE)], 0) as model:
        limits = Limits(max_steps=steps + 5)
        agent = Agent(browser, model="openai-compatible/scripted", base_url=model.base_url, limits=limits)
        result = await agent.run("Count on", url=COUNTERS, page=page)
        assert result.success, result.error
        await page.close()
    asked = [prompts("", [turn]).tokens for turn in model.turns]
    return [(after - before) * 1000 for before, after in pairwise(model.turned_s)], asked[:-1]


async def check(page: Page, result: AgentResult, shown: str) -> None:
    """Sees to it that the task was really done."""
    assert result.success, result.error
    assert shown in (await page.snapshot()).text
    await page.close()


def prompts(shown: str, turns: list[dict[str, Any]], *, clipped: bool = False) -> Prompts:
    """What a run was asked with, planning and judging apart."""
    total = anew = 0
    before: list[str] = []
    for turn in turns:
        messages = [each.get("content") or json.dumps(each.get("tool_calls")) for each in turn["messages"]]
        if clipped:
            pages = [place for place, text in enumerate(messages) if 'label="page"' in text]
            for place in pages[:-1]:
                messages[place] = messages[place].partition("The page now:")[0]
        counts = [tokens(text) for text in messages]
        same = next((at for at, (a, b) in enumerate(zip(messages, before, strict=False)) if a != b), len(before))
        total += sum(counts)
        anew += sum(counts[same:])
        before = messages
    return Prompts(shown, total, anew)


async def measure(runs: int, turn_s: float) -> Result:
    async with Browser.launch() as browser:
        form = [await fill_form(browser, most, turn_s, runs) for most in (1, 3, 6)]
        ways: list[Planning] = ["always", "never", "auto"]
        short = [await short_tasks(browser, plan) for plan in ways]
        diffs, full = await long_task(browser, Observer), await long_task(browser, FullSight)
    long = [
        prompts("what changed (ours)", diffs),
        prompts("a full snapshot after each action", full),
        prompts("the same, all but the newest clipped", full, clipped=True),
    ]
    return Result(this_machine(browser.version.product), form, long, short)


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--turn-s", type=float, default=1.0)
    arguments = parser.parse_args()
    result = asyncio.run(measure(arguments.runs, arguments.turn_s))
    keep(result, arguments.json)
    print(f"{result.machine}\n\nA form of five fields and a submit, {arguments.turn_s:g} s a reply:\n")
    rows = [[str(each.most), str(each.turns), f"{each.prompt_tokens:,}", str(each.took_s)] for each in result.form]
    print(table(["actions a step", "turns", "prompt tokens", "seconds"], rows))
    print(f"\n{STEPS} steps on one page, prompt tokens of all turns:\n")
    rows = [[each.shown, f"{each.tokens:,}", f"{each.anew:,}"] for each in result.long_task]
    print(table(["the model is shown", "tokens", "of them anew"], rows))
    print(f"\n{len(SHORT)} short tasks, all calls of a model:\n")
    rows = [[ways.plan, str(ways.calls), f"{ways.tokens:,}", str(ways.verified)] for ways in result.short_tasks]
    print(table(["plan", "calls", "prompt tokens", "verified by code"], rows))


if __name__ == "__main__":
    main()

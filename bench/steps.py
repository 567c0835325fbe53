"""What tasks take of models: one agent, one with `steps`, a planner with an executor, a planner with steps for code.

python -m bench.steps [--json FILE]

The models are scripted and do the same acts in each way, so that what differs is how often they are asked, and with how
much: all messages and all tools of each request, counted as bench.loop counts them. Planning and judging are in all of
them. An agent with `steps` gives all that is left of its acts in one call, and does the one at which that ended by a
call of its own. Two rows of the table have one name, so that code cannot tell some of the steps; in the third way it is
kept from telling any.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from unittest.mock import patch

import msgspec

from bench.report import Machine, table, this_machine
from cdp_agent import Agent, AgentResult, Browser
from cdp_agent.page.snapshot.budget import tokens
from cdp_agent.steps.approval.policy import ALLOW_ALL
from cdp_agent.steps.flow import executor as by_steps
from cdp_agent.steps.resolve.resolve import Unclear
from fixtures.replay import PLAIN, ReplayServer, fill_refs, forced_tool, newest_page, tool_call
from fixtures.shop import ShopServer

Act = tuple[str, str, dict[str, Any]]
"""A step in words, and the tool call that it is."""

FORM = (
    "data:text/html,<title>Form</title><form onsubmit=\"event.preventDefault();document.querySelector('p').textContent="
    "'Sent'\">" + "".join(f"<label>{name} <input></label>" for name in ("Name", "Street", "City", "Mail"))
    + "<button>Send</button></form><p>Not sent</p>"
)  # fmt: skip
TODOS = (
    "data:text/html,<title>Todos</title><input aria-label='New todo' onkeydown=\"if(event.key=='Enter'){document."
    "querySelector('ul').insertAdjacentHTML('beforeend','<li><label><input type=checkbox>'+value+'</label>');"
    "value=''}\">"
    "<ul></ul>"
)
CUSTOMERS = ("Ada Berg", "Bo Lind", "Cy Moe", "Dee Ek", "Eli Dahl", "Ada Berg", "Finn Aas", "Gro Vik")
ORDERS = (
    "data:text/html,<title>Orders</title><h1>Orders</h1><table><tr><th>Order<th>Customer<th>Carrier<th>Parcels<th>State"
    + "".join(
        f"<tr><td>{number}<td>{customer}<td><select aria-label=Carrier><option>Pickup<option>Post</select>"
        "<td><input type=number aria-label=Parcels value=1><td>Open"
        "<td><button onclick=\"closest('tr').cells[4].textContent='Packed'\">Pack</button>"
        for number, customer in enumerate(CUSTOMERS, 1001)
    )
    + "</table>"
)


def ref(role: str, name: str, place: int = 1) -> str:
    return f"{{{{ref:{role} {json.dumps(name)}{f' {place}' if place > 1 else ''}}}}}"


def fill(words: str, role: str, name: str, value: str, **more: Any) -> Act:
    return words, "fill", {"ref": ref(role, name), "value": value, **more}


def click(words: str, role: str, name: str) -> Act:
    return words, "click", {"ref": ref(role, name)}


def pack(place: int, *, unclear: Sequence[str] = ()) -> list[Act]:
    """The three acts on the order in that row; those `unclear` name it by its customer, who has two."""
    number, name = str(1000 + place), CUSTOMERS[place - 1]
    row = {
        act: name if act in unclear or CUSTOMERS.count(name) == 1 else number for act in ("carrier", "number", "pack")
    }
    return [
        (
            f"Select 'Post' in Carrier in the row '{row['carrier']}'",
            "select",
            {"ref": ref("combobox", "Carrier", place), "value": "Post"},
        ),
        (
            f"Type '{place}' into Parcels in the row '{row['number']}'",
            "fill",
            {"ref": ref("spinbutton", "Parcels", place), "value": str(place)},
        ),
        (f"Click 'Pack' in the row '{row['pack']}'", "click", {"ref": ref("button", "Pack", place)}),
    ]


SEARCH = fill(
    "Type 'enamel mug' into the search box and press Enter", "searchbox", "Search products", "enamel mug", submit=True
)
TO_MUG = [SEARCH, click("Click the 'Enamel mug, blue' link", "link", "Enamel mug, blue")]
TO_CART = [
    *TO_MUG,
    fill("Type '2' into Quantity", "spinbutton", "Quantity", "2"),
    click("Click 'Add to cart'", "button", "Add to cart"),
]
TASKS: dict[str, tuple[str, list[Act]]] = {
    "look a price up": ("shop", TO_MUG),
    "put two into the cart": ("shop", TO_CART),
    "order them": (
        "shop",
        [
            *TO_CART,
            click("Click 'Go to checkout'", "link", "Go to checkout"),
            fill("Type 'Ada Berg' into Full name", "textbox", "Full name", "Ada Berg"),
            fill("Type 'Storgata 5' into Street", "textbox", "Street", "Storgata 5"),
            fill("Type 'Oslo' into City", "textbox", "City", "Oslo"),
            ("Select 'Norway' in Country", "select", {"ref": ref("combobox", "Country"), "value": "Norway"}),
            click("Choose 'Invoice, 14 days'", "radio", "Invoice, 14 days"),
            click("Tick the 'I accept the terms of sale' checkbox", "checkbox", "I accept the terms of sale"),
            click("Click 'Place order'", "button", "Place order"),
        ],
    ),
    "send a form": (
        FORM,
        [
            *(fill(f"Type 'x' into {name}", "textbox", name, "x") for name in ("Name", "Street", "City", "Mail")),
            click("Click Send", "button", "Send"),
        ],
    ),
    "add todos and tick one": (
        TODOS,
        [
            *(
                fill(f"Type '{what}' into 'New todo' and press Enter", "textbox", "New todo", what, submit=True)
                for what in ("Milk", "Bread")
            ),
            click("Tick the 'Milk' checkbox", "checkbox", "Milk"),
        ],
    ),
    "pack three orders": (ORDERS, [*pack(2), *pack(6, unclear=("carrier", "pack")), *pack(3)]),
    "pack five orders": (
        ORDERS,
        [*pack(2), *pack(1, unclear=("carrier", "pack")), *pack(3), *pack(6, unclear=("number", "pack")), *pack(5)],
    ),
    "pack seven orders": (
        ORDERS,
        [act for place in (1, 2, 3, 4, 5, 6, 7) for act in pack(place, unclear=("pack",) if place in (1, 6) else ())],
    ),
}


class Taken(msgspec.Struct, frozen=True):
    """Calls and prompt tokens of the large model (the one agent's, the planner's) and of the executor's."""

    calls: int
    tokens: int
    executor_calls: int = 0
    executor_tokens: int = 0


class Row(msgspec.Struct, frozen=True):
    task: str
    steps: int
    one_agent: Taken
    one_with_steps: Taken
    planner_and_executor: Taken
    planner_and_code: Taken


class Result(msgspec.Struct, frozen=True):
    machine: Machine
    rows: list[Row]


def taken(large: ReplayServer, small: ReplayServer | None = None) -> Taken:
    counts = [(len(each.requests), sum(map(_size, each.requests))) if each else (0, 0) for each in (large, small)]
    return Taken(*counts[0], *counts[1])


def _size(request: dict[str, Any]) -> int:
    return tokens(json.dumps([request["messages"], request.get("tools", [])], ensure_ascii=False))


async def alone(browser: Browser, url: str, acts: Sequence[Act]) -> Taken:
    replies = [*(tool_call(name, given) for _, name, given in acts), tool_call("done", {"result": "Done."})]
    with ReplayServer(replies=replies) as server:
        agent = Agent(browser, model="openai-compatible/one", base_url=server.base_url)
        check(await agent.run("Do it.", url=url))
        return taken(server)


class StepsModel(ReplayServer):
    """A model that gives all acts that are left to `steps`, and does itself the one at which these ended."""

    def __init__(self, acts: Sequence[Act]) -> None:
        super().__init__(replies=[b"unused"])
        self._left = list(acts)
        self._gave_steps = False

    def answer(self, request: dict[str, Any]) -> bytes:
        """The next call, by what the last one was told to have done."""
        self.requests.append(request)
        if (forced := forced_tool(request)) in PLAIN:
            return tool_call(forced, PLAIN[forced])
        if self._gave_steps:
            told = [message["content"] for message in request["messages"] if message["role"] == "tool"]
            done = re.search(r"(\d+) of \d+ steps done", told[-1])
            del self._left[: int(done[1]) if done else 0]
            if self._left:
                self._gave_steps = False
                _, name, arguments = self._left.pop(0)
                return fill_refs(tool_call(name, arguments).decode(), newest_page(request)).encode()
        self._gave_steps = True
        if not self._left:
            return tool_call("done", {"result": "Done."})
        return tool_call("steps", {"steps": [words for words, _, _ in self._left]})


async def with_steps(browser: Browser, url: str, acts: Sequence[Act]) -> Taken:
    with StepsModel(acts) as server:
        agent = Agent(browser, model="openai-compatible/one", base_url=server.base_url)
        check(await agent.run("Do it.", url=url))
        return taken(server)


async def planned(browser: Browser, url: str, acts: Sequence[Act], *, code: bool) -> Taken:
    plan = {"needs_steps": True, "steps": [words for words, _, _ in acts], "message": "I do it."}
    verdict = {"task_completed": True, "message": "Done."}
    with ExitStack() as stack:
        planner = stack.enter_context(
            ReplayServer(replies=[tool_call("propose_steps", plan), tool_call("verify", verdict)])
        )
        executor = stack.enter_context(ReplayServer(replies=[tool_call(name, given) for _, name, given in acts]))
        if not code:
            stack.enter_context(patch.object(by_steps, "call_in_run", unclear))
        agent = Agent(
            browser,
            planner="openai-compatible/large",
            base_url=planner.base_url,
            executor="openai-compatible/small",
            executor_base_url=executor.base_url,
            approve=ALLOW_ALL,
        )
        check(await agent.run("Do it.", url=url))
        return taken(planner, executor)


async def unclear(*_: Any, **__: Any) -> Unclear:
    return Unclear("No rule is asked")


def check(result: AgentResult) -> None:
    assert result.success, result.error


async def measure() -> Result:
    rows = []
    async with Browser.launch() as browser:
        for task, (where, acts) in TASKS.items():
            with ShopServer() as shop:
                url = shop.url if where == "shop" else where
                rows.append(
                    Row(
                        task,
                        len(acts),
                        await alone(browser, url, acts),
                        await with_steps(browser, url, acts),
                        await planned(browser, url, acts, code=False),
                        await planned(browser, url, acts, code=True),
                    )
                )
            for page in browser.pages:
                await page.close()
        return Result(this_machine(browser.version.product), rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there, too")
    arguments = parser.parse_args()
    result = asyncio.run(measure())
    if arguments.json is not None:
        arguments.json.write_bytes(msgspec.json.format(msgspec.json.encode(result)) + b"\n")
    print(f"{result.machine}\n")
    heads = ["task", "steps", "one agent", "with steps", "planner", "+ executor", "planner", "+ code"]
    print(table(heads, [_cells(each) for each in result.rows]))
    print("\ncalls of a model / prompt tokens, scripted models")


def _cells(row: Row) -> list[str]:
    return [
        row.task,
        str(row.steps),
        _shown(row.one_agent.calls, row.one_agent.tokens),
        _shown(row.one_with_steps.calls, row.one_with_steps.tokens),
        _shown(row.planner_and_executor.calls, row.planner_and_executor.tokens),
        _shown(row.planner_and_executor.executor_calls, row.planner_and_executor.executor_tokens),
        _shown(row.planner_and_code.calls, row.planner_and_code.tokens),
        _shown(row.planner_and_code.executor_calls, row.planner_and_code.executor_tokens),
    ]


def _shown(calls: int, size: int) -> str:
    return f"{calls} / {size:,}"


if __name__ == "__main__":
    main()

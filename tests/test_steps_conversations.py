"""What a role is asked with begins as it did before, and begins again when it has grown too long."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from bench.prefixes import asked_for, role
from cdp_agent.agent.agent import Agent
from cdp_agent.agent.base.task import Limits
from cdp_agent.browser import Browser
from cdp_agent.decisions import Approve, Reject
from cdp_agent.page.page import Page
from tests.agents import result_of
from tests.conftest import Serve
from tests.stepping import Models, deciding, every, finish, move, plan, verdict
from tests.wires.mutations import written
from tests.wires.replies import Call, calling

NAMES = [f"Field {n}" for n in range(1, 9)]
PAGE = f"""<title>Form</title><h1>Form</h1><p>{"What it is for. " * 100}
{"".join(f"<label>{name} <input></label><label>{name} <input></label>" for name in NAMES)}"""
FILLS = [("fill", {"ref": f'{{{{ref:textbox "{name}"}}}}', "value": "x"}) for name in NAMES]
STEPS = [f"Type 'x' into {name}" for name in NAMES]


async def carried_out(browser: Browser, page: Page, serve: Serve, httpserver: HTTPServer, **options: Any) -> Models:
    """A run step by step in which each step is the executor's, for each name is there twice."""
    moves = [*map(move, STEPS), finish("Done."), verdict("No.", completed=False), finish("It is done.")]
    models = Models(httpserver, [*moves, verdict("Done.")], FILLS)
    agent = models.agent(browser, executor=True, flow="iterative", **options)

    events = await every(agent.stream("Fill all in", url=serve(PAGE), page=page))

    assert result_of(events).success, result_of(events).error
    return models


async def test_each_role_is_asked_with_what_it_was_asked_with_before(
    browser: Browser, page: Page, serve: Serve, httpserver: HTTPServer
) -> None:
    models = await carried_out(browser, page, serve, httpserver)

    planner = role("form", "planner", asked_for(models.asked("planner"), "next_step"))
    executor = role("form", "executor", models.asked("executor"))
    judge = role("form", "judge", asked_for(models.asked("planner"), "verify"))
    assert [each.requests for each in (planner, executor, judge)] == [10, 8, 2]
    assert planner.again > 0.93
    assert executor.again > 0.9
    assert judge.again > 0.8
    for asked in (asked_for(models.asked("planner"), "next_step"), models.asked("executor")):
        for before, after in pairwise(asked):
            assert after["messages"][: len(before["messages"])] == before["messages"]
            assert after["tools"] == before["tools"]


async def test_a_rejected_plan_adds_to_what_the_planner_was_asked(
    browser: Browser, page: Page, serve: Serve, httpserver: HTTPServer
) -> None:
    models = Models(httpserver, [plan("Open x.example"), plan("Scroll down"), verdict("Done.")])
    agent = models.agent(browser, approve=deciding(Reject("Use this page"), Approve()))

    await every(agent.stream("Fill all in", url=serve(PAGE), page=page))

    first, second = (each["messages"] for each in asked_for(models.asked("planner"), "propose_steps"))
    assert second[: len(first)] == first
    assert [each["role"] for each in second[len(first) :]] == ["assistant", "tool"]


async def pages_turned(
    browser: Browser, page: Page, serve: Serve, httpserver: HTTPServer, *prices: Path
) -> list[list[dict[str, Any]]]:
    """What the planner is asked in a run that fills in a field on each of two pages, once for each prices."""
    url = ""
    for n in reversed(range(3)):
        url = serve(f"<title>Page {n}</title>{PAGE}<label>Code <input></label><a href='{url}'>To page {n + 1}</a>")
    turns = [step for n in range(1, 3) for step in (f"Type '{n}' into Code", f"Click 'To page {n}'")]
    models = Models(httpserver, [*map(move, turns), finish("Done."), verdict("Done.")] * len(prices))
    for each in prices:
        agent = models.agent(browser, flow="iterative", prices=each)
        events = await every(agent.stream("Go on", url=url, page=page))
        assert result_of(events).success, result_of(events).error

    asked = asked_for(models.asked("planner"), "next_step")
    return [asked[at : at + 5] for at in range(0, len(asked), 5)]


def priced(folder: Path, cached: float) -> Path:
    """A file of prices in which a remembered token costs so much, and a new one 1."""
    file = folder / f"{cached}.json"
    price = {"input": 1, "output": 1, "cached": cached}
    file.write_text(json.dumps({"date": "", "source": "", "models": {"openai-compatible/*": price}}), "utf-8")
    return file


async def test_it_begins_again_at_new_pages_with_all_that_counts_where_that_costs_less(
    browser: Browser, page: Page, serve: Serve, httpserver: HTTPServer, tmp_path: Path
) -> None:
    prices = priced(tmp_path, 1), priced(tmp_path, 0.1)

    forgotten, remembered = await pages_turned(browser, page, serve, httpserver, *prices)

    assert [len(each["messages"]) for each in forgotten] == [2] * 5
    begun = [turn for turn, each in enumerate(remembered) if len(each["messages"]) == 2]
    assert begun == [0, 2, 4]
    for turn in begun:
        read = remembered[turn]["messages"][-1]["content"]
        done = [f"{2 * n}. Click 'To page {n}': done (click)" for n in range(1, turn // 2 + 1)]
        assert [each for each in ["Task: Go on", *done, f"Title: Page {turn // 2}\n"] if each not in read] == []
        assert f"{turn + 1}. " not in read
    # What is carried along costs little, whether the provider remembers or not.
    forgetful, remembering = (role("pages", "planner", each) for each in (forgotten, remembered))
    assert remembering.tokens < 1.2 * forgetful.tokens
    assert remembering.anew < forgetful.anew


async def test_a_model_that_takes_less_is_asked_the_same_anew(
    browser: Browser, page: Page, serve: Serve, httpserver: HTTPServer
) -> None:
    models = Models(httpserver, [*map(move, STEPS[:4]), finish("Done."), verdict("Done.")], FILLS)
    scripted, refused = models.says, []

    def says(body: dict[str, Any]) -> str | dict[str, Any] | tuple[int, Any]:
        if body["model"] == "planner" and len(body["messages"]) > 6:
            refused.append(len(body["messages"]))
            return 400, {"error": {"code": "context_length_exceeded", "message": "This is too long."}}
        return scripted(body)

    models.says = says
    agent = models.agent(browser, executor=True, flow="iterative", limits=Limits(max_errors=3))

    events = await every(agent.stream("Fill all in", url=serve(PAGE), page=page))

    assert result_of(events).success, result_of(events).error
    assert refused == [8]
    turn = 5  # the fourth was refused, and asked again
    assert len(models.asked("planner")[turn - 1]["messages"]) == 2
    assert "3. Type 'x' into Field 3: done (fill)" in models.read("planner", turn)


async def test_the_mark_of_what_anthropic_is_to_remember_moves_along_with_the_executor(
    browser: Browser, page: Page, serve: Serve, httpserver: HTTPServer
) -> None:
    asked: list[dict[str, Any]] = []

    def fill_the_next(request: Request) -> Response:
        asked.append(json.loads(request.get_data()))
        shown = json.dumps(asked[-1]["messages"])
        found = re.search(rf'textbox \\"{NAMES[len(asked) - 1]}\\" (E\d+)', shown)
        assert found is not None
        reply = calling("anthropic", [Call("fill", {"ref": found[1], "value": "x"})])
        return Response(written(reply.events, reply.kind), content_type=reply.kind)

    httpserver.expect_request("/v1/messages", method="POST").respond_with_handler(fill_the_next)
    agent = Agent(
        browser, executor="anthropic/claude-haiku-4-5", base_url=httpserver.url_for("/v1"), api_key="k", environment={}
    )

    result = await agent.do(STEPS[:5], url=serve(PAGE), page=page)

    assert result.success, result.error
    assert len(asked) == 5
    for body in asked:
        assert "cache_control" in body["tools"][-1]
        assert "cache_control" in body["system"][-1]
        assert _marked(body)[-1] == len(body["messages"]) - 1
    for before, body in pairwise(asked):
        remembered = _marked(before)[-1]
        assert remembered in _marked(body)  # found there, and a later mark for the next one
        assert _without_marks(body)[: remembered + 1] == _without_marks(before)[: remembered + 1]


def _marked(body: dict[str, Any]) -> list[int]:
    """The messages with a mark."""
    return [place for place, each in enumerate(body["messages"]) if "cache_control" in json.dumps(each)]


def _without_marks(body: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {
            **each,
            "content": [{name: block[name] for name in block if name != "cache_control"} for block in each["content"]],
        }
        for each in body["messages"]
    ]

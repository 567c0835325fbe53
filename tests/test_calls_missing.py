"""A model that has to call a tool and does not: it is asked again, in words, and then the run ends with a reason."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any, cast

import pytest
from pytest_httpserver import HTTPServer

from cdp_agent.agent.agent import Agent
from cdp_agent.agent.model import prompts
from cdp_agent.browser import Browser
from cdp_agent.errors import BadReply
from cdp_agent.events import AiGenerationError
from cdp_agent.extract import extract
from cdp_agent.outcome import AgentResult
from cdp_agent.page.page import Page
from cdp_agent.providers.base import Wire
from cdp_agent.providers.openai import openai
from cdp_agent.step_events import StepNotDone
from fixtures.replay import forced_tool
from tests.agents import SHOP, of, result_of
from tests.chat_model import SCHEMA, Model
from tests.conftest import Serve
from tests.stepping import every
from tests.writing import opened

TWO = "<title>Two</title><button>Save</button><section aria-label=Other><button>Save</button></section>"
SAYS: dict[str, tuple[str, dict[str, Any]]] = {
    "create_plan": ("create_plan", {"success_criteria": "It is told.", "plan": "1. Read."}),
    "validate_task": ("validate_task", {"task_assessment": "All there.", "completion_quality": "complete"}),
    "propose_steps": ("propose_steps", {"needs_steps": True, "steps": ["Press Tab"]}),
    "next_step": ("next_step", {"needs_action": False, "message": "Done."}),
    "verify": ("verify", {"task_completed": True, "message": "Done."}),
    "loop": ("done", {"result": "Done."}),
}
WITHOUT_JSON = cast(Wire, SimpleNamespace(**{**vars(openai), "JSON_OUTPUT": False}))
MISSING: dict[str, str | dict[str, Any]] = {
    "words": "I think that it is tea.",
    "nothing": "",
    "another tool": {"name": "think", "arguments": "{}"},
}


class Silent(Model):
    """A model that calls what it has to, but where it should call `never`: there it gives `instead`."""

    def __init__(self, server: HTTPServer, never: str, instead: str | dict[str, Any]) -> None:
        super().__init__(server)
        self._never, self._instead = never, instead
        self.says = self._reply

    @property
    def missed(self) -> list[dict[str, Any]]:
        """The requests that were answered without the call."""
        return [each for each in self.requests if _role(each) == self._never]

    def _reply(self, body: dict[str, Any]) -> str | dict[str, Any]:
        role = _role(body)
        if role == self._never:
            return self._instead
        name, arguments = SAYS[role]
        return {"name": name, "arguments": json.dumps(arguments)}


def _role(body: dict[str, Any]) -> str:
    return forced_tool(body) or ("executor" if body["model"] == "executor" else "loop")


def _agent(browser: Browser, server: Silent, **who: Any) -> Agent:
    return Agent(browser, **who, base_url=server.url, constrained=False, plan="always")


ONE = {"model": "openai-compatible/one"}
PLANNER = {"planner": "openai-compatible/planner"}
ITERATIVE = {**PLANNER, "flow": "iterative"}


@pytest.mark.parametrize(
    ("never", "who", "problem", "instead"),
    [
        ("create_plan", ONE, "planning failed 3 times: it did not call create_plan.", "words"),
        ("validate_task", ONE, "validation failed 3 times: it did not call validate_ta", "nothing"),
        ("propose_steps", PLANNER, "planning failed 3 times: it did not call propose", "another tool"),
        ("next_step", ITERATIVE, "planning failed 3 times: it did not call next_step.", "words"),
        ("verify", PLANNER, "validation failed 3 times: it did not call verify.", "nothing"),
    ],
    ids=["planner", "judge", "of steps", "step by step", "verifier"],
)
async def test_who_has_one_tool_to_call_is_asked_for_it_three_times(
    browser: Browser,
    page: Page,
    serve: Serve,
    httpserver: HTTPServer,
    never: str,
    who: dict[str, str],
    problem: str,
    instead: str,
) -> None:
    model = Silent(httpserver, never, MISSING[instead])
    approve = {"approve": "auto"} if "planner" in who else {}

    events = await every(_agent(browser, model, **who, **approve).stream("What is it?", url=serve(SHOP), page=page))

    assert problem in _error(result_of(events))
    assert [each.kind for each in of(events, AiGenerationError)][:3] == ["NoToolCall"] * 3
    assert len(model.missed) == 3
    assert [each["messages"][-1] for each in model.missed[1:]] == [
        {"role": "user", "content": f"Answer by calling {never}."}
    ] * 2
    assert all(_is_taken(each["messages"]) for each in model.missed)


@pytest.mark.parametrize("instead", ["words", "nothing"])
async def test_the_loop_asks_again_until_it_had_enough(
    browser: Browser, page: Page, serve: Serve, httpserver: HTTPServer, instead: str
) -> None:
    model = Silent(httpserver, "loop", MISSING[instead])

    events = await every(
        _agent(browser, model, model="openai-compatible/one").stream("What is it?", url=serve(SHOP), page=page)
    )

    assert _error(result_of(events)).endswith("errors in a row, which is the limit.")
    assert model.missed[1]["messages"][-1] == {"role": "user", "content": prompts.NO_TOOL_CALL}
    assert all(_is_taken(each["messages"]) for each in model.missed)


@pytest.mark.parametrize(
    ("instead", "problem"),
    [("words", "no tool was called"), ("nothing", "no tool was called"), ("another tool", "There is no tool 'think'")],
)
async def test_the_executor_asks_again_once_and_the_step_is_not_done(
    browser: Browser, page: Page, serve: Serve, httpserver: HTTPServer, instead: str, problem: str
) -> None:
    model = Silent(httpserver, "executor", MISSING[instead])
    agent = _agent(browser, model, executor="openai-compatible/executor")

    events = await every(agent.stream_steps(["Click Save"], url=serve(TWO), page=page))

    [failed] = of(events, StepNotDone)
    assert failed.error.startswith(f"The executor's model made no call that can be carried out: {problem}")
    assert len(model.missed) == 2
    assert all(_is_taken(each["messages"]) for each in model.missed)
    assert not result_of(events).success


@pytest.mark.parametrize("instead", ["words", "nothing"])
async def test_extraction_asks_for_the_call_of_its_tool_again(
    page: Page, serve: Serve, httpserver: HTTPServer, instead: str
) -> None:
    await opened(page, serve, "<p>Tea 4.50")
    model = Silent(httpserver, "answer", MISSING[instead])

    async with model.client(WITHOUT_JSON) as client:
        with pytest.raises(BadReply, match="the answer does not fit the schema"):
            await extract(page, "All prices", model=client, schema=SCHEMA)

    assert len(model.missed) == 3
    assert model.missed[1]["messages"][-1]["content"].endswith(
        "Answer again by calling answer, with all of it put right."
    )
    assert all(_is_taken(each["messages"]) for each in model.missed)


def _error(result: AgentResult) -> str:
    assert result.error is not None
    return result.error.message


def _is_taken(messages: list[dict[str, Any]]) -> bool:
    """Whether no message is empty and each result follows its call, without which many servers refuse a request."""
    called: set[str] = set()
    for each in messages:
        calls = each.get("tool_calls") or []
        if not (each["content"] or calls) or (each["role"] == "tool" and each["tool_call_id"] not in called):
            return False
        called |= {call["id"] for call in calls}
    return True

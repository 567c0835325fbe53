"""The plan: asked for once, held to, and revised when that is allowed."""

from typing import Any

import pytest

from cdp_agent.agent.agent import Agent
from cdp_agent.browser import Browser
from cdp_agent.errors import SetupError
from cdp_agent.events import AiGenerationError, PlanRevised, TaskStarted
from cdp_agent.outcome import TaskError
from cdp_agent.page.page import Page
from fixtures.replay import forced_tool, reply, tool_call
from tests.agents import DONE, SHOP, of, play, result_of, told
from tests.conftest import Serve

PLAN = {"success_criteria": "The price of tea is told.", "plan": "1. Search.", "action_items": ["Search for tea"]}


def parameters(request: dict[str, Any]) -> list[str]:
    (tool,) = request["tools"]
    return list(tool["function"]["parameters"]["properties"])


async def test_the_plan_is_made_first_by_a_forced_call(browser: Browser, page: Page, serve: Serve) -> None:
    url = serve(SHOP)

    events, server = await play(
        browser,
        page,
        [tool_call("create_plan", PLAN), DONE],
        url=url,
        data={"size": "big"},
        guardrails="Do not buy.",
    )

    request = server.requests[0]
    system, question = (message["content"] for message in request["messages"])
    assert system.endswith("above everything else:\nDo not buy.")
    assert question == (
        'Task: Find tea\n\nData from the user for this task:\n{\n "size": "big"\n}\n\n'
        f"The browser will be at {url} at the beginning."
    )
    assert (request["tool_choice"], parameters(request)) == (
        "required",
        ["success_criteria", "plan", "action_items", "impossible"],
    )
    (started,) = of(events, TaskStarted)
    assert (started.success_criteria, started.plan, started.action_items, started.url) == (*PLAN.values(), url)
    assert "Done when:\nThe price of tea is told.\n\nPlan:\n1. Search." in server.turns[0]["messages"][1]["content"]


async def test_the_run_begins_where_the_plan_says(browser: Browser, page: Page, serve: Serve) -> None:
    url = serve(SHOP)

    events, server = await play(browser, page, [tool_call("create_plan", {**PLAN, "url": url}), DONE])

    assert parameters(server.requests[0])[-1] == "url"
    assert of(events, TaskStarted)[0].url == url
    assert f"Address: {url}" in server.turns[0]["messages"][1]["content"]


@pytest.mark.new_tab
async def test_without_an_address_the_run_begins_with_a_blank_page_that_is_not_shown(
    browser: Browser, page: Page, subtests: pytest.Subtests
) -> None:
    for url in (None, "", "the shop"):
        with subtests.test(url=url):
            events, server = await play(browser, page, [tool_call("create_plan", {**PLAN, "url": url}), DONE])

            assert of(events, TaskStarted)[0].url is None
            assert server.turns[0]["messages"][1]["content"].endswith("Plan:\n1. Search.")


async def test_a_plan_that_does_not_fit_is_asked_for_again(browser: Browser, page: Page) -> None:
    replies = [tool_call("create_plan", {"plan": "1. Go."}), tool_call("create_plan", PLAN), DONE]

    events, server = await play(browser, page, replies)

    assert server.requests[1]["messages"][-1]["content"].startswith(
        "create_plan: Object missing required field `success_criteria`."
    )
    assert result_of(events).success


@pytest.mark.new_tab
async def test_what_is_impossible_ends_before_anything_is_opened(browser: Browser, page: Page, serve: Serve) -> None:
    why = "There is no 31 June."
    said = tool_call("create_plan", {"success_criteria": "", "plan": "", "impossible": why})

    events, server = await play(browser, page, [said], task="Book a table for 31 June", url=serve(SHOP))

    result = result_of(events)
    assert (result.success, result.answer, result.error) == (False, why, TaskError("aborted", why))
    assert (len(server.requests), of(events, TaskStarted), page.url) == (1, [], "about:blank")


async def test_an_empty_plan_of_what_is_possible_is_asked_for_again(browser: Browser, page: Page) -> None:
    empty = tool_call("create_plan", {"success_criteria": "It is told.", "plan": " ", "impossible": ""})

    events, server = await play(browser, page, [empty, tool_call("create_plan", PLAN), DONE])

    assert "plan is empty, so impossible has to say why" in server.requests[1]["messages"][-1]["content"]
    assert result_of(events).success


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"plan": "\n".join(f"{each}. Look." for each in range(10_000))}, "plan has 118,889 characters, and 10,000"),
        ({"success_criteria": "x" * 10_001}, "success_criteria has 10,001 characters, and 10,000"),
        ({"action_items": ["Look"] * 51}, "action_items are 51, and 50"),
        ({"action_items": ["x" * 10_001]}, "action_items has 10,001 characters, and 10,000"),
    ],
)
async def test_a_plan_that_is_too_long_is_asked_for_again(
    browser: Browser, page: Page, given: dict[str, Any], problem: str
) -> None:
    replies = [tool_call("create_plan", {**PLAN, **given}), tool_call("create_plan", PLAN), DONE]

    events, server = await play(browser, page, replies)

    assert f"create_plan: {problem} is the most: give " in server.requests[1]["messages"][-1]["content"]
    assert of(events, TaskStarted)[0].plan == PLAN["plan"]


async def test_without_a_plan_there_is_no_run(browser: Browser, page: Page) -> None:
    events, _ = await play(browser, page, [tool_call("create_plan", '{"plan"')] * 3)

    error = result_of(events).error
    assert error is not None
    assert (error.code, error.where) == ("failed", "model")
    assert "planning failed 3 times" in error.message
    assert of(events, AiGenerationError)[-1].kind == "BadReply"


REVISION = tool_call("revise_plan", {"reason": "There is no search.", "plan": "1. Browse."})


async def test_a_plan_is_revised_three_times_and_no_more(browser: Browser, page: Page) -> None:
    events, server = await play(browser, page, [*[REVISION] * 3, reply(text="Hm."), REVISION, DONE], replan=True)

    assert [event.plan for event in of(events, PlanRevised)] == ["1. Browse."] * 3
    assert "The plan is revised. 2 revisions are left." in told(server, 2)[0]
    assert "The plan was revised 3 times already" in told(server, 6)[-1]


async def test_a_plan_is_not_revised_unless_that_is_allowed(browser: Browser, page: Page) -> None:
    events, server = await play(browser, page, [REVISION, DONE])

    assert of(events, PlanRevised) == []
    assert "There is no tool 'revise_plan'" in told(server, 2)[0]


@pytest.mark.parametrize(
    ("task", "planned"),
    [
        ("What does the Camp kettle cost?", False),
        ("Click Save", False),
        ("Wie viel kostet der Kessel?", False),
        ("Find tea. Then buy it.", True),
        ("Find tea and buy it", True),
        ("Vergleiche die Preise", True),
        ("Order the mug but stop at payment", True),
        ("Order the mug, ask me first", True),
        ("Pay the invoice with my approval", True),
        ("Do not pay yet for the kettle in the cart", True),
        ("Bestell den Kessel, frag mich vorher", True),
        ("Commande la tasse sans payer", True),
        ("Compare the kettles, the mugs, the lamps", True),
        ("Sort by price; take the first", True),
        ("1. Open the shop\n2. Buy tea", True),
        ("Order 2 mugs of 14 EUR for 3 people by 5 May", True),
        ("商品を探す、カートに入れる", True),
        (f"What is the price of {'a very ' * 40}old kettle?", True),
    ],
)
async def test_a_task_of_one_question_or_act_is_not_planned(
    browser: Browser, page: Page, serve: Serve, task: str, planned: bool
) -> None:
    _, server = await play(browser, page, [DONE], task=task, url=serve(SHOP), plan="auto")

    assert (forced_tool(server.requests[0]) == "create_plan") == planned


async def test_a_task_without_a_page_to_begin_at_is_planned(browser: Browser, page: Page) -> None:
    _, server = await play(browser, page, [DONE], task="What does tea cost?", plan="auto")

    assert forced_tool(server.requests[0]) == "create_plan"


async def test_a_task_that_proves_long_is_planned_after_some_turns(browser: Browser, page: Page, serve: Serve) -> None:
    turns = [tool_call("search_page", {"pattern": word}) for word in ("tea", "Shop", "Go", "found")]

    events, server = await play(
        browser, page, [*turns, tool_call("create_plan", PLAN), DONE], url=serve(SHOP), plan="auto"
    )

    assert [forced_tool(request) for request in server.requests] == [*[None] * 4, "create_plan", None, "validate_task"]
    assert server.turns[4]["messages"][-1]["content"] == ("Done when:\nThe price of tea is told.\n\nPlan:\n1. Search.")
    assert of(events, PlanRevised)[0].plan == PLAN["plan"]


async def test_a_model_without_a_plan_may_make_one(browser: Browser, page: Page, serve: Serve) -> None:
    events, server = await play(browser, page, [REVISION, DONE], url=serve(SHOP), plan="auto", replan=True)

    assert [forced_tool(request) for request in server.requests] == [None, None, "validate_task"]
    assert len(of(events, PlanRevised)) == 1


async def test_an_unknown_way_of_planning_is_refused(browser: Browser) -> None:
    with pytest.raises(SetupError, match="plan is one of auto, always, never, not 'maybe'"):
        Agent(browser, model="openai/m", api_key="k", plan="maybe")  # type: ignore[arg-type]  # that is tested

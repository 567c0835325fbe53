"""The executor: code first, a model for what code cannot tell, and what that reads."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from cdp_agent.browser import Browser
from cdp_agent.page.page import Page
from cdp_agent.providers.request_options import Patience
from cdp_agent.step_events import StepDone, StepNotDone, StepResolved
from cdp_agent.steps.flow.outputs import format_outputs
from cdp_agent.steps.resolve.call import Output
from fixtures.replay import fill_refs, newest_page
from tests.agents import of, result_of
from tests.conftest import Serve
from tests.stepping import Models, Site, every, plan, resolved, verdict

TWO = """<title>Two</title><section aria-label=One><button onclick="document.title='first'">Save</button></section>
<section aria-label=Other><button onclick="document.title='second'">Save</button></section>"""
SECOND = {"ref": "{{ref:button Save 2}}"}


async def test_only_what_is_ambiguous_costs_a_call(
    browser: Browser, page: Page, serve: Serve, httpserver: HTTPServer
) -> None:
    models = Models(httpserver, executor=[("click", SECOND)])
    agent = models.agent(browser, planner=False, executor=True)

    events = await every(agent.stream_steps(["Press Escape", "Click Save"], url=serve(TWO), page=page))

    assert result_of(events).success
    assert resolved(events) == [(1, "code", "press"), (2, "model", "click")]
    assert page.title == "second"
    read = models.read("executor", 1)
    assert "Step 1 (press):" in read
    assert "Call one tool for this step: Click Save" in read
    assert 'button "Save"' in read
    described = {each["function"]["name"]: each["function"]["description"] for each in models.requests[0]["tools"]}
    assert described["get_schema"].endswith("Gives what can be acted on, as JSON, with refs as ids.")
    assert not {"done", "abort", "evaluate"} & described.keys()


async def test_the_executor_is_offered_no_tool_of_the_run_of_one_model(
    browser: Browser, page: Page, serve: Serve, httpserver: HTTPServer
) -> None:
    models = Models(httpserver, [plan("Click Save"), verdict('"Saved."')], executor=[("click", SECOND)])
    agent = models.agent(browser, executor=True, replan=True)

    events = await every(agent.stream("Save", url=serve(TWO), page=page, answer=str))

    assert result_of(events).success
    offered = {each["function"]["name"] for each in models.asked("executor")[0]["tools"]}
    assert not {"done", "abort", "revise_plan"} & offered


@pytest.mark.parametrize("planner", [True, False], ids=["planned", "given"])
async def test_another_model_takes_over_for_the_executor(
    browser: Browser, page: Page, serve: Serve, httpserver: HTTPServer, planner: bool
) -> None:
    models = Models(httpserver, [plan("Click Save"), verdict("Saved.")])
    scripted = models.says

    def says(body: dict[str, Any]) -> str | dict[str, Any] | tuple[int, Any]:
        if body["model"] == "executor":
            return 500, {"message": "down"}
        if body["model"] == "other":
            return {"name": "click", "arguments": fill_refs(json.dumps(SECOND), newest_page(body))}
        return scripted(body)

    models.says = says
    agent = models.agent(
        browser,
        planner=planner,
        executor=True,
        fallback_model="openai-compatible/other",
        patience=Patience(attempts=1),
    )
    url = serve(TWO)

    events = await every(
        agent.stream("Save", url=url, page=page) if planner else agent.stream_steps(["Click Save"], url=url, page=page)
    )

    assert result_of(events).success
    assert page.title == "second"
    assert [each["model"] for each in models.requests if each["model"] != "planner"] == ["executor", "other"]


async def test_a_model_without_tool_calls_may_answer_in_json(
    browser: Browser, page: Page, serve: Serve, httpserver: HTTPServer
) -> None:
    said = '{"tool": "click", "inputs": {"ref": "{{ref:button Save 1}}"}, "reasoning": "The first."}'
    models = Models(httpserver, executor=[said])
    agent = models.agent(browser, planner=False, executor=True)

    events = await every(agent.stream_steps(["Click Save"], url=serve(TWO), page=page))

    assert page.title == "first"
    [step] = of(events, StepResolved)
    assert (step.arguments, step.reasoning) == ({"ref": "E1"}, "The first.")
    assert (
        step.why
        == '2 elements may be "Save": button "Save" (E1) in region "One"; button "Save" (E2) in region "Other".'
    )


WRONG = [
    (("clickElement", {"selector": "a"}), 'Nothing on the page is css="a"'),
    (("click", {"ref": "E99"}), "There is no E99"),
    (("click", {"selector": "button"}), 'css="button" fits 2 elements'),
    (("done", {"result": "Done."}), "There is no tool"),
]


async def test_what_is_wrong_comes_back_once(
    browser: Browser, page: Page, serve: Serve, httpserver: HTTPServer
) -> None:
    mended = [call for wrong, _ in WRONG for call in (wrong, ("click", SECOND))]
    models = Models(httpserver, executor=[*mended, WRONG[0][0], WRONG[0][0]])
    agent = models.agent(browser, planner=False, executor=True)
    steps = ["Click Save"] * (len(WRONG) + 1)

    bad = await every(agent.stream_steps(steps, url=serve(TWO), page=page))

    assert len(of(bad, StepDone)) == len(WRONG)
    read = [models.read("executor", 2 * number) for number in range(1, len(WRONG) + 2)]
    assert all(problem in each for (_, problem), each in zip([*WRONG, WRONG[0]], read, strict=True))
    assert result_of(bad).error is not None
    assert [WRONG[0][1] in each.error for each in of(bad, StepNotDone)] == [True]
    assert len(models.requests) == len(mended) + 2


async def test_a_model_that_says_that_it_cannot_is_believed(
    browser: Browser, page: Page, serve: Serve, httpserver: HTTPServer
) -> None:
    models = Models(httpserver, executor=[("cannot_do", {"why": "Two buttons are named Save."})])
    agent = models.agent(browser, planner=False, executor=True)

    events = await every(agent.stream_steps(["Click Save"], url=serve(TWO), page=page))

    assert [each.error for each in of(events, StepNotDone)] == ["Two buttons are named Save."]
    assert page.title == "Two"


async def test_without_a_model_it_is_refused_with_its_candidates(
    browser: Browser, page: Page, serve: Serve, httpserver: HTTPServer
) -> None:
    agent = Models(httpserver).agent(browser, planner=False)

    events = await every(agent.stream_steps(["Press Escape", "Click Save", "Press Tab"], url=serve(TWO), page=page))

    [failed] = of(events, StepNotDone)
    assert (failed.number, len(failed.candidates)) == (2, 2)
    assert [each.number for each in of(events, StepDone)] == [1]
    error = result_of(events).error
    assert error is not None
    assert (error.code, error.where) == ("failed", "task")
    assert 'button "Save" (E2)' in error.message
    assert page.title == "Two"


async def test_a_step_may_use_what_an_earlier_one_gave(
    browser: Browser, page: Page, serve: Serve, httpserver: HTTPServer
) -> None:
    site = Site(httpserver)
    first = serve(f"<p>See <a href='{site.article}'>{site.article}</a> for more.")
    agent = Models(httpserver).agent(browser, planner=False)

    result = await agent.do(["Search the page for 'See'", "Open the address shown in step 1"], url=first, page=page)

    assert result.success, result.error
    assert page.url == site.article


async def test_steps_of_ones_own_are_approved_by_writing_them(
    browser: Browser, page: Page, serve: Serve, httpserver: HTTPServer
) -> None:
    site = Site(httpserver)
    steps = ["Type 'Ada' into Name", "Click 'Order a cat'", "Wait until 'Thank you' appears"]

    done = await Models(httpserver).agent(browser, planner=False).do(steps, url=site.article, page=page)
    careful = Models(httpserver).agent(browser, planner=False, approve="auto")
    stopped = await careful.do(steps, url=site.article, page=page)

    assert (done.success, done.stats.generations) == (True, 0)
    assert stopped.error is not None
    assert stopped.error.code == "aborted"
    assert site.ordered == ["who=Ada"]


def test_outputs_show_the_newest_schema_whole_older_ones_as_a_count_and_cut_the_rest() -> None:
    schema = '[{"id":"E1"},{"id":"E2"}]'
    outputs = [
        Output(1, "get_schema", schema),
        Output(2, "search_page", "x" * 2_100),
        Output(3, "get_schema", '[{"id":"E3"}]'),
    ]

    assert format_outputs(outputs) == (
        'Step 1 (get_schema):\n<untrusted label="step 1">\n[2 elements: see step 3 for those that are there now]\n'
        '</untrusted>\n\nStep 2 (search_page):\n<untrusted label="step 2">\n' + "x" * 2_000 + "\n"
        '… cut here: 100 characters more.\n</untrusted>\n\nStep 3 (get_schema):\n<untrusted label="step 3">\n'
        '[{"id":"E3"}]\n</untrusted>'
    )

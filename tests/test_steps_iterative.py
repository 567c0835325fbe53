"""One step at a time: each is proposed, decided on, carried out and looked at."""

from __future__ import annotations

import asyncio

import pytest
from pytest_httpserver import HTTPServer

from cdp_agent.agent.base.task import Limits
from cdp_agent.browser import Browser
from cdp_agent.decisions import (
    ActionProposed,
    Ask,
    Continue,
    Decision,
    Execute,
    Paused,
    QuestionAsked,
    Respond,
    Reword,
    Skip,
    Stop,
)
from cdp_agent.outcome import TaskError
from cdp_agent.page.page import Page
from cdp_agent.step_events import StepChosen, StepDone, StepNotDone, StepSkipped, StepsVerified
from tests.agents import of, result_of
from tests.conftest import Serve
from tests.stepping import Models, Site, deciding, every, finish, move, resolved, verdict


@pytest.fixture
def site(httpserver: HTTPServer) -> Site:
    return Site(httpserver)


@pytest.fixture
async def home(page: Page, site: Site) -> Page:
    """The page, at the home of the site."""
    await site.open(page)
    return page


@pytest.fixture
async def article(page: Page, site: Site) -> Page:
    """The page, at the article of the site."""
    await site.open(page, article=True)
    return page


async def test_the_documents_own_example(browser: Browser, page: Page, site: Site, httpserver: HTTPServer) -> None:
    moves = [move(step) for step in site.steps]
    models = Models(httpserver, [*moves, finish('It shows "All about cats".'), verdict('It shows "All about cats".')])
    approve = deciding(*[Execute()] * 4)

    events = await every(models.agent(browser, flow="iterative", approve=approve).stream("Search for cats", page=page))

    result = result_of(events)
    assert (result.success, result.answer, result.validation) == (True, 'It shows "All about cats".', "passed")
    assert [tool for _, _, tool in resolved(events)] == ["manage_tabs", "click", "fill", "click"]
    assert [each.instruction for each in of(events, StepChosen)] == site.steps
    assert [(ask.number, ask.tool, ask.risks) for ask in approve.asks] == [  # type: ignore[attr-defined]  # see deciding
        (1, "manage_tabs", []),
        (2, "click", []),
        (3, "fill", []),
        (4, "click", []),
    ]
    assert len(models.requests) == 6  # one for each move, and the verdict
    last = models.read("planner", 5)
    assert "4. Click the search button or press Enter: done (click)" in last
    assert 'link "All about cats"' in last
    assert [each.task_completed for each in of(events, StepsVerified)] == [True]


async def test_an_act_can_be_executed_skipped_reworded_and_stopped(
    browser: Browser, home: Page, site: Site, httpserver: HTTPServer
) -> None:
    models = Models(httpserver, [move("Press Escape"), move("Press Tab"), move("Scroll down"), move("Press Enter")])
    approve = deciding(Execute(), Skip(), Reword("Type 'dogs' in the search box"), Execute(), Stop("Enough."))
    agent = models.agent(browser, flow="iterative", approve=approve)

    events = await every(agent.stream("Search", page=home))

    assert [(each.number, each.instruction) for each in of(events, StepDone)] == [
        (1, "Press Escape"),
        (3, "Type 'dogs' in the search box"),
    ]
    assert [each.number for each in of(events, StepSkipped)] == [2]
    assert result_of(events).error == TaskError("aborted", "Enough.", "user")
    assert "2. Press Tab: skipped by the user." in models.read("planner", 3)
    asked = approve.asks[3]  # type: ignore[attr-defined]  # see deciding
    assert isinstance(asked, ActionProposed)
    assert (asked.step, asked.tool, asked.arguments["value"]) == ("Type 'dogs' in the search box", "fill", "dogs")


async def test_the_planner_asks_and_goes_on_with_the_answer(
    browser: Browser, home: Page, site: Site, httpserver: HTTPServer
) -> None:
    asking = ("next_step", {"needs_action": False, "ask_user": "Which animal?"})
    models = Models(httpserver, [asking, move("Type 'dogs' in the search box"), finish("Done."), verdict("Done.")])
    approve = deciding(Respond("Dogs"), Execute())

    events = await every(models.agent(browser, flow="iterative", approve=approve).stream("Search", page=home))

    assert result_of(events).success
    assert approve.asks[0] == QuestionAsked(id=1, question="Which animal?")  # type: ignore[attr-defined]  # see deciding
    assert "The user answers: Dogs" in models.read("planner", 2)


async def test_a_failure_is_told_to_the_planner_which_goes_on(
    browser: Browser, home: Page, site: Site, httpserver: HTTPServer
) -> None:
    models = Models(httpserver, [move("Click 'Nowhere'"), move("Scroll down"), finish("Done."), verdict("Done.")])

    events = await every(models.agent(browser, flow="iterative").stream("Search", page=home))

    assert result_of(events).success
    assert [each.number for each in of(events, StepNotDone)] == [1]
    assert "1. Click 'Nowhere': failed." in models.read("planner", 2)


async def test_what_the_verdict_misses_goes_back_to_the_planner(
    browser: Browser, home: Page, site: Site, httpserver: HTTPServer
) -> None:
    said = [finish("Done."), verdict("Nothing was typed.", completed=False), move("Type 'x' in the search box")]
    models = Models(httpserver, [*said, finish("Typed."), verdict("Typed.")])

    result = await models.agent(browser, flow="iterative").run("Type x", page=home)

    assert result.success
    assert "this is missing: Nothing was typed." in models.read("planner", 3)


async def test_an_answer_that_never_stands_is_given_as_what_it_is(
    browser: Browser, home: Page, site: Site, httpserver: HTTPServer
) -> None:
    models = Models(httpserver, [finish("Done."), verdict("No.", completed=False)] * 2)
    agent = models.agent(browser, flow="iterative", limits=Limits(max_validations=2))

    result = await agent.run("Type x", page=home)

    assert (result.error, result.answer, result.validation) == (TaskError("failed", "No."), "No.", "forced")


async def test_an_answer_that_the_verdict_refuses_is_no_success_however_often_it_is_given(
    browser: Browser, article: Page, site: Site, httpserver: HTTPServer
) -> None:
    models = Models(httpserver, [finish("A cat sleeps 13 hours."), verdict("No.", completed=False)] * 3)

    result = await models.agent(browser, flow="iterative").run("How long does a cat sleep?", page=article)

    assert (result.success, result.answer, result.validation) == (False, "No.", "forced")
    assert len(models.requests) == 6
    assert "A cat sleeps 13 hours a day." in models.read("planner", 2).partition("these were shown")[2]


async def test_the_limits_hold(browser: Browser, home: Page, site: Site, httpserver: HTTPServer) -> None:
    models = Models(httpserver, [move("Press Tab")] * 4)
    few = models.agent(browser, flow="iterative", limits=Limits(max_steps=3))

    assert (await few.run("Go on", page=home)).error == TaskError(
        "max_steps", "The task was not finished within 3 steps."
    )


async def test_the_same_again_and_again_is_noticed(
    browser: Browser, home: Page, site: Site, httpserver: HTTPServer
) -> None:
    models = Models(httpserver, [move("Press Escape")] * 9)

    result = await models.agent(browser, flow="iterative").run("Go on", page=home)

    assert result.error is not None
    assert (result.error.code, result.stats.steps < 9) == ("stuck", True)


async def test_what_was_just_done_is_not_done_again_while_nothing_has_changed(
    browser: Browser, home: Page, site: Site, httpserver: HTTPServer
) -> None:
    typing = move("Type 'cats' in the search box")
    models = Models(httpserver, [typing, move("Type 'cats' in the  search box."), finish("Typed."), verdict("Typed.")])

    events = await every(models.agent(browser, flow="iterative").stream("Type cats", page=home))

    assert result_of(events).success
    assert [each.number for each in of(events, StepDone)] == [1]
    assert "was not carried out again, for nothing on the page has changed since" in models.read("planner", 3)


@pytest.mark.parametrize("step", ["Type 'cats' in the search box", "Click 'Nowhere'", "Search the page for 'cats'"])
async def test_the_same_once_more_after_it_was_refused_ends_the_run(
    browser: Browser, home: Page, site: Site, httpserver: HTTPServer, step: str
) -> None:
    models = Models(httpserver, [move(step)] * 3)

    events = await every(models.agent(browser, flow="iterative").stream("Search", page=home))

    error = result_of(events).error
    assert error is not None
    assert (error.code, len(of(events, StepChosen)), len(models.requests)) == ("stuck", 1, 3)


async def test_what_goes_further_each_time_is_done_again(
    browser: Browser, page: Page, serve: Serve, httpserver: HTTPServer
) -> None:
    models = Models(httpserver, [*[move("Click Next")] * 4, finish("Page 5."), verdict("Page 5.")])
    url = serve("<button onclick='output.value++'>Next</button><p>Page <output id=output>1</output>")

    events = await every(models.agent(browser, flow="iterative").stream("Go to page 5", url=url, page=page))

    assert result_of(events).success
    assert len(of(events, StepDone)) == 4


async def test_what_cannot_be_done_ends_at_once(
    browser: Browser, home: Page, site: Site, httpserver: HTTPServer
) -> None:
    why = "There are no dogs here."
    models = Models(
        httpserver,
        [move("Scroll down"), ("next_step", {"needs_action": False, "impossible": True, "message": why})],
    )

    result = await models.agent(browser, flow="iterative").run("Order a dog", page=home)

    assert (result.success, result.answer, result.error) == (False, why, TaskError("aborted", why))
    assert len(models.requests) == 2


async def test_tokens_are_limited(browser: Browser, home: Page, site: Site, httpserver: HTTPServer) -> None:
    models = Models(httpserver, [move("Press Tab")] * 9)
    agent = models.agent(browser, flow="iterative", limits=Limits(max_tokens_total=200))

    result = await agent.run("Go on", page=home)

    assert result.error is not None
    assert result.error.code == "max_tokens"
    assert result.stats.generations == 2


async def test_the_planner_is_told_that_the_user_had_the_page(
    browser: Browser, home: Page, site: Site, httpserver: HTTPServer
) -> None:
    models = Models(httpserver, [move("Press Escape"), finish("It shows the article."), verdict("It does.")])
    pause = asyncio.Event()

    async def decide(ask: Ask) -> Decision:
        if isinstance(ask, Paused):
            await home.goto(site.article)
            return Continue("I opened the article")
        pause.set()
        return Execute()

    agent = models.agent(browser, flow="iterative", approve=decide)
    result = await agent.run("Look", page=home, pause=pause)

    assert result.success
    assert "The user says: I opened the article" in models.read("planner", 2)
    assert 'heading "All about cats"' in models.read("planner", 2)

"""Plan first: the plan, its approval, the steps with what they gave, and the verdict."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from cdp_agent.browser import Browser
from cdp_agent.decisions import (
    Approve,
    Edit,
    Execute,
    PlanProposed,
    QuestionAsked,
    Reject,
    Respond,
    Retry,
    Reword,
    Skip,
    StepFailed,
    Stop,
)
from cdp_agent.errors import SetupError
from cdp_agent.events import FirewallBlocked, TaskStarted
from cdp_agent.outcome import TaskError
from cdp_agent.page.page import Page
from cdp_agent.step_events import (
    ApprovalAsked,
    ApprovalDecided,
    StepDone,
    StepNotDone,
    StepResolved,
    StepSkipped,
    StepsPlanned,
    StepsVerified,
)
from cdp_agent.steps.approval.policy import Rules, rules_from
from tests.agents import of, result_of
from tests.stepping import TASK, Models, Site, answer, deciding, every, plan, resolved, verdict

BY_CODE = [(1, "code", "manage_tabs"), (2, "code", "click"), (3, "code", "fill"), (4, "code", "click")]


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
    models = Models(httpserver, [plan(*site.steps, message="I search."), verdict('It shows "All about cats".')])
    approve = deciding(Approve())

    events = await every(models.agent(browser, approve=approve).stream("Search for cats", page=page))

    result = result_of(events)
    assert (result.success, result.answer, result.validation) == (True, 'It shows "All about cats".', "passed")
    assert resolved(events) == BY_CODE
    kinds = [type(event) for event in events]
    order = [StepsPlanned, ApprovalAsked, ApprovalDecided, TaskStarted, *[StepResolved, StepDone] * 4, StepsVerified]
    assert [kind for kind in kinds if kind in order] == order
    assert [each.ask for each in of(events, ApprovalAsked)] == [
        PlanProposed(id=1, steps=site.steps, message="I search.")
    ]
    assert len(models.requests) == 2  # the plan and the verdict: no step took a model
    given = models.read("planner", 2)
    assert "Step 1 (manage_tabs):" in given
    assert "4. Click the search button or press Enter: done (click)" in given
    assert 'link "All about cats"' in given
    assert browser.pages[-1].url.endswith("/results?q=cats")


async def test_without_anybody_to_ask_a_search_is_carried_out_all_the_same(
    browser: Browser, home: Page, site: Site, httpserver: HTTPServer
) -> None:
    models = Models(httpserver, [plan("Type 'cats' in the search box", "Press Enter"), verdict("Done.")])

    events = await every(models.agent(browser, approve="auto").stream("Search", page=home))

    assert result_of(events).success
    assert [(each.by, each.decision) for each in of(events, ApprovalDecided)] == [("policy", Approve())]


async def test_a_request_that_needs_no_step_is_answered_at_once(
    browser: Browser, article: Page, site: Site, httpserver: HTTPServer
) -> None:
    models = Models(httpserver, [answer("13 hours.")])

    events = await every(models.agent(browser).stream("How long does a cat sleep?", page=article))

    assert (result_of(events).success, result_of(events).answer) == (True, "13 hours.")
    assert of(events, StepResolved) == []
    assert "A cat sleeps 13 hours a day." in models.read("planner", 1)


async def test_an_answer_at_once_that_the_page_does_not_show_is_judged(
    browser: Browser, article: Page, site: Site, httpserver: HTTPServer
) -> None:
    models = Models(httpserver, [answer("99 hours."), verdict("The page says 13 hours.", completed=False)])

    result = await models.agent(browser).run("How long does a cat sleep?", page=article)

    assert (result.success, result.validation) == (False, "forced")
    assert 'found in anything shown to it:\n<untrusted label="not found">\n99 hours\n' in models.read("planner", 2)


async def test_an_answer_at_once_about_what_the_page_does_not_show_is_judged(
    browser: Browser, article: Page, site: Site, httpserver: HTTPServer
) -> None:
    models = Models(httpserver, [answer("13 hours."), verdict("There is no walrus.", completed=False)])

    result = await models.agent(browser).run("How long does a walrus sleep?", page=article)

    assert (result.success, result.answer, result.validation) == (False, "There is no walrus.", "forced")


async def test_what_cannot_be_done_ends_before_any_step(
    browser: Browser, article: Page, site: Site, httpserver: HTTPServer
) -> None:
    why = "Cats cannot be sent by fax from here."
    models = Models(httpserver, [("propose_steps", {"needs_steps": False, "impossible": True, "message": why})])

    events = await every(models.agent(browser).stream("Fax me a cat", page=article))

    result = result_of(events)
    assert (result.success, result.answer, result.error) == (False, why, TaskError("aborted", why))
    assert (of(events, StepResolved), len(models.requests)) == ([], 1)


async def test_the_planner_is_told_what_each_tool_gives(
    browser: Browser, home: Page, site: Site, httpserver: HTTPServer
) -> None:
    models = Models(httpserver, [answer("Yes.")])

    await models.agent(browser).run("Is it?", page=home)

    read = models.read("planner", 1)
    assert "\n  extract: what was asked for: text, or JSON of that schema\n" in read
    assert "\n  manage_tabs: the id, title and address of each tab, and which one you are in\n" in read


@pytest.mark.parametrize(
    ("steps", "problem"),
    [
        (["Press Enter"] * 10_000, "steps are 10,000, and 100 is the most: give those that come first"),
        (["Type '" + "x" * 20_000 + "'"], "step 1 has 20,007 characters, and 20,000 is the most: a step is one act"),
    ],
    ids=["steps", "characters"],
)
async def test_a_plan_that_is_too_long_is_asked_for_again(
    browser: Browser, home: Page, site: Site, httpserver: HTTPServer, steps: list[str], problem: str
) -> None:
    models = Models(httpserver, [plan(*steps), plan("Wait 0 seconds"), verdict("Waited.")])

    events = await every(models.agent(browser, approve="auto").stream(TASK, page=home))

    assert f"propose_steps: {problem}" in models.read("planner", 2)
    assert of(events, TaskStarted)[0].action_items == ["Wait 0 seconds"]


async def test_a_rejected_plan_is_made_anew_from_the_same_view(
    browser: Browser, home: Page, site: Site, httpserver: HTTPServer
) -> None:
    models = Models(httpserver, [plan("Open x.example"), plan("Type 'cats' in the search box"), verdict("Typed.")])
    approve = deciding(Reject("Use this page"), Approve())

    events = await every(models.agent(browser, approve=approve).stream("Search", page=home))

    assert result_of(events).success
    assert [each.revision for each in of(events, StepsPlanned)] == [0, 1]
    first, second = models.read("planner", 1), models.read("planner", 2)
    assert "Your plan was:\n1. Open x.example\nThe user rejects it: Use this page" in second
    begin = first[: first.index("Answer by calling propose_steps")]
    assert second.startswith(begin)


async def test_an_edited_plan_is_carried_out_as_edited(
    browser: Browser, home: Page, site: Site, httpserver: HTTPServer
) -> None:
    models = Models(httpserver, [plan("Open x.example", "Press Enter"), verdict("Typed.")])
    approve = deciding(Edit(["Type 'dogs' in the search box", " "]))

    events = await every(models.agent(browser, approve=approve).stream("Search", page=home))

    assert [(each.instruction, each.tool) for each in of(events, StepDone)] == [
        ("Type 'dogs' in the search box", "fill")
    ]


async def test_a_stopped_plan_does_nothing(browser: Browser, home: Page, site: Site, httpserver: HTTPServer) -> None:
    models = Models(httpserver, [plan("Press Enter")])

    events = await every(models.agent(browser, approve=deciding(Stop())).stream("Search", page=home))

    assert result_of(events).error == TaskError("aborted", "It was stopped by the user.", "user")
    assert of(events, StepResolved) == []


async def test_a_decision_that_never_comes_is_stop(
    browser: Browser, home: Page, site: Site, httpserver: HTTPServer
) -> None:
    async def sleeping(ask: object) -> object:
        return await asyncio.Event().wait()

    models = Models(httpserver, [plan("Press Enter")])
    agent = models.agent(browser, approve=sleeping, approval_timeout_s=0.1)

    events = await every(agent.stream("Search", page=home))

    assert result_of(events).error == TaskError("aborted", "Nobody decided within 0.1 s.", "task")
    assert [each.by for each in of(events, ApprovalDecided)] == ["timeout"]


async def test_the_planner_may_ask(browser: Browser, home: Page, site: Site, httpserver: HTTPServer) -> None:
    asking = ("propose_steps", {"needs_steps": False, "ask_user": "Which animal?"})
    models = Models(httpserver, [asking, plan("Type 'cats' in the search box"), verdict("Typed.")])
    approve = deciding(Respond("cats"), Approve())

    events = await every(models.agent(browser, approve=approve).stream("Search", page=home))

    assert result_of(events).success
    assert of(events, ApprovalAsked)[0].ask == QuestionAsked(id=1, question="Which animal?")
    assert "You asked the user: Which animal?\nThe user answers: cats" in models.read("planner", 2)


async def test_a_question_without_anybody_to_answer_ends_the_run(
    browser: Browser, home: Page, site: Site, httpserver: HTTPServer
) -> None:
    models = Models(httpserver, [("propose_steps", {"needs_steps": False, "ask_user": "Which animal?"})])

    result = await models.agent(browser).run("Search", page=home)

    assert result.error == TaskError(
        "aborted", "Nobody is there to be asked: Which animal? Say it in the task.", "task"
    )


ORDER = ["Type 'Ada' into Name", "Click 'Order a cat'"]


async def test_what_submits_and_pays_is_asked_even_in_auto(
    browser: Browser, article: Page, site: Site, httpserver: HTTPServer
) -> None:
    models = Models(httpserver, [plan(*ORDER)])

    result = await models.agent(browser, approve="auto").run("Order", page=article)

    assert result.error is not None
    assert result.error.code == "aborted"
    assert 'Nobody is there to be asked about click button "Order a cat"' in result.error.message
    assert f'"allow tool=click origin={httpserver.url_for("").rstrip("/")} risk=submits"' in result.error.message
    assert site.ordered == []


@pytest.mark.parametrize("decision", [Execute(), Approve(), Skip(), Reword("Scroll down"), Stop()], ids=type)
async def test_each_decision_on_an_act(
    browser: Browser, article: Page, site: Site, httpserver: HTTPServer, decision: object
) -> None:
    models = Models(httpserver, [plan(*ORDER), verdict("So it is.")])
    approve = deciding(Approve(), decision)

    events = await every(models.agent(browser, approve=approve).stream("Order", page=article))

    asked = approve.asks[1]  # type: ignore[attr-defined]  # see deciding
    assert (asked.number, asked.step, asked.tool, asked.risks) == (2, ORDER[1], "click", ["submits", "pays"])
    assert len(site.ordered) == isinstance(decision, Execute | Approve)
    assert len(of(events, StepSkipped)) == isinstance(decision, Skip)
    assert result_of(events).success is not isinstance(decision, Stop)


async def test_rules_allow_and_deny(browser: Browser, page: Page, site: Site, httpserver: HTTPServer) -> None:
    models = Models(httpserver, [plan(*ORDER), verdict("Order number K-81."), plan(*ORDER)])
    allowing = rules_from(
        ["allow risk=submits origin=127.0.0.1", "allow risk=submits origin=localhost", "allow risk=pays"]
    )

    allowed = await models.agent(browser, approve=allowing).run("Order", url=site.article, page=page)
    events = await every(
        models.agent(browser, approve=rules_from(["deny risk=pays"])).stream("Order", url=site.article, page=page)
    )

    assert (allowed.success, site.ordered) == (True, ["who=Ada"])
    assert [each.message for each in of(events, FirewallBlocked)] == [
        'It was not done: the rule "deny risk=pays" says so.'
    ]
    assert result_of(events).error is not None
    assert result_of(events).stats.errors == 1


async def test_a_failed_step_is_tried_again_reworded_or_skipped_and_the_others_stay_done(
    browser: Browser, home: Page, site: Site, httpserver: HTTPServer
) -> None:
    models = Models(
        httpserver, [plan("Type 'cats' in the search box", "Click 'Nowhere'", "Press Enter"), verdict("Found.")]
    )
    approve = deciding(Approve(), Retry(), Retry(), Retry(), Reword("Click 'Nobody'"), Skip())
    asks = approve.asks  # type: ignore[attr-defined]  # see deciding

    result = await models.agent(browser, approve=approve).run("Search", page=home)

    failed = [ask for ask in asks if isinstance(ask, StepFailed)]
    assert [ask.retries_left for ask in failed] == [2, 1, 0]
    assert result.error is not None  # a retry too many is no decision
    assert "It was tried again often enough" in result.error.message


async def test_a_reworded_step_has_its_own_retries_and_may_be_skipped(
    browser: Browser, home: Page, site: Site, httpserver: HTTPServer
) -> None:
    models = Models(httpserver, [plan("Click 'Nowhere'", "Type 'cats' in the search box"), verdict("Typed.")])
    approve = deciding(Approve(), Reword("Click 'Nobody'"), Skip())

    events = await every(models.agent(browser, approve=approve).stream("Search", page=home))

    assert [(each.instruction, each.attempt) for each in of(events, StepNotDone)] == [
        ("Click 'Nowhere'", 1),
        ("Click 'Nobody'", 1),
    ]
    assert [each.instruction for each in of(events, StepSkipped)] == ["Click 'Nobody'"]
    assert [each.number for each in of(events, StepDone)] == [2]


async def test_what_the_verdict_misses_is_the_result(
    browser: Browser, home: Page, site: Site, httpserver: HTTPServer
) -> None:
    models = Models(httpserver, [plan("Press Enter"), verdict("No cats are shown.", completed=False)])

    result = await models.agent(browser).run("Search", page=home)

    assert result.error == TaskError("failed", "No cats are shown.")
    assert (result.answer, result.validation) == ("No cats are shown.", "forced")


async def test_what_was_never_shown_is_given_back_once(
    browser: Browser, article: Page, site: Site, httpserver: HTTPServer
) -> None:
    models = Models(httpserver, [plan("Scroll down"), verdict("It sleeps 99 hours."), verdict("It sleeps 13 hours.")])

    events = await every(models.agent(browser).stream("How long?", page=article))

    assert result_of(events).answer == "It sleeps 13 hours."
    assert "counts as made up" in models.read("planner", 3)
    assert [each.not_found for each in of(events, StepsVerified)] == [[]]


async def test_the_conversation_goes_on(browser: Browser, page: Page, site: Site, httpserver: HTTPServer) -> None:
    models = Models(httpserver, [answer("13 hours."), answer("A cat.")])
    agent = models.agent(browser)

    await agent.run("How long does it sleep?", url=site.article, page=page)
    await agent.run("What does?", url=site.article, page=page)

    assert "Said before:\nUser: How long does it sleep?\nYou: 13 hours." in models.read("planner", 2)


@pytest.mark.parametrize("kind", ["snapshot", "html", "none"])
async def test_the_planner_gets_the_page_as_asked(
    browser: Browser, home: Page, site: Site, httpserver: HTTPServer, kind: str
) -> None:
    models = Models(httpserver, [answer("Yes.")])

    await models.agent(browser, planner_page=kind).run("Is it?", page=home)

    read = models.read("planner", 1)
    assert ('button "Search" E' in read, "<button" in read, f"at {site.home}" in read) == (
        kind == "snapshot",
        kind == "html",
        kind == "none",
    )


async def test_a_typed_answer(browser: Browser, article: Page, site: Site, httpserver: HTTPServer) -> None:
    models = Models(httpserver, [plan("Scroll down"), verdict("13 hours"), verdict("13")])

    result = await models.agent(browser).run("How long?", page=article, answer=int)

    assert (result.success, result.answer) == (True, 13)


async def test_an_answer_that_never_has_the_type_is_none(
    browser: Browser, article: Page, site: Site, httpserver: HTTPServer
) -> None:
    models = Models(httpserver, [plan("Scroll down"), *[verdict("13 hours")] * 3])

    result = await models.agent(browser).run("How long?", page=article, answer=int)

    assert (result.success, result.answer) == (False, None)
    assert result.error is not None
    assert result.error.message == "13 hours"


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"model": "openai-compatible/m"}, "not both"),
        ({"approve": "ask"}, "needs somebody to ask"),
        ({"approve": 1}, "approve is"),
        ({"flow": "both"}, "flow is"),
        ({"planner_page": "pdf"}, "planner_page is"),
        ({"approval_timeout_s": 0}, "approval_timeout_s is"),
    ],
)
async def test_what_cannot_be_is_told_at_once(
    browser: Browser, httpserver: HTTPServer, options: dict[str, Any], problem: str
) -> None:
    with pytest.raises(SetupError, match=problem):
        Models(httpserver).agent(browser, **options)


def test_rules_are_values() -> None:
    assert Rules() == Rules()

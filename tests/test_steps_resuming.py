"""Going on with a run by steps whose process died: with what was agreed on and done, and nothing done twice unasked."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from cdp_agent.agent.agent import Agent
from cdp_agent.agent.state.checkpoint import FILE
from cdp_agent.browser import Browser
from cdp_agent.decisions import Approve, Execute, Retry, Skip, StepFailed, Stop
from cdp_agent.errors import SetupError
from cdp_agent.events import Event
from cdp_agent.page.page import Page
from cdp_agent.step_events import ApprovalAsked, StepDone, StepResolved
from cdp_agent.steps.approval.policy import rules_from
from tests.agents import of, result_of
from tests.stepping import Models, Site, deciding, every, finish, move, plan, verdict

SEARCH = ["Type 'cats' in the search box", "Press Enter", "Click the first link from the search results"]
ENVIRONMENT = {"OPENAI_COMPATIBLE_API_KEY": "key"}


@pytest.fixture
def site(httpserver: HTTPServer) -> Site:
    return Site(httpserver)


async def until(events: AsyncGenerator[Event, None], kind: type, number: int) -> None:
    """Takes the events of a run up to that of a step, as when its process dies there."""
    async with aclosing(events):
        async for event in events:
            if isinstance(event, kind) and getattr(event, "number", 0) == number:
                return


async def go_on(browser: Browser, folder: Path, **options: Any) -> list[Event]:
    return await every(Agent.resume(browser, folder, environment=ENVIRONMENT, **options))


async def test_what_was_done_stays_done_and_what_was_filled_in_last_is_filled_in_again(
    browser: Browser, page: Page, site: Site, httpserver: HTTPServer, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    models = Models(httpserver, [plan(*SEARCH), *[verdict("A cat sleeps 13 hours a day.")] * 2])
    agent = models.agent(browser, approve=deciding(Approve()), checkpoint=tmp_path)
    run = agent.stream("How long do cats sleep?", url=site.home, page=page)
    async with aclosing(run):
        async for event in run:
            if isinstance(event, StepResolved) and event.number == 2:
                before_enter = copied(tmp_path, "before Enter")
            if isinstance(event, StepResolved) and event.number == 3:
                break

    for folder, done in {tmp_path: [3], before_enter: [1, 2, 3]}.items():
        with subtests.test(done=done):
            events = await go_on(browser, folder)

            assert [each.number for each in of(events, StepDone)] == done
            assert (result_of(events).success, result_of(events).answer) == (True, "A cat sleeps 13 hours a day.")
            assert "1. Type 'cats' in the search box: done (fill)." in models.read("planner", 2)
            assert not (folder / FILE).exists()


def copied(folder: Path, name: str) -> Path:
    """Another folder with the checkpoint as it is now."""
    copy = folder / name
    copy.mkdir()
    (copy / FILE).write_bytes((folder / FILE).read_bytes())
    return copy


async def test_what_may_have_been_done_is_asked_about(
    browser: Browser, page: Page, site: Site, httpserver: HTTPServer, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    models = Models(httpserver, [plan("Click 'Order a cat'"), *[verdict("Done.")] * 2])
    died = tmp_path / "died"
    agent = models.agent(browser, approve=deciding(Approve(), Execute()), checkpoint=tmp_path)
    await _dying(agent.stream("Order", url=site.article, page=page), tmp_path, died)

    for decision in (Retry(), Skip(), Stop()):
        with subtests.test(decision=decision):
            ordered, approve = len(site.ordered), deciding(decision, Execute())

            ended = await go_on(browser, copied(died, type(decision).__name__), approve=approve)

            assert approve.asks[0] == StepFailed(  # type: ignore[attr-defined]  # see deciding
                id=1,
                number=1,
                step="Click 'Order a cat'",
                error="The process ended while this was carried out: whether it was done is not known.",
                retries_left=2,
            )
            assert len(site.ordered) == ordered + isinstance(decision, Retry)
            assert result_of(ended).success is not isinstance(decision, Stop)
    with subtests.test("nobody can be asked"):
        ordered = len(site.ordered)

        ended = await go_on(browser, died, approve="auto")

        error = result_of(ended).error
        assert error is not None
        assert (error.code, len(site.ordered)) == ("interrupted", ordered)
        assert "whether it was done is not known. Look before" in error.message


async def _dying(events: AsyncGenerator[Event, None], folder: Path, died: Path) -> None:
    """Follows a run until its step is done; `died` has its checkpoint from while that was under way."""
    async with aclosing(events):
        async for event in events:
            if isinstance(event, StepDone):
                break
            if (folder / FILE).exists() and 'at_risk":"Click' in (folder / FILE).read_text():
                died.mkdir(exist_ok=True)  # noqa: ASYNC240  # a folder of the test, as quick as the file
                (died / FILE).write_bytes((folder / FILE).read_bytes())


async def test_a_plan_that_nobody_approved_is_made_again(
    browser: Browser, page: Page, site: Site, httpserver: HTTPServer, tmp_path: Path
) -> None:
    models = Models(httpserver, [plan("Scroll down"), plan("Scroll down"), verdict("Done.")])
    agent = models.agent(browser, approve=deciding(Approve()), checkpoint=tmp_path)
    async with aclosing(agent.stream("Scroll", url=site.home, page=page)) as events:
        async for event in events:
            if isinstance(event, ApprovalAsked):
                break

    assert result_of(await go_on(browser, tmp_path, approve=deciding(Approve()))).success


async def test_steps_one_at_a_time_go_on(
    browser: Browser, page: Page, site: Site, httpserver: HTTPServer, tmp_path: Path
) -> None:
    said = [move("Press Escape"), move("Scroll down"), move("Press Tab"), finish("Done."), verdict("Done.")]
    models = Models(httpserver, said)
    agent = models.agent(browser, flow="iterative", checkpoint=tmp_path)
    await until(agent.stream("Go", url=site.home, page=page), StepResolved, 2)

    events = await go_on(browser, tmp_path)

    assert result_of(events).success
    assert [each.number for each in of(events, StepDone)] == [2]
    assert "1. Press Escape: done (press)." in models.read("planner", 3)


async def test_given_steps_go_on_by_their_rules(
    browser: Browser, page: Page, site: Site, httpserver: HTTPServer, tmp_path: Path
) -> None:
    agent = Agent(browser, approve=rules_from(["deny risk=pays"]), checkpoint=tmp_path)
    steps = ["Scroll down", "Click 'Order a cat'"]
    await until(agent.stream_steps(steps, url=site.article, page=page), StepDone, 1)

    events = await go_on(browser, tmp_path)

    assert result_of(events).error is not None
    assert site.ordered == []


async def test_what_is_no_progress_is_refused(
    browser: Browser, page: Page, site: Site, httpserver: HTTPServer, tmp_path: Path
) -> None:
    agent = Agent(browser, checkpoint=tmp_path)
    await until(agent.stream_steps(["Scroll down", "Scroll up"], url=site.home, page=page), StepResolved, 2)
    written = (tmp_path / FILE).read_text()
    (tmp_path / FILE).write_text(written.replace('"flow":"given"', '"flow":"both"'))

    with pytest.raises(SetupError, match="The checkpoint cannot be read: Invalid"):
        Agent.resume(browser, tmp_path)

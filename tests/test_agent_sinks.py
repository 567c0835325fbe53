"""Where events go, which of them, and without what."""

from cdp_agent.agent.sinks import redacted, without
from cdp_agent.browser import Browser
from cdp_agent.events import AgentAction, AgentObserved, AgentStatus, AgentStep, Event, TaskCompleted
from cdp_agent.page.page import Page
from tests.agents import DONE, scripted
from tests.test_events import EVENTS

STEP = AgentStep(timestamp=1.0, step=1)
FILLED = AgentAction(timestamp=1.0, step=1, action="fill", arguments={"value": "say tulip44 twice", "list": ["tulip4"]})


def test_what_is_not_wanted_is_left_out() -> None:
    taken: list[Event] = []

    for event in EVENTS:
        without(taken.append, [AgentObserved, AgentStatus])(event)

    assert taken == [event for event in EVENTS if not isinstance(event, AgentObserved | AgentStatus)]


def test_a_secret_is_masked_wherever_it_stands() -> None:
    taken: list[Event] = []
    sink = redacted(taken.append, ["tulip4", "tulip44", ""])

    sink(FILLED)
    sink(STEP)

    masked = {"value": "say *** twice", "list": ["***"]}
    assert taken == [AgentAction(timestamp=1.0, step=1, action="fill", arguments=masked), STEP]


def test_events_without_secrets_pass_as_they_are() -> None:
    taken: list[Event] = []

    for event in EVENTS:
        redacted(taken.append, ["tulip44"])(event)

    assert taken == EVENTS


async def test_a_run_gives_its_events_to_a_callback(browser: Browser, page: Page) -> None:
    taken: list[Event] = []

    with scripted(browser, [DONE]) as (agent, _):
        result = await agent.run("Find tea", page=page, on_event=taken.append)

    assert isinstance(taken[-1], TaskCompleted)
    assert (taken[-1].result, len(taken)) == (result, result.stats.events)

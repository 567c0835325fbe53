"""Several tool calls of one reply, run in order in a real Chrome until one ends the batch."""

from typing import Any

import pytest

from cdp_agent.agent.model import prompts
from cdp_agent.browser import Browser
from cdp_agent.errors import SetupError
from cdp_agent.events import AgentAction, AgentReasoned, AiGeneration, Event
from cdp_agent.outcome import BatchCut
from cdp_agent.page.page import Page
from fixtures.replay import ReplayServer, reply, tool_call
from tests.agents import DONE, of, play, result_of, scripted, told
from tests.conftest import Serve

FORM = """<title>Form</title><form onsubmit="event.preventDefault(); document.querySelector('p').textContent = 'Sent'">
<input aria-label=Name><input aria-label=City><input aria-label=Mail>
<button type=button aria-label=Mark onclick="this.setAttribute('aria-pressed', true)">Mark</button>
<button type=button onclick="this.previousElementSibling.previousElementSibling.remove()">Remove</button>
<button type=button onclick="document.querySelector('p').textContent = 'More'">More</button>
<button>Send</button></form><p>Empty</p>"""

Call = tuple[str, dict[str, Any]]


def fill(name: str) -> Call:
    return "fill", {"ref": f"{{{{ref:textbox {name}}}}}", "value": name.lower()}


def click(name: str) -> Call:
    return "click", {"ref": f"{{{{ref:button {name}}}}}"}


ENTER: Call = ("press", {"key": "Enter"})
FINISH: Call = ("done", {"result": "Sent."})
NOBODY: Call = ("click", {"ref": "E999"})


async def batch(
    browser: Browser, page: Page, content: str | None, *calls: Call, most: int = 5, **options: Any
) -> tuple[list[Event], ReplayServer, AiGeneration]:
    """A run whose first reply has these calls, and whose second is done."""
    events, server = await play(
        browser, page, [reply(*calls), DONE], content=content, max_actions_per_step=most, **options
    )
    return events, server, turns(events)[0]


def turns(events: list[Event]) -> list[AiGeneration]:
    """The replies that are turns, and not plans or judgements."""
    return [event for event in of(events, AiGeneration) if event.step and event.actions_requested]


def counted(found: AiGeneration) -> tuple[int, int, BatchCut]:
    return found.actions_requested, found.actions_executed, found.batch_truncated_by


async def test_three_fields_are_filled_in_one_turn(browser: Browser, page: Page) -> None:
    events, server, found = await batch(browser, page, FORM, fill("Name"), fill("City"), fill("Mail"))

    assert counted(found) == (3, 3, "none")
    assert [text.splitlines()[1:3] for text in told(server, 2)] == [
        ['filled E1 textbox "Name"', 'value: "name"'],
        ['filled E2 textbox "City"', 'value: "city"'],
        ['filled E3 textbox "Mail"', 'value: "mail"'],
    ]
    assert await page.evaluate("[...document.querySelectorAll('input')].map(each => each.value)") == [
        *("name", "city", "mail")
    ]
    assert result_of(events).stats.steps == 2


async def test_a_form_is_filled_and_submitted_in_one_turn_and_what_changed_is_told_once(
    browser: Browser, page: Page
) -> None:
    _, server, found = await batch(browser, page, FORM, fill("Name"), fill("City"), ENTER)

    assert counted(found) == (3, 3, "none")
    assert [text.count("Sent") for text in told(server, 2)] == [0, 0, 1]


async def test_enter_ends_a_batch(browser: Browser, page: Page) -> None:
    _, server, found = await batch(browser, page, FORM, fill("Name"), ENTER, fill("City"))

    assert counted(found) == (3, 2, "page-change")
    assert told(server, 2)[2] == prompts.not_run("page-change", 5)


async def test_a_ref_that_died_in_the_middle_ends_a_batch(browser: Browser, page: Page) -> None:
    content = """<input aria-label=A oninput="document.querySelectorAll('input')[1].remove()"><input aria-label=B>
        <input aria-label=C>"""

    _, server, found = await batch(browser, page, content, fill("A"), fill("B"), fill("C"))

    assert counted(found) == (3, 2, "error")
    assert told(server, 2)[1].startswith("Error: it did not work.")
    assert "E2" in told(server, 2)[1]
    assert told(server, 2)[2] == prompts.not_run("error", 5)


async def test_done_comes_last_after_everything_before_it(browser: Browser, page: Page) -> None:
    events, _, found = await batch(browser, page, FORM, fill("Name"), FINISH)

    assert counted(found) == (2, 2, "none")
    assert (result_of(events).answer, result_of(events).validation) == ("Sent.", "passed")
    assert await page.evaluate("document.querySelector('input').value") == "name"


async def test_nothing_is_done_after_done(browser: Browser, page: Page) -> None:
    events, _, found = await batch(browser, page, FORM, fill("Name"), FINISH, fill("City"))

    assert counted(found) == (3, 2, "terminal")
    assert result_of(events).success
    assert await page.evaluate("[...document.querySelectorAll('input')].map(each => each.value)") == ["name", "", ""]


async def test_done_in_the_middle_that_is_not_accepted_is_answered_like_the_rest(browser: Browser, page: Page) -> None:
    verdict = {"task_assessment": "Hm.", "completion_quality": "partial", "feedback": "And the city?"}
    replies = [reply(fill("Name"), FINISH, fill("City")), tool_call("validate_task", verdict), DONE]

    events, server = await play(browser, page, replies, content=FORM, max_actions_per_step=3)

    filled, refused, not_run = told(server, 2)
    assert "filled E1" in filled
    assert "And the city?" in refused
    assert not_run == prompts.not_run("terminal", 3)
    assert result_of(events).success


@pytest.mark.parametrize(
    ("calls", "cut"),
    [
        ([("goto", {"url": "{{url}}"}), fill("Name")], "page-change"),
        ([("reload", {}), fill("Name")], "page-change"),
        ([NOBODY, fill("Name")], "error"),
        ([("clik", {}), fill("Name")], "error"),
        ([("abort", {"reason": "No."}), fill("Name")], "terminal"),
        ([fill("Name"), click("More")], "none"),
    ],
    ids=["goto", "reload", "no such ref", "no such tool", "abort", "nothing left"],
)
async def test_what_ended_a_batch_is_told(
    browser: Browser, page: Page, serve: Serve, calls: list[Call], cut: BatchCut
) -> None:
    url = serve(FORM)
    calls = [(name, {key: value.replace("{{url}}", url) for key, value in given.items()}) for name, given in calls]

    _, _, found = await batch(browser, page, None, *calls, url=url)

    assert counted(found) == (2, 2 if cut == "none" else 1, cut)


@pytest.mark.parametrize("policy", ["conservative", "observed"])
async def test_a_page_that_was_left_ends_a_batch(browser: Browser, page: Page, serve: Serve, policy: str) -> None:
    there = serve("<title>There</title><input aria-label=Name>")
    content = f"""<select aria-label=Go onchange="location = '{there}'"><option>Here<option>There</select>
        <input aria-label=Name>"""

    _, _, found = await batch(
        browser, page, content, ("select", {"ref": "E1", "value": "There"}), fill("Name"), batch_policy=policy
    )

    assert counted(found) == (2, 1, "page-change")


@pytest.mark.parametrize(
    ("button", "policy", "expected"),
    [
        ("Mark", "conservative", (2, 1, "page-change")),
        ("Mark", "observed", (2, 2, "none")),
        ("More", "observed", (2, 1, "page-change")),
    ],
)
async def test_a_click_ends_a_batch_as_the_policy_says(
    browser: Browser, page: Page, button: str, policy: str, expected: tuple[int, int, BatchCut]
) -> None:
    _, _, found = await batch(browser, page, FORM, click(button), fill("Name"), batch_policy=policy)

    assert counted(found) == expected


async def test_a_click_that_takes_away_what_comes_later_ends_a_batch(browser: Browser, page: Page) -> None:
    content = "<button onclick='this.remove()'>Once</button><input aria-label=Name>"

    _, _, again = await batch(browser, page, content, click("Once"), click("Once"), batch_policy="observed")

    assert counted(again) == (2, 1, "page-change")


async def test_a_field_that_changes_more_than_itself_ends_a_batch_that_is_observed(
    browser: Browser, page: Page
) -> None:
    content = """<input aria-label=Name oninput="document.querySelector('p').textContent = 'Taken'"><p>Free</p>
        <input aria-label=City>"""

    _, server, found = await batch(browser, page, content, fill("Name"), fill("City"), batch_policy="observed")

    assert counted(found) == (2, 1, "page-change")
    assert told(server, 2)[1] == prompts.not_run("page-change", 5, changed=True)


async def test_a_click_without_effect_is_not_said_to_have_changed_the_page(browser: Browser, page: Page) -> None:
    content = "<button>Dead</button><input aria-label=Name>"

    _, server, found = await batch(browser, page, content, click("Dead"), fill("Name"))

    assert counted(found) == (2, 1, "page-change")
    assert "the page changed" not in told(server, 2)[1]
    assert told(server, 2)[1].startswith(prompts.not_run("page-change", 5, changed=False))


async def test_calls_beyond_the_limit_are_answered(browser: Browser, page: Page) -> None:
    _, server, found = await batch(browser, page, FORM, fill("Name"), fill("City"), fill("Mail"), most=2)

    assert counted(found) == (3, 2, "limit")
    assert told(server, 2)[2] == "Not run: only the first 2 tools are called in each turn."


async def test_by_default_one_call_is_run(browser: Browser, page: Page) -> None:
    events, server = await play(browser, page, [reply(fill("Name"), fill("City")), DONE], content=FORM)

    assert told(server, 2)[1].startswith(prompts.NOT_RUN_ONE)
    assert [event.action for event in of(events, AgentAction)] == ["fill", "done"]
    assert counted(turns(events)[0]) == (2, 1, "limit")


async def test_a_model_that_always_sends_one_call_works(browser: Browser, page: Page) -> None:
    replies = [reply(fill("Name")), reply(fill("City")), DONE]

    events, _ = await play(browser, page, replies, content=FORM, max_actions_per_step=6)

    assert [counted(each) for each in turns(events)] == [(1, 1, "none")] * 3
    assert result_of(events).success


async def test_a_turn_has_one_thought_and_an_event_for_each_action(browser: Browser, page: Page) -> None:
    replies = [reply(fill("Name"), fill("City"), reasoning="Both."), DONE]

    events, _ = await play(browser, page, replies, content=FORM, max_actions_per_step=2)

    assert [event.reasoning for event in of(events, AgentReasoned)] == ["Both."]
    assert [event.action for event in of(events, AgentAction)] == ["fill", "fill", "done"]


@pytest.mark.parametrize("options", [{"max_actions_per_step": 0}, {"batch_policy": "bold"}])
async def test_wrong_options_are_refused_at_once(browser: Browser, options: dict[str, Any]) -> None:
    with pytest.raises(SetupError), scripted(browser, [DONE], **options):
        pass

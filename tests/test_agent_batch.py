"""Several tool calls of one reply, run in order in a real Chrome until one ends the batch."""

from typing import Any

import pytest

from cdp_agent.agent.model import prompts
from cdp_agent.browser import Browser
from cdp_agent.errors import SetupError
from cdp_agent.events import AgentAction, AgentReasoned, AiGeneration, Event
from cdp_agent.outcome import BatchCut
from cdp_agent.page.page import Page
from fixtures.replay import reply, tool_call
from tests.agents import DONE, of, play, result_of, scripted, told
from tests.conftest import Serve

FORM = """<title>Form</title><form onsubmit="event.preventDefault(); document.querySelector('p').textContent = 'Sent'">
<input aria-label=Name><input aria-label=City><input aria-label=Mail>
<button type=button aria-label=Mark onclick="this.setAttribute('aria-pressed', true)">Mark</button>
<button type=button onclick="document.querySelector('p').textContent = 'More'">More</button>
<button type=button>Dead</button><button type=button onclick="this.remove()">Once</button><button>Send</button></form>
<p>Empty</p><input aria-label=Taking oninput="document.querySelector('p').textContent = 'Taken'">
<input aria-label=Removing oninput="nextElementSibling.remove()"><input aria-label=Removed>
<select aria-label=Go onchange="location = '/there'"><option>Here<option>There</select>"""
VALUES = "[...document.querySelectorAll('form input')].map(each => each.value)"

Call = tuple[str, dict[str, Any]]


def fill(name: str, value: str = "") -> Call:
    return "fill", {"ref": f"{{{{ref:textbox {name}}}}}", "value": value or name.lower()}


def click(name: str) -> Call:
    return "click", {"ref": f"{{{{ref:button {name}}}}}"}


ENTER: Call = ("press", {"key": "Enter"})
FINISH: Call = ("done", {"result": "Sent."})
NOBODY: Call = ("click", {"ref": "E999"})
LEAVE: Call = ("select", {"ref": "{{ref:combobox Go}}", "value": "There"})


def turns(events: list[Event]) -> list[AiGeneration]:
    """The replies that are turns, and not plans or judgements."""
    return [event for event in of(events, AiGeneration) if event.step and event.actions_requested]


def counted(found: AiGeneration) -> tuple[int, int, BatchCut]:
    return found.actions_requested, found.actions_executed, found.batch_truncated_by


async def batches(
    browser: Browser, page: Page, url: str, replies: list[list[Call]], *more: bytes, **options: Any
) -> tuple[list[Event], list[tuple[tuple[int, int, BatchCut], list[str]]]]:
    """A run whose turns have these calls: its events, and for each turn what is counted, and the answers to it."""
    answered = [reply(*calls, reasoning=f"Turn {number}.") for number, calls in enumerate(replies, 1)]
    events, server = await play(browser, page, [*answered, *more], url=url, max_actions_per_step=5, **options)
    answers = [told(server, turn) for turn in range(1, len(server.turns) + 1)]
    given = [after[len(before) :] for before, after in zip(answers, [*answers[1:], []], strict=True)]
    return events, list(zip(map(counted, turns(events)), given, strict=True))


async def test_what_ends_a_batch_is_told_and_all_before_it_is_done(
    browser: Browser, page: Page, serve: Serve, subtests: pytest.Subtests
) -> None:
    serve("<title>There</title><input aria-label=Name>", path="/there")
    url = serve(FORM)
    rows: list[tuple[list[Call], tuple[int, int, BatchCut]]] = [
        ([fill("Name"), fill("City"), fill("Mail")], (3, 3, "none")),
        ([fill("Name", "Ada"), fill("City", "Oslo"), ENTER], (3, 3, "none")),
        ([fill("Removing"), fill("Removed"), fill("Name")], (3, 2, "error")),
        ([NOBODY, fill("Name")], (2, 1, "error")),
        ([("clik", {}), fill("Name")], (2, 1, "error")),
        ([("reload", {}), fill("Name")], (2, 1, "page-change")),
        ([fill("Name"), ENTER, fill("City")], (3, 2, "page-change")),
        ([click("Mark"), fill("Name")], (2, 1, "page-change")),
        ([click("Dead"), fill("Name")], (2, 1, "page-change")),
        ([fill("Name"), click("More")], (2, 2, "none")),
        ([fill("Name", f"{number}") for number in range(6)], (6, 5, "limit")),
        ([LEAVE, fill("Name")], (2, 1, "page-change")),
        ([("goto", {"url": url}), fill("Name")], (2, 1, "page-change")),
        ([fill("Name"), FINISH], (2, 2, "none")),
    ]

    events, ran = await batches(browser, page, url, [calls for calls, _ in rows])

    for (calls, expected), (found, _) in zip(rows, ran, strict=True):
        with subtests.test(calls=[(name, *given.values()) for name, given in calls]):
            assert found == expected
    answers = [answered for _, answered in ran]
    assert [text.splitlines()[1:3] for text in answers[0]] == [
        ['filled E1 textbox "Name"', 'value: "name"'],
        ['filled E2 textbox "City"', 'value: "city"'],
        ['filled E3 textbox "Mail"', 'value: "mail"'],
    ]
    assert [text.count("Sent") for text in answers[1]] == [0, 0, 1]  # what changed is told once
    assert answers[2][1].startswith("Error: it did not work.")
    assert "Removed" in answers[2][1]
    assert answers[2][2] == prompts.not_run("error", 5)
    assert answers[6][2] == prompts.not_run("page-change", 5)
    assert "the page changed" not in answers[8][1]
    assert answers[8][1].startswith(prompts.not_run("page-change", 5, changed=False))
    assert answers[10][5] == "Not run: only the first 5 tools are called in each turn."
    assert [event.reasoning for event in of(events, AgentReasoned)] == [f"Turn {n}." for n in range(1, 15)]
    assert [event.action for event in of(events, AgentAction)][:4] == ["fill", "fill", "fill", "fill"]
    result = result_of(events)
    assert (result.answer, result.validation, result.stats.steps) == ("Sent.", "passed", 14)
    assert await page.evaluate(VALUES) == ["name", "", ""]


async def test_a_batch_that_is_observed_goes_on_while_nothing_else_changes(
    browser: Browser, page: Page, serve: Serve, subtests: pytest.Subtests
) -> None:
    serve("<title>There</title><input aria-label=Name>", path="/there")
    rows: list[tuple[list[Call], tuple[int, int, BatchCut]]] = [
        ([click("Mark"), fill("Name")], (2, 2, "none")),
        ([click("More"), fill("Name")], (2, 1, "page-change")),
        ([click("Once"), click("Once")], (2, 1, "page-change")),
        ([fill("Taking"), fill("City")], (2, 1, "page-change")),
        ([LEAVE, fill("Name")], (2, 1, "page-change")),
        ([fill("Name"), FINISH, fill("Name", "Ada")], (3, 2, "terminal")),
    ]

    events, ran = await batches(browser, page, serve(FORM), [calls for calls, _ in rows], batch_policy="observed")

    for (calls, expected), (found, _) in zip(rows, ran, strict=True):
        with subtests.test(calls=[(name, *given.values()) for name, given in calls]):
            assert found == expected
    assert ran[3][1][1] == prompts.not_run("page-change", 5, changed=True)
    assert result_of(events).success
    assert await page.evaluate("document.querySelector('input').value") == "name"  # nothing is done after done


async def test_done_in_the_middle_that_is_not_accepted_is_answered_like_the_rest(
    browser: Browser, page: Page, serve: Serve
) -> None:
    verdict = {"task_assessment": "Hm.", "completion_quality": "partial", "feedback": "And the city?"}
    calls = [fill("Name"), FINISH, fill("City")]
    more = tool_call("validate_task", verdict), tool_call("abort", {"reason": "No."})

    _, ran = await batches(browser, page, serve(FORM), [calls], *more)

    filled, refused, not_run = ran[0][1]
    assert "filled E1" in filled
    assert "And the city?" in refused
    assert not_run == prompts.not_run("terminal", 5)


async def test_nothing_is_done_after_abort(browser: Browser, page: Page, serve: Serve) -> None:
    events, ran = await batches(browser, page, serve(FORM), [[("abort", {"reason": "No."}), fill("Name")]])

    assert ran[0][0] == (2, 1, "terminal")
    assert result_of(events).error is not None


async def test_by_default_one_call_is_run(browser: Browser, page: Page) -> None:
    replies = [reply(fill("Name"), fill("City")), reply(fill("City")), DONE]

    events, server = await play(browser, page, replies, content=FORM)

    assert told(server, 2)[1].startswith(prompts.NOT_RUN_ONE)
    assert [event.action for event in of(events, AgentAction)] == ["fill", "fill", "done"]
    assert [counted(each) for each in turns(events)] == [(2, 1, "limit"), (1, 1, "none"), (1, 1, "none")]
    assert result_of(events).success


@pytest.mark.parametrize("options", [{"max_actions_per_step": 0}, {"batch_policy": "bold"}])
async def test_wrong_options_are_refused_at_once(browser: Browser, options: dict[str, Any]) -> None:
    with pytest.raises(SetupError), scripted(browser, [DONE], **options):
        pass

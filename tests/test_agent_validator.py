"""An answer is judged on what the run was shown, and is never given as good when it was not found so."""

from typing import Any

import msgspec
import pytest

from cdp_agent.browser import Browser
from cdp_agent.events import TaskValidated, TaskValidationError
from cdp_agent.outcome import TaskError
from cdp_agent.page.page import Page
from fixtures.replay import tool_call
from tests.agents import CLICK, DONE, FILL, SHOP, of, play, result_of, told
from tests.conftest import Serve

PARTIAL = tool_call(
    "validate_task",
    {"task_assessment": "Tea was found.", "completion_quality": "partial", "feedback": "The price is missing."},
)
COMPLETE = tool_call("validate_task", {"task_assessment": "All there.", "completion_quality": "complete"})


def judging(requests: list[dict[str, Any]]) -> str:
    """What the judge was asked, the first time."""
    request = next(each for each in requests if each["tools"][0]["function"]["name"] == "validate_task")
    question: str = request["messages"][1]["content"]
    return question


async def test_the_judge_sees_the_task_the_answer_and_the_evidence(browser: Browser, page: Page, serve: Serve) -> None:
    done = tool_call("done", {"result": 'The page says "Found tea" for 99 crowns.'})
    url = serve(SHOP)

    events, server = await play(browser, page, [FILL, CLICK, done, COMPLETE], url=url, data={"n": 1})

    assert judging(server.requests) == (
        'Task: Find tea\n\nData from the user for this task:\n{\n "n": 1\n}\n\n'
        "Done when:\nWhat was asked for is done.\n\n"
        'The answer to judge:\n<untrusted label="answer">\nThe page says "Found tea" for 99 crowns.\n</untrusted>\n\n'
        "What the agent did, and what came of it:\n"
        '<untrusted label="actions">\n1. filled E1 textbox "Search" · value: "tea"\n'
        '2. clicked E2 button "Go" · changed: · ~ - paragraph (now Found tea, before Nothing yet)\n</untrusted>\n\n'
        "Of the quotes, numbers and addresses in the answer these were shown to the agent:\n"
        '<untrusted label="shown">\nFound tea — ~ - paragraph (now Found tea, before Nothing yet)\n</untrusted>\n\n'
        'These were not found in anything shown to it:\n<untrusted label="not found">\n99\n</untrusted>\n\n'
        'The page at the end:\n<untrusted label="page at the end">\n'
        f'Address: {url}\nTitle: Shop\n\n- heading "Shop" [level=1]\n- textbox "Search" [ref=E1]: tea\n'
        '- button "Go" [focused] [ref=E2]\n- paragraph: Found tea\n</untrusted>'
    )
    assert of(events, TaskValidated)[0].not_found == ["99"]
    assert result_of(events).validation == "passed"


async def test_what_is_missing_goes_back_to_the_model(browser: Browser, page: Page, serve: Serve) -> None:
    again = tool_call("done", {"result": "Tea, 5 crowns."})

    events, server = await play(browser, page, [DONE, PARTIAL, again, COMPLETE], url=serve(SHOP))

    assert told(server, 2) == [
        "The answer is not accepted (attempt 1 of 3, judged as partial). The task goes on.\n"
        '<untrusted label="feedback">\nThe price is missing.\n</untrusted>\n'
        "Do what is missing, then call done again with the whole answer. Do not give the same answer again."
    ]
    assert [(event.attempt, event.quality) for event in of(events, TaskValidationError)] == [(1, "partial")]
    assert (result_of(events).answer, result_of(events).validation) == ("Tea, 5 crowns.", "passed")


async def test_an_answer_that_is_never_accepted_is_given_as_what_it_is(
    browser: Browser, page: Page, serve: Serve
) -> None:
    events, _ = await play(browser, page, [DONE, PARTIAL] * 3, url=serve(SHOP))

    result = result_of(events)
    assert (result.success, result.answer, result.validation) == (False, "Found tea.", "forced")
    assert result.error == TaskError("failed", "The answer was judged as partial 3 times: The price is missing.")


async def test_an_answer_that_cannot_be_judged_is_given_as_what_it_is(
    browser: Browser, page: Page, serve: Serve
) -> None:
    nonsense = tool_call("validate_task", {"completion_quality": "great"})

    events, _ = await play(browser, page, [DONE, nonsense, nonsense, nonsense], url=serve(SHOP))

    result = result_of(events)
    assert (result.success, result.answer, result.validation) == (False, "Found tea.", "forced")
    assert result.error is not None
    assert result.error.message.startswith("The answer could not be judged: ")


async def test_guardrails_bind_the_judge_too(browser: Browser, page: Page, serve: Serve) -> None:
    _, server = await play(browser, page, [DONE], url=serve(SHOP), guardrails="Do not buy.")

    assert server.requests[-1]["messages"][0]["content"].endswith("Do not buy.")


class Price(msgspec.Struct, frozen=True):
    amount: float
    currency: str


SCHEMA = {"type": "object", "properties": {"amount": {"type": "number"}}, "required": ["amount"]}


@pytest.mark.parametrize(
    ("answer", "given", "value"),
    [
        (Price, '{"amount": 5, "currency": "NOK"}', Price(5.0, "NOK")),
        (list[int], "[1, 2]", [1, 2]),
        (SCHEMA, '{"amount": 5}', {"amount": 5}),
    ],
)
async def test_an_answer_has_the_type_that_was_asked_for(
    browser: Browser, page: Page, serve: Serve, answer: Any, given: str, value: Any
) -> None:
    done = tool_call("done", {"result": given})

    events, server = await play(browser, page, [done], url=serve(SHOP), answer=answer)

    assert (result_of(events).answer, result_of(events).success) == (value, True)
    assert "The answer must be JSON that fits this schema:" in server.turns[0]["messages"][1]["content"]


async def test_an_answer_that_does_not_fit_comes_back_with_the_place(
    browser: Browser, page: Page, serve: Serve
) -> None:
    wrong = tool_call("done", {"result": '{"amount": "five", "currency": "NOK"}'})
    right = tool_call("done", {"result": {"amount": 5, "currency": "NOK"}})

    events, server = await play(browser, page, [wrong, right], url=serve(SHOP), answer=Price)

    assert "$.amount" in told(server, 2)[0]
    assert result_of(events).answer == Price(5.0, "NOK")
    assert of(events, TaskValidationError)[0].quality is None

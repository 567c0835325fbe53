"""An answer is judged on what the run was shown, and is never given as good when it was not found so."""

from typing import Any

import msgspec
import pytest

from cdp_agent.agent.judge.validator import LEFT_OUT, records
from cdp_agent.browser import Browser
from cdp_agent.events import TaskValidated, TaskValidationError
from cdp_agent.outcome import TaskError
from cdp_agent.page.page import Page
from fixtures.replay import reply, tool_call
from tests.agents import CLICK, DONE, FILL, SHOP, of, play, result_of, told
from tests.conftest import Serve

PARTIAL = tool_call(
    "validate_task",
    {"task_assessment": "Tea was found.", "completion_quality": "partial", "feedback": "The price is missing."},
)
COMPLETE = tool_call("validate_task", {"task_assessment": "All there.", "completion_quality": "complete"})


def judged(requests: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The requests to the judge."""
    return [each for each in requests if "tools" in each and each["tools"][0]["function"]["name"] == "validate_task"]


def judging(requests: list[dict[str, Any]]) -> str:
    """What the judge was asked, the first time."""
    question: str = judged(requests)[0]["messages"][1]["content"]
    return question


async def test_the_judge_sees_the_task_the_answer_and_the_evidence(browser: Browser, page: Page, serve: Serve) -> None:
    done = tool_call("done", {"result": 'The page says "Found tea" for 99 crowns.'})
    url = serve(SHOP)

    events, server = await play(browser, page, [FILL, CLICK, done, COMPLETE], url=url, data={"n": 1})

    assert judging(server.requests) == (
        'Task: Find tea\n\nData from the user for this task:\n{\n "n": 1\n}\n\n'
        "Done when:\nWhat was asked for is done.\n\n"
        "What the agent did, and what came of it:\n"
        '<untrusted label="actions">\n'
        '1. fill {"ref": "E1", "value": "tea"}: value: "tea" · filled E1 textbox "Search"\n'
        '2. click {"ref": "E2"}: clicked E2 button "Go" · changed: · '
        "~ - paragraph (now Found tea, before Nothing yet)\n</untrusted>\n\n"
        'The page at the end:\n<untrusted label="page at the end">\n'
        f'Address: {url}\nTitle: Shop\n\n- heading "Shop" [level=1]\n- textbox "Search" E1: tea\n'
        '- button "Go" [focused] E2\n- paragraph: Found tea\n</untrusted>\n\n'
        'The answer to judge:\n<untrusted label="answer">\nThe page says "Found tea" for 99 crowns.\n</untrusted>\n\n'
        "Of the quotes, names, numbers and addresses in the answer these were shown to the agent:\n"
        '<untrusted label="shown">\nFound tea — ~ - paragraph (now Found tea, before Nothing yet)\n</untrusted>\n\n'
        'These were not found in anything shown to it:\n<untrusted label="not found">\n99 crowns\n</untrusted>'
    )
    assert of(events, TaskValidated)[0].not_found == ["99 crowns"]
    assert result_of(events).validation == "passed"


async def test_what_is_missing_goes_back_to_the_model_and_is_judged_again(browser: Browser, page: Page) -> None:
    again = tool_call("done", {"result": "Tea, 5 crowns."})

    events, server = await play(browser, page, [DONE, PARTIAL, again, COMPLETE], content=SHOP)

    assert told(server, 2) == [
        "The answer is not accepted (attempt 1 of 3, judged as partial). The task goes on.\n"
        '<untrusted label="feedback">\nThe price is missing.\n</untrusted>\n'
        "Do what is missing, then call done again with the whole answer. The same answer again counts only where the "
        "feedback is wrong, and what you were shown bears all of it out."
    ]
    assert [(event.attempt, event.quality) for event in of(events, TaskValidationError)] == [(1, "partial")]
    assert (result_of(events).answer, result_of(events).validation) == ("Tea, 5 crowns.", "passed")

    first, second = (each["messages"] for each in judged(server.requests))
    assert second[: len(first)] == first
    assert "The price is missing." in second[len(first)]["tool_calls"][0]["function"]["arguments"]
    assert second[-1]["content"] == (
        "What the agent did since your last verdict, and what came of it:\n"
        '<untrusted label="actions">\nNothing.\n</untrusted>\n\n'
        "The page reads as you last saw it.\n\n"
        "An answer to this task was refused before. That may have been wrong, or what it missed may have been done "
        "since: you get more of the records now. Refuse again only for what these do not show, and say which it is.\n\n"
        'The answer to judge:\n<untrusted label="answer">\nTea, 5 crowns.\n</untrusted>\n\n'
        'These were not found in anything shown to it:\n<untrusted label="not found">\n5 crowns\n</untrusted>'
    )


def test_who_judges_again_gets_the_records_for_which_there_was_no_room() -> None:
    texts = [f"{n}. {'word ' * 9}" for n in range(1, 10)]

    first = records([], texts[:7], 40)
    second = records(texts[:7], texts[7:], 40)

    assert first == [LEFT_OUT, *texts[4:7]]
    assert second == [LEFT_OUT, *texts[1:4], *texts[7:]]


async def test_what_the_run_has_typed_bears_nothing_out(browser: Browser, page: Page) -> None:
    fill = tool_call("fill", {"ref": "{{ref:textbox Search}}", "value": "1234 crowns"})
    search = tool_call("search_page", {"pattern": "77 crowns"})
    done = tool_call("done", {"result": "It costs 1234 crowns, or 77."})

    events, _ = await play(browser, page, [fill, search, done, COMPLETE], content=SHOP)

    assert of(events, TaskValidated)[0].not_found == ["1234 crowns", "77"]


async def test_what_an_extraction_made_up_bears_nothing_out(browser: Browser, page: Page) -> None:
    extract = tool_call("extract", {"description": "The price", "output_schema": {"type": "object"}})
    replies = [extract, reply(text='{"137": "Nothing yet", "price": 999}'), tool_call("done", {"result": "999 or 137"})]

    events, _ = await play(browser, page, [*replies, COMPLETE], content=SHOP)

    assert of(events, TaskValidated)[0].not_found == ["999", "137"]


ZEPHYR = "The Zephyr kettle costs 137 crowns."


async def test_what_an_extraction_without_a_schema_made_up_is_marked_to_all(browser: Browser, page: Page) -> None:
    extract = tool_call("extract", {"description": "The product and what it says of it"})
    done = tool_call("done", {"result": f"{ZEPHYR} Nothing yet."})
    replies = [extract, reply(text=f"{ZEPHYR}\n- Nothing yet"), done, COMPLETE]

    events, server = await play(browser, page, replies, content=SHOP)

    marked = "Not found on the page, so perhaps made up: '137', 'Zephyr'. Check before you use them."
    assert marked in server.requests[-2]["messages"][-1]["content"]
    assert marked in judging(server.requests)
    shown, _, missing = judging(server.requests).partition("These were not found in anything shown to it:")
    assert "Of the quotes, names, numbers and addresses in the answer these were shown" not in shown
    assert missing == '\n<untrusted label="not found">\n137 crowns\nZephyr\n</untrusted>'
    assert of(events, TaskValidated)[0].not_found == ["137 crowns", "Zephyr"]


async def test_what_an_extraction_took_from_the_page_is_shown_by_the_page_s_own_line(
    browser: Browser, page: Page
) -> None:
    extract = tool_call("extract", {"description": "The state"})
    done = tool_call("done", {"result": 'It says "Kettles: 5 left".'})
    replies = [extract, reply(text="5 left"), done, COMPLETE]

    _, server = await play(browser, page, replies, content="<p hidden>9</p><table><td>Kettles: 5 left</table>")

    assert "Kettles: 5 left — " in judging(server.requests)


async def test_the_user_s_words_are_no_page_s(browser: Browser, page: Page) -> None:
    done = tool_call("done", {"result": "A kettle costs 42 crowns."})

    events, server = await play(browser, page, [done, PARTIAL] * 3, content=SHOP, task="Does a kettle cost 42 crowns?")

    user = judging(server.requests).partition("No page showed these; they are the user's own words:\n")[2]
    assert user == '<untrusted label="words of the user">\n42 crowns\n</untrusted>'
    assert (result_of(events).success, result_of(events).validation) == (False, "forced")


async def test_what_code_returns_counts_but_for_what_the_model_wrote_into_it(browser: Browser, page: Page) -> None:
    code = "7 * 11 + ' nodes, 99 crowns'"
    done = tool_call("done", {"result": "77 nodes, 99 crowns."})

    events, _ = await play(
        browser,
        page,
        [tool_call("evaluate", {"expression": code}), done, COMPLETE],
        content=SHOP,
        allow_evaluate=True,
    )

    assert of(events, TaskValidated)[0].not_found == ["99 crowns"]


async def test_what_was_looked_for_in_vain_bears_nothing_out(browser: Browser, page: Page) -> None:
    find = tool_call("find_elements", {"selector": "[data-price='999']"})

    events, _ = await play(
        browser, page, [find, tool_call("done", {"result": "It costs 999."}), COMPLETE], content=SHOP
    )

    assert of(events, TaskValidated)[0].not_found == ["999"]


async def test_an_answer_that_is_never_accepted_is_given_as_what_it_is(browser: Browser, page: Page) -> None:
    events, _ = await play(browser, page, [DONE, PARTIAL] * 3, content=SHOP)

    result = result_of(events)
    assert (result.success, result.answer, result.validation) == (False, "Found tea.", "forced")
    assert result.error == TaskError("failed", "The answer was judged as partial 3 times: The price is missing.")


FAILED = tool_call("validate_task", {"task_assessment": "It was not done.", "completion_quality": "failed"})


@pytest.mark.parametrize(
    ("answers", "verdict", "success", "validation", "judgements"),
    [
        (['It says "Nothing yet".'] * 3, PARTIAL, True, "unconfirmed", 2),
        (['It says "Nothing yet".', ' It says  "Nothing yet".\n'], PARTIAL, True, "unconfirmed", 2),
        (['It says "Nothing yet".'] * 3, FAILED, False, "forced", 2),
        (['It says "Nothing yet".', 'It reads "Nothing yet".', '"Nothing yet"!'], PARTIAL, False, "forced", 3),
        (['It says "Nothing yet".'] * 3, [FAILED, PARTIAL, PARTIAL], False, "forced", 2),
        (
            ['It says "Nothing yet".', '"Nothing yet"!', '"Nothing yet"!'],
            [FAILED, PARTIAL, PARTIAL],
            False,
            "forced",
            3,
        ),
        (['It says "Nothing yet" for 99 crowns.'] * 3, PARTIAL, False, "forced", 3),
        (["Tea was ordered."] * 3, PARTIAL, False, "forced", 3),
    ],
    ids=[
        "true",
        "but for spaces",
        "failed as such",
        "not the same",
        "failed first",
        "failed in other words",
        "in part made up",
        "nothing to look up",
    ],
)
async def test_an_answer_that_was_shown_is_not_refused_for_ever(
    browser: Browser,
    page: Page,
    answers: list[str],
    verdict: bytes | list[bytes],
    success: bool,
    validation: str,
    judgements: int,
) -> None:
    verdicts = verdict if isinstance(verdict, list) else [verdict] * 3
    pairs = zip(answers, verdicts, strict=False)
    replies = [each for answer, its in pairs for each in (tool_call("done", {"result": answer}), its)]

    events, server = await play(browser, page, replies, content=SHOP)

    result = result_of(events)
    assert (result.success, result.validation) == (success, validation)
    assert result.answer == answers[judgements - 1]
    assert len(judged(server.requests)) == judgements


async def test_an_answer_that_cannot_be_judged_is_given_as_what_it_is(browser: Browser, page: Page) -> None:
    nonsense = tool_call("validate_task", {"completion_quality": "great"})

    events, _ = await play(browser, page, [DONE, nonsense, nonsense, nonsense], content=SHOP)

    result = result_of(events)
    assert (result.success, result.answer, result.validation) == (False, "Found tea.", "forced")
    assert result.error is not None
    assert result.error.message.startswith("The answer could not be judged: ")


async def test_guardrails_bind_the_judge_too(browser: Browser, page: Page) -> None:
    _, server = await play(browser, page, [DONE], content=SHOP, guardrails="Do not buy.")

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
    browser: Browser, page: Page, answer: Any, given: str, value: Any
) -> None:
    done = tool_call("done", {"result": given})

    events, server = await play(browser, page, [done], content=SHOP, answer=answer)

    assert (result_of(events).answer, result_of(events).success) == (value, True)
    tool = next(each for each in server.turns[0]["tools"] if each["function"]["name"] == "done")
    form = msgspec.json.encode(tool["function"]["parameters"]["properties"]["result"]).decode()
    assert '"description":"The whole answer to the task, in this form."' in form


async def test_an_answer_that_does_not_fit_comes_back_with_the_place(browser: Browser, page: Page) -> None:
    wrong = tool_call("done", {"result": '{"amount": "five", "currency": "NOK"}'})
    right = tool_call("done", {"result": {"amount": 5, "currency": "NOK"}})

    events, server = await play(browser, page, [wrong, right], content=SHOP, answer=Price)

    assert "$.amount" in told(server, 2)[0]
    assert result_of(events).answer == Price(5.0, "NOK")
    assert of(events, TaskValidationError)[0].quality is None


async def test_a_run_that_is_given_up_has_no_answer_of_the_type(browser: Browser, page: Page) -> None:
    given_up = tool_call("abort", {"reason": "Sold out."})

    events, _ = await play(browser, page, [given_up], content=SHOP, answer=Price)

    assert result_of(events).answer is None
    assert result_of(events).error == TaskError("aborted", "Sold out.")


TABLE = "<table><tr><th>Mug<th>Price<tr><td>Blue<td>€ 9<tr><td>Red<td>€ 12<tr><td>Clay<td>€ 4</table>"


@pytest.mark.parametrize(("task", "sees_rows"), [("Which is the cheapest mug?", True), ("What does Red cost?", False)])
async def test_an_answer_that_compares_is_judged_by_all_rows(
    task: str, sees_rows: bool, browser: Browser, page: Page
) -> None:
    done = tool_call("done", {"result": "The mug called Blue, at € 9." if sees_rows else "€ 12"})

    _, server = await play(browser, page, [done, COMPLETE], content=TABLE, task=task)

    rows = "- row: Mug | Price\n- row: Blue | € 9\n- row: Red | € 12\n- row: Clay | € 4"
    shown = f'The rows and items that it was shown there:\n<untrusted label="rows">\n{rows}\n</untrusted>'
    assert (shown in judging(server.requests)) is sees_rows


LINKED = "<table><tr><th>Mug<th>Price<tr><td><a href=/1>Blue</a><td>€ 9<tr><td><a href=/2>Clay</a><td>€ 4</table>"
CARDS = "<ul><li><h3>Blue</h3><p>€ 9</p><button>Buy</button><li><h3>Clay</h3><p>€ 4</p><button>Buy</button></ul>"
FLAT = "<nav><a href=/>Home</a></nav><ul><li><a href=/1>Blue</a> € 9<li><a href=/2>Red</a> € 9</ul>"
SCROLLED = """<div role=list aria-label=Mugs tabindex=0 style="height: 80px; overflow: auto"></div><script>
const list = document.querySelector('div')
list.onscroll = () => {
  const first = Math.floor(list.scrollTop / 40)
  const items = [0, 1, 2].map((at) => first + at)
    .map((at) => `<div role=listitem style="height: 40px">Mug ${at}, € ${(at * 7) % 23}</div>`)
  list.innerHTML = `<p style="height: ${first * 40}px; margin: 0">` + items.join('') + '<p style="height: 900px">'
}
list.onscroll()</script>"""


@pytest.mark.parametrize(
    ("content", "rows"),
    [
        (LINKED, ["- row: Mug | Price", '- row: "Blue" | € 9', '- row: "Clay" | € 4']),
        (CARDS, ['- listitem: "Blue" | € 9 | "Buy"', '- listitem: "Clay" | € 4 | "Buy"']),
        (FLAT, ['- link "Blue"', "- text: € 9", '- link "Red"', "- text: € 9"]),
    ],
    ids=["cells with links", "cards", "items line by line"],
)
async def test_the_judge_gets_each_row_in_one_piece(
    browser: Browser, page: Page, content: str, rows: list[str]
) -> None:
    done = tool_call("done", {"result": "The cheapest is at € 9."})

    _, server = await play(browser, page, [done, COMPLETE], content=content, task="Which is the cheapest mug?")

    shown = '<untrusted label="rows">\n' + "\n".join(rows) + "\n</untrusted>"
    assert shown in judging(server.requests)


async def test_rows_that_were_scrolled_past_count(browser: Browser, page: Page) -> None:
    scroll = tool_call("scroll", {"ref": '{{ref:list "Mugs"}}'})
    done = tool_call("done", {"result": "Mug 0 is the cheapest."})

    _, server = await play(
        browser, page, [scroll, scroll, scroll, done, COMPLETE], content=SCROLLED, task="Which is the cheapest mug?"
    )

    rows = judging(server.requests).partition('label="rows"')[2].partition("</untrusted>")[0]
    assert [f"Mug {at}, € {at * 7 % 23}" in rows for at in range(7)] == [True] * 7


async def test_a_figure_of_something_else_is_told_with_its_line(browser: Browser, page: Page) -> None:
    done = tool_call("done", {"result": "It has 12 chairs."})

    events, server = await play(browser, page, [done, COMPLETE], content="<p>12 mugs are left</p>", task="Look")

    assert judging(server.requests).endswith(
        "Of these the figures were shown, but not with the words or units that the answer has beside them. Decide by "
        'the line whether it means the same:\n<untrusted label="shown of something else">\n'
        "12 chairs — - paragraph: 12 mugs are left\n</untrusted>"
    )
    assert of(events, TaskValidated)[0].not_found == []

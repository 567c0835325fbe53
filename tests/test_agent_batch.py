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
from tests.tables import table

FORM = """<title>Form</title><form onsubmit="event.preventDefault(); document.querySelector('p').textContent = 'Sent'">
<input aria-label=Name><input aria-label=City><input aria-label=Mail>
<button type=button aria-label=Mark onclick="this.setAttribute('aria-pressed', true)">Mark</button>
<button type=button onclick="document.querySelector('p').textContent = 'More'">More</button>
<button type=button>Dead</button><button type=button onclick="this.remove()">Once</button><button>Send</button></form>
<p>Empty</p><input aria-label=Taking oninput="document.querySelector('p').textContent = 'Taken ' + value">
<input aria-label=Removing oninput="document.querySelector('[aria-label=Removed]')?.remove()"><input aria-label=Removed>
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
        ([fill("Name"), NOBODY, fill("City")], (3, 3, "none")),
        ([("clik", {}), fill("Name")], (2, 1, "error")),
        ([("reload", {}), fill("Name")], (2, 1, "page-change")),
        ([fill("Name"), ENTER, fill("City")], (3, 3, "none")),
        ([click("Dead"), fill("Name")], (2, 2, "none")),
        ([fill("Name"), click("More")], (2, 2, "none")),
        ([fill("Name", f"{number}") for number in range(6)], (6, 5, "limit")),
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
    assert answers[4][1].startswith(prompts.not_run("page-change", 5, "the call before it led to another page."))
    assert answers[8][5] == "Not run: only the first 5 tools are called in each turn."
    assert [event.reasoning for event in of(events, AgentReasoned)] == [f"Turn {n}." for n in range(1, 12)]
    assert [event.action for event in of(events, AgentAction)][:4] == ["fill", "fill", "fill", "fill"]
    result = result_of(events)
    assert (result.answer, result.validation, result.stats.steps) == ("Sent.", "passed", 11)
    assert await page.evaluate(VALUES) == ["name", "", ""]


async def test_a_batch_goes_on_while_what_it_names_is_as_it_was(
    browser: Browser, page: Page, serve: Serve, subtests: pytest.Subtests
) -> None:
    serve("<title>There</title><input aria-label=Name>", path="/there")
    rows: list[tuple[list[Call], tuple[int, int, BatchCut]]] = [
        ([click("Mark"), fill("Name")], (2, 2, "none")),
        ([NOBODY, fill("Name"), click("More"), click("Mark")], (4, 4, "none")),
        ([NOBODY, fill("Name"), click("Send"), click("Mark")], (4, 2, "error")),
        ([fill("Taking"), fill("City")], (2, 2, "none")),
        ([fill("Taking", "x"), ENTER], (2, 1, "page-change")),
        ([fill("Taking", "y"), FINISH], (2, 1, "page-change")),
        ([NOBODY, ENTER], (2, 1, "error")),
        ([fill("Removing"), fill("Removed"), fill("Name")], (3, 1, "page-change")),
        ([LEAVE, fill("Name")], (2, 1, "page-change")),
        ([fill("Name"), FINISH, fill("Name", "Ada")], (3, 2, "terminal")),
    ]

    events, ran = await batches(browser, page, serve(FORM), [calls for calls, _ in rows])

    for (calls, expected), (found, _) in zip(rows, ran, strict=True):
        with subtests.test(calls=[(name, *given.values()) for name, given in calls]):
            assert found == expected
    answers = [answered for _, answered in ran]
    assert answers[2][2] == f"Not run: {prompts.FAILED_BEFORE}"
    assert answers[2][3] == f"{prompts.NOT_RUN_EITHER}\n{prompts.UNCHANGED}"
    assert answers[7][1].startswith("Not run: what it is about has changed since you saw it.")
    assert 'E11 (textbox "Removed") is gone' in answers[7][1]
    assert answers[4][1].partition("\n")[0] == f"Not run: {prompts.PAGE_CHANGED}"
    assert answers[8][1].partition("\n")[0] == "Not run: the call before it led to another page."
    assert result_of(events).success
    assert await page.evaluate("document.querySelector('input').value") == "name"  # nothing is done after done


ROWS = """<{list} id=list></{list}><script>var rows = ['Ada', 'Bob', 'Cy', 'Dee'], deleted = []
var remove = (button) => {{ const at = [...list.querySelectorAll('button')].indexOf(button)
    deleted.push(rows[at]); rows.splice(at, 1); show(at) }}
var render = () => {{ list.innerHTML = rows.map((name) => `{row}`).join('') }}
var show = {show}; render()</script>"""
BUTTON = "<button onclick='remove(this)'>Delete</button>"
ROW, LINE = f"<tr><td>${{name}}<td>{BUTTON}", f"<span>${{name}}</span>{BUTTON}"
AGAIN = """() => [...list.querySelectorAll('{name}')].forEach((name, at) => {{
    if (at < rows.length) name.textContent = rows[at]; else {{ {gone} }} }})"""
TO_DELETE = {
    "rows that stay": ("table", ROW, "(at) => list.rows[at].remove()", ["Ada", "Bob"]),
    "rows rendered anew": ("table", ROW, "render", ["Ada"]),
    "rows used again": ("table", ROW, AGAIN.format(name="td:first-child", gone="name.parentElement.remove()"), ["Ada"]),
    "cards used again": (
        "div",
        f"<div>{LINE}</div>",
        AGAIN.format(name="span", gone="name.parentElement.remove()"),
        ["Ada"],
    ),
    "lines used again": (
        "div",
        LINE,
        AGAIN.format(name="span", gone="name.nextElementSibling.remove(); name.remove()"),
        ["Ada"],
    ),
    "lines that stay": ("div", LINE, "(at) => [0, 1].forEach(() => list.children[2 * at].remove())", ["Ada", "Bob"]),
    "a card that changes": (
        "div",
        f"<div>{LINE}</div>",
        "(at) => { rows.splice(at, 0, ''); list.children[at].append('Gone') }",
        ["Ada", "Bob"],
    ),
}


@table(("kind", "row", "show", "deleted"), TO_DELETE)
async def test_a_batch_deletes_only_the_rows_that_the_model_meant(
    browser: Browser, page: Page, kind: str, row: str, show: str, deleted: list[str]
) -> None:
    content = ROWS.format(list=kind, row=row, show=show)
    calls = [("click", {"ref": f"{{{{ref:button Delete {number}}}}}"}) for number in (1, 2)]

    await play(browser, page, [reply(*calls), DONE], content=content, max_actions_per_step=5)

    assert await page.evaluate("deleted") == deleted


RECORDS = """<script>var at = 0, deleted = [], sent = []
var say = (element, text) => {{ element.textContent = text }}</script>
{page}<script>var show = () => {{ {show} }}; show()</script>"""
NEXT = "<button onclick='at++; show()'>Next</button>"
DELETE = "<button onclick='deleted.push(at)'>Delete</button>"
LIST = f"<table id=list>{f'<tr><td>Ada<td>{DELETE}' * 3}</table>{NEXT}<p>Page <b id=page></b></p>"
OF_ANOTHER_RECORD = {
    "its heading": (f"<h2 id=who></h2>{NEXT}{DELETE}", "say(who, 'Invoice ' + at)"),
    "a text beside it": (f"<div><span id=who></span>{DELETE}</div>{NEXT}", "say(who, ['Ada', 'Bob'][at])"),
    "a text far away": (f"{NEXT}{DELETE}<main><dl><dt>To<dd id=who></dl></main>", "say(who, ['Ada', 'Bob'][at])"),
    "rows with one name, and the page's number": (LIST, "say(page, at)"),
    "rows, of which one reads the same": (
        f"<table id=list>{f'<tr><td><td>{DELETE}' * 3}</table>{NEXT}",
        "['Ada', 'Bob Cy'.split(' ')[at], 'Dee Eve'.split(' ')[at]].forEach((n, i) => say(list.rows[i].cells[0], n))",
    ),
    "rows in another order": (
        f"<table id=list>{f'<tr><td><td>{DELETE}' * 2}</table>{NEXT}",
        "(at ? ['Bob', 'Ada'] : ['Ada', 'Bob']).forEach((n, i) => say(list.rows[i].cells[0], n))",
    ),
}
OF_THE_SAME_RECORD = {
    "a live region": (f"<h2>Invoice</h2>{NEXT}{DELETE}<p role=status id=who>1</p>", "say(who, at)"),
    "what comes in addition": (f"<h2>Invoice</h2>{NEXT}{DELETE}", "at && document.body.append('A note')"),
    "what was clicked": (
        f"<h2>Invoice</h2>{NEXT.replace('<button', '<button id=next')}{DELETE}",
        "next.ariaPressed = at > 0",
    ),
    "a row with a name of its own": (
        f"<table><tr><td>Ada<td>{DELETE}<tr><td>Bob<td>{DELETE}</table>{NEXT}<p>Page <b id=page></b></p>",
        "say(page, at)",
    ),
}


@table(("page_content", "show"), OF_ANOTHER_RECORD | OF_THE_SAME_RECORD)
async def test_a_batch_deletes_nothing_of_a_record_that_the_model_has_not_seen(
    browser: Browser, page: Page, page_content: str, show: str
) -> None:
    delete = "Delete 1" if page_content.count("Delete") > 1 else "Delete"
    replies = [reply(click("Next"), click(delete)), DONE]

    _, server = await play(
        browser, page, replies, content=RECORDS.format(page=page_content, show=show), max_actions_per_step=5
    )

    is_same = (page_content, show) in OF_THE_SAME_RECORD.values()
    assert await page.evaluate("deleted") == ([1] if is_same else []), told(server, 2)


OPENED = {
    "a dialog of the page": "confirming.showModal()",
    "a dialog of JavaScript": "alert('Gone')",
    "a panel that covers": "cover.hidden = false",
    "it is disabled": "then.disabled = true",
    "it is called otherwise": "then.textContent = 'Delete all'",
    "it is hidden": "then.hidden = true",
    "another page": "location = 'about:blank'",
}
UNTOUCHED = {
    "a live region": "said.textContent = 'Saved'",
    "an alert": "said.role = 'alert'; said.textContent = 'Saved'",
    "a list in another place": "list.innerHTML = '<li>One<li>Two'",
    "a field that opens its list": "city.focus(); city.ariaExpanded = true; list.role = 'listbox'",
    "another address of the same page": "history.pushState(0, '', '#later')",
    "it is enabled": "",
}
BOTH = """<button id=first>First</button><button id=then onclick="out.textContent = 'clicked'">Then</button>
<p id=out></p><p id=said role=status></p><input id=city role=combobox aria-label=City aria-expanded=false>
<ul id=list></ul><dialog id=confirming>Sure? <button>Yes</button></dialog>
<div id=cover hidden style="position: fixed; inset: 0; background: white">Wait</div>
<script>first.onclick = () => {{ {script} }}</script>"""


@table("script", OPENED | UNTOUCHED)
async def test_a_click_is_made_after_one_that_left_its_button_alone(browser: Browser, page: Page, script: str) -> None:
    replies = [reply(click("First"), click("Then")), DONE]

    _, server = await play(
        browser,
        page,
        replies,
        content=BOTH.format(script=script),
        max_actions_per_step=5,
    )

    is_untouched = script in UNTOUCHED.values()
    shown = await page.evaluate("document.getElementById('out')?.textContent ?? ''")
    assert (shown == "clicked") == is_untouched, told(server, 2)


async def test_a_conservative_turn_ends_with_a_click(browser: Browser, page: Page, serve: Serve) -> None:
    calls = [fill("Name"), click("Dead"), fill("City")]

    _, ran = await batches(browser, page, serve(FORM), [calls, [FINISH]], batch_policy="conservative")

    assert ran[0][0] == (3, 2, "page-change")
    assert ran[0][1][2] == prompts.not_run("page-change", 5, prompts.TURN_ENDS)


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

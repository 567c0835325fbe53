"""The tool `steps` of a model that works alone: what code can tell is done in one call, and the rest is told."""

from __future__ import annotations

from typing import Any

from cdp_agent.agent.steps_tool import STEPS
from cdp_agent.browser import Browser
from cdp_agent.decisions import ActionProposed, Ask, Decision, Execute, Skip
from cdp_agent.events import AgentAction
from cdp_agent.page.page import Page
from cdp_agent.page.snapshot.budget import tokens
from fixtures.replay import reply
from tests.agents import DONE, of, play, result_of, told
from tests.conftest import Serve
from tests.writing import put

FORM = """<title>Form</title><h1>Orders</h1><label>Name <input id=name></label><label>Mail <input></label>
<select aria-label=City><option>Bergen<option>Oslo</select>
<button onclick="out.textContent = 'Saved ' + document.getElementById('name').value">Save</button>
<button onclick="deleted.textContent += 1">Delete</button><p id=out></p><p id=deleted></p>
<ul><li>Ada <button onclick="this.parentElement.remove()">Remove</button><li>Bob <button>Remove</button></ul>"""


def steps(*lines: str) -> bytes:
    return reply(("steps", {"steps": list(lines)}))


async def test_steps_are_done_in_one_call_and_each_is_told_in_a_line(browser: Browser, page: Page) -> None:
    lines = ("Type 'Ada' into Name", "Select 'Oslo' in City", "Click Save", "Click 'Remove' in the list item 'Ada'")

    events, server = await play(browser, page, [steps(*lines), DONE], content=FORM)

    [answer] = told(server, 2)
    assert answer.split("\n")[:8] == [
        '<untrusted label="result of steps">',
        "4 of 4 steps done.",
        """1. Type 'Ada' into Name: filled E1 textbox "Name" · value: "Ada\"""",
        """2. Select 'Oslo' in City: selected in E3 combobox "City" · value: "Oslo\"""",
        """3. Click Save: clicked E4 button "Save\"""",
        """4. Click 'Remove' in the list item 'Ada': clicked E6 button "Remove\"""",
        "</untrusted>",
        "",
    ]
    view = server.turns[1]["messages"][-1]["content"].partition("What else changed")[2]
    assert "+ - paragraph: Saved Ada" in view
    assert "E1" not in view  # what the line says already
    assert [event.action for event in of(events, AgentAction)] == ["steps", "fill", "select", "click", "click", "done"]
    assert result_of(events).stats.errors == 0


async def test_they_end_at_the_first_that_code_cannot_tell(browser: Browser, page: Page) -> None:
    replies = [steps("Type 'Ada' into Name", "Click Remove", "Click Save", "Go back"), steps("Make it nice"), DONE]

    events, server = await play(browser, page, replies, content=FORM)

    first, second = told(server, 3)
    done, unclear, rest = first.split("\n")[2:5]
    assert done == """1. Type 'Ada' into Name: filled E1 textbox "Name" · value: "Ada\""""
    assert unclear.startswith("2. Click Remove: not done. ")
    assert "E6" in unclear
    assert "E7" in unclear
    assert rest == "Not run after that: 3, 4."
    assert "1. Make it nice: not done. This is not one act in words that are known" in second
    assert second.startswith("Error: it did not work.")
    assert await page.evaluate("out.textContent") == ""
    assert result_of(events).stats.errors == 1


async def test_they_go_on_to_other_pages_and_only_to_known_addresses(
    browser: Browser, page: Page, serve: Serve
) -> None:
    serve("<title>There</title><button>Go on</button>", path="/there")
    url = serve("<title>Here</title><a href=/there>There</a>")

    _, server = await play(
        browser, page, [steps("Click There", "Click 'Go on'", "Open http://127.0.0.2:9/x", "Go back"), DONE], url=url
    )

    lines = told(server, 2)[0].split("\n")
    assert lines[1] == "2 of 4 steps done."
    assert "navigated to" in lines[2]
    assert lines[4].startswith("3. Open http://127.0.0.2:9/x: not done. ")
    assert lines[5] == "Not run after that: 4."
    assert page.title == "There"


async def test_they_go_on_in_the_tab_that_one_of_them_opens(browser: Browser, page: Page, serve: Serve) -> None:
    serve("<title>There</title><button onclick=\"this.textContent = 'Gone'\">Go on</button>", path="/there")
    url = serve("<title>Here</title><a href=/there target=_blank>There</a>")

    _, server = await play(browser, page, [steps("Click There", "Click 'Go on'"), DONE], url=url)

    answer = told(server, 2)[0]
    assert "2 of 2 steps done." in answer
    assert "A new tab was opened" in answer
    assert 'button "Gone"' in answer


async def test_each_act_is_approved_as_if_it_were_called(browser: Browser, page: Page) -> None:
    proposed: list[str] = []

    async def approve(ask: Ask) -> Decision:
        assert isinstance(ask, ActionProposed)
        proposed.append(ask.tool)
        return Skip() if ask.risks else Execute()

    _, server = await play(
        browser,
        page,
        [steps("Type 'Ada' into Name", "Click Delete", "Click Save"), DONE],
        content=FORM,
        approve=approve,
    )

    assert proposed == ["click"]
    assert "2. Click Delete: not done. The user did not allow it" in told(server, 2)[0]
    assert await page.evaluate("out.textContent + deleted.textContent") == ""


async def test_files_and_secrets_are_guarded_as_in_other_calls(
    browser: Browser, page: Page, serve: Serve, tmp_path: Any
) -> None:
    (tmp_path / "a.txt").write_text("a")
    url = serve("<title>In</title><label>Password <input type=password></label><label>Photo <input type=file></label>")
    lines = ("Type '<secret:pw>' into Password", f"Upload {tmp_path}/a.txt to Photo")

    events, server = await play(browser, page, [steps(*lines), DONE], url=url, secrets={"pw": "hunter2!"})

    answer = told(server, 2)[0]
    assert "1 of 2 steps done." in answer
    assert await page.evaluate("document.querySelector('input').value") == "hunter2!"
    assert "hunter2!" not in f"{events}{server.turns}"
    assert await page.evaluate("document.querySelectorAll('input')[1].files.length") == 0


async def test_a_click_that_never_came_ends_them(browser: Browser, page: Page) -> None:
    await put(page, """<button onmousedown="this.style.marginLeft = '-5000px'">Go</button><button>Then</button>""")

    _, server = await play(browser, page, [steps("Click Go", "Click Then"), DONE])

    answer = told(server, 2)[0]
    assert "1. Click Go: not done. " in answer
    assert "no click came of the press" in answer
    assert "Not run after that: 2." in answer


async def test_what_fails_in_them_counts_once(browser: Browser, page: Page) -> None:
    hidden = "<button style='position: fixed'>Go</button><div style='position: fixed; inset: 0'>Wait</div>"
    await put(page, hidden)

    events, server = await play(browser, page, [steps("Click Go"), DONE])

    assert "1. Click Go: not done. " in told(server, 2)[0]
    assert (result_of(events).stats.errors, result_of(events).stats.actions) == (1, 1)


async def test_what_they_type_supports_no_answer(browser: Browser, page: Page) -> None:
    verdict = reply(("validate_task", {"task_assessment": "-", "completion_quality": "complete"}))
    replies = [steps("Type 'total 812' into Name"), reply(("done", {"result": "The total is 812."})), verdict, verdict]

    _, server = await play(browser, page, replies, content=FORM)

    assert "812" in server.requests[-1]["messages"][-1]["content"]


def test_the_tool_is_said_in_few_words() -> None:
    assert tokens(STEPS.description) <= 90

"""Runs by steps whose acts turn out to send something: who is asked, what is told, and what the rules decide."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from cdp_agent.agent.agent import Agent
from cdp_agent.agent.base.task import Limits
from cdp_agent.browser import Browser
from cdp_agent.decisions import ActionProposed, Ask, Continue, Decision, Execute, Paused, Reword, Skip, Stop
from cdp_agent.outcome import AgentResult
from cdp_agent.page.page import Page, tab_of
from cdp_agent.step_events import ApprovalDecided, StepDone
from cdp_agent.steps.approval.policy import AUTO, Rule, Rules
from tests.agents import of, result_of
from tests.stepping import every
from tests.web import Web, running

SAVES = """<input aria-label=Name><button onclick="fetch('/save', {method: 'POST',
body: new URLSearchParams({name: 'x'})}).then(() => said.textContent = 'Saved')">Next</button><p id=said></p>"""


def sent(web: Web) -> list[str]:
    return [path for method, path in web.methods if method == "POST"]


async def do(
    browser: Browser, page: Page, web: Web, approve: Any, html: str = SAVES, **options: Any
) -> AgentResult[str]:
    agent = Agent(browser, approve=approve, **options)
    return await agent.do(["Click Next"], url=web.put("a", "/", html), page=page)


def deciding(*decisions: Decision) -> Any:
    left = list(decisions)

    def decide(ask: Ask) -> Decision:
        decide.asks.append(ask)  # type: ignore[attr-defined]
        return left.pop(0)

    decide.asks = []  # type: ignore[attr-defined]
    return decide


async def test_a_request_goes_on_when_it_is_approved(browser: Browser, page: Page) -> None:
    decide = deciding(Execute())
    async with running() as web:
        result = await do(browser, page, web, decide)

        assert sent(web) == ["/save"]
    (ask,) = decide.asks
    assert isinstance(ask, ActionProposed)
    assert (ask.tool, ask.risks) == ("click", ["sends"])
    assert ask.held is not None
    assert (str(ask.held), ask.held.fields) == (f"POST {web.origin('a')}/save", ["name"])
    assert "Saved" in str(result.answer)


AGAIN = """<button onclick="again()">Next</button><script>
const again = () => fetch('/save', {method: 'POST'}).then(() => 'sent', () => 'refused')</script>"""


async def test_what_was_refused_is_told_and_stays_so_after_the_run_until_the_tab_begins_anew(
    browser: Browser, page: Page
) -> None:
    async with running() as web:
        result = await do(browser, page, web, deciding(Skip()), AGAIN)
        again = await page.evaluate("again()")
        seen = await page.press("Escape")
        before = sent(web)
        await page.goto(f"{web.origin('a')}/")
        anew = await page.evaluate("again()")

        assert (again, before, anew, sent(web)) == ("refused", [], "sent", ["/save"])
    refused = f"not sent: POST {web.origin('a')}/save"
    assert f"{refused}: it was not approved. The rest was done in the page" in str(result.answer)
    assert refused in seen.text


async def test_what_was_refused_in_one_run_stays_so_in_the_next_until_that_allows_it(
    browser: Browser, page: Page
) -> None:
    async def decide(_: Ask) -> Decision:
        before.append(await page.evaluate("again()"))
        return Execute()

    before: list[str] = []
    async with running() as web:
        await do(browser, page, web, deciding(Skip()), AGAIN)
        await page.evaluate("document.querySelector('button').textContent = 'Send'")
        allowed = await Agent(browser, approve=decide).do(["Click Send"], page=page)

        assert (before, allowed.success, sent(web)) == (["refused"], True, ["/save"])
    assert len(tab_of(page).request_policy.rules) == 1  # the next one's alone


async def test_what_was_done_cannot_be_reworded(browser: Browser, page: Page) -> None:
    async with running() as web:
        result = await do(browser, page, web, deciding(Reword("Click Back")))

        assert sent(web) == []
    assert result.error is not None
    assert "reword is no answer to this. It can be execute, skip, stop." in result.error.message


async def test_stopping_sends_nothing_and_ends_the_run(browser: Browser, page: Page) -> None:
    async with running() as web:
        result = await do(browser, page, web, deciding(Stop()))

        assert sent(web) == []
    assert result.error is not None
    assert result.error.code == "aborted"


async def test_without_anybody_to_ask_the_run_ends_and_says_what_would_allow_it(browser: Browser, page: Page) -> None:
    async with running() as web:
        result = await do(browser, page, web, AUTO)

        assert sent(web) == []
    assert result.error is not None
    assert f'"allow tool=click origin={web.origin("a")} risk=sends"' in result.error.message


@pytest.mark.parametrize(("verdict", "reached"), [("allow", ["/save"]), ("deny", [])])
async def test_a_rule_decides_by_what_is_sent(browser: Browser, page: Page, verdict: Any, reached: list[str]) -> None:
    async with running() as web:
        agent = Agent(browser, approve=Rules((Rule(verdict, risk="sends"),)))
        events = await every(agent.stream_steps(["Click Next"], url=web.put("a", "/", SAVES), page=page))

        assert sent(web) == reached
    assert result_of(events).success
    assert [each.why for each in of(events, ApprovalDecided)] == [f"{verdict} risk=sends"]


async def test_what_was_approved_before_is_not_asked_about_again(browser: Browser, page: Page) -> None:
    decide = deciding(Execute())
    async with running() as web:
        url = web.put("a", "/", SAVES.replace(">Next<", ">Send<"))
        await Agent(browser, approve=decide).do(["Click Send"], url=url, page=page)

        assert sent(web) == ["/save"]
    assert [each.held for each in decide.asks] == [None]


async def test_the_time_somebody_takes_is_no_delay(browser: Browser, page: Page) -> None:
    blocked = """<button onclick="let x = new XMLHttpRequest(); x.open('POST', '/save', false); x.send();
    said.textContent = confirm('Really?')">Next</button><p id=said></p>"""

    async def decide(_: Ask) -> Decision:
        await asyncio.sleep(4)  # a person's time is what this is about
        return Execute()

    async with running() as web:
        result = await do(browser, page, web, decide, blocked, limits=Limits(max_seconds=6))

        assert sent(web) == ["/save"]
    assert result.error is None
    assert 'dialog confirm "Really?" was accepted' in str(result.answer)
    assert "true" in str(result.answer)


@pytest.mark.usefixtures("told_sooner")
@pytest.mark.parametrize(("decision", "most"), [(Skip(), 1), (Execute(), 20)], ids=["refused", "allowed"])
async def test_a_page_that_asks_without_end_asks_a_person_so_often(
    browser: Browser, page: Page, decision: Decision, most: int
) -> None:
    asks = '<button onclick="for (;;) confirm(`Really?`)">Next</button>'
    decide = deciding(*[decision] * 100)
    async with running() as web:
        await do(browser, page, web, decide, asks)

    assert len([ask for ask in decide.asks if isinstance(ask, ActionProposed) and ask.held is not None]) == most


async def test_where_everything_is_allowed_nothing_is_held(browser: Browser, page: Page) -> None:
    async with running() as web:
        agent = Agent(browser)
        async for event in agent.stream_steps(["Click Next"], url=web.put("a", "/", SAVES), page=page):
            if isinstance(event, StepDone):
                assert tab_of(page).request_policy.rules == []

        assert sent(web) == ["/save"]


async def test_what_the_user_does_while_it_is_paused_is_not_asked_about(browser: Browser, page: Page) -> None:
    pause, asks = asyncio.Event(), list[Ask]()

    async def approve(ask: Ask) -> Decision:
        asks.append(ask)
        if isinstance(ask, Paused):
            await page.evaluate("document.querySelector('button').click()")
            await page.wait_for(text="Saved")
            await page.evaluate("said.textContent = ''")
            return Continue("I pressed Next")
        if len(asks) == 1:
            pause.set()
        return Execute()

    async with running() as web:
        steps = ["Click Next", "Click on Name", "Click Next"]
        result = await Agent(browser, approve=approve).do(steps, url=web.put("a", "/", SAVES), page=page, pause=pause)

        assert sent(web) == ["/save"] * 3
    assert result.success
    assert [ask.held is not None if isinstance(ask, ActionProposed) else "paused" for ask in asks] == [
        True,
        "paused",
        True,
    ]


TALKS = """<button onclick="socket.send('order')">Next</button><p id=said></p><script>
const socket = new WebSocket(location.origin.replace('http', 'ws') + '/socket')</script>"""


WORKS = """<button onclick="worker.postMessage(1); said.textContent = 'Sent'">Next</button><p id=said></p><script>
const url = location.origin.replace('http', 'ws') + '/socket', socket = {close() {}};
const script = `const socket = new WebSocket('${url}'); onmessage = () => socket.send('order')`;
const worker = new Worker(window.URL.createObjectURL(new Blob([script])))</script>"""


@pytest.mark.parametrize("html", [TALKS, WORKS], ids=["of a page", "of a worker"])
@pytest.mark.parametrize("decision", [Execute(), Skip()])
async def test_a_message_of_a_socket_leaves_when_it_is_approved_and_else_not_even_with_its_page(
    browser: Browser, page: Page, decision: Decision, html: str
) -> None:
    decide = deciding(decision)
    async with running() as web:
        result = await do(browser, page, web, decide, html)
        await page.evaluate("new Promise((done) => { socket.onclose = done; socket.close(); setTimeout(done, 300) })")
        await page.goto(f"{web.origin('a')}/elsewhere")
        await page.goto(f"{web.origin('b')}/elsewhere")

        assert [said for method, said in web.methods if method == "MESSAGE" and said == "order"] == [
            "order"
        ] * isinstance(decision, Execute)
    (ask,) = decide.asks
    assert ask.question.startswith(f"Send 5 bytes by the WebSocket ws://a.localhost:{web.port}/socket? It sends.")
    if isinstance(decision, Skip):
        assert f"not sent: a message by the WebSocket ws://a.localhost:{web.port}/socket" in str(result.answer)


async def test_what_an_act_sets_off_is_not_let_out_after_the_run_until_somebody_else_acts(
    browser: Browser, page: Page
) -> None:
    late = """<button onclick="said.textContent = 'Soon'; setTimeout(save, 2000)">Next</button><p id=said></p><script>
    const save = () => fetch('/save', {method: 'POST'}).then(() => ended('sent'), () => ended('refused'));
    let ended; const end = new Promise((done) => { ended = done; })</script>"""
    async with running() as web:
        result = await do(browser, page, web, deciding(), late)
        ends = await tab_of(page).frames()  # no act of ours, which would be of somebody else
        world = await ends.root.world()
        assert (result.success, sent(web)) == (True, [])
        async with asyncio.timeout(10):
            while not tab_of(page).request_policy.hold.has_withheld:
                await world.call("changes", True, returning=object)
        assert sent(web) == []
        await page.evaluate("save()")

        assert sent(web) == ["/save"]


async def test_a_tab_of_ours_that_an_act_in_another_wakes_is_asked_about(browser: Browser, page: Page) -> None:
    wakes = "<p id=said></p><button onclick=\"new BroadcastChannel('c').postMessage('go')\">Next</button>"
    wakened = "<script>new BroadcastChannel('c').onmessage = () => fetch('/save', {method: 'POST'})</script>"
    decide = deciding(Skip())
    async with running() as web:
        other = await browser.new_page(web.put("a", "/other", wakened))
        await do(browser, page, web, decide, wakes)
        await other.close()

        assert sent(web) == []
    assert [str(ask.held) for ask in decide.asks] == [f"POST {web.origin('a')}/save"]


async def test_an_answer_is_for_the_very_request_that_was_asked_about(browser: Browser, page: Page) -> None:
    html = """<p id=said></p><button onclick="save()">Next</button><script>
    const save = async () => { for (const amount of [1, 1, 1000])
      await fetch('/save', {method: 'POST', body: new URLSearchParams({amount})})
        .then(() => said.textContent += 'y', () => said.textContent += 'n') }
    </script>"""
    decide = deciding(Execute(), Skip())
    async with running() as web:
        result = await do(browser, page, web, decide, html)

        assert (sent(web), len(decide.asks)) == (["/save"] * 2, 2)
    assert "yyn" in str(result.answer)


async def test_what_is_allowed_for_a_site_is_not_asked_about_there_again(browser: Browser, page: Page) -> None:
    html = """<p id=said></p><button onclick="save()">Next</button><script>
    const save = async () => { for (const host of ['a', 'a', 'b'])
      await fetch(`http://${host}.localhost:${location.port}/save`, {method: 'POST'})
        .then(() => said.textContent += host, () => 0) }
    </script>"""
    decide = deciding(Execute(for_site=True), Skip(), Skip())
    async with running() as web:
        agent = Agent(browser, approve=decide)
        await agent.do(["Click Next", "Click Next"], url=web.put("a", "/", html), page=page)

        assert [host for host, path in web.asked if path == "/save"] == ["a"] * 4
    assert [ask.held.url for ask in decide.asks] == [f"{web.origin(host)}/save" for host in ("a", "b", "b")]

"""Two runs of one agent at the same time share nothing: neither what they are asked nor what they saw and counted, and
neither the values of their secrets, nor where these may go, nor what is masked.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import urlsplit

import pytest
from pytest_httpserver import HTTPServer

from cdp_agent.agent.agent import Agent
from cdp_agent.agent.base.task import Limits
from cdp_agent.browser import Browser
from cdp_agent.events import BrowserActionCompleted, Event
from cdp_agent.outcome import AgentResult
from cdp_agent.page.page import Page
from cdp_agent.security.secrets import Totp
from fixtures.replay import fill_refs, forced_tool, newest_page
from tests.chat_model import Model
from tests.conftest import Serve, on_other_site

PAGE = """<title>{name}</title><h1>{name}</h1><input aria-label="Code of {name}">
<button onclick="document.querySelector('p').textContent += ' sent'">Send</button><p>Price {price}</p>"""


@pytest.fixture(scope="module")
async def tabs(shared_browser: Browser) -> AsyncIterator[dict[str, Page]]:
    """A tab for each of the two, for the tests to which it does not matter that a run opens its own."""
    pages = {name: await shared_browser.new_page() for name in ("Alpha", "Beta")}
    yield pages
    for page in pages.values():
        await page.close()


async def test_two_runs_of_one_agent_share_nothing(browser: Browser, serve: Serve, httpserver: HTTPServer) -> None:
    model = Model(httpserver)
    model.says = _says
    agent = Agent(browser, model="openai-compatible/m", base_url=model.url, limits=Limits(max_tokens_total=600))
    urls = {name: serve(PAGE.format(name=name, price=price)) for name, price in (("Alpha", 17), ("Beta", 4711))}

    alpha, beta = await asyncio.gather(
        *(agent.run(f"Send the code of {name}", url=url, data={"only": name}) for name, url in urls.items())
    )

    assert (alpha.success, alpha.answer, beta.success, beta.answer) == (True, "Alpha: 17", True, "Beta: 4711")
    assert alpha.stats.generations == beta.stats.generations == 5  # 550 tokens each: together they are over the limit
    for body in model.requests:
        text = json.dumps(body["messages"])
        assert ("Alpha" in text) != ("Beta" in text)
        assert ("4711" in text) <= ("Beta" in text)


LOGIN = """<title>{name}</title><h1>{name}</h1><input aria-label="Code of {name}"><p>Seen here: {shown}</p>"""
KEY = "JBSWY3DPEHPK3PXP"


async def test_a_code_that_one_run_has_used_is_not_masked_in_the_other(
    tabs: dict[str, Page], browser: Browser, serve: Serve, httpserver: HTTPServer
) -> None:
    codes = [Totp(KEY).code(time.time() + 30 * later) for later in range(20)]
    shown = " or ".join(codes)  # a code is also masked where it is written with gaps or backwards, across two of them
    model = Model(httpserver)
    filled = asyncio.Event()
    model.says = lambda body: _fills(body, "{{ref:textbox Code of Alpha}}") if _is(body, "Alpha") else _ends(body)
    agent = Agent(browser, model="openai-compatible/m", base_url=model.url, secrets={"code": Totp(KEY)})
    alpha, beta = (serve(LOGIN.format(name=name, shown=shown)) for name in ("Alpha", "Beta"))

    def tells(event: Event) -> None:
        if isinstance(event, BrowserActionCompleted) and event.action == "fill":
            filled.set()

    async def after_it() -> AgentResult:
        await filled.wait()
        return await agent.run("Look at Beta", url=beta, page=tabs["Beta"])

    results = await asyncio.gather(
        agent.run("Sign in at Alpha", url=alpha, page=tabs["Alpha"], on_event=tells), after_it()
    )

    assert [each.success for each in results] == [True, True]
    read = {name: "".join(json.dumps(each) for each in model.requests if _is(each, name)) for name in ("Alpha", "Beta")}
    used = [code for code in codes if code not in read["Alpha"].rpartition("Seen here")[2]]
    assert "<secret:code>" in read["Alpha"].rpartition("Seen here")[2]
    assert len(used) == 1
    assert used[0] in read["Beta"]


async def test_a_secret_of_the_address_that_a_run_begins_at_is_not_for_that_of_the_other(
    tabs: dict[str, Page], browser: Browser, serve: Serve, httpserver: HTTPServer
) -> None:
    """Each run goes on to the other's page, and there is refused."""
    alpha = serve(LOGIN.format(name="Alpha", shown="-"))
    beta = on_other_site(serve(LOGIN.format(name="Beta", shown="-")))
    elsewhere = {"Start at Alpha": ("Beta", beta), "Start at Beta": ("Alpha", alpha)}
    told: dict[str, str] = {}

    def says(body: dict[str, Any]) -> dict[str, Any]:
        task = next(each for each in elsewhere if each in json.dumps(body["messages"][1]))
        name, url = elsewhere[task]
        if forced_tool(body) is not None:
            return _ends(body)
        match sum(each["role"] == "assistant" for each in body["messages"]):
            case 0:
                return {"name": "goto", "arguments": json.dumps({"url": url})}
            case 1:
                return _fill(body, f"{{{{ref:textbox Code of {name}}}}}")
        told[task] = body["messages"][-1]["content"]
        return _ends(body)

    model = Model(httpserver)
    model.says = says
    agent = Agent(browser, model="openai-compatible/m", base_url=model.url, secrets={"code": "kiwi-4711-plum"})

    await asyncio.gather(
        *(
            agent.run(f"{task}, then sign in at {other}", url=begin, page=page)
            for (task, (_, other)), begin, page in zip(elsewhere.items(), (alpha, beta), tabs.values(), strict=True)
        )
    )

    assert told.keys() == elsewhere.keys()
    for task, (_, url) in elsewhere.items():
        assert "Error: it did not work." in told[task]
        assert urlsplit(url).netloc in told[task]
    assert "kiwi-4711-plum" not in json.dumps(model.requests)


async def test_two_agents_of_one_browser_have_each_their_secret_of_that_name(
    tabs: dict[str, Page], browser: Browser, serve: Serve, httpserver: HTTPServer
) -> None:
    values = {"Alpha": "kiwi-4711-plum", "Beta": "pear-1147-fig"}
    model = Model(httpserver)
    model.says = lambda body: _fills(body, f"{{{{ref:textbox Code of {'Alpha' if _is(body, 'Alpha') else 'Beta'}}}}}")

    await asyncio.gather(
        *(
            Agent(browser, model="openai-compatible/m", base_url=model.url, secrets={"code": value}).run(
                f"Sign in at {name}",
                url=serve(LOGIN.format(name=name, shown=" ".join(values.values()))),
                page=tabs[name],
            )
            for name, value in values.items()
        )
    )

    for name, value in values.items():
        assert await tabs[name].evaluate("document.querySelector('input').value") == value
        read = "".join(json.dumps(each) for each in model.requests if _is(each, name))
        assert [each in read for each in values.values()] == [each != value for each in values.values()]


def _is(body: dict[str, Any], name: str) -> bool:
    return f"at {name}" in json.dumps(body["messages"])


def _fill(body: dict[str, Any], ref: str) -> dict[str, Any]:
    given = json.dumps({"ref": ref, "value": "<secret:code>"})
    return {"name": "fill", "arguments": fill_refs(given, newest_page(body))}


def _fills(body: dict[str, Any], ref: str) -> dict[str, Any]:
    turn = sum(each["role"] == "assistant" for each in body["messages"])
    return _fill(body, ref) if turn == 0 and forced_tool(body) is None else _ends(body)


def _ends(body: dict[str, Any]) -> dict[str, Any]:
    plain = {
        "create_plan": {"success_criteria": "It is done.", "plan": "Do it."},
        "validate_task": {"task_assessment": "Done.", "completion_quality": "complete"},
    }
    name = forced_tool(body) or "done"
    return {"name": name, "arguments": json.dumps(plain.get(name, {"result": "Done."}))}


def _says(body: dict[str, Any]) -> dict[str, Any]:
    name = "Alpha" if "Alpha" in json.dumps(body["messages"]) else "Beta"
    tools = {each["function"]["name"] for each in body["tools"]}
    if tools == {"create_plan"}:
        return {"name": "create_plan", "arguments": json.dumps({"success_criteria": name, "plan": f"Do {name}."})}
    if tools == {"validate_task"}:
        verdict = {"task_assessment": name, "completion_quality": "complete"}
        return {"name": "validate_task", "arguments": json.dumps(verdict)}
    turn = sum(each["role"] == "assistant" for each in body["messages"])
    if turn == 0:
        given = json.dumps({"ref": f"{{{{ref:textbox Code of {name}}}}}", "value": name})
        return {"name": "fill", "arguments": fill_refs(given, newest_page(body))}
    if turn == 1:
        return {"name": "click", "arguments": fill_refs(json.dumps({"ref": "{{ref:button Send}}"}), newest_page(body))}
    return {"name": "done", "arguments": json.dumps({"result": f"{name}: {17 if name == 'Alpha' else 4711}"})}

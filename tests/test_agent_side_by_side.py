"""Two runs of one agent at the same time share nothing: neither what they are asked nor what they saw and counted."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from pytest_httpserver import HTTPServer

from cdp_agent.agent.agent import Agent
from cdp_agent.agent.task import Limits
from cdp_agent.browser import Browser
from fixtures.replay import fill_refs, newest_page
from tests.chat_model import Model
from tests.conftest import Serve

PAGE = """<title>{name}</title><h1>{name}</h1><input aria-label="Code of {name}">
<button onclick="document.querySelector('p').textContent += ' sent'">Send</button><p>Price {price}</p>"""


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

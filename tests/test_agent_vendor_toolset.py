"""An agent whose model is given its maker's browser tools, over our own wire: planned, acted and judged as always."""

from __future__ import annotations

import json
from typing import Any

import pytest

from cdp_agent.agent.agent import Agent
from cdp_agent.agent.toolset import spec_of
from cdp_agent.browser import Browser
from cdp_agent.errors import SetupError
from cdp_agent.events import AgentAction
from cdp_agent.outcome import AgentResult
from cdp_agent.page.page import Page
from cdp_agent.providers.anthropic import anthropic, browser_toolset
from cdp_agent.providers.base import Assistant, Image, Request, TabState, Text, ToolCall, ToolResult, User
from cdp_agent.tools import BUILT_IN
from cdp_agent.tools.members.anthropic import MEMBERS
from fixtures.replay import fill_refs
from fixtures.shop import ShopServer
from tests.tables import table
from tests.vendor_models import Call, VendorModel, anthropic_message, played

OWN = {
    "create_plan": {"success_criteria": "Two mugs are in the cart.", "plan": "1. Shop."},
    "validate_task": {"task_assessment": "They are there.", "completion_quality": "complete"},
}
"""What the model answers that plans and judges."""


class AgentsModel(VendorModel):
    """The same for an agent: refs are those of the newest view, and it plans and judges, too."""

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        self.requests.append(request)
        names = [each.get("name") for each in request["tools"]]
        number = len(self.requests)
        if len(names) == 1 and names[0] in OWN:
            return own_call(f"own_{number}", names[0], OWN[names[0]])
        name, arguments = self._script[next(self._numbers)]
        filled = json.loads(fill_refs(json.dumps(arguments), newest_view(request)))
        if name in ("done", "abort"):
            return own_call(f"own_{number}", name, filled)
        return anthropic_message(f"call_{number}", (name, filled), "")


def own_call(call_id: str, name: str, input: dict[str, Any]) -> dict[str, Any]:
    """A call of a tool that is no member of the toolset."""
    message = anthropic_message(call_id, (name, input), "")
    del message["content"][0]["toolset_name"]
    return message


def newest_view(request: dict[str, Any]) -> str:
    """The newest whole view of a page, with what changed since."""
    texts = [text for message in request["messages"] for text in texts_in(message["content"])]
    last = max(place for place, text in enumerate(texts) if 'label="page"' in text)
    return "\n".join([texts[last].rpartition('label="page"')[2], *texts[last + 1 :]])


def texts_in(content: str | list[dict[str, Any]]) -> list[str]:
    if isinstance(content, str):
        return [content]
    found: list[str] = []
    for block in content:
        found += [block["text"]] if block["type"] == "text" else texts_in(block.get("content", ""))
    return found


def target(element: str) -> dict[str, str]:
    return {"type": "ref", "ref": f"{{{{ref:{element}}}}}"}


def fill(element: str, value: str | bool) -> Call:
    return "form_input", {"target": target(element), "value": value}


def click(element: str) -> Call:
    return "left_click", {"target": target(element)}


SHOPPING: list[Call] = [
    fill('searchbox "Search products"', "enamel mug"),
    ("key", {"text": "Return"}),
    click('link "Enamel mug, blue"'),
    fill('spinbutton "Quantity"', "2"),
    click('button "Add to cart"'),
    ("left_click", {"target": {"type": "ref", "ref": "E9999"}}),
    ("new_tab", {}),
    ("switch_tab", {"tab_id": "{tab}"}),
    ("read_page", {}),
    ("javascript_exec", {"text": "1"}),
    ("get_page_text", {}),
    ("done", {"result": "They are in the cart."}),
]


async def ran(
    browser: Browser, page: Page, script: list[Call], **options: Any
) -> tuple[AgentResult[str], list[str], list[dict[str, Any]]]:
    """What came of a run by that script, the actions told of, and the turns asked for."""
    actions: list[str] = []
    with played(AgentsModel(script, anthropic_message)) as model:
        agent = Agent(
            browser, model="anthropic/claude-opus-5", base_url=model.base_url, api_key="none", toolset="vendor",
            vision=options.pop("vision", False),
        )  # fmt: skip
        result = await agent.run(
            "Put two blue mugs into the cart.",
            page=page,
            on_event=lambda event: actions.append(event.action) if isinstance(event, AgentAction) else None,
            **options,
        )
    return result, actions, [each for each in model.requests if "type" in each["tools"][0]]


async def test_a_run_fills_a_cart_in_the_shop_with_the_vendors_tools(browser: Browser, page: Page) -> None:
    script = [
        (name, {"tab_id": f"t{page.number}"} if name == "switch_tab" else arguments) for name, arguments in SHOPPING
    ]
    with ShopServer() as shop:
        result, actions, turns = await ran(browser, page, script, url=shop.url)

    assert (result.success, result.answer) == (True, "They are in the cart.")
    assert actions == [name for name, _ in script]
    assert len(turns) == len(script)
    offered = [each.get("name") for each in turns[0]["tools"]]
    assert offered == [None, "extract", "done", "abort"]
    results = by_member(turns[-1])
    assert "| 2 | € 14.50 |" in str(results["get_page_text"]["content"])
    for name, block in results.items():
        assert block["toolset_name"] == "browser"
        kinds = [each["type"] for each in block["content"]]
        assert ("browser_state" in kinds) is not block.get("is_error", False), (name, kinds)
    assert [each["type"] for each in results["new_tab"]["content"]] == ["browser_state"]
    assert results["javascript_exec"]["is_error"]
    assert "form_input" in str(turns[0]["system"])
    assert "search_page" not in str(turns[0]["system"])


async def test_a_model_that_sees_is_given_a_picture(browser: Browser, page: Page) -> None:
    script: list[Call] = [("screenshot", {}), ("done", {"result": "Seen."})]

    _, _, turns = await ran(browser, page, script, url="data:text/html,<p>Mugs", vision=True)

    shot = by_member(turns[-1])["screenshot"]["content"]
    assert [each["type"] for each in shot] == ["image", "browser_state"]


def by_member(request: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The last result of each member in a request."""
    names: dict[str, str] = {}
    results: dict[str, dict[str, Any]] = {}
    for message in request["messages"]:
        for block in message["content"] if isinstance(message["content"], list) else []:
            if block["type"] == "tool_use" and "toolset_name" in block:
                names[block["id"]] = block["name"]
            if block["type"] == "tool_result" and block["tool_use_id"] in names:
                results[names[block["tool_use_id"]]] = block
    return results


@table(
    "options",
    [
        {"model": "openai/gpt-6-luna"},
        {"model": "ollama/llama"},
        {"planner": "anthropic/claude-opus-5"},
        {},
    ],
)
async def test_where_there_are_no_such_tools_that_is_said(options: dict[str, Any]) -> None:
    with pytest.raises(SetupError, match="no browser toolset"):
        Agent(None, api_key="none", toolset="vendor", **options)  # type: ignore[arg-type]  # it is not reached


def test_the_wire_knows_the_members_that_there_are() -> None:
    assert set(MEMBERS) == browser_toolset.MEMBERS
    assert browser_toolset.entry(
        browser_toolset.MEMBERS - {"zoom", "file_upload", "read_console", "read_network", "javascript_exec"}
    ) == {"type": "browser_toolset_20260801", "configs": {"zoom": {"enabled": False}}}
    assert browser_toolset.entry(browser_toolset.MEMBERS)["configs"]["file_upload"] == {"enabled": True}


def test_results_have_the_state_and_what_they_have_no_place_for_follows_them() -> None:
    calls = (ToolCall("a", "new_tab", "{}"), ToolCall("b", "left_click", "{}"), ToolCall("c", "done", "{}"))
    tabs = (TabState("t1", "https://a.example/", active=False), TabState("t2", "", active=True, opened=True))
    request = Request(
        "claude-opus-5",
        (
            User((Text("Go."),)),
            Assistant("", calls),
            ToolResult("a", "You are there.", tabs=tabs),
            ToolResult("b", "It is covered.", (Image(b"png"),), is_error=True, tabs=tabs),
            ToolResult("c", "Not yet."),
        ),
        tuple(map(spec_of, (*MEMBERS.values(), BUILT_IN["done"]))),
    )

    _, said, told = anthropic.encode(request)["messages"]

    assert [each.get("toolset_name") for each in said["content"]] == ["browser", "browser", None]
    assert [each["type"] for each in told["content"]] == [*["tool_result"] * 3, "text", "image"]
    opened, covered, done = told["content"][:3]
    (state,) = opened["content"]
    assert state["state_changes"] == [{"type": "tab_opened", "tab_id": "t2"}]
    assert [each["active"] for each in state["tabs"]] == [False, True]
    assert (covered["is_error"], covered["content"]) == (True, [{"type": "text", "text": "It is covered."}])
    assert "toolset_name" not in done

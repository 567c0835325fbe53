"""Other names for the same acts are taken as meant, and go on under ours."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from cdp_agent.agent.perform import Understood, understand
from cdp_agent.browser import Browser
from cdp_agent.errors import InvalidArguments
from cdp_agent.events import AgentAction, BrowserActionCompleted
from cdp_agent.page.page import Page
from cdp_agent.providers.base import ToolCall
from cdp_agent.tools import BUILT_IN, DEFAULT
from cdp_agent.tools.aliases import NAMES
from fixtures.replay import tool_call
from tests.agents import DONE, SHOP, of, play
from tests.conftest import Serve


def understood(name: str, arguments: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    found = understand(ToolCall("1", name, msgspec.json.encode(arguments).decode()), BUILT_IN)
    assert isinstance(found, Understood), found
    return found.tool.name, found.as_json()


@pytest.mark.parametrize(
    ("name", "arguments", "ours"),
    [
        ("type", {"ref": "E1", "text": "cats"}, ("fill", {"ref": "E1", "value": "cats"})),
        ("type", {"a11yId": "E1", "text": "!", "mode": "append", "submit": True},
         ("fill", {"ref": "E1", "value": "!", "append": True, "submit": True})),
        ("type", {"ref": "E1", "text": "x", "mode": "replace"}, ("fill", {"ref": "E1", "value": "x"})),
        ("press_key", {"key": "Control+A"}, ("press", {"key": "Control+A"})),
        ("pressKey", {"key": "Tab", "times": 3}, ("press", {"key": "Tab", "repeat": 3})),
        ("enter", {"ref": "E2"}, ("press", {"key": "Enter", "ref": "E2"})),
        ("click", {"ref": "E3", "kind": "double"}, ("click", {"ref": "E3", "count": 2})),
        ("click", {"ref": "E3", "clickType": "right"}, ("click", {"ref": "E3", "button": "right"})),
        ("click", {"ref": "E3", "kind": "single"}, ("click", {"ref": "E3"})),
        ("select", {"ref": "E4", "option": "1", "by": "value"}, ("select", {"ref": "E4", "value": "1", "by": "value"})),
        ("scroll", {"direction": "toElement", "target": "E5"}, ("scroll", {"direction": "into_view", "ref": "E5"})),
        ("scroll", {"direction": "down", "amount": 500}, ("scroll", {"pixels": 500})),
        ("navigate", {"action": "goto", "url": "a.example"}, ("goto", {"url": "a.example"})),
        ("navigate", {"url": "a.example"}, ("goto", {"url": "a.example"})),
        ("navigate", {"action": "back", "url": ""}, ("back", {})),
        ("navigate", {"action": "Reload"}, ("reload", {})),
        ("manageTabs", {"action": "switch", "tabId": "t2"}, ("manage_tabs", {"action": "switch", "tab": "t2"})),
        ("waitFor", {"waitType": "networkIdle"}, ("wait_for", {"idle": True})),
        ("wait_for", {"waitType": "element", "selector": "p"}, ("wait_for", {"selector": "p"})),
        ("wait_for", {"seconds": 2}, ("wait", {"seconds": 2})),
        ("waitFor", {"time": 2}, ("wait", {"seconds": 2})),
        ("getSchema", {}, ("get_schema", {})),
        ("getHTML", {"id": "E6"}, ("get_html", {"ref": "E6"})),
        ("upload_file", {"ref": "E7", "path": "cv.pdf"}, ("upload", {"ref": "E7", "files": ["cv.pdf"]})),
    ],
)  # fmt: skip
def test_what_is_meant_is_called_by_our_name(name: str, arguments: dict[str, Any], ours: tuple[str, Any]) -> None:
    assert understood(name, arguments) == ours


@pytest.mark.parametrize("name", NAMES)
def test_an_alias_stands_for_a_tool_that_is_there_and_is_none_itself(name: str) -> None:
    assert NAMES[name].tool in BUILT_IN
    assert name not in BUILT_IN


@pytest.mark.parametrize(
    ("name", "arguments", "why"),
    [
        ("jump", {}, "There is no tool 'jump'. Those there are: snapshot,"),
        ("navigate", {"action": "sideways"}, "There is no tool 'navigate'."),
        ("evaluate", {"expression": "1"}, "There is no tool 'evaluate'."),
        ("getSchema", {}, "There is no tool 'getSchema'."),
        ("type", {"ref": "E1"}, "fill: Object missing required field `value`. It takes {ref, value, append?, submit?}"),
        ("click", {"ref": "E1", "kind": "thrice"}, "click: button: Invalid enum value 'thrice'"),
    ],
)
def test_what_is_not_meant_by_anything_is_refused(name: str, arguments: dict[str, Any], why: str) -> None:
    found = understand(ToolCall("1", name, msgspec.json.encode(arguments).decode()), DEFAULT)

    assert isinstance(found, InvalidArguments)
    assert str(found).startswith(why)


async def test_events_tell_our_name(browser: Browser, page: Page, serve: Serve) -> None:
    typed = tool_call("type", {"ref": "{{ref:textbox Search}}", "text": "tea"})

    events, _ = await play(browser, page, [typed, DONE], url=serve(SHOP))

    assert [each.action for each in of(events, AgentAction)] == ["fill", "done"]
    assert [each.action for each in of(events, BrowserActionCompleted)] == ["fill", "done"]

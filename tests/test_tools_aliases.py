"""Other names for the same acts are taken as meant, and go on under ours."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from cdp_agent.browser import Browser
from cdp_agent.errors import ActionError, InvalidArguments
from cdp_agent.events import AgentAction, BrowserActionCompleted
from cdp_agent.page.locators import matching
from cdp_agent.page.page import Page
from cdp_agent.providers.base import ToolCall
from cdp_agent.session.calls import Call, InvalidCall, parse_call, parse_call_on
from cdp_agent.tools import BUILT_IN, DEFAULT
from cdp_agent.tools.aliases import NAMES, nearest
from fixtures.replay import tool_call
from tests.agents import DONE, SHOP, of, play
from tests.conftest import Serve
from tests.tables import table
from tests.writing import opened


@table(
    ("name", "near"),
    [
        ("clik", ["click"]),
        ("browser-click", ["click"]),
        ("scroll_down", ["scroll"]),
        ("search", ["search_page"]),
        ("waitUntil", ["wait"]),
        ("xyzzy", []),
        ("", []),
        ("click" * 200_000, ["click"]),
    ],
)
def test_of_a_name_that_there_is_not_the_nearest_are_told(name: str, near: list[str]) -> None:
    assert nearest(name, BUILT_IN) == near


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("clik", "There is no tool 'clik'. The nearest: click."),
        ("xyzzy", "There is no tool 'xyzzy'. Call one of those that you were given."),
    ],
)
def test_a_tool_that_there_is_not_is_refused_in_a_line(name: str, message: str) -> None:
    call = parse_call(name, "{}", BUILT_IN)

    assert isinstance(call, InvalidCall)
    assert (str(call.error), call.is_unknown) == (message, True)


def understood(name: str, arguments: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    found = parse_call(name, arguments, BUILT_IN)
    assert isinstance(found, Call), found
    return found.tool.name, found.as_json()


@table(
    ("name", "arguments", "ours"),
    [
        ("type", {"ref": "E1", "text": "cats"}, ("fill", {"ref": "E1", "value": "cats"})),
        ("type", {"a11yId": "E1", "text": "!", "mode": "append", "submit": True},
         ("fill", {"ref": "E1", "value": "!", "append": True, "submit": True})),
        ("type", {"ref": "E1", "text": "x", "mode": "replace"}, ("fill", {"ref": "E1", "value": "x"})),
        ("type", {"text": "cats"}, ("type_text", {"text": "cats"})),
        ("type_text", {"text": "cats"}, ("type_text", {"text": "cats"})),
        ("type_text", {"element": "E1", "text": "cats"}, ("fill", {"ref": "E1", "value": "cats"})),
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
        ("waitFor", {"waitType": "time", "value": 1500}, ("wait", {"seconds": 1.5})),
        ("waitFor", {"waitType": "time", "value": "250"}, ("wait", {"seconds": 0.25})),
        ("waitFor", {"waitType": "element", "selector": "p", "timeout": 5000},
         ("wait_for", {"selector": "p", "timeout_s": 5.0})),
        ("waitFor", {"waitType": "networkIdle", "selector": "", "timeout": 3000},
         ("wait_for", {"idle": True, "timeout_s": 3.0})),
        ("wait_for", {"text": "Done", "timeout": 5}, ("wait_for", {"text": "Done", "timeout_s": 5.0})),
        ("wait_for", {"text": "Done", "timeoutMs": 900}, ("wait_for", {"text": "Done", "timeout_s": 0.9})),
        ("wait", {"ms": 500}, ("wait", {"seconds": 0.5})),
        ("wait", {"time": 2000}, ("wait", {"seconds": 2.0})),
        ("wait", {"duration": 2}, ("wait", {"seconds": 2.0})),
        ("clickElement", {"a11yId": 3, "clickType": "double"}, ("click", {"ref": "E3", "count": 2})),
        ("openTab", {"url": "a.example"}, ("manage_tabs", {"action": "open", "url": "a.example"})),
        ("closeTab", {"tabId": "t2"}, ("manage_tabs", {"action": "close", "tab": "t2"})),
        ("switchTab", {"tabId": "t2"}, ("manage_tabs", {"action": "switch", "tab": "t2"})),
        ("selectOption", {"a11yId": "E4", "option": "1", "by": "index"},
         ("select", {"ref": "E4", "value": "1", "by": "index"})),
        ("waitForElement", {"selector": "p"}, ("wait_for", {"selector": "p"})),
        ("hoverElement", {"id": "E1"}, ("hover", {"ref": "E1"})),
        ("getSchema", {}, ("get_schema", {})),
        ("getHTML", {"id": "E6"}, ("get_html", {"ref": "E6"})),
        ("upload_file", {"ref": "E7", "path": "cv.pdf"}, ("upload", {"ref": "E7", "files": ["cv.pdf"]})),
    ],
)  # fmt: skip
def test_what_is_meant_is_called_by_our_name(name: str, arguments: dict[str, Any], ours: tuple[str, Any]) -> None:
    assert understood(name, arguments) == ours


@table("name", [*NAMES])
def test_an_alias_stands_for_a_tool_that_is_there_and_is_none_itself(name: str) -> None:
    assert NAMES[name].tool in BUILT_IN
    assert name not in BUILT_IN


@table(
    ("name", "arguments", "why"),
    [
        ("jump", {}, "There is no tool 'jump'. Call one of those"),
        ("navigate", {"action": "sideways"}, "There is no tool 'navigate'."),
        ("evaluate", {"expression": "1"}, "There is no tool 'evaluate'."),
        ("getSchema", {}, "There is no tool 'getSchema'."),
        ("type", {"ref": "E1"}, "fill: Object missing required field `value`. It takes {ref, value, append?, submit?}"),
        ("wait", {"time": 10**400}, "wait: seconds: "),
        ("click", {"ref": "E1", "kind": "thrice"}, "click: button: Invalid enum value 'thrice'"),
    ],
)
def test_what_is_not_meant_by_anything_is_refused(name: str, arguments: dict[str, Any], why: str) -> None:
    call = parse_call(name, arguments, DEFAULT)

    assert isinstance(call, InvalidCall)
    assert isinstance(call.error, InvalidArguments)
    assert str(call.error).startswith(why)


async def test_events_tell_our_name(browser: Browser, page: Page, serve: Serve) -> None:
    typed = tool_call("type", {"ref": "{{ref:textbox Search}}", "text": "tea"})

    events, _ = await play(browser, page, [typed, DONE], url=serve(SHOP))

    assert [each.action for each in of(events, AgentAction)] == ["fill", "done"]
    assert [each.action for each in of(events, BrowserActionCompleted)] == ["fill", "done"]


FORM = (
    "<input name=q aria-label=Search><button class=b>One</button><button class=b>Two</button><div id=host></div>"
    "<script>host.attachShadow({mode: 'open'}).innerHTML = '<button id=deep>Deep</button>'</script>"
)


SELECTED: list[tuple[str, dict[str, Any], tuple[str, dict[str, Any]]]] = [
    ("clickElement", {"selector": "#deep"}, ("click", {"ref": "button Deep"})),
    ("type", {"selector": "input[name='q']", "text": "cats", "submit": True},
     ("fill", {"ref": "textbox Search", "value": "cats", "submit": True})),
    ("pressKey", {"key": "Enter", "selector": "input"}, ("press", {"key": "Enter", "ref": "textbox Search"})),
    ("pressKey", {"key": "Enter", "selector": ""}, ("press", {"key": "Enter"})),
    ("scroll", {"target": "#deep", "direction": "toElement"},
     ("scroll", {"direction": "into_view", "ref": "button Deep"})),
    ("getHTML", {"selector": "#deep"}, ("get_html", {"ref": "button Deep"})),
    ("find_elements", {"selector": ".b"}, ("find_elements", {"selector": ".b"})),
]  # fmt: skip


async def test_a_selector_stands_for_the_one_element_that_it_matches(
    page: Page, serve: Serve, subtests: pytest.Subtests
) -> None:
    await opened(page, serve, FORM)
    refs = {f"{each.role} {each.name}": each.ref for each in (await page.snapshot()).refs.values()}

    for name, arguments, (our_name, ours) in SELECTED:
        with subtests.test(name, **arguments):
            found = await parse_call_on(page, ToolCall("1", name, msgspec.json.encode(arguments).decode()), BUILT_IN)

            assert isinstance(found, Call), found
            told = {key: refs.get(each, each) for key, each in ours.items()}
            assert (found.tool.name, found.as_json()) == (our_name, told)


MATCHING_NOT_ONE = {
    ".b": 'css=".b" fits 2 elements, and one is needed.',
    "#none": 'Nothing on the page is css="#none", nor came within 0.1 s.',
    "a[": "'a[' is not a valid selector",
}


async def test_a_selector_that_matches_none_or_several_is_refused(
    page: Page, serve: Serve, subtests: pytest.Subtests, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(matching, "WAIT_S", 0.1)
    await opened(page, serve, FORM)
    await page.snapshot()

    for selector, why in MATCHING_NOT_ONE.items():
        with subtests.test(selector):
            call = ToolCall("1", "click", msgspec.json.encode({"selector": selector}).decode())
            found = await parse_call_on(page, call, BUILT_IN)

            assert isinstance(found, ActionError)
            assert why in str(found)

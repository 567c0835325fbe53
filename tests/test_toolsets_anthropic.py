"""Anthropic's browser toolset by the SDK's own classes: its pipeline checks, asks and renders, a page of ours acts."""

from __future__ import annotations

import importlib
import itertools
import re
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from cdp_agent import sync
from cdp_agent.agent.toolset import spec_of
from cdp_agent.browser import Browser
from cdp_agent.errors import SetupError
from cdp_agent.extras import install_command
from cdp_agent.page.page import Page
from cdp_agent.providers.anthropic.anthropic import encode
from cdp_agent.providers.base import Assistant, Image, Request, TabState, Text, ToolCall, ToolResult, User
from cdp_agent.tools.members.anthropic import MEMBERS
from tests.conftest import Serve
from tests.detached import DetachedChrome, closing_tabs
from tests.late import Late
from tests.vendor_models import READ, Call, VendorModel, anthropic_message, played
from tests.writing import opened

if TYPE_CHECKING:
    import anthropic
    import pydantic
    from anthropic.tools import browser as sdk
    from anthropic.types import beta

    from cdp_agent.toolsets import anthropic as ours
else:
    anthropic, ours, pydantic = Late("anthropic"), Late("cdp_agent.toolsets.anthropic"), Late("pydantic")
    sdk, beta = Late("anthropic.tools.browser"), Late("anthropic.types.beta")

EVERY = {name: {"enabled": True} for name in ("javascript_exec", "file_upload", "read_console", "read_network")}
FORM = """<!doctype html><title>Form</title><style>body{margin:0}main>*{display:block}</style><main>
<button onclick="this.textContent += '!'" style="width:200px;height:40px">Press me</button>
<input aria-label=Name><input type=checkbox aria-label=Terms><input type=file aria-label=CV>
<select aria-label=Country><option value=no>Norway<option value=se>Sweden</select>
<a href=# target=_blank id=popup>Popup</a><a download=notes.txt href="data:text/plain,notes">Notes</a>
<button onclick="alert('Careful')">Warn</button><button onclick="confirm('Sure?')">Ask</button>
<p style="margin-top:2000px">The end</p></main>"""
_numbers = itertools.count()


class Model:
    """Calls members as the SDK's runner does, and reads what it is told."""

    def __init__(self, toolset: ours.AsyncBrowserToolset) -> None:
        self.toolset = toolset
        self.content: list[dict[str, Any]] = []
        self.is_error = False

    async def __call__(self, name: str, **input: Any) -> str:
        """What is told in words."""
        block = beta.BetaToolUseBlock(
            id=f"toolu_{next(_numbers)}", type="tool_use", name=name, input=input, toolset_name="browser"
        )
        result = await self.toolset.tool_result(block)
        self.content, self.is_error = result["content"], result.get("is_error", False)
        assert result["toolset_name"] == "browser"
        return "\n".join(each["text"] for each in self.content if each["type"] == "text")

    @property
    def state(self) -> dict[str, Any]:
        """The state of the browser that came with the last result."""
        (block,) = [each for each in self.content if each["type"] == "browser_state"]
        return block

    async def ref(self, line: str) -> dict[str, str]:
        """A target: the element whose line in the page begins like this."""
        (ref,) = await self.refs(line)
        return ref

    async def refs(self, *lines: str) -> list[dict[str, str]]:
        """The same for several."""
        page = (await self("read_page", filter="interactive")).split("\n")
        found = [next(each for each in page if each.startswith(f"- {line}")) for line in lines]
        return [{"type": "ref", "ref": each.partition("[ref=")[2].partition("]")[0]} for each in found]


@pytest.fixture
async def model(page: Page, serve: Serve, tmp_path: Path) -> AsyncIterator[Model]:
    await opened(page, serve, FORM)
    policy = sdk.BetaLocalFilePolicy(upload_roots=[tmp_path])
    async with ours.BrowserToolset(page, configs=EVERY, confirm=lambda _: True, file_policy=policy) as toolset:
        yield Model(toolset)


def at(x: int, y: int) -> dict[str, Any]:
    return {"type": "coordinate", "x": x, "y": y}


async def test_each_member_does_what_it_is_for(model: Model, page: Page, serve: Serve, tmp_path: Path) -> None:
    cv = tmp_path / "cv.txt"
    cv.write_text("me")
    pressed, name, terms, country, upload = await model.refs(
        'button "Press me', 'textbox "Name', 'checkbox "Terms', 'combobox "Country', 'button "CV'
    )
    calls: list[tuple[str, dict[str, Any], str]] = [
        ("left_click", {"target": pressed}, 'button "Press me"'),
        ("left_click", {"target": at(20, 20)}, "clicked at 20, 20"),
        ("right_click", {"target": pressed}, "with the right button"),
        ("middle_click", {"target": at(20, 20)}, "with the middle button"),
        ("double_click", {"target": pressed, "modifiers": "ctrl+shift"}, "twice with Control and Shift"),
        ("triple_click", {"target": at(20, 20)}, "3 times"),
        ("hover", {"target": pressed}, "Hovered."),
        ("mouse_move", {"target": at(30, 30)}, "moved the mouse to 30, 30"),
        ("left_mouse_down", {"target": at(30, 30)}, "pressed the mouse button"),
        ("left_mouse_up", {"target": at(60, 30)}, "let the mouse button go"),
        ("left_click_drag", {"from": at(30, 30), "target": at(90, 30)}, "dragged from 30, 30 to 90, 30"),
        ("form_input", {"target": name, "value": "Ada"}, 'value: "Ada"'),
        ("form_input", {"target": terms, "value": True}, "now [checked]"),
        ("form_input", {"target": country, "value": "Sweden"}, "Sweden"),
        ("form_input", {"target": country, "value": "no"}, "Norway"),
        ("left_click", {"target": name}, "textbox"),
        ("key", {"text": "End"}, "Pressed End."),
        ("type", {"text": " Berg"}, "Ada Berg"),
        ("key", {"text": "ctrl+a Delete"}, "Pressed ctrl+a Delete."),
        ("hold_key", {"text": "x", "duration": 0.01}, "held x for 0.01 s"),
        ("file_upload", {"target": upload, "paths": [str(cv)]}, "cv.txt"),
        ("scroll", {"scroll_direction": "down", "target": at(100, 100), "scroll_amount": 2}, "scrolled to 200"),
        ("scroll_to", {"target": pressed}, "Scrolled to"),
        ("read_page", {}, '- combobox "Country"'),
        ("find", {"query": "country dropdown"}, 'combobox "Country"'),
        ("get_page_text", {}, "The end"),
        ("wait", {"duration": 0}, "Waited 0s."),
        ("javascript_exec", {"text": "console.log('hello'); fetch('/none'); document.title"}, '"Form"'),
        ("read_console", {}, "log: hello"),
        ("read_network", {}, "GET "),
        ("list_tabs", {}, ""),
        ("new_tab", {}, ""),
        ("navigate", {"url": serve("<title>Second</title><p>2")}, "Second (HTTP 200)"),
        ("navigate", {"url": "reload"}, "Second"),
        ("navigate", {"url": " BACK "}, ""),
        ("switch_tab", {"tab_id": f"t{page.number}"}, ""),
        ("close_tab", {"tab_id": "the second"}, ""),
        ("screenshot", {}, ""),
        ("zoom", {"region": [0, 0, 100, 50]}, ""),
    ]
    done = {"read_page"}
    second = ""
    for member, input, told in calls:
        if member == "close_tab":
            input = {"tab_id": second}
        said = await model(member, **input)
        assert told in said, (member, said)
        assert not model.is_error, (member, said)
        if member == "new_tab":
            second = next(each["tab_id"] for each in model.state["tabs"] if each["active"])
        done.add(member)

    assert done == set(MEMBERS)


BAD: dict[str, list[dict[str, Any]]] = {
    "navigate": [{}, {"url": 5}, {"url": ""}, {"url": "no address"}, {"url": "javascript:1"}, {"url": "file:///etc"}],
    "list_tabs": [],
    "new_tab": [],
    "switch_tab": [{}, {"tab_id": 1}, {"tab_id": "t99999"}],
    "close_tab": [{}, {"tab_id": "Form"}],
    "read_page": [{"depth": 0}, {"filter": "some"}, {"ref": "E9999"}, {"ref": "ref_7"}, {"tab_id": "t99999"}],
    "get_page_text": [{"tab_id": "t99999"}],
    "find": [{}, {"query": ""}, {"query": ["x"]}],
    "form_input": [{"value": "x"}, {"target": at(1, 1), "value": "x"}, {"target": {"type": "ref", "ref": "E9999"}}],
    "file_upload": [{}, {"target": {"type": "ref", "ref": "E1"}}, {"target": {"type": "ref", "ref": "E1"}, "paths": 5}],
    "scroll_to": [{"target": at(1, 1)}, {"target": {"type": "ref", "ref": "E9999"}}],
    "screenshot": [{"tab_id": "t99999"}],
    "zoom": [{}, {"region": [1, 2, 3]}, {"region": [100, 100, 50, 50]}, {"region": [9000, 0, 9100, 10]}],
    "left_click": [{}, {"target": {"type": "ref", "ref": "E9999"}}, {"target": at(9000, 1)}, {"target": at(-1, 1)}],
    "right_click": [{"target": {"type": "place"}}, {"target": at(1, 1), "modifiers": "hyper"}],
    "middle_click": [{"target": "E1"}],
    "double_click": [{"target": {"type": "coordinate", "x": "left", "y": 1}}],
    "triple_click": [{"target": {"type": "ref"}}],
    "hover": [{"target": at(1, 9000)}],
    "left_click_drag": [{"target": at(1, 1)}, {"from": at(1, 1), "target": at(9000, 1)}],
    "left_mouse_down": [{"target": at(1, 9000)}],
    "left_mouse_up": [{"target": at(9000, 1)}],
    "mouse_move": [{"target": {"type": "ref", "ref": "E1"}}],
    "scroll": [
        {"target": at(1, 1)},
        {"target": at(1, 1), "scroll_direction": "in"},
        {"target": at(1, 1), "scroll_direction": "up", "scroll_amount": 11},
    ],
    "type": [{}, {"text": 5}, {"text": "x" * 1_000_001}],
    "key": [{}, {"text": "Tabulator"}, {"text": "Tab Tabulator"}, {"text": "a", "repeat": 0}],
    "hold_key": [{"text": "a"}, {"text": "a", "duration": 31}, {"text": "a", "duration": -1}],
    "wait": [{}, {"duration": 31}, {"duration": -1}, {"duration": "long"}],
    "javascript_exec": [{}, {"text": ""}, {"text": "return 5"}, {"text": "throw new Error('no')"}],
    "read_console": [{"tab_id": "t99999"}],
    "read_network": [{"tab_id": 5}],
}


async def test_bad_input_of_each_member_is_refused_and_nothing_is_lost(model: Model, page: Page) -> None:
    assert set(BAD) == set(MEMBERS)
    before = (await page.snapshot()).text

    for member, inputs in BAD.items():
        for input in inputs:
            told = await model(member, **input)
            assert model.is_error, (member, input, told)
            assert told.strip(), (member, input)
            assert [each["type"] for each in model.content] == ["text"]

    assert (await page.snapshot()).text == before
    assert "Form" in await model("javascript_exec", text="document.title")


async def test_what_a_page_does_beside_is_told_in_the_state_and_what_it_opened_is_closed(
    model: Model, page: Page
) -> None:
    await model("left_click", target=await model.ref('link "Popup'))
    (opened,) = model.state["state_changes"]
    assert opened == {"type": "tab_opened", "tab_id": next(e["tab_id"] for e in model.state["tabs"] if e["active"])}

    await model("switch_tab", tab_id=f"t{page.number}")
    told = await model("left_click", target=await model.ref('link "Notes'))
    (download,) = model.state["state_changes"]
    assert (download["type"], download["size_bytes"]) == ("download_completed", 5)
    assert set(download) == {"type", "download_id", "url", "size_bytes"}  # the policy shows no paths
    assert download["download_id"]
    assert "notes.txt" in told

    assert 'An alert dialog "Careful" was dismissed.' in await model(
        "left_click", target=await model.ref('button "Warn')
    )
    assert "Sure?" in await model("left_click", target=await model.ref('button "Ask'))

    await model("new_tab")
    tabs = [each["tab_id"] for each in model.state["tabs"]]
    await model.toolset.close()

    assert not page.closed
    assert [each.closed for each in page.popups] == [True]
    again = Model(ours.BrowserToolset(page))
    await again("list_tabs")
    assert len(again.state["tabs"]) == len(tabs) - 2  # what the model opened is closed, and nothing else


async def test_rules_of_the_browser_hold_whatever_the_sdk_allows(serve: Serve, shared_browser: Browser) -> None:
    elsewhere = serve("<p>Elsewhere", other_site=True)
    url = serve(f"<main><a href='{elsewhere}'>Away</a></main>")
    async with await shared_browser.new_context(allow=["127.0.0.1"]) as context:
        model = Model(ours.BrowserToolset(await context.new_page(url)))

        told = await model("navigate", url=elsewhere)
        assert model.is_error
        assert "localhost" in told
        told = await model("left_click", target=await model.ref('link "Away'))

        assert model.is_error
        assert "A navigation was refused." in told
        assert url in str((await model("list_tabs"), model.state))


async def test_a_secret_is_filled_in_at_its_origin_and_never_told(page: Page, serve: Serve) -> None:
    await opened(
        page,
        serve,
        """<title>Log in</title><main><input type=password aria-label=Password
          oninput="document.title = this.value; out.textContent = this.value"><p id=out></p></main>""",
    )
    model = Model(ours.BrowserToolset(page, secrets={"password": "hunter2-hunter2"}))
    target = await model.ref('textbox "Password')

    told = await model("form_input", target=target, value="<secret:password>")

    assert not model.is_error, told
    assert await page.evaluate("document.querySelector('input').value") == "hunter2-hunter2"
    seen = [told, str(model.content), await model("read_page"), str(model.content), await model("get_page_text")]
    assert "hunter2" not in "".join(seen)
    assert "<secret:password>" in seen[2]
    assert "given to fill" in await model("type", text="<secret:password>")


async def test_a_closed_tab_is_said_to_be_closed(page: Page) -> None:
    await page.close()

    with pytest.raises(SetupError, match="closed"):
        ours.BrowserToolset(page)


MUGS = """<title>Mugs</title><main><input aria-label=Quantity>
<button onclick="out.textContent = document.querySelector('input').value + ' in the cart'">Add to cart</button>
<p id=out></p></main>"""
SHOPPING: list[Call] = [
    READ,
    ("form_input", {"target": {"type": "ref", "ref": '{{ref:textbox "Quantity"}}'}, "value": 2}),
    ("left_click", {"target": {"type": "ref", "ref": '{{ref:button "Add to cart"}}'}}),
    ("get_page_text", {}),
]


async def test_the_runner_of_the_sdk_fills_a_cart(page: Page, serve: Serve) -> None:
    script: list[Call] = [("navigate", {"url": serve(MUGS)}), *SHOPPING]
    with played(VendorModel(script, anthropic_message)) as model:
        client = anthropic.AsyncAnthropic(
            base_url=model.base_url, api_key="none", http_client=anthropic.DefaultAsyncHttpxClient(verify=False)
        )
        async with ours.BrowserToolset(page) as toolset:
            runner = client.beta.messages.tool_runner(
                model="played", max_tokens=100, messages=[{"role": "user", "content": "Buy."}], tools=[toolset]
            )
            last = await runner.until_done()

    assert "2 in the cart" in last.content[0].text
    assert model.requests[0]["tools"] == [toolset.to_dict()]


def test_the_blocking_runner_of_the_sdk_fills_a_cart(serve: Serve, detached: DetachedChrome) -> None:
    script: list[Call] = [("navigate", {"url": serve(MUGS)}), *SHOPPING]
    with (
        closing_tabs(detached.endpoint),
        sync.Browser.connect(detached.endpoint) as browser,
        played(VendorModel(script, anthropic_message)) as model,
        ours.BrowserToolset(browser.new_page()) as toolset,
    ):
        assert isinstance(toolset, ours.BlockingBrowserToolset)
        client = anthropic.Anthropic(
            base_url=model.base_url, api_key="none", http_client=anthropic.DefaultHttpxClient(verify=False)
        )
        runner = client.beta.messages.tool_runner(
            model="played", max_tokens=100, messages=[{"role": "user", "content": "Buy."}], tools=[toolset]
        )
        last = runner.until_done()

    assert "2 in the cart" in last.content[0].text


def test_what_our_wire_sends_has_the_forms_of_the_sdk() -> None:
    calls = [ToolCall(name, name, "{}") for name in ("new_tab", "screenshot", "get_page_text", "left_click")]
    tabs = (TabState("t1", "https://a.example/", active=False), TabState("t2", "", active=True, opened=True))
    results = [ToolResult(each.id, "Told.", (Image(b"png"),), tabs=tabs) for each in calls[:-1]]
    request = Request(
        "claude-opus-5",
        (User((Text("Go."),)), Assistant("", tuple(calls)), *results, ToolResult(calls[-1].id, "No.", is_error=True)),
        tuple(map(spec_of, MEMBERS.values())),
    )

    body = encode(request)

    told = [each for each in body["messages"][-1]["content"] if each["type"] == "tool_result"]
    assert len(told) == len(calls)
    parts = [part for each in told for part in each["content"]]
    states = [part for part in parts if part["type"] == "browser_state"]
    # One by one, as the SDK's iterables are looked at by nobody.
    for form, value in (
        (beta.BetaBrowserToolset20260801Param, body["tools"][0]),
        (list[beta.BetaToolResultBlockParam], told),
        (list[beta.BetaTextBlockParam], [part for part in parts if part["type"] == "text"]),
        (list[beta.BetaImageBlockParam], [part for part in parts if part["type"] == "image"]),
        (list[beta.BetaBrowserStateBlockParam], states),
        (list[beta.BetaBrowserStateTabEntryParam], [tab for each in states for tab in each["tabs"]]),
        (list[beta.BetaBrowserStateChangeParam], [change for each in states for change in each["state_changes"]]),
    ):
        assert value
        pydantic.TypeAdapter(form).validate_python(value)


def test_without_the_sdk_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "anthropic", None)
    monkeypatch.delitem(sys.modules, "cdp_agent.toolsets.anthropic", raising=False)

    with pytest.raises(SetupError, match=re.escape(install_command("anthropic"))):
        importlib.import_module("cdp_agent.toolsets.anthropic")

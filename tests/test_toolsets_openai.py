"""OpenAI's browser functions by the SDK's own toolset: it checks, asks and renders, a page of ours acts."""

from __future__ import annotations

import importlib
import itertools
import json
import re
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from cdp_agent import sync
from cdp_agent.browser import Browser
from cdp_agent.errors import SetupError
from cdp_agent.extras import install_command
from cdp_agent.page.page import Page
from tests.conftest import Serve
from tests.detached import DetachedChrome, closing_tabs
from tests.late import Late
from tests.vendor_models import Call, VendorModel, openai_response, played
from tests.writing import opened

if TYPE_CHECKING:
    import openai
    from openai.lib import browser as sdk
    from openai.lib import responses_tool_runner as runners
    from openai.types import responses

    from cdp_agent.toolsets import openai as ours
else:
    openai, responses, ours = Late("openai"), Late("openai.types.responses"), Late("cdp_agent.toolsets.openai")
    sdk, runners = Late("openai.lib.browser"), Late("openai.lib.responses_tool_runner")

FORM = """<!doctype html><title>Form</title><style>body{margin:0}form>*{display:block}</style>
<form aria-label="Sign up">
<button type=button onclick="this.textContent += '!'" style="width:200px;height:40px">Press me</button>
<input aria-label=Name value=Ada><input type=checkbox aria-label=Terms><input type=file aria-label=CV>
<select aria-label=Country><option value=no>Norway<option value=se>Sweden</select>
<select aria-label=Tags multiple><option>red<option>green<option>blue</select></form>
<main><a href="/popup" target=_blank>Popup</a><a download=notes.txt id=notes href="data:text/plain,notes">Notes</a>
<button onclick="alert('Careful')">Warn</button><p style="margin-top:2000px">The end</p></main>"""
_numbers = itertools.count()


class Model:
    """Calls functions as the SDK's runner does, and reads what it is told."""

    def __init__(self, toolset: sdk.AsyncBrowserToolset) -> None:
        self._toolset = toolset
        self.told: dict[str, Any] = {}
        self.parts: list[dict[str, Any]] = []

    async def __call__(self, name: str, **arguments: Any) -> Any:
        """The result; an error is in `told`."""
        fields = next(tool for tool in self._toolset.tools if tool["name"] == f"browser_{name}")["parameters"][
            "required"
        ]
        if "tab_id" in fields:
            arguments.setdefault("tab_id", None)
        output = await self._toolset.execute(
            responses.ResponseFunctionToolCall(
                type="function_call",
                call_id=f"call_{next(_numbers)}",
                name=f"browser_{name}",
                arguments=json.dumps(arguments),
                status="completed",
            )
        )
        self.parts = output["output"]
        self.told = json.loads(self.parts[0]["text"])
        return self.told.get("result")

    @property
    def changes(self) -> list[dict[str, Any]]:
        changes: list[dict[str, Any]] = self.told["state"]["observation"]["changes"]
        return changes

    async def ref(self, line: str) -> str:
        """The ref of the element whose line in the page begins like this."""
        (ref,) = await self.refs(line)
        return ref

    async def refs(self, *lines: str) -> list[str]:
        """The same for several."""
        page = (await self("read_page", filter="interactive")).split("\n")
        found = [next(each for each in page if each.startswith(f"- {line}")) for line in lines]
        return [each.partition("[ref=")[2].partition("]")[0] for each in found]


async def yes(*_: object) -> bool:
    return True


def toolset_of(page: Page, **options: Any) -> sdk.AsyncBrowserToolset:
    driver = ours.BrowserDriver(page, **options)
    return sdk.AsyncBrowserToolset(driver, members=sdk.BROWSER_MEMBERS, confirm=yes, url_policy=yes)


@pytest.fixture
async def model(page: Page, serve: Serve, tmp_path: Path) -> AsyncIterator[Model]:
    await opened(page, serve, FORM)
    cv = tmp_path / "cv.txt"
    cv.write_text("me")
    grants: dict[str, ours.Grant] = {
        "cv": ours.UploadGrant(str(cv)),
        "notes": ours.DownloadGrant(str(tmp_path / "fetched.txt"), "#notes"),
    }
    async with ours.BrowserDriver(page, grants=grants) as driver:
        yield Model(sdk.AsyncBrowserToolset(driver, members=sdk.BROWSER_MEMBERS, confirm=yes, url_policy=yes))


async def test_each_member_does_what_it_is_for(model: Model, page: Page, serve: Serve, tmp_path: Path) -> None:
    button, name, terms, country, tags = await model.refs(
        'button "Press', 'textbox "Name', 'checkbox "Terms', 'combobox "Country', 'listbox "Tags'
    )
    calls: list[tuple[str, dict[str, Any], str]] = [
        ("click", {"target": button}, 'button "Press me"'),
        ("click_at", {"x": 20, "y": 20, "button": "left", "click_count": 2, "keys": ["Shift"]}, "twice with Shift"),
        ("hover", {"target": button}, "hovered over"),
        ("hover_at", {"x": 30, "y": 30}, "moved the mouse to 30, 30"),
        ("drag_path", {"path": [{"x": 30, "y": 30}, {"x": 60, "y": 30}, {"x": 90, "y": 30}], "keys": []}, "to 90, 30"),
        ("type", {"target": name, "text": "Ada"}, 'value: "Ada"'),
        ("click", {"target": name}, "textbox"),
        ("key", {"keys": ["End"]}, "pressed End"),
        ("type", {"target": None, "text": " Berg"}, "Ada Berg"),
        ("key", {"keys": ["Control", "a"]}, "pressed Control+a"),
        ("hold_keys", {"keys": ["Shift", "ArrowLeft"], "duration_ms": 10}, "held Shift+ArrowLeft for 0.01 s"),
        ("set_checked", {"target": terms, "checked": True}, "now [checked]"),
        ("select_option", {"target": country, "values": ["se"]}, "Sweden"),
        ("select_option", {"target": tags, "values": ["red", "blue"]}, "blue"),
        ("scroll", {"direction": "down", "amount": 150}, "by 150 px"),
        ("scroll_to", {"target": button}, "in view"),
        ("read_page", {"filter": "all"}, '- combobox "Country"'),
        ("get_page_text", {}, "The end"),
        ("find", {"query": "country"}, 'combobox "Country"'),
        ("wait_for", {"text": "the  END", "timeout_ms": 500}, "waited for"),
        ("run_script", {"source": "console.log('hello'); fetch('/none'); document.title", "timeout_ms": 900}, '"Form"'),
        ("upload_file", {"grant_id": "cv"}, "'status': 'completed'"),
        ("download_file", {"grant_id": "notes"}, "'status': 'completed'"),
        ("read_page_scoped", {"root": None, "depth": 4, "filter": "all"}, "form Sign up"),
        ("read_page_scoped", {"root": "form Sign up", "depth": 4, "filter": "all"}, "'options'"),
        ("read_diagnostics", {"source": "console", "limit": 10}, "'version': 1"),
        ("read_diagnostics", {"source": "network", "limit": 10}, "'version': 1"),
        ("list_tabs", {}, "None"),
        ("new_tab", {"url": serve("<title>Second</title><p>2")}, ""),
        ("navigate", {"url": serve("<title>Third</title><p>3")}, "navigated to"),
        ("close_tab", {}, ""),
        ("switch_tab", {"tab_id": f"t{page.number}"}, ""),
        ("screenshot", {}, "None"),
        ("zoom", {"region": [0, 0, 100, 50]}, "None"),
    ]
    for member, arguments, expected in calls:
        if member == "close_tab":
            arguments = {"tab_id": next(each["id"] for each in model.told["state"]["tabs"] if each["active"])}
        result = await model(member, **arguments)
        assert model.told["ok"], (member, model.told)
        assert expected in str(result), (member, result)
        if member in ("screenshot", "zoom"):
            assert model.parts[1]["image_url"].startswith("data:image/png;base64,")

    assert {member for member, *_ in calls} == set(sdk.BROWSER_MEMBERS)
    assert (tmp_path / "fetched.txt").read_text() == "notes"
    assert await page.evaluate("document.querySelector('[type=file]').files[0].name") == "cv.txt"
    assert [each["type"] for each in model.changes] == [
        *("download", "tab_opened", "tab_switched", "navigation", "tab_closed", "tab_switched")
    ]  # fmt: skip


BAD: list[tuple[str, dict[str, Any]]] = [
    ("navigate", {"url": "no address"}),
    ("navigate", {"url": "file:///etc/passwd"}),
    ("navigate", {}),
    ("read_page", {"filter": "some"}),
    ("read_page", {"filter": "all", "tab_id": "t99999"}),
    ("get_page_text", {"tab_id": "Form"}),
    ("find", {"query": ""}),
    ("click", {"target": "E9999"}),
    ("click", {"target": "the button"}),
    ("type", {"target": "E9999", "text": "x"}),
    ("type", {"target": None, "text": "x" * 1_000_001}),
    ("key", {"keys": []}),
    ("key", {"keys": ["Tabulator"]}),
    ("scroll", {"direction": "in", "amount": 5}),
    ("select_option", {"target": "E9999", "values": ["a"]}),
    ("hover", {"target": "E9999"}),
    ("screenshot", {"tab_id": "t99999"}),
    ("zoom", {"region": [9000, 0, 9100, 10]}),
    ("new_tab", {"url": "javascript:1"}),
    ("switch_tab", {"tab_id": "t99999"}),
    ("close_tab", {"tab_id": "t99999"}),
    ("scroll_to", {"target": "E9999"}),
    ("wait_for", {"text": "never there", "timeout_ms": 100}),
    ("hover_at", {"x": 9000, "y": 1}),
    ("set_checked", {"target": "E9999", "checked": True}),
    ("click_at", {"x": 9000, "y": 1, "button": "left", "click_count": 1, "keys": []}),
    ("drag_path", {"path": [{"x": 1, "y": 1}, {"x": 1, "y": 9000}], "keys": []}),
    ("hold_keys", {"keys": ["Tabulator"], "duration_ms": 10}),
    ("read_page_scoped", {"root": "no such part", "depth": 3, "filter": "all"}),
    ("read_diagnostics", {"source": "console", "limit": 5, "tab_id": "t99999"}),
    ("run_script", {"source": "throw new Error('no')", "timeout_ms": 500}),
    ("run_script", {"source": "new Promise(() => 0)", "timeout_ms": 100}),
    ("upload_file", {"grant_id": "unknown"}),
    ("download_file", {"grant_id": "cv"}),
]


async def test_bad_input_of_each_member_is_refused_and_nothing_is_lost(model: Model, page: Page) -> None:
    assert {member for member, _ in BAD} | {"list_tabs"} == set(sdk.BROWSER_MEMBERS)
    before = (await page.snapshot()).text

    for member, arguments in BAD:
        await model(member, **arguments)
        assert not model.told["ok"], (member, arguments, model.told)
        said = model.told.get("error") or model.told["result"]["status"]
        assert said != "Browser action failed.", (member, arguments)

    assert (await page.snapshot()).text == before
    assert model.changes == []


async def test_what_a_page_does_beside_is_told_in_the_state(model: Model, page: Page) -> None:
    await model("click", target=await model.ref('link "Popup'))
    opened, switched = model.changes
    assert (opened["type"], switched["type"], switched["tab_id"]) == ("tab_opened", "tab_switched", opened["tab_id"])

    await model("switch_tab", tab_id=f"t{page.number}")
    assert "Careful" in await model("click", target=await model.ref('button "Warn'))

    assert model.changes[-1] == {
        "type": "dialog_dismissed",
        "sequence": 4,
        "tab_id": f"t{page.number}",
        "kind": "alert",
    }


async def test_rules_and_secrets_hold(serve: Serve, shared_browser: Browser) -> None:
    elsewhere = serve("<p>Elsewhere", other_site=True)
    url = serve(
        f"""<title>Log in</title><a href='{elsewhere}'>Away</a><input type=password aria-label=Password
          oninput="document.title = this.value">"""
    )
    async with await shared_browser.new_context(allow=["127.0.0.1"]) as context:
        model = Model(toolset_of(await context.new_page(url), secrets={"password": "hunter2-hunter2"}))

        result = await model("type", target=await model.ref('textbox "Password'), text="<secret:password>")
        assert model.told["ok"], model.told
        assert "hunter2" not in f"{result}{await model('read_page', filter='all')}{model.told}"
        await model("type", target=None, text="<secret:password>")
        assert "give its target" in model.told["error"]
        await model("click", target=await model.ref('link "Away'))

        assert not model.told["ok"]
        assert model.changes[-1]["type"] == "navigation_refused"


async def test_a_page_that_has_no_origin_is_told_as_blank(page: Page) -> None:
    await page.goto("data:text/html,<title>Data</title>")
    model = Model(toolset_of(page))

    await model("list_tabs")

    (tab,) = [each for each in model.told["state"]["tabs"] if each["active"]]
    assert tab == {"id": f"t{page.number}", "title": "Data", "url": "about:blank", "active": True}


async def test_closing_it_closes_what_the_model_opened_and_nothing_else(page: Page, browser: Browser) -> None:
    before = browser.pages
    async with ours.BrowserDriver(page) as driver:
        model = Model(sdk.AsyncBrowserToolset(driver, members=sdk.BROWSER_MEMBERS, confirm=yes, url_policy=yes))
        await model("new_tab", url=None)
        assert len(browser.pages) == len(before) + 1

    assert browser.pages == before


def field(target: str, text: str) -> Call:
    return "type", {"target": f"{{{{ref:{target}}}}}", "text": text, "tab_id": None}


def click(target: str) -> Call:
    return "click", {"target": f"{{{{ref:{target}}}}}", "tab_id": None}


READ: Call = ("read_page", {"filter": "all", "tab_id": None})
TEXT: Call = ("get_page_text", {"tab_id": None})
MUGS = """<title>Mugs</title><main><input aria-label=Quantity>
<button onclick="out.textContent = document.querySelector('input').value + ' in the cart'">Add to cart</button>
<p id=out></p></main>"""
SHOPPING: list[Call] = [READ, field('textbox "Quantity"', "2"), click('button "Add to cart"'), TEXT]


async def test_the_runner_of_the_sdk_fills_a_cart(page: Page, serve: Serve) -> None:
    script: list[Call] = [("navigate", {"url": serve(MUGS), "tab_id": None}), *SHOPPING]
    with played(VendorModel(script, openai_response)) as model:
        client = openai.AsyncOpenAI(
            base_url=model.base_url, api_key="none", http_client=openai.DefaultAsyncHttpxClient(verify=False)
        )
        async with ours.BrowserDriver(page) as driver:
            toolset = sdk.AsyncBrowserToolset(driver, confirm=yes, url_policy=yes)
            runner = runners.AsyncResponsesToolRunner(browser=toolset)
            last = await runner.run(client, {"model": "played", "input": "Buy."}, max_steps=40)

    assert "2 in the cart" in last.output_text


def test_the_blocking_runner_of_the_sdk_fills_a_cart(serve: Serve, detached: DetachedChrome) -> None:
    script: list[Call] = [("navigate", {"url": serve(MUGS), "tab_id": None}), *SHOPPING]
    with (
        closing_tabs(detached.endpoint),
        sync.Browser.connect(detached.endpoint) as browser,
        played(VendorModel(script, openai_response)) as model,
        ours.BrowserDriver(browser.new_page()) as driver,
    ):
        toolset = sdk.BrowserToolset(driver, confirm=lambda *_: True, url_policy=lambda *_: True)
        runner = runners.ResponsesToolRunner(browser=toolset)
        client = openai.OpenAI(
            base_url=model.base_url, api_key="none", http_client=openai.DefaultHttpxClient(verify=False)
        )
        last = runner.run(client, {"model": "played", "input": "Buy."}, max_steps=40)

    assert "2 in the cart" in last.output_text


def test_without_the_sdk_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openai.lib.browser", None)
    monkeypatch.delitem(sys.modules, "cdp_agent.toolsets.openai", raising=False)

    with pytest.raises(SetupError, match=re.escape(install_command("openai"))):
        importlib.import_module("cdp_agent.toolsets.openai")


async def test_a_closed_tab_is_said_to_be_closed(page: Page) -> None:
    await page.close()

    with pytest.raises(SetupError, match="closed"):
        ours.BrowserDriver(page)

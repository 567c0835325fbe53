"""Whatever a model gives to a tool, and however much of it: what it reads of that is short, and says what to do."""

from __future__ import annotations

import json
from typing import Any

import pytest

from cdp_agent.browser import Browser
from cdp_agent.page.page import Page
from cdp_agent.providers.base import ToolCall
from cdp_agent.session.calls import Call, parse_call_on, perform
from cdp_agent.tools import BUILT_IN
from cdp_agent.tools.base import Answer, Context
from tests.conftest import Serve

FORM = """<title>T</title><input aria-label=F><select aria-label=S><option>a</select><input type=date aria-label=D>
<input type=file aria-label=U><button>B</button>"""
LONG = "x" * 100_000
NUMBER = "9" * 5_000
# The arguments of a call, in which "…" is what there is too much of.
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("click", {"ref": "…"}),
    ("scroll", {"ref": "…"}),
    ("get_html", {"ref": "…"}),
    ("wait_for", {"ref": "…"}),
    ("drag", {"ref": "E5", "to_ref": "…"}),
    ("fill", {"ref": "…", "value": "x"}),
    ("fill", {"ref": "E3", "value": "…"}),
    ("select", {"ref": "E2", "value": "…"}),
    ("select", {"ref": "E2", "value": "…", "by": "index"}),
    ("press", {"key": "…"}),
    ("press", {"key": "…+A"}),
    ("search_page", {"pattern": "…"}),
    ("search_page", {"pattern": "(…", "regex": True}),
    ("find_elements", {"selector": "…"}),
    ("find_elements", {"selector": "[…"}),
    ("find_elements", {"selector": "p", "within_ref": "…"}),
    ("scroll", {"to_text": "…"}),
    ("upload", {"ref": "E4", "files": ["…"]}),
    ("upload", {"ref": "E4", "files": ["/a/…/b"]}),
    ("wait_for", {"text": "…", "timeout_s": 0.1}),
    ("wait_for", {"gone": "…"}),
    ("wait_for", {"url": "…", "timeout_s": 0.1}),
    ("wait_for", {"selector": "…", "timeout_s": 0.1}),
    ("wait_for", {"selector": "[…", "timeout_s": 0.1}),
    ("manage_tabs", {"action": "switch", "tab": "…"}),
    ("click", {"selector": "…"}),
    ("click", {"css": "[…"}),
    ("…", {}),
    # Last, as they may lead away from the page.
    ("goto", {"url": "…"}),
    ("goto", {"url": "file:///…"}),
    ("goto", {"url": "http://127.0.0.1:1/…"}),
]


# Of these a number is something else than a long text.
NUMBERS: list[tuple[str, dict[str, Any]]] = [
    ("click", {"ref": "…"}),
    ("select", {"ref": "E2", "value": "…", "by": "index"}),
    ("manage_tabs", {"action": "switch", "tab": "…"}),
]


async def test_a_model_reads_no_more_than_it_can_bear(
    browser: Browser, page: Page, serve: Serve, subtests: pytest.Subtests
) -> None:
    await page.goto(serve(FORM))
    await page.snapshot()
    for much, (tool, arguments) in [*((NUMBER, call) for call in NUMBERS), *((LONG, call) for call in CALLS)]:
        call = ToolCall("1", tool.replace("…", much), json.dumps(arguments, ensure_ascii=False).replace("…", much))

        came: Any = await parse_call_on(page, call, BUILT_IN)
        if isinstance(came, Call):
            came = await perform(came, Context(page, browser, upload_folders=("/tmp",)))

        with subtests.test(tool, digits=much is NUMBER, **arguments):
            assert not isinstance(came, Answer)
            assert len(getattr(came, "text", None) or str(came)) < 2_600

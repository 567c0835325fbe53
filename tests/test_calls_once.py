"""A call is parsed once, where it arrives: whatever way it comes, one lookup of its tool, one decoding of arguments."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any

import pytest

from cdp_agent import Browser, Page
from cdp_agent.cli.caller import CommandCaller
from cdp_agent.cli.commands import read
from cdp_agent.cli.session import OpenSession
from cdp_agent.cli.subcommands.tool import call_tool
from cdp_agent.config import Config
from cdp_agent.providers.shared.json_reading import read_object
from cdp_agent.session import Session
from cdp_agent.tools.aliases import resolve_alias
from cdp_agent.tools.base import Tool
from cdp_agent.tools.members.openai import MEMBERS
from cdp_agent.toolsets.driving import DrivenBrowser
from fixtures.replay import tool_call
from tests.agents import DONE, play
from tests.conftest import Serve
from tests.http_serving import serving
from tests.late import Late
from tests.writing import opened

if TYPE_CHECKING:
    import mcp

    from cdp_agent.mcp import serving as mcp_serving
else:
    mcp, mcp_serving = Late("mcp"), Late("cdp_agent.mcp.serving")

BUTTON = "<title>Shop</title><button onclick='this.after(1)'>Go</button>"
COUNTED: dict[CodeType, tuple[str, Callable[[Mapping[str, Any]], bool]]] = {
    resolve_alias.__code__: ("lookups", lambda names: "click" in names["name"]),
    Tool.parse.__code__: ("decodings", lambda names: names["self"].name == "click"),
    read_object.__code__: ("texts", lambda names: '"ref"' in names["text"]),
}


@contextmanager
def counting() -> Iterator[Counter[str]]:
    """How often the functions are called for a click inside the block, by whatever name they are imported."""
    calls = Counter[str]()

    def note(frame: FrameType, event: str, argument: object) -> None:
        if event == "call" and frame.f_code in COUNTED:
            name, is_for_click = COUNTED[frame.f_code]
            calls[name] += is_for_click(frame.f_locals)

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        yield calls
    finally:
        sys.setprofile(before)


async def by_python(session: Session, ref: str) -> bool:
    return (await session.call("click", {"ref": ref})).error is None


async def by_json(session: Session, ref: str) -> bool:
    return (await session.call("click", f'{{"ref": "{ref}"}}')).error is None


async def by_selector(session: Session, ref: str) -> bool:
    return (await session.call("click_element", {"selector": "button"})).error is None


async def by_mcp(session: Session, ref: str) -> bool:
    async with mcp.Client(mcp_serving.server(session)) as client:
        return not (await client.call_tool("click", {"ref": ref})).is_error


async def by_command(session: Session, ref: str) -> bool:
    class Output:
        def write(self, text: str) -> None:
            pass

        write_error = write

    caller = CommandCaller("/", {}, Output())
    command: Any = read(["click", ref, "--no-page"], caller)
    return await call_tool(command, OpenSession("default", session, Config()), caller) == 0


async def by_vendor(session: Session, ref: str) -> bool:
    assert session.page is not None
    outcome = await DrivenBrowser(session.page).perform(MEMBERS["click"], {"target": ref})
    return outcome.error is None


FACES: dict[str, tuple[Callable[[Session, str], Awaitable[bool]], dict[str, int]]] = {
    "python": (by_python, {"lookups": 1, "decodings": 1}),
    "json": (by_json, {"lookups": 1, "decodings": 1, "texts": 1}),
    "selector": (by_selector, {"lookups": 1, "decodings": 1}),
    "mcp": (by_mcp, {"lookups": 1, "decodings": 1}),
    "command": (by_command, {"lookups": 1, "decodings": 1}),
    "toolset": (by_vendor, {"decodings": 1}),  # its members are called by their own names
}


@pytest.mark.parametrize("face", FACES)
async def test_a_click_is_looked_up_and_decoded_once(face: str, browser: Browser, page: Page, serve: Serve) -> None:
    click, expected = FACES[face]
    await opened(page, serve, BUTTON)
    [ref] = (await page.snapshot()).refs

    with counting() as calls:
        assert await click(Session(browser, page=page), ref)

    assert calls == expected


async def test_a_click_over_http_is_looked_up_and_decoded_once(browser: Browser, serve: Serve) -> None:
    async with serving(browser) as served:
        session = await served.session(url=serve(BUTTON))
        snapshot = await served.call(session, "snapshot")
        [ref] = snapshot["value"]["refs"]
        with counting() as calls:
            clicked = await served.call(session, "click", ref=ref)

    assert clicked["error"] is None
    assert calls == {"lookups": 1, "decodings": 1}


async def test_a_click_of_an_agent_is_looked_up_and_decoded_once(browser: Browser, page: Page, serve: Serve) -> None:
    click = tool_call("click", {"ref": "{{ref:button Go}}"})

    with counting() as calls:
        await play(browser, page, [click, DONE], url=serve(BUTTON))

    assert calls == {"lookups": 1, "decodings": 1, "texts": 1}

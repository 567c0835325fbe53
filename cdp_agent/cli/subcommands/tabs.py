"""`cdp-agent open [URL]` and `tabs`: a session and its settings with a page in it, and what is open there."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from cdp_agent.cli.ahead import read_settings
from cdp_agent.cli.argument_parser import Parser
from cdp_agent.cli.caller import CommandCaller
from cdp_agent.cli.flags import FOR_CHROME, add_settings, loaded
from cdp_agent.cli.names import TOOLS
from cdp_agent.cli.parser import ToolCommand
from cdp_agent.cli.session import OpenSession
from cdp_agent.cli.status import DONE
from cdp_agent.cli.subcommands.tool import PAGE_TOKENS
from cdp_agent.cli.terminal.text import one_line
from cdp_agent.config import Config
from cdp_agent.config.sources import Loaded
from cdp_agent.tools.reading import SnapshotArguments

_LONGEST_TITLE = 80


class OpenTab(msgspec.Struct, frozen=True):
    """A tab of the session's Chrome. `ours`: the session opened it, and closes it when it ends."""

    id: str
    title: str
    url: str
    current: bool
    ours: bool


def read_tabs(words: Sequence[str], caller: CommandCaller | None = None) -> Loaded[Config]:
    """What the words after `tabs` mean. Raises SetupError."""
    parser = Parser("tabs", "List the tabs of the session's Chrome: --tab takes their ids.", more="")
    add_settings(parser, FOR_CHROME | {"json", "debug"})
    return loaded(parser.read(words), caller)


async def list_tabs(config: Config, opened: OpenSession, caller: CommandCaller) -> int:
    """Writes them, in the order in which they came."""
    session = opened.session
    browser = session.browser
    await browser.renew_titles()
    tabs = [
        OpenTab(
            f"t{page.number}",
            page.title[:_LONGEST_TITLE],
            page.url,
            page is session.page,
            browser.is_ours or browser.opened(page),
        )
        for page in browser.pages
    ]
    if config.json:
        caller.output.write(msgspec.json.encode(tabs).decode() + "\n")
        return DONE
    for tab in tabs:
        signs = ", ".join([*(["current"] if tab.current else []), *([] if tab.ours else ["not of this session"])])
        caller.output.write(one_line(f"{tab.id} {tab.title!r} {tab.url}{f' ({signs})' if signs else ''}") + "\n")
    return DONE


def read_open(words: Sequence[str], caller: CommandCaller | None = None) -> ToolCommand:
    """What the words after `open` mean: to read the page there, or the one that is open. Raises SetupError."""
    found, settings = read_settings(words, caller)
    if found.no_page and found.url is not None:
        goto = TOOLS["goto"]
        return ToolCommand(goto, goto.parse({"url": found.url}), None, settings)
    snapshot = TOOLS["snapshot"]
    return ToolCommand(snapshot, SnapshotArguments(PAGE_TOKENS), found.url, settings, needs_page=False)

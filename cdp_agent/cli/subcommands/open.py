"""`cdp-agent open [URL]` and `cdp-agent tabs`: a session, its settings, and what is open in it."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

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


def read_open(words: Sequence[str], caller: CommandCaller | None = None) -> ToolCommand:
    """What the words after `open` mean: to read the page there, or the one that is open. Raises SetupError."""
    parser = Parser(
        "open",
        "Open a page, in the session's Chrome, which is started with these settings where none runs; it stays until "
        "`close`, or until nobody has used it for --idle seconds. Prints the page.",
        "%(prog)s [URL] [options]",
        more="",
    )
    parser.add_argument("url", nargs="?", metavar="URL", help="the address; without, the page that is open")
    parser.add_argument("--no-page", action="store_true", help="print no page")
    add_settings(parser, FOR_CHROME | {"json", "debug"})
    found = parser.read(words)
    if found.no_page and found.url is not None:
        goto = TOOLS["goto"]
        return ToolCommand(goto, goto.parse({"url": found.url}), None, loaded(found, caller))
    snapshot = TOOLS["snapshot"]
    return ToolCommand(snapshot, SnapshotArguments(PAGE_TOKENS), found.url, loaded(found, caller), needs_page=False)


def read_tabs(words: Sequence[str], caller: CommandCaller | None = None) -> Loaded[Config]:
    """What the words after `tabs` mean. Raises SetupError."""
    parser = Parser("tabs", "List the tabs of the session's Chrome: --tab takes their ids.", more="")
    add_settings(parser, FOR_CHROME | {"json", "debug"})
    return loaded(parser.read(words), caller)


def list_tabs(config: Config, opened: OpenSession, caller: CommandCaller) -> int:
    """Writes them, in the order in which they came."""
    session = opened.session
    browser = session.browser
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

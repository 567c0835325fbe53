"""`cdp-agent tabs`: what is open in a session."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from cdp_agent.cli.argument_parser import Parser
from cdp_agent.cli.caller import CommandCaller
from cdp_agent.cli.flags import FOR_CHROME, add_settings, loaded
from cdp_agent.cli.session import OpenSession
from cdp_agent.cli.status import DONE
from cdp_agent.cli.terminal.text import one_line
from cdp_agent.config import Config
from cdp_agent.config.sources import Loaded

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

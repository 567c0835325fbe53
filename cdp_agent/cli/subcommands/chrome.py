"""`cdp-agent chrome start|stop|status`: a session whose Chrome listens on a port, for programs that connect to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

from cdp_agent.cdp.browser import GetVersion
from cdp_agent.cli.argument_parser import Parser, port_number
from cdp_agent.cli.caller import CommandCaller
from cdp_agent.cli.flags import FOR_CHROME, add_settings, loaded
from cdp_agent.cli.session import OpenSession, endpoint_of
from cdp_agent.cli.status import DONE, NO_CHROME
from cdp_agent.config import Config
from cdp_agent.config.sources import Loaded
from cdp_agent.errors import BrowserError, SetupError

Act = Literal["start", "stop", "status"]


class ListeningChrome(msgspec.Struct, frozen=True):
    """A Chrome that programs can connect to: process id, http://127.0.0.1:PORT, WebSocket URL and profile folder."""

    pid: int
    endpoint: str
    websocket_url: str
    profile: str


class ChromeCommand(msgspec.Struct, frozen=True):
    act: Act
    port: int
    loaded: Loaded[Config]


def read_chrome(words: Sequence[str], caller: CommandCaller | None = None) -> ChromeCommand:
    """Parses the words after `chrome`. Raises SetupError."""
    parser = Parser(
        "chrome",
        "Start, stop or check a session whose Chrome listens on a port, so that other programs can connect to it.",
        "%(prog)s start|stop|status [options]",
        more="",
    )
    parser.add_argument("act", choices=("start", "stop", "status"), metavar="ACTION", help="start, stop or status")
    parser.add_argument(
        "--port", type=port_number, default=0, metavar="N", help="start: the port on 127.0.0.1 (default: any free one)"
    )
    add_settings(parser, (FOR_CHROME - {"cdp", "tab"}) | {"json"})
    args = parser.read(words)
    settings = loaded(args, caller)
    # This is about a Chrome of ours, even if a variable or the file sets `cdp` for the other commands.
    sources = {name: source for name, source in settings.sources.items() if name != "cdp"}
    return ChromeCommand(args.act, args.port, Loaded(msgspec.structs.replace(settings.config, cdp=()), sources))


async def report_chrome(command: ChromeCommand, opened: OpenSession, caller: CommandCaller, *, was_open: bool) -> int:
    """Prints where the session's Chrome listens. Raises SetupError if it does not listen, BrowserError."""
    browser, as_json = opened.session.browser, command.loaded.config.json
    try:
        await browser.session.send(GetVersion())
    except BrowserError:
        if command.act == "start":
            raise
        return report_no_chrome(caller, as_json=as_json)
    if not opened.listens:
        why = "is in a Chrome that was there" if opened.config.cdp else "runs, but its Chrome listens on no port"
        raise SetupError(
            f"The session {opened.name!r} {why}: close it first (`cdp-agent close --session {opened.name}`), or name "
            "another one with --session."
        )
    if command.act == "start" and was_open and not as_json:
        caller.output.write_error("Chrome was running already.\n")
    url, pid, profile = await browser.listening(), browser.pid, browser.profile
    assert pid is not None  # it was launched, since it listens
    assert profile is not None
    about = ListeningChrome(pid, endpoint_of(url), url, profile)
    if as_json:
        caller.output.write(msgspec.json.encode(about).decode() + "\n")
    else:
        caller.output.write(
            f"Chrome listens at {about.endpoint} (process {about.pid}); end it with `cdp-agent chrome stop`.\n"
        )
    return DONE


def report_stopped(caller: CommandCaller, *, was_open: bool, as_json: bool) -> int:
    """Prints that Chrome has ended, or that none was running."""
    if as_json:
        caller.output.write(msgspec.json.encode({"stopped": was_open}).decode() + "\n")
    else:
        caller.output.write("Chrome has ended.\n" if was_open else "No Chrome of ours was running.\n")
    return DONE


def report_no_chrome(caller: CommandCaller, *, as_json: bool) -> int:
    """Prints that no Chrome of ours is running."""
    caller.output.write("null\n" if as_json else "No Chrome of ours is running.\n")
    return NO_CHROME

"""Launches Chrome for a session that begins with `open`, before the rest of its host is imported.

Launching and importing take about equally long and do not depend on each other. So the words of `open` are parsed here,
without asyncio and all that needs it.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence

import msgspec

from cdp_agent.browser.context_options import launch_options
from cdp_agent.browser.launch.starting import StartedChrome, start
from cdp_agent.cli.argument_parser import Parser
from cdp_agent.cli.caller import CommandCaller
from cdp_agent.cli.flags import FOR_CHROME, FOR_DEBUGGING, add_settings, loaded
from cdp_agent.cli.words import split
from cdp_agent.config import Config, launch_keywords
from cdp_agent.config.sources import Loaded


class PrelaunchedChrome(msgspec.Struct, frozen=True):
    """A Chrome that is starting, and its settings."""

    started: StartedChrome
    config: Config


def prelaunch_chrome(arguments: Sequence[str], caller: CommandCaller) -> PrelaunchedChrome | None:
    """Starts the Chrome that the first command of a session will need; None if it may not need a Chrome of ours.

    Raises SetupError for wrong usage, BrowserError when Chrome cannot be started.
    """
    before, name, words = split(arguments)
    if name != "open":
        return None
    config = read_settings([*before, *words], caller)[1].config
    if config.cdp:
        return None
    keywords = launch_keywords(config)
    keywords.pop("timeout_s", None)  # of whoever waits for it
    return PrelaunchedChrome(start(launch_options(**keywords)[0]), config)


def read_settings(words: Sequence[str], caller: CommandCaller | None) -> tuple[Namespace, Loaded[Config]]:
    """The parsed words after `open`, and the settings with which the session is opened. Raises SetupError."""
    parser = Parser(
        "open",
        "Open a page in the session's Chrome and print it. If no session is running, one is started with these "
        "settings; it lasts until `close`, or until it has been idle for --idle seconds.",
        "%(prog)s [URL] [options]",
        more="",
    )
    parser.add_argument("url", nargs="?", metavar="URL", help="the page to open (default: the one that is open)")
    parser.add_argument("--no-page", action="store_true", help="do not print the page")
    add_settings(parser, FOR_CHROME | FOR_DEBUGGING | {"json"})
    args = parser.read(words)
    return args, loaded(args, caller)

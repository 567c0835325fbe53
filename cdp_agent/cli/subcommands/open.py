"""`cdp-agent open [URL]`: a session, its settings, and a page in it."""

from __future__ import annotations

from collections.abc import Sequence

from cdp_agent.cli.ahead import read_settings
from cdp_agent.cli.caller import CommandCaller
from cdp_agent.cli.names import TOOLS
from cdp_agent.cli.parser import ToolCommand
from cdp_agent.cli.subcommands.tool import PAGE_TOKENS
from cdp_agent.tools.reading import SnapshotArguments


def read_open(words: Sequence[str], caller: CommandCaller | None = None) -> ToolCommand:
    """What the words after `open` mean: to read the page there, or the one that is open. Raises SetupError."""
    found, settings = read_settings(words, caller)
    if found.no_page and found.url is not None:
        goto = TOOLS["goto"]
        return ToolCommand(goto, goto.parse({"url": found.url}), None, settings)
    snapshot = TOOLS["snapshot"]
    return ToolCommand(snapshot, SnapshotArguments(PAGE_TOKENS), found.url, settings, needs_page=False)

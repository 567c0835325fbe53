"""In which process a command runs: here, or in the one that holds its session.

Every command waits for these imports.
"""

from collections.abc import Sequence

from cdp_agent.cli.words import HOST, RUNS, of_session, split
from cdp_agent.session import client, runtime

_LOCAL = frozenset(
    (
        *(*RUNS, "config", "doctor", "serve", "mcp", "tools", "sessions", "close"),
        *("help", "options", "skill", "completion"),
    )
)
_HELP = frozenset(("--help", "-h", "--version", "-V"))


def run(arguments: Sequence[str]) -> int:
    """Runs a command; its exit status. Raises CdpAgentError, whose class decides the status."""
    chosen, words = of_session(arguments)
    name = split(words)[1]
    options = words[: words.index("--")] if "--" in words else words
    if name is None or name in _LOCAL or not _HELP.isdisjoint(options):
        from cdp_agent.cli.commands import run_here

        return run_here(words, chosen)
    if chosen.once:
        from cdp_agent.cli.commands import run_once

        return run_once(words)
    folder = runtime.folder()
    connection = client.connected(folder, chosen.session)
    if connection is None:
        from cdp_agent.cli import commands

        host = commands.host_for(words, chosen.session)  # what is wrong is told before anything is started
        if host is None:
            return commands.without_session(words)
        connection = client.started(folder, host, HOST)
    try:
        return connection.carry_out(chosen.session, words)
    finally:
        connection.close()

"""Decides in which process a command runs: in this one, or in the host of its session.

Every command waits for these imports.
"""

from __future__ import annotations

from cdp_agent.cli.words import HOST, RUNS, split, split_session
from cdp_agent.session import client, runtime

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_LOCAL = frozenset(
    (
        *(*RUNS, "batch", "config", "doctor", "trace", "serve", "mcp", "tools", "sessions", "close"),
        *("help", "options", "skill", "completion"),
    )
)
_HELP = frozenset(("--help", "-h", "--version", "-V"))


def run(arguments: Sequence[str]) -> int:
    """Runs a command and returns its exit status. Raises CdpAgentError, whose class determines the status."""
    chosen, words = split_session(arguments)
    name = split(words)[1]
    if name == "shell" or (name == "help" and split(words)[2][:1] == ["shell"]):
        from cdp_agent.cli.shell import shell  # late, like those below: no command waits for the imports of another

        before, _, rest = split(words)
        return shell([*before, *rest] if name == "shell" else ["--help"])
    options = words[: words.index("--")] if "--" in words else words
    if name is None or name in _LOCAL or not _HELP.isdisjoint(options):
        from cdp_agent.cli.local import run_here  # late, see shell

        return run_here(words, chosen)
    if chosen.once:
        from cdp_agent.cli.commands import run_once  # late, see shell

        return run_once(words)
    folder, session = runtime.folder(), chosen.session
    connection = client.send_command(folder, session, words, lambda: client.start_host(folder, session, HOST, words))
    if isinstance(connection, int):
        return connection
    try:
        return connection.follow(session)
    finally:
        connection.close()

"""The commands that run in this process instead of a session host; each imports only what it needs.

All of them together take 0.2 s to import, `close` alone 0.05 s.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module

from cdp_agent.cli.status import DONE
from cdp_agent.cli.words import RUNS, ChosenSession, split
from cdp_agent.errors import SetupError

COMMANDS = {
    "batch": "cdp_agent.cli.subcommands.batch:carry_out_batch",
    "close": "cdp_agent.cli.subcommands.sessions:close_sessions",
    "completion": "cdp_agent.cli.subcommands.completion:print_completion",
    "config": "cdp_agent.cli.subcommands.config:manage_config",
    "doctor": "cdp_agent.cli.subcommands.doctor:examine",
    "mcp": "cdp_agent.cli.subcommands.mcp:serve_mcp",
    "options": "cdp_agent.cli.subcommands.help:list_options",
    "serve": "cdp_agent.cli.subcommands.serve:serve",
    "sessions": "cdp_agent.cli.subcommands.sessions:list_sessions",
    "skill": "cdp_agent.cli.subcommands.skill:print_skill",
    "tools": "cdp_agent.cli.subcommands.help:list_tools",
    "trace": "cdp_agent.cli.subcommands.trace:show_trace",
}
"""The function of each command. It takes the words after the command's name, and returns the exit status."""
_OF_SESSION = ("close", "mcp")
"""Commands whose function also takes the chosen session."""


def run_here(arguments: Sequence[str], chosen: ChosenSession) -> int:
    """Runs a command in this process; returns its exit status. Raises CdpAgentError."""
    before, name, words = split(arguments)
    if not {"--version", "-V"}.isdisjoint(before):
        from importlib.metadata import version  # late: 20 ms

        print(f"cdp-agent {version('cdp-agent')}")
        return DONE
    if name == "help" and words:
        return run_here([*words, "--help"], chosen)
    if name == "help" or not {"--help", "-h"}.isdisjoint(before) or (name is None and not before):
        from cdp_agent.cli.subcommands.help import top_help  # late, see above

        print(top_help())
        return DONE
    if name is None:
        raise SetupError("Which command? See `cdp-agent --help`.")
    if name in RUNS:
        from cdp_agent.cli.caller import CommandCaller  # late, see above
        from cdp_agent.cli.runs import read_run
        from cdp_agent.cli.subcommands.task import carry_out_run

        return carry_out_run(read_run(arguments, CommandCaller.here()), arguments, chosen)
    local = _local(name, chosen)
    if local is None:
        from cdp_agent.cli.commands import read  # late, see above

        read(arguments, None)  # prints the help, and exits
        raise SetupError(f"{name} is no command for here.")
    return local([*before, *words])


def _local(name: str, chosen: ChosenSession) -> Callable[[Sequence[str]], int] | None:
    """The function of a command that runs in this process; None for other commands."""
    if name not in COMMANDS:
        return None
    module, _, function = COMMANDS[name].partition(":")
    command: Callable[..., int] = getattr(import_module(module), function)
    return partial(command, chosen=chosen) if name in _OF_SESSION else command

"""The commands that this process carries out by itself: what each needs is imported for it alone.

All of them together take 0.2 s to import, `close` alone 0.05 s.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from cdp_agent.cli.status import DONE
from cdp_agent.cli.words import RUNS, Chosen, split
from cdp_agent.errors import SetupError


def run_here(arguments: Sequence[str], chosen: Chosen) -> int:
    """Runs a command that needs no session's process; its exit status. Raises CdpAgentError."""
    before, name, words = split(arguments)
    if not {"--version", "-V"}.isdisjoint(before):
        from importlib.metadata import version

        print(f"cdp-agent {version('cdp-agent')}")
        return DONE
    if name == "help" and words:
        return run_here([*words, "--help"], chosen)
    if name == "help" or not {"--help", "-h"}.isdisjoint(before) or (name is None and not before):
        from cdp_agent.cli.subcommands.help import top_help

        print(top_help())
        return DONE
    if name is None:
        raise SetupError("Which command? See `cdp-agent --help`.")
    if name in RUNS:
        from cdp_agent.cli.caller import CommandCaller
        from cdp_agent.cli.runs import read_run
        from cdp_agent.cli.subcommands.task import carry_out_run

        return carry_out_run(read_run(arguments, CommandCaller.here()), arguments, chosen)
    local = _local(name, chosen)
    if local is None:
        from cdp_agent.cli.commands import read

        read(arguments, None)  # for its --help, which ends this
        raise SetupError(f"{name} is no command for here.")
    return local([*before, *words])


def _local(name: str, chosen: Chosen) -> Callable[[Sequence[str]], int] | None:
    """What is done by this process itself."""
    if name == "config":
        from cdp_agent.cli.subcommands.config import manage_config

        return manage_config
    if name == "doctor":
        from cdp_agent.cli.subcommands.doctor import examine

        return examine
    if name == "sessions":
        from cdp_agent.cli.subcommands.sessions import list_sessions

        return list_sessions
    if name == "close":
        from cdp_agent.cli.subcommands.sessions import close_sessions

        return partial(close_sessions, name=chosen.session)
    if name == "serve":
        from cdp_agent.cli.subcommands.serve import serve

        return serve
    if name == "batch":
        from cdp_agent.cli.subcommands.batch import carry_out_batch

        return carry_out_batch
    if name == "mcp":
        from cdp_agent.cli.subcommands.mcp import serve_mcp

        return partial(serve_mcp, chosen=chosen)
    if name == "trace":
        from cdp_agent.cli.subcommands.trace import show_trace

        return show_trace
    if name == "options":
        from cdp_agent.cli.subcommands.help import list_options

        return list_options
    if name == "skill":
        from cdp_agent.cli.subcommands.skill import print_skill

        return print_skill
    if name == "completion":
        from cdp_agent.cli.subcommands.completion import print_completion

        return print_completion
    if name == "tools":
        from cdp_agent.cli.subcommands.help import list_tools

        return list_tools
    return None

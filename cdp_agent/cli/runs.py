"""Parses `run`, `do` and `resume`, both in the process of the command and in a session host."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from cdp_agent.cli.caller import CommandCaller
from cdp_agent.cli.session import Sessions
from cdp_agent.cli.subcommands.running import RunCommand, run_for_client
from cdp_agent.cli.subcommands.steps import read_do
from cdp_agent.cli.subcommands.task import read_resume, read_task
from cdp_agent.cli.words import split
from cdp_agent.session.host import ClientOutput


def read_run(arguments: Sequence[str], caller: CommandCaller, stdin: str | None = None) -> RunCommand:
    """Parses the words; `stdin` is the text already read from the standard input. Raises SetupError."""
    before, name, words = split(arguments)
    words = [*before, *words]
    if name == "do":
        return read_do(words, caller, stdin)
    return read_task(words, caller) if name == "run" else read_resume(words, caller)


async def run_in_session(
    arguments: Sequence[str],
    session: str,
    sessions: Sessions,
    caller: CommandCaller,
    output: ClientOutput,
    stdin: str | None,
) -> int:
    """Carries out a run in the session for a client, which prints its events. Raises CdpAgentError."""
    # In a thread: reading a secret may run a command of the user's.
    command = await asyncio.to_thread(read_run, arguments, caller, stdin)
    return await run_for_client(command, session, sessions, caller, output)

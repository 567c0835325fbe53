"""`cdp-agent skill`: instructions for a model that has a shell."""

from __future__ import annotations

import os
from collections.abc import Sequence

from cdp_agent.cli.argument_parser import Parser
from cdp_agent.cli.status import DONE

_FILE = os.path.join(os.path.dirname(os.path.dirname(__file__)), "skill.md")


def print_skill(words: Sequence[str]) -> int:
    """Prints the skill file. Raises SetupError."""
    Parser("skill", "Print instructions for a model that uses cdp-agent from a shell.").read(words)
    with open(_FILE, encoding="utf-8") as file:
        print(file.read(), end="")
    return DONE

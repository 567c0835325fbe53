"""`cdp-agent help`, `options` and `tools`."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import msgspec

from cdp_agent.cli.argument_parser import Parser, columns
from cdp_agent.cli.flags import FOR_CHROME, FOR_DEBUGGING, SETTINGS, WHERE, usage_of
from cdp_agent.cli.names import OWN, TOOLS, shown_name
from cdp_agent.cli.parser import positionals_of
from cdp_agent.cli.status import DONE
from cdp_agent.tools import BUILT_IN

_EVERYWHERE = FOR_CHROME | FOR_DEBUGGING | {"json"}
_ANYWHERE = {
    "--session NAME": "the session to use (default: CDP_AGENT_SESSION, else `default`)",
    "--once": "a Chrome for this command only",
}
_STATUS = "Exit status: 0 done, 1 the action or task failed, 2 wrong usage, 3 no Chrome, 4 the model's provider failed."


def top_help() -> str:
    """All commands, with their arguments."""
    rows = {" ".join(filter(None, (name, takes))): description for name, (takes, description) in OWN.items()}
    rows |= {" ".join((shown_name(tool), *positionals_of(tool, {}))): tool.summary for tool in TOOLS.values()}
    return "\n".join(
        [
            "usage: cdp-agent COMMAND …     `cdp-agent help COMMAND` shows its arguments, `cdp-agent options` the rest",
            *columns({written: description.partition(". ")[0].rstrip(".") for written, description in rows.items()}),
            "Pages stay open for the commands that follow. Results go to stdout, errors to stderr.",
            _STATUS,
        ]
    )


def list_options(words: Sequence[str]) -> int:
    """Prints the options of all commands that work with pages, or those of a group. Raises SetupError."""
    groups = list(dict.fromkeys(setting.group for setting in SETTINGS.values() if setting.flag))
    names = ["all", *(_word(group) for group in groups)]
    parser = Parser("options", f"{OWN['options'][1]} GROUP is one of {', '.join(names)}.", "%(prog)s [GROUP]")
    parser.add_argument(
        "group", nargs="?", choices=names, metavar="GROUP", help="list the options of this group instead"
    )
    wanted = parser.read(words).group
    if wanted is None:
        print("\n".join(columns(_ANYWHERE)))
    for group in groups:
        settings = [setting for setting in SETTINGS.values() if setting.group == group and setting.flag]
        if wanted is None:
            settings = [setting for setting in settings if setting.name in _EVERYWHERE]
        if settings and wanted in (None, "all", _word(group)):
            print("\n".join([group, *columns(dict(map(usage_of, settings)))]))
    print(WHERE)
    return DONE


def list_tools(words: Sequence[str]) -> int:
    """Prints the tools that a model can call. Raises SetupError."""
    parser = Parser("tools", OWN["tools"][1])
    parser.add_argument("--json", action="store_true", help="with their arguments, as JSON Schema")
    if parser.read(words).json:
        sys.stdout.write(msgspec.json.encode([tool.declaration() for tool in BUILT_IN.values()]).decode() + "\n")
        return DONE
    for tool in BUILT_IN.values():
        fields = tool.parameters["properties"]
        print(f"{tool.name}({', '.join(fields)})\n    {tool.description}")
    return DONE


def _word(group: str) -> str:
    """A group's name as one word: "task" for "The task"."""
    return group.lower().split()[-1]

"""`cdp-agent completion bash|zsh|fish`: a script with which the shell completes commands, options and files."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence

from cdp_agent.cli.argument_parser import Parser
from cdp_agent.cli.flags import FOR_CHROME, FOR_DEBUGGING, SETTINGS
from cdp_agent.cli.names import OWN, TOOLS, shown_name
from cdp_agent.cli.status import DONE
from cdp_agent.cli.words import RUNS

_SHORT: dict[str, tuple[str, ...]] = {
    "close": ("--all", "--leave", "--json"),
    "sessions": ("--json",),
    "tools": ("--json",),
    "doctor": ("--offline", "--json"),
    "trace": ("--output", "--no-pictures"),
    "config": ("--json", "--show-secret", "--yes"),
    "options": (),
    "skill": (),
    "completion": (),
    "help": (),
}
"""The options of commands that do not work with pages."""


def print_completion(words: Sequence[str]) -> int:
    """Prints the script for a shell. Raises SetupError."""
    parser = Parser(
        "completion",
        f"{OWN['completion'][1]} For example, in ~/.bashrc: source <(cdp-agent completion bash)",
        "%(prog)s bash|zsh|fish",
    )
    parser.add_argument("shell", choices=list(_SCRIPTS), metavar="SHELL", help="bash, zsh or fish")
    print(_SCRIPTS[parser.read(words).shell](), end="")
    return DONE


def _summaries() -> dict[str, str]:
    summaries = {name: text for name, (_, text) in OWN.items()}
    return summaries | {shown_name(tool): tool.summary for tool in TOOLS.values()}


def _words(command: str) -> list[str]:
    """The words that may follow a command: its arguments and options."""
    takes = OWN.get(command, ("", ""))[0].strip("[]")
    words = takes.split("|") if "|" in takes else list(_summaries()) if command == "help" else []
    if command in _SHORT:
        return [*words, *_SHORT[command]]
    tool = next((each for each in TOOLS.values() if shown_name(each) == command), None)
    names = [] if tool is None else [f"--{name.replace('_', '-')}" for name in tool.parameters["properties"]]
    names += [] if tool is None or tool.read_only else ["--no-page"]
    shared = SETTINGS if command in RUNS else FOR_CHROME | FOR_DEBUGGING | {"json"}
    flags = [str(each.flag) for each in SETTINGS.values() if each.name in shared and each.flag]
    return [*words, *dict.fromkeys([*names, *flags, "--session", "--once"])]


def _bash() -> str:
    cases = "\n".join(f"        {name}) words={shlex.quote(' '.join(_words(name)))} ;;" for name in _summaries())
    return f"""_cdp_agent() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} command= words= each
    for each in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
        if [[ $each != -* ]]; then command=$each; break; fi
    done
    case $command in
        '') words={shlex.quote(" ".join(_summaries()))} ;;
{cases}
    esac
    COMPREPLY=($(compgen -W "$words" -- "$word"))
}}
complete -o default -F _cdp_agent cdp-agent
"""


def _zsh() -> str:
    described = "\n".join(
        f"        {shlex.quote(name + ':' + text.replace(':', ','))}" for name, text in _summaries().items()
    )
    cases = "\n".join(f"        {name}) found=({' '.join(map(shlex.quote, _words(name)))}) ;;" for name in _summaries())
    return f"""_cdp_agent() {{
    local -a commands found
    commands=(
{described}
    )
    if (( CURRENT == 2 )); then
        _describe command commands
        return
    fi
    case ${{words[2]}} in
{cases}
    esac
    compadd -- "${{found[@]}}"
    [[ $PREFIX == -* ]] || _files
}}
compdef _cdp_agent cdp-agent
"""


def _fish() -> str:
    lines = []
    for name, text in _summaries().items():
        lines.append(f"complete -c cdp-agent -n __fish_use_subcommand -f -a {name} -d {shlex.quote(text)}")
        seen = f"complete -c cdp-agent -n '__fish_seen_subcommand_from {name}'"
        plain = [word for word in _words(name) if not word.startswith("-")]
        if plain:
            lines.append(f"{seen} -f -a {shlex.quote(' '.join(plain))}")
        lines += [f"{seen} -l {word.removeprefix('--')}" for word in _words(name) if word.startswith("--")]
    return "\n".join(lines) + "\n"


_SCRIPTS: dict[str, Callable[[], str]] = {"bash": _bash, "zsh": _zsh, "fish": _fish}

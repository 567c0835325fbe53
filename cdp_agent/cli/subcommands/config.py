"""`cdp-agent config init|list|get|set|unset|path`: the settings, where they come from, and the file."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Sequence
from getpass import getpass
from pathlib import Path

import msgspec

from cdp_agent.cli.argument_parser import Parser
from cdp_agent.cli.flags import SETTINGS
from cdp_agent.cli.status import DONE
from cdp_agent.cli.terminal.text import for_terminal
from cdp_agent.config.file import ConfigFile, config_path
from cdp_agent.config.setting import Setting
from cdp_agent.config.settings import Config
from cdp_agent.config.sources import Loaded, load, unknown
from cdp_agent.config.values import MASK, from_text, plain, shown
from cdp_agent.errors import SetupError

_ACTS = {
    "init": "set up a model and write the file",
    "list": "show all settings and where each comes from",
    "get": "show one",
    "set": "write one (a key is prompted for, or read from stdin)",
    "unset": "remove one",
    "path": "show where the file is",
}


def manage_config(words: Sequence[str]) -> int:
    """Shows or changes the settings. Raises SetupError."""
    actions = "; ".join(f"{act}: {text}" for act, text in _ACTS.items())
    parser = Parser("config", "", f"%(prog)s {'|'.join(_ACTS)} [NAME] [VALUE]")
    parser.add_argument("act", choices=list(_ACTS), metavar="ACTION", help=actions)
    parser.add_argument("name", nargs="?", metavar="NAME", help="a setting, such as max_steps")
    parser.add_argument("values", nargs="*", metavar="VALUE", help="set: the value, as its flag takes it")
    parser.add_argument("--json", action="store_true", help="list, get: print as JSON")
    parser.add_argument("--show-secret", action="store_true", help="get: show a secret unmasked")
    parser.add_argument("--yes", action="store_true", help="init: take what is found without asking")
    args = parser.read(_with_values_apart(words))
    file = ConfigFile.read(config_path(os.environ))
    if args.act == "init":
        from cdp_agent.cli.subcommands.init import set_up  # late: httpx takes long to import

        return set_up(file, yes=args.yes)
    if args.act == "path":
        print(file.path)
    elif args.act == "list":
        _list(file, as_json=args.json)
    elif args.name is None:
        raise SetupError(f"Which setting? `cdp-agent config {args.act} NAME`; `cdp-agent config list` shows all.")
    elif args.act == "get":
        _get(_setting(args.name), file, as_json=args.json, reveal=args.show_secret)
    elif args.act == "set":
        _set(setting := _setting(args.name), _joined(setting, args.values), file)
    else:
        _unset(args.name.replace("-", "_"), file)
    return DONE


def _list(file: ConfigFile, *, as_json: bool) -> None:
    now = _loaded(file)
    if as_json:
        rows = {
            setting.name: {"value": _masked(setting, now.config), "source": now.source(setting.name)}
            for setting in SETTINGS.values()
        }
        print(msgspec.json.encode(rows).decode())
        return
    width = max(map(len, SETTINGS))
    group = ""
    for setting in SETTINGS.values():
        if setting.group != group:
            group = setting.group
            print(f"\n{group}")
        value = for_terminal(shown(setting, getattr(now.config, setting.name)))
        print(f"  {setting.name:<{width}}  {value}   ({now.source(setting.name)})")


def _get(setting: Setting, file: ConfigFile, *, as_json: bool, reveal: bool) -> None:
    config = _loaded(file).config
    value = getattr(config, setting.name) if reveal else _masked(setting, config)
    if as_json:
        print(msgspec.json.encode(value, enc_hook=str).decode())
    elif setting.secret and reveal:
        print(value if isinstance(value, str) else msgspec.json.encode(value, enc_hook=str).decode())
    else:
        print(for_terminal(shown(setting, getattr(config, setting.name))))


def _with_values_apart(words: Sequence[str]) -> list[str]:
    """`set NAME=VALUE…` and `set NAME VALUE…` as `set NAME -- VALUE…`, since a value may look like an option."""
    match [each for each in words if each != "--"]:
        case ["set", name, *values] if name not in ("-h", "--help"):
            name, equals, value = name.partition("=")
            return ["set", "--", name.removeprefix("--"), *([value] if equals else []), *values]
    return [*words]


def _joined(setting: Setting, values: Sequence[str]) -> str | None:
    """The words of a value as one text; None if there are none."""
    if len(values) > 1 and setting.kind != "list":
        raise SetupError(f"{setting.name} takes one value: put it in quotes, if it has spaces.")
    if len(values) > 1:
        return ",".join(values) if setting.separator == "," else shlex.join(values)
    return values[0] if values else None


def _set(setting: Setting, text: str | None, file: ConfigFile) -> None:
    if setting.secret and text is not None:
        raise SetupError(
            f"{setting.name} is secret, and all users of a machine can read the words of a command: leave the value "
            f"out and it is asked for, or read from the standard input. If it was real, consider it known."
        )
    if text is None:
        text = _asked(setting)
    if not text.strip():
        raise SetupError(f"No value was given: `cdp-agent config unset {setting.name}` takes it out.")
    # Made absolute, since paths in the file are relative to its folder.
    value = from_text(setting, text, "config set", folder=Path.cwd())
    if value is None:
        raise SetupError(f"null is no value: `cdp-agent config unset {setting.name}` takes it out.")
    file.write(file.with_value(setting.name, plain(value)))
    for name in setting.variables:
        if os.environ.get(name, "").strip():
            print(f"It is written, but the variable {name} is set, and wins.", file=sys.stderr)


def _unset(name: str, file: ConfigFile) -> None:
    if name in file.entries:  # also an unknown key, since this is how to remove it
        file.write(file.without(name))
    elif name in SETTINGS:
        print(f"{name} was not in the file.", file=sys.stderr)
    else:
        raise SetupError(unknown(name, SETTINGS))


def _asked(setting: Setting) -> str:
    if not sys.stdin.isatty():
        return sys.stdin.readline().strip()
    return getpass(f"{setting.name}: ") if setting.secret else input(f"{setting.name}: ")


def _setting(name: str) -> Setting:
    setting = SETTINGS.get(name.replace("-", "_"))
    if setting is None:
        raise SetupError(unknown(name, SETTINGS))
    return setting


def _loaded(file: ConfigFile) -> Loaded[Config]:
    return load(Config, flags={}, environment=os.environ, file=file)


def _masked(setting: Setting, config: Config) -> object:
    value = getattr(config, setting.name)
    if isinstance(value, str | tuple) and value and not setting.secret:
        clean = [shown(setting, each) for each in ([value] if isinstance(value, str) else value)]
        return clean[0] if isinstance(value, str) else clean
    return MASK if setting.secret and value else plain(value)

"""The settings as command-line options, derived from `Config`."""

from __future__ import annotations

import argparse
import os
from collections.abc import Collection
from pathlib import Path
from typing import Any

from cdp_agent.cli.caller import CommandCaller
from cdp_agent.config.file import ConfigFile, config_path
from cdp_agent.config.setting import Setting, settings_of
from cdp_agent.config.settings import Config
from cdp_agent.config.sources import Loaded, load

SETTINGS = settings_of(Config)

_OF_BROWSER = ("launch", "connect", "page", "proxy")
OF_SESSION = {"cdp", "idle"} | {setting.name for setting in SETTINGS.values() if setting.user in _OF_BROWSER}
"""Settings that are fixed when a session is opened."""
FOR_CHROME = {"tab", *OF_SESSION}
"""Options of all commands that work with pages."""
FOR_MODEL = {"model", "base_url"}
"""Options of tools that ask a model."""
FOR_DEBUGGING = {"debug", "cdp_log"}
"""Options of all commands, for whoever wants to know why something happened."""
FOR_OUTPUT = {"events", "without", "trace", "otel", "quiet", "json", *FOR_DEBUGGING}
"""Options for the output of a run."""
FOR_APPROVAL = {setting.name for setting in SETTINGS.values() if setting.name.startswith("approv")}
"""Options for the approval of a run by steps."""

_GIVEN = "setting_"
WHERE = (
    "Each can also be set by a variable CDP_AGENT_…, or in the file that `cdp-agent config path` names. API keys and "
    "other secrets can be set only in these two ways, since all users of a machine can read the command line. A flag "
    "overrides a variable, which overrides the file. A .env file is not read: it would be that of whatever folder the "
    "command runs in."
)


def add_settings(
    parser: argparse.ArgumentParser,
    names: Collection[str],
    taken: Collection[str] = (),
    shown: Collection[str] = (),
) -> None:
    """Adds options for settings, except flags in `taken`, which the command defines; its help lists those `shown`."""
    for setting in SETTINGS.values():
        flag = setting.flag
        if setting.name not in names or flag is None or flag in taken:
            continue
        letters = [setting.short] if setting.short else []
        option = _option(setting)
        if setting.name not in shown:
            option["help"] = argparse.SUPPRESS
        parser.add_argument(*letters, flag, dest=_GIVEN + setting.name, **option)
        if setting.name == "headless":
            parser.add_argument(
                "--headed", dest=_GIVEN + setting.name, action="store_const", const=False, help=argparse.SUPPRESS
            )


def usage_of(setting: Setting) -> tuple[str, str]:
    """The option of a setting as the help shows it, and its description."""
    option = _option(setting)
    about = option["help"].replace("%%", "%")
    if setting.kind == "boolean":
        return f"--[no-]{str(setting.flag).removeprefix('--')}", about
    return f"{setting.flag} {option['metavar']}", about


def takes_value(word: str) -> bool:
    """Whether the option is followed by its value as a separate word."""
    name = word.replace("_", "-")
    for setting in SETTINGS.values():
        if name in (setting.flag, setting.short):
            return setting.kind != "boolean"
    return name == "--port"


def loaded(args: argparse.Namespace, caller: CommandCaller | None = None) -> Loaded[Config]:
    """The settings from the command's flags, the caller's environment, the file and the defaults. Raises SetupError."""
    flags = {name.removeprefix(_GIVEN): value for name, value in vars(args).items() if name.startswith(_GIVEN)}
    if caller is None:
        return load(Config, flags=flags, environment=os.environ, file=ConfigFile.read(config_path(os.environ)))
    file = ConfigFile.read(Path(caller.folder) / config_path(caller.environment))
    return load(Config, flags=flags, environment=caller.environment, file=file, folder=Path(caller.folder))


def _option(setting: Setting) -> dict[str, Any]:
    default = "" if setting.default in (None, False, (), {}) else f" (default: {_plain(setting.default)})"
    form = f": {setting.form}" if setting.form else ""
    choices = f": {', '.join(setting.choices)}" if setting.choices and setting.kind == "list" else ""
    about: dict[str, Any] = {"default": None, "help": f"{setting.help}{form}{choices}{default}".replace("%", "%%")}
    match setting.kind:
        case "boolean":
            return about | {"action": argparse.BooleanOptionalAction}
        case "list":
            return about | {"action": "append", "metavar": "ONE[,MORE]" if setting.separator == "," else "ONE[ MORE]"}
        case "choice":
            return about | {"metavar": "|".join(setting.choices)}
        case "json" | "table" if setting.form is None:
            return about | {"metavar": "JSON"}
        case _:
            metavar = {"integer": "N", "number": "X", "path": "PATH"}.get(
                setting.kind, setting.name.rpartition("_")[2].upper()
            )
            return about | {"metavar": metavar}


def _plain(value: object) -> str:
    if value is True:
        return "yes"
    return f"{value:,g}" if isinstance(value, int | float) else str(value)

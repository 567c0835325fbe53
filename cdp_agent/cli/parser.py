"""Reading a command's words. Those of a tool are derived: what it requires by place, the rest as options."""

from __future__ import annotations

import argparse
import os
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NoReturn

import msgspec

from cdp_agent.cli.caller import CommandCaller
from cdp_agent.cli.flags import FOR_CHROME, FOR_MODEL, add_settings, loaded
from cdp_agent.config.settings import Config
from cdp_agent.config.sources import Loaded
from cdp_agent.errors import InvalidArguments, SetupError
from cdp_agent.tools.base import Arguments, Tool


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one line, and takes `--some_option` for `--some-option`."""

    def __init__(self, name: str, description: str, usage: str | None = None) -> None:
        super().__init__(prog=f"cdp-agent {name}", description=description, usage=usage, allow_abbrev=False)

    def error(self, message: str) -> NoReturn:
        raise SetupError(f"{message}; see `{self.prog} --help`.")

    def read(self, words: Sequence[str]) -> argparse.Namespace:
        end = words.index("--") if "--" in words else len(words)
        return self.parse_intermixed_args([*map(_with_dashes, words[:end]), *words[end:]])


class ToolCommand(msgspec.Struct, frozen=True):
    """A tool with its arguments, and the address to go to before it is called."""

    tool: Tool
    arguments: Arguments
    url: str | None
    loaded: Loaded[Config]
    needs_page: bool = True
    """Without one that is open already, it makes no sense."""

    @property
    def config(self) -> Config:
        return self.loaded.config

    @property
    def goes_elsewhere(self) -> bool:
        """The tab is led to another page."""
        return self.url is not None or "url" in self.tool.parameters["required"]


def read_tool_call(
    tool: Tool,
    words: Sequence[str],
    fixed: Mapping[str, Any] | None = None,
    more: Collection[str] = (),
    caller: CommandCaller | None = None,
) -> ToolCommand:
    """What the words after a tool's name mean. `fixed` are arguments that the name itself has given.

    `more` are settings that it has options for, too. Raises SetupError.
    """
    fixed = fixed or {}
    required = [name for name in tool.parameters["required"] if name not in fixed]
    options = {
        name: each for name, each in tool.parameters["properties"].items() if name not in required and name not in fixed
    }
    # What every call gives by place; with none, the first option may be given so: `scroll down`.
    places = [_placeholder(name, tool) for name in required] or [f"[{_free_place(tool).upper()}]"]
    usage = " ".join(["%(prog)s", *(["[URL]"] if tool.read_only and required else []), *places, "[options]"])
    parser = Parser(tool.name, tool.description, usage.replace("[] ", ""))
    parser.add_argument("values", nargs="*", metavar=" ".join(places), help=_help_of(tool, required))
    for name, schema in options.items():
        parser.add_argument(f"--{name.replace('_', '-')}", dest=f"option_{name}", **_option(name, schema))
    shared = FOR_CHROME | {"json", "debug", *more} | (FOR_MODEL if tool.needs_model else set())
    add_settings(parser, shared, taken=[f"--{name.replace('_', '-')}" for name in options])
    found = parser.read(words)
    url, given = _by_place(tool, required, found.values)
    given |= {**fixed} | {name: value for name in options if (value := getattr(found, f"option_{name}")) is not None}
    try:
        return ToolCommand(tool, tool.parse(given), url, loaded(found, caller))
    except InvalidArguments as error:
        raise SetupError(str(error)) from error


def read_search(words: Sequence[str], caller: CommandCaller | None = None) -> ToolCommand:
    """What the words after `web_search` mean. Raises SetupError, also when no search is set or its key is missing."""
    from cdp_agent.config.keywords import environment_of
    from cdp_agent.tools.searching import searching
    from cdp_agent.websearch import Search, configure

    call = read_tool_call(searching(Search("", "")), words, more=("search", "search_base_url"), caller=caller)
    config = call.config
    if config.search is None:
        raise SetupError(
            "Which search? Pass --search, for example --search duckduckgo, or set it once: "
            "`cdp-agent config set search duckduckgo`."
        )
    environment = os.environ if caller is None else caller.environment
    search = configure(config.search, base_url=config.search_base_url, environment=environment_of(config, environment))
    return msgspec.structs.replace(call, tool=searching(search), needs_page=False)


def _by_place(tool: Tool, required: list[str], values: list[str]) -> tuple[str | None, dict[str, Any]]:
    takes_list = bool(required) and tool.parameters["properties"][required[-1]]["type"] == "array"
    if takes_list and len(values) > len(required):
        values = [*values[: len(required) - 1], values[len(required) - 1 :]]  # type: ignore[list-item]  # a list is last
    if len(values) == len(required):
        return None, dict(zip(required, values, strict=True))
    if len(values) == len(required) + 1 and tool.read_only:
        return values[0], dict(zip(required, values[1:], strict=True))
    if len(values) == 1 and not required and (free := _free_place(tool)):
        return None, {free: values[0]}
    wanted = " ".join(_placeholder(name, tool) for name in required) or "no words"
    raise SetupError(f"{tool.name} takes {wanted}; see `cdp-agent {tool.name} --help`.")


def _free_place(tool: Tool) -> str:
    """What one word stands for when none is required: an address where the tool reads, else its first option."""
    return "url" if tool.read_only else next(iter(tool.parameters["properties"]), "")


def _placeholder(name: str, tool: Tool) -> str:
    return name.upper() + ("…" if tool.parameters["properties"][name]["type"] == "array" else "")


def _help_of(tool: Tool, required: list[str]) -> str:
    told = {name.upper(): tool.parameters["properties"][name]["description"] for name in required}
    if tool.read_only:
        told = {"URL": "The page to open first; else it is the current tab.", **told}
    elif not told and (free := _free_place(tool)):
        told = {free.upper(): tool.parameters["properties"][free]["description"]}
    texts = [f"{name}: {text}" for name, text in told.items()] if len(told) > 1 else list(told.values())
    return " ".join(texts).replace("%", "%%") or argparse.SUPPRESS


def _option(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    told = schema.get("description", "")
    if schema.get("default") not in (None, False, []):
        told += f" (default: {schema['default']})"
    told = told.replace("%", "%%")
    if schema["type"] == "boolean":
        if schema.get("default"):
            return {"action": argparse.BooleanOptionalAction, "default": None, "help": told}
        return {"action": "store_true", "default": None, "help": told}
    metavar = "|".join(schema["enum"]) if "enum" in schema else name.rpartition("_")[2].upper()
    return {"metavar": metavar, "help": told, "action": "append" if schema["type"] == "array" else "store"}


def _with_dashes(word: str) -> str:
    if not word.startswith("--"):
        return word
    name, equals, value = word.partition("=")
    return name.replace("_", "-") + equals + value

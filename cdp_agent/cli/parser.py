"""Parses a command's words. A tool's are derived from it: required arguments are positional, the rest are options."""

from __future__ import annotations

import argparse
import os
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from cdp_agent.cli.argument_parser import Parser
from cdp_agent.cli.caller import CommandCaller
from cdp_agent.cli.flags import FOR_CHROME, FOR_DEBUGGING, FOR_MODEL, add_settings, loaded
from cdp_agent.cli.names import shown_name
from cdp_agent.cli.row_files import ANY_ROWS, OUTPUT, output_path
from cdp_agent.config.keywords import environment_of
from cdp_agent.config.settings import Config
from cdp_agent.config.sources import Loaded
from cdp_agent.errors import InvalidArguments, SetupError
from cdp_agent.providers.base import REF_PATTERN
from cdp_agent.session.calls import Call, call_of
from cdp_agent.tools.base import Tool
from cdp_agent.tools.parsing import is_element
from cdp_agent.tools.picturing import SavingArguments
from cdp_agent.tools.reading import searching
from cdp_agent.websearch import Search, configure

_PAIRS = "REF VALUE [REF VALUE …]"


class ToolCommand(msgspec.Struct, frozen=True):
    """A tool call as a command."""

    call: Call
    loaded: Loaded[Config]
    needs_page: bool = True
    """Whether a page must be open already."""
    shows_page: bool = False
    """Whether the page that it leads to is printed."""
    output: Path | None = None
    """The file for the rows that it gives."""

    @property
    def config(self) -> Config:
        return self.loaded.config

    @property
    def goes_elsewhere(self) -> bool:
        """Whether it opens another page in the tab."""
        return self.call.url is not None or "url" in self.call.tool.parameters["required"]


def read_tool_call(
    tool: Tool,
    words: Sequence[str],
    fixed: Mapping[str, object] | None = None,
    more: Collection[str] = (),
    caller: CommandCaller | None = None,
) -> ToolCommand:
    """Parses the words after a tool's name. `fixed` are arguments that the name itself implies.

    `more` are further settings for which it has options. Raises SetupError.
    """
    fixed = fixed or {}
    required = [name for name in tool.parameters["required"] if name not in fixed]
    options = {
        name: schema
        for name, schema in tool.parameters["properties"].items()
        if name not in required and name not in fixed
    }
    places = positionals_of(tool, fixed)
    parser = Parser(shown_name(tool), tool.summary, " ".join(["%(prog)s", *places, "[options]"]), more="")
    parser.add_argument("values", nargs="*", metavar=" ".join(places), help=_help_of(tool, fixed))
    by_place = "path" if _takes_path(tool) else "" if required else _default_positional(tool, fixed)
    for name, schema in options.items():
        option = _option(name, schema) | ({"help": argparse.SUPPRESS} if name == by_place else {})
        parser.add_argument(f"--{name.replace('_', '-')}", dest=f"option_{name}", **option)
    if not tool.read_only:
        rarely = tool.effect == "none" and not tool.page_changing
        help_text = argparse.SUPPRESS if rarely else "do not print the resulting page"
        parser.add_argument("--no-page", action="store_true", help=help_text)
    if tool.gives_rows:
        parser.add_argument("-o", "--output", **OUTPUT)
    shared = FOR_CHROME | FOR_DEBUGGING | {"json", *more} | (FOR_MODEL if tool.needs_model else set())
    add_settings(parser, shared, taken=[f"--{name.replace('_', '-')}" for name in options], shown=more)
    args = parser.read(words)
    url, values = _from_positionals(tool, fixed, args.values)
    values |= {**fixed} | {name: value for name in options if (value := getattr(args, f"option_{name}")) is not None}
    output = output_path(args.output, os.curdir if caller is None else caller.folder) if tool.gives_rows else None
    if output is not None and "output_schema" in options:
        values = {"output_schema": ANY_ROWS} | values
    try:
        call = call_of(tool, values)
    except InvalidArguments as error:
        raise SetupError(str(error)) from error
    shows_page = not tool.read_only and not args.no_page
    settings = loaded(args, caller)
    call = msgspec.structs.replace(call, tab=settings.config.tab, url=url)
    return ToolCommand(call, settings, shows_page=shows_page, output=output)


def positionals_of(tool: Tool, fixed: Mapping[str, object]) -> list[str]:
    """The positional arguments in the help: the required ones, or else one optional argument, as in `scroll down`."""
    if _takes_path(tool):
        return ["[URL]", "[PATH]"]
    required = [name for name in tool.parameters["required"] if name not in fixed]
    if required:
        places = [_placeholder(name, tool) for name in required]
        if tool.read_only:
            return ["[URL]", *places]
        other = _other_positional(tool)
        return [*places, f"[{other.upper()}]"] if other else places
    free = _default_positional(tool, fixed).upper()
    if tool.read_only and "ref" in tool.parameters["properties"]:
        free += "|REF"
    return [f"[{free}]"] if free else []


def read_search(words: Sequence[str], caller: CommandCaller | None = None) -> ToolCommand:
    """Parses the words after `web_search`. Raises SetupError, also if no search engine is set or its key is missing."""
    command = read_tool_call(searching(Search("", "")), words, more=("search", "search_base_url"), caller=caller)
    config = command.config
    if config.search is None:
        raise SetupError(
            "Which search? Pass --search, for example --search duckduckgo, or set it once: "
            "`cdp-agent config set search duckduckgo`."
        )
    environment = os.environ if caller is None else caller.environment
    search = configure(config.search, base_url=config.search_base_url, environment=environment_of(config, environment))
    call = msgspec.structs.replace(command.call, tool=searching(search))
    return msgspec.structs.replace(command, call=call, needs_page=False)


def _from_positionals(tool: Tool, fixed: Mapping[str, object], values: list[str]) -> tuple[str | None, dict[str, Any]]:
    required = [name for name in tool.parameters["required"] if name not in fixed]
    if _takes_path(tool) and (given := _url_and_path(values)) is not None:
        return given
    if required and _takes_pairs(tool, required[-1]):
        return None, {required[-1]: _pairs(tool, values)}
    takes_list = bool(required) and tool.parameters["properties"][required[-1]]["type"] == "array"
    if takes_list and len(values) > len(required):
        values = [*values[: len(required) - 1], values[len(required) - 1 :]]  # type: ignore[list-item]  # a list is last
    if required == ["key"] and len(values) > 1:  # press g i E5: several keys, one after the other, in an element
        ref = values.pop() if is_element(values[-1]) and len(values[-1]) > 1 else None
        return None, {"key": " ".join(values)} | ({} if ref is None else {"ref": ref})
    if len(values) == len(required):
        return None, dict(zip(required, values, strict=True))
    if len(values) == len(required) + 1 and not _is_own_ref(values[0], tool) and _takes_url(tool):
        return values[0], dict(zip(required, values[1:], strict=True))
    if (
        len(values) == len(required) + 1
        and required
        and (other := _other_positional(tool))
        and (is_element(values[-1]) or tool.parameters["properties"][other].get("pattern") != REF_PATTERN)
    ):
        return None, dict(zip([*required, other], values, strict=True))
    if len(values) == 1 and not required:
        free = "ref" if _is_own_ref(values[0], tool) else _default_positional(tool, fixed)
        if free:
            return None, {free: values[0]}
    name = shown_name(tool)
    wanted = " ".join(_placeholder(name, tool) for name in required) or "no words"
    raise SetupError(f"{name} takes {wanted}; see `cdp-agent {name} --help`.")


def _takes_pairs(tool: Tool, name: str) -> bool:
    """Whether an argument is a list of fields with a value for each."""
    return bool(tool.parameters["properties"][name].get("items", {}).get("required") == ["ref", "value"])


def _pairs(tool: Tool, values: list[str]) -> list[dict[str, str]]:
    refs = values[::2]
    if len(values) % 2 or not values or not all(map(is_element, refs)) or len({*refs}) < len(refs):
        name = shown_name(tool)
        raise SetupError(f"{name} takes {_PAIRS}, each ref once; see `cdp-agent {name} --help`.")
    return [{"ref": ref, "value": value} for ref, value in zip(refs, values[1::2], strict=True)]


def _url_and_path(values: list[str]) -> tuple[str | None, dict[str, Any]] | None:
    """The address, and the path of the file to save; a single word is an address if it has a scheme."""
    match values:
        case [url, path]:
            return url, {"path": path}
        case [word]:
            return (word, {}) if "://" in word else (None, {"path": word})
        case _:
            return None


def suffix_of(tool: Tool) -> str:
    """The suffix of the file that the tool makes, such as ".png"; "" if it makes none."""
    return tool.arguments.suffix if issubclass(tool.arguments, SavingArguments) else ""


def _takes_path(tool: Tool) -> bool:
    """Whether the path of the tool's file is a positional argument, since no argument is required."""
    return bool(suffix_of(tool)) and not tool.parameters["required"]


def _is_own_ref(word: str, tool: Tool) -> bool:
    """Whether a word is a ref for the tool; a bare number counts as text if the tool takes text."""
    properties = tool.parameters["properties"]
    return "ref" in properties and is_element(word) and not (word.isdigit() and "text" in properties)


def _takes_url(tool: Tool) -> bool:
    """Whether an address may come first, which is opened: what reads pages takes one, but not what reads a file."""
    return tool.read_only and "file" not in tool.parameters["properties"]


def _other_positional(tool: Tool) -> str:
    """The optional argument that may be positional: a ref, as of `drag` and `press`, or the only one (`dialog`)."""
    properties, required = tool.parameters["properties"].items(), tool.parameters["required"]
    others = [(name, each) for name, each in properties if name not in required]
    if ref := next((name for name, each in others if each.get("pattern") == REF_PATTERN), ""):
        return ref
    is_one_text = len(others) == 1 and others[0][1]["type"] == "string" and "enum" not in others[0][1]
    return others[0][0] if is_one_text else ""


def _default_positional(tool: Tool, fixed: Mapping[str, object]) -> str:
    """The argument that a single word sets if none is required: the address for read-only tools, else the first.

    What is only on or off is an option.
    """
    if _takes_url(tool) or fixed.get("action") == "open":
        return "url"
    properties = tool.parameters["properties"].items()
    return next((name for name, kind in properties if name not in fixed and kind["type"] != "boolean"), "")


def _placeholder(name: str, tool: Tool) -> str:
    if _takes_pairs(tool, name):
        return _PAIRS
    return name.upper() + ("…" if tool.parameters["properties"][name]["type"] == "array" else "")


def _help_of(tool: Tool, fixed: Mapping[str, object]) -> str:
    if _takes_path(tool):
        return f"URL: opened first. PATH: a {suffix_of(tool)} file, overwritten if it exists (default: a new name)"
    properties = tool.parameters["properties"]
    required = [name for name in tool.parameters["required"] if name not in fixed]
    described = {name.upper(): properties[name]["description"] for name in required}
    if _takes_url(tool):
        described = {
            "URL": "opened first." if described else "opened first (default: the open page).",
            **described,
        }
    elif not described and (free := _default_positional(tool, fixed)):
        choices = ", ".join(properties[free].get("enum", []))
        described = {free.upper(): ": ".join(filter(None, (choices, properties[free]["description"])))}
    texts = [f"{name}: {text}" for name, text in described.items()] if len(described) > 1 else list(described.values())
    return " ".join(texts).removesuffix(".").replace("%", "%%") or argparse.SUPPRESS


def _option(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    text = schema.get("description", "").removesuffix(".")
    if (default := schema.get("default")) not in (None, False, "", []):
        text += f" (default: {'yes' if default is True else default})"
    text = text.replace("%", "%%")
    if schema["type"] == "boolean":
        if default:
            return {"action": argparse.BooleanOptionalAction, "default": None, "help": text}
        return {"action": "store_true", "default": None, "help": text}
    metavar = "|".join(schema["enum"]) if "enum" in schema else name.rpartition("_")[2].upper()
    return {"metavar": metavar, "help": text, "action": "append" if schema["type"] == "array" else "store"}

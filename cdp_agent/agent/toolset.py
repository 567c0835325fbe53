"""The tools of a run: those that every model is offered, and those that the user added or allowed.

If the answer has a form, it is in the parameters of `done`, and in no other part of the prompt.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import msgspec

from cdp_agent.agent.base.options import Options
from cdp_agent.errors import InvalidArguments, SetupError
from cdp_agent.extract.shape import WRAPPER, as_argument
from cdp_agent.providers.base import ToolSpec
from cdp_agent.providers.shared.json_reading import read_object
from cdp_agent.tools import BUILT_IN, DEFAULT
from cdp_agent.tools.asking import USER_TOOLS
from cdp_agent.tools.base import Arguments, Tool, by_name
from cdp_agent.tools.ending import DoneArguments, done
from cdp_agent.tools.members.anthropic import MEMBERS
from cdp_agent.tools.reading import searching
from cdp_agent.websearch import configure

if TYPE_CHECKING:
    from cdp_agent.agent.state.run import Run
    from cdp_agent.extract.form import Form

_RECORDS = ("read_console", "read_network")
"""Tools for developers of a page, not for its users."""
_PICTURES = {"screenshot", "zoom"}
_ANSWER = "The whole answer to the task, in this form."


def toolset(
    options: Options,
    more: Iterable[Tool] = (),
    *,
    search_api_key: str | None = None,
    environment: Mapping[str, str],
    asks_user: bool = False,
    provider: str | None = None,
) -> dict[str, Tool]:
    """The tools by name; those of ours in `more` are offered at once.

    `provider` is that of the model, whose own browser tools `options` may select.

    Raises SetupError for two tools with the same name, a search that is unknown or lacks a key, and a provider that has
    no browser tools.
    """
    vendor = options.toolset == "vendor"
    added: list[Tool] = [BUILT_IN["evaluate"]] if options.allow_evaluate and not vendor else []
    added += USER_TOOLS if asks_user else ()
    if options.search is not None:
        search = configure(
            options.search, base_url=options.search_base_url, api_key=search_api_key, environment=environment
        )
        added.append(searching(search))
    more = list(more)
    added += [msgspec.structs.replace(tool, useful_if=None) if tool.is_ours else tool for tool in more]
    default = _members(options, provider) if vendor else DEFAULT.values()
    return by_name((tool for tool in default if tool not in more), added)


def spec_of(tool: Tool) -> ToolSpec:
    """The tool as it is described to a model; grammars are made from the whole schema.

    Ours are described in short: a call out of bounds is refused with the reason.
    """
    shown = tool.brief if tool.is_ours else tool.parameters
    return ToolSpec(tool.name, tool.description, shown, tool.parameters, is_member=MEMBERS.get(tool.name) is tool)


def offered(run: Run, task: str) -> list[Tool]:
    """The tools that a model is told of: each from the moment that it is of use for the task, to the end of the run.

    Providers cache a request from its beginning, where the tools are: to offer one more has the conversation read anew.
    So only tools for which few pages have a use wait for one, and they come last. All others can be called as well.
    """
    context = msgspec.structs.replace(run.context(), task=task)
    for name, tool in run.tools.items():
        if name not in run.offered and (tool.useful_if is None or tool.useful_if(context)):
            run.offered.append(name)
    return [run.tools[name] for name in run.offered if name in run.tools]


def _members(options: Options, provider: str | None) -> list[Tool]:
    """The vendor's browser tools that the options allow, and ours that end the task, ask a model or answer a dialog."""
    if provider != "anthropic":
        raise SetupError(
            f"toolset='vendor' is for a model of anthropic that does it all: {provider or 'this run'} has no browser "
            "toolset of its own. Leave it out."
        )
    off = set(_RECORDS)
    off |= set() if options.allow_evaluate else {"javascript_exec"}
    off |= set() if options.upload_folders else {"file_upload"}
    off |= set() if options.vision else _PICTURES
    ours = [each for name, each in DEFAULT.items() if each.terminal or each.needs_model or name == "dialog"]
    return [*(each for name, each in MEMBERS.items() if name not in off), *ours]


def for_steps(tools: Mapping[str, Tool], *, with_model: bool) -> dict[str, Tool]:
    """The tools for carrying out steps, including those for people and programs, but none that ends the task."""
    added = {name for name, tool in tools.items() if not tool.by_default}
    return {
        name: tool
        for name, tool in (BUILT_IN | dict(tools)).items()
        if (tool.by_executors or name in added) and not tool.terminal and (with_model or not tool.needs_model)
    }


class TypedDone(Tool, frozen=True, eq=False):
    """`done` for an answer that has a form; its `result` becomes JSON text, however the model wrote it."""

    form: Form

    @classmethod
    def of(cls, form: Form) -> TypedDone:
        """The tool for an answer of this form."""
        return cls(done.run, done.arguments, form, read_only=True, terminal=True)

    @cached_property
    def parameters(self) -> dict[str, Any]:
        """See Tool.parameters."""
        parameters = as_argument(self.form.source)
        described = {"description": _ANSWER, **parameters["properties"][WRAPPER]}
        return {**parameters, "properties": {WRAPPER: described}}

    @property
    def brief(self) -> dict[str, Any]:
        """See Tool.brief."""
        return self.parameters

    def parse(self, source: str | Mapping[str, object]) -> Arguments:
        """See Tool.parse."""
        try:
            arguments = read_object(source) if isinstance(source, str) else dict(source)
        except ValueError as error:
            raise InvalidArguments(f"done: {error}. It takes {{result}}: call it again with that.") from error
        if WRAPPER in arguments:
            result = arguments[WRAPPER]
        elif arguments and not self.form.convert(arguments)[1]:
            result = arguments  # the answer itself, without the wrapper
        else:
            raise InvalidArguments("done: there is no `result`. It takes {result}: call it again with that.")
        return DoneArguments(result if isinstance(result, str) else msgspec.json.encode(result).decode())

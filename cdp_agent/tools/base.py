"""What a tool is: a struct of arguments, an async function, a docstring. Everything else is derived here."""

from __future__ import annotations

import os
import re
import typing
from collections.abc import Awaitable, Callable, Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

import msgspec

from cdp_agent.action_log import Logged
from cdp_agent.errors import InvalidArguments, SetupError
from cdp_agent.page.page import Page, tab_of
from cdp_agent.providers.base import REF_PATTERN, Usage
from cdp_agent.providers.shared.json_reading import read_object
from cdp_agent.security.origins import WEB
from cdp_agent.security.secrets import Secrets
from cdp_agent.tools.aliases import rename_arguments
from cdp_agent.tools.parsing import coerce
from cdp_agent.tools.schema import brief_parameters_of, parameters_of
from cdp_agent.tools.validation_errors import readable

if TYPE_CHECKING:
    from cdp_agent.browser.context import BrowserContext
    from cdp_agent.decisions import AskUser
    from cdp_agent.page.tab.tab import Tab
    from cdp_agent.providers.client import Client


class Arguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Base of every tool's arguments: a field is a parameter, `Meta(description=…)` is its prompt."""


ALWAYS = {"always": True}
"""The `extra` in the Meta of a parameter whose description is needed to call the tool: `Tool.brief` keeps it."""
CHARS_A_TOKEN = 4
"""Of JSON and CSV, roughly."""
Ref = Annotated[str, msgspec.Meta(pattern=REF_PATTERN, description="The element's ref, for example E12.")]


class Context(msgspec.Struct, frozen=True):
    """What a tool may use: the tab it acts on, the tab's browser, and the model that is working.

    `may_open` is called before an address is opened and raises ActionError if it must not be. `secrets` are the values
    of placeholders. Files are uploaded only from `upload_folders`, and only addresses with one of `schemes`, or with
    one that `allow` names, are opened; None: no restriction, since the caller chose them. Relative paths start at
    `folder`; None: the current directory. `ask_user` asks the user; None if nobody can be asked. `task` is what the
    model is to do, if that is known.
    """

    page: Page
    browser: BrowserContext
    model: Client | None = None
    may_open: Callable[[str], Awaitable[None]] | None = None
    secrets: Secrets = msgspec.field(default_factory=Secrets)
    upload_folders: tuple[str, ...] | None = None
    schemes: frozenset[str] | None = WEB
    folder: str | None = None
    ask_user: AskUser | None = None
    task: str = ""

    @property
    def tab(self) -> Tab:
        """The tab behind `page`, only for the tools of this package."""
        return tab_of(self.page)

    @property
    def last_read(self) -> str:
        """The text of the page as it was last read."""
        history = self.tab.history
        return history[-1].snapshot.text if history else ""

    def read(self, text: str) -> str:
        """Text that was read from the page, with a note if it came with an error status or is still loading."""
        activity = self.tab.activity
        if (status := activity.error_status) is not None:
            text += f"\n(The page came with {status}.)"
        address = activity.navigating()
        return text if address is None else f"{text}\n(Still loading {address}: read it again for the rest.)"

    def task_has(self, word: str) -> bool:
        """Whether a word of the task begins with this one."""
        return re.search(rf"\b{word}", self.task, re.IGNORECASE) is not None

    def path(self, given: str) -> str:
        """The absolute path of a file that the call names."""
        return os.path.abspath(os.path.join(self.folder or "", os.path.expanduser(given)))


class Observation(msgspec.Struct, frozen=True):
    """The result of a tool: `text` is for a model, `value` is the same as data for programs.

    `notices` are messages for those who follow the run; `usage` is that of the tool's own model calls. `tab` is the tab
    to go on in, if the tool changes it. `from_user`: the text comes from the user, so a model may follow it, and not
    from a page. `meanwhile` are lines on what came and went on the page before, which the text ends with; a Receipt has
    its own.
    """

    text: str
    value: msgspec.Struct | None = None
    notices: tuple[str, ...] = ()
    usage: Usage | None = None
    tab: Page | None = None
    from_user: bool = False
    meanwhile: tuple[str, ...] = ()


class Answer(msgspec.Struct, frozen=True):
    """The end of the task: its answer, or the reason why there is none."""

    result: str
    success: bool


_A = TypeVar("_A", bound=Arguments)
Run = Callable[[Any, Context], Awaitable[Observation | Answer]]
"""The function of a tool; its first parameter is the tool's own subclass of `Arguments`."""

Effect = Literal["none", "click", "fill", "press", "type", "upload", "script", "address", "dialog"]
"""How the risks of a call are determined (steps/approval/risk.py); "none" if it can always be undone."""

RECEIPT = "what came of it: where the page went, new tabs, dialogs, downloads, what changed, the value of a field"


class ToolOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What a tool says of itself: the keywords of `tool` and of `Tool`."""

    read_only: bool = False
    """Leaves the page as it is; all others act on it."""
    page_changing: bool | Callable[[Any], bool] = False
    """Anything on the page may be different afterwards, so that later calls that were planned have to be reconsidered;
    a function decides by the arguments."""
    acts_if: Callable[[Any], bool] | None = None
    """With which arguments it acts on the page, although it is `read_only` with others; see `Tool.with_arguments`."""
    terminal: bool = False
    """Ends the task."""
    needs_model: bool = False
    """Asks a model itself."""
    takes_secrets: bool = False
    """May be called with placeholders of secrets, although it acts."""
    by_default: bool = True
    """Offered to a model that works alone. Others are for people, programs and executors of steps, or on request."""
    useful_if: Callable[[Context], bool] | None = None
    """Whether the page as it was last read, or the task, has a use for it: from then on it is offered. None: always."""
    by_callers: bool | None = None
    """Offered to models of other programs, which see nothing of the browser but the results of tools; None: as
    `by_default` says."""
    by_executors: bool = True
    """Offered for carrying out steps."""
    gives: str = RECEIPT
    """Its result in words, for planners."""
    effect: Effect | None = None
    """How the risks of a call are determined; without it, a tool that is not `read_only` needs approval."""
    gives_rows: bool = False
    """Its value has rows: see `rows_of`."""
    value: type[msgspec.Struct] | None = None
    """The struct of its result, if programs use that rather than the text."""

    def __post_init__(self) -> None:
        if self.by_callers is None:
            msgspec.structs.force_setattr(self, "by_callers", self.by_default)
        if self.effect is None and self.read_only:
            msgspec.structs.force_setattr(self, "effect", "none")


class Tool(ToolOptions, frozen=True, eq=False, dict=True, weakref=True):
    """Something that a model, a person at the command line or a program can call by name."""

    run: Run
    arguments: type[Arguments]

    @cached_property
    def name(self) -> str:
        """The name of its function, without the underscore at the end of one that would be a name of Python."""
        return self.run.__name__.rstrip("_")

    @cached_property
    def description(self) -> str:
        """Its docstring, which is its prompt, in one line."""
        return " ".join((self.run.__doc__ or "").split())

    @cached_property
    def summary(self) -> str:
        """The first line of its docstring."""
        return (self.run.__doc__ or "").strip().partition("\n")[0]

    @cached_property
    def parameters(self) -> dict[str, Any]:
        """The arguments as a JSON Schema that every provider takes: one object, no `$ref`, no null."""
        return parameters_of(self.arguments)

    @cached_property
    def brief(self) -> dict[str, Any]:
        """The schema of the arguments in short, without bounds and defaults, which `parse` applies anyway.

        It has descriptions only where name and type do not suffice; see `ALWAYS`.
        """
        return brief_parameters_of(self.arguments)

    @property
    def can_undo(self) -> bool:
        """Whether everything that the tool does can be undone."""
        return self.effect in ("none", "address")

    @property
    def is_ours(self) -> bool:
        """Whether the tool is part of this package; results of other tools count as the user's words."""
        return self.run.__module__.partition(".")[0] == __name__.partition(".")[0]

    def with_arguments(self, arguments: Arguments) -> Tool:
        """The tool as it is with these arguments: one that reads may act with some."""
        if self.acts_if is None or not self.acts_if(arguments):
            return self
        return msgspec.structs.replace(self, read_only=False, page_changing=True, acts_if=None)

    def changes_page(self, arguments: Arguments) -> bool:
        """Whether a call with these arguments is page-changing."""
        return self.page_changing(arguments) if callable(self.page_changing) else self.page_changing

    @property
    def ref_names(self) -> list[str]:
        """The arguments that name an element by its ref."""
        return [name for name, each in self.parameters["properties"].items() if each.get("pattern") == REF_PATTERN]

    def refs_in(self, arguments: Arguments) -> list[str]:
        """The refs of elements that the arguments name."""
        refs = [ref for name in self.ref_names if (ref := getattr(arguments, name)) is not None]
        fields = msgspec.to_builtins(arguments).get("fields") if self.is_ours else None
        return refs + [field["ref"] for field in fields or ()]

    def declaration(self) -> dict[str, Any]:
        """The tool as data, as in schemas/tools.json."""
        return {
            "name": self.name,
            "description": self.description,
            "gives": self.gives,
            "read_only": self.read_only,
            "page_changing": bool(self.page_changing),
            "terminal": self.terminal,
            "by_default": self.by_default,
            "parameters": self.parameters,
        }

    def parse(self, source: str | Mapping[str, object]) -> Arguments:
        """The validated arguments, from a model's JSON text or a mapping of names to values.

        Obvious slips are accepted (`"12"` for 12, `[ref=E12]` for E12, null for "left out"). Raises InvalidArguments,
        which names the argument and what the tool takes.
        """
        try:
            found = read_object(source) if isinstance(source, str) else dict(source)
            found = rename_arguments(self.name, found, self.parameters["properties"])
            return msgspec.convert(coerce(found, self.parameters), self.arguments, strict=False)
        except ValueError as error:  # includes msgspec.ValidationError
            problem = readable(str(error), self.parameters, lists_fields=False)
            takes = _shape(self.parameters)
            again = "" if takes == "{}" else ": call it again with those"
            message = f"{self.name}: {problem}. It takes {takes}{again}."
            raise InvalidArguments(shorten_middle(message)) from error


def _shape(schema: dict[str, Any]) -> str:
    """The names of an object's properties: `{fields: [{ref, value}], submit?}`."""
    names = []
    for name, of in schema["properties"].items():
        inner = f": [{_shape(of['items'])}]" if "properties" in of.get("items", {}) else ""
        names.append(f"{name}{'' if name in schema['required'] else '?'}{inner}")
    return f"{{{', '.join(names)}}}"


def shorten_middle(message: str, longest: int = 2_000) -> str:
    """An error's message cut to about `longest` characters in its middle, where it repeats overlong input."""
    left_out = len(message) - longest
    if left_out <= 0:
        return message
    return f"{message[: longest // 2]} … ({left_out:,} characters are left out) … {message[-longest // 2 :]}"


class tool(ToolOptions, frozen=True):
    """A decorator that makes a tool of `async def name(args: SomeArguments, context: Context)`; see `ToolOptions`."""

    def __call__(self, run: Callable[[_A, Context], Awaitable[Observation | Answer]]) -> Tool:
        arguments = typing.get_type_hints(run).get("args")
        if not (isinstance(arguments, type) and issubclass(arguments, Arguments)) or not run.__doc__:
            raise SetupError(f"{run.__name__}: a tool needs a docstring and `args: <a subclass of Arguments>`.")
        return Tool(run, arguments, **msgspec.structs.asdict(self))


def facts(value: msgspec.Struct) -> dict[str, Any]:
    """A tool's value as JSON data: its fields and its properties, such as `Snapshot.refs`, but no action's log."""
    data: dict[str, Any] = msgspec.to_builtins(value)
    if isinstance(value, Logged):
        del data["log"]
    derived = [name for name, each in vars(type(value)).items() if isinstance(each, property | cached_property)]
    return data | {name: msgspec.to_builtins(getattr(value, name)) for name in derived}


def answer_tool(name: str, description: str, arguments: type[Arguments]) -> Tool:
    """A tool that is never run: a model calls it to give its answer in this form."""

    async def run(args: Arguments, context: Context) -> Observation:
        raise NotImplementedError(f"{name} is only asked for, never run")

    run.__name__, run.__doc__ = name, description
    return Tool(run, arguments)


def by_name(*groups: Iterable[Tool]) -> dict[str, Tool]:
    """The tools of all groups by their names, in order. Raises SetupError when two have the same name."""
    tools: dict[str, Tool] = {}
    for each in (each for group in groups for each in group):
        if each.name in tools:
            raise SetupError(f"There are two tools named {each.name!r}: rename one.")
        tools[each.name] = each
    return tools

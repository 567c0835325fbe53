"""A tool as a command."""

from __future__ import annotations

import asyncio
import itertools
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import msgspec

from cdp_agent import errors
from cdp_agent.cli.caller import CommandCaller
from cdp_agent.cli.names import TOOLS
from cdp_agent.cli.parser import ToolCommand
from cdp_agent.cli.session import OpenSession
from cdp_agent.cli.status import DONE, status_of_class
from cdp_agent.cli.terminal.log import tell_more
from cdp_agent.cli.terminal.text import for_terminal, one_line
from cdp_agent.config import endpoint_of
from cdp_agent.errors import InvalidArguments, SetupError
from cdp_agent.page.receipts.receipts import Receipt
from cdp_agent.session.calls import Understood
from cdp_agent.session.session import ToolError
from cdp_agent.tools.addresses import complete_address
from cdp_agent.tools.base import facts
from cdp_agent.tools.picturing import Screenshot, ScreenshotArguments
from cdp_agent.tools.reading import SnapshotArguments
from cdp_agent.tools.tabs import TabList

if TYPE_CHECKING:
    from cdp_agent.providers.client import Client


PAGE_TOKENS = 2_000
"""How long a page may be that is printed because an action led to it."""


class SavedPicture(msgspec.Struct, frozen=True):
    """A PNG of `size` bytes in the file `path`."""

    path: str
    size: int


async def call_tool(call: ToolCommand, opened: OpenSession, caller: CommandCaller) -> int:
    """Calls it on the current tab of the session and writes what came of it. Raises SetupError for a wrong address."""
    url = _address(call.url) if call.url is not None else None
    path = call.arguments.path if isinstance(call.arguments, ScreenshotArguments) else None
    arguments = call.arguments if path is None else msgspec.structs.replace(call.arguments, path=None)
    with tell_more(call.config, caller.output):
        async with _model(call, caller) as model:
            outcome = await opened.session.perform(
                Understood(call.tool, arguments), url=url, tab=call.config.tab, model=model, folder=caller.folder
            )
        if outcome.error is not None:
            return _complain(outcome.error, outcome.text, caller)
        if isinstance(outcome.value, Screenshot) and outcome.images:
            picture = await asyncio.to_thread(_saved, outcome.images[0], caller.folder, path)
            caller.output.write(_as_json(picture) if call.config.json else f"{for_terminal(picture.path)}\n")
            return DONE
        if call.config.json:
            value = {"text": outcome.text} if outcome.value is None else facts(outcome.value)
            caller.output.write(_as_json(value))
            return DONE
        caller.output.write(for_terminal(outcome.text) + "\n")
        if not call.shows_page or not _leads(call, outcome.value):
            return DONE
        snapshot = Understood(TOOLS["snapshot"], SnapshotArguments(PAGE_TOKENS))
        page = await opened.session.perform(snapshot, tab=call.config.tab)
    if page.error is not None:
        _complain(page.error, page.text, caller)
    else:
        caller.output.write(for_terminal(page.text) + "\n")
    return DONE


def _leads(call: ToolCommand, value: msgspec.Struct | None) -> bool:
    """Whether another page is there now than before."""
    match value:
        case Receipt():
            return bool((value.navigated_to and not value.same_document) or value.new_tabs or value.closed)
        case TabList():
            return call.tool.changes_page(call.arguments)
        case _:
            return False


def _saved(picture: bytes, folder: str, path: str | None) -> SavedPicture:
    """The picture in that file, or in a new one with a name of ours. Raises SetupError.

    A file that its user names is theirs to replace, as with any program; what pages show is for the user alone.
    """
    if path is not None and not path.lower().endswith(".png"):
        raise SetupError(f"{path} is no .png file.")
    names = [path] if path is not None else (f"screenshot-{number}.png" for number in itertools.count(1))
    exists = os.O_TRUNC if path is not None else os.O_EXCL
    for name in names:
        whole = os.path.abspath(os.path.join(folder, os.path.expanduser(name)))
        try:
            with open(os.open(whole, os.O_WRONLY | os.O_CREAT | exists, 0o600), "wb") as file:
                file.write(picture)
        except FileExistsError:
            continue
        except OSError as error:
            raise SetupError(f"{whole} was not written: {error.strerror or error}.") from error
        return SavedPicture(whole, len(picture))
    raise AssertionError("there is always another name")


def _complain(error: ToolError, text: str, caller: CommandCaller) -> int:
    caller.output.complain(f"cdp-agent: {one_line(text)}\n")
    return status_of_class(getattr(errors, error.type))


@asynccontextmanager
async def _model(call: ToolCommand, caller: CommandCaller) -> AsyncIterator[Client | None]:
    """The model that is configured, for the tools that ask one. Raises SetupError."""
    if not call.tool.needs_model or not call.config.model:
        yield None
        return
    from cdp_agent.providers.client import Client  # httpx takes long to import

    async with Client(endpoint_of(call.config, caller.environment)) as client:
        yield client


def _address(text: str) -> str:
    try:
        return complete_address(text)
    except InvalidArguments as error:
        raise SetupError(str(error)) from error


def _as_json(value: object) -> str:
    return msgspec.json.encode(value).decode() + "\n"

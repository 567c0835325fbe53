"""Calls a tool as a command, and prints its result."""

from __future__ import annotations

import asyncio
import itertools
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from cdp_agent import errors
from cdp_agent.cli.caller import CommandCaller
from cdp_agent.cli.flags import SETTINGS
from cdp_agent.cli.names import TOOLS
from cdp_agent.cli.parser import ToolCommand, suffix_of
from cdp_agent.cli.printed import brief
from cdp_agent.cli.row_files import write_rows
from cdp_agent.cli.session import OpenSession
from cdp_agent.cli.status import DONE, status_of_class
from cdp_agent.cli.terminal.text import for_terminal, one_line
from cdp_agent.config import endpoint_of
from cdp_agent.config.keywords import dialog_policy_of
from cdp_agent.errors import InvalidArguments, SetupError
from cdp_agent.page.page import Page, tab_of
from cdp_agent.page.receipts.receipts import Receipt
from cdp_agent.page.refs.locate import carry_over
from cdp_agent.page.snapshot.shown_pages import ShownPages
from cdp_agent.page.snapshot.snapshot import Snapshot
from cdp_agent.page.tab.dialog_policy import DialogPolicy
from cdp_agent.security import files
from cdp_agent.session.calls import Call, ToolError, ToolOutcome
from cdp_agent.tools.addresses import complete_address
from cdp_agent.tools.base import Arguments, Context, Observation, Tool, facts, tool
from cdp_agent.tools.picturing import SavingArguments, Screenshot, WrittenFile
from cdp_agent.tools.reading import SnapshotArguments
from cdp_agent.tools.rows import rows_of
from cdp_agent.tools.tabs import TabList

if TYPE_CHECKING:
    from cdp_agent.providers.client import Client


PAGE_TOKENS = 2_000
"""The most tokens of a page that is printed because an action led to it."""

_NAVIGATION_TOOLS = ("goto", "back", "forward")
"""Tools that do not read the page first, so their receipts lack the changes when the document stays the same."""


class SavedFile(msgspec.Struct, frozen=True):
    """A picture, PDF or HAR of `size` bytes in the file `path`."""

    path: str
    size: int


async def call_tool(command: ToolCommand, opened: OpenSession, caller: CommandCaller) -> int:
    """Calls the tool in the current tab of the session and prints the result. Raises SetupError for a bad address."""
    call = command.call
    url = _address(call.url, caller.folder) if call.url is not None else None
    path = call.arguments.path if isinstance(call.arguments, SavingArguments) else None
    arguments = call.arguments if path is None else msgspec.structs.replace(call.arguments, path=None)
    session, before = opened.session, _TabAddress.of(opened.session.page if call.tab is None else None)
    async with _model(command, caller) as model:
        call = msgspec.structs.replace(
            call, arguments=arguments, url=url, model=model, folder=caller.folder, dialogs=_dialogs(command)
        )
        outcome = await session.perform(call)
    if outcome.error is not None:
        return _report_error(outcome.error, outcome.text, caller)
    if (made := _made(outcome.value)) is not None:
        file = await asyncio.to_thread(_saved, made, call.tool, caller.folder, path)
        caller.output.write(_as_json(file) if command.config.json else f"{for_terminal(file.path)}\n")
        return DONE
    if command.output is not None:
        return await _write_rows(command.output, outcome, caller, as_json=command.config.json)
    if command.config.json:
        value = {"text": outcome.text} if outcome.value is None else facts(outcome.value)
        caller.output.write(_as_json(value | ({"meanwhile": outcome.meanwhile} if outcome.meanwhile else {})))
        return DONE
    now = session.page if call.tab is None else None  # `tab` is for this command only
    caller.output.write(for_terminal(_brief(outcome, arguments, before, now, opened)) + "\n")
    if not command.shows_page or _is_stopped(outcome.value) or not _shows_other_page(call, outcome.value):
        return DONE
    read = _read_next(_printed(opened, now)) if now is not None and now is session.page else TOOLS["snapshot"]
    page = await session.perform(Call(read, SnapshotArguments(PAGE_TOKENS), tab=call.tab))
    if page.error is not None:
        _report_error(page.error, page.text, caller)
        return DONE
    caller.output.write(for_terminal(page.text) + "\n")
    return DONE


def _read_next(printed: ShownPages) -> Tool:
    """The tool `snapshot`, without what was printed of the previous page."""

    @tool(read_only=True, gives=TOOLS["snapshot"].gives)
    async def snapshot(args: SnapshotArguments, context: Context) -> Observation:
        """Read the page that an action led to."""
        tab = tab_of(context.page)
        reading = await tab.read_marked()
        text, refs, is_whole = printed.next_page(reading, args.budget_tokens)
        tab.note_shown(reading.snapshot.text if is_whole else None)
        carry_over(tab, refs)
        return Observation(context.read(text or reading.snapshot.text_or_note), reading.snapshot)

    return snapshot


def _dialogs(command: ToolCommand) -> DialogPolicy | None:
    """How dialogs are answered during this command, if its flag or variable says so, and not the session's settings."""
    setting = SETTINGS["dialogs"]
    is_own = command.loaded.source("dialogs") in (setting.flag, *setting.variables)
    return dialog_policy_of(command.config.dialogs) if is_own else None


def _is_stopped(value: msgspec.Struct | None) -> bool:
    """Whether a dialog is open, so that no page can be printed."""
    return isinstance(value, Receipt) and value.dialog is not None


class _TabAddress(NamedTuple):
    """A tab, and its address before the call."""

    page: Page
    url: str

    @staticmethod
    def of(page: Page | None) -> _TabAddress | None:
        return None if page is None else _TabAddress(page, page.url)


def _brief(
    outcome: ToolOutcome, arguments: Arguments, before: _TabAddress | None, now: Page | None, opened: OpenSession
) -> str:
    """The text to print for an outcome. What it shows of the current tab is recorded, and not printed again."""
    match outcome.value:
        case Receipt() as receipt:
            if before is not None and (history := tab_of(before.page).history):
                _printed(opened, before.page).forget_changed(history[-1].snapshot.text, receipt.ref)
            short = brief(receipt, arguments, None if before is None else before.url)
            return short + outcome.text.removeprefix(receipt.text)
        case Snapshot() as snapshot if now is not None:
            _printed(opened, now).note_whole_page(snapshot)
    return outcome.text


def _printed(opened: OpenSession, page: Page) -> ShownPages:
    return opened.printed.setdefault(page, ShownPages())


def _shows_other_page(call: Call, value: msgspec.Struct | None) -> bool:
    """Whether the tab now shows another page, or a page that was not compared with the previous one."""
    match value:
        case Receipt():
            moved = value.navigated_to and (not value.same_document or value.action in _NAVIGATION_TOOLS)
            return bool(moved or value.new_tabs or value.closed)
        case TabList():
            return call.tool.changes_page(call.arguments)
        case _:
            return False


def _made(value: msgspec.Struct | None) -> bytes | None:
    """The content of the file that a tool made, if any."""
    match value:
        case Screenshot():
            return value.image
        case WrittenFile():
            return value.content
        case _:
            return None


def _saved(content: bytes, tool: Tool, folder: str, path: str | None) -> SavedFile:
    """Writes the content to the file at `path`, or to a new one with a generated name. Raises SetupError.

    A file that the user names is replaced, once all is written. It has the mode 600, since pages may show private data.
    """
    suffix = suffix_of(tool)
    if path is not None and not path.lower().endswith(suffix):
        raise SetupError(f"{path} is no {suffix} file.")
    names = [path] if path is not None else (f"{tool.name}-{number}{suffix}" for number in itertools.count(1))
    write = files.write if path is not None else files.write_new
    for name in names:
        whole = os.path.abspath(os.path.join(folder, os.path.expanduser(name)))
        try:
            write(Path(whole), content)
        except FileExistsError:
            continue
        except OSError as error:
            raise SetupError(f"{whole} was not written: {error.strerror or error}.") from error
        return SavedFile(whole, len(content))
    raise AssertionError("there is always another name")


async def _write_rows(path: Path, outcome: ToolOutcome, caller: CommandCaller, *, as_json: bool) -> int:
    """Writes the rows to the file; if that fails, prints what there is. Raises SetupError then."""
    rows = rows_of(outcome.value)
    try:
        written = await asyncio.to_thread(write_rows, path, rows, rows and rows.rows)
    except SetupError:
        caller.output.write(for_terminal(outcome.text) + "\n")
        raise
    about = {"path": str(path), "rows": len(rows.rows) if rows is not None else 0}
    caller.output.write(_as_json(about) if as_json else f"{for_terminal(written)}\n")
    return DONE


def _report_error(error: ToolError, text: str, caller: CommandCaller) -> int:
    caller.output.write_error(f"cdp-agent: {one_line(text)}\n")
    return status_of_class(getattr(errors, error.type))


@asynccontextmanager
async def _model(command: ToolCommand, caller: CommandCaller) -> AsyncIterator[Client | None]:
    """A client for the configured model, if the tool asks one. Raises SetupError."""
    if not command.call.tool.needs_model or not command.config.model:
        yield None
        return
    from cdp_agent.providers.client import Client  # late: httpx takes long to import

    async with Client(endpoint_of(command.config, caller.environment)) as client:
        yield client


def _address(text: str, folder: str) -> str:
    """A whole address, also for the path of a file of the user, who has typed it. Raises SetupError."""
    file = Path(folder, os.path.expanduser(text))
    if file.is_file():
        return file.absolute().as_uri()
    try:
        return complete_address(text)
    except InvalidArguments as error:
        raise SetupError(str(error)) from error


def _as_json(value: object) -> str:
    return msgspec.json.encode(value).decode() + "\n"

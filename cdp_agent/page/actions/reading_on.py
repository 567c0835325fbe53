"""Reads tables and records over several pages: by next links, buttons that load more, and scrolling.

It goes on by acts as any others, as long as anything new comes. Nothing is sent on the way: a control that sends a form
is left to the caller.
"""

from __future__ import annotations

import asyncio
import time
from typing import Any, Protocol

import msgspec

from cdp_agent.errors import ActionError, InvalidArguments
from cdp_agent.page.data.counting import MoreRows, counted
from cdp_agent.page.data.document import Documents, read_documents
from cdp_agent.page.data.files import NO_TABLE, named_rows, tables_of_file
from cdp_agent.page.data.joining import NOT_JOINED, NOTHING_NEW, Joined, JoinedRecords, JoinedTable
from cdp_agent.page.data.more_rows import AllRows
from cdp_agent.page.data.records import Records, alike_in, records_of
from cdp_agent.page.data.tables import Tables, of_file, tables_in
from cdp_agent.page.data.whole import WholePage, read_whole, whole_of
from cdp_agent.page.frames.deadline import Deadline
from cdp_agent.page.query.consequence import consequence
from cdp_agent.page.receipts.action_runner import limit_of
from cdp_agent.page.receipts.dialog_stops import value_until_dialog
from cdp_agent.page.receipts.receipts import Receipt
from cdp_agent.page.refs.locate import locate
from cdp_agent.page.snapshot.file_text import content_of
from cdp_agent.page.tab.tab import Tab

from .actions import click_ref
from .scrolling.box import Scroller, box_of
from .scrolling.movement import BLANK_IN_SEARCH, BLANK_S, Movement
from .scrolling.to_text import FAR_PX

READING_ON_S = 120.0
"""How long reading goes on at most; the page that is then being read is still finished."""
_LONG = 20
"""From how many rows on a table is what a page is read for."""
_STEP = 0.8
"""How much of a view it scrolls at first, so that rows of a screen are on the next one as well."""
_LONGEST_STEP = 5.0
"""The same at most: lists draw some rows before and behind the view as well, grids many."""


async def tables(tab: Tab, within: str | None, pages: int) -> Tables:
    """The tables, with the rows of several pages of the one that goes on. Raises as `Page.tables`.

    Without `within`, those of a file that the tab shows or was sent to.
    """
    _check(pages)
    if within is None and (file := await tables_of_file(tab)) is not None:
        rows = await asyncio.to_thread(of_file, file)
        return Tables(rows, [file.unread] if file.unread else [], [])
    documents = await read_documents(tab, within)
    read = tables_in(documents)
    result = Tables([table.table for table in read], documents.unread, [])
    going_on = [table for table in read if table.shown.more is not None] or (read if len(read) == 1 else [])
    if pages == 1 or not going_on:
        return result
    if len(going_on) > 1:
        refs = ", ".join(table.table.ref for table in going_on)
        raise InvalidArguments(f"More than one table goes on: give the ref of the one to read over pages, of {refs}.")
    joined = JoinedTable(going_on[0])
    result.notices = await _read_on(tab, joined, pages)
    result[read.index(going_on[0])] = joined.result()
    return result


async def records(tab: Tab, within: str | None, pages: int, as_type: type[Any] | None) -> Records[Any]:
    """The records of several pages. Raises as `Page.records`.

    Of a file that the tab shows or was sent to, the rows of its longest table.
    """
    _check(pages)
    if within is None and (file := await tables_of_file(tab)) is not None:
        columns, cells = named_rows(max(file.tables, key=lambda table: len(table.rows), default=NO_TABLE))
        rows = Records(map(dict, cells), columns, AllRows(), [file.unread] if file.unread else [])
        return rows if as_type is None else rows.as_type(as_type)
    documents = await read_documents(tab, within)
    alike = alike_in(documents)
    if alike is None:
        return Records([], [], AllRows(), documents.unread)
    if pages == 1:
        result = records_of(alike, documents.unread)
    else:
        joined = JoinedRecords(alike)
        notices = await _read_on(tab, joined, pages)
        result = joined.result(documents.unread)
        result.notices = notices
    return result if as_type is None else result.as_type(as_type)


def _check(pages: int) -> None:
    if pages < 1:
        raise InvalidArguments(f"pages is {pages}: give 1 or more.")


async def contents(tab: Tab, pages: int) -> tuple[list[WholePage], list[str]]:
    """The page, with the further pages of its rows, and what to know of these.

    Where rows are loaded into the page, it is read once they are there. For one page, `more` is only told.
    """
    documents = await read_documents(tab)
    joined = None if content_of(documents.readings.root.world) else _rows_in(documents)
    contents = [await whole_of(documents, tab.refs)]

    async def take(*, replaces: bool) -> None:
        contents[len(contents) if replaces else -1 :] = [await read_whole(tab)]

    if joined is None:
        return contents, []
    if pages > 1:
        return contents, await _read_on(tab, joined, pages, take)
    more, total = joined.shown.more, joined.shown.total
    is_part = total is not None and total > joined.drawn
    if more is None and not is_part:
        return contents, []
    return contents, [f"Not all is on the page: {counted(joined.drawn, 'rows', total, more)}."]


def _rows_in(documents: Documents) -> Joined | None:
    """What a page is read for: its table that goes on, or a long one, else its records."""
    tables = tables_in(documents)
    table = max(tables, key=lambda read: (read.shown.more is not None, len(read.table.rows)), default=None)
    if table is not None and (table.shown.more is not None or len(table.table.rows) >= _LONG):
        return JoinedTable(table)
    alike = alike_in(documents)
    return None if alike is None else JoinedRecords(alike)


class _Take(Protocol):
    """Is called with each page that was read."""

    async def __call__(self, *, replaces: bool) -> None: ...


async def _read_on(tab: Tab, joined: Joined, pages: int, take: _Take | None = None) -> list[str]:
    """Reads up to so many pages; returns what to know of that."""
    began, url, read, why, unit = time.monotonic(), tab.url, 1, "", "pages"
    while not why and read < pages:
        more = joined.shown.more
        try:
            if more is None and read > 1:
                why = "there is no next page"
            elif more is None or more.way == "scroll":
                unit = "screens"
                screens, why = await _scroll_on(tab, joined, pages - read)
                read += screens
            else:
                why = await _press(tab, more)
                why = why or joined.add(await read_documents(tab), replaces=more.way == "next page")
                read += not why
            if take is not None and (not why or unit == "screens"):
                await take(replaces=more is not None and more.way == "next page")
        except ActionError as error:
            why = f"page {read + 1} could not be read: {error}"
        if not why and time.monotonic() - began > READING_ON_S:
            why = f"{READING_ON_S:g} s were over"
    left = joined.shown.more
    if not why:
        why = "that was as many as asked for" if left or unit == "screens" else "there is no next page"
    notices = [f"{read:,} {unit if read > 1 else unit[:-1]} read: {why}{f'; {left.text} leads on' if left else ''}."]
    if joined.repeated:
        notices.append(f"{joined.repeated:,} rows that a page repeated from the one before are there once.")
    if tab.url != url:
        notices.append(f"The tab was at {url} and is at {tab.url} now.")
    return notices


async def _press(tab: Tab, more: MoreRows) -> str:
    """Goes on by a link or button; why not, or ""."""
    effect = await consequence(tab, more.ref)
    form = None if effect is None else effect.form
    if form is not None and (form.method not in ("get", "dialog") or form.secret):
        return f"{more.ref} sends a form, which is left to you"
    if effect is not None and effect.download:
        return f"{more.ref} downloads a file"
    receipt = await click_ref(tab, more.ref, button="left", count=1, position=None, modifiers=())
    return f"a dialog opened: {receipt.dialog.message}" if receipt.dialog is not None else ""


async def _scroll_on(tab: Tab, joined: Joined, screens: int) -> tuple[int, str]:
    """Reads up to so many screens more of what is scrolled; how many there were, and why no more, or ""."""
    at = None if joined.shown.box is None else await locate(tab, joined.shown.box)
    box = await box_of(tab, at, "y")
    if isinstance(box, str):
        return 0, "there is no next page, and nothing to scroll"
    scrolling = _scroll_through(tab, box, joined, screens)
    return await value_until_dialog(tab, "scroll", scrolling, lambda way: Receipt(action="scroll", note=way[1]))


async def _scroll_through(tab: Tab, box: Scroller, joined: Joined, screens: int) -> tuple[int, str]:
    is_part, read = joined.shown.more is not None, 0
    async with (
        tab.act(),
        limit_of(tab, READING_ON_S),
        Movement.of(tab, box, "y", most_blank=BLANK_IN_SEARCH) as movement,
    ):
        movement.limit = Deadline.on(box.world.session, READING_ON_S)
        if is_part and not (await movement.screen()).at_start:
            await movement.move(-FAR_PX)
            await movement.rest(-1)
            joined.start_again(await read_documents(tab))
        step, joined_at = _STEP, (await movement.screen()).position
        while read < screens:
            if movement.limit.expired:
                return read, f"{READING_ON_S:g} s were over"
            if is_part:
                moved, screen = await movement.next_screen(1, step)
            else:
                moved, screen = await movement.move(FAR_PX), await movement.screen()
            if abs(moved) < 1 or screen.at_end:
                screen = await movement.rest(1, is_last=abs(moved) < 1)
            why = joined.add(await read_documents(tab), replaces=False)
            if why:  # its rows may be drawn late
                screen = await movement.rest(1, pause_s=BLANK_S)
                why = joined.add(await read_documents(tab), replaces=False)
            if why and not screen.at_end and step > _STEP:
                await movement.move(joined_at - screen.position)
                step = _STEP
                continue
            if why == NOTHING_NEW and (screen.at_end or abs(moved) < 1):
                joined.shown = msgspec.structs.replace(joined.shown, more=None)
                missing = joined.total - joined.count
                return read, f"{box.label} ends there" + (
                    f", and {missing:,} rows were not drawn" if missing > 0 else ""
                )
            if why == NOT_JOINED:
                return read, why
            if not why:
                joined_at, read = screen.position, read + 1
                step = min(max(step * (joined.drawn - 2) / joined.new, _STEP), _LONGEST_STEP)
    return read, ""

"""The tool that lists, opens, switches and closes tabs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import msgspec
from msgspec import Meta

from cdp_agent.errors import ActionError, InvalidArguments
from cdp_agent.page.actions import leaving
from cdp_agent.page.page import tab_of
from cdp_agent.page.snapshot.lines import in_line, quoted
from cdp_agent.tools.addresses import allowed_address
from cdp_agent.tools.base import ALWAYS, Arguments, Context, Observation, tool

if TYPE_CHECKING:
    from cdp_agent.page.page import Page

_LONGEST_TITLE = 100


class ManageTabsArguments(Arguments, frozen=True):
    action: Annotated[Literal["list", "open", "switch", "close"], Meta(description="What to do.")]
    tab: Annotated[str | None, Meta(description="As list names it: t2.", extra=ALWAYS)] = None
    url: Annotated[str | None, Meta(description="The address to open; without, a blank tab.")] = None
    leave: Annotated[bool, Meta(description="Lose input.")] = False


class TabInfo(msgspec.Struct, frozen=True):
    """A tab. Its id stays the same as long as the browser is connected."""

    id: str
    title: str
    url: str
    current: bool
    asks: str = ""
    """What the dialog that is open in it asks; "" without one."""


class TabList(msgspec.Struct, frozen=True):
    """The tabs after the call. `others`: how many more tabs a person has open, which are left alone."""

    tabs: list[TabInfo]
    others: int = 0


@tool(
    page_changing=lambda args: args.action != "list",
    useful_if=lambda context: any(page and not page.closed for page in (context.page.opener, *context.page.popups)),
    value=TabList,
    gives="the id, title and address of each tab, and which one you are in",
    effect="address",
)
async def manage_tabs(args: ManageTabsArguments, context: Context) -> Observation:
    """List, open, switch or close tabs.

    You are in the tab that you open or switch to.
    """
    if args.action == "open":
        return await open_tab(args.url, context)
    if args.action == "list":
        return await tabs_result("", context.page, context)
    page = named_tab(args.tab, context) if args.tab is not None else context.page
    if args.action == "switch":
        if args.tab is None:
            raise InvalidArguments("switch needs the tab to go to, such as t2.")
        return await tabs_result(f"You are in {tab_id(page)} now.", page, context)
    return await close_tab(page, context, leave=args.leave)


async def open_tab(url: str | None, context: Context) -> Observation:
    """Opens a tab and makes it current. Raises ActionError for an address that must not or cannot be opened."""
    address = await allowed_address(url, context) if url else None
    page = await context.browser.new_page()
    try:
        if address is not None:
            await page.goto(address)
    except ActionError:
        await page.close()
        raise
    return await tabs_result(f"Opened {tab_id(page)}, and you are in it now.", page, context)


async def close_tab(page: Page, context: Context, *, leave: bool = False) -> Observation:
    """Closes a tab. Raises ActionError for somebody else's tab, for the last one, and as `leaving.close`."""
    others = [each for each in tabs_of(context) if each is not page]
    if not _is_ours(page, context):
        raise ActionError(f"{tab_id(page)} belongs to a person, who may still need it: it was not closed.")
    if not others:
        raise ActionError(f"{tab_id(page)} is the only tab: open another one first, or leave it open.")
    dialog = tab_of(page).dialogs.open
    await leaving.close(tab_of(page), leave=leave)
    stays = context.page if context.page is not page else _before(page, others)
    unanswered = "" if dialog is None else f" Its page {dialog.asks}, which was dismissed."
    return await tabs_result(f"Closed {tab_id(page)}.{unanswered}", stays, context)


def _before(closed: Page, others: list[Page]) -> Page:
    """The tab to go on in after one was closed: the one that opened it, else the one to its left."""
    if closed.opener in others:
        return closed.opener
    return next((each for each in reversed(others) if each.number < closed.number), others[0])


def named_tab(name: str, context: Context) -> Page:
    """The tab with that id. Raises InvalidArguments, whose message lists the tabs."""
    wanted = name.strip().lower()
    for page in tabs_of(context):
        if wanted in (tab_id(page), tab_id(page)[1:]):
            return page
    known = ", ".join(tab_id(page) for page in tabs_of(context))
    raise InvalidArguments(f"There is no tab {name!r}. Those there are: {known}.")


def tabs_of(context: Context) -> list[Page]:
    """The tabs that a tool may see: in a person's Chrome only those that we opened, and the current one."""
    return [page for page in context.browser.pages if page is context.page or _is_ours(page, context)]


def _is_ours(page: Page, context: Context) -> bool:
    return context.browser.is_ours or context.browser.opened(page)


def tab_id(page: Page) -> str:
    """The id by which models and programs name the tab."""
    return f"t{page.number}"


async def tabs_result(done: str, current: Page, context: Context) -> Observation:
    """The result of a call about tabs: what was done, and the current tabs."""
    await context.browser.renew_titles()
    shown = [each for each in tabs_of(context) if not each.closed]
    tab_list = TabList(
        [_info(each, current) for each in shown],
        len(context.browser.pages) - len(shown),
    )
    lines = [f"{each.id} {_title(each)}{in_line(each.url)}{_notes(each)}" for each in tab_list.tabs]
    if tab_list.others:
        lines.append(f"{tab_list.others} more of a person, which are left alone.")
    return Observation("\n".join(filter(None, [done, *lines])), tab_list, tab=current)


def _info(page: Page, current: Page) -> TabInfo:
    dialog = tab_of(page).dialogs.open
    asks = "" if dialog is None else dialog.asks
    return TabInfo(tab_id(page), page.title[:_LONGEST_TITLE], page.url, page is current, asks)


def _notes(tab: TabInfo) -> str:
    asks = f" (its page {tab.asks})" if tab.asks else ""
    return (" (you are here)" if tab.current else "") + asks


def _title(tab: TabInfo) -> str:
    """The title in quotes; "" for a page without one, since Chrome then gives its address or the end of it."""
    return f"{quoted(tab.title)} " if tab.title and not tab.url.endswith(tab.title) else ""

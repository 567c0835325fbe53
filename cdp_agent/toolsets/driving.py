"""A session in a given tab for the toolset of an SDK, and its side effects, which the SDK reports separately."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from cdp_agent.browser.context import context_of
from cdp_agent.errors import BlockedByPolicy, InvalidArguments
from cdp_agent.page.page import Page, tab_of
from cdp_agent.page.receipts.receipts import Receipt
from cdp_agent.page.tab.dialogs import Dialog
from cdp_agent.page.tab.downloads import Download
from cdp_agent.security.fence import all_inert
from cdp_agent.security.origins import WEB
from cdp_agent.security.secrets import GivenSecret, Secrets
from cdp_agent.session.calls import Call, ToolError, ToolOutcome
from cdp_agent.session.session import Session
from cdp_agent.tools.base import Tool
from cdp_agent.tools.tabs import tab_id

_BLOCKED = BlockedByPolicy.__name__
_SNAPSHOT = re.compile(r"([Tt])ake a (?:new )?snapshot|snapshot it")
_LEAVE = re.compile(r", or lose it with leave \(--leave\)")
"""Advice that only makes sense with our own tools."""


class SideEffects(msgspec.Struct, frozen=True, kw_only=True):
    """Side effects of calls. Tabs are given by their ids."""

    dialogs: list[tuple[str, Dialog]] = []
    """Dialogs, each with the id of its tab."""
    downloads: list[Download] = []
    refused: bool = False
    """Whether the rules blocked a navigation."""
    opened: list[str] = []
    closed: list[str] = []
    switched: str | None = None
    """The id of the tab that has become the active one, if any."""
    navigated: list[str] = []


class DrivenBrowser:
    """The browser of a page, for calls in its tabs. Tabs that calls opened are closed with it.

    `secrets` are the values of placeholders, each only for its origins, by default that of `page`.
    """

    def __init__(self, page: Page, secrets: Mapping[str, GivenSecret] | None = None) -> None:
        """Raises SetupError for a closed tab, and for an invalid secret."""
        self.session = Session(
            context_of(page),
            secrets=Secrets(secrets, page.url if page.url.startswith(("http://", "https://")) else None),
            schemes=WEB,
            page=page,
        )
        self._side_effects: list[SideEffects] = []
        self._addresses = self._now()
        self._active = self.active

    @property
    def tabs(self) -> list[Page]:
        """The tabs that the model sees: in a Chrome that is not ours only those that we opened, and the current one."""
        browser, current = self.session.browser, self.session.page
        return [each for each in browser.pages if browser.is_ours or each is current or browser.opened(each)]

    @property
    def active(self) -> Page | None:
        """The tab for calls that name none; None if there is no tab."""
        current, tabs = self.session.page, self.tabs
        return current if current in tabs else (tabs[-1] if tabs else None)

    async def perform(self, tool: Tool, arguments: Mapping[str, Any]) -> ToolOutcome:
        """Calls a member with these arguments and returns its outcome."""
        where = arguments.get("tab_id") or (tab_id(self.active) if self.active is not None else "")
        try:
            call = Call(tool, tool.parse(arguments))
        except InvalidArguments as error:
            return ToolOutcome(str(error), error=ToolError.of(error))
        self._answer_dialogs()
        outcome = await self.session.perform(call)
        receipts = list(receipts_in(outcome.value))
        # A member that takes a URL reports the block by its error.
        blocked = tool.effect != "address" and outcome.error is not None and outcome.error.type == _BLOCKED
        self._side_effects.append(
            SideEffects(
                dialogs=[(where, each) for receipt in receipts for each in receipt.dialogs],
                downloads=[each for receipt in receipts for each in receipt.downloads],
                refused=blocked or any(each.tab for receipt in receipts for each in receipt.blocked),
            )
        )
        return outcome

    def _answer_dialogs(self) -> None:
        """Has what a page would ask dismissed, since no tool of an SDK could answer it."""
        for tab in map(tab_of, self.tabs):
            tab.dialogs.asks_nobody = True
            if not tab.dialogs.is_of_person:
                tab.dialogs.answer("dismiss", None)

    def take_side_effects(self) -> SideEffects:
        """The side effects of calls, and of pages on their own, since the last call of this method."""
        pending, self._side_effects = self._side_effects, []
        pending += [
            SideEffects(dialogs=[(tab_id(page), each) for each in tab.dialogs.take()], downloads=tab.downloads.take())
            for page in self.tabs
            if (tab := tab_of(page)).is_attached and not tab.is_acting
        ]
        before, self._addresses = self._addresses, self._now()
        was_active, self._active = self._active, self.active
        switched = self._active is not was_active and self._active is not None
        side_effects = SideEffects(
            dialogs=[dialog for each in pending for dialog in each.dialogs],
            downloads=[download for each in pending for download in each.downloads],
            refused=any(each.refused for each in pending),
            opened=[tab for tab in self._addresses if tab not in before],
            closed=[tab for tab in before if tab not in self._addresses],
            switched=tab_id(self._active) if switched and self._active is not None else None,
            navigated=[tab for tab, url in self._addresses.items() if before.get(tab, url) != url],
        )
        return all_inert(self.session.secrets.masked(side_effects))

    def take_downloads(self, page: Page) -> list[Download]:
        """The downloads of a tab that began or ended since last taken; `take_side_effects` reports them as well."""
        taken = tab_of(page).downloads.take()
        self._side_effects.append(SideEffects(downloads=taken))
        return taken

    async def close(self) -> None:
        """Closes the tabs that calls opened; the given tab and all others stay open."""
        await self.session.close()

    def _now(self) -> dict[str, str]:
        return {tab_id(page): page.url for page in self.tabs}


def receipts_in(value: msgspec.Struct | None) -> Iterator[Receipt]:
    """The receipts in a tool's value."""
    if isinstance(value, Receipt):
        yield value


def refusal(outcome: ToolOutcome) -> str:
    """Why the call failed, for a model that knows the vendor's members and not our tools."""
    text = _LEAVE.sub("", outcome.text)
    return _SNAPSHOT.sub(lambda found: f"{'R' if found[1] == 'T' else 'r'}ead the page again", text)


def one_line(text: str) -> str:
    """The lines of a receipt joined into one; the lines below a heading follow it."""
    joined = ""
    for line in filter(None, map(str.strip, text.split("\n"))):
        joined += line if not joined else f" {line}" if joined.endswith(":") else f"; {line}"
    return joined

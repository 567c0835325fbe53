"""Anthropic's browser toolset, `browser_toolset_20260801`, for our pages. Needs the extra `anthropic`.

    async with BrowserToolset(page) as toolset:
        runner = AsyncAnthropic().beta.messages.tool_runner(model=…, max_tokens=…, messages=…, tools=[toolset])

The SDK's own pipeline checks the model's calls, by `configs`, `confirm`, `url_policy` and `file_policy`. The browser's
`allow` and `deny` apply in any case. The guide is `browser-toolset.md` of the SDK.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any, overload

import msgspec

from cdp_agent import sync
from cdp_agent.extras import missing_extra
from cdp_agent.page.page import Page
from cdp_agent.page.receipts.receipts import Receipt
from cdp_agent.page.tab.dialogs import Dialog
from cdp_agent.page.tab.downloads import Download
from cdp_agent.security.fence import inert
from cdp_agent.security.secrets import GivenSecret
from cdp_agent.session.calls import ToolOutcome
from cdp_agent.sync.background import call
from cdp_agent.sync.wrapper import unwrap
from cdp_agent.tools.members.anthropic import MEMBERS
from cdp_agent.tools.picturing import Screenshot
from cdp_agent.tools.tabs import TabList, tab_id
from cdp_agent.toolsets.driving import DrivenBrowser, SideEffects, one_line, receipts_in, refusal

try:
    from anthropic import NOT_GIVEN
    from anthropic.tools import ToolError as Refusal
    from anthropic.tools.browser import (
        BetaAbstractBrowserToolset20260801,
        BetaAsyncAbstractBrowserToolset20260801,
        BetaAsyncConfirmCallable,
        BetaAsyncURLPolicy,
        BetaBrowserMemberResult,
        BetaBrowserNavigateResult,
        BetaBrowserState,
        BetaConfirmCallable,
        BetaDialogDismissed,
        BetaFilePolicy,
        BetaNavigationRefused,
        BetaScreenshotResult,
        BetaToolConfigs,
        BetaToolsetCallContext,
        BetaURLPolicy,
    )
    from anthropic.types.beta import BetaBrowserMemberInput, BetaBrowserToolsetConfigsParam
except ImportError as error:
    raise missing_extra("Anthropic's toolset needs its SDK, 2.12 or later", "anthropic") from error

_TEXTS = {"read_page", "find", "get_page_text", "read_console", "read_network", "javascript_exec"}
_PICTURES = {"screenshot", "zoom"}


@overload
def BrowserToolset(
    page: Page,
    *,
    configs: BetaBrowserToolsetConfigsParam | None = None,
    confirm: BetaAsyncConfirmCallable | None = None,
    url_policy: BetaAsyncURLPolicy = NOT_GIVEN,
    file_policy: BetaFilePolicy | None = None,
    tool_configs: BetaToolConfigs | None = None,
    secrets: Mapping[str, GivenSecret] | None = None,
) -> AsyncBrowserToolset: ...
@overload
def BrowserToolset(
    page: sync.Page,
    *,
    configs: BetaBrowserToolsetConfigsParam | None = None,
    confirm: BetaConfirmCallable | None = None,
    url_policy: BetaURLPolicy = NOT_GIVEN,
    file_policy: BetaFilePolicy | None = None,
    tool_configs: BetaToolConfigs | None = None,
    secrets: Mapping[str, GivenSecret] | None = None,
) -> BlockingBrowserToolset: ...
def BrowserToolset(page: Page | sync.Page, **options: Any) -> AsyncBrowserToolset | BlockingBrowserToolset:
    """A toolset that works in `page`, for `AsyncAnthropic`, or, with a page of `cdp_agent.sync`, for `Anthropic`.

    `configs`, `confirm`, `url_policy`, `file_policy` and `tool_configs` are the SDK's: see its
    `BetaAsyncAbstractBrowserToolset20260801`. `secrets` are the values of placeholders in `form_input`, each only for
    its origins, by default that of `page`: see `cdp_agent.Secret`.

    Closing the toolset closes the tabs that the model opened; `page` stays open. Raises SetupError for a tab that is
    closed, the SDK's ToolsetConfigError for options that it cannot honour.
    """
    if isinstance(page, sync.Page):
        return BlockingBrowserToolset(page, **options)
    return AsyncBrowserToolset(page, **options)


class AsyncBrowserToolset(BetaAsyncAbstractBrowserToolset20260801):
    """See `BrowserToolset`. To run code around every call, subclass it and override `execute`."""

    def __init__(
        self,
        page: Page,
        *,
        configs: BetaBrowserToolsetConfigsParam | None = None,
        confirm: BetaAsyncConfirmCallable | None = None,
        url_policy: BetaAsyncURLPolicy = NOT_GIVEN,
        file_policy: BetaFilePolicy | None = None,
        tool_configs: BetaToolConfigs | None = None,
        secrets: Mapping[str, GivenSecret] | None = None,
    ) -> None:
        super().__init__(
            configs=configs, confirm=confirm, url_policy=url_policy, file_policy=file_policy, tool_configs=tool_configs
        )
        self._members = _Members(page, secrets)

    async def execute(
        self, context: BetaToolsetCallContext, name: str, input: BetaBrowserMemberInput
    ) -> BetaBrowserMemberResult:
        """Calls a member and returns its result. Raises the SDK's ToolError if the page, the rules or Chrome refuse."""
        return await self._members.execute(name, input)

    async def _browser_state(self, context: BetaToolsetCallContext) -> BetaBrowserState:
        return self._members.state()

    async def close(self) -> None:
        """Waits for the calls that were accepted, then closes the tabs that the model opened. Raises BrowserError."""
        await super().close()
        await self._members.close()


class BlockingBrowserToolset(BetaAbstractBrowserToolset20260801):
    """See `BrowserToolset`. For `Anthropic`: calls block. `confirm` and `url_policy` run in the calling thread."""

    def __init__(
        self,
        page: sync.Page,
        *,
        configs: BetaBrowserToolsetConfigsParam | None = None,
        confirm: BetaConfirmCallable | None = None,
        url_policy: BetaURLPolicy = NOT_GIVEN,
        file_policy: BetaFilePolicy | None = None,
        tool_configs: BetaToolConfigs | None = None,
        secrets: Mapping[str, GivenSecret] | None = None,
    ) -> None:
        super().__init__(
            configs=configs, confirm=confirm, url_policy=url_policy, file_policy=file_policy, tool_configs=tool_configs
        )

        async def begin() -> _Members:
            return _Members(unwrap(page), secrets)

        self._members = call(begin())

    def execute(
        self, context: BetaToolsetCallContext, name: str, input: BetaBrowserMemberInput
    ) -> BetaBrowserMemberResult:
        """See `AsyncBrowserToolset.execute`."""
        return call(self._members.execute(name, input))

    def _browser_state(self, context: BetaToolsetCallContext) -> BetaBrowserState:
        async def state() -> BetaBrowserState:
            return self._members.state()

        return call(state())

    def close(self) -> None:
        """See `AsyncBrowserToolset.close`."""
        super().close()
        call(self._members.close())


class _Members:
    """Converts calls of members into calls of tools, and their outcomes into the SDK's results."""

    def __init__(self, page: Page, secrets: Mapping[str, GivenSecret] | None) -> None:
        self._driven = DrivenBrowser(page, secrets)
        self._pending_lines: list[str] = []
        """Lines for which earlier results had no place: they are put before the next text."""

    async def execute(self, name: str, input: BetaBrowserMemberInput) -> BetaBrowserMemberResult:
        outcome = await self._driven.perform(MEMBERS[name], _arguments(input))
        if outcome.error is not None:
            raise Refusal(refusal(outcome))
        if name in _TEXTS:
            return outcome.text
        if name in _PICTURES:
            assert isinstance(outcome.value, Screenshot)
            assert outcome.value.image is not None  # it was asked for without a path
            return BetaScreenshotResult(data=base64.b64encode(outcome.value.image).decode())
        if isinstance(outcome.value, TabList):
            return self._tabs_result(name)
        if name == "navigate":
            return self._arrived(outcome, getattr(input, "tab_id", None))
        line = "; ".join([*self._pending_lines, one_line(outcome.text)])
        self._pending_lines = []
        return line or None

    def _tabs_result(self, name: str) -> BetaBrowserMemberResult:
        entries = self._entries()
        if name == "list_tabs":
            return entries
        return None if name == "close_tab" else next(each for each in entries if each["active"])

    def _arrived(self, outcome: ToolOutcome, tab: str | None) -> BetaBrowserNavigateResult:
        receipt = next(receipts_in(outcome.value))
        self._pending_lines += [f"before that: {line}" for line in _navigation_lines(receipt)]
        entries = self._entries()
        shown = next(each for each in entries if (each["tab_id"] == tab if tab else each["active"]))
        return BetaBrowserNavigateResult(url=shown["url"], status=receipt.status, title=shown["title"] or None)

    def state(self) -> BetaBrowserState:
        """The tabs, and what has happened since the last call of this method."""
        side_effects = self._driven.take_side_effects()
        return BetaBrowserState.model_construct(tabs=self._entries(), state_changes=_changes(side_effects))

    def _entries(self) -> list[dict[str, Any]]:
        active, secrets = self._driven.active, self._driven.session.secrets
        return [
            {
                "tab_id": tab_id(page),
                "title": inert(secrets.mask(page.title)),
                "url": inert(secrets.mask(page.url)),
                "active": page is active,
            }
            for page in self._driven.tabs
        ]

    async def close(self) -> None:
        await self._driven.close()


def _arguments(input: BetaBrowserMemberInput) -> dict[str, Any]:
    """The arguments that the member's input declares; other arguments from the model are ignored."""
    declared = {field.alias or name for name, field in type(input).model_fields.items()}
    given = input.to_dict(mode="json")
    return {name: value for name, value in given.items() if name in declared and value is not None}


def _navigation_lines(receipt: Receipt) -> list[str]:
    """The effects of a navigation that its result has no field for, as lines."""
    rest = msgspec.structs.replace(
        receipt,
        dialogs=[each for each in receipt.dialogs if not _is_dismissed(each)],
        navigated_to=None,
        downloads=[],
    )
    return [line for line in rest.text.split("\n")[1:] if line]


def _changes(side_effects: SideEffects) -> list[Any]:
    changes: list[Any] = [{"type": "tab_opened", "tab_id": tab} for tab in side_effects.opened]
    changes += [_download(download) for download in side_effects.downloads]
    changes += [
        BetaDialogDismissed(kind=dialog.kind, message=dialog.message)
        for _, dialog in side_effects.dialogs
        if _is_dismissed(dialog)  # the receipt states how the other dialogs were answered
    ]
    return [*changes, BetaNavigationRefused()] if side_effects.refused else changes


def _is_dismissed(dialog: Dialog) -> bool:
    """Whether the dialog counts as dismissed in the SDK's state; so does an alert, which can only be dismissed."""
    return dialog.answer == "dismiss" or dialog.kind == "alert"


def _download(download: Download) -> dict[str, Any]:
    event: dict[str, Any] = {"download_id": download.id, "url": download.url}
    match download.state:
        case "inProgress":
            return {"type": "download_started", **event}
        case "completed":
            return {
                "type": "download_completed",
                **event,
                "size_bytes": download.received_bytes,
                "path": download.path,
            }
        case "canceled":
            return {"type": "download_failed", **event, "error": download.why or "cancelled"}

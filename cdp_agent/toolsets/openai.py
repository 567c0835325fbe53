"""A page as the browser for OpenAI's SDK, `openai.lib.browser`. Needs the extra `openai`.

    driver = BrowserDriver(page)
    toolset = AsyncBrowserToolset(driver, confirm=…, url_policy=…)      # both from openai.lib.browser

The SDK's own toolset checks the model's calls, by `members`, `confirm` and `url_policy`. The browser's `allow` and
`deny` apply in any case.
"""

from __future__ import annotations

import asyncio
import base64
import re
import shutil
from collections.abc import Mapping
from typing import Any, overload

import msgspec

from cdp_agent import sync
from cdp_agent.errors import CdpAgentError
from cdp_agent.extras import missing_extra
from cdp_agent.page.page import Page, tab_of
from cdp_agent.security.fence import inert
from cdp_agent.security.secrets import GivenSecret
from cdp_agent.session.calls import ToolOutcome
from cdp_agent.sync.background import call
from cdp_agent.sync.wrapper import unwrap
from cdp_agent.tools.members import anthropic
from cdp_agent.tools.members.openai import MEMBERS, ReadElement, ScopedRead
from cdp_agent.tools.picturing import Screenshot
from cdp_agent.tools.tabs import TabList, tab_id
from cdp_agent.toolsets.driving import DrivenBrowser, SideEffects, receipts_in, refusal

try:
    from openai.lib.browser import (
        BrowserError,
        BrowserFileInput,
        BrowserFileOutcome,
        BrowserScopedReadV1,
        BrowserState,
        ClickAtInput,
        ClickInput,
        DragPathInput,
        FindInput,
        HoldKeysInput,
        HoverAtInput,
        KeyInput,
        NavigateInput,
        NewTabInput,
        ReadDiagnosticsInput,
        ReadPageInput,
        ReadPageScopedInput,
        RunScriptInput,
        ScrollInput,
        SelectOptionInput,
        SetCheckedInput,
        TabInput,
        TypeInput,
        WaitForInput,
        ZoomInput,
    )
except ImportError as error:
    raise missing_extra("OpenAI's browser toolset needs its SDK, 3.54 or later", "openai") from error

Done = Any
"""The result of an action as text. The SDK's protocols declare `None`, but its toolset accepts text as well."""

MOST_REMEMBERED = 200
_DOWNLOAD_S = 60.0
_KINDS = ("alert", "confirm", "prompt", "beforeunload")
_STATUS = {"inProgress": "started", "completed": "completed", "canceled": "failed"}
_ORIGIN = re.compile(
    r"https?://(?:\[[0-9a-f:.]+\]|(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.?)+)(?::\d{1,5})?(?=[/?#]|$)", re.IGNORECASE
)
"""Matches the URLs whose origin the SDK accepts for a tab."""


class UploadGrant(msgspec.Struct, frozen=True):
    """A file that the model may put into a file field: the first match of `selector` in the active tab."""

    path: str
    selector: str = 'input[type="file"]'


class DownloadGrant(msgspec.Struct, frozen=True):
    """A file that the model may download to `path`, by a click on the first match of `selector` in the active tab."""

    path: str
    selector: str


Grant = UploadGrant | DownloadGrant


@overload
def BrowserDriver(
    page: Page,
    *,
    secrets: Mapping[str, GivenSecret] | None = None,
    grants: Mapping[str, Grant] | None = None,
) -> AsyncPageDriver: ...
@overload
def BrowserDriver(
    page: sync.Page,
    *,
    secrets: Mapping[str, GivenSecret] | None = None,
    grants: Mapping[str, Grant] | None = None,
) -> BlockingPageDriver: ...
def BrowserDriver(
    page: Page | sync.Page,
    *,
    secrets: Mapping[str, GivenSecret] | None = None,
    grants: Mapping[str, Grant] | None = None,
) -> AsyncPageDriver | BlockingPageDriver:
    """A driver for the SDK's `AsyncBrowserToolset`, or, with a page of `cdp_agent.sync`, for its `BrowserToolset`.

    `secrets` are the values of placeholders in `type`, each only for its origins, by default that of `page`: see
    `cdp_agent.Secret`. `grants` are the files that `upload_file` and `download_file` may move, by grant id. A URL that
    the SDK does not accept, such as a `data:` URL, is reported as about:blank.

    Closing the driver closes the tabs that the model opened; `page` stays open. Raises SetupError for a tab that is
    closed.
    """
    if isinstance(page, sync.Page):
        return BlockingPageDriver(page, secrets=secrets, grants=grants)
    return AsyncPageDriver(page, secrets=secrets, grants=grants)


class AsyncPageDriver:
    """See `BrowserDriver`. Its methods are the members; they raise the SDK's BrowserError if the call fails."""

    def __init__(
        self,
        page: Page,
        *,
        secrets: Mapping[str, GivenSecret] | None = None,
        grants: Mapping[str, Grant] | None = None,
    ) -> None:
        self._members = _Members(page, secrets, grants)

    async def __aenter__(self) -> AsyncPageDriver:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the tabs that the model opened. Raises BrowserError of cdp_agent."""
        await self._members.close()

    async def state(self) -> BrowserState:
        """The tabs, and what happened in them so far."""
        return self._members.state()

    async def navigate(self, action: NavigateInput) -> Done:
        return await self._members.execute("navigate", action)

    async def read_page(self, action: ReadPageInput) -> str:
        return await self._members.execute("read_page", action)

    async def get_page_text(self, action: TabInput) -> str:
        return await self._members.execute("get_page_text", action)

    async def find(self, action: FindInput) -> str:
        return await self._members.execute("find", action)

    async def click(self, action: ClickInput) -> Done:
        return await self._members.execute("click", action)

    async def type(self, action: TypeInput) -> Done:
        return await self._members.execute("type", action)

    async def key(self, action: KeyInput) -> Done:
        return await self._members.execute("key", action)

    async def scroll(self, action: ScrollInput) -> Done:
        return await self._members.execute("scroll", action)

    async def select_option(self, action: SelectOptionInput) -> Done:
        return await self._members.execute("select_option", action)

    async def hover(self, action: ClickInput) -> Done:
        return await self._members.execute("hover", action)

    async def screenshot(self, action: TabInput) -> dict[str, Any]:
        return await self._members.picture("screenshot", action)

    async def zoom(self, action: ZoomInput) -> dict[str, Any]:
        return await self._members.picture("zoom", action)

    async def new_tab(self, action: NewTabInput) -> Done:
        return await self._members.execute("new_tab", action)

    async def switch_tab(self, action: TabInput) -> Done:
        return await self._members.execute("switch_tab", action)

    async def close_tab(self, action: TabInput) -> Done:
        return await self._members.execute("close_tab", action)

    async def scroll_to(self, action: ClickInput) -> Done:
        return await self._members.execute("scroll_to", action)

    async def wait_for(self, action: WaitForInput) -> Done:
        return await self._members.execute("wait_for", action)

    async def hover_at(self, action: HoverAtInput) -> Done:
        return await self._members.execute("hover_at", action)

    async def set_checked(self, action: SetCheckedInput) -> Done:
        return await self._members.execute("set_checked", action)

    async def click_at(self, action: ClickAtInput) -> Done:
        return await self._members.execute("click_at", action)

    async def drag_path(self, action: DragPathInput) -> Done:
        return await self._members.execute("drag_path", action)

    async def hold_keys(self, action: HoldKeysInput) -> Done:
        return await self._members.execute("hold_keys", action)

    async def read_page_scoped(self, action: ReadPageScopedInput) -> BrowserScopedReadV1:
        return await self._members.scoped(action)

    async def read_diagnostics(self, action: ReadDiagnosticsInput) -> dict[str, Any]:
        return _report(await self._members.execute("read_diagnostics", action))

    async def run_script(self, action: RunScriptInput) -> str:
        return await self._members.execute("run_script", action)

    async def upload_file(self, action: BrowserFileInput) -> BrowserFileOutcome:
        return await self._members.upload(action["grant_id"])

    async def download_file(self, action: BrowserFileInput) -> BrowserFileOutcome:
        return await self._members.download(action["grant_id"])


class BlockingPageDriver:
    """See `BrowserDriver`: the same as `AsyncPageDriver`, with blocking calls."""

    def __init__(
        self,
        page: sync.Page,
        *,
        secrets: Mapping[str, GivenSecret] | None = None,
        grants: Mapping[str, Grant] | None = None,
    ) -> None:
        async def begin() -> AsyncPageDriver:
            return AsyncPageDriver(unwrap(page), secrets=secrets, grants=grants)

        self._async = call(begin())

    def __enter__(self) -> BlockingPageDriver:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the tabs that the model opened. Raises BrowserError of cdp_agent."""
        call(self._async.close())

    def state(self) -> BrowserState:
        """The tabs, and what happened in them so far."""
        return call(self._async.state())

    def navigate(self, action: NavigateInput) -> Done:
        return call(self._async.navigate(action))

    def read_page(self, action: ReadPageInput) -> str:
        return call(self._async.read_page(action))

    def get_page_text(self, action: TabInput) -> str:
        return call(self._async.get_page_text(action))

    def find(self, action: FindInput) -> str:
        return call(self._async.find(action))

    def click(self, action: ClickInput) -> Done:
        return call(self._async.click(action))

    def type(self, action: TypeInput) -> Done:
        return call(self._async.type(action))

    def key(self, action: KeyInput) -> Done:
        return call(self._async.key(action))

    def scroll(self, action: ScrollInput) -> Done:
        return call(self._async.scroll(action))

    def select_option(self, action: SelectOptionInput) -> Done:
        return call(self._async.select_option(action))

    def hover(self, action: ClickInput) -> Done:
        return call(self._async.hover(action))

    def screenshot(self, action: TabInput) -> dict[str, Any]:
        return call(self._async.screenshot(action))

    def zoom(self, action: ZoomInput) -> dict[str, Any]:
        return call(self._async.zoom(action))

    def new_tab(self, action: NewTabInput) -> Done:
        return call(self._async.new_tab(action))

    def switch_tab(self, action: TabInput) -> Done:
        return call(self._async.switch_tab(action))

    def close_tab(self, action: TabInput) -> Done:
        return call(self._async.close_tab(action))

    def scroll_to(self, action: ClickInput) -> Done:
        return call(self._async.scroll_to(action))

    def wait_for(self, action: WaitForInput) -> Done:
        return call(self._async.wait_for(action))

    def hover_at(self, action: HoverAtInput) -> Done:
        return call(self._async.hover_at(action))

    def set_checked(self, action: SetCheckedInput) -> Done:
        return call(self._async.set_checked(action))

    def click_at(self, action: ClickAtInput) -> Done:
        return call(self._async.click_at(action))

    def drag_path(self, action: DragPathInput) -> Done:
        return call(self._async.drag_path(action))

    def hold_keys(self, action: HoldKeysInput) -> Done:
        return call(self._async.hold_keys(action))

    def read_page_scoped(self, action: ReadPageScopedInput) -> BrowserScopedReadV1:
        return call(self._async.read_page_scoped(action))

    def read_diagnostics(self, action: ReadDiagnosticsInput) -> dict[str, Any]:
        return call(self._async.read_diagnostics(action))

    def run_script(self, action: RunScriptInput) -> str:
        return call(self._async.run_script(action))

    def upload_file(self, action: BrowserFileInput) -> BrowserFileOutcome:
        return call(self._async.upload_file(action))

    def download_file(self, action: BrowserFileInput) -> BrowserFileOutcome:
        return call(self._async.download_file(action))


class _Members:
    """Converts calls of members into calls of tools, and their outcomes into the SDK's results."""

    def __init__(
        self, page: Page, secrets: Mapping[str, GivenSecret] | None, grants: Mapping[str, Grant] | None
    ) -> None:
        self._driven = DrivenBrowser(page, secrets)
        self._grants = dict(grants or {})
        self._changes: list[dict[str, Any]] = []
        self._dropped = 0

    async def execute(self, name: str, action: Mapping[str, object]) -> str:
        """Calls a member and returns its result as text. Raises the SDK's BrowserError."""
        outcome = await self._perform(name, action)
        # The SDK reports tabs itself, in the state.
        return "" if isinstance(outcome.value, TabList) else outcome.text

    async def picture(self, name: str, action: Mapping[str, object]) -> dict[str, Any]:
        """The picture at its original size, since points are given in its pixels."""
        outcome = await self._perform(name, action)
        assert isinstance(outcome.value, Screenshot)
        assert outcome.value.image is not None  # it was asked for without a path
        data = base64.b64encode(outcome.value.image).decode()
        return {"type": "input_image", "image_url": f"data:image/png;base64,{data}", "detail": "original"}

    async def scoped(self, action: ReadPageScopedInput) -> BrowserScopedReadV1:
        """A part of the page, with the elements in it, and the parts that can be requested."""
        outcome = await self._perform("read_page_scoped", action)
        assert isinstance(outcome.value, ScopedRead)
        scopes = [{"ref": each, "label": each} for each in outcome.value.scopes]
        return {**_report(outcome.text), "elements": list(map(_element, outcome.value.elements)), "scopes": scopes}

    async def upload(self, grant_id: str) -> BrowserFileOutcome:
        """Puts a granted file into its field."""
        grant = self._grants.get(grant_id)
        if not isinstance(grant, UploadGrant) or (ref := await self._ref(grant.selector)) is None:
            return _outcome("refused", "none")
        arguments = {"target": {"type": "ref", "ref": ref}, "paths": [grant.path]}
        outcome = await self._driven.perform(anthropic.MEMBERS["file_upload"], arguments)
        return _outcome("completed", "completed") if outcome.error is None else _outcome("refused", "none")

    async def download(self, grant_id: str) -> BrowserFileOutcome:
        """Clicks the element that begins a granted download, and moves the file to its path when it is complete."""
        grant = self._grants.get(grant_id)
        if not isinstance(grant, DownloadGrant) or (ref := await self._ref(grant.selector)) is None:
            return _outcome("refused", "none")
        page = self._driven.active
        assert page is not None  # its element was found there
        outcome = await self._driven.perform(MEMBERS["click"], {"target": ref})
        if outcome.error is not None:
            return _outcome("refused", "none")
        offered = [each for receipt in receipts_in(outcome.value) for each in receipt.downloads]
        if any(each.state == "inProgress" for each in offered) and await tab_of(page).downloads.settled(_DOWNLOAD_S):
            offered = self._driven.take_downloads(page)
        if len(offered) != 1 or offered[0].path is None:
            return _outcome("unknown", "unknown")
        try:
            await asyncio.to_thread(shutil.move, offered[0].path, grant.path)
        except OSError:
            return _outcome("unknown", "unknown")
        return _outcome("completed", "completed")

    async def _ref(self, selector: str) -> str | None:
        page = self._driven.active
        try:
            found = None if page is None else await page.find(selector, max_results=1, include_text=False)
        except CdpAgentError as error:
            raise BrowserError(str(error)) from error
        return found.elements[0].ref if found is not None and found.elements else None

    async def _perform(self, name: str, action: Mapping[str, object]) -> ToolOutcome:
        outcome = await self._driven.perform(MEMBERS[name], action)
        if outcome.error is not None:
            raise BrowserError(refusal(outcome))
        return outcome

    def state(self) -> BrowserState:
        """The tabs, and the changes so far, of which the latest MOST_REMEMBERED are reported."""
        for change in _changes(self._driven.take_side_effects()):
            self._changes.append({**change, "sequence": self._dropped + len(self._changes) + 1})
        excess = max(0, len(self._changes) - MOST_REMEMBERED)
        del self._changes[:excess]
        self._dropped += excess
        active, secrets = self._driven.active, self._driven.session.secrets
        return {
            "tabs": [
                {
                    "id": tab_id(page),
                    "title": inert(secrets.mask(page.title)).encode("utf-8", "replace").decode(),
                    "url": page.url if _ORIGIN.match(page.url) else "about:blank",
                    "active": page is active,
                }
                for page in self._driven.tabs
            ],
            "observation": {
                "version": 1,
                "sequence": self._dropped + len(self._changes),
                "dropped_changes": self._dropped,
                "title_truncated": False,
                "changes": [dict(each) for each in self._changes],
            },
        }

    async def close(self) -> None:
        await self._driven.close()


def _changes(side_effects: SideEffects) -> list[dict[str, Any]]:
    changes: list[dict[str, Any]] = [{"type": "tab_opened", "tab_id": tab} for tab in side_effects.opened]
    changes += [{"type": "navigation", "tab_id": tab} for tab in side_effects.navigated]
    if side_effects.refused:
        changes.append({"type": "navigation_refused", "tab_id": None, "reason": "policy"})
    changes += [
        {"type": "dialog_dismissed", "tab_id": tab, "kind": dialog.kind if dialog.kind in _KINDS else "other"}
        for tab, dialog in side_effects.dialogs
        if tab and (dialog.answer == "dismiss" or dialog.kind == "alert")  # the receipt reports the other dialogs
    ]
    changes += [
        {"type": "download", "tab_id": None, "status": _STATUS[download.state]} for download in side_effects.downloads
    ]
    changes += [{"type": "tab_closed", "tab_id": tab} for tab in side_effects.closed]
    if side_effects.switched is not None:
        changes.append({"type": "tab_switched", "tab_id": side_effects.switched})
    return changes


def _report(text: str) -> dict[str, Any]:
    return {"version": 1, "text": text.encode("utf-8", "replace").decode(), "elements": [], "omitted": []}


def _element(element: ReadElement) -> dict[str, Any]:
    found: dict[str, Any] = msgspec.to_builtins(element)
    if element.options is not None:
        found["options"] = [{"label": each, "value": each} for each in element.options]
    return found


def _outcome(status: str, effect: str) -> BrowserFileOutcome:
    return {"version": 1, "status": status, "effect": effect, "cleanup": "completed"}

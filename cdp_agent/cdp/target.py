"""https://chromedevtools.github.io/devtools-protocol/tot/Target/"""

from __future__ import annotations

from typing import Literal

from .types import Command, Empty, Event, Part, Result


class TargetInfo(Result, frozen=True):
    target_id: str
    type: str
    title: str
    url: str
    attached: bool = False
    opener_id: str | None = None
    browser_context_id: str | None = None
    parent_frame_id: str | None = None


class FilterEntry(Part, frozen=True):
    """Entries are tried in order; the first that matches decides. An entry without a type matches all targets."""

    type: str | None = None
    exclude: bool | None = None


class AttachedSession(Result, frozen=True):
    session_id: str


class CreatedTarget(Result, frozen=True):
    target_id: str


class CreatedContext(Result, frozen=True):
    browser_context_id: str


class TargetInfos(Result, frozen=True):
    target_infos: list[TargetInfo]


class FoundTarget(Result, frozen=True):
    target_info: TargetInfo


class ClosedTarget(Result, frozen=True):
    success: bool = True


class SetDiscoverTargets(Command[Empty], frozen=True):
    discover: bool
    filter: list[FilterEntry] | None = None


class SetAutoAttach(Command[Empty], frozen=True):
    auto_attach: bool
    wait_for_debugger_on_start: bool
    flatten: bool | None = None
    filter: list[FilterEntry] | None = None


class GetTargetInfo(Command[FoundTarget], frozen=True):
    target_id: str


class AttachToTarget(Command[AttachedSession], frozen=True):
    target_id: str
    flatten: bool | None = None


class AttachToBrowserTarget(Command[AttachedSession], frozen=True): ...


class DetachFromTarget(Command[Empty], frozen=True):
    session_id: str | None = None


class CreateTarget(Command[CreatedTarget], frozen=True):
    url: str
    width: int | None = None
    height: int | None = None
    browser_context_id: str | None = None
    new_window: bool | None = None
    window_state: Literal["normal", "minimized", "maximized", "fullscreen"] | None = None
    background: bool | None = None
    hidden: bool | None = None


class CreateBrowserContext(Command[CreatedContext], frozen=True):
    dispose_on_detach: bool | None = None
    proxy_server: str | None = None
    proxy_bypass_list: str | None = None


class DisposeBrowserContext(Command[Empty], frozen=True):
    """Also closes the tabs of the context, without running their `beforeunload` handlers."""

    browser_context_id: str


class CloseTarget(Command[ClosedTarget], frozen=True):
    target_id: str


class GetTargets(Command[TargetInfos], frozen=True):
    filter: list[FilterEntry] | None = None


class AttachedToTarget(Event, frozen=True):
    session_id: str
    target_info: TargetInfo
    waiting_for_debugger: bool


class DetachedFromTarget(Event, frozen=True):
    session_id: str


class TargetCreated(Event, frozen=True):
    target_info: TargetInfo


class TargetInfoChanged(Event, frozen=True):
    target_info: TargetInfo


class TargetDestroyed(Event, frozen=True):
    target_id: str


class TargetCrashed(Event, frozen=True):
    target_id: str
    status: str
    error_code: int

"""https://chromedevtools.github.io/devtools-protocol/tot/Browser/"""

from __future__ import annotations

from typing import Literal

from .types import Command, Empty, Event, Part, Result


class Version(Result, frozen=True):
    protocol_version: str
    product: str
    revision: str
    user_agent: str


class GetVersion(Command[Version], frozen=True): ...


class Close(Command[Empty], frozen=True): ...


class PermissionDescriptor(Part, frozen=True):
    name: str


class SetPermission(Command[Empty], frozen=True):
    """For all origins, until we disconnect. `Browser.grantPermissions` would deny all others, such as to copy."""

    permission: PermissionDescriptor
    setting: Literal["granted", "denied", "prompt"]
    browser_context_id: str | None = None


class SetDownloadBehavior(Command[Empty], frozen=True):
    behavior: Literal["deny", "allow", "allowAndName", "default"]
    browser_context_id: str | None = None
    download_path: str | None = None
    events_enabled: bool | None = None


class CancelDownload(Command[Empty], frozen=True):
    guid: str
    browser_context_id: str | None = None


class DownloadWillBegin(Event, frozen=True):
    frame_id: str
    guid: str
    url: str
    suggested_filename: str


class DownloadProgress(Event, frozen=True):
    guid: str
    total_bytes: float
    received_bytes: float
    state: str
    file_path: str | None = None

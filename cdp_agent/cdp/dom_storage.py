"""https://chromedevtools.github.io/devtools-protocol/tot/DOMStorage/"""

from __future__ import annotations

from typing import ClassVar

from .types import Command, Empty, Part, Result


class StorageId(Part, frozen=True):
    """`storage_key` is an origin with a trailing slash."""

    is_local_storage: bool
    storage_key: str | None = None


class Entries(Result, frozen=True):
    entries: list[list[str]]
    """The name and the value of each item."""


class GetItems(Command[Entries], frozen=True):
    method: ClassVar[str] = "DOMStorage.getDOMStorageItems"
    storage_id: StorageId


class SetItem(Command[Empty], frozen=True):
    method: ClassVar[str] = "DOMStorage.setDOMStorageItem"
    storage_id: StorageId
    key: str
    value: str

"""https://chromedevtools.github.io/devtools-protocol/tot/Storage/"""

from __future__ import annotations

from typing import Literal

from .types import Command, Empty, Part, Result

SameSite = Literal["Strict", "Lax", "None"]


class PartitionKey(Result, frozen=True):
    top_level_site: str
    has_cross_site_ancestor: bool


class PartitionKeyParam(Part, frozen=True):
    top_level_site: str
    has_cross_site_ancestor: bool


class Cookie(Result, frozen=True):
    name: str
    value: str
    domain: str
    path: str
    expires: float
    http_only: bool
    secure: bool
    session: bool
    same_site: SameSite | None = None
    partition_key: PartitionKey | None = None


class CookieParam(Part, frozen=True):
    name: str
    value: str
    domain: str | None = None
    path: str | None = None
    secure: bool | None = None
    http_only: bool | None = None
    same_site: SameSite | None = None
    expires: float | None = None
    partition_key: PartitionKeyParam | None = None


class Cookies(Result, frozen=True):
    cookies: list[Cookie]


class GetCookies(Command[Cookies], frozen=True):
    browser_context_id: str | None = None


class SetCookies(Command[Empty], frozen=True):
    cookies: list[CookieParam]
    browser_context_id: str | None = None

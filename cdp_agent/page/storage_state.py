"""Saves cookies and local storage of a Chrome to a file, and loads them. The format is Playwright's `storageState`.

https://playwright.dev/python/docs/api/class-browsercontext#browser-context-storage-state
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable
from pathlib import Path

import msgspec

from cdp_agent.cdp import dom_storage, fetch, network, storage, target
from cdp_agent.cdp import page as cdp_page
from cdp_agent.cdp.chrome_limit import chrome_limit
from cdp_agent.cdp.connection import Session
from cdp_agent.errors import BrowserError, SetupError
from cdp_agent.security import files

_SESSION = -1.0
_VISIT_S = 5.0
_EMPTY_PAGE = [fetch.HeaderEntry(name="Content-Type", value="text/html")]


class SavedCookie(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A cookie. `domain` starts with a dot to include subdomains. `expires`: Unix seconds, -1 for a session cookie."""

    name: str
    value: str
    domain: str
    path: str = "/"
    expires: float = _SESSION
    http_only: bool = False
    secure: bool = False
    same_site: storage.SameSite | msgspec.UnsetType = msgspec.UNSET
    partition_key: str | msgspec.UnsetType = msgspec.UNSET
    """For a partitioned cookie: the top-level site under which it is used."""
    has_cross_site_ancestor: bool | msgspec.UnsetType = msgspec.field(
        default=msgspec.UNSET, name="_crHasCrossSiteAncestor"
    )


class Item(msgspec.Struct, frozen=True):
    name: str
    value: str


class OriginState(msgspec.Struct, frozen=True):
    """The local storage of an origin, such as "https://example.com"."""

    origin: str
    local_storage: list[Item] = msgspec.field(default=[], name="localStorage")


class StorageState(msgspec.Struct, frozen=True):
    cookies: list[SavedCookie] = []
    origins: list[OriginState] = []


def read_state(path: str | os.PathLike[str]) -> StorageState:
    """Reads a storage state file. Raises SetupError."""
    try:
        return msgspec.json.decode(Path(os.path.expanduser(path)).read_bytes(), type=StorageState)
    except OSError as error:
        raise SetupError(f"The storage state {os.fspath(path)} cannot be read: {error.strerror}.") from error
    except msgspec.DecodeError as error:
        # The error names a position in the file, never a value from it.
        raise SetupError(f"{os.fspath(path)} is no storage state: {error}.") from error


def write_state(path: str | os.PathLike[str], state: StorageState) -> None:
    """Writes a file readable by the user alone (mode 600), completely or not at all. Raises SetupError."""
    place = Path(os.path.expanduser(path))
    try:
        files.write(place, msgspec.json.format(msgspec.json.encode(state), indent=2) + b"\n")
    except OSError as error:
        raise SetupError(f"The storage state {place} cannot be written: {error.strerror}.") from error


async def cookies_of(browser: Session, context: str | None) -> list[SavedCookie]:
    """All cookies of a browser context; None means the default context."""
    async with chrome_limit("give its cookies"):
        found = await browser.send(storage.GetCookies(browser_context_id=context))
    return [_cookie(each) for each in found.cookies]


async def set_cookies(browser: Session, cookies: Iterable[SavedCookie], context: str | None) -> None:
    """Adds cookies to a browser context. Raises ProtocolError if Chrome rejects one as invalid."""
    if params := [_param(each) for each in cookies]:
        async with chrome_limit("take the cookies"):
            await browser.send(storage.SetCookies(cookies=params, browser_context_id=context))


def _cookie(cookie: storage.Cookie) -> SavedCookie:
    partition = cookie.partition_key
    return SavedCookie(
        name=cookie.name,
        value=cookie.value,
        domain=cookie.domain,
        path=cookie.path,
        expires=_SESSION if cookie.session else cookie.expires,
        http_only=cookie.http_only,
        secure=cookie.secure,
        same_site=cookie.same_site or msgspec.UNSET,
        partition_key=msgspec.UNSET if partition is None else partition.top_level_site,
        has_cross_site_ancestor=msgspec.UNSET if partition is None else partition.has_cross_site_ancestor,
    )


def _param(cookie: SavedCookie) -> storage.CookieParam:
    partition = None
    if isinstance(cookie.partition_key, str):
        partition = storage.PartitionKeyParam(
            top_level_site=cookie.partition_key, has_cross_site_ancestor=cookie.has_cross_site_ancestor is True
        )
    return storage.CookieParam(
        name=cookie.name,
        value=cookie.value,
        domain=cookie.domain,
        path=cookie.path,
        expires=None if cookie.expires == _SESSION else cookie.expires,
        http_only=cookie.http_only,
        secure=cookie.secure,
        same_site=cookie.same_site or None,
        partition_key=partition,
    )


class StorageVisitor:
    """A tab that opens origins without any request leaving Chrome: each is answered with an empty page."""

    def __init__(self, session: Session) -> None:
        self._session = session
        session.on(fetch.RequestPaused, self._answer_with_empty_page)

    @classmethod
    async def of_tab(cls, browser: Session, target_id: str) -> StorageVisitor:
        """Attaches to a tab with a separate session, so that other handlers of the tab do not interfere."""
        attached = await browser.send(target.AttachToTarget(target_id=target_id, flatten=True))
        session = browser.connection.session(attached.session_id)
        await asyncio.gather(
            session.post(cdp_page.Enable()),
            session.post(network.Enable()),
            session.post(network.SetBypassServiceWorker(bypass=True)),
            session.post(fetch.Enable()),
        )
        return cls(session)

    async def read(self, origin: str) -> list[Item]:
        """The items in the local storage of an origin."""
        await self._visit(origin)
        found = await self._session.send(dom_storage.GetItems(storage_id=_local(origin)))
        return sorted((Item(name, value) for name, value in found.entries), key=lambda each: each.name)

    async def write(self, state: OriginState) -> None:
        await self._visit(state.origin)
        place = _local(state.origin)
        await asyncio.gather(
            *(
                self._session.post(dom_storage.SetItem(storage_id=place, key=item.name, value=item.value))
                for item in state.local_storage
            )
        )

    async def _visit(self, origin: str) -> None:
        try:
            async with asyncio.timeout(_VISIT_S), self._session.expect(cdp_page.LoadEventFired) as loaded:
                await self._session.send(cdp_page.Navigate(url=f"{origin}/"))
                await loaded
        except TimeoutError as error:
            raise BrowserError(f"The local storage of {origin} was not reached within {_VISIT_S:g} s.") from error

    def _answer_with_empty_page(self, event: fetch.RequestPaused) -> None:
        self._session.tell(
            fetch.FulfillRequest(request_id=event.request_id, response_code=200, response_headers=_EMPTY_PAGE)
        )


def _local(origin: str) -> dom_storage.StorageId:
    return dom_storage.StorageId(is_local_storage=True, storage_key=f"{origin}/")

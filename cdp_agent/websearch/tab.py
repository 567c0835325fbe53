"""Searches on an engine's result page, in a new tab that is closed afterwards."""

from __future__ import annotations

import base64
import binascii
import logging
import re
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, parse_qs, urlsplit

from cdp_agent.errors import ActionError, PageUnresponsive, ProtocolError
from cdp_agent.page.page import Page, tab_of
from cdp_agent.page.query.listing import listing
from cdp_agent.websearch.base import Engine, Results, Sign, different, result

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from cdp_agent.browser.context import BrowserContext

_log = logging.getLogger(__name__)
TIMEOUT_S = 20.0
MARKDOWN_TOKENS = 3_000
_MOST_WRAPPERS = 3
_LEAST_ERROR = 400
_TOO_MANY = 429
_ENGINES = ("duckduckgo.com", "bing.com", "google.com")
_LINK = re.compile(r"(?<=\]\()https?://[^\s)]+")
_OBSTACLES = {
    "consent": "asks a person to agree to its terms before it shows results",
    "captcha": "asks for proof that a person is searching",
}


async def find(engine: Engine, base_url: str, query: str, browser: BrowserContext, max_results: int) -> Results:
    """The results that the engine's page shows for the query. Raises ActionError, BrowserError."""
    async with _tab(browser) as page:
        receipt = await page.goto(engine.address(base_url, query), timeout_s=TIMEOUT_S)
        return await read(engine, query, page, max_results, receipt.status)


async def read(engine: Engine, query: str, page: Page, max_results: int, status: int | None = None) -> Results:
    """The results that the page shows; `status`: the HTTP status with which it came.

    Raises ActionError for a page that demands a human user, or without results for one that is an error; BrowserError.
    """
    listed = await listing(tab_of(page), engine.RULES, [sign.selector for sign in engine.SIGNS])
    entries = [(entry.title, unwrap(entry.url, page.url), entry.text) for entry in listed.entries]
    results = different((result(*entry) for entry in entries if not searches_again(entry[1], page.url)), max_results)
    if results:
        return Results(query, engine.NAME, results)
    signs = zip(engine.SIGNS, listed.signs, strict=True)
    sign = next((sign for sign, is_there in signs if is_there or sign.is_in(page.url)), None)
    if sign is not None and sign.why in _OBSTACLES:
        raise ActionError(_refusal(engine, sign, page.url))
    if status is not None and status >= _LEAST_ERROR:
        why = ": it had too many requests" if status == _TOO_MANY else ""
        raise ActionError(
            f"{engine.NAME} refused the search (HTTP {status}){why}. Search again later, or go on with addresses that "
            "you know from the task and the pages."
        )
    if sign is None:
        return Results(query, engine.NAME, [], await _markdown(page))
    return Results(query, engine.NAME, [])


@asynccontextmanager
async def _tab(browser: BrowserContext) -> AsyncIterator[Page]:
    """A new tab in the background, so that the tab that a person or the agent looks at stays in front."""
    page = await browser.new_page(background=True)
    try:
        yield page
    finally:
        try:
            await page.close()
        except (PageUnresponsive, ProtocolError) as error:
            # The results are unaffected. The tab is ours: it is closed with the browser, or when we disconnect.
            _log.debug("the tab of a search did not close: %s", error)


async def _markdown(page: Page) -> str:
    written = await page.markdown(budget_tokens=MARKDOWN_TOKENS)
    return _LINK.sub(lambda match: unwrap(match[0], page.url), written) or "(an empty page)"


def _refusal(engine: Engine, sign: Sign, url: str) -> str:
    return (
        f"{engine.NAME} {_OBSTACLES[sign.why]} (at {urlsplit(url).hostname}), so there are no results. "
        "Searching again will not help: go on with addresses that you know from the task and the pages."
    )


def unwrap(address: str, page_url: str = "") -> str:
    """The target of a redirect URL of a known engine or of the page's own host; any other URL unchanged.

    Such URLs are `duckduckgo.com/l/?uddg=…`, `google.com/url?q=…` and `bing.com/ck/a?…&u=a1…`.
    """
    for _ in range(_MOST_WRAPPERS):
        inner = _inside(address, page_url)
        if inner is None:
            break
        address = inner
    return address


def searches_again(address: str, page_url: str) -> bool:
    """Whether the URL is a result page for another query, such as a link under "People also search for"."""
    try:
        parts, page = urlsplit(address), urlsplit(page_url)
    except ValueError:
        return False
    return _is_engine(parts.hostname or "", page.hostname or "") and parts.path.rstrip("/") == page.path.rstrip("/")


def _inside(address: str, page_url: str) -> str | None:
    try:
        parts, host = urlsplit(address), urlsplit(page_url).hostname
    except ValueError:
        return None
    if not _is_engine(parts.hostname or "", host or ""):
        return None
    found = _wrapped(parts)
    return found if found is not None and found.lower().startswith(("http://", "https://")) else None


def _is_engine(host: str, own: str) -> bool:
    known = host == own or any(host == each or host.endswith(f".{each}") for each in _ENGINES)
    return known or host.startswith("www.google.")


def _wrapped(parts: SplitResult) -> str | None:
    values = {name: each[0] for name, each in parse_qs(parts.query).items()}
    match parts.path.rstrip("/"):
        case "/l":
            return values.get("uddg")
        case "/url":
            return values.get("q") or values.get("url")
        case "/ck/a":
            return _decoded(values.get("u", ""))
    return None


def _decoded(text: str) -> str | None:
    """The URL in Bing's encoding: "a1", then URL-safe Base64 without padding; None for anything else."""
    if not text.startswith("a1"):
        return None
    try:
        return base64.urlsafe_b64decode(text[2:] + "=" * (-len(text[2:]) % 4)).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None

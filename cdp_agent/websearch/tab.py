"""Searching as a person does, in a tab of its own that is closed afterwards."""

from __future__ import annotations

import logging
import re
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from cdp_agent.errors import ActionError, PageUnresponsive, ProtocolError
from cdp_agent.page.page import Page, tab_of
from cdp_agent.page.query.listing import listing
from cdp_agent.websearch.base import Engine, Results, Sign, different, result
from cdp_agent.websearch.redirects import searches_again, unwrap

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from cdp_agent.browser.context import BrowserContext

_log = logging.getLogger(__name__)
TIMEOUT_S = 20.0
MARKDOWN_TOKENS = 3_000
_LINK = re.compile(r"(?<=\]\()https?://[^\s)]+")
_OBSTACLES = {
    "consent": "asks a person to agree to its terms before it shows results",
    "captcha": "asks for proof that a person is searching",
}


async def find(engine: Engine, base_url: str, query: str, browser: BrowserContext, max_results: int) -> Results:
    """What the engine's page shows for the query. Raises ActionError, BrowserError."""
    async with _tab(browser) as page:
        await page.goto(engine.address(base_url, query), timeout_s=TIMEOUT_S)
        found = await listing(tab_of(page), engine.RULES, [sign.selector for sign in engine.SIGNS])
        entries = [(each.title, unwrap(each.url, page.url), each.text) for each in found.entries]
        results = different((result(*each) for each in entries if not searches_again(each[1], page.url)), max_results)
        if results:
            return Results(query, engine.NAME, results)
        signs = zip(engine.SIGNS, found.signs, strict=True)
        sign = next((sign for sign, is_there in signs if is_there or sign.is_in(page.url)), None)
        if sign is None:
            return Results(query, engine.NAME, [], await _markdown(page))
        if sign.why in _OBSTACLES:
            raise ActionError(_refusal(engine, sign, page.url))
        return Results(query, engine.NAME, [])


@asynccontextmanager
async def _tab(browser: BrowserContext) -> AsyncIterator[Page]:
    """A tab in the background: what a person or the agent looks at stays where it is."""
    page = await browser.new_page(background=True)
    try:
        yield page
    finally:
        try:
            await page.close()
        except (PageUnresponsive, ProtocolError) as error:
            # What was found is found. It is a tab of ours: it goes with the browser, or when we leave it.
            _log.debug("the tab of a search did not close: %s", error)


async def _markdown(page: Page) -> str:
    written = await page.markdown(budget_tokens=MARKDOWN_TOKENS)
    return _LINK.sub(lambda match: unwrap(match[0], page.url), written) or "(an empty page)"


def _refusal(engine: Engine, sign: Sign, url: str) -> str:
    return (
        f"{engine.NAME} {_OBSTACLES[sign.why]} (at {urlsplit(url).hostname}), so there are no results. "
        "Searching again will not help: go on with addresses that you know from the task and the pages."
    )

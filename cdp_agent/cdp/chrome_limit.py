"""A limit for what Chrome itself is asked, beside its pages."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from cdp_agent.errors import PageUnresponsive

_CHROME_BUSY = (
    "Chrome did not {} within {:g} s. If a page opens frames or tabs without end, go elsewhere in its tab, or close it;"
    " else open the browser anew."
)
CHROME_LIMIT_S = 20.0


@asynccontextmanager
async def chrome_limit(task: str) -> AsyncIterator[None]:
    """Limits a block in which Chrome is asked to do a `task`, a verb with its object, such as "open a tab".

    A page that opens frames or tabs in a loop keeps Chrome from all else, though it goes on sending events. Raises
    PageUnresponsive.
    """
    limit = asyncio.timeout(CHROME_LIMIT_S)
    try:
        async with limit:
            yield
    except TimeoutError as error:
        if not limit.expired():
            raise
        raise PageUnresponsive(_CHROME_BUSY.format(task, CHROME_LIMIT_S)) from error

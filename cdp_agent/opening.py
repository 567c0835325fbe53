"""A Browser to come."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .browser import Browser

Open = Callable[[], Awaitable["Browser"]]


class Opening:
    """A Browser to come: `await` it, or enter it as `async with`, which closes it."""

    def __init__(self, open_: Open) -> None:
        self._open = open_
        self._browser: Browser | None = None

    def __await__(self) -> Generator[Any, None, Browser]:
        return self._opened().__await__()

    async def __aenter__(self) -> Browser:
        self._browser = await self._opened()
        return self._browser

    async def __aexit__(self, *_: object) -> None:
        if self._browser is not None:
            await self._browser.close()

    async def _opened(self) -> Browser:
        browser = await self._open()
        browser.opened_by = self._open
        return browser

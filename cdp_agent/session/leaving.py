"""Work for somebody who may leave before it is done."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


async def unless(work: Coroutine[Any, Any, T], leaves: Coroutine[Any, Any, object]) -> T | None:
    """What the work returns; None if `leaves` returned first, or the work was cancelled. Both have ended by then."""
    working, leaving = asyncio.ensure_future(work), asyncio.ensure_future(leaves)
    try:
        await asyncio.wait((working, leaving), return_when=asyncio.FIRST_COMPLETED)
        return working.result() if working.done() and not working.cancelled() else None
    finally:
        working.cancel()
        leaving.cancel()
        await asyncio.wait((working, leaving))

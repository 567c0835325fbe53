"""A model that knows the demo's shop, for clients of our servers that others wrote: it reads, and acts on refs."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from typing import Any

Call = Callable[[str, dict[str, Any]], Awaitable[str]]
"""Calls a tool and gives the text of what came of it."""


def ref_in(page: str, role: str, name: str) -> str:
    """The ref of the first element of that role whose name has `name` in it."""
    found = re.search(rf'- {role} "[^"]*{re.escape(name)}[^"]*".*?\[ref=(E\d+)\]', page)
    assert found, f"there is no {role} {name!r} in:\n{page}"
    return found[1]


async def search_for_mugs(call: Call, shop_url: str) -> str:
    """Searches for enamel mugs; the page with what was found."""
    await call("goto", {"url": shop_url})
    field = ref_in(await call("snapshot", {}), "searchbox", "")
    await call("fill", {"ref": field, "value": "enamel mug", "submit": True})
    return await call("snapshot", {})

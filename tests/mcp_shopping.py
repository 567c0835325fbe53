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


async def buy_two_mugs(call: Call, shop_url: str) -> str:
    """Buys two blue enamel mugs on invoice; the number of the order."""

    async def ref_of(role: str, name: str) -> str:
        return ref_in(await call("snapshot", {}), role, name)

    await call("click", {"ref": ref_in(await search_for_mugs(call, shop_url), "link", "Enamel mug, blue")})
    await call("fill", {"ref": await ref_of("spinbutton", "Quantity"), "value": "2"})
    await call("click", {"ref": await ref_of("button", "Add to cart")})
    await call("click", {"ref": await ref_of("link", "Go to checkout")})
    checkout = await call("snapshot", {})
    for label, value in (("Full name", "Ada Berg"), ("Street", "Storgata 5"), ("City", "Oslo")):
        await call("fill", {"ref": ref_in(checkout, "textbox", label), "value": value})
    await call("select", {"ref": ref_in(checkout, "combobox", "Country"), "value": "Norway"})
    await call("click", {"ref": ref_in(checkout, "radio", "Invoice, 14 days")})
    await call("check", {"ref": ref_in(checkout, "checkbox", "I accept the terms of sale")})
    await call("click", {"ref": ref_in(checkout, "button", "Place order")})
    await call("wait_for", {"text": "Thank you"})
    number = re.search(r"FF-\d{5}-[A-Z]", await call("snapshot", {}))
    assert number
    return number[0]

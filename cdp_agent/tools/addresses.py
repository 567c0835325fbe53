"""Completes and checks addresses as people write them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from cdp_agent.errors import BlockedByPolicy, InvalidArguments
from cdp_agent.patterns import pattern
from cdp_agent.security.origins import WEB, scheme_of

if TYPE_CHECKING:
    from cdp_agent.tools.base import Context

_LONGEST_SHOWN = 200

_SCHEME = pattern(r"[a-zA-Z][a-zA-Z0-9+.-]*:(?!\d+(?:[/?#]|$))")
_OPENED = ("http:", "https:", "file:", "data:", "about:", "blob:", "view-source:", "chrome:")
_HOST = pattern(r"(\[[0-9a-fA-F:.]+\]|[^\s/?#:@\[\]]+)(?::\d{1,5})?(?:[/?#].*)?", re.DOTALL)
_ON_PAGE = pattern(r"/(?!/)|[?#]|\.\.?/")
_LOCAL = pattern(r"localhost|.*\.localhost|\d{1,3}(?:\.\d{1,3}){3}|\[.*\]", re.IGNORECASE)


async def allowed_address(text: str, context: Context) -> str:
    """The complete address for a tool's argument, if it may be opened.

    Raises InvalidArguments for text that is not an address, or an address that the run has not seen; BlockedByPolicy
    for a scheme that is not allowed.
    """
    address = complete_address(_as_on(context.page.url, text))
    scheme = scheme_of(address)
    is_web = context.schemes is None or scheme in context.schemes or address.lower() == "about:blank"
    if not is_web and not context.tab.request_policy.names_scheme(scheme):
        raise BlockedByPolicy(
            f"{address[:_LONGEST_SHOWN]} was not opened: it is a {scheme}: address. Only http and https are opened, "
            f"and what `allow` names, where {scheme}:// would have to stand. Reach the goal without it."
        )
    if context.may_open is not None:
        await context.may_open(address)
    return address


def _as_on(page_url: str, text: str) -> str:
    """A link without a host, as in pages and snapshots, completed with the page's address; any other text as it is."""
    is_link = _ON_PAGE.match(text.strip()) is not None and scheme_of(page_url) in WEB
    return urljoin(page_url, text.strip()) if is_link else text


def complete_address(text: str) -> str:
    """The address with a scheme: http:// for localhost and IP addresses, else https://, where it has none.

    Raises InvalidArguments when it is not an address that a tab can open.
    """
    address = text.strip()
    if address.startswith("<"):  # as in e-mails and Markdown; a ">" only at the end belongs to a data: address
        address = address.strip("<>")
    if address.endswith("…"):
        raise InvalidArguments(f"{text!r} is only the beginning of an address, as pages are shown: click its link.")
    if _SCHEME.match(address):
        if not address.lower().startswith(_OPENED) or re.fullmatch(r"https?:/*", address.lower()):
            raise InvalidArguments(f"{text!r} is not an address to open: give one such as https://example.com.")
        return address
    if address.startswith("//"):
        address = address[2:]
    match = _HOST.fullmatch(address)
    if not match or ("." not in match[1] and not _LOCAL.fullmatch(match[1])):
        raise InvalidArguments(f"{text!r} is not an address: give a whole one such as https://example.com/page.")
    return f"{'http' if _LOCAL.fullmatch(match[1]) else 'https'}://{address}"

"""Addresses as people write them."""

from __future__ import annotations

import re

from cdp_agent.errors import InvalidArguments

_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:(?!\d+(?:[/?#]|$))")
_OPENED = ("http:", "https:", "file:", "data:", "about:", "blob:", "view-source:", "chrome:")
_HOST = re.compile(r"(\[[0-9a-fA-F:.]+\]|[^\s/?#:@\[\]]+)(?::\d{1,5})?(?:[/?#].*)?", re.DOTALL)
_LOCAL = re.compile(r"localhost|.*\.localhost|\d{1,3}(?:\.\d{1,3}){3}|\[.*\]", re.IGNORECASE)


def complete_address(text: str) -> str:
    """The address with a scheme: http:// for localhost and IP addresses, else https://, where it has none.

    Raises InvalidArguments when it is not an address that a tab can open.
    """
    address = text.strip().strip("<>")
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

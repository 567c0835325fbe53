"""The addresses that a run may open: those it has seen. A model that makes one up is told so.

What leads out is bounded by this, too: a page that has the model put what it knows into an address cannot, since no
page showed that address.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import urljoin, urlsplit

from cdp_agent.errors import InvalidArguments

_ADDRESS = re.compile(r"(?:https?|file)://[^\s<>\"'`|\\^{}]+", re.IGNORECASE)
_BARE = re.compile(
    r"(?<![\w@./-])(?:localhost|(?:[\w-]+\.)+[a-zA-Z]{2,}|\d{1,3}(?:\.\d{1,3}){3})(?::\d+)?(?:/[^\s<>\"'`]*)?"
)
_LINK = re.compile(r" → (\S+)")
_MARKDOWN_LINK = re.compile(r"\]\(([^\s)]+)\)")
_AFTER = ".,;:!?)]}*_’”"


class KnownAddresses:
    """Addresses as they were seen; how one is written (scheme, www, a slash or a fragment at the end) is no matter."""

    def __init__(self, known: Iterable[str] = ()) -> None:
        self.known = set(known)

    def learn(self, text: str, base: str = "") -> None:
        """Takes in every address in the text; links of a page are relative to `base`."""
        found = [match[0] for pattern in (_ADDRESS, _BARE) for match in pattern.finditer(text)]
        if base:
            found.append(base)
            links = [match[1] for pattern in (_LINK, _MARKDOWN_LINK) for match in pattern.finditer(text)]
            found += [joined for link in links if (joined := _joined(base, link))]
        for each in found:
            self.known |= {_key(each), _key(each.rstrip(_AFTER))}

    def learn_sites(self, text: str) -> None:
        """Takes in the addresses of whole sites in the text; one with more to it could carry something out."""
        found = [match[0].rstrip(_AFTER) for pattern in (_ADDRESS, _BARE) for match in pattern.finditer(text)]
        self.known |= {key for each in found if "/" not in (key := _key(each)).removeprefix("//") and "?" not in key}

    def check(self, address: str) -> None:
        """Raises InvalidArguments for an address that was not seen."""
        if _key(address) not in self.known and address != "about:blank":
            raise InvalidArguments(
                f"{address} was not opened: it stands neither in the task nor in anything you have seen. "
                "Follow a link, or open an address that you have seen, exactly as it was written."
            )


def _joined(base: str, link: str) -> str:
    try:
        return urljoin(base, link)
    except ValueError:  # such as "http://[": not an address
        return ""


def _key(address: str) -> str:
    """What two ways to write one address have in common."""
    if "://" not in address:
        address = f"http://{address}"
    try:
        parts = urlsplit(address)
        host, port = (parts.hostname or "").removeprefix("www."), parts.port
    except ValueError:
        return address
    scheme = "" if parts.scheme.lower() in ("http", "https") else parts.scheme.lower()
    where = f"{host}:{port}" if port not in (None, 80, 443) else host
    query = f"?{parts.query}" if parts.query else ""
    return f"{scheme}//{where}{parts.path.rstrip('/')}{query}"

"""Where the links of result pages lead in the end: engines wrap them in addresses of their own."""

from __future__ import annotations

import base64
import binascii
from urllib.parse import SplitResult, parse_qs, urlsplit

_MOST_WRAPPERS = 3
_ENGINES = ("duckduckgo.com", "bing.com", "google.com")


def unwrap(address: str, page_url: str = "") -> str:
    """The address inside of a wrapper, of the known engines or of the page's own host; else the address itself.

    Such as `duckduckgo.com/l/?uddg=…`, `google.com/url?q=…` and `bing.com/ck/a?…&u=a1…`.
    """
    for _ in range(_MOST_WRAPPERS):
        inner = _inside(address, page_url)
        if inner is None:
            break
        address = inner
    return address


def searches_again(address: str, page_url: str) -> bool:
    """Whether the address is the result page for other words, such as "People also search for"."""
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
    """Bing's form: "a1", then base64 for addresses without the padding."""
    if not text.startswith("a1"):
        return None
    try:
        return base64.urlsafe_b64decode(text[2:] + "=" * (-len(text[2:]) % 4)).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None

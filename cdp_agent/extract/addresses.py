"""Addresses in the text of a page, compared as a whole: `/item/1` is not `/item/12`, nor is it `/item/1?ref=2`."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from urllib.parse import unquote

WEB_ADDRESS = re.compile(r"https?://[^\s<>()\[\]\"'`|*]+")
_IN_TEXT = re.compile(
    r"\]\(<?(?P<link>(?:[^\s()<>]|\([^\s()]*\))+)"
    r"|(?P<bare>(?:https?://|(?<![\w.@/-])(?:[\w-]+\.)+[a-z]{2,}(?::\d+)?/)(?:[^\s<>()\[\]\"'`|*]|\([^\s()]*\))*)"
    r"|(?P<mail>(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+)",
    re.IGNORECASE,
)
_CLAIM = re.compile(
    r"(?:[a-z][a-z0-9+.-]*:)?//\S+|(?:mailto:|tel:)\S+|/\S*\w\S*|(?:[\w-]+\.)+[a-z]{2,}(?::\d+)?/\S+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+",
    re.IGNORECASE,
)
_SCHEME = re.compile(r"^(?:(?:[a-z][a-z0-9+.-]*:)?//(?:www\.)?|mailto:|www\.)")
_HOST = re.compile(r"^[^/?#]*")


def is_address(claim: str) -> bool:
    """Whether a text is an address and nothing else: of a page, with its scheme, host or path, or of a mailbox."""
    return _CLAIM.fullmatch(claim.strip()) is not None


def address_key(address: str) -> str:
    """A key that is the same for different spellings of an address."""
    plain = unicodedata.normalize("NFC", unquote(address.strip().rstrip(".,;:!?"))).casefold()
    return _SCHEME.sub("", plain).rstrip("/")


def keys_in(line: str) -> Iterator[str]:
    """The keys of the addresses in a line of Markdown, also without their hosts, as links in a page are written."""
    for match in _IN_TEXT.finditer(line):
        key = address_key(match["link"] or match["bare"] or match["mail"])
        yield key
        if not match["mail"] and (path := _HOST.sub("", key)):
            yield path


def without_addresses(line: str) -> str:
    """A line of Markdown without the addresses in it."""
    return _IN_TEXT.sub(" ", line)

"""What pages may load: origins that are allowed or denied, kinds of resources, hosts of a list. Pure decisions.

A pattern is one of

    example.com             the host and its subdomains, http and https, any port
    *.example.com           its subdomains, without the host itself
    example.com:8080        the host and its subdomains, on this port
    https://example.com     this origin alone: scheme, host and port (443 where none is written)
    https://*.example.com   the subdomains, with this scheme and port
    127.0.0.1  [::1]:8080   an address has no subdomains
    https://  file://       everything with that scheme
    *                       everything over http and https

ws: counts as http:, wss: as https:. Addresses without a server (`about:`, `data:`, `blob:`, `javascript:`) are never
refused: such documents cannot load anything that is refused. Any other scheme, including `file:`, is refused as soon as
there is a list, unless it is allowed. What is on both lists is denied.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal, get_args

import msgspec

from cdp_agent.errors import SetupError
from cdp_agent.security.origins import Origin, ascii_host, is_ip, origin_of, same_machine, scheme_of, split_port

from .hosts import contains_host, read_hosts

if TYPE_CHECKING:
    from .holding import Gate, Hold

ResourceType = Literal["image", "stylesheet", "font", "media", "manifest", "script", "xhr", "ping", "prefetch"]
RESOURCE_TYPES: tuple[ResourceType, ...] = get_args(ResourceType)

_SECURE = {"ws": "http", "wss": "https"}
_SERVERLESS = frozenset({"about", "data", "blob", "javascript"})
_WEB = frozenset({"http", "https"})
_PORTS = {"http": 80, "https": 443}
_MANIFEST = re.compile(r"(?:manifest[^/]*\.json|\.webmanifest)(?:\?.*)?$")
_MOST_LISTED = 8


class Pattern(msgspec.Struct, frozen=True):
    """One entry of a list, see the module's docstring. None or "" matches anything, as `scheme` only http and https."""

    text: str
    scheme: str = ""
    host: str = ""
    port: int | None = None
    itself: bool = True
    """Whether the host itself matches, not only its subdomains."""
    subdomains: bool = False

    def matches(self, scheme: str, origin: Origin | None) -> bool:
        """Whether the pattern means addresses of that scheme and origin."""
        scheme = _SECURE.get(scheme, scheme)
        if self.scheme != scheme if self.scheme else scheme not in _WEB:
            return False
        if not self.host:
            return True
        if origin is None or (self.port is not None and self.port != origin.port):
            return False
        if origin.host == self.host:
            return self.itself
        return self.subdomains and origin.host.endswith(f".{self.host}")

    def chrome_host_patterns(self) -> list[str]:
        """The hosts that it means, in Chrome's form; `*.` stands for any subdomain and `*` for any host.

        Names that Chrome distinguishes may be the same host here: see `origin_of`.
        """
        if not self.host:
            return ["*"]
        if is_ip(self.host):
            return [f"[{each}]" if ":" in each else each for each in same_machine(self.host)]
        starts = [*([""] if self.itself else []), *(["*."] if self.subdomains else [])]
        return [f"{start}{self.host}{end}" for start in starts for end in ("", ".")]

    def intersection(self, other: Pattern) -> Pattern | None:
        """A pattern for the addresses that match both; None if there are none."""
        schemes = {each.scheme for each in (self, other) if each.scheme}
        ports = {each.port for each in (self, other) if each.port is not None}
        if len(schemes) > 1 or len(ports) > 1 or (not (self.scheme and other.scheme) and schemes - _WEB):
            return None
        narrower, wider = (self, other) if self.host.endswith(other.host) else (other, self)
        itself, subdomains = narrower.itself, narrower.subdomains
        if narrower.host == wider.host:
            itself, subdomains = itself and wider.itself, subdomains and wider.subdomains
        elif wider.host and not (wider.subdomains and narrower.host.endswith(f".{wider.host}")):
            return None
        if not (itself or subdomains):
            return None
        return Pattern(self.text, "".join(schemes), narrower.host, next(iter(ports), None), itself, subdomains)


def pattern(text: str) -> Pattern:
    """Parses a pattern. Raises SetupError, which says what is wrong and how to write it."""
    written = text.strip()
    if written == "*":
        return Pattern(text)
    scheme, separator, rest = written.partition("://")
    scheme = scheme.lower() if separator else ""
    scheme = _SECURE.get(scheme, scheme)
    authority = (rest if separator else written).removesuffix("/")
    if scheme and not authority and re.fullmatch(r"[a-z][a-z0-9+.-]*", scheme):
        return Pattern(text, scheme)
    if re.search(r"[/?#@\\]", authority) or (scheme and scheme not in _WEB):
        raise SetupError(f"{text!r} is no origin: write example.com, *.example.com or https://example.com:8443.")
    below = authority.startswith("*.")
    name, port_text = split_port(authority.removeprefix("*."))
    host = ascii_host(name) if "*" not in name else None
    port = _PORTS.get(scheme) if not port_text else _number(port_text)
    if host is None or (port_text and port is None) or (below and is_ip(host)):
        raise SetupError(f"{text!r} is no origin: write example.com, *.example.com or https://example.com:8443.")
    return Pattern(text, scheme, host, port, itself=not below, subdomains=below or (not scheme and not is_ip(host)))


class Refusal(msgspec.Struct, frozen=True):
    """Why something may not be loaded. `violates`: a list of origins forbids it; else it is only blocked as asked."""

    why: str
    violates: bool


class Blocked(msgspec.Struct, frozen=True):
    """A request that a list of origins, or a Gate, kept from being sent. `tab`: it was for the document of a tab."""

    url: str
    why: str
    tab: bool = False

    @property
    def origin(self) -> str:
        """The origin that it would have gone to, as text."""
        return str(origin_of(self.url) or self.url[:100])

    def __str__(self) -> str:
        return f"{self.origin} {self.why}, so nothing was sent there. Reach the goal without it."


class RequestRules(msgspec.Struct, frozen=True, kw_only=True):
    """What may be loaded. `allow` None: everything that no other rule refuses."""

    allow: tuple[Pattern, ...] | None = None
    deny: tuple[Pattern, ...] = ()
    block_types: frozenset[str] = frozenset()
    block_hosts: frozenset[str] = frozenset()
    proxy_credentials: tuple[str, str] | None = None
    """User and password."""
    hold: Hold | None = None
    """Requests that would change something wait until somebody has allowed them."""
    gate: Gate | None = None
    """Documents of tabs, and requests that would change something, wait until it lets them pass."""

    @property
    def has_origin_lists(self) -> bool:
        """Whether there is a list of origins."""
        return self.allow is not None or bool(self.deny)

    def refusal(self, url: str, kind: str = "", *, tab: bool = False) -> Refusal | None:
        """Why the address may not be loaded; None when it may.

        `kind` is what it is loaded as (Chrome's `ResourceType`), `tab` whether it is the document of a tab.
        """
        scheme, origin = scheme_of(url), origin_of(url)
        if self.has_origin_lists and (why := self._violation(scheme, origin, url)):
            return Refusal(why, True)
        if not tab and (self.block_types or self.block_hosts) and self._left_out(kind.lower(), origin, url):
            return Refusal("blocked as asked", False)
        return None

    def _violation(self, scheme: str, origin: Origin | None, url: str) -> str:
        if scheme == "view-source":
            url = url.partition(":")[2]
            scheme, origin = scheme_of(url), origin_of(url)
        if scheme in _SERVERLESS:
            return ""
        if scheme in (*_WEB, *_SECURE) and origin is None:
            return "is an address that cannot be understood"
        if denied := next((each for each in self.deny if each.matches(scheme, origin)), None):
            return f"is denied ({denied.text.strip()})"
        if any(each.matches(scheme, origin) for each in self.allow or ()):
            return ""
        if self.allow is not None:
            return f"is not among the allowed origins ({_listed(self.allow)})"
        return "" if scheme in (*_WEB, *_SECURE) else f"is a {scheme}: address, which is not allowed"

    def _left_out(self, kind: str, origin: Origin | None, url: str) -> bool:
        kind = "prefetch" if kind == "fetch" else kind  # Chrome's name for it in held requests; a fetch() is XHR
        if kind in self.block_types:
            return True
        # A manifest is "Other" in held requests.
        if kind == "other" and "manifest" in self.block_types and _MANIFEST.search(url):
            return True
        return origin is not None and bool(self.block_hosts) and contains_host(self.block_hosts, origin.host)


def rules_of(
    *,
    allow: Iterable[str] | None = None,
    deny: Iterable[str] | None = None,
    block: Iterable[str] | None = None,
    block_hosts: str | os.PathLike[str] | Iterable[str] | None = None,
    proxy_credentials: tuple[str, str] | None = None,
) -> RequestRules | None:
    """The rules from the given lists; None if none is given. An empty `allow` allows nothing. Raises SetupError."""
    types = frozenset(kind.strip().lower() for kind in listed("block", block or ()))
    if unknown := types - set(RESOURCE_TYPES):
        raise SetupError(f"{', '.join(sorted(unknown))} cannot be blocked, only {', '.join(RESOURCE_TYPES)}.")
    rules = RequestRules(
        allow=None if allow is None else tuple(pattern(each) for each in listed("allow", allow)),
        deny=tuple(pattern(each) for each in listed("deny", deny or ())),
        block_types=types,
        block_hosts=frozenset() if block_hosts is None else read_hosts(block_hosts),
        proxy_credentials=proxy_credentials,
    )
    return None if rules == RequestRules() else rules


def listed(name: str, entries: Iterable[str]) -> tuple[str, ...]:
    """The entries. Raises SetupError for a single text, of which each letter would be an entry."""
    if isinstance(entries, str):
        raise SetupError(f"{name} is a list, not {entries!r}.")
    return tuple(entries)


def _listed(patterns: tuple[Pattern, ...]) -> str:
    names = [each.text.strip() for each in patterns]
    more = f" and {len(names) - _MOST_LISTED} more" if len(names) > _MOST_LISTED else ""
    return (", ".join(names[:_MOST_LISTED]) + more) or "there are none"


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and 0 < int(text) <= 0xFFFF else None

"""Where an address leads: its scheme, host and port, read as Chrome reads it.

Chrome does not open the text that it is given but what the URL standard makes of it: `HTTPS:\\\\EXAMPLE.com` is
https://example.com, `http://0x7f.1` is 127.0.0.1, `http://shop.example@evil.example` is evil.example.
https://url.spec.whatwg.org/#concept-host-parser
"""

from __future__ import annotations

import ipaddress
import re
from urllib.parse import unquote

import msgspec

DEFAULT_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443, "ftp": 21}
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):", re.IGNORECASE)
_AROUND = "".join(map(chr, range(0x21)))
_FORBIDDEN = re.compile(r"[\x00-\x20\x7f#%/:<>?@\[\\\]^|]")
_DOTS = str.maketrans("。．｡", "...")


class Origin(msgspec.Struct, frozen=True):
    """`host` is in lower case and ASCII, an IPv6 address without its brackets; `port` None when the scheme has none."""

    scheme: str
    host: str
    port: int | None

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}" + ("" if self.port == DEFAULT_PORTS.get(self.scheme) else f":{self.port}")


def scheme_of(url: str) -> str:
    """The scheme in lower case; "" when there is none."""
    match = _SCHEME.match(_without_blanks(url))
    return match[1].lower() if match else ""


def origin_of(url: str) -> Origin | None:
    """The origin of an address that goes to a host. None: it goes to none, or Chrome would not open it."""
    url = _without_blanks(url)
    scheme = scheme_of(url)
    if scheme not in DEFAULT_PORTS:
        return None
    rest = url[len(scheme) + 1 :].replace("\\", "/").lstrip("/")
    authority = re.split(r"[/?#]", rest, maxsplit=1)[0].rpartition("@")[2]
    host, port = split_port(authority)
    number = DEFAULT_PORTS[scheme] if port in (None, "") else _port(port)
    name = ascii_host(host)
    return None if name is None or number is None else Origin(scheme, name, number)


def split_port(authority: str) -> tuple[str, str | None]:
    """Host and port of `host:port`; the port None when there is none."""
    match = re.fullmatch(r"(\[[^\]]*\]|[^:]*)(?::(.*))?", authority, re.DOTALL)
    return (match[1], match[2]) if match else (authority, None)


def ascii_host(host: str) -> str | None:
    """A host as Chrome writes it, without a dot at its end. None when it is none."""
    if host.startswith("["):
        return _ipv6(host)
    try:
        host = unquote(host, errors="strict").translate(_DOTS)
    except UnicodeDecodeError:
        return None
    name = host.lower() if host.isascii() else _punycode(host)
    if name is None or _FORBIDDEN.search(name):
        return None
    name = name.rstrip(".")
    return _ipv4(name) if _ends_in_number(name) else name or None


def is_ip(host: str) -> bool:
    """Whether it is an IP address, as `ascii_host` gives it."""
    return ":" in host or _ends_in_number(host)


def _without_blanks(url: str) -> str:
    return re.sub(r"[\t\n\r]", "", url.strip(_AROUND))


def _port(text: str | None) -> int | None:
    if text is None or not (text.isascii() and text.isdigit()) or int(text) > 0xFFFF:
        return None
    return int(text)


def _punycode(host: str) -> str | None:
    import idna  # late: few hosts need it

    try:
        return idna.encode(host, uts46=True, transitional=False).decode().lower()
    except (idna.IDNAError, UnicodeError):
        return None


def _ends_in_number(host: str) -> bool:
    last = host.rpartition(".")[2]
    return last.isdigit() or _number(last) is not None


def _number(text: str) -> int | None:
    """As the standard reads a part of an IPv4 address: 0x for hexadecimal, 0 for octal."""
    base, digits = (16, text[2:]) if text[:2] in ("0x", "0X") else (8, text[1:]) if text[:1] == "0" else (10, text)
    if not digits:
        return 0 if text else None
    if not re.fullmatch(r"[0-9a-fA-F]+", digits):
        return None
    try:
        return int(digits, base)
    except ValueError:
        return None


def _ipv6(host: str) -> str | None:
    try:
        address = ipaddress.IPv6Address(host[1:-1]) if host.endswith("]") and "%" not in host else None
    except ValueError:
        return None
    # An IPv4 address in an IPv6 one leads to the same machine.
    return str(address.ipv4_mapped or address) if address else None


def _ipv4(host: str) -> str | None:
    parts = [_number(part) for part in host.split(".")]
    numbers = [each for each in parts if each is not None]
    if len(numbers) != len(parts) or not 1 <= len(parts) <= 4:
        return None
    *first, last = numbers
    if any(each > 255 for each in first) or last >= 256 ** (4 - len(first)):
        return None
    return str(ipaddress.IPv4Address(last + sum(each << (8 * (3 - at)) for at, each in enumerate(first))))

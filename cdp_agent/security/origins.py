"""Where an address leads: its scheme, host and port, read as Chrome reads it.

Chrome does not open the text that it is given but what the URL standard makes of it: `HTTPS:\\\\EXAMPLE.com` is
https://example.com, `http://0x7f.1` is 127.0.0.1, `http://shop.example@evil.example` is evil.example.
https://url.spec.whatwg.org/#concept-host-parser
"""

from __future__ import annotations

import ipaddress
import re
from urllib.parse import quote, unquote

import msgspec

from cdp_agent.patterns import pattern

WEB = frozenset({"http", "https"})
"""The schemes that models may open, since pages can influence models."""
WEB_AND_DATA = WEB | {"data"}
"""The schemes that calling programs may open: the web, and pages that they write themselves (data:), but no files."""
DEFAULT_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443, "ftp": 21}
_SCHEME = pattern(r"([a-z][a-z0-9+.-]*):", re.IGNORECASE)
_AROUND = "".join(map(chr, range(0x21)))
_FORBIDDEN = pattern(r"[\x00-\x20\x7f#%/:<>?@\[\\\]^|]")
# As negated sets of the allowed characters: four times as fast for a long address as a choice of two classes.
_NOT_IN_FRAGMENT = pattern(r"[^!#-;=?-_a-~]")
_NOT_IN_QUERY = pattern(r"[^!$-&(-;=?-~]")
_NOT_IN_PATH = pattern(r"[^!$-;=@-\]_a-z~]")
_JOINERS = "\u200c\u200d"
_DOTS = str.maketrans("。．｡", "...")


class Origin(msgspec.Struct, frozen=True):
    """An origin. `host` is in lower case and ASCII, an IPv6 address without its brackets; `port` is None when the
    scheme has none.
    """

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
    """The origin of an address; None if the address has no host, or Chrome would not open it.

    Two spellings of one machine (`example.com.`, an IPv4 address in an IPv6 one) are one origin here.
    """
    parts = _parts(url)
    if parts is None:
        return None
    scheme, host, number = parts
    name = _machine(host)
    return None if name is None else Origin(scheme, name, number)


def canonical(url: str) -> str | None:
    """The address exactly as Chrome writes it, which is equal for equal addresses; None if Chrome would not open it.

    https://url.spec.whatwg.org/#url-serializing
    """
    url = _without_blanks(url)
    scheme = scheme_of(url)
    if scheme not in ("http", "https"):
        return f"{scheme}{url[len(scheme) :]}" if scheme else None
    rest = url[len(scheme) + 1 :]
    before, found_hash, fragment = rest.partition("#")
    before, found_query, query = before.partition("?")
    authority, slash, path = before.replace("\\", "/").lstrip("/").partition("/")
    user = authority.rpartition("@")[0]
    parts = _parts(url)
    if parts is None:
        return None
    origin = str(Origin(*parts)).partition("://")[2]
    who = f"{user}@" if user.strip(":") else ""
    written = f"{scheme}://{who}{origin}{_path(slash + path)}"
    if found_query:
        written += f"?{_encoded(query, _NOT_IN_QUERY)}"
    return written + (f"#{_encoded(fragment, _NOT_IN_FRAGMENT)}" if found_hash else "")


def _path(path: str) -> str:
    """The path without `.` and `..`: https://url.spec.whatwg.org/#path-state."""
    steps: list[str] = []
    segments = path.removeprefix("/").split("/")
    for index, step in enumerate(segments):
        plain = step.lower().replace("%2e", ".")
        if plain == "..":
            del steps[-1:]
        elif plain != ".":
            steps.append(step)
        if plain in (".", "..") and index == len(segments) - 1:
            steps.append("")
    return "/" + _encoded("/".join(steps), _NOT_IN_PATH)


def _encoded(text: str, characters: re.Pattern[str]) -> str:
    return characters.sub(lambda each: quote(each[0].encode("utf-8", "replace"), safe=""), text)


def location_origin(url: str) -> str | None:
    """The origin exactly as a page reads it in `location.origin`; None for an address without one."""
    parts = _parts(url)
    if parts is None or parts[0] not in ("http", "https"):
        return None
    return str(Origin(*parts))


def _parts(url: str) -> tuple[str, str, int] | None:
    """The scheme, the host as Chrome writes it, and the port."""
    url = _without_blanks(url)
    scheme = scheme_of(url)
    if scheme not in DEFAULT_PORTS:
        return None
    rest = url[len(scheme) + 1 :].replace("\\", "/").lstrip("/")
    authority = re.split(r"[/?#]", rest, maxsplit=1)[0].rpartition("@")[2]
    host, port = split_port(authority)
    number = DEFAULT_PORTS[scheme] if port in (None, "") else _port(port)
    name = _written_host(host)
    return None if name is None or number is None else (scheme, name, number)


def split_port(authority: str) -> tuple[str, str | None]:
    """The host and the port of `host:port`; the port is None if there is none."""
    match = re.fullmatch(r"(\[[^\]]*\]|[^:]*)(?::(.*))?", authority, re.DOTALL)
    return (match[1], match[2]) if match else (authority, None)


def ascii_host(host: str) -> str | None:
    """A host as Chrome writes it, without a trailing dot, and as an IPv4 address where it is one; None if invalid."""
    name = _written_host(host)
    return None if name is None else _machine(name)


def same_machine(ip: str) -> list[str]:
    """The IP address, and for an IPv4 address also its IPv4-mapped IPv6 address, as Chrome writes them."""
    if ":" in ip:
        return [ip]
    high, low = divmod(int(ipaddress.IPv4Address(ip)), 0x10000)
    return [ip, f"::ffff:{high:x}:{low:x}"]


def _machine(name: str) -> str | None:
    if ":" in name:
        mapped = ipaddress.IPv6Address(name).ipv4_mapped
        return str(mapped) if mapped else name
    return name.rstrip(".") or None


def _written_host(host: str) -> str | None:
    if host.startswith("["):
        return _ipv6(host)
    try:
        host = unquote(host, errors="strict").translate(_DOTS)
    except UnicodeDecodeError:
        return None
    name = host.lower() if host.isascii() else _punycode(host)
    if not name or _FORBIDDEN.search(name):
        return None
    plain = name.removesuffix(".")
    return _ipv4(plain) if _ends_in_number(plain) else name


def is_ip(host: str) -> bool:
    """Whether a host, as returned by `ascii_host`, is an IP address."""
    return ":" in host or _ends_in_number(host)


def _without_blanks(url: str) -> str:
    return url.strip(_AROUND).replace("\t", "").replace("\n", "").replace("\r", "")


def _port(text: str | None) -> int | None:
    if text is None or not (text.isascii() and text.isdigit()) or len(text.lstrip("0")) > 5 or int(text) > 0xFFFF:
        return None
    return int(text)


def _punycode(host: str) -> str | None:
    """The host in Punycode by UTS46 with non-transitional processing, as in Chrome: `ß` does not become `ss`.

    Characters that IDNA 2008 also forbids, such as ☕, are allowed, as in Chrome: https://url.spec.whatwg.org/#idna
    """
    import idna  # late: 3 ms, for the few hosts that need it

    try:
        labels = idna.uts46_remap(host, std3_rules=False, transitional=False).split(".")
        for label in labels:
            idna.check_initial_combiner(label)
            idna.check_bidi(label)
            if any(each in _JOINERS and not idna.valid_contextj(label, at) for at, each in enumerate(label)):
                return None
    except (idna.IDNAError, ValueError):
        return None
    return ".".join(each if each.isascii() else f"xn--{each.encode('punycode').decode()}" for each in labels)


def _ends_in_number(host: str) -> bool:
    last = host.rpartition(".")[2]
    return last.isdigit() or _number(last) is not None


def _number(text: str) -> int | None:
    """A part of an IPv4 address, as the standard reads it: 0x for hexadecimal, 0 for octal."""
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
    if address is not None and (mapped := address.ipv4_mapped):  # newer Pythons write it with dots
        return f"::ffff:{int(mapped) >> 16:x}:{int(mapped) & 0xFFFF:x}"
    return str(address) if address else None


def _ipv4(host: str) -> str | None:
    parts = [_number(part) for part in host.split(".")]
    numbers = [each for each in parts if each is not None]
    if len(numbers) != len(parts) or not 1 <= len(parts) <= 4:
        return None
    *first, last = numbers
    if any(each > 255 for each in first) or last >= 256 ** (4 - len(first)):
        return None
    return str(ipaddress.IPv4Address(last + sum(each << (8 * (3 - at)) for at, each in enumerate(first))))

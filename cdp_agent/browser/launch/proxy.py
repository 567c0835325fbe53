"""A proxy as a user writes it, and as Chrome wants it."""

from __future__ import annotations

from urllib.parse import unquote, urlsplit

import msgspec

from cdp_agent.errors import SetupError

_PORTS = {"http": 80, "https": 443, "socks4": 1080, "socks5": 1080}
_HOW = "write http://host:port, https://host:port or socks5://host:port, before the host user:password@ if need be"


class Proxy(msgspec.Struct, frozen=True):
    """`server` may hold `user:password@`. `bypass` are hosts that are reached without it, such as "*.example.com".

    So is this machine, unless `bypass` holds "<-loopback>".
    https://chromium.googlesource.com/chromium/src/+/HEAD/net/docs/proxy.md
    """

    server: str
    bypass: tuple[str, ...] = ()
    username: str | None = None
    password: str | None = None

    def __repr__(self) -> str:
        return "Proxy(…)"  # it may hold a password


class ChromeProxy(msgspec.Struct, frozen=True):
    """`server` and `bypass` as in --proxy-server and --proxy-bypass-list; user and password are asked for later."""

    server: str
    bypass: str | None
    credentials: tuple[str, str] | None

    @property
    def arguments(self) -> list[str]:
        bypass = [f"--proxy-bypass-list={self.bypass}"] if self.bypass else []
        return [f"--proxy-server={self.server}", *bypass]


def chrome_proxy(given: str | Proxy) -> ChromeProxy:
    """What Chrome is told. Raises SetupError, without what was written: it may hold a password."""
    proxy = Proxy(given) if isinstance(given, str) else given
    try:
        parts = urlsplit(proxy.server if "://" in proxy.server else f"http://{proxy.server}")
        port = parts.port
    except ValueError:
        raise SetupError(f"The proxy is no address: {_HOW}.") from None
    if parts.scheme not in _PORTS or not parts.hostname or parts.path.strip("/") or parts.query or port == 0:
        raise SetupError(f"The proxy is no address: {_HOW}.")
    if not all(each.isprintable() and each.isascii() for each in (parts.hostname, *proxy.bypass)):
        raise SetupError("A host of the proxy holds a character that no host can.")
    user = proxy.username if proxy.username is not None else unquote(parts.username or "")
    password = proxy.password if proxy.password is not None else unquote(parts.password or "")
    if user and parts.scheme.startswith("socks"):
        raise SetupError("Chrome cannot log in to a SOCKS proxy: take one with http, or one that asks for no password.")
    if password and not user:
        raise SetupError("The proxy has a password but no user.")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return ChromeProxy(
        f"{parts.scheme}://{host}:{port or _PORTS[parts.scheme]}",
        ";".join(proxy.bypass) or None,
        (user, password) if user else None,
    )

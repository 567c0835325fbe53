"""A proxy as a user specifies it, and in the form that Chrome takes."""

from __future__ import annotations

from urllib.parse import unquote, urlsplit

import msgspec

from cdp_agent.errors import SetupError

_PORTS = {"http": 80, "https": 443, "socks4": 1080, "socks5": 1080}
_HOW = "write http://host:port, https://host:port or socks5://host:port, before the host user:password@ if need be"


class Proxy(msgspec.Struct, frozen=True):
    """A proxy; `server` may contain `user:password@`. `bypass` lists hosts to reach directly, such as "*.example.com".

    This machine is reached directly too, unless `bypass` contains "<-loopback>".
    https://chromium.googlesource.com/chromium/src/+/HEAD/net/docs/proxy.md
    """

    server: str
    bypass: tuple[str, ...] = ()
    username: str | None = None
    password: str | None = None

    def __repr__(self) -> str:
        return "Proxy(…)"  # it may contain a password


class ChromeProxy(msgspec.Struct, frozen=True):
    """A proxy in Chrome's form: --proxy-server, --proxy-bypass-list, and user and password as `credentials`."""

    server: str
    bypass: str | None
    credentials: tuple[str, str] | None

    @property
    def arguments(self) -> list[str]:
        bypass = [f"--proxy-bypass-list={self.bypass}"] if self.bypass else []
        return [f"--proxy-server={self.server}", *bypass]


def chrome_proxy(option: str | Proxy) -> ChromeProxy:
    """The proxy in Chrome's form. Raises SetupError, whose message contains no part that may be a password."""
    if not isinstance(option, (str, Proxy)):
        raise SetupError(f"The proxy is of the type {type(option).__name__}: {_HOW}, or give a Proxy.")
    proxy = Proxy(option) if isinstance(option, str) else option
    address = proxy.server if "://" in proxy.server else f"http://{proxy.server}"
    scheme = address.partition("://")[0].lower()
    if scheme not in _PORTS:
        raise SetupError(f"Chrome knows no proxy of the kind {scheme!r}: {_HOW}.")
    try:
        parts = urlsplit(address)
        host = parts.hostname or ""
    except ValueError:
        raise SetupError(f"The proxy's host is no host: {_HOW}.") from None
    for entry in (host, *proxy.bypass):
        if not (entry.isprintable() and entry.isascii()) or " " in entry:
            raise SetupError(f"The proxy has a host with a character that no host can have: {entry!r}.")
    if not host:
        raise SetupError(f"The proxy has no host: {_HOW}.")
    try:
        port = parts.port
    except ValueError:  # the text there may be a password
        raise SetupError(f"The port of the proxy {scheme}://{host} is no number up to 65535: {_HOW}.") from None
    if parts.path.strip("/") or parts.query or parts.fragment:
        raise SetupError(f"The proxy {scheme}://{host} has more than a host and a port: {_HOW}.")
    if port == 0:
        raise SetupError(f"The port of the proxy {scheme}://{host} is 0: {_HOW}.")
    user = proxy.username if proxy.username is not None else unquote(parts.username or "")
    password = proxy.password if proxy.password is not None else unquote(parts.password or "")
    if user and parts.scheme.startswith("socks"):
        raise SetupError("Chrome cannot log in to a SOCKS proxy: take one with http, or one that asks for no password.")
    if password and not user:
        raise SetupError("The proxy has a password but no user.")
    host = f"[{host}]" if ":" in host else host
    return ChromeProxy(
        f"{scheme}://{host}:{port or _PORTS[scheme]}",
        ";".join(proxy.bypass) or None,
        (user, password) if user else None,
    )

"""Connects to the DevTools WebSocket of a running Chrome, given its address: `http://host:port` or `ws://…`.

Error messages never contain the address: its host, path or query may be secret.
"""

from __future__ import annotations

import asyncio
import base64
import re
import ssl
from collections.abc import Mapping
from urllib.parse import SplitResult, unquote, urlsplit

import msgspec

from cdp_agent.cdp.websocket import WebSocketTransport, without_host
from cdp_agent.errors import BrowserError, SetupError

from .tab_closer import HttpEndpoint

_SHOWN_BYTES = 200
_SHORTEST_SECRET = 6
_HOW = "Start Chrome with --remote-debugging-port=9222 and its own --user-data-dir, or use `cdp-agent chrome start`."


class Address:
    """The address of a Chrome. Its repr does not show it."""

    timeout_s: float | None = None
    too_late: str | None = None

    def __init__(self, parts: SplitResult) -> None:
        userinfo, _, self.netloc = parts.netloc.rpartition("@")
        self.parts = parts
        self.secure = parts.scheme in ("https", "wss")
        self.port = parts.port or (443 if self.secure else 80)
        token = base64.b64encode(unquote(userinfo).encode()).decode()
        self._headers = {"Authorization": f"Basic {token}"} if userinfo else {}

    async def connect(self, headers: Mapping[str, str]) -> WebSocketTransport:
        """Connects to the Chrome. Raises BrowserError."""
        headers = {**self._headers, **headers}
        return await WebSocketTransport.open(await self.websocket_url(headers), headers)

    def http_endpoint(self, headers: Mapping[str, str]) -> HttpEndpoint | None:
        """See EndpointSource. None for a WebSocket whose path is not Chrome's own, such as that of a service."""
        path = self.parts.path.rstrip("/")
        if self.parts.scheme in ("ws", "wss"):
            if not path.startswith("/devtools/browser/"):
                return None
            path = ""
        query = f"?{self.parts.query}" if self.parts.query else ""
        return HttpEndpoint(
            host=self.parts.hostname or "",
            port=self.port,
            secure=self.secure,
            path=path,
            query=query,
            headers={**self._headers, **headers},
        )

    async def websocket_url(self, headers: Mapping[str, str]) -> str:
        """The address of the browser's WebSocket: as given, or as /json/version reports it. Raises BrowserError."""
        scheme, path, query = "wss" if self.secure else "ws", self.parts.path, self.parts.query
        if self.parts.scheme not in ("ws", "wss"):
            try:
                reported = urlsplit(await self._ask({**self._headers, **headers}))
            except ConnectionRefusedError as error:
                raise BrowserError(f"nothing listens there. {_HOW}") from error
            except OSError as error:
                raise BrowserError(f"cannot connect: {without_host(error)}") from error
            # Chrome reports an address made from the Host header; behind a tunnel or a proxy, only the address that we
            # used works. A token in its query is needed again.
            path, query = reported.path, reported.query or query
        return f"{scheme}://{self.netloc}{path}{'?' if query else ''}{query}"

    async def _ask(self, headers: Mapping[str, str]) -> str:
        """The address that /json/version reports. No HTTP client: importing http.client takes 10 ms, httpx 70."""
        context = ssl.create_default_context() if self.secure else None
        reader, writer = await asyncio.open_connection(self.parts.hostname, self.port, ssl=context)
        try:
            target = f"{self.parts.path.rstrip('/')}/json/version{'?' if self.parts.query else ''}{self.parts.query}"
            sent = {"Host": self.netloc, "Accept": "application/json", "Connection": "close", **headers}
            lines = [f"GET {target} HTTP/1.1", *(f"{name}: {value}" for name, value in sent.items())]
            writer.write("\r\n".join([*lines, "", ""]).encode())
            status, body = await _read_response(reader)
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, ValueError) as error:
            raise BrowserError("no Chrome: it does not speak HTTP") from error
        finally:
            writer.close()
        shown = body[:_SHOWN_BYTES].decode(errors="replace").strip()
        if not status.startswith("200"):
            raise BrowserError(f"it answered {status}: {shown}")
        try:
            return msgspec.json.decode(body, type=_Version).websocket_url
        except msgspec.DecodeError as error:
            raise BrowserError(f"no Chrome: it answered /json/version with {shown!r}") from error

    def without_address(self, text: str, headers: Mapping[str, str]) -> str:
        """`text` with "…" in place of each part of the address or of a header value, which a server may send back."""
        parts = self.parts
        secrets = [parts.geturl(), parts.netloc, self.netloc, parts.hostname, parts.username, parts.password]
        secrets += [value for pair in parts.query.split("&") for value in (pair, pair.partition("=")[2])]
        secrets += [each for each in parts.path.split("/") if len(each) >= _SHORTEST_SECRET]
        secrets += [each for value in headers.values() for each in (value, value.rpartition(" ")[2])]
        written = {form for each in secrets if each for form in (each, unquote(each))}
        for each in sorted(written, key=len, reverse=True):
            text = re.sub(rf"(?<!\w){re.escape(each)}(?!\w)", "…", text)
        return text


class _Version(msgspec.Struct):
    websocket_url: str = msgspec.field(name="webSocketDebuggerUrl")


async def _read_response(reader: asyncio.StreamReader) -> tuple[str, bytes]:
    """The status and the body of a response. Raises ValueError, and what StreamReader raises.

    https://www.rfc-editor.org/rfc/rfc9112#section-6.3
    """
    status, *lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    if not status.startswith("HTTP/1."):
        raise ValueError(status)
    fields = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    if "chunked" in fields.get("transfer-encoding", ""):
        body = b""
        while size := int((await reader.readuntil(b"\r\n")).partition(b";")[0], 16):
            body += (await reader.readexactly(size + 2))[:size]
    elif "content-length" in fields:
        body = await reader.readexactly(int(fields["content-length"]))
    else:
        body = await reader.read()
    return status.partition(" ")[2], body


def address_of(endpoint: str, name: str = "The endpoint") -> Address:
    """The parsed address of an endpoint. Raises SetupError, whose message calls the endpoint `name`."""
    try:
        parts = urlsplit(endpoint if "://" in endpoint else f"http://{endpoint}")
        valid = bool(parts.hostname) and parts.port != 0 and endpoint.isprintable() and " " not in endpoint
    except ValueError:
        valid = False
    if not valid or parts.scheme not in ("http", "https", "ws", "wss"):
        raise SetupError(f"{name} is no address of a Chrome: write http://host:port or ws://host:port/…") from None
    return Address(parts)


async def websocket_url(endpoint: str, headers: Mapping[str, str], timeout_s: float) -> str:
    """The address of the WebSocket of the Chrome at `endpoint`. Raises SetupError, BrowserError."""
    address = address_of(endpoint)
    try:
        async with asyncio.timeout(timeout_s):
            return await address.websocket_url(headers)
    except TimeoutError:
        failure = f"no answer within {timeout_s:g} s"
    except BrowserError as error:
        failure = address.without_address(str(error), headers)
    raise BrowserError(failure)

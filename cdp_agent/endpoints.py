"""From what a user has of a running Chrome, `http://host:port` or `ws://…`, to the WebSocket of its DevTools."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from urllib.parse import SplitResult, urlsplit

import msgspec

from cdp_agent.cdp.websocket import WebSocketTransport
from cdp_agent.errors import BrowserError, SetupError

_SHOWN_BYTES = 200
_HOW = "Start Chrome with --remote-debugging-port=9222 and its own --user-data-dir, or use `cdp-agent chrome start`."


class _Version(msgspec.Struct):
    websocket_url: str = msgspec.field(name="webSocketDebuggerUrl")


async def connect(endpoint: str, headers: Mapping[str, str], timeout_s: float) -> WebSocketTransport:
    """The way to the Chrome there. Raises BrowserError, and SetupError for a bad address."""
    return await WebSocketTransport.open(await websocket_url(endpoint, headers, timeout_s), headers)


async def websocket_url(endpoint: str, headers: Mapping[str, str], timeout_s: float) -> str:
    """The address of the browser's own WebSocket, in which it names itself. Raises as `connect`."""
    address = urlsplit(endpoint if "://" in endpoint else f"http://{endpoint}")
    try:
        valid = bool(address.hostname) and address.port != 0
    except ValueError:
        valid = False
    if not valid or address.scheme not in ("http", "https", "ws", "wss"):
        raise SetupError(f"{endpoint!r} is no address of a Chrome: write http://host:port or ws://host:port/…")
    if address.scheme in ("ws", "wss"):
        return endpoint
    try:
        told = await asyncio.to_thread(_ask, address, dict(headers), timeout_s)
    except TimeoutError as error:
        raise BrowserError(f"no answer within {timeout_s:g} s") from error
    except ConnectionRefusedError as error:
        raise BrowserError(f"nothing listens there. {_HOW}") from error
    except OSError as error:
        raise BrowserError(f"cannot connect: {error.strerror or error}") from error
    # Chrome names itself by the Host header; behind a tunnel or a proxy, only the address that we came by works.
    path = urlsplit(told).path
    return f"{'wss' if address.scheme == 'https' else 'ws'}://{address.netloc}{path}"


def _ask(address: SplitResult, headers: Mapping[str, str], timeout_s: float) -> str:
    # Late, since few need it: 10 ms. (httpx: 70 ms.)
    from http.client import HTTPConnection, HTTPException, HTTPSConnection

    kind = HTTPSConnection if address.scheme == "https" else HTTPConnection
    connection = kind(address.hostname or "", address.port, timeout=timeout_s)
    try:
        connection.request("GET", f"{address.path.rstrip('/')}/json/version", headers=dict(headers))
        response = connection.getresponse()
        body = response.read()
    except HTTPException as error:
        raise BrowserError(f"no Chrome: it does not speak HTTP ({error!r})") from error
    finally:
        connection.close()
    shown = body[:_SHOWN_BYTES].decode(errors="replace").strip()
    if response.status != 200:
        raise BrowserError(f"it answered {response.status} {response.reason}: {shown}")
    try:
        return msgspec.json.decode(body, type=_Version).websocket_url
    except msgspec.DecodeError as error:
        raise BrowserError(f"no Chrome: it answered /json/version with {shown!r}") from error

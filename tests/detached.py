"""A Chrome that is not ours, to connect to: it ends when it is told to, or with the process that started it.

It has the same supervisor as any Chrome of ours, which removes its temporary profile when it ends, however it ends.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from collections.abc import Iterator

import httpx
import msgspec

from cdp_agent.browser.launch import supervisor
from cdp_agent.browser.launch.chrome import LaunchOptions
from cdp_agent.browser.launch.launcher import CLEAN_UP_S, ChromeProcess, wait_until_listening
from cdp_agent.browser.launch.starting import start_with_port
from cdp_agent.cdp import browser as cdp_browser
from cdp_agent.cdp.connection import Connection
from cdp_agent.cdp.websocket import WebSocketTransport
from cdp_agent.errors import BrowserError
from tests.commands import wait_until

_ORDERLY_END_S = 3.0
_running: dict[int, ChromeProcess] = {}
"""By their supervisors: a Chrome ends when nobody holds it."""


class DetachedChrome(msgspec.Struct, frozen=True):
    """How it is reached, and ended."""

    pid: int
    supervisor_pid: int
    endpoint: str
    """http://127.0.0.1:PORT"""
    websocket_url: str
    profile: str
    temporary: bool


async def start_detached(
    options: LaunchOptions | None = None, *, port: int = 0, timeout_s: float = 30.0
) -> DetachedChrome:
    """A Chrome that stays until it is stopped, with its DevTools port on 127.0.0.1. Raises BrowserError."""
    chrome = ChromeProcess(start_with_port(options or LaunchOptions(), port))
    try:
        websocket_url = await wait_until_listening(chrome, timeout_s)
    except BaseException:
        await chrome.close()
        raise
    assert chrome.pid is not None  # told before it listened
    _running[chrome._process.pid] = chrome
    authority = websocket_url.split("/")[2]
    return DetachedChrome(
        chrome.pid,
        chrome._process.pid,
        f"http://{authority}",
        websocket_url,
        chrome.profile,
        chrome.temporary,
    )


async def stop_detached(chrome: DetachedChrome) -> bool:
    """Ends it and removes its temporary profile. False when it had ended before."""
    if not chrome.temporary:
        await _ask_to_end(chrome)
    stopped = await asyncio.to_thread(_stop_detached, chrome)
    _running.pop(chrome.supervisor_pid, None)
    await _refused(chrome)
    return stopped


@contextlib.contextmanager
def closing_tabs(endpoint: str) -> Iterator[None]:
    """What tabs are opened in the Chrome inside the block, by whomever, are closed after it."""

    def tabs() -> set[str]:
        listed = httpx.get(f"{endpoint}/json/list", verify=False).json()  # to read certificates takes longer than that
        return {each["id"] for each in listed if each["type"] == "page"}

    before = tabs()
    yield
    for left in tabs() - before:
        httpx.get(f"{endpoint}/json/close/{left}", verify=False)
    assert wait_until(lambda: tabs() <= before)  # Chrome answers before they are


async def _refused(chrome: DetachedChrome) -> None:
    """Waits until nothing listens there: for a moment more the kernel takes connections, and breaks them."""
    async with asyncio.timeout(CLEAN_UP_S):
        while True:
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", int(chrome.endpoint.rpartition(":")[2]))
            except ConnectionRefusedError:
                return
            except ConnectionResetError:
                continue
            writer.close()


async def _ask_to_end(chrome: DetachedChrome) -> None:
    """Lets it write its cookies, which it does not do on a signal."""
    with contextlib.suppress(BrowserError, TimeoutError):  # it is gone, or hangs
        async with asyncio.timeout(_ORDERLY_END_S):
            connection = Connection(await WebSocketTransport.open(chrome.websocket_url))
            await connection.browser.send(cdp_browser.Close())
            await connection.closed


def _stop_detached(chrome: DetachedChrome) -> bool:
    # The profile's path in the command line tells that no other process has got the number meanwhile.
    supervised = chrome.profile in supervisor.command_line(chrome.supervisor_pid)
    running = chrome.profile in supervisor.command_line(chrome.pid)
    if supervised:
        with contextlib.suppress(ProcessLookupError):  # it has just ended
            os.kill(chrome.supervisor_pid, 15)
        deadline = time.monotonic() + CLEAN_UP_S
        while supervisor.command_line(chrome.supervisor_pid) and time.monotonic() < deadline:
            time.sleep(0.005)
    if chrome.profile in supervisor.command_line(chrome.pid) or (chrome.temporary and os.path.exists(chrome.profile)):
        supervisor.clean_up(chrome.pid, chrome.profile, temporary=chrome.temporary)
    return supervised or running

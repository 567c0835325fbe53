"""`cdp-agent chrome start|stop|status`: a Chrome that stays between commands."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence

import msgspec

from cdp_agent.browser.attach.endpoints import websocket_url
from cdp_agent.browser.launch.chrome import LaunchOptions
from cdp_agent.browser.launch.detached import DetachedChrome, start_detached, stop_detached
from cdp_agent.cli import state
from cdp_agent.cli.flags import SETTINGS, add_settings, loaded
from cdp_agent.cli.parser import Parser
from cdp_agent.cli.status import NO_CHROME
from cdp_agent.config import launch_keywords
from cdp_agent.errors import BrowserError

_START = set(LaunchOptions.__struct_fields__) & set(SETTINGS)
"""What a Chrome is started with; all else is for the commands that come to it."""
_ANSWERS_WITHIN_S = 3.0


def manage_chrome(words: Sequence[str]) -> int:
    """Starts it, ends it, or tells whether it runs. Raises BrowserError."""
    parser = Parser("chrome", "A Chrome that stays between commands, so that refs and pages last.")
    parser.add_argument("act", choices=("start", "stop", "status"))
    parser.add_argument("--port", type=int, default=0, help="start: of its DevTools, on 127.0.0.1 (default: any free)")
    add_settings(parser, _START | {"json"})
    found = parser.read(words)
    config = loaded(found).config
    as_json = config.json
    if found.act == "start":
        keywords = {name: each for name, each in launch_keywords(config).items() if name in _START}
        return asyncio.run(_start(LaunchOptions(**keywords), found.port, as_json=as_json))
    return asyncio.run(_stop() if found.act == "stop" else _status(as_json=as_json))


async def _start(options: LaunchOptions, port: int, *, as_json: bool) -> int:
    running = await _running()
    if running is None:
        state.check_writable()
        running = await start_detached(options, port=port)
        try:
            state.save_chrome(running)
        except BaseException:  # nobody would find it again
            await stop_detached(running)
            raise
    elif not as_json:
        print("Chrome was running already.", file=sys.stderr)
    _tell(running, as_json=as_json)
    return 0


async def _stop() -> int:
    known = state.started_chrome()
    if known is None or not await stop_detached(known):
        print("No Chrome of ours was running.")
    else:
        print("Chrome has ended.")
    if known is not None:
        state.forget_tab(state.key_of(known.websocket_url))
    state.forget_chrome()
    return 0


async def _status(*, as_json: bool) -> int:
    running = await _running()
    if running is None:
        print("null" if as_json else "No Chrome of ours is running.")
        return NO_CHROME
    _tell(running, as_json=as_json)
    return 0


async def _running() -> DetachedChrome | None:
    known = state.started_chrome()
    if known is None:
        return None
    try:
        found = await websocket_url(known.endpoint, {}, _ANSWERS_WITHIN_S)
    except BrowserError as error:
        state.check_ended(known, error)
        return None
    return known if found == known.websocket_url else None


def _tell(chrome: DetachedChrome, *, as_json: bool) -> None:
    if as_json:
        print(msgspec.json.encode(chrome).decode())
    else:
        print(f"Chrome listens at {chrome.endpoint} (process {chrome.pid}); end it with `cdp-agent chrome stop`.")

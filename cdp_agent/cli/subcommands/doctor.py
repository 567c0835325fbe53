"""`cdp-agent doctor`: checks whether everything that a task needs is there, and says what to do if not."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from shlex import quote
from typing import Literal

import msgspec

from cdp_agent.browser.browser import Browser
from cdp_agent.browser.launch.advice import ADVICE, install
from cdp_agent.browser.launch.chrome import MOUSE, find_chrome
from cdp_agent.cli.argument_parser import Parser
from cdp_agent.cli.flags import loaded
from cdp_agent.cli.status import DONE, REFUSED
from cdp_agent.cli.terminal.text import for_terminal, one_line
from cdp_agent.config import Config, connect_keywords, endpoint_of, launch_keywords
from cdp_agent.config.file import config_path
from cdp_agent.config.sources import unknown_variables
from cdp_agent.errors import BrowserError, CdpAgentError, SetupError

_SMALL_SHARED_MEMORY = 512 << 20
_ENDPOINT_S = 5.0
_SIGNS = {"ok": "✓", "warn": "!", "fail": "✗"}


class Finding(msgspec.Struct, frozen=True):
    """The result of one check; `advice` states what to do, "" if all is well."""

    about: str
    state: Literal["ok", "warn", "fail"]
    text: str
    advice: str = ""


def examine(words: Sequence[str]) -> int:
    """Prints the findings; returns 1 when a task could not be run. Raises SetupError for wrong usage."""
    parser = Parser("doctor", "Check that Chrome, the model and the settings are ready for a task.")
    parser.add_argument("--offline", action="store_true", help="do not call the model")
    parser.add_argument("--json", action="store_true", help="print the findings as JSON")
    args = parser.read(words)
    findings = asyncio.run(_all(offline=args.offline))
    if args.json:
        print(msgspec.json.encode(findings).decode())
    else:
        for finding in findings:
            print(for_terminal(f"{_SIGNS[finding.state]} {finding.about}: {finding.text}"))
            if finding.advice:
                print(for_terminal(f"    → {finding.advice}"))
    return REFUSED if any(finding.state == "fail" for finding in findings) else DONE


async def _all(*, offline: bool) -> list[Finding]:
    try:
        settings = loaded(Parser("doctor", "").parse_args([]))
        config = settings.config
    except SetupError as error:
        wrong = Finding("settings", "fail", str(error), "`cdp-agent config path` tells where the file is.")
        return [wrong, *_system(), *[each async for each in _chrome(Config())]]
    findings = [*_settings(), *_system()]
    findings += [each async for each in _chrome(config)]
    findings += [each async for each in _endpoints(config, settings.source("cdp"))]
    return [*findings, await _model(config, offline=offline)]


def _settings() -> Iterator[Finding]:
    path = config_path(os.environ)
    if not path.is_file():
        yield Finding("settings", "ok", f"there is no file at {path}: environment and defaults hold")
    elif sys.platform != "win32" and path.stat().st_mode & 0o077:
        yield Finding("settings", "warn", f"others can read {path}, and keys in it", f"chmod 600 {quote(str(path))}")
    else:
        yield Finding("settings", "ok", f"{path} can be read, by you alone")
    if unknown := unknown_variables(Config, os.environ):
        yield Finding(
            "settings", "warn", f"set, but no settings: {', '.join(unknown)}", "`cdp-agent config list` shows all."
        )


def _system() -> Iterator[Finding]:
    if sys.platform != "linux":
        return
    if os.geteuid() == 0:
        yield Finding(
            "sandbox",
            "warn",
            "you are root, so that Chrome runs without its sandbox",
            "Run as another user, or open only pages that you trust.",
        )
    shared = shutil.disk_usage("/dev/shm").free if os.path.isdir("/dev/shm") else 0
    if shared < _SMALL_SHARED_MEMORY:
        yield Finding(
            "/dev/shm",
            "warn",
            f"{shared >> 20} MB free: Chrome keeps shared memory on disk, which is slower",
            "In Docker: --shm-size=1g.",
        )
    else:
        yield Finding("/dev/shm", "ok", f"{shared >> 20} MB free")
    yield _fonts()


def _fonts() -> Finding:
    if (program := shutil.which("fc-list")) is None:
        return Finding("fonts", "warn", "fontconfig's fc-list is not there to tell", install("fontconfig"))
    wanted = {"Latin": ":lang=en", "Chinese, Japanese, Korean": ":lang=ja", "emoji": ":lang=und-zsye"}
    lines = {name: subprocess.run([program, which], capture_output=True, check=False) for name, which in wanted.items()}
    lacking = [name for name, each in lines.items() if not each.stdout.strip()]
    if not lacking:
        return Finding("fonts", "ok", f"for {', '.join(wanted)}")
    return Finding(
        "fonts",
        "warn",
        f"none for {', '.join(lacking)}: on screenshots there will be boxes",
        install("fonts-liberation", "fonts-noto-cjk", "fonts-noto-color-emoji"),
    )


async def _chrome(config: Config) -> AsyncIterator[Finding]:
    try:
        program = find_chrome(config.executable, headless=config.headless)
    except BrowserError as error:
        state: Literal["warn", "fail"] = "warn" if config.cdp else "fail"
        yield Finding(
            "Chrome", state, one_line(str(error)), "Install it, or name it: `cdp-agent config set executable PATH`."
        )
        return
    began = time.monotonic()
    try:
        async with Browser.launch(**launch_keywords(config)) as browser:
            version = browser.version.product
            started = time.monotonic() - began
            page = await browser.new_page()
            await page.snapshot()
    except CdpAgentError as error:
        text, _, advice = str(error).partition(ADVICE)
        yield Finding("Chrome", "fail", f"{program} does not start: {one_line(text)}", advice or "It says why above.")
        return
    yield Finding("Chrome", "ok", f"{version} at {program}, started in {started:.2f} s and read a page")
    if any(each.startswith("--no-sandbox") for each in config.args):
        yield Finding("sandbox", "warn", "args turn it off", "Open only pages that you trust.")
    elif sys.platform != "linux" or os.geteuid() != 0:
        yield Finding("sandbox", "ok", "Chrome starts with it")


async def _endpoints(config: Config, source: str) -> AsyncIterator[Finding]:
    undone = f"unset {source}" if source in os.environ else "cdp-agent config unset cdp"
    for number, endpoint in enumerate(config.cdp, 1):
        about = f"endpoint {number} of {len(config.cdp)}"
        try:
            async with Browser.connect(endpoint, timeout_s=_ENDPOINT_S, **connect_keywords(config)) as browser:
                product = browser.version.product
                if "Headless" in browser.version.user_agent and await _has_no_mouse(browser):
                    text = f"{product} tells pages that there is no mouse: hover menus may not open"
                    yield Finding(about, "warn", text, f"Start it with {MOUSE}, or by `cdp-agent chrome start`.")
                else:
                    yield Finding(about, "ok", product)
        except CdpAgentError as error:
            # The address may contain a token.
            text = one_line(str(error).replace(endpoint, "it"))
            yield Finding(about, "fail", text, f"Start that Chrome, or `{undone}`.")


async def _has_no_mouse(browser: Browser) -> bool:
    page = await browser.new_page()
    return bool(await page.evaluate("matchMedia('(any-pointer: none)').matches"))


async def _model(config: Config, *, offline: bool) -> Finding:
    if config.model is None:
        return Finding("model", "warn", "none is set, which `run` needs", "cdp-agent config init")
    try:
        at = endpoint_of(config)
    except SetupError as error:
        return Finding("model", "fail", str(error), "cdp-agent config init")
    if offline:
        return Finding("model", "ok", f"{at.provider}/{at.model} at {at.shown_url}, not asked")
    from cdp_agent.cli.subcommands.init import tried  # late: httpx takes long to import

    message, works = await tried(at)
    return Finding("model", "ok" if works else "fail", message, "" if works else "cdp-agent config init")

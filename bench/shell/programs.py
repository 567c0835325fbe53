"""The programs that are measured: how each is had, called, and kept from what else runs on this machine."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec

from bench.cache import npm_environment
from bench.drivers.process import COMPILED
from bench.peers import PEERS, US
from bench.shell import flow
from cdp_agent.browser.launch.chrome import EXECUTABLE_VARIABLE, find_chrome

PLAYWRIGHT_CLI = "@playwright/cli@0.1.22"
AGENT_BROWSER = next(peer.package for peer in PEERS if peer.name == "agent-browser")
_AS_ROOT = hasattr(os, "getuid") and os.getuid() == 0


class Program(msgspec.Struct, frozen=True):
    """`executable` is called by the name that its users type; `environment` is for a folder of its own, empty before.

    `skill` is the file to learn from, where no command prints it. Each raises NotFetched.
    """

    name: str
    package: str
    flow: flow.Flow
    command: str
    executable: Callable[[], Path]
    environment: Callable[[Path], dict[str, str]]
    skill: Callable[[], Path] | None = None

    def prepared(self, folder: Path) -> dict[str, str]:
        """The environment in which it is called, with its state in `folder`."""
        programs = folder / "bin"
        programs.mkdir()
        (programs / self.command).symlink_to(self.executable())
        path = f"{programs}{os.pathsep}{COMPILED['PATH']}"
        return {**COMPILED, **self.environment(folder), "PATH": path}


def _modules(package: str) -> Path:
    return npm_environment(package) / "node_modules"


def _ours() -> Path:
    return Path(sys.executable).with_name("cdp-agent")


def _agent_browser() -> Path:
    machine = {"x86_64": "x64", "aarch64": "arm64", "arm64": "arm64"}[platform.machine()]
    # What npm puts beside it is a script that only chooses this program.
    return _modules(AGENT_BROWSER) / f"agent-browser/bin/agent-browser-{sys.platform}-{machine}"


def _environment_of_agent_browser(folder: Path) -> dict[str, str]:
    return {
        "AGENT_BROWSER_SOCKET_DIR": str(folder),
        "AGENT_BROWSER_EXECUTABLE_PATH": find_chrome(),
        "AGENT_BROWSER_ARGS": "--no-sandbox" if _AS_ROOT else "",
    }


def _environment_of_playwright(folder: Path) -> dict[str, str]:
    return {
        "PLAYWRIGHT_CLI_SESSION": folder.name,
        "PLAYWRIGHT_MCP_EXECUTABLE_PATH": find_chrome(),
        "PLAYWRIGHT_MCP_SANDBOX": "false" if _AS_ROOT else "true",
    }


OURS = Program(
    US,
    "",
    flow.OURS,
    "cdp-agent",
    _ours,
    lambda folder: {"XDG_RUNTIME_DIR": str(folder), EXECUTABLE_VARIABLE: find_chrome()},
)
PROGRAMS = [
    OURS,
    Program(
        "agent-browser",
        AGENT_BROWSER,
        flow.AGENT_BROWSER,
        "agent-browser",
        _agent_browser,
        _environment_of_agent_browser,
    ),
    Program(
        "Playwright CLI",
        PLAYWRIGHT_CLI,
        flow.PLAYWRIGHT,
        "playwright-cli",
        lambda: _modules(PLAYWRIGHT_CLI) / ".bin/playwright-cli",
        _environment_of_playwright,
        lambda: _modules(PLAYWRIGHT_CLI) / "@playwright/cli/skills/playwright-cli/SKILL.md",
    ),
]

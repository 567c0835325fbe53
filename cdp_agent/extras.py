"""The command that installs an optional extra of this package, for errors to name."""

from __future__ import annotations

import os
import shlex
import shutil
import sys

import msgspec

from cdp_agent.errors import SetupError


class _Origin(msgspec.Struct, frozen=True):
    """https://packaging.python.org/en/latest/specifications/direct-url/"""

    class Folder(msgspec.Struct, frozen=True):
        editable: bool = False

    class Repository(msgspec.Struct, frozen=True):
        vcs: str
        commit_id: str

    url: str
    dir_info: Folder | None = None
    vcs_info: Repository | None = None


def missing_extra(what: str, extra: str) -> SetupError:
    """The error that `what` cannot be done, with the command that installs the extra; raise it from the ImportError."""
    return SetupError(f"{what}: {install_command(extra)}")


def install_command(extra: str) -> str:
    """Installs the extra beside this package, from where that came from: a clone, a wheel, a repository or an index."""
    return f"{_pip()} install {_requirement(extra)}"


def _requirement(extra: str) -> str:
    from importlib.metadata import PackageNotFoundError, distribution  # late: 20 ms, and only for an error

    try:
        recorded = distribution("cdp-agent").read_text("direct_url.json")
    except PackageNotFoundError:
        recorded = None
    if recorded is None:
        return f"'cdp-agent[{extra}]'"
    origin = msgspec.json.decode(recorded, type=_Origin)
    if origin.url.startswith("file:"):
        from urllib.parse import urlsplit  # late, as above
        from urllib.request import url2pathname

        path = url2pathname(urlsplit(origin.url).path)
        editable = "-e " if origin.dir_info is not None and origin.dir_info.editable else ""
        return f"{editable}'{path}[{extra}]'"
    url = origin.url
    if origin.vcs_info is not None:
        url = f"{origin.vcs_info.vcs}+{url}@{origin.vcs_info.commit_id}"
    return f"'cdp-agent[{extra}] @ {url}'"


def _pip() -> str:
    """`pip`, if that of PATH belongs to this Python."""
    found = shutil.which("pip")
    if found is not None and os.path.dirname(found) == os.path.dirname(sys.executable):
        return "pip"
    return f"{shlex.quote(sys.executable)} -m pip"

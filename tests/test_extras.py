"""What an error tells to install is where this package came from, and no document tells of an index without it."""

from __future__ import annotations

import importlib.metadata
import re
import shlex
import sys
from pathlib import Path

import pytest

from cdp_agent.extras import install_command, missing_extra

ROOT = Path(__file__).parent.parent
_BY_NAME = re.compile(r"pip install [^`\n]*cdp[-_]agent")


class _Installed:
    """The distribution of this package, with this record of where it was installed from."""

    def __init__(self, record: str | None) -> None:
        self.record = record

    def read_text(self, name: str) -> str | None:
        return self.record if name == "direct_url.json" else None


FOLDER = '{"url": "file:///home/ada/my%20clone", "dir_info": {}}'
EDITABLE = '{"url": "file:///home/ada/clone", "dir_info": {"editable": true}}'
WHEEL = '{"url": "file:///tmp/cdp_agent-0.2.0-py3-none-any.whl", "archive_info": {"hash": "sha256=1"}}'
DOWNLOADED = '{"url": "https://files.example/cdp_agent-0.2.0-py3-none-any.whl", "archive_info": {}}'
REPOSITORY = '{"url": "https://git.example/cdp_agent", "vcs_info": {"vcs": "git", "commit_id": "1f2e"}}'


@pytest.mark.parametrize(
    ("record", "requirement"),
    [
        pytest.param(FOLDER, ["/home/ada/my clone[mcp]"], id="a clone"),
        pytest.param(EDITABLE, ["-e", "/home/ada/clone[mcp]"], id="a clone that is worked in"),
        pytest.param(WHEEL, ["/tmp/cdp_agent-0.2.0-py3-none-any.whl[mcp]"], id="a wheel"),
        pytest.param(
            DOWNLOADED,
            ["cdp-agent[mcp] @ https://files.example/cdp_agent-0.2.0-py3-none-any.whl"],
            id="a wheel that was downloaded",
        ),
        pytest.param(REPOSITORY, ["cdp-agent[mcp] @ git+https://git.example/cdp_agent@1f2e"], id="a repository"),
        pytest.param(None, ["cdp-agent[mcp]"], id="an index"),
    ],
)
def test_an_extra_comes_from_where_the_package_came_from(
    record: str | None, requirement: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.metadata, "distribution", lambda name: _Installed(record))

    assert shlex.split(install_command("mcp"))[-len(requirement) - 1 :] == ["install", *requirement]


def test_it_is_installed_for_the_python_that_runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for folder in (tmp_path / "own", tmp_path / "other"):
        folder.mkdir()
        (folder / "pip").touch(0o755)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "own" / "python"))

    monkeypatch.setenv("PATH", str(tmp_path / "own"))
    assert install_command("mcp").startswith("pip install ")
    monkeypatch.setenv("PATH", str(tmp_path / "other"))
    assert install_command("mcp").startswith(f"{tmp_path}/own/python -m pip install ")


def test_the_error_ends_with_the_command() -> None:
    assert str(missing_extra("It needs more", "mcp")) == f"It needs more: {install_command('mcp')}"


def test_no_text_of_ours_names_an_index_that_lacks_the_package() -> None:
    files = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")]
    files += [file for folder in ("cdp_agent", "bench", "scripts", "tests") for file in (ROOT / folder).rglob("*.*")]
    texts = {
        file.relative_to(ROOT): file.read_text("utf-8")
        for file in files
        if file.suffix in (".md", ".py", ".sh") and file.name not in ("CHANGELOG.md", Path(__file__).name)
    }

    assert [str(name) for name, text in texts.items() if _BY_NAME.search(text)] == []

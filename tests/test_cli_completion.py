"""What the shells themselves complete with our scripts."""

from __future__ import annotations

import os
import pty
import shutil
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest

from cdp_agent.cli import main


def script(shell: str, capsys: pytest.CaptureFixture[str], folder: Path) -> Path:
    """The script for a shell, in a file. Skips where the shell is not there."""
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    assert main(["completion", shell]) == 0
    path = folder / "completion"
    path.write_text(capsys.readouterr().out)
    return path


def run(*command: str) -> list[str]:
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout.split()


TYPED = [
    ("cdp-agent sna", ["snapshot"]),
    ("cdp-agent chrome sta", ["start", "status"]),
    ("cdp-agent click --cou", ["--count"]),
    ("cdp-agent completion z", ["zsh"]),
]


@pytest.mark.parametrize(("typed", "completed"), TYPED)
def test_bash(typed: str, completed: list[str], capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    words = typed.split()
    line = f"COMP_WORDS=({' '.join(words)}); COMP_CWORD={len(words) - 1}; _cdp_agent; echo ${{COMPREPLY[@]}}"

    assert run("bash", "--norc", "-c", f"source {script('bash', capsys, tmp_path)}; {line}") == completed


@pytest.mark.parametrize(("typed", "completed"), TYPED)
def test_fish(typed: str, completed: list[str], capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    found = run(
        "fish", "--no-config", "-c", f"source {script('fish', capsys, tmp_path)}; complete -C '{typed}' | cut -f1"
    )

    assert found == completed


def test_zsh(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = script("zsh", capsys, tmp_path)
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "dumb", "PS1": "", "HOME": str(tmp_path)}
    with subprocess.Popen(["zsh", "-f", "-i"], stdin=theirs, stdout=theirs, stderr=theirs, env=environment) as shell:
        os.close(theirs)
        _type(ours, f"autoload -U compinit; compinit -u; source {path}; echo LOA''DED\n", until="LOADED")
        _type(ours, "cdp-agent sna\t", until="snapshot")
        _type(ours, "\x15cdp-agent click --cou\t", until="--count")
        _type(ours, "\x15exit\n", until="exit")
        _rest(ours)
    os.close(ours)

    assert shell.returncode == 0


def _type(descriptor: int, keys: str, *, until: str) -> None:
    """Types, and waits until the shell writes that text; the limit of a test ends what never comes."""
    os.write(descriptor, keys.encode())
    told = b""
    while until.encode() not in told:
        told += os.read(descriptor, 4096)


def _rest(descriptor: int) -> None:
    """Takes what is written there until nobody can write any more."""
    with suppress(OSError):  # how Linux tells the end of a terminal
        while os.read(descriptor, 4096):
            pass

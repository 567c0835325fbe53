"""The image by a container engine: Docker's, or Podman."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.image.containerfile import Settings, read, settings

_NAME = "cdp-agent-under-test"
_BOUNDS = ["--read-only", "--tmpfs", "/tmp", "--cap-drop", "ALL", "--security-opt", "no-new-privileges"]


def engine(containerfile: Path) -> str | None:
    """The program of an engine that runs here and has, or can get, what the image is made from."""
    base = next(each.rest for each in read(containerfile) if each.word == "FROM")
    for program in ("docker", "podman"):
        asked = [["info"], ["image", "inspect", base]], [["info"], ["pull", "--quiet", base]]
        if shutil.which(program) and any(all(_does(program, *each) for each in way) for way in asked):
            return program
    return None


def _does(program: str, *arguments: str) -> bool:
    return subprocess.run([program, *arguments], capture_output=True).returncode == 0


class EngineImage:
    """An image that an engine built."""

    def __init__(self, program: str, containerfile: Path) -> None:
        self._program = program
        self.settings: Settings = settings(read(containerfile), "")
        folder = str(containerfile.parent)
        subprocess.run([program, "build", "--quiet", "-t", _NAME, "-f", str(containerfile), folder], check=True)

    def command(self, arguments: Sequence[str], env: Mapping[str, str]) -> list[str]:
        """What runs the entry point with these arguments in a container, whose ports are those of this machine."""
        variables = [word for name, value in env.items() for word in ("--env", f"{name}={value}")]
        run = [self._program, "run", "--rm", "--interactive", "--network", "host", "--name", _NAME]
        return [*run, *_BOUNDS, *variables, _NAME, *arguments]

    def stop(self, process: subprocess.Popen[str]) -> None:
        """Tells what was started by `command` to end."""
        process.terminate()  # the engine hands it on

    def beside(self, argv: Sequence[str]) -> list[str]:
        """What runs another program in the container that runs."""
        return [self._program, "exec", _NAME, *argv]

"""The image's steps in a folder that becomes the root: for machines where no container engine runs.

What is run there has its own mounts and processes, the image's user, and a root that cannot be written to; the network
is that of the machine.
"""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.image.containerfile import Instruction, Settings, read, settings

_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")
_PROXIES = ("http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "PIP_INDEX_URL")


class Unavailable(Exception):
    """The image cannot be made here, and why."""


class ChrootImage:
    """An image built in a folder."""

    def __init__(self, root: Path, containerfile: Path) -> None:
        """Builds it, which takes minutes. Raises Unavailable."""
        instructions = read(containerfile)
        self._root = root
        self.settings: Settings = settings(instructions, _PATH)
        for each in instructions:
            if each.word == "FROM":
                self._from(each.rest)
            elif each.word == "RUN":
                self._run(each.rest)
            elif each.word == "COPY":
                self._copy(each, containerfile.parent)

    def command(self, arguments: Sequence[str], env: Mapping[str, str]) -> list[str]:
        """What runs the entry point with these arguments, as the image's user, with a read-only root and an empty /tmp.

        All that it has started ends with it.
        """
        return self._apart([*self.settings.entrypoint, *arguments], env)

    def beside(self, argv: Sequence[str]) -> list[str]:
        """What runs another program of the image."""
        return self._apart(argv, {})

    def stop(self, process: subprocess.Popen[str]) -> None:
        """Tells what was started by `command` to end, as an engine does: by SIGTERM to its first process."""
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        os.kill(int(children[0]), signal.SIGTERM)

    def _apart(self, argv: Sequence[str], env: Mapping[str, str]) -> list[str]:
        root, of = shlex.quote(str(self._root)), self.settings
        variables = " ".join(shlex.quote(f"{name}={value}") for name, value in {**of.env, **env}.items())
        script = f"""
            set -e
            mount --bind {root} {root}
            mount -o remount,bind,ro {root}
            mount -t proc proc {root}/proc
            mount -t tmpfs tmpfs {root}/tmp
            mount -t tmpfs tmpfs {root}/dev
            mkdir -m 1777 {root}/dev/shm
            for each in null zero urandom random; do
                touch {root}/dev/$each
                mount --bind /dev/$each {root}/dev/$each
            done
            exec chroot --userspec={of.user}:{of.user} {root} \\
                /usr/bin/env -i {variables} /bin/sh -c 'cd {of.folder} && exec "$@"' sh "$@"
        """
        apart = ["unshare", "--mount", "--pid", "--fork", "--kill-child"]
        return [*apart, "--", "/bin/sh", "-c", script, "sh", *argv]

    def _from(self, image: str) -> None:
        distribution, _, release = image.removesuffix("-slim").partition(":")
        assert distribution == "debian", image
        made = subprocess.run(["debootstrap", "--variant=minbase", release, self._root], capture_output=True, text=True)
        if made.returncode:
            raise Unavailable(f"debootstrap: {made.stdout[-300:]}")
        if _CERTIFICATES.exists():  # those that this machine reaches registries by
            shutil.copy(_CERTIFICATES, self._root / "certificates.crt")

    def _run(self, line: str) -> None:
        env = {name: os.environ[name] for name in _PROXIES if name in os.environ}
        if (self._root / "certificates.crt").exists():
            env["PIP_CERT"] = "/certificates.crt"
        done = subprocess.run(
            ["chroot", self._root, "/bin/sh", "-c", line],
            env={**env, "PATH": _PATH, "DEBIAN_FRONTEND": "noninteractive"},
            capture_output=True,
            text=True,
        )
        if done.returncode:
            raise AssertionError(f"RUN {line}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")

    def _copy(self, instruction: Instruction, context: Path) -> None:
        *sources, into = instruction.rest.split()
        for source in sources:
            target = self._root / into.lstrip("/")
            if (context / source).is_dir():
                shutil.copytree(context / source, target, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                target.mkdir(parents=True, exist_ok=True)
                shutil.copy(context / source, target)

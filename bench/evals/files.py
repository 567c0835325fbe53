"""Files of episodes, a line of JSON each: what is in one is not played again."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

import msgspec

from bench.evals.episodes import Episode, How

PLAYED_AGAIN = ("model", "skipped", "task")
"""Kinds of failures that are none of the agent."""


class OtherRun(Exception):
    """The file is of another run; the message says how it differs."""


def read(file: Path) -> list[Episode]:
    """The episodes of a file, without a last line that was cut off when the process was killed."""
    if not file.exists():
        return []
    whole = file.read_bytes()
    return [msgspec.json.decode(line, type=Episode) for line in whole[: whole.rfind(b"\n") + 1].splitlines()]


def begin(file: Path, how: How, *, resume: bool) -> list[Episode]:
    """What was played before, after which the file can be written on. Raises OtherRun.

    Without what will be played again.
    """
    episodes = [episode for episode in read(file) if episode.kind not in PLAYED_AGAIN]
    if episodes and not resume:
        raise OtherRun(f"{file} has {len(episodes)} episodes: go on with --resume, or give another --out.")
    for name in ("model", "mode", "commit"):
        other = next((old for episode in episodes if (old := getattr(episode, name)) != getattr(how, name)), None)
        if other is not None:
            raise OtherRun(f"{file} is of {name} {other}, and this is {getattr(how, name)}: give another --out.")
    file.write_bytes(b"".join(map(line, episodes)))
    return episodes


def append(file: Path, episodes: Sequence[Episode]) -> None:
    with file.open("ab") as opened:
        opened.write(b"".join(map(line, episodes)))


def line(episode: Episode) -> bytes:
    return msgspec.json.encode(episode) + b"\n"


def this_commit(folder: Path = Path(__file__).parent) -> str:
    """The short hash of the commit, with a "+" if something is not committed; the version where there is no git."""
    try:
        commit = _git("rev-parse", "--short", "HEAD", folder=folder)
        return f"{commit}+" if _git("status", "--porcelain", "-uno", folder=folder) else commit
    except (OSError, subprocess.CalledProcessError):
        return version("cdp-agent")


def _git(*words: str, folder: Path) -> str:
    done = subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()

"""The part of the Containerfile's language that ours uses.

https://docs.docker.com/reference/dockerfile/
"""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from string import Template

import msgspec

_INSTRUCTIONS = "FROM RUN COPY ENV USER WORKDIR EXPOSE HEALTHCHECK ENTRYPOINT CMD".split()  # noqa: SIM905


class Instruction(msgspec.Struct, frozen=True):
    """A word such as RUN, and the rest of its line."""

    word: str
    rest: str


class Settings(msgspec.Struct, frozen=True):
    """What a container of the image begins with."""

    env: dict[str, str]
    user: str
    folder: str
    entrypoint: list[str]
    command: list[str]
    healthcheck: list[str]


def read(path: Path) -> list[Instruction]:
    """The instructions in their order. Raises ValueError for one that is not known here."""
    text = re.sub(r"^\s*#.*\n", "", path.read_text(), flags=re.MULTILINE).replace("\\\n", " ")
    found = [Instruction(*line.split(maxsplit=1)) for line in text.splitlines() if line.strip()]
    if unknown := {each.word for each in found}.difference(_INSTRUCTIONS):
        raise ValueError(f"not known here: {', '.join(sorted(unknown))}")
    return found


def settings(instructions: list[Instruction], base_path: str) -> Settings:
    """What holds at the end of the file; `base_path` is the base image's PATH."""
    env = {"PATH": base_path}
    last = {each.word: each.rest for each in instructions}
    for each in instructions:
        if each.word == "ENV":
            for pair in shlex.split(each.rest):
                name, _, value = pair.partition("=")
                env[name] = Template(value).substitute(env)
    return Settings(
        env=env,
        user=last["USER"],
        folder=last["WORKDIR"],
        entrypoint=json.loads(last["ENTRYPOINT"]),
        command=json.loads(last["CMD"]),
        healthcheck=json.loads(last["HEALTHCHECK"].partition("CMD ")[2]),
    )

"""The options of a trace: its folder and its limits, and how lines beyond them are cut."""

from __future__ import annotations

import errno
import os
import re
import secrets
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from cdp_agent.errors import SetupError

EVENTS = "events.jsonl"
ACTIONS = "actions.jsonl"
MODEL = "model.jsonl"
PICTURES = "pictures.jsonl"
NETWORK = "network.jsonl"
CONSOLE = "console.jsonl"
DOCUMENTS = "documents.jsonl"
_LONGEST_NAME = 40
_ATTEMPTS = 20


class TraceOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The options of a trace. Each run gets a folder inside `folder`.

    `max_bytes` is the limit for a whole run, `max_line_bytes` for one line, and `max_picture_bytes` for a picture or a
    document; events state what was left out. `pictures`: whether pictures of the pages are taken; `documents`: whether
    their documents are kept, for `write_zip`. `redacted` are further texts to mask, in addition to the secrets of the
    run, such as the caller's keys. `follow` is called with the run's folder and each line as it is written.
    """

    folder: Path
    max_bytes: int = 200_000_000
    max_line_bytes: int = 1_000_000
    max_picture_bytes: int = 2_000_000
    pictures: bool = True
    documents: bool = True
    redacted: tuple[str, ...] = ()
    follow: Callable[[Path, bytes], None] | None = None

    def __post_init__(self) -> None:
        for name in ("max_bytes", "max_line_bytes", "max_picture_bytes"):
            if getattr(self, name) < 1:
                raise SetupError(f"{name} is at least 1, not {getattr(self, name)}.")


def options_of(trace: TraceOptions | str | os.PathLike[str]) -> TraceOptions:
    """The options, with defaults if only the folder was given."""
    return trace if isinstance(trace, TraceOptions) else TraceOptions(folder=Path(trace).expanduser())


def check_folder(parent: Path) -> None:
    """Creates the parent folder of the runs' folders. Raises SetupError where it cannot be written."""
    try:
        parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise SetupError(f"The trace cannot be written to {parent}: {error.strerror}.") from error
    if not os.access(parent, os.W_OK | os.X_OK):
        raise SetupError(f"The trace cannot be written to {parent}: {os.strerror(errno.EACCES)}.")


def new_run_folder(parent: Path, words: str) -> Path:
    """Creates a folder for a run (mode 700), named after the time and the first words of its task.

    Raises SetupError if none can be created.
    """
    began = datetime.now().strftime("%Y%m%d-%H%M%S")
    name = re.sub(r"[^a-z0-9]+", "-", words.lower())[:_LONGEST_NAME].strip("-") or "run"
    try:
        parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        for _ in range(_ATTEMPTS):
            folder = parent / f"{began}-{name}-{secrets.token_hex(2)}"
            try:
                folder.mkdir(mode=0o700)
            except FileExistsError:
                continue
            return folder
    except OSError as error:
        raise SetupError(f"The trace cannot be written to {parent}: {error.strerror}.") from error
    raise SetupError(f"The trace cannot be written to {parent}: all names are taken.")


def run_folders(parent: Path) -> list[Path]:
    """The folders of runs in this folder, the latest last; only the folder itself if it is that of a run."""
    if (parent / EVENTS).is_file():
        return [parent]
    try:
        return sorted(each for each in parent.iterdir() if (each / EVENTS).is_file())
    except OSError as error:
        raise SetupError(f"{parent} cannot be read: {error.strerror}.") from error


def truncate_texts(value: object, longest: int, mark: str) -> Any:
    """The JSON data with texts cut after `longest` characters, and `mark` with the number of characters left out."""
    match value:
        case str() if len(value) > longest:
            return value[:longest] + mark.format(len(value) - longest)
        case list():
            return [truncate_texts(each, longest, mark) for each in value]
        case dict():
            return {key: truncate_texts(each, longest, mark) for key, each in value.items()}
        case _:
            return value

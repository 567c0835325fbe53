"""Events as JSON Lines: a header that names the format, then a line for each event."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from cdp_agent.errors import SetupError
from cdp_agent.events import Event, without_image


class TraceStarted(msgspec.Struct, frozen=True, tag_field="type", tag="trace:started"):
    """The first line of a trace."""

    format: int = 1


Line = TraceStarted | Event

_decoder = msgspec.json.Decoder(Line)


class TraceWriter:
    """Writes events to a file as they happen; close it, or use `with`.

    The file is for the user alone (mode 600): it holds what the pages showed, but pictures only with `images`. Raises
    SetupError when it cannot be made.
    """

    def __init__(self, path: Path, *, images: bool = False) -> None:
        self._images = images
        try:
            self._file = os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb", buffering=0)
        except OSError as error:
            raise SetupError(f"{path} cannot be written: {error.strerror}.") from error
        self._write(TraceStarted())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def write(self, event: Event) -> None:
        self._write(event if self._images else without_image(event))

    def close(self) -> None:
        self._file.close()

    def _write(self, line: Line) -> None:
        self._file.write(msgspec.json.encode(line) + b"\n")


def read(path: Path) -> Iterator[Event]:
    """The events of a trace, in order. Raises SetupError, with the number of the line, when it is not a trace."""
    with open(path, "rb") as lines:
        for number, line in enumerate(lines, 1):
            try:
                found = _decoder.decode(line)
            except msgspec.DecodeError as error:
                raise SetupError(f"{path}, line {number}, is not an event: {error}.") from error
            if not isinstance(found, TraceStarted):
                yield found

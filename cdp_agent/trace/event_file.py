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
from cdp_agent.security import files
from cdp_agent.trace.lines import TraceOmitted


class TraceStarted(msgspec.Struct, frozen=True, tag_field="type", tag="trace:started"):
    """The first line of a trace."""

    format: int = 1


Line = TraceStarted | Event

_decoder = msgspec.json.Decoder(Line | TraceOmitted)


class TraceWriter:
    """Writes events to a file as they happen, replacing an existing one; close it, or use `with`.

    The file has the mode 600, since it contains what the pages showed; it contains pictures only with `images`. Raises
    SetupError when it cannot be created.
    """

    def __init__(self, path: Path, *, images: bool = False) -> None:
        self._path = path
        self._images = images
        try:
            self._file = os.fdopen(files.create(path), "wb", buffering=0)
        except OSError as error:
            raise self._unwritable(error) from error
        try:
            self._write(TraceStarted())
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def write(self, event: Event) -> None:
        """Writes an event. Raises SetupError when it cannot be written."""
        self._write(event if self._images else without_image(event))

    def close(self) -> None:
        self._file.close()

    def _write(self, line: Line) -> None:
        try:
            files.write_all(self._file.fileno(), msgspec.json.encode(line) + b"\n")
        except OSError as error:
            raise self._unwritable(error) from error

    def _unwritable(self, error: OSError) -> SetupError:
        return SetupError(f"{self._path} cannot be written: {error.strerror}.")


def read(path: Path) -> Iterator[Event]:
    """The events of a trace, in order. Raises SetupError, with the number of the line, when it is not a trace."""
    with open(path, "rb") as lines:
        for number, line in enumerate(lines, 1):
            try:
                event = _decoder.decode(line)
            except msgspec.DecodeError as error:
                raise SetupError(f"{path}, line {number}, is not an event: {error}.") from error
            if not isinstance(event, (TraceStarted, TraceOmitted)):
                yield event

"""https://chromedevtools.github.io/devtools-protocol/tot/IO/"""

from __future__ import annotations

from .types import Command, Empty, Result


class Chunk(Result, frozen=True):
    data: str
    eof: bool
    base64_encoded: bool = False


class Read(Command[Chunk], frozen=True):
    """The next bytes of a stream, `size` at most."""

    handle: str
    size: int | None = None


class Close(Command[Empty], frozen=True):
    handle: str

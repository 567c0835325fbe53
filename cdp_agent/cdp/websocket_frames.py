"""The frames of a WebSocket, as bytes: https://www.rfc-editor.org/rfc/rfc6455#section-5

Only what a client of DevTools needs, without extensions. The libraries for it take 13 ms to import, a tenth of the time
until the first snapshot.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0x0, 0x1, 0x2, 0x8, 0x9, 0xA
_FINAL = 0x80
_RESERVED = 0x70
_MASKED = 0x80
_TWO_BYTES, _EIGHT_BYTES = 126, 127


class BadFrame(Exception):
    """What arrived is no frame of a server's."""


Frame = tuple[int, bool, bytes]
"""Opcode, whether it is the final one of its message, payload."""


def encode_frame(opcode: int, payload: bytes) -> bytes:
    """A final frame of a client's, masked as it must be (section 5.3)."""
    size = len(payload)
    if size < _TWO_BYTES:
        head = bytes((_FINAL | opcode, _MASKED | size))
    elif size < 1 << 16:
        head = bytes((_FINAL | opcode, _MASKED | _TWO_BYTES)) + size.to_bytes(2)
    else:
        head = bytes((_FINAL | opcode, _MASKED | _EIGHT_BYTES)) + size.to_bytes(8)
    key = os.urandom(4)
    mask = (key * (size // 4 + 1))[:size]
    # As one number each: byte by byte it takes a hundred times as long.
    masked = (int.from_bytes(payload) ^ int.from_bytes(mask)).to_bytes(size)
    return head + key + masked


class FrameReader:
    """Cuts what arrives into frames."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._needed = 2
        """Below this many bytes there is nothing new to be found."""

    def feed(self, data: bytes) -> Iterator[Frame]:
        """The frames that are complete now. Raises BadFrame."""
        self._buffer += data
        while len(self._buffer) >= self._needed:
            frame = self._take()
            if frame is None:
                return
            yield frame

    def _take(self) -> Frame | None:
        buffer = self._buffer
        if buffer[0] & _RESERVED or buffer[1] & _MASKED:
            raise BadFrame
        size, start = buffer[1], 2
        if size >= _TWO_BYTES:
            start += 2 if size == _TWO_BYTES else 8
            if len(buffer) < start:
                self._needed = start
                return None
            size = int.from_bytes(buffer[2:start])
        end = start + size
        if len(buffer) < end:
            self._needed = end
            return None
        frame = (buffer[0] & 0x0F, bool(buffer[0] & _FINAL), bytes(memoryview(buffer)[start:end]))
        del buffer[:end]
        self._needed = 2
        return frame

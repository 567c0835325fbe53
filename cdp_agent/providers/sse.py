"""Server-sent events from bytes: https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream."""

from __future__ import annotations

_BOM = b"\xef\xbb\xbf"


class EventReader:
    """Gives the `data` of each event, whatever the pieces in which the bytes arrive.

    Lines end with LF, CRLF or CR; comments and all fields but `data` are passed over.
    """

    def __init__(self) -> None:
        self._rest = b""
        self._data: list[bytes] = []
        self._at_start = True

    def feed(self, data: bytes) -> list[bytes]:
        """The events that these bytes complete."""
        self._rest += data
        if self._at_start:
            if len(self._rest) < len(_BOM) and _BOM.startswith(self._rest):
                return []
            self._rest = self._rest.removeprefix(_BOM)
            self._at_start = False
        lines = self._rest.replace(b"\r\n", b"\n")
        # A CR at the very end may be the first half of a CRLF: wait for what follows it.
        held = b"\r" if lines.endswith(b"\r") else b""
        *whole, rest = lines.removesuffix(held).replace(b"\r", b"\n").split(b"\n")
        self._rest = rest + held
        return [event for line in whole if (event := self._line(line)) is not None]

    def end(self) -> list[bytes]:
        """The event that was not followed by an empty line: the standard drops it, some servers rely on it."""
        last = [self._line(line) for line in (self._rest.removesuffix(b"\r"), b"")]
        self._rest = b""
        return [event for event in last if event is not None]

    def _line(self, line: bytes) -> bytes | None:
        if not line:
            event = b"\n".join(self._data) if self._data else None
            self._data = []
            return event
        name, _, value = line.partition(b":")
        if name == b"data":
            self._data.append(value.removeprefix(b" "))
        return None

"""Server-sent events from bytes: https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream."""

from __future__ import annotations

_BOM = b"\xef\xbb\xbf"


class LineSplitter:
    """Gives each line that ends with LF, whatever the pieces in which the bytes arrive.

    A line is joined once, when its end has come: one of some megabytes may come in pieces of a few bytes.
    """

    def __init__(self) -> None:
        self._begun: list[bytes] = []

    def feed(self, data: bytes) -> list[bytes]:
        """The lines that these bytes complete."""
        *whole, rest = data.split(b"\n")
        if whole:
            whole[0] = self.rest() + whole[0]
        self._begun.append(rest)
        return whole

    def rest(self) -> bytes:
        """What came of the last line, which is forgotten with that."""
        rest, self._begun = b"".join(self._begun), []
        return rest


class EventReader:
    """Gives the `data` of each event, whatever the pieces in which the bytes arrive.

    Lines end with LF, CRLF or CR; comments and all fields but `data` are passed over.
    """

    def __init__(self) -> None:
        self._lines = LineSplitter()
        self._held = b""
        """The beginning of a byte order mark, or a CR, whose LF may follow."""
        self._data: list[bytes] = []
        self._at_start = True

    def feed(self, data: bytes) -> list[bytes]:
        """The events that these bytes complete."""
        data, self._held = self._held + data, b""
        if self._at_start:
            if len(data) < len(_BOM) and _BOM.startswith(data):
                self._held = data
                return []
            data = data.removeprefix(_BOM)
            self._at_start = False
        if data.endswith(b"\r"):
            data, self._held = data[:-1], b"\r"
        lines = self._lines.feed(data.replace(b"\r\n", b"\n").replace(b"\r", b"\n"))
        return [event for line in lines if (event := self._line(line)) is not None]

    def end(self) -> list[bytes]:
        """The event that was not followed by an empty line: the standard drops it, some servers rely on it."""
        rest = self._lines.rest() + self._held.removesuffix(b"\r")
        self._held = b""
        return [event for line in (rest, b"") if (event := self._line(line)) is not None]

    def _line(self, line: bytes) -> bytes | None:
        if not line:
            event = b"\n".join(self._data) if self._data else None
            self._data = []
            return event
        name, _, value = line.partition(b":")
        if name == b"data":
            self._data.append(value.removeprefix(b" "))
        return None

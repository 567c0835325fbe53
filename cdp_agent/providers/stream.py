"""The JSON objects of a provider's answer, whatever the pieces in which its bytes arrive."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import msgspec

from cdp_agent.errors import BadReply
from cdp_agent.providers.sse import EventReader


class LineReader:
    """Gives each line: https://github.com/ndjson/ndjson-spec."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> list[bytes]:
        *whole, self._rest = (self._rest + data).split(b"\n")
        return whole

    def end(self) -> list[bytes]:
        rest, self._rest = self._rest, b""
        return [rest]


class WholeReader:
    """Gives a body at its end, for servers that do not stream."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def feed(self, data: bytes) -> list[bytes]:
        self._pieces.append(data)
        return []

    def end(self) -> list[bytes]:
        whole, self._pieces = b"".join(self._pieces), []
        return [whole]


class ObjectReader:
    """Gives the objects of a stream of events, of JSON lines, or of one JSON body, as its content type has it.

    `done` is set by `[DONE]`, with which some servers end. Raises BadReply for what is not a JSON object.
    """

    def __init__(self, provider: str, content_type: str) -> None:
        self.done = False
        self._provider = provider
        self._reader: EventReader | LineReader | WholeReader
        if "ndjson" in content_type or "jsonl" in content_type:
            self._reader = LineReader()
        elif "json" in content_type:
            self._reader = WholeReader()
        else:
            self._reader = EventReader()

    def feed(self, data: bytes) -> list[dict[str, Any]]:
        return self._objects(self._reader.feed(data))

    def end(self) -> list[dict[str, Any]]:
        """What the last bytes hold: their event need not be ended."""
        return self._objects(self._reader.end())

    def _objects(self, events: list[bytes]) -> list[dict[str, Any]]:
        return [found for event in events for found in self._parse(event.strip())]

    def _parse(self, event: bytes) -> list[dict[str, Any]]:
        if event == b"[DONE]":
            self.done = True
        if self.done or not event:
            return []
        try:
            found = _decode(event)
        except ValueError as error:
            if b"\n" in event and not isinstance(self._reader, WholeReader):
                return self._objects(event.splitlines())  # some servers forget the empty line between events
            shown = event[:200].decode(errors="replace")
            raise BadReply(self._provider, f"a part of the reply is not JSON: {shown!r}") from error
        if not isinstance(found, dict):
            raise BadReply(self._provider, f"a part of the reply is not an object: {str(found)[:200]!r}")
        return [found]


def joined(pieces: Sequence[str]) -> str:
    """The text of all pieces, with characters whole again that were cut in two: see `_decode`."""
    text = "".join(pieces)
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _decode(event: bytes) -> Any:
    """Some servers, written in JavaScript, cut text within a character: each half is an escape that stands for nothing.

    msgspec refuses such a half, json takes it.
    """
    try:
        return msgspec.json.decode(event)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return json.loads(event) if b"\\u" in event else msgspec.json.decode(event)

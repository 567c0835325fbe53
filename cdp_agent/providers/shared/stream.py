"""The JSON objects of a provider's answer, from bytes that arrive in pieces of any size.

This is the border: data from a provider is validated here against the structs of its wire, so that later code can rely
on the types; everything else is a BadReply.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, ClassVar, Generic, TypeVar

import msgspec
from msgspec import Meta

from cdp_agent.errors import BadReply
from cdp_agent.providers.base import Reply
from cdp_agent.providers.shared.json_reading import is_too_deep

_T = TypeVar("_T")

Id = str | int | None
"""The id of a tool call; some servers send numbers."""
Count = Annotated[float, Meta(ge=0, le=1e15)] | None
"""A number of tokens; servers written in JavaScript send 12.0 for 12."""
_MISFITS = (msgspec.ValidationError, UnicodeEncodeError)
"""What msgspec raises for data that does not fit; the second for half a surrogate pair in a text."""
_BOM = b"\xef\xbb\xbf"


class LineReader:
    """Yields each line: https://github.com/ndjson/ndjson-spec."""

    def __init__(self) -> None:
        self._lines = LineSplitter()

    def feed(self, data: bytes) -> list[bytes]:
        return self._lines.feed(data)

    def end(self) -> list[bytes]:
        return [self._lines.rest()]


class WholeReader:
    """Yields the whole body at its end, for servers that do not stream."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def feed(self, data: bytes) -> list[bytes]:
        self._pieces.append(data)
        return []

    def end(self) -> list[bytes]:
        whole, self._pieces = b"".join(self._pieces), []
        return [whole]


class ObjectReader(Generic[_T]):
    """Yields the objects of a stream of events, of JSON lines, or of one JSON body, depending on the content type.

    Each is a struct of `kind`. `done` is set by `[DONE]`, with which some servers end. Raises BadReply for data that
    does not fit.
    """

    def __init__(self, provider: str, content_type: str, kind: type[_T]) -> None:
        self.done = False
        self._provider = provider
        self._kind = kind
        self._reader: EventReader | LineReader | WholeReader
        if "ndjson" in content_type or "jsonl" in content_type:
            self._reader = LineReader()
        elif "json" in content_type:
            self._reader = WholeReader()
        else:
            self._reader = EventReader()

    def feed(self, data: bytes) -> Iterator[_T]:
        """Yields the objects one by one, so that an error that the server reports is seen before unreadable data after
        it.
        """
        return self._objects(self._reader.feed(data))

    def end(self) -> Iterator[_T]:
        """Yields the objects in the remaining bytes, even if their event is not terminated."""
        return self._objects(self._reader.end())

    def _objects(self, events: list[bytes]) -> Iterator[_T]:
        for event in events:
            yield from self._parse(event.strip())

    def _parse(self, event: bytes) -> Iterator[_T]:
        if event == b"[DONE]":
            self.done = True
        if self.done or not event:
            return
        try:
            value = _decode(event)
        except ValueError as error:
            if b"\n" in event and not isinstance(self._reader, WholeReader):
                yield from self._objects(event.splitlines())  # some servers forget the empty line between events
                return
            shown = event[:200].decode(errors="replace")
            raise BadReply(self._provider, f"a part of the reply is not JSON: {shown!r}") from error
        if not isinstance(value, dict):
            raise BadReply(self._provider, f"a part of the reply is not an object: {str(value)[:200]!r}")
        yield shaped(self._provider, value, self._kind)


class ObjectDecoder(ABC, Generic[_T]):
    """Makes a reply from the objects of a stream, or of one whole body; see base.Decoder. Each wire has a subclass."""

    answer: ClassVar[str]
    """The name of what it decodes, for the message of a BadReply."""

    def __init__(self, provider: str, model: str, content_type: str, kind: type[_T]) -> None:
        self._provider = provider
        self._model = model
        self._objects = ObjectReader(provider, content_type, kind)
        self._seen = False
        """Whether any part of such an answer has come."""

    def feed(self, data: bytes) -> None:
        for each in self._objects.feed(data):
            self._take(each)

    def reply(self) -> Reply:
        """The whole reply. Raises BadReply when the stream ended in the middle."""
        for each in self._objects.end():
            self._take(each)
        if not self._seen:
            raise BadReply(self._provider, f"the answer is not {self.answer}: is the base URL right?")
        if not self._is_whole:
            raise BadReply(self._provider, "the reply broke off before its end.")
        return self._reply()

    @abstractmethod
    def _take(self, each: _T, /) -> None:
        """Processes the next object. Raises ModelError for one that reports an error."""

    @property
    @abstractmethod
    def _is_whole(self) -> bool:
        """Whether the end of the reply has come."""

    @abstractmethod
    def _reply(self) -> Reply:
        """The reply, when it is complete. Raises BadReply."""


def shaped(provider: str, value: object, kind: type[_T]) -> _T:
    """JSON data as a struct. Raises BadReply, which names the place, if it does not fit."""
    try:
        return msgspec.convert(value, kind)
    except _MISFITS as error:
        raise BadReply(provider, f"a part of the reply is not what it should be: {error}.") from error


def counted(value: object, kind: type[_T]) -> _T | None:
    """The usage as a struct. None if there is none, or it cannot be read: that is no reason to reject a reply."""
    try:
        return msgspec.convert(value, kind)
    except _MISFITS:
        return None


def joined(pieces: Sequence[str]) -> str:
    """The text of all pieces, with surrogate pairs rejoined that were cut in two: see `_decode`."""
    text = "".join(pieces)
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def whole(value: object) -> Any:
    """JSON data with every text in it `joined`, so that it can be encoded again."""
    match value:
        case str():
            return joined([value])
        case list():
            return [whole(each) for each in value]
        case dict():
            return {whole(key): whole(each) for key, each in value.items()}
        case _:
            return value


def _decode(event: bytes) -> Any:
    """Decodes an event. Some servers, written in JavaScript, cut text within a surrogate pair, and send each half as an
    escape.

    msgspec refuses such a half, json accepts it. Raises ValueError.
    """
    text = event.decode()
    if is_too_deep(text):
        raise ValueError("it is nested too deep")
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return json.loads(text, object_pairs_hook=_whole_names) if "\\u" in text else msgspec.json.decode(text)


def _whole_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object from its pairs; servers do not cut within a name, so names are not rejoined."""
    return {joined([name]): value for name, value in pairs}


class LineSplitter:
    """Yields each line that ends with LF, from bytes that arrive in pieces of any size.

    A line is joined only once, at its end, since a line of megabytes may come in pieces of a few bytes.
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
        """Removes and returns the incomplete last line."""
        rest, self._begun = b"".join(self._begun), []
        return rest


class EventReader:
    """Yields the `data` of each server-sent event, from bytes that arrive in pieces of any size.

    https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream: lines end with LF, CRLF or
    CR; comments and all fields but `data` are ignored.
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
        """The last event if no empty line follows it: the standard drops it, but some servers send it so."""
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

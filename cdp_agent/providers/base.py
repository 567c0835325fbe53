"""One turn with a model, in no provider's words: a `Request` goes out, a `Reply` comes back."""

from __future__ import annotations

from typing import Any, Literal, Protocol

import msgspec


class Text(msgspec.Struct, frozen=True, tag="text"):
    text: str


class Image(msgspec.Struct, frozen=True, tag="image"):
    data: bytes
    media_type: str = "image/png"


class ToolCall(msgspec.Struct, frozen=True):
    """A tool that the model wants called; `arguments` is the JSON text as the model wrote it."""

    id: str
    name: str
    arguments: str


class System(msgspec.Struct, frozen=True, tag="system"):
    text: str


class User(msgspec.Struct, frozen=True, tag="user"):
    parts: tuple[Text | Image, ...]


class Assistant(msgspec.Struct, frozen=True, tag="assistant"):
    """What the model said before; its reasoning is not sent back."""

    text: str
    tool_calls: tuple[ToolCall, ...] = ()


class ToolResult(msgspec.Struct, frozen=True, tag="tool_result"):
    call_id: str
    text: str


Message = System | User | Assistant | ToolResult


class ToolSpec(msgspec.Struct, frozen=True):
    """A tool as a model gets to know it; `parameters` is a JSON Schema."""

    name: str
    description: str
    parameters: dict[str, Any]


class JsonOutput(msgspec.Struct, frozen=True):
    """The form that the text of a reply must have: JSON that fits `schema`, the JSON Schema of an object."""

    name: str
    schema: dict[str, Any]


class Request(msgspec.Struct, frozen=True):
    """`output` is for wires with JSON_OUTPUT; the others are given a tool whose parameters are the schema."""

    model: str
    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] = ()
    tool_choice: Literal["auto", "required"] = "auto"
    output: JsonOutput | None = None


class Usage(msgspec.Struct, frozen=True):
    """Tokens as the provider counted them; cached ones are part of the input, reasoning of the output."""

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    reasoning_tokens: int = 0


FinishReason = Literal["stop", "tool_calls", "length", "content_filter", "unknown"]


class Reply(msgspec.Struct, frozen=True):
    text: str = ""
    reasoning: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    finish_reason: FinishReason = "unknown"
    usage: Usage = Usage()


class Failure(msgspec.Struct, frozen=True):
    """An error in a provider's own words, with its code where it gave one."""

    message: str
    code: str = ""


class Decoder(Protocol):
    """Makes a reply of a body that arrives in pieces of any size. Raises BadReply and other ModelErrors."""

    def feed(self, data: bytes) -> None: ...
    def reply(self) -> Reply: ...


class Wire(Protocol):
    """How a provider speaks: pure functions, without any HTTP. A provider's module is one."""

    PATH: str
    JSON_OUTPUT: bool
    """Whether a provider can be told what JSON the text of its reply must be."""

    def headers(self, key: str | None) -> dict[str, str]: ...
    def encode(self, request: Request) -> dict[str, Any]: ...
    def decoder(self, provider: str, content_type: str) -> Decoder: ...
    def failure(self, body: bytes) -> Failure: ...

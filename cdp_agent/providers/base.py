"""One turn with a model, independent of the provider: a `Request` is sent, a `Reply` comes back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Protocol

import msgspec

if TYPE_CHECKING:
    import httpx


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


class ProviderState(msgspec.Struct, frozen=True):
    """The part of a reply that its provider wants to get back: signed or encrypted reasoning, in its own JSON.

    Only the wire and the model that it came from can use it; requests to others leave it out. `displaced`: the messages
    before it in the conversation have been changed since.
    """

    wire: str
    model: str
    content: Any
    displaced: bool = False

    def content_for(self, wire: str, model: str) -> Any:
        """The content, or None if it came from another wire or model."""
        return self.content if (self.wire, self.model) == (wire, model) else None


class Assistant(msgspec.Struct, frozen=True, tag="assistant"):
    """An earlier message of the model: a reply's text, calls and state. Its reasoning is not sent back as text."""

    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    state: ProviderState | None = None


class TabState(msgspec.Struct, frozen=True):
    """A tab as reported to a provider's browser toolset. `opened`: the call whose result this belongs to opened it."""

    id: str
    url: str
    active: bool
    opened: bool = False


class ToolResult(msgspec.Struct, frozen=True, tag="tool_result"):
    """The result of a call. If a provider's tool results cannot contain images, these follow in a user message.

    `tabs` are the tabs after the call, for the members of a provider's browser toolset.
    """

    call_id: str
    text: str
    images: tuple[Image, ...] = ()
    is_error: bool = False
    tabs: tuple[TabState, ...] = ()


Message = System | User | Assistant | ToolResult


REF_PATTERN = r"""^(E[1-9][0-9]*|[a-z]+(["=>\[]| .*["=/>\[]).*)$"""
"""The pattern of every tool parameter that is the ref of an element or a locator, and of no other parameter."""


class ToolSpec(msgspec.Struct, frozen=True):
    """A tool as it is described to a model; `parameters` is a JSON Schema.

    `enforced` is the same schema with all bounds, for constrained decoding; None: `parameters` has them. `is_member`:
    it belongs to the browser toolset that the provider has defined, which its models know without a description.
    """

    name: str
    description: str
    parameters: dict[str, Any]
    enforced: dict[str, Any] | None = None
    is_member: bool = False

    @property
    def with_bounds(self) -> dict[str, Any]:
        """The schema for constrained decoding."""
        return self.enforced if self.enforced is not None else self.parameters


class JsonOutput(msgspec.Struct, frozen=True):
    """The form that the text of a reply must have: JSON that fits `schema`, the JSON Schema of an object."""

    name: str
    schema: dict[str, Any]


class Forced(msgspec.Struct, frozen=True):
    """The one tool that the model must call."""

    name: str


ReasoningEffort = Literal["none", "low", "medium", "high"]


class Request(msgspec.Struct, frozen=True):
    """A request to a model.

    `output` is for wires with JSON_OUTPUT; for others, the caller has to pass a tool with the schema as its parameters.
    `reasoning_effort` and `max_output_tokens` are the provider's choice when None; reasoning counts as output.
    `continued`: a later request will begin with the same messages, so caching them pays. `refs` are those on the page
    now, None if not known; they constrain only models without tool calling.
    """

    model: str
    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] = ()
    tool_choice: Literal["auto", "required"] | Forced = "auto"
    output: JsonOutput | None = None
    max_output_tokens: int | None = None
    reasoning_effort: ReasoningEffort | None = None
    continued: bool = False
    refs: tuple[str, ...] | None = None


class Usage(msgspec.Struct, frozen=True):
    """Tokens as the provider counted them, and its price in US dollars where it reports one.

    `input_tokens` are the whole input, including those read from a cache (`cached_tokens`) and those written to one at
    a separate price (`cache_write_tokens`). `reasoning_tokens` are part of the output.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    reasoning_tokens: int = 0
    cache_write_tokens: int = 0
    cost: float | None = None

    def __add__(self, other: Usage) -> Usage:
        costs = [cost for cost in (self.cost, other.cost) if cost is not None]
        return Usage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cached_tokens + other.cached_tokens,
            self.reasoning_tokens + other.reasoning_tokens,
            self.cache_write_tokens + other.cache_write_tokens,
            sum(costs) if costs else None,
        )


FinishReason = Literal["stop", "tool_calls", "length", "content_filter", "unknown"]


class Reply(msgspec.Struct, frozen=True):
    """The reply of a model.

    `state` has to be put into the Assistant message made from the reply. `refusal` is the provider's reason for
    filtering the reply, if it gives one; a refusal in the model's own words is in `text`.
    """

    text: str = ""
    reasoning: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    finish_reason: FinishReason = "unknown"
    usage: Usage = Usage()
    state: ProviderState | None = None
    refusal: str = ""


class Failure(msgspec.Struct, frozen=True):
    """An error in a provider's own words, with its code if it gave one, and the seconds that it asks us to wait."""

    message: str
    code: str = ""
    retry_after: float | None = None


class Credentials(Protocol):
    """Headers that have to be fetched before a request, and again when they expire."""

    async def headers(self, http: httpx.AsyncClient) -> dict[str, str]:
        """The headers. Raises AuthenticationError, or another ModelError when no server could be reached."""

    def renew(self) -> bool:
        """Forgets the headers, since they were refused. Returns whether new ones can be fetched."""


class Decoder(Protocol):
    """Decodes a reply from a body that arrives in pieces of any size. Raises BadReply and other ModelErrors."""

    def feed(self, data: bytes) -> None: ...
    def reply(self) -> Reply: ...


class Wire(Protocol):
    """The protocol of a provider, as pure functions without HTTP. The provider's module implements it."""

    JSON_OUTPUT: bool
    """Whether the provider can enforce a JSON Schema for the text of its reply."""

    def path(self, model: str) -> str:
        """The part of the address after the base URL, for this model."""

    def headers(self, key: str | None) -> dict[str, str]: ...
    def encode(self, request: Request) -> dict[str, Any]: ...
    def decoder(self, provider: str, model: str, content_type: str) -> Decoder: ...
    def failure(self, body: bytes) -> Failure: ...

"""The one place that sends requests to providers: retries, the fallback model, models without tool calling."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Self

import msgspec

from cdp_agent.errors import (
    BadReply,
    ContextTooLong,
    ModelError,
    Overloaded,
    RateLimited,
    Refused,
    Unreachable,
    Unsupported,
)
from cdp_agent.providers import constrained
from cdp_agent.providers.base import Forced, Image, Message, Reply, Request, ToolResult, User
from cdp_agent.providers.exchange import ClosedSilently, exchange, http_client
from cdp_agent.providers.prices import Prices, cost_of
from cdp_agent.providers.request_options import RequestOptions
from cdp_agent.providers.services import Endpoint
from cdp_agent.providers.shared.errors import is_of_pictures, may_pass

_log = logging.getLogger(__name__)
_ONLY_STRICT = ("openai",)
"""Providers that enforce a schema only in their own strict form."""
_ANY_MODEL = ("ollama", "lmstudio", "openai-compatible")
"""Providers that serve any model, including those whose chat template has no place for tools."""
_MISSES = 2
_MOST_OF_A_REFUSAL = 500
_MOST_WHEN_BUSY = 30
"""The most attempts at a provider that is overloaded but says to come back at once."""

Notice = Callable[[str, ModelError], None]
"""Called for an error that does not end the request, with a sentence on what is about to be done, and the error."""


class Client:
    """Sends requests to one endpoint, over connections that are kept alive. Close it, or use `async with`.

    When all attempts failed, `fallback` is used instead from then on. With `prices` each reply's usage includes its
    cost, if that is known. `notice` is called with every error that is not raised. `pause` and `jitter` are for
    tests, which must not wait.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        fallback: Endpoint | None = None,
        request_options: RequestOptions = RequestOptions(),  # noqa: B008 (frozen)
        prices: Prices | None = None,
        notice: Notice | None = None,
        pause: Callable[[float], Awaitable[object]] = asyncio.sleep,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self._endpoint = endpoint
        self._fallback = fallback
        self._request_options = request_options
        self._prices = prices
        self._notice = notice or (lambda message, error: _log.info("%s (%s)", message, error))
        self._pause = pause
        self._jitter = jitter
        self._support = self._assumed_support()
        self._called = False
        self._misses = 0
        self._http = http_client(request_options.patience)

    @property
    def endpoint(self) -> Endpoint:
        """The endpoint that is asked now: the original one, or the fallback."""
        return self._endpoint

    @property
    def constrained(self) -> bool:
        """Whether the model is asked for its calls as JSON, so that a request's `refs` are used."""
        return not self._support.tools

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        await self._http.aclose()

    async def ask(self, request: Request) -> Reply:
        """The model's whole reply. Raises ModelError; cancelling closes the connection, which stops the model.

        Retries are done here: callers do not repeat a request that raised.
        """
        while True:
            endpoint, support = self._endpoint, self._support
            try:
                reply = await self._ask(self._with_defaults(request), endpoint, support)
                if reply.finish_reason == "content_filter":
                    raise Refused(endpoint.provider, _why_refused(reply))
                return reply
            except ContextTooLong:
                raise  # the caller can shorten the conversation
            except Unsupported as error:
                if not (self._learn(error, endpoint, support, request) or self._fall_back(error, endpoint)):
                    raise
            except ModelError as error:
                if is_of_pictures(error) and any(map(_has_picture, request.messages)):
                    raise  # the caller can leave out the pictures
                if not self._fall_back(error, endpoint):
                    raise

    def _with_defaults(self, request: Request) -> Request:
        request_options = self._request_options
        return msgspec.structs.replace(
            request,
            model=self._endpoint.model,
            reasoning_effort=request.reasoning_effort or request_options.reasoning_effort,
            max_output_tokens=request.max_output_tokens or request_options.max_output_tokens,
        )

    async def _ask(self, request: Request, endpoint: Endpoint, support: _Support) -> Reply:
        if request.output is not None and not support.schemas:
            request = msgspec.structs.replace(request, output=None)  # the prompt describes it, too
        if support.tools or not request.tools:
            reply = await self._ask_with_retries(request if support.forcing else _left_to_choose(request), endpoint)
            return self._with_calls(reply, request, endpoint) if request.tools else reply
        strict = endpoint.provider in _ONLY_STRICT
        sent = constrained.as_json(request, enforced=support.schemas, strict=strict)
        return constrained.as_calls(await self._ask_with_retries(sent, endpoint), request)

    def _with_calls(self, reply: Reply, request: Request, endpoint: Endpoint) -> Reply:
        """The reply, with the call that the model wrote as text if its server did not parse it.

        Some servers silently drop tools: a model that never calls one although it has to did not get them. Raises
        Unsupported then.
        """
        if reply.tool_calls or reply.finish_reason in ("length", "content_filter"):
            self._called = self._called or bool(reply.tool_calls)
            return reply
        if endpoint.provider not in _ANY_MODEL or request.tool_choice == "auto":
            return reply
        written = constrained.as_calls(reply, request)
        if any(call.name == spec.name for call in written.tool_calls for spec in request.tools):
            return written
        self._misses += 1
        if self._called or self._misses < _MISSES or self._request_options.constrained != "auto":
            return reply
        words = f"a tool had to be called, and {_MISSES} times none was: the model's chat template has no tools."
        raise Unsupported(endpoint.provider, words, None, "tools")

    async def _ask_with_retries(self, request: Request, endpoint: Endpoint) -> Reply:
        body = msgspec.json.encode(endpoint.wire.encode(request))
        patience = self._request_options.patience
        repeated = renewed = False
        attempts = _Attempts()
        while True:
            try:
                return self.counted(request, finished(await exchange(self._http, endpoint, patience, body)), endpoint)
            except ClosedSilently as closed:
                if not repeated:
                    _log.debug("%s closed the connection; asking again", endpoint.provider)
                    repeated = True  # at no cost: the server has not begun to answer
                    continue
                cause: Exception = closed
                error: ModelError = Unreachable(
                    endpoint.provider, f"the connection was closed before an answer came: {closed}."
                )
            except ModelError as failed:
                cause, error = failed, failed
                if isinstance(failed, BadReply) and failed.received_bytes:
                    self.lost(request, failed, endpoint)
                if error.status == 401 and endpoint.credentials is not None and not renewed:
                    renewed = True
                    if endpoint.credentials.renew():
                        continue
            attempts = await self._wait_before_retry(attempts, error, cause)

    def counted(self, request: Request, reply: Reply, endpoint: Endpoint) -> Reply:
        """The reply with its cost. Called for every reply received, also those that are rejected afterwards."""
        if self._prices is None or reply.usage.cost is not None:
            return reply
        cost = cost_of(reply.usage, self._prices.price_of(endpoint.provider, endpoint.model))
        return msgspec.structs.replace(reply, usage=msgspec.structs.replace(reply.usage, cost=cost))

    def lost(self, request: Request, error: BadReply, endpoint: Endpoint) -> None:
        """Called for each reply that could not be read, since it costs, too. Does nothing here; for subclasses."""

    async def _wait_before_retry(self, attempts: _Attempts, error: ModelError, cause: Exception) -> _Attempts:
        """Waits before the next attempt, or raises the error when there is none left."""
        patience = self._request_options.patience
        wait_s = error.retry_after
        if wait_s is not None and wait_s > patience.longest_retry_after_s:
            most = patience.longest_retry_after_s
            error.args = (f"{str(error).rstrip('.')}. It asks to wait {wait_s:,.0f} s; {most:g} s is the most we do.",)
            raise error
        busy = isinstance(error, Overloaded | RateLimited)
        if busy:
            pause_s = patience.overload_pause_s(attempts.busy + 1, self._jitter())
            enough = attempts.busy >= _MOST_WHEN_BUSY or attempts.waited_s >= patience.overload_s
        else:
            pause_s = patience.pause_s(attempts.failed + 1, self._jitter())
            enough = attempts.failed + 1 >= patience.attempts
        if enough or not may_pass(error):
            raise error from (cause if cause is not error else error.__cause__)
        wait_s = pause_s if wait_s is None else wait_s
        if busy:
            so_long = f"{attempts.waited_s:.0f} of at most {patience.overload_s:.0f} s were waited"
            self._notice(f"The provider has no room: it is asked again in {wait_s:.1f} s ({so_long}).", error)
        else:
            attempt = f"attempt {attempts.failed + 2} of {patience.attempts}"
            self._notice(f"The model is asked again in {wait_s:.1f} s, {attempt}.", error)
        await self._pause(wait_s)
        if busy:
            return msgspec.structs.replace(attempts, busy=attempts.busy + 1, waited_s=attempts.waited_s + wait_s)
        return msgspec.structs.replace(attempts, failed=attempts.failed + 1)

    def _learn(self, error: Unsupported, endpoint: Endpoint, support: _Support, request: Request) -> bool:
        """Remembers what the server cannot do. Returns whether the request can be made in another way."""
        if (self._endpoint, self._support) != (endpoint, support):
            return True  # another request has found out meanwhile
        if error.what == "schema" and support.schemas:
            self._support = msgspec.structs.replace(support, schemas=False)
            self._notice("The server enforces no JSON Schema: the model is asked for JSON in words.", error)
            return True
        if error.what == "tool_choice" and support.forcing and request.tools:
            self._support = msgspec.structs.replace(support, forcing=False)
            self._notice("The model cannot be forced to call a tool: it is left to choose.", error)
            return True
        # A server that accepts no tool_choice at all, not even "auto", does not accept tools.
        if error.what != "schema" and support.tools and request.tools and self._request_options.constrained == "auto":
            self._support = msgspec.structs.replace(support, tools=False)
            self._notice("The model has no tool calling: it is asked for its calls as JSON.", error)
            return True
        return False

    def _fall_back(self, error: ModelError, endpoint: Endpoint) -> bool:
        """Switches to the fallback model, unless another request has done so already. False if none is left."""
        if self._endpoint is not endpoint:
            return True  # another request has done so meanwhile
        if self._fallback is None:
            return False
        self._endpoint, self._fallback = self._fallback, None
        self._support = self._assumed_support()
        self._called, self._misses = False, 0
        now = self._endpoint
        self._notice(f"{now.provider}/{now.model} takes over, for the rest of the run.", error)
        return True

    def _assumed_support(self) -> _Support:
        return _Support(tools=self._request_options.constrained is not True, schemas=self._endpoint.wire.JSON_OUTPUT)


def finished(reply: Reply) -> Reply:
    """The reply, without its calls if it was cut off: an incomplete call may have another meaning."""
    if reply.finish_reason not in ("length", "content_filter"):
        return reply
    # The state of a turn belongs to its calls: some providers refuse the one without the other.
    return msgspec.structs.replace(reply, tool_calls=(), state=None if reply.tool_calls else reply.state)


def _left_to_choose(request: Request) -> Request:
    """The request for a model that cannot be forced to call a tool: the prompt asks, and no other tool is offered."""
    forced = request.tool_choice.name if isinstance(request.tool_choice, Forced) else None
    tools = tuple(each for each in request.tools if forced in (None, each.name))
    return msgspec.structs.replace(request, tools=tools, tool_choice="auto")


def _why_refused(reply: Reply) -> str:
    reason = ": ".join(filter(None, (reply.refusal, " ".join(reply.text.split())[:_MOST_OF_A_REFUSAL])))
    return f"the model or a filter of its provider refused to answer ({reason or 'it did not say why'})."


def _has_picture(message: Message) -> bool:
    match message:
        case ToolResult(images=images):
            return bool(images)
        case User(parts):
            return any(isinstance(part, Image) for part in parts)
    return False


class _Attempts(msgspec.Struct, frozen=True):
    """How often a request failed, how often the provider was overloaded, and how long we waited for the latter."""

    failed: int = 0
    busy: int = 0
    waited_s: float = 0


class _Support(msgspec.Struct, frozen=True):
    """What the endpoint is known to support."""

    tools: bool
    schemas: bool
    forcing: bool = True

"""The one place that does HTTP with providers: streaming, time limits, the mapping of errors, what is repeated."""

from __future__ import annotations

import logging
from email.utils import parsedate_to_datetime
from time import time
from types import TracebackType
from typing import Any, Self

import httpx
import msgspec

from cdp_agent.errors import BadReply, ModelError
from cdp_agent.providers.base import Reply, Request
from cdp_agent.providers.errors import model_error
from cdp_agent.providers.services import Endpoint

_log = logging.getLogger(__name__)

# Between two pieces of a reply a model may think for long; connecting is quick or hopeless.
_TIMEOUTS = httpx.Timeout(120, connect=10)
_MOST_BYTES_OF_AN_ERROR = 20_000


class Client:
    """Asks one endpoint, over connections that are kept for the next request. Close it, or use `async with`."""

    def __init__(self, endpoint: Endpoint, *, timeout: httpx.Timeout = _TIMEOUTS) -> None:
        self._endpoint = endpoint
        self._http = httpx.AsyncClient(timeout=timeout)

    @property
    def endpoint(self) -> Endpoint:
        """Which model of which provider this asks."""
        return self._endpoint

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        await self._http.aclose()

    async def ask(self, request: Request) -> Reply:
        """The model's whole reply. Raises ModelError; cancelling closes the connection, which stops the model."""
        body = msgspec.json.encode(self._endpoint.wire.encode(request))
        try:
            try:
                return await self._attempt(body)
            except _ConnectionWasStale:
                # The server closed a kept connection as we wrote to it, and answered nothing: repeating costs nothing.
                _log.debug("%s closed a kept connection; asking again", self._endpoint.provider)
                return await self._attempt(body)
        except _ConnectionWasStale as error:
            raise self._failed("the connection was closed twice before an answer came.") from error
        except ModelError as error:
            error.args = (self._without_key(str(error)),)
            raise

    async def _attempt(self, body: bytes) -> Reply:
        endpoint = self._endpoint
        progress = _Progress()
        headers = {"Content-Type": "application/json", "Accept": "text/event-stream, application/json"}
        if endpoint.credentials is not None:
            headers |= await endpoint.credentials.headers(self._http)
        else:
            headers |= endpoint.wire.headers(endpoint.key)
        try:
            async with self._http.stream(
                "POST",
                endpoint.base_url + endpoint.wire.path(endpoint.model),
                content=body,
                headers=headers,
                extensions={"trace": progress.trace},
            ) as response:
                progress.answered = True
                if response.status_code != 200:
                    raise await self._refusal(response)
                kind = response.headers.get("content-type", "")
                decoder = endpoint.wire.decoder(endpoint.provider, endpoint.model, kind)
                async for data in response.aiter_bytes():
                    decoder.feed(data)
                return decoder.reply()
        except httpx.TimeoutException as error:
            raise self._failed(f"no answer in time ({_kind(error)}).") from error
        except httpx.ConnectError as error:
            raise self._failed(f"{endpoint.base_url} cannot be reached: {error or 'no connection'}.") from error
        except httpx.TransportError as error:
            if progress.on_kept_connection and not progress.answered:
                raise _ConnectionWasStale from error
            if progress.answered:
                raise BadReply(endpoint.provider, f"the reply broke off: {error}.") from error
            raise self._failed(f"the connection broke before an answer came: {error}.") from error
        except (httpx.InvalidURL, httpx.HTTPError) as error:
            raise self._failed(f"{error}.") from error

    async def _refusal(self, response: httpx.Response) -> ModelError:
        found = b""
        async for data in response.aiter_bytes():
            found += data
            if len(found) >= _MOST_BYTES_OF_AN_ERROR:
                break
        return model_error(
            self._endpoint.provider,
            self._endpoint.wire.failure(found),
            status=response.status_code,
            retry_after=_retry_after(response.headers.get("retry-after")),
        )

    def _failed(self, message: str) -> ModelError:
        return ModelError(self._endpoint.provider, message)

    def _without_key(self, message: str) -> str:
        """The message without the key, which some providers repeat in their errors."""
        key = self._endpoint.key
        return message.replace(key, "[key]") if key else message


class _ConnectionWasStale(Exception):
    """A kept connection was closed before a byte of the answer came."""


class _Progress:
    """How far a request got, by httpcore's trace events (https://www.encode.io/httpcore/extensions/#trace)."""

    def __init__(self) -> None:
        self.on_kept_connection = True
        self.answered = False

    async def trace(self, event: str, info: dict[str, Any]) -> None:
        if event == "connection.connect_tcp.started":
            self.on_kept_connection = False
        elif event == "http11.receive_response_headers.complete":
            self.answered = True


def _kind(error: httpx.TimeoutException) -> str:
    return {
        httpx.ConnectTimeout: "connecting took too long",
        httpx.ReadTimeout: "it stayed silent too long",
        httpx.WriteTimeout: "it did not take the request",
        httpx.PoolTimeout: "no free connection",
    }.get(type(error), "time is up")


def _retry_after(value: str | None) -> float | None:
    """Seconds from a Retry-After header: https://www.rfc-editor.org/rfc/rfc9110#field.retry-after."""
    if not value:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time())
    except ValueError:
        return None

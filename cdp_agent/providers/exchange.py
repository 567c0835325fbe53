"""One request to a provider and its reply over HTTP: streaming, time limits, the mapping of errors. No retries."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Mapping
from contextlib import suppress
from functools import cache

import httpx

from cdp_agent.errors import BadReply, ModelError, Unreachable
from cdp_agent.providers.base import Decoder, Reply
from cdp_agent.providers.request_options import Patience
from cdp_agent.providers.services import Endpoint
from cdp_agent.providers.shared.errors import model_error
from cdp_agent.retry_after import retry_after_s

_MOST_BYTES_OF_AN_ERROR = 20_000
_MOST_BYTES = 64_000_000
"""More than any model sends: 128,000 tokens, each in its own event of 350 bytes, are 45 MB."""
_CLOSED = "disconnected without sending"
"""Words of httpcore's error message when nothing came back."""


class ClosedSilently(Exception):
    """The connection was closed before a byte of the answer came, as happens to idle kept-alive connections."""


def http_client(patience: Patience) -> httpx.AsyncClient:
    """An HTTP client that keeps connections alive. `exchange` has other time limits: httpx has one for all reads."""
    return httpx.AsyncClient(timeout=httpx.Timeout(None, connect=patience.connect_s), verify=certificates())


@cache
def certificates() -> ssl.SSLContext:
    """The trusted certificates, read only once: that takes 20 ms, which would delay every task and every search."""
    return httpx.create_ssl_context()


async def exchange(http: httpx.AsyncClient, endpoint: Endpoint, patience: Patience, body: bytes) -> Reply:
    """The reply to an encoded request. Raises ModelError, and ClosedSilently; cancelling closes the connection."""
    one = _Exchange(http, endpoint, patience)
    try:
        return await one.run(body)
    except ModelError as error:
        if isinstance(error, BadReply):
            error.received_bytes = one.received_bytes
        error.args = (endpoint.without_secrets(str(error)),)
        raise


class _Exchange:
    def __init__(self, http: httpx.AsyncClient, endpoint: Endpoint, patience: Patience) -> None:
        self._http = http
        self._endpoint = endpoint
        self._patience = patience
        self._decoder: Decoder | None = None
        self.received_bytes = 0

    async def run(self, body: bytes) -> Reply:
        patience = self._patience
        try:
            async with asyncio.timeout(patience.connect_s + patience.first_byte_s) as limit:
                return await self._run(body, limit)
        except TimeoutError as error:
            if not self.received_bytes:
                raise self._unreachable(f"no answer began within {patience.first_byte_s:g} s.") from error
            return self._reply_if_complete(error, f"nothing more came for {patience.between_chunks_s:g} s")
        except httpx.ConnectTimeout as error:
            raise self._not_there(f"no connection within {patience.connect_s:g} s") from error
        except httpx.ConnectError as error:
            raise self._not_there(str(error) or "no connection") from error
        except httpx.TransportError as error:
            if self._decoder is not None:
                return self._reply_if_complete(error, str(error))
            if isinstance(error, httpx.RemoteProtocolError) and _CLOSED not in str(error):
                raise BadReply(self._endpoint.provider, f"the answer is not HTTP: {error}.") from error
            raise ClosedSilently(str(error)) from error
        except httpx.DecodingError as error:
            raise BadReply(self._endpoint.provider, f"the reply cannot be unpacked: {error}.") from error
        except (httpx.InvalidURL, httpx.HTTPError) as error:
            raise self._unreachable(f"{error}.") from error

    async def _run(self, body: bytes, limit: asyncio.Timeout) -> Reply:
        endpoint, clock, patience = self._endpoint, asyncio.get_running_loop().time, self._patience
        headers = {"Content-Type": "application/json", "Accept": "text/event-stream, application/json"}
        if endpoint.credentials is not None:
            headers |= await endpoint.credentials.headers(self._http)
        else:
            headers |= endpoint.wire.headers(endpoint.key)

        async def trace(event: str, info: Mapping[str, object]) -> None:
            # An extension of httpcore: https://www.encode.io/httpcore/extensions/#trace
            if event == "http11.send_request_headers.started":  # the connection is made
                limit.reschedule(clock() + patience.first_byte_s)

        async with self._http.stream(
            "POST", endpoint.address, content=body, headers=headers, extensions={"trace": trace}
        ) as got:
            if got.status_code != 200:
                raise await self._refusal(got)
            self._decoder = endpoint.wire.decoder(
                endpoint.provider, endpoint.model, got.headers.get("content-type", "")
            )
            async for data in got.aiter_bytes():
                self.received_bytes += len(data)
                if self.received_bytes > _MOST_BYTES:
                    raise BadReply(endpoint.provider, f"the reply does not end: more than {_MOST_BYTES:,} bytes came.")
                limit.reschedule(clock() + patience.between_chunks_s)
                self._decoder.feed(data)
            return self._decoder.reply()

    def _reply_if_complete(self, error: Exception, why: str) -> Reply:
        """The reply, if the connection broke only after its last token. Raises BadReply."""
        assert self._decoder is not None  # a part of the reply has come
        try:
            return self._decoder.reply()
        except BadReply:
            raise BadReply(self._endpoint.provider, f"the reply broke off: {why}.") from error

    async def _refusal(self, response: httpx.Response) -> ModelError:
        body = b""
        with suppress(httpx.TransportError):  # the part that has come will do
            async for data in response.aiter_bytes():
                body += data
                if len(body) >= _MOST_BYTES_OF_AN_ERROR:
                    break
        headers = response.headers
        return model_error(
            self._endpoint.provider,
            self._endpoint.wire.failure(body),
            status=response.status_code,
            retry_after=retry_after_s(headers.get("retry-after"), headers.get("retry-after-ms")),
        )

    def _not_there(self, why: str) -> Unreachable:
        return self._unreachable(f"{self._endpoint.shown_url} cannot be reached: {why}.")

    def _unreachable(self, message: str) -> Unreachable:
        return Unreachable(self._endpoint.provider, message)

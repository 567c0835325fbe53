"""Sends results to the addresses that callers gave, signed according to https://www.standardwebhooks.com.

The signature is an HMAC-SHA256, in base64, of "ID.TIMESTAMP.BODY", with the key in the secret.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import hashlib
import hmac
import logging
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from secrets import token_urlsafe
from typing import Any

import httpx
import msgspec

from cdp_agent.errors import SetupError

PREFIX = "whsec_"
TIMEOUT_S = 15.0
PAUSES_S = (1.0, 5.0, 30.0)
"""The pauses before a failed delivery is repeated."""
_log = logging.getLogger(__name__)


class Webhook(msgspec.Struct, frozen=True):
    """The body of a message: `type` is "run.completed", `timestamp` is in ISO 8601, `data` is the run."""

    type: str
    timestamp: str
    data: Any


class Webhooks:
    """Signs and sends messages. `secret` is whsec_ followed by a key in base64; None: nothing can be sent."""

    def __init__(self, secret: str | None, pause: Callable[[float], Awaitable[object]] = asyncio.sleep) -> None:
        """`pause` is for tests, which must not wait. Raises SetupError for an invalid secret."""
        self._key = None if secret is None else key_of(secret)
        self._pause = pause
        self._http: httpx.AsyncClient | None = None

    async def send(self, url: str, kind: str, payload: object) -> bool:
        """Sends a message, with retries under the same id if need be. Returns True if it was answered with 2xx."""
        if self._key is None:
            raise SetupError("Webhooks are signed: set webhook_secret.")
        if self._http is None:
            self._http = httpx.AsyncClient(timeout=TIMEOUT_S, follow_redirects=False)
        body = msgspec.json.encode(Webhook(kind, datetime.now(UTC).isoformat(), payload))
        message_id = f"msg_{token_urlsafe(16)}"
        for pause_s in (*PAUSES_S, None):
            try:
                answer = await self._http.post(url, content=body, headers=signed(self._key, message_id, body))
            except httpx.HTTPError as error:
                reason = type(error).__name__
            else:
                if answer.is_success:
                    return True
                reason = str(answer.status_code)
                if answer.is_redirect or answer.status_code == httpx.codes.GONE:
                    break
            if pause_s is not None:
                await self._pause(pause_s)
        _log.warning("a webhook was not taken (%s)", reason)
        return False

    async def close(self) -> None:
        if self._http is not None:
            await self._http.aclose()


def key_of(secret: str) -> bytes:
    """The key in a secret. Raises SetupError."""
    try:
        key = base64.b64decode(secret.removeprefix(PREFIX), validate=True)
    except (binascii.Error, ValueError) as error:
        raise SetupError(f"webhook_secret is {PREFIX} and a key in base64: {error}.") from error
    if not secret.startswith(PREFIX) or len(key) < 16:
        raise SetupError(f"webhook_secret is {PREFIX} and at least 16 bytes in base64.")
    return key


def signed(key: bytes, message_id: str, body: bytes) -> dict[str, str]:
    """The headers of a message that is sent now, with its signature."""
    at = str(int(time.time()))
    digest = hmac.digest(key, f"{message_id}.{at}.".encode() + body, hashlib.sha256)
    return {
        "content-type": "application/json",
        "webhook-id": message_id,
        "webhook-timestamp": at,
        "webhook-signature": f"v1,{base64.b64encode(digest).decode()}",
    }

"""Which class of error a provider's failure is: the one place that tells them apart."""

from __future__ import annotations

import re

from cdp_agent.errors import AuthenticationError, ContextTooLong, ModelError, RateLimited
from cdp_agent.providers.base import Failure

_TOO_LONG = re.compile(
    r"context[ _](?:length|size|window)|maximum (?:context|prompt)|prompt is too long|too many tokens", re.IGNORECASE
)
_RATE = re.compile(r"rate[ _-]?limit|too many requests|quota", re.IGNORECASE)
_KEY = re.compile(r"invalid[ _]api[ _]key|incorrect api key|unauthorized|authentication", re.IGNORECASE)


def model_error(
    provider: str, failure: Failure, *, status: int | None = None, retry_after: float | None = None
) -> ModelError:
    """The narrowest error for what a provider told; an error inside of a stream has no HTTP status."""
    words = f"{failure.code} {failure.message}"
    code = status or (int(failure.code) if failure.code.isdecimal() else None)
    message = failure.message or f"answered with HTTP status {status}."
    if code in (401, 403) or (code is None and _KEY.search(words)):
        return AuthenticationError(provider, message, code)
    if code == 429 or (code is None and _RATE.search(words)):
        return RateLimited(provider, message, code, retry_after)
    if code == 413 or (code in (None, 400, 422, 500) and _TOO_LONG.search(words)):
        return ContextTooLong(provider, message, code)
    return ModelError(provider, message, code)

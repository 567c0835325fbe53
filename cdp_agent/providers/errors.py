"""Which class of error a provider's failure is, and whether asking again may help: the one place that tells."""

from __future__ import annotations

import re

from cdp_agent.errors import (
    AuthenticationError,
    ContextTooLong,
    ModelError,
    Overloaded,
    RateLimited,
    Unsupported,
)
from cdp_agent.providers.base import Failure

_TOO_LONG = re.compile(
    r"context[ _](?:length|size|window|limit)|maximum (?:context|prompt)|(?:prompt|input) (?:is|was) too long"
    r"|too many (?:input )?tokens|input token count|exceeds? the (?:model'?s? )?(?:maximum|available|limit)[^.]*tokens"
    r"|reduce the length",
    re.IGNORECASE,
)
_RATE = re.compile(r"rate[ _-]?limit|too many requests|quota|resource[ _]exhausted", re.IGNORECASE)
_OVERLOADED = re.compile(r"overloaded|unavailable|(?:at|over|no) capacity", re.IGNORECASE)
_KEY = re.compile(
    r"(?:invalid|incorrect)[ _]api[ _]key|api[ _]key not valid|unauthorized|authentication[ _]error", re.IGNORECASE
)
_NO = r"(?:not|n't|n’t) (?:currently )?(?:support|enable|allow|available)|unsupported|requires? --|disabled"
_TOOLS = r"\btool|function[ _-]?call"
_SCHEMA = r"response[ _]?(?:format|json_?schema)|json[ _]schema|structured[ _]outputs?|output[ _]config|grammar|guided"
_WITHOUT_TOOLS = re.compile(
    rf"(?:{_TOOLS}).{{0,80}}(?:{_NO})|(?:{_NO}).{{0,60}}(?:{_TOOLS})|no endpoints.{{0,30}}tool use",
    re.IGNORECASE | re.S,
)
_WITHOUT_SCHEMA = re.compile(
    rf"(?:{_SCHEMA}).{{0,80}}(?:{_NO}|unavailable|failed|invalid)"
    rf"|(?:{_NO}|failed to \w+|invalid).{{0,60}}(?:{_SCHEMA})",
    re.IGNORECASE | re.S,
)
_PICTURES = re.compile(r"image|vision|visual|multi-?modal|mmproj|picture", re.IGNORECASE)
_REFUSED = (None, 400, 404, 422, 500, 501)
"""Statuses with which servers say that they do not take a request as it is."""


def model_error(
    provider: str, failure: Failure, *, status: int | None = None, retry_after: float | None = None
) -> ModelError:
    """The narrowest error for what a provider told; an error inside of a stream has no HTTP status."""
    words = f"{failure.code} {failure.message}"
    code = status or (int(failure.code) if failure.code.isdecimal() else None)
    message = failure.message or f"answered with HTTP status {status}."
    after = failure.retry_after if failure.retry_after is not None else retry_after
    if code in (401, 403) or (code in (None, 400) and _KEY.search(words)):
        return AuthenticationError(provider, message, code)
    if code == 429 or (code is None and _RATE.search(words)):
        return RateLimited(provider, message, code, after)
    if code == 413 or (code in _REFUSED and _TOO_LONG.search(words)):
        return ContextTooLong(provider, message, code)
    if code in (503, 529) or (code in (None, 500) and _OVERLOADED.search(words)):
        return Overloaded(provider, message, code, after)
    if code in _REFUSED and _WITHOUT_SCHEMA.search(words):
        return Unsupported(provider, message, code, "schema")
    if code in _REFUSED and _WITHOUT_TOOLS.search(words):
        return Unsupported(provider, message, code, "tools")
    return ModelError(provider, message, code, after)


def may_pass(error: ModelError) -> bool:
    """Whether the same request may succeed later: never what the provider refuses for what it is."""
    if isinstance(error, AuthenticationError | ContextTooLong | Unsupported):
        return False
    return error.status is None or error.status >= 500 or error.status in (408, 409, 429)


def is_of_pictures(error: ModelError) -> bool:
    """Whether a request with pictures may be taken without them."""
    if isinstance(error, RateLimited | AuthenticationError) or error.status is None or error.status < 400:
        return False
    return _PICTURES.search(str(error)) is not None

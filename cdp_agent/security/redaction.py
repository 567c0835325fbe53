"""Replaces our own keys in data where they occur literally. For secrets that pages may re-encode, see Mask."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

REDACTED = "***"
CREDENTIALS = frozenset(
    {"authorization", "proxy-authorization", "x-api-key", "x-auth-token", "x-csrf-token", "x-xsrf-token"}
)
"""Headers, in lower case, that let in whoever has them; besides the cookies."""


def redact(value: object, secrets: Collection[str]) -> Any:
    """The JSON data with *** in place of each of the secrets; longer ones are replaced first."""
    return _redact(value, sorted(filter(None, secrets), key=len, reverse=True))


def _redact(value: object, secrets: list[str]) -> Any:
    if isinstance(value, str):
        for secret in secrets:
            value = value.replace(secret, REDACTED)
        return value
    if isinstance(value, list):
        return [_redact(each, secrets) for each in value]
    if isinstance(value, dict):
        return {_redact(key, secrets): _redact(each, secrets) for key, each in value.items()}
    return value

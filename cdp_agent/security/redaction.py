"""Taking texts out of data as they are: keys of ours, which no page writes otherwise. For secrets of pages see Mask."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

REDACTED = "***"


def redact(value: Any, secrets: Collection[str]) -> Any:
    """JSON data with *** in the place of each of these, the longest first."""
    return _redact(value, sorted(filter(None, secrets), key=len, reverse=True))


def _redact(value: Any, secrets: list[str]) -> Any:
    if isinstance(value, str):
        for secret in secrets:
            value = value.replace(secret, REDACTED)
        return value
    if isinstance(value, list):
        return [_redact(each, secrets) for each in value]
    if isinstance(value, dict):
        return {_redact(key, secrets): _redact(each, secrets) for key, each in value.items()}
    return value

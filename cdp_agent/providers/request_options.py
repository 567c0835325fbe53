"""The options of requests: time limits, retries, and the model's parameters."""

from __future__ import annotations

from typing import Literal, get_args

import msgspec

from cdp_agent.errors import SetupError
from cdp_agent.providers.base import ReasoningEffort


class Patience(msgspec.Struct, frozen=True, kw_only=True):
    """Time limits and retries; times in seconds.

    `connect_s` is for making a connection; `first_byte_s` from then on until the answer begins, which includes the time
    in which a slow machine reads the whole request; `between_chunks_s` for each further piece of the answer. At most
    `attempts` are made; the pause after the first one is `first_pause_s`, then twice as long each time, up to
    `longest_pause_s`. A pause that the provider asks for is kept, up to `longest_retry_after_s`. A provider that is
    overloaded, or limits the rate, is asked more often, until the pauses add up to `overload_s`.
    """

    connect_s: float = 10
    first_byte_s: float = 180
    between_chunks_s: float = 90
    attempts: int = 3
    first_pause_s: float = 1
    longest_pause_s: float = 10
    longest_retry_after_s: float = 60
    overload_s: float = 300

    def __post_init__(self) -> None:
        for name in ("connect_s", "first_byte_s", "between_chunks_s"):
            if getattr(self, name) <= 0:
                raise SetupError(f"{name} is more than 0, not {getattr(self, name)}.")
        for name in ("first_pause_s", "longest_pause_s", "longest_retry_after_s", "overload_s"):
            if getattr(self, name) < 0:
                raise SetupError(f"{name} is at least 0, not {getattr(self, name)}.")
        if self.attempts < 1:
            raise SetupError(f"attempts is at least 1, not {self.attempts}.")

    def pause_s(self, attempt: int, jitter: float) -> float:
        """The pause after this attempt (from 1) if the provider names none; `jitter` is from 0 to 1."""
        return min(self.first_pause_s * 2.0 ** (attempt - 1) * (1 + jitter), self.longest_pause_s)

    def overload_pause_s(self, attempt: int, jitter: float) -> float:
        """The pause for an overloaded provider, spread more widely, so that clients come back at different times."""
        return min(self.first_pause_s * 2.0 ** (attempt - 1), self.overload_s / 10) * (0.5 + jitter)


class RequestOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The model's parameters for all requests: defaults for what a request leaves open.

    `constrained`: True for a model without tool calling, whose calls are JSON that its server enforces; False: never;
    "auto": as soon as the server reports that the model has no tools, or the model never calls one though it must.
    """

    patience: Patience = Patience()
    reasoning_effort: ReasoningEffort | None = None
    max_output_tokens: int | None = None
    constrained: Literal["auto"] | bool = "auto"

    def __post_init__(self) -> None:
        if self.reasoning_effort not in (None, *get_args(ReasoningEffort)):
            options = ", ".join(get_args(ReasoningEffort))
            raise SetupError(f"reasoning_effort is one of {options}, not {self.reasoning_effort!r}.")
        if self.max_output_tokens is not None and self.max_output_tokens < 1:
            raise SetupError(f"max_output_tokens is at least 1, not {self.max_output_tokens}.")
        if self.constrained not in ("auto", True, False):
            raise SetupError(f'constrained is "auto", True or False, not {self.constrained!r}.')

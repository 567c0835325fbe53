"""https://chromedevtools.github.io/devtools-protocol/tot/Fetch/"""

from __future__ import annotations

from typing import Literal

from .network import SentRequest
from .types import Command, Empty, Event, Part, Result


class PausedRequest(SentRequest, frozen=True):
    """A request with its body: `post_data` is None where Chrome does not give it, as for files."""

    headers: dict[str, str] = {}
    post_data: str | None = None
    has_post_data: bool = False


class RequestPattern(Part, frozen=True):
    """`*` stands for any characters. A field that is left out matches everything."""

    url_pattern: str | None = None
    resource_type: str | None = None


class HeaderEntry(Part, frozen=True):
    name: str
    value: str


class AuthChallenge(Result, frozen=True):
    origin: str
    source: str | None = None


class AuthChallengeResponse(Part, frozen=True):
    response: Literal["Default", "CancelAuth", "ProvideCredentials"]
    username: str | None = None
    password: str | None = None


class Enable(Command[Empty], frozen=True):
    patterns: list[RequestPattern] | None = None
    handle_auth_requests: bool | None = None


class Disable(Command[Empty], frozen=True): ...


class ContinueRequest(Command[Empty], frozen=True):
    request_id: str


class FulfillRequest(Command[Empty], frozen=True):
    """Answers in place of the server, without a body."""

    request_id: str
    response_code: int
    response_headers: list[HeaderEntry] | None = None


class FailRequest(Command[Empty], frozen=True):
    request_id: str
    error_reason: Literal["Aborted", "BlockedByClient"]


class ContinueWithAuth(Command[Empty], frozen=True):
    request_id: str
    auth_challenge_response: AuthChallengeResponse


class RequestPaused(Event, frozen=True):
    request_id: str
    request: PausedRequest
    frame_id: str
    resource_type: str
    network_id: str = ""
    """The request's id in the domain Network; "" for a request that a document sends while it is unloaded."""


class AuthRequired(Event, frozen=True):
    request_id: str
    auth_challenge: AuthChallenge

"""The response to a request that cannot be carried out: {"error": {"type", "message"}}."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import TypeVar

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from cdp_agent.tools.base import shorten_middle
from cdp_agent.tools.validation_errors import readable

T = TypeVar("T")


class ErrorInfo(msgspec.Struct, frozen=True):
    """`type` names the kind of error, `message` states what to do about it."""

    type: str
    message: str


class ErrorAnswer(msgspec.Struct, frozen=True):
    """The body of every error response."""

    error: ErrorInfo


class HttpProblem(Exception):
    """Ends a request with an error response of this status."""

    def __init__(self, status: HTTPStatus, kind: str, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.kind = kind
        self.headers = headers

    @property
    def info(self) -> ErrorInfo:
        return ErrorInfo(self.kind, str(self))


def bad_request(message: str, kind: str = "InvalidArguments") -> HttpProblem:
    return HttpProblem(HTTPStatus.BAD_REQUEST, kind, message)


def not_found(what: str) -> HttpProblem:
    return HttpProblem(HTTPStatus.NOT_FOUND, "NotFound", what)


def too_many(message: str, retry_after_s: int) -> HttpProblem:
    """The problem of too many requests; the caller may try again after `retry_after_s`."""
    return HttpProblem(HTTPStatus.TOO_MANY_REQUESTS, "TooManyRequests", message, {"Retry-After": str(retry_after_s)})


def conflict(message: str, kind: str = "Conflict") -> HttpProblem:
    return HttpProblem(HTTPStatus.CONFLICT, kind, message)


def no_model(message: str) -> HttpProblem:
    return HttpProblem(HTTPStatus.SERVICE_UNAVAILABLE, "NoModel", message)


def json_response(
    value: object, status: HTTPStatus = HTTPStatus.OK, headers: Mapping[str, str] | None = None
) -> Response:
    return Response(msgspec.json.encode(value), int(status), headers, media_type="application/json")


async def problem_response(request: Request, error: Exception) -> Response:
    """The response to a request that ended with an `HttpProblem`."""
    assert isinstance(error, HttpProblem)  # the handler is registered for that class
    return json_response(ErrorAnswer(error.info), error.status, error.headers)


def decoded(body: bytes, kind: type[T]) -> T:
    """The body of a request, decoded as `kind`. Raises HttpProblem, which states what is wrong with it."""
    try:
        return msgspec.json.decode(body or b"{}", type=kind)
    except msgspec.ValidationError as error:
        raise bad_request(_what_is_wrong(error, body, kind)) from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise bad_request(f"The body is not JSON: {error}.", "InvalidJson") from error


def _what_is_wrong(error: msgspec.ValidationError, body: bytes, kind: type[T]) -> str:
    """Where the body is wrong, what is wrong, and what is allowed there instead."""
    problem = str(error)
    if not problem.startswith("Object ") and " - at `" not in problem:
        return f"The body has to be a JSON object: {problem[0].lower()}{problem[1:]}."
    if (key := _key_of_misfit(problem, body, kind)) is not None:
        problem = problem.replace("[...]", f".{key}", 1)
    return shorten_middle(f"{readable(problem, msgspec.json.schema(kind))}.")


def _key_of_misfit(problem: str, body: bytes, kind: type[T]) -> str | None:
    """The key of the invalid value, in an object with arbitrary keys, for which msgspec only reports `[...]`."""
    place, found, _ = problem.partition(" - at `$.")[2].partition("[...]")
    if not found or "[" in place:
        return None
    whole = msgspec.json.decode(body)
    holder = whole
    *before, last = place.split(".")
    for step in before:
        holder = holder[step]
    for key, value in holder[last].items():
        holder[last] = {key: value}
        try:
            msgspec.convert(whole, kind)
        except msgspec.ValidationError:
            return str(key)
    return None

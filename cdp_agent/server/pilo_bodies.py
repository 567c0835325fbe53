"""What clients of Pilo's server send, and how they are told of an error."""

from __future__ import annotations

from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any

import msgspec

from cdp_agent.server.problems import HttpProblem


class PiloBody(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What Pilo's server takes. Which browser it is, and how that is shown and logged, is the server's own affair."""

    task: str | None = None
    url: str | None = None
    data: Any = None
    guardrails: str | None = None
    provider: str | None = None
    model: str | None = None
    openai_api_key: str | None = None
    openrouter_api_key: str | None = None
    google_api_key: str | None = None
    ollama_base_url: str | None = None
    openai_compatible_base_url: str | None = None
    vision: bool | None = None
    block_resources: list[str] | None = None
    max_iterations: int | None = None
    max_validation_attempts: int | None = None
    search_provider: str | None = None
    include_screenshot_images: bool = False
    executable_path: Any = None
    pw_endpoint: Any = None
    pw_cdp_endpoint: Any = None
    pw_cdp_endpoints: Any = None
    proxy: Any = None
    upload_allowed_paths: Any = None


class PiloError(msgspec.Struct, frozen=True, kw_only=True, rename={"kind": "class", "task_id": "taskId"}):
    """What went wrong; `code` is for programs, `timestamp` ISO 8601."""

    message: str
    code: str
    timestamp: str
    kind: str = "Error"
    reason: str = "INVALID_REQUEST"
    recoverable: bool = False
    phase: str = "setup"
    task_id: str | None = None


class PiloErrorAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """Pilo's envelope of an error."""

    success: bool = False
    error: PiloError


def envelope(code: str, message: str, reason: str, phase: str, task_id: str | None) -> PiloErrorAnswer:
    """What went wrong, as of now."""
    now = datetime.now(UTC).isoformat()
    return PiloErrorAnswer(
        error=PiloError(message=message, code=code, timestamp=now, reason=reason, phase=phase, task_id=task_id)
    )


def code_of(problem: HttpProblem) -> str:
    """Pilo's code of it."""
    if problem.kind.isupper():
        return problem.kind
    match problem.status:
        case HTTPStatus.TOO_MANY_REQUESTS:
            return "TOO_MANY_TASKS"
        case HTTPStatus.FORBIDDEN:
            return "NOT_ALLOWED"
        case HTTPStatus.SERVICE_UNAVAILABLE if problem.kind == "NoModel":
            return "MISSING_API_KEY"
        case HTTPStatus.SERVICE_UNAVAILABLE:
            return "TASK_SETUP_FAILED"
        case _:
            return "INVALID_REQUEST"

"""The bodies, events and errors of Pilo's protocol, with its names and fields, and times in milliseconds."""

from __future__ import annotations

from base64 import b64encode
from collections import Counter
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any

import msgspec

from cdp_agent import events
from cdp_agent.decisions import FormField, FormRequested, QuestionAsked
from cdp_agent.outcome import AgentResult, Stats
from cdp_agent.server.problems import HttpProblem
from cdp_agent.step_events import ApprovalAsked

_CODES = {
    "aborted": "TASK_ABORTED",
    "max_steps": "MAX_ITERATIONS",
    "max_errors": "MAX_ERRORS",
}
_OUTCOMES = {"passed": "accepted", "verified": "accepted", "unconfirmed": "force-accepted", "forced": "force-accepted"}
FORM_REQUEST, FORM_ERROR = "interactive:form_data:request", "interactive:form_data:error"
ANSWER = "answer"
"""The only field of the form that is sent for a question, since Pilo knows only forms."""
PiloEvent = tuple[str, dict[str, Any]]


class PiloEvents:
    """Translates the events of one run, in order."""

    def __init__(self, task_id: str, *, images: bool) -> None:
        """`images`: events of screenshots include the images themselves."""
        self._task_id = task_id
        self._images = images
        self._counts: Counter[str] = Counter()
        self._model_errors = 0
        self._asked: FormRequested | None = None

    def translate(self, event: events.Event) -> list[PiloEvent]:
        """The events that Pilo sends for this event; none for the setup of a task, and for replies of models."""
        if isinstance(event, events.AiGenerationError):
            self._model_errors += 1
        common = {"timestamp": round(event.timestamp * 1000), "iterationId": f"{self._task_id}-{event.step}"}
        translated = [(name, {**fields, **common}) for name, fields in self._fields(event)]
        self._counts.update(name for name, _ in translated)
        return translated

    def _fields(self, event: events.Event) -> list[PiloEvent]:
        match event:
            case events.TaskSetup() | events.AiGeneration() | events.AiGenerationError():
                return []
            case events.AgentAction():
                about = _action(event)
                return [("agent:action", about), ("browser:action_started", about)]
            case events.BrowserScreenshot():
                captured = ("browser:screenshot_captured", {"size": event.size, "format": event.format})
                if event.image is None or not self._images:
                    return [captured]
                picture = {"image": b64encode(event.image).decode(), "mediaType": f"image/{event.format}"}
                return [captured, ("browser:screenshot_captured_image", picture)]
            case ApprovalAsked(ask=QuestionAsked() as ask):
                field = FormField(ref=ANSWER, label=ask.question, required=True, options=ask.options)
                return [(FORM_REQUEST, _form(FormRequested(id=ask.id, description=ask.question, fields=[field])))]
            case ApprovalAsked(ask=FormRequested() as ask):
                self._asked = ask
                return [] if ask.reason == "validation_error" else [(FORM_REQUEST, _form(ask))]
            case events.FormDataRequested():
                return []  # it was reported with the question
            case events.FormDataError() if self._asked is not None:
                errors = {field.ref: field.error for field in event.fields}
                return [(FORM_ERROR, {**_form(self._asked), "fieldErrors": errors})]
            case events.TaskMetrics() | events.TaskMetricsIncremental():
                return [(_tag(event), self._metrics(event.stats))]
            case events.AgentObserved():
                shown = len(event.snapshot) or sum(map(len, event.changed))
                return [("system:debug_compression", _compression(event.page_chars, shown))]
            case events.HistoryShrunk():
                return [("system:debug_history_size", _camel(event))]
            case _:
                return [(_tag(event), _plain_fields(event))]

    def _metrics(self, stats: Stats) -> dict[str, Any]:
        return {
            "eventCounts": dict(self._counts),
            "stepCount": stats.steps,
            "aiGenerationCount": stats.generations,
            "aiGenerationErrorCount": self._model_errors,
            "totalInputTokens": stats.input_tokens,
            "totalOutputTokens": stats.output_tokens,
        }


def _form(ask: FormRequested) -> dict[str, Any]:
    fields = [
        {
            "ref": field.ref,
            "label": field.label,
            "fieldType": field.field_type,
            "required": field.required,
            "options": field.options or None,
            "currentValue": field.current_value or None,
            "description": field.error or field.description or None,
        }
        for field in ask.fields
    ]
    return {
        "requestId": str(ask.id),
        "pageUrl": ask.url,
        "pageTitle": "",
        "formDescription": ask.description,
        "fields": [{name: value for name, value in field.items() if value is not None} for field in fields],
    }


def pilo_result(result: AgentResult, task_id: str) -> dict[str, Any]:
    """The result as Pilo's `execute` returns it."""
    stats = result.stats
    began = round(stats.started * 1000)
    data: dict[str, Any] = {
        "success": result.success,
        "finalAnswer": _final_answer(result),
        "stats": {
            "iterations": stats.steps,
            "actions": stats.actions,
            "startTime": began,
            "endTime": began + round(stats.duration_s * 1000),
            "durationMs": round(stats.duration_s * 1000),
        },
        "taskId": task_id,
    }
    if result.validation is not None:
        data["validationOutcome"] = _OUTCOMES[result.validation]
    if result.error is not None:
        data["error"] = {"code": _CODES.get(result.error.code, "TASK_FAILED"), "message": result.error.message}
    return data


def _plain_fields(event: events.Event) -> dict[str, Any]:
    match event:
        case events.TaskStarted():
            return {**_camel(event), "url": event.url or ""}
        case events.TaskCompleted():
            return {"finalAnswer": _final_answer(event.result), "success": event.result.success}
        case events.TaskAborted():
            return {"reason": event.reason, "finalAnswer": event.reason}
        case events.TaskValidated():
            return {
                "observation": event.assessment,
                "completionQuality": event.quality,
                "finalAnswer": _as_text(event.answer),
            }
        case events.TaskValidationError():
            return {"errors": [event.feedback], "retryCount": event.attempt, "rawResponse": None}
        case events.AgentStep():
            return {"currentIteration": event.step}
        case events.AgentExtracted():
            return {"extractedData": event.data}
        case events.BrowserActionCompleted(success=True):
            return {"success": True, "action": event.action}
        case events.BrowserActionCompleted():
            return {"success": False, "action": event.action, "error": event.text, "isRecoverable": True}
        case events.EndpointCycle():
            return {"attempt": event.endpoint_index + 1, "total": event.total, "error": event.error}
        case events.BrowserReconnected():
            return {"startingUrl": event.url}
        case _:
            return _camel(event)


def _action(event: events.AgentAction) -> dict[str, Any]:
    """The data of Pilo's event: the ref, and one other argument as text."""
    rest = [value for name, value in event.arguments.items() if name != "ref" and value not in (None, False)]
    data: dict[str, Any] = {"action": event.action}
    if "ref" in event.arguments:
        data["ref"] = event.arguments["ref"]
    if rest:
        data["value"] = _as_text(rest[0])
    return data


def _compression(whole: int, shown: int) -> dict[str, Any]:
    percent = round(100 * (1 - shown / whole)) if whole else 0
    return {"originalSize": whole, "compressedSize": shown, "compressionPercent": percent}


def _final_answer(result: AgentResult) -> str | None:
    """The answer, or, as in Pilo, the error message if there is none."""
    if result.answer is not None:
        return _as_text(result.answer)
    return None if result.error is None else result.error.message


def _as_text(value: object) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _camel(event: events.Event) -> dict[str, Any]:
    """The event's own fields, with names in camel case."""
    fields: dict[str, Any] = msgspec.to_builtins(event)
    own = {name: value for name, value in fields.items() if name not in ("type", "timestamp", "step")}
    return {_renamed(name): _items_renamed(value) for name, value in own.items()}


def _items_renamed(value: object) -> object:
    """The value with names in camel case in lists of structs, such as the fields of a form."""
    if not isinstance(value, list):
        return value
    return [{_renamed(name): each for name, each in item.items()} if isinstance(item, dict) else item for item in value]


def _renamed(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(map(str.capitalize, rest))


def _tag(event: events.Event) -> str:
    return str(event.__struct_config__.tag)


class PiloBody(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The body of a request to Pilo's server, without the fields on the kind of browser, its window and logging."""

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
    max_iterations: float | None = None  # a JavaScript client may write 5.0
    max_validation_attempts: float | None = None
    search_provider: str | None = None
    include_screenshot_images: bool | None = None
    executable_path: Any = None
    pw_endpoint: Any = None
    pw_cdp_endpoint: Any = None
    pw_cdp_endpoints: Any = None
    proxy: Any = None
    upload_allowed_paths: Any = None


class PiloError(msgspec.Struct, frozen=True, kw_only=True, rename={"kind": "class", "task_id": "taskId"}):
    """An error; `code` is for programs, `timestamp` in ISO 8601."""

    message: str
    code: str
    timestamp: str
    kind: str = "Error"
    reason: str = "INVALID_REQUEST"
    recoverable: bool = False
    phase: str = "setup"
    task_id: str | None = None


class PiloErrorAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """Pilo's envelope for an error."""

    success: bool = False
    error: PiloError


def envelope(code: str, message: str, reason: str, phase: str, task_id: str | None) -> PiloErrorAnswer:
    """An error with the present time, in Pilo's envelope."""
    now = datetime.now(UTC).isoformat()
    return PiloErrorAnswer(
        error=PiloError(message=message, code=code, timestamp=now, reason=reason, phase=phase, task_id=task_id)
    )


def code_of(problem: HttpProblem) -> str:
    """Pilo's code for the problem."""
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

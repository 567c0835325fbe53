"""The bodies of requests and responses as structs, from which the OpenAPI document is made."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from cdp_agent.config.values import PLACE, VIEWPORT
from cdp_agent.decisions import Ask, FieldValue
from cdp_agent.outcome import AgentResult
from cdp_agent.page.policy.rules import ResourceType
from cdp_agent.page.tab.dialog_policy import DialogKind, Handling
from cdp_agent.page.tab.settings import ColorScheme
from cdp_agent.security.secrets import NAME, SHORTEST, Fields
from cdp_agent.session.calls import ToolError

_Natural = Annotated[int, Meta(ge=1)]
_Amount = Annotated[float, Meta(gt=0)]
_Viewport = Annotated[str, Meta(pattern=VIEWPORT)]
_Place = Annotated[str, Meta(pattern=PLACE)]
_SECRET_NAMES = {"propertyNames": {"pattern": f"^{NAME}$"}}
"""For the document alone, like the length of a secret: Secrets says more when it refuses one."""


class _Body(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Base of the bodies of requests. An unknown field is an error, since it would be ignored otherwise."""


class PageSettingsAsked(_Body, frozen=True, kw_only=True):
    """Settings for pages; see the settings of the same names. None: the value of the server."""

    viewport: Annotated[_Viewport | None, Meta(description="WIDTHxHEIGHT, such as 1280x800.")] = None
    user_agent: str | None = None
    locale: Annotated[str | None, Meta(description="Such as de-DE.")] = None
    timezone: Annotated[str | None, Meta(description="Such as Europe/Berlin.")] = None
    geolocation: Annotated[_Place | None, Meta(description="LATITUDE,LONGITUDE.")] = None
    color_scheme: ColorScheme | None = None
    dialogs: Annotated[
        dict[DialogKind, Handling] | Handling | None,
        Meta(description="How dialogs are answered, all or by kind; ask leaves them open for the tool `dialog`."),
    ] = None
    extra_headers: Annotated[dict[str, str] | None, Meta(description="Sent with every request of the pages.")] = None
    allow: Annotated[tuple[str, ...] | None, Meta(description="Origins that pages may load from.")] = None
    deny: Annotated[tuple[str, ...] | None, Meta(description="Origins that pages may not load from.")] = None
    block: Annotated[tuple[ResourceType, ...] | None, Meta(description="Kinds of resources that are not loaded.")] = (
        None
    )


class LimitsAsked(_Body, frozen=True, kw_only=True):
    """The limits of the run; a lower limit of the server takes precedence."""

    max_steps: _Natural | None = None
    max_errors: _Natural | None = None
    max_validations: _Natural | None = None
    max_tokens_total: _Natural | None = None
    max_cost: Annotated[_Amount | None, Meta(description="US dollars.")] = None
    max_seconds: _Amount | None = None


class SecretAsked(_Body, frozen=True, kw_only=True):
    """A value that the model can have filled in, but never sees."""

    value: Annotated[str, Meta(extra_json_schema={"minLength": SHORTEST})]
    origins: Annotated[
        tuple[str, ...], Meta(description="Origins that may receive it; by default, that of `url`.")
    ] = ()
    purpose: str = ""
    fields: Annotated[Fields, Meta(description="hidden: only for fields that hide their text, such as passwords.")] = (
        "any"
    )


EngineAsked = Literal["none", "duckduckgo", "google", "bing"]
"""The search engines that cost the operator of the server nothing."""


class RunRequest(_Body, frozen=True, kw_only=True):
    """The run to begin: a task for a model, or steps in plain English."""

    task: Annotated[str | None, Meta(description="The task, in plain English.")] = None
    steps: Annotated[tuple[str, ...], Meta(description="Instead of a task: one action per step, in order.")] = ()
    url: Annotated[str | None, Meta(description="The page to start on.")] = None
    data: Annotated[Any, Meta(description="Data for the model, such as names to fill in.")] = None
    answer: Annotated[Any, Meta(description="The JSON Schema of the answer.")] = None
    guardrails: Annotated[str | None, Meta(description="Rules that the model must follow.")] = None
    secrets: Annotated[
        dict[str, SecretAsked],
        Meta(description="Secrets by the names that the model knows.", extra_json_schema=_SECRET_NAMES),
    ] = {}
    page: PageSettingsAsked = PageSettingsAsked()
    limits: LimitsAsked = LimitsAsked()
    search: Annotated[
        EngineAsked | None,
        Meta(description="The search engine for the model, instead of the server's."),
    ] = None
    vision: Annotated[bool | None, Meta(description="Also show the model pictures of the page.")] = None
    images: Annotated[bool, Meta(description="Include these pictures in the events.")] = False
    interactive: Annotated[
        bool,
        Meta(
            description="A person is available: risky actions are asked about, the model may ask the user, and the run "
            "can be paused."
        ),
    ] = False
    approve: Annotated[
        Literal["ask", "auto"] | None,
        Meta(description="Ask about each plan or step, or only about risky actions; a model alone: only about these."),
    ] = None
    approval_rules: Annotated[
        tuple[str, ...], Meta(description='Rules for actions without asking, or never: "allow risk=submits origin=…".')
    ] = ()
    approval_timeout_s: Annotated[
        _Amount | None, Meta(description="Without a decision within this time, the run stops.")
    ] = None
    on_disconnect: Annotated[
        Literal["continue", "stop"],
        Meta(description="What happens when nobody reads the events any more."),
    ] = "continue"
    webhook: Annotated[str | None, Meta(description="The address that the result is sent to.")] = None
    model: Annotated[str | None, Meta(description="provider/name, if the server lets callers choose.")] = None
    base_url: Annotated[
        str | None, Meta(description="The address of the model's server, if callers may bring their own.")
    ] = None
    api_key: Annotated[str | None, Meta(description="The key of the model, if callers may bring their own.")] = None


class RunAccepted(msgspec.Struct, frozen=True):
    """The run has begun; its events are at `events`."""

    id: str
    events: str


RunStatus = Literal["running", "pausing", "waiting", "succeeded", "failed", "stopped"]


class RunInfo(msgspec.Struct, frozen=True, kw_only=True):
    """The state of a run. `waiting`: it waits for a decision about `ask`, which may be one of `decisions`.

    `pausing`: it was asked to pause, and will do so after its current turn or step.

    `events` is the number of events so far. `result` is set when the run has ended. Times are in Unix seconds.
    """

    id: str
    status: RunStatus
    task: str
    url: str | None
    began: float
    ended: float | None
    events: int
    ask: Ask | None
    decisions: list[str]
    result: AgentResult | None


class RunList(msgspec.Struct, frozen=True):
    """The runs that the server knows of, the oldest first."""

    runs: list[RunInfo]


class DecisionBody(msgspec.Struct, frozen=True, kw_only=True):
    """A decision about the question `id`; the other fields depend on `decision`, see decisions.py."""

    id: int
    decision: Literal[
        "approve",
        "reject",
        "edit",
        "execute",
        "skip",
        "reword",
        "retry",
        "answer",
        "fill",
        "decline",
        "continue",
        "stop",
    ]
    correction: str | msgspec.UnsetType = msgspec.UNSET
    steps: list[str] | msgspec.UnsetType = msgspec.UNSET
    step: str | msgspec.UnsetType = msgspec.UNSET
    text: str | msgspec.UnsetType = msgspec.UNSET
    values: dict[str, FieldValue] | msgspec.UnsetType = msgspec.UNSET
    why: str | msgspec.UnsetType = msgspec.UNSET
    for_site: bool | msgspec.UnsetType = msgspec.UNSET


class AnswerBody(_Body, frozen=True, kw_only=True):
    """The user's answer: `text` to a question, or `values` by ref to a form. With neither, the user declines."""

    id: int
    text: str | None = None
    values: dict[str, FieldValue] | None = None

    @property
    def decision(self) -> dict[str, Any]:
        """The answer as a decision, as JSON data."""
        if self.values is not None:
            return {"decision": "fill", "values": self.values}
        return {"decision": "decline"} if self.text is None else {"decision": "answer", "text": self.text}


class ResumeBody(_Body, frozen=True, kw_only=True):
    """Resumes a paused run: `text` is a message from the user to its model."""

    text: str = ""


class SessionRequest(_Body, frozen=True, kw_only=True):
    """The session to open."""

    url: Annotated[str | None, Meta(description="The page to open first.")] = None
    page: PageSettingsAsked = PageSettingsAsked()
    secrets: Annotated[
        dict[str, SecretAsked],
        Meta(description="The values of placeholders in calls, by name.", extra_json_schema=_SECRET_NAMES),
    ] = {}
    allow_evaluate: Annotated[
        bool, Meta(description="Scripts also in a session with secrets, which they can read; of the server's own: no.")
    ] = False


class SessionState(msgspec.Struct, frozen=True):
    """A session: its tools are called at `tools`/NAME; it is closed after `ends_after_s` without a call."""

    id: str
    tools: str
    url: str | None
    tabs: int
    ends_after_s: float


class ToolAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a call: `text` is for a model to read, `value` the same as data, `images` are PNG in base64.

    `error` is None if the call succeeded. It does not affect the HTTP status, since it is an error of the tool or page.
    """

    text: str
    value: Any
    images: list[str]
    error: ToolError | None
    duration_ms: float


class Health(msgspec.Struct, frozen=True):
    """`timestamp` is in ISO 8601; the numbers are those of open runs and sessions, and the most allowed."""

    status: Literal["ok", "draining"]
    timestamp: str
    runs: int
    max_runs: int
    sessions: int
    max_sessions: int

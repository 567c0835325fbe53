"""The questions that a run asks, and the decisions that answer them: the same for every interface, in JSON and in
Python.

A question has its kind in `type`, a decision its kind in `decision`: {"decision": "reword", "step": "Click Save"}.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Literal

import msgspec

from cdp_agent.page.policy.holding import Held
from cdp_agent.security.quoting import LONGEST_TEXT, quote, shown_address, visible
from cdp_agent.security.texts import with_texts

LONGEST_ASKED = 2_000
"""How much is shown of what a model says in a question, in characters."""
_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")


class PlanProposed(msgspec.Struct, frozen=True, kw_only=True, tag="plan"):
    """The steps of a plan, to be approved, rejected with a correction, or edited."""

    id: int
    steps: list[str]
    message: str = ""


class ActionProposed(msgspec.Struct, frozen=True, kw_only=True, tag="action"):
    """A proposed action: `about` is its element, `risks` are the reasons for asking.

    With `held`, the action was done in the page, and `held` is its effect, which waits: an unsent request, a download
    or a dialog. `Execute` releases the effect; `Skip` discards it, and the run goes on without it.

    `question` says all of this in our words; words of the page are in quotes there, see security/quoting.py.
    """

    id: int
    number: int
    step: str
    tool: str
    arguments: dict[str, Any]
    about: str = ""
    risks: list[str] = []
    held: Held | None = None
    question: str = ""


class QuestionAsked(msgspec.Struct, frozen=True, kw_only=True, tag="question"):
    """A question that only the user can answer. `options` are likely answers; any other may be given."""

    id: int
    question: str
    options: list[str] = []


FieldValue = str | bool | int | float | list[str]
"""The value of a field: text, or the text of an option; true or false for a checkbox; a list for several options."""


class FormField(msgspec.Struct, frozen=True, kw_only=True):
    """A field of a page that the user is to fill in.

    `label` and `description` are the model's words, `name` is the field's name in the page, `field_type` its type:
    text, password, email, number, date, select, multiselect, checkbox, radio, textarea and so on; `options` are the
    texts to choose from. `current_value` is "" if the value must not be shown. `error` is why the previous value was
    refused, in the page's words, without that value.
    """

    ref: str
    label: str
    field_type: str = "text"
    required: bool = False
    options: list[str] = []
    current_value: str = ""
    description: str = ""
    name: str = ""
    error: str = ""


class FormRequested(msgspec.Struct, frozen=True, kw_only=True, tag="form"):
    """Fields that the user is to fill in. The values go into the page, and to no model.

    `reason` is "validation_error" where the values given before were not accepted. `url` is the page; `origins` are all
    origins that can get the values: those of the frames around the fields, and of the address that their form is sent
    to.
    """

    id: int
    description: str
    fields: list[FormField]
    reason: Literal["initial", "validation_error"] = "initial"
    url: str = ""
    origins: list[str] = []


class Paused(msgspec.Struct, frozen=True, kw_only=True, tag="paused"):
    """The run is paused, as requested, so that the user can act in its page; `tab` is the tab's id, such as "t2"."""

    id: int
    url: str
    title: str = ""
    tab: str = ""


class StepFailed(msgspec.Struct, frozen=True, kw_only=True, tag="failed"):
    """A step that could not be done; earlier ones stay done."""

    id: int
    number: int
    step: str
    error: str
    retries_left: int


class Approve(msgspec.Struct, frozen=True, tag_field="decision", tag="approve"):
    """Carries out the plan as it is. For an action it means `Execute`."""


class Reject(msgspec.Struct, frozen=True, tag_field="decision", tag="reject", forbid_unknown_fields=True):
    """Has another plan made from the same view of the page; `correction` says what was wrong."""

    correction: str


class Edit(msgspec.Struct, frozen=True, tag_field="decision", tag="edit", forbid_unknown_fields=True):
    """Carries out these steps instead: reordered, reworded, dropped or added."""

    steps: list[str]


class Execute(msgspec.Struct, frozen=True, tag_field="decision", tag="execute"):
    """Carries out the action. `for_site`: and, unasked, all with the same risks at the same site until the run ends.

    The site is the origin that an effect goes to; for an act, that of its page, or what it is known to open.
    """

    for_site: bool = False


class Skip(msgspec.Struct, frozen=True, tag_field="decision", tag="skip"):
    """Leaves out the action or the step; the run goes on."""


class Reword(msgspec.Struct, frozen=True, tag_field="decision", tag="reword", forbid_unknown_fields=True):
    """Carries out this step instead."""

    step: str


class Retry(msgspec.Struct, frozen=True, tag_field="decision", tag="retry"):
    """Tries the failed step again."""


class Respond(msgspec.Struct, frozen=True, tag_field="decision", tag="answer", forbid_unknown_fields=True):
    """The user's answer to a question."""

    text: str


class Fill(msgspec.Struct, frozen=True, tag_field="decision", tag="fill", forbid_unknown_fields=True):
    """Values for the fields of a form, by their refs. Fields that are left out stay as they are."""

    values: dict[str, FieldValue]

    def __repr__(self) -> str:
        return f"Fill({', '.join(self.values)})"


class Decline(msgspec.Struct, frozen=True, tag_field="decision", tag="decline"):
    """The user does not answer, or does not fill in the form. The run goes on, and its model is informed."""


class Continue(msgspec.Struct, frozen=True, tag_field="decision", tag="continue", forbid_unknown_fields=True):
    """Resumes the run. Its model is informed of how the page changed meanwhile, and of `text`, the user's message."""

    text: str = ""


class Stop(msgspec.Struct, frozen=True, tag_field="decision", tag="stop"):
    """Stops the run."""

    why: str = "It was stopped by the user."


Ask = PlanProposed | ActionProposed | QuestionAsked | FormRequested | Paused | StepFailed
Decision = Approve | Reject | Edit | Execute | Skip | Reword | Retry | Respond | Fill | Decline | Continue | Stop
UserAsk = QuestionAsked | FormRequested | Paused
"""Questions for the user, as opposed to those for an approver."""
UserAnswer = str | Mapping[str, FieldValue] | None
"""The text for a question, or the values by ref for a form; None if the user declines or has nothing to say."""
AskUser = Callable[[UserAsk], Awaitable[UserAnswer]]
_POSSIBLE: dict[type, tuple[type, ...]] = {
    PlanProposed: (Approve, Reject, Edit, Stop),
    ActionProposed: (Execute, Skip, Reword, Stop),
    QuestionAsked: (Respond, Decline, Stop),
    FormRequested: (Fill, Decline, Stop),
    Paused: (Continue, Stop),
    StepFailed: (Retry, Reword, Skip, Stop),
}


def proposed(
    *, id: int, number: int, step: str, tool: str, arguments: dict[str, Any], about: str, risks: list[str], opens: str
) -> ActionProposed:
    """The question about an act, in which nothing is hidden. In `about`, the words of the page are in quotes.

    `opens` is the address that the act opens, "" for none.
    """
    about = " to ".join(filter(None, (about, shown_address(opens))))
    ask = ActionProposed(
        id=id, number=number, step=visible(step), tool=tool, arguments=arguments, about=visible(about), risks=risks
    )
    return msgspec.structs.replace(ask, question=question_of(ask))


def with_effect(act: ActionProposed, held: Held) -> ActionProposed:
    """The question about an effect of the act, which is held; again, nothing is hidden in it."""
    texts = {name: visible(getattr(held, name)) for name in ("method", "body", "message")}
    texts |= {name: shown_address(getattr(held, name)) for name in ("url", "frame")}
    held = msgspec.structs.replace(held, **texts, fields=[visible(each) for each in held.fields])
    ask = msgspec.structs.replace(act, risks=[held.risk], held=held)
    return msgspec.structs.replace(ask, question=question_of(ask))


def with_nothing_hidden(ask: Ask) -> Ask:
    """The question with all of its texts in one line, cut to a length, and with nothing hidden, wherever it is shown.

    An `ActionProposed` was made so.
    """

    def change(text: str, name: str) -> str:
        return text if name in ("ref", "field_type", "current_value") else visible(text, LONGEST_ASKED)

    return ask if isinstance(ask, ActionProposed) else with_texts(ask, change)


def question_of(ask: ActionProposed) -> str:
    """The question in our words."""
    act = f"{ask.tool} {ask.about}".strip()
    if (held := ask.held) is None:
        why = f" It {' and '.join(ask.risks)}." if ask.risks else ""
        return f"Allow {f'{ask.tool}: {ask.about}' if ask.about else ask.tool}?{why}"
    more = f" and {held.more_fields} more" if held.more_fields else ""
    fields = f" Fields: {', '.join(map(quote, held.fields))}{more}." if held.fields else ""
    match held.what:
        case "request":
            body = f" Body: {held.body}." if held.body else ""
            method = held.method if held.method in _METHODS else quote(held.method)
            question = f"Send {method} {held.url}? It {held.risk}.{fields}{body}"
        case "message":
            question = f"Send {held.body} by the WebSocket {held.url}? It {held.risk}.{fields}"
        case "download":
            question = f"Download {quote(held.message)} from {held.url}?"
        case "beforeunload":
            question = f"Leave {held.url}, which asks whether to stay?"
        case kind:
            question = f"Say yes to the page's {kind} {quote(held.message, LONGEST_TEXT)}, at {held.url}?"
    whence = f" By the page {held.frame}." if held.frame and held.what in ("request", "message") else ""
    return f"{question}{whence} Last act: {act}."


def possible(ask: Ask) -> list[str]:
    """The names in JSON of the decisions that this question allows."""
    return [name_of(each) for each in kinds_of_decision(ask)]


def kinds_of_decision(ask: Ask) -> tuple[type, ...]:
    """The classes of the decisions that this question allows. An act that was already done cannot be reworded."""
    kinds = _POSSIBLE[type(ask)]
    return tuple(each for each in kinds if each is not Reword) if getattr(ask, "held", None) else kinds


def name_of(kind: type) -> str:
    """The name of a decision, or of a question, in JSON."""
    return str(kind.__struct_config__.tag)  # type: ignore[attr-defined]  # every kind is a tagged struct

"""Questions of a call as forms that a client shows to its user, in the two ways that the protocol has for that.

Up to revision 2025-11-25 the server sends the form in its own request while the call waits. From 2026-07-28 on the call
ends with the form, and the client repeats the call with the user's answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, Protocol

from mcp.server.context import ServerRequestContext
from mcp.types import (
    CallToolRequestParams,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    InputRequiredResult,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from cdp_agent.decisions import LONGEST_ASKED, ActionProposed, FormField, FormRequested, QuestionAsked
from cdp_agent.mcp.asking import ANSWER, FOR_SITE, UserQuestion
from cdp_agent.mcp.held import ANSWER_S
from cdp_agent.security.quoting import LONGEST_TEXT, quote, visible

_FOR_SITE = {"type": "boolean", "title": "All such at this site, as long as the session lasts", "default": False}


class _ElicitationCapability(Protocol):
    @property
    def form(self) -> object | None: ...
    @property
    def url(self) -> object | None: ...


class Elicitation:
    """The questions of one call to the client's user, and the answers."""

    def __init__(self, context: ServerRequestContext[object, object], params: CallToolRequestParams) -> None:
        self._context = context
        self.is_possible = can_show_forms(context)
        self.ends_call = context.protocol_version in MODERN_PROTOCOL_VERSIONS
        """Whether a question ends the call, instead of the call waiting for the answer."""
        self.answers: dict[str, dict[str, Any] | None] = {}
        for key, response in (params.input_responses or {}).items():
            if isinstance(response, ElicitResult):
                self.answers[key] = _values_in(response)

    async def ask(self, question: UserQuestion) -> None:
        """Asks the user, and adds the answer to the earlier ones."""
        form = form_of(question)
        try:
            async with asyncio.timeout(ANSWER_S):
                response = await self._context.session.elicit_form(
                    form.message, form.requested_schema, related_request_id=self._context.request_id
                )
        except TimeoutError:
            response = ElicitResult(action="cancel")
        self.answers[question.key] = _values_in(response)


def can_show_forms(context: ServerRequestContext[object, object]) -> bool:
    """Whether the client of this request can show forms."""
    capabilities = context.session.client_capabilities
    return shows_forms(None if capabilities is None else capabilities.elicitation)


def shows_forms(elicitation: _ElicitationCapability | None) -> bool:
    """Whether a client with this capability can show forms. It need not list "form" if it supports no other mode."""
    return elicitation is not None and (elicitation.form is not None or elicitation.url is None)


def input_required(question: UserQuestion) -> InputRequiredResult:
    """The result that ends a call with a form for the user."""
    return InputRequiredResult(input_requests={question.key: ElicitRequest(params=form_of(question))})


def form_of(question: UserQuestion) -> ElicitRequestFormParams:
    match question.ask:
        case ActionProposed() as ask:
            return _as_form(ask.question, {FOR_SITE: _FOR_SITE}, [])
        case QuestionAsked() as ask:
            field: dict[str, Any] = {"type": "string"}
            if ask.options:
                field["description"] = f"Such as: {', '.join(map(visible, ask.options))}"
            return _as_form(visible(ask.question, LONGEST_ASKED), {ANSWER: field}, [ANSWER])
        case FormRequested() as ask:
            fields = {each.ref: _property(each) for each in ask.fields}
            required = [each.ref for each in ask.fields if each.required]
            where = f" For {visible(', '.join(ask.origins))}." if ask.origins else ""
            return _as_form(f"{visible(ask.description, LONGEST_ASKED)}{where}", fields, required)


def _as_form(message: str, properties: Mapping[str, object], required: list[str]) -> ElicitRequestFormParams:
    schema = {"type": "object", "properties": properties, **({"required": required} if required else {})}
    return ElicitRequestFormParams(message=message, requested_schema=schema)


def _property(field: FormField) -> dict[str, Any]:
    """A field as a property of the restricted schema that the protocol allows in forms."""
    error = f"The page says: {quote(field.error, LONGEST_TEXT)}" if field.error else ""
    description = " ".join(filter(None, (visible(field.description), error)))
    schema: dict[str, Any] = {"title": visible(field.label), **({"description": description} if description else {})}
    match field.field_type:
        case "checkbox":
            return schema | {"type": "boolean"}
        case "multiselect":
            return schema | {"type": "array", "items": {"type": "string", "enum": field.options}}
        case "email" | "date" as kind:
            return schema | {"type": "string", "format": kind}
        case _ if field.options:
            return schema | {"type": "string", "enum": field.options}
        case _:
            return schema | {"type": "string"}


def _values_in(response: ElicitResult) -> dict[str, Any] | None:
    """The values that the user filled in, by field name; None if they declined."""
    return (response.content or {}) if response.action == "accept" else None

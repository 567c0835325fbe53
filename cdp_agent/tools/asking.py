"""Tools that ask the user. A model is offered them only where somebody is there to answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from cdp_agent.decisions import AskUser, FieldValue, FormField, FormRequested, QuestionAsked
from cdp_agent.errors import ActionError, InvalidArguments
from cdp_agent.page.fields import user_form
from cdp_agent.page.fields.user_form import UserField
from cdp_agent.security.quoting import visible
from cdp_agent.security.secrets import USER_DATA, Secrets
from cdp_agent.tools.base import Arguments, Context, Observation, Ref, tool

MOST_ASKED = 3
"""The most times that the user is asked for values, as long as the page refuses them."""
_UNMASKED_TYPES = (*user_form.BOXES, "radio")
"""Types of fields whose values are not masked: all labels are on the page, so masking one would reveal the choice."""
_NOBODY = "Nobody is there to be asked. Do without, or say what is missing."
_DECLINED = "The user does not answer. Do without, or say what is missing."
_NOT_FILLED = "The user does not want to fill this in. Do without, or say what is missing."


class AskUserArguments(Arguments, frozen=True):
    question: Annotated[str, Meta(min_length=1, description="One question, with what is needed to answer it.")]
    options: Annotated[list[str], Meta(description="Answers to choose from, where there are only so many.")] = []


class FieldAsked(Arguments, frozen=True):
    """One field as the model tells of it; what the page says of its type, options and value counts more."""

    ref: Ref
    label: Annotated[str, Meta(min_length=1, description="What the user is to give.")]
    field_type: str = "text"
    required: bool = False
    options: list[str] = []
    current_value: str = ""
    description: str = ""


class RequestUserDataArguments(Arguments, frozen=True):
    form_description: Annotated[str, Meta(min_length=1, description="What the form is for.")]
    fields: Annotated[list[FieldAsked], Meta(min_length=1, description="All that the user is to fill in.")]
    reason: Annotated[
        Literal["initial", "validation_error"], Meta(description="Whether the page refused what was given before.")
    ] = "initial"


# It is page_changing so that it ends a batch: the answer has to be read before going on.
@tool(read_only=True, page_changing=True, by_default=False, gives="the user's answer")
async def ask_user(args: AskUserArguments, context: Context) -> Observation:
    """Ask the user for what neither the task nor any page says: a choice, a code, a consent.

    Never ask for passwords, card data and the like that way.
    """
    if context.ask_user is None:
        raise ActionError(_NOBODY)
    answer = await context.ask_user(QuestionAsked(id=0, question=args.question, options=args.options))
    if answer is None:
        return Observation(_DECLINED, from_user=True)
    return Observation(f"The user answers: {answer}", from_user=True)


@tool(page_changing=True, by_default=False, effect="fill", gives="which fields the user filled in")
async def request_user_data(args: RequestUserDataArguments, context: Context) -> Observation:
    """Let the user fill in what only they know: names, passwords, card data.

    Name all fields of a form at once. You are told which were filled in, and never with what; then go on yourself, for
    example by submitting the form.
    """
    if context.ask_user is None:
        raise ActionError(_NOBODY)
    form = await _Form.read(args, context)
    return await form.fill_in(context.ask_user)


def withhold(secrets: Secrets, values: Mapping[str, FieldValue], types: Mapping[str, str]) -> None:
    """Masks the user's values from now on; `types` are the types of the fields by ref, as in `FormField`."""
    for ref, value in values.items():
        if types.get(ref) not in _UNMASKED_TYPES:
            for text in value if isinstance(value, list) else [value]:
                secrets.withhold(str(text))


class FormFilled(msgspec.Struct, frozen=True):
    """The refs of the fields that the user filled in, that were left as they were, and that could not be filled in."""

    filled: list[str]
    left: list[str]
    refused: list[str]


class _Form:
    """The fields that the user is asked for, and the results so far."""

    def __init__(self, args: RequestUserDataArguments, context: Context, fields: dict[str, UserField]) -> None:
        self._args = args
        self._tab = context.tab
        self._secrets: Secrets = context.secrets
        self._fields = fields
        self._wanted = {each.ref: each for each in args.fields}
        self._filled: list[str] = []
        self._taken: set[str] = set()
        """Those whose value the page took, and emptied them."""
        self._failed: dict[str, str] = {}
        """Errors that are not about the user's value, by ref, for the model."""

    @staticmethod
    async def read(args: RequestUserDataArguments, context: Context) -> _Form:
        """Reads the fields from the page. Raises ActionError, which names those that the user cannot fill in."""
        fields, problems = {}, []
        for wanted in args.fields:
            try:
                field = await user_form.read_field(context.tab, wanted.ref)
            except ActionError as error:
                problems.append(str(error))
                continue
            fields[wanted.ref] = field
            if field.problem:
                problems.append(f"{wanted.ref} {field.problem}.")
        if problems:
            raise ActionError(f"The user was not asked. {' '.join(problems)}")
        return _Form(args, context, fields)

    async def fill_in(self, ask_user: AskUser) -> Observation:
        """Asks the user, fills the values in, and asks again for those that the page refuses."""
        reason, errors = (
            self._args.reason,
            {ref: self._secrets.mask(each.validation_message) for ref, each in self._fields.items()},
        )
        refused: dict[str, str] = {}
        for _ in range(MOST_ASKED):
            answer = await ask_user(self._request(reason, errors))
            if answer is None or isinstance(answer, str):
                break
            refused = await self._enter(answer, errors)
            if not refused:
                break
            reason, errors = "validation_error", refused
        return self._report(refused)

    def _request(self, reason: Literal["initial", "validation_error"], refused: dict[str, str]) -> FormRequested:
        origins = dict.fromkeys(origin for ref in refused for origin in self._fields[ref].origins)
        return FormRequested(
            id=0,
            description=self._args.form_description,
            fields=[self._shown(ref, error) for ref, error in refused.items()],
            reason=reason,
            url=self._tab.url,
            origins=list(origins),
        )

    def _shown(self, ref: str, error: str) -> FormField:
        wanted, field = self._wanted[ref], self._fields[ref]
        return FormField(
            ref=ref,
            label=wanted.label,
            field_type="select" if self._is_choice(ref) else field.type,
            required=wanted.required or field.required,
            options=[visible(each) for each in field.options or wanted.options],
            current_value=field.value if ref not in self._filled else USER_DATA,
            description=wanted.description,
            name=visible(field.name),
            error=visible(error),
        )

    def _option(self, ref: str, value: FieldValue) -> FieldValue:
        """The value, with the page's options in place of what was shown of them."""
        options: dict[object, str] = {visible(each): each for each in self._fields[ref].options}
        return [options.get(each, each) for each in value] if isinstance(value, list) else options.get(value, value)

    def _is_choice(self, ref: str) -> bool:
        """Whether an option is to be chosen: a combobox may accept other values too, so the model's type decides."""
        return self._fields[ref].type == "combobox" and self._wanted[ref].field_type in ("select", "combobox")

    async def _enter(self, answer: object, refused: dict[str, str]) -> dict[str, str]:
        """Enters the values into the fields; returns why fields were refused, by ref."""
        values: dict[str, FieldValue] = dict(answer)  # type: ignore[call-overload]  # an AskUser gives a mapping for a form
        withhold(self._secrets, values, {ref: field.type for ref, field in self._fields.items()})
        errors: dict[str, str] = {}
        for ref in refused:
            if ref in values:
                await self._put(ref, values[ref], errors)
            elif (self._wanted[ref].required or self._fields[ref].required) and not self._fields[ref].value:
                errors[ref] = "This is required."
        entered = [ref for ref in refused if ref in values and ref not in errors and ref not in self._failed]
        if entered:
            await self._read_refusals(entered, values, errors)
        return {ref: self._secrets.mask(error) for ref, error in errors.items()}

    async def _put(self, ref: str, value: FieldValue, errors: dict[str, str]) -> None:
        try:
            origins = self._fields[ref].origins
            if await user_form.enter(self._tab, ref, self._option(ref, value), origins, choose=self._is_choice(ref)):
                self._taken.add(ref)
        except InvalidArguments as error:
            errors[ref] = user_form.without_value(str(error), value)
        except ActionError as error:
            self._failed[ref] = self._secrets.mask(user_form.without_value(str(error), value))

    async def _read_refusals(self, entered: list[str], values: dict[str, FieldValue], errors: dict[str, str]) -> None:
        """Reads the page's complaints about the values, after moving the focus out of the last field."""
        try:
            await user_form.blur(self._tab, entered[-1])
        except ActionError as error:
            self._failed[entered[-1]] = self._secrets.mask(str(error))
        for ref in entered:
            try:
                message_before = self._fields[ref].validation_message
                if error_of := await user_form.complaint_about(
                    self._tab, ref, values[ref], message_before, taken=ref in self._taken
                ):
                    errors[ref] = error_of
            except ActionError as error:
                self._failed[ref] = self._secrets.mask(user_form.without_value(str(error), values[ref]))
            if ref not in errors and ref not in self._failed:
                self._filled.append(ref)

    def _report(self, refused: dict[str, str]) -> Observation:
        unchanged = [ref for ref in self._fields if ref not in (*self._filled, *refused, *self._failed)]
        facts = FormFilled(self._filled, unchanged, [*refused, *self._failed])
        if not self._filled and not refused and not self._failed:
            return Observation(_NOT_FILLED, facts)
        lines = [f"The user filled in {', '.join(self._filled)}."] if self._filled else ["Nothing was filled in."]
        if unchanged:
            lines.append(f"Left as they were: {', '.join(unchanged)}.")
        if refused:
            lines.append(f"What the user gave for {', '.join(refused)} did not do; the user knows why.")
        lines += [f"{ref} was not filled in: {why}" for ref, why in self._failed.items()]
        if self._filled:
            lines.append(f"Where a page shows {USER_DATA} it shows what the user gave.")
        return Observation(" ".join(lines), facts)


USER_TOOLS = (ask_user, request_user_data)

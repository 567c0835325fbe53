"""Fields that the user fills in: reading their properties, entering the user's values, and validation messages.

Values go only to the origins that the user was shown: those of the frames around the field and of the form's target
when the user was asked. See js/act/user_data.js.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Coroutine
from typing import Any, Literal

import msgspec

from cdp_agent.errors import InvalidArguments
from cdp_agent.page.actions.actions import check, uncheck
from cdp_agent.page.receipts.action_runner import perform
from cdp_agent.page.receipts.receipts import Outcome
from cdp_agent.page.refs.locate import Located, locate
from cdp_agent.page.snapshot.lines import quoted
from cdp_agent.page.tab.tab import Tab
from cdp_agent.security.secrets import USER_DATA, Revealed

from .secret_fill import check_allowed, enter_secret, secret_refusal
from .select import select

BOXES = ("checkbox", "switch")
LISTS = ("select", "multiselect")
YES, _NO = ("true", "yes", "y", "on", "1"), ("false", "no", "n", "off", "0")
Value = str | bool | int | float | list[str]


class UserField(msgspec.Struct, frozen=True):
    """A field of the page. `radios` are the buttons for the `options` of a group; `problem`: why it accepts no value.

    `type` is select, multiselect, checkbox, switch, radio, combobox, textarea, richtext, file, or an input's type.
    `validation_message` is the page's message for a field that it marks as invalid.
    """

    local: int
    type: str
    name: str
    required: bool
    options: list[str]
    radios: list[int]
    value: str
    origins: list[str]
    problem: str
    validation_message: str
    ref: str = ""


class _After(msgspec.Struct, frozen=True):
    """See userFieldAfter in js/act/user_data.js."""

    match: Literal["same", "alike", "other", "empty", "gone"]
    most: int
    validation_message: str
    invalid: bool


async def read_field(tab: Tab, ref: str) -> UserField:
    """The properties of the element as a field for the user. Raises StaleRef if it is gone and not found again."""
    return await read(await locate(tab, ref))


async def read(at: Located) -> UserField:
    """The properties of the element as a field for the user."""
    field = await at.world.call("userField", at.local, returning=UserField)
    return msgspec.structs.replace(field, ref=at.ref)


async def enter(tab: Tab, ref: str, value: Value, origins: list[str], *, choose: bool = False) -> bool:
    """Enters the user's value into the field; later readings of the page do not show it. `choose`: the field is a list.

    Returns whether the page took the value and emptied the field.
    Raises InvalidArguments for a value that the field does not accept. Errors that do not concern the value are
    BlockedByPolicy if it could be sent to other origins than `origins`, NotInteractable and StaleRef.
    """

    taken = False

    async def do(at: Located) -> Outcome:
        nonlocal taken
        field = await read(at)
        meant = value_for(field, value)
        await at.world.call("withhold", [field.local, at.local, *field.radios])
        secret = Revealed(meant if isinstance(meant, str) else "", [], origins, hidden_only=False)
        if field.type in (*BOXES, "radio", *LISTS) or choose:
            await check_allowed(at, secret, await secret_refusal(at, secret, field.local))

        def enter_text() -> Coroutine[Any, Any, Outcome]:
            return enter_secret(at, secret, lines=field.type in ("textarea", "richtext"), judged=False)

        taken = (await enter_value(at, field, meant, enter_text, choose=choose)).taken
        return Outcome()

    await perform(tab, "fill", ref, do)
    return taken


async def enter_value(
    at: Located,
    field: UserField,
    meant: str | list[str],
    enter_text: Callable[[], Coroutine[Any, Any, Outcome]],
    *,
    choose: bool = False,
) -> Outcome:
    """Enters `meant` into the field, see `value_for`; `enter_text` enters a text. `choose`: the field is a list."""
    if field.type in BOXES:
        return await (check if meant == "true" else uncheck)(at)
    if field.type == "radio":
        local = field.radios[field.options.index(str(meant))]
        return await check(msgspec.structs.replace(at, local=local, part=True))
    return await (select(at, meant) if choose or field.type in LISTS else enter_text())


async def blur(tab: Tab, ref: str) -> None:
    """Removes the focus from the field, upon which many pages validate its value. Raises as `enter`."""

    async def do(at: Located) -> Outcome:
        field = await read(at)
        await at.world.call("leaveField", field.local)
        return Outcome()

    await perform(tab, "focus", ref, do)


async def complaint_about(tab: Tab, ref: str, value: Value, before: str, *, taken: bool = False) -> str:
    """The message with which the page or the browser rejects the field's value, or "".

    `before` is the page's message before the value was entered: an unchanged message does not concern the new value.
    `taken`: the page has taken the value, so the field need not hold it. The message does not contain the value. Raises
    StaleRef.
    """
    at = await locate(tab, ref)
    field = await read(at)
    meant = value_for(field, value)
    compared = None if taken or field.options or isinstance(meant, list) else meant
    after = await at.world.call("userFieldAfter", field.local, compared, returning=_After)
    if after.validation_message and (after.invalid or after.validation_message != before):
        return without_value(after.validation_message, value)
    if after.match == "empty":
        return "The field did not take it and is empty."
    if after.match == "other" and field.type in BOXES:
        return "The page did not let it stay so."
    if after.match == "other":
        limit = f", which takes at most {after.most} characters" if after.most >= 0 else ""
        return f"The field holds something else than was given{limit}."
    return ""


def value_for(field: UserField, value: Value) -> str | list[str]:
    """The value in the form for the field: a text, the text of one or several options, or "true" or "false" for a box.

    Raises InvalidArguments, whose message does not contain the value.
    """
    if field.type in BOXES:
        word = str(value).strip().lower()
        if word not in (*YES, *_NO):
            raise InvalidArguments("It takes true or false.")
        return "true" if word in YES else "false"
    if field.type == "multiselect":
        return [str(each) for each in value] if isinstance(value, list) else [str(value)]
    if isinstance(value, bool | list):
        raise InvalidArguments(f"It takes {'one of its options' if field.options else 'a text'}.")
    text = str(value)
    if field.type != "radio":
        return text
    found = [each for each in field.options if each.casefold() == text.strip().casefold()]
    if not found:
        raise InvalidArguments(f"It has {', '.join(map(quoted, field.options))}, and nothing else.")
    return found[0]


def without_value(message: str, value: Value) -> str:
    """The message with the value masked, which browsers often repeat."""
    for text in sorted(map(str, value if isinstance(value, list) else [value]), key=len, reverse=True):
        if text.strip():
            message = re.sub(rf"(?<!\w){re.escape(text.strip())}(?!\w)", USER_DATA, message)
    return message

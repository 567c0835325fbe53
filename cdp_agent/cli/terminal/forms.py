"""A form that a person fills in at the terminal: field by field, with what hides its text not shown as it is typed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from cdp_agent.cli.terminal.text import one_line
from cdp_agent.decisions import FieldValue, FormField, FormRequested

Read = Callable[[str, bool], Awaitable[str | None]]
"""Asks with these words for a line, hidden or not; None when there are no more."""
HIDDEN = ("password",)
"""Types of fields whose text is not to be seen on a screen."""
_BOXES = ("checkbox", "switch")
_YES, _NO = ("y", "yes", "true", "on", "1"), ("n", "no", "false", "off", "0")


def form_shown(ask: FormRequested) -> str:
    """What the form is about, and where its values go."""
    where = f" on {ask.url}" if ask.url else ""
    told = [one_line(f"{ask.description}{where}")]
    if beyond := [origin for origin in ask.origins if not ask.url.startswith(origin)]:
        told.append(one_line(f"What you fill in can also get to {', '.join(beyond)}."))
    told += [one_line(f"{field.label}: {field.error}") for field in ask.fields if field.error]
    return "\n".join(told)


async def read_form(ask: FormRequested, read: Read, say: Callable[[str], None]) -> dict[str, FieldValue] | None:
    """What the person fills in, without the fields that they leave as they are; None when there are no more lines."""
    values: dict[str, FieldValue] = {}
    for field in ask.fields:
        if field.options:
            say("\n".join(f"{number:>4}  {one_line(option)}" for number, option in enumerate(field.options, 1)))
        while True:
            line = await read(_prompt(field), field.field_type in HIDDEN)
            if line is None:
                return None
            value = _value(field, line)
            if value is not None:
                values[field.ref] = value
            elif line.strip():
                say("Type y or n." if field.field_type in _BOXES else "Type one of the numbers or texts.")
                continue
            elif field.required and not field.current_value:
                say("This is required.")
                continue
            break
    return values


def _prompt(field: FormField) -> str:
    words = [field.label]
    if field.name and field.name != field.label:
        words.append(f'(on the page: "{field.name}")')
    if field.description:
        words.append(f"- {field.description}")
    if field.field_type in _BOXES:
        words.append("[y/n]")
    if field.current_value and field.field_type not in HIDDEN:
        words.append(f"[{field.current_value}]")
    if field.required:
        words.append("*")
    return f"{one_line(' '.join(words))}: "


def _value(field: FormField, line: str) -> FieldValue | None:
    """What the line means for the field; None for nothing, and for what it cannot be."""
    word = line.strip()
    if not word:
        return None
    if field.field_type in _BOXES:
        return True if word.lower() in _YES else False if word.lower() in _NO else None
    if not field.options:
        return line if field.field_type in HIDDEN else word
    if field.field_type == "multiselect":
        chosen = [_option(field, part.strip()) for part in word.split(",") if part.strip()]
        return [each for each in chosen if each] if all(chosen) else None
    return _option(field, word)


def _option(field: FormField, word: str) -> str | None:
    if found := next((each for each in field.options if each.casefold() == word.casefold()), None):
        return found
    if word.isdigit() and 1 <= int(word) <= len(field.options):
        return field.options[int(word) - 1]
    return None

"""Sending what was filled in: by Enter, or where that only adds a line, by the button that a person would click."""

from __future__ import annotations

from typing import Literal

import msgspec

from cdp_agent.action_log import log_line
from cdp_agent.errors import DocumentGone, NotInteractable
from cdp_agent.page.actions.actionability import element_label, refusal
from cdp_agent.page.actions.actions import click_element, send_keys_to
from cdp_agent.page.actions.keyboard import press
from cdp_agent.page.actions.stayed import Rereading
from cdp_agent.page.receipts.receipts import ENTER_PRESSED, Outcome
from cdp_agent.page.refs.locate import Located
from cdp_agent.page.snapshot.lines import quoted

from .combobox import fill_field
from .fill import FIELD_WAIT_S

_ADDED_LINE = "Enter only added a line"


class _Submission(msgspec.Struct, frozen=True):
    """See submitFrom in js/act/submit.js."""

    enter: bool
    lines: bool
    unsure: bool
    refused: str


class _Held(msgspec.Struct, frozen=True):
    """See heldAfterEnter in js/act/submit.js."""

    change: Literal["same", "line", "other"]


class _Sender(msgspec.Struct, frozen=True):
    """See senderOf in js/act/submit.js."""

    local: int
    several: list[str]


async def fill_and_submit(at: Located, text: str, *, append: bool = False) -> Outcome:
    """Fills the field as `fill_field` does, then sends it as `submitted` does. Raises as both."""
    return await submitted(at, await fill_field(at, text, append=append))


async def submitted(at: Located, outcome: Outcome) -> Outcome:
    """Sends what was filled in with this outcome; a note tells how.

    It presses Enter. Where that only adds a line, it takes the line away, and clicks the button of the form, or beside
    the field. The same button sends what was chosen from a list, which Enter might open again. Raises NotInteractable
    if there is no such button, or it cannot be clicked.
    """
    if outcome.taken:
        return msgspec.structs.replace(outcome, note=f"{outcome.note}: Enter was not pressed")
    try:
        unsure, how = False, await click_sender(at) if outcome.chosen else ""
        if not how:
            submission = await _submission(at)
            unsure, how = submission.unsure, await _submit(at, submission)
    except DocumentGone:
        return outcome  # it has submitted itself
    except NotInteractable as error:
        error.args = (f"It was filled in, but not sent. {error}",)
        raise
    again = outcome.read_again
    if isinstance(again, Rereading):
        again = msgspec.structs.replace(again, submitted=True, unsure=unsure)
    note = "; ".join(filter(None, (outcome.note, how)))
    return msgspec.structs.replace(outcome, note=note, read_again=again, on_replaced=None)


async def _submission(at: Located) -> _Submission:
    wait_ms, within_s = at.ready_timeout_s(FIELD_WAIT_S) * 1000, at.call_timeout_s(FIELD_WAIT_S)
    submission = await at.world.call("submitFrom", at.local, wait_ms, returning=_Submission, timeout_s=within_s)
    if submission.refused:
        refused = at.refs.write(at.world, submission.refused)
        raise refusal(at, "disabled", await element_label(at), f"cannot be submitted: {refused}.")
    return submission


async def _submit(at: Located, submission: _Submission) -> str:
    if not submission.enter:
        return ""
    since = at.requests.mark()
    await send_keys_to(at, press(at.frame, "Enter"))  # a field that is set by script does not have the focus
    if not submission.lines or await _held(at) != "line" or at.requests.any_since(since):
        return ENTER_PRESSED
    log_line("decision", _ADDED_LINE)
    await press(at.frame, "Backspace")
    taken_away = "" if await _held(at) == "line" else ", which was taken away"
    return f"{_ADDED_LINE}{taken_away}; {await click_sender(at) or await _send_by_keys(at)}"


async def click_sender(at: Located) -> str:
    """Clicks the button that sends what the field holds; returns what was clicked, "" if no button does.

    Raises NotInteractable if it cannot be clicked, or if it may be any of several.
    """
    sender = await at.world.call("senderOf", at.local, returning=_Sender)
    if sender.several:
        several = at.refs.write(at.world, ", ".join(sender.several))
        raise refusal(at, "wrong_element", await element_label(at), f"is sent by one of {several}: click it.")
    if not sender.local:
        return ""
    button = await element_label(at, sender.local)
    log_line("decision", "sends with {} {}", button.role, quoted(button.name))
    hint = await click_element(msgspec.structs.replace(at, local=sender.local, part=True))
    return "; ".join(filter(None, (f"{button.role} {quoted(button.name)} was clicked", hint)))


async def _send_by_keys(at: Located) -> str:
    """Presses Control+Enter, which sends in some pages; returns that. Raises NotInteractable if it does nothing."""
    since = at.requests.mark()
    await press(at.frame, "ControlOrMeta+Enter")
    if await _held(at) != "other" and not at.requests.any_since(since):
        message = f"has nothing that sends it: {_ADDED_LINE}, and no button for that was seen. Click what does."
        raise refusal(at, "wrong_element", await element_label(at), message)
    return "Control+Enter was pressed"


async def _held(at: Located) -> Literal["same", "line", "other"]:
    try:
        return (await at.world.call("heldAfterEnter", at.local, returning=_Held)).change
    except DocumentGone:
        return "other"

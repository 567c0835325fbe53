"""Filling in several fields of a form as one action, with one wait for the page at the end."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence, Sized
from functools import partial

import msgspec

from cdp_agent.action_log import log_line
from cdp_agent.errors import ActionError, InvalidArguments, StaleRef
from cdp_agent.page.actions.actionability import describe, element_label, refusal
from cdp_agent.page.actions.actions import check
from cdp_agent.page.actions.stayed import Rereading
from cdp_agent.page.receipts.action_runner import ATTEMPTS, ActionRunner, entering, limit_of
from cdp_agent.page.receipts.dialog_stops import note_so_far, receipt_until_dialog
from cdp_agent.page.receipts.receipts import FilledField, Outcome, Receipt
from cdp_agent.page.refs.locate import Located, locate
from cdp_agent.page.tab.tab import Tab
from cdp_agent.security.secrets import Revealed

from .combobox import fill_field
from .secret_fill import choose_secret, enter_secret
from .submitting import click_sender
from .upload import takes_files, upload
from .user_form import LISTS, YES, UserField, enter_value, read, value_for

_FIELD_S = 10.0
"""How much longer a form may take for each field."""


Allowed = Callable[[Sequence[str]], Sequence[str]]
"""From paths to those of the files that may be uploaded; raises InvalidArguments if one may not be."""


async def fill_form(
    tab: Tab, values: Mapping[str, str | Revealed], *, submit: bool = False, allowed: Allowed = list
) -> Receipt:
    """Enters each value into the field of its ref, in order, then waits until the page has settled.

    The value for a list is the text of an option, for a check box "on" or "off", for a radio button "on", for a file
    field the paths of files, one a line; secrets are entered as by `enter_secret` and `choose_secret`. `submit` then
    clicks the button that submits the form of the last field. If one of the elements does not exist, nothing is
    entered; a later error names the fields that were filled.
    Raises as `fill`, `select`, `check` and `click`, StaleRef, PageUnresponsive, BrowserError.
    """
    begun = Receipt(action="fill", detail=_count(values))
    with entering(tab, begun.action):
        return await receipt_until_dialog(tab, _fill_form(tab, values, allowed, submit=submit), begun)


async def has_file_field(tab: Tab, refs: Iterable[str]) -> bool:
    """Whether the value for one of these would be files. Raises InvalidArguments, StaleRef."""
    for ref in refs:
        if await takes_files(await locate(tab, ref)):
            return True
    return False


async def _fill_form(tab: Tab, values: Mapping[str, str | Revealed], allowed: Allowed, *, submit: bool) -> Receipt:
    async with tab.act(), limit_of(tab, _FIELD_S * len(values)) as limit:
        last_reading = tab.history[-1] if tab.history else None
        runner, there = await ActionRunner.start_at(tab, values, limit, last_reading, expects_effect=submit)
        document = tab.activity.document.number
        done: dict[str, tuple[FilledField, Outcome]] = {}

        def so_far() -> Receipt:
            fields = [field for field, _ in done.values()]
            return Receipt(action="fill", detail=f"{len(done)} of {_count(values)}", fields=fields)

        async def enter_all() -> Outcome:
            try:
                for first, (ref, value) in zip(there, values.items(), strict=True):
                    log_line("decision", "fills in {}", ref)
                    at, outcome = await _enter_found(tab, ref, first, value, allowed)
                    note = "; ".join(filter(None, (at.note, outcome.note)))
                    done[ref] = FilledField(at.ref, runner.name_of(at.ref), outcome.value, note), outcome
                return Outcome(note=await _submit(tab, at.ref, outcome) if submit and done else "")
            except ActionError as error:
                if tab.activity.document.number != document:
                    return Outcome()
                if done:
                    error.args = (f"Filled before that: {', '.join(done)}. {error}",)
                raise

        note_so_far(tab, so_far)
        sent = await runner.act(runner.until_left(enter_all()))
        undone = ", ".join(ref for ref in values if ref not in done)
        note = (
            f"the page went elsewhere before {undone} {'were' if ',' in undone else 'was'} done"
            if undone
            else sent.note
        )
        fields = [field for field, _ in done.values()]
        again = partial(_reread_fields, tab, list(done.values()), submitted=submit)
        chosen = [option for _, entered in done.values() for option in entered.chosen]
        outcome = Outcome(note=note, fields=fields, read_again=again, chosen=chosen)
        return await runner.finish("fill", outcome, detail=_count(done))


def _count(fields: Sized) -> str:
    return f"{len(fields)} field{'s'[: len(fields) != 1]}"


async def _enter_found(
    tab: Tab, ref: str, first: Located, value: str | Revealed, allowed: Allowed
) -> tuple[Located, Outcome]:
    """Fills one field, which was at `first`; locates it again if the page re-renders it before it is touched."""
    attempt = 0
    while True:
        attempt += 1
        at, field = await asyncio.gather(locate(tab, ref), read(first), return_exceptions=True)
        if isinstance(at, BaseException):
            raise at
        try:
            if isinstance(field, BaseException) or (at.world, at.local) != (first.world, first.local):
                first, field = at, await read(at)
            return at, await _enter(at, field, value, allowed)
        except StaleRef as error:
            if error.ref != at.ref or attempt == ATTEMPTS:
                raise
            log_line("retry", "{} left the page before it was touched", at.ref)


async def _enter(at: Located, field: UserField, value: str | Revealed, allowed: Allowed) -> Outcome:
    if isinstance(value, Revealed):
        return await (choose_secret if field.type in LISTS else enter_secret)(at, value)
    if field.type == "file" or (not field.type and await takes_files(at)):
        return await upload(at, allowed([each for each in value.splitlines() if each.strip()]))
    if field.type == "radio" and value.strip().lower() in YES:
        return await check(at)
    try:
        meant = value_for(field, value)
    except InvalidArguments as error:
        raise InvalidArguments(f"{await describe(at)}: {error}") from error
    return await enter_value(at, field, meant, lambda: fill_field(at, value))


async def _submit(tab: Tab, ref: str, outcome: Outcome) -> str:
    """Clicks the button that submits the form of a field. Returns a note for the receipt; raises as `click`."""
    if outcome.taken:
        return "nothing was clicked, since the page took the last one by itself: see whether that was all"
    try:
        at = await locate(tab, ref)
    except StaleRef:
        return "nothing was clicked, since the last one has left the page: see whether that was all"
    if clicked := await click_sender(at):
        return clicked
    message = "was filled in, but not sent: no button for that was seen in a form around it. Click what sends it."
    raise refusal(at, "wrong_element", await element_label(at), message)


async def _reread_fields(tab: Tab, done: Sequence[tuple[FilledField, Outcome]], *, submitted: bool) -> Outcome:
    """The values of the fields once the page has settled; the outcome has failed if one of them did not stay."""

    async def now_of(field: FilledField, outcome: Outcome) -> Outcome:
        again = outcome.read_again
        if isinstance(again, Rereading) and submitted:
            again = msgspec.structs.replace(again, submitted=True)
        return Outcome(field.value) if again is None else await again()

    fields, failure = list[FilledField](), None
    for (field, outcome), now in zip(done, await asyncio.gather(*(now_of(*each) for each in done)), strict=True):
        replaced = outcome.on_replaced or now.on_replaced
        if replaced is not None and not submitted:
            now = await _of_present(tab, field, replaced, now)
        note = "; ".join(dict.fromkeys(filter(None, (field.note, now.note))))
        fields.append(msgspec.structs.replace(field, value=now.value, note=note))
        failure = failure or now.failure
    return Outcome(fields=fields, failure=failure)


async def _of_present(
    tab: Tab, field: FilledField, ask: Callable[[Located], Awaitable[Outcome]], otherwise: Outcome
) -> Outcome:
    """What the field holds, or the one that replaced it."""
    try:
        at = await locate(tab, field.ref)
    except StaleRef:
        return otherwise
    return await ask(at)

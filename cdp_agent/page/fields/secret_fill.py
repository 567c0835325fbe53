"""Filling in secrets: only on the origins that they are for, and never by keyboard input; see js/act/secret.js.

The page is first asked about the field, so that the secret is never sent to a document that may not receive it. The
call that writes the secret checks the same again.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from cdp_agent.action_log import log_line
from cdp_agent.errors import BlockedByPolicy, InvalidArguments
from cdp_agent.page.actions.actionability import Obstacle, describe, element_label, obstacle_error, refusal
from cdp_agent.page.actions.editing import TAKEN, TAKEN_CHANGED, Taken
from cdp_agent.page.actions.stayed import refused_error, was_taken
from cdp_agent.page.receipts.action_runner import perform
from cdp_agent.page.receipts.receipts import Outcome, Receipt
from cdp_agent.page.refs.locate import Located
from cdp_agent.page.tab.tab import Tab
from cdp_agent.security.secrets import Revealed, placeholder

from .fill import FIELD_WAIT_S
from .select import By, select
from .submitting import submitted


class SecretRefusal(msgspec.Struct, frozen=True):
    """Why a field may not receive the secret; `why` is "" if it may."""

    why: Literal["", "gone", "frame", "form", "shown"]
    where: str


class _Field(SecretRefusal, frozen=True):
    """See secretField in js/act/secret.js."""

    local: int
    instead: str
    note: str
    refusal: Obstacle | None


class _Entered(SecretRefusal, frozen=True):
    """See enterSecret in js/act/secret.js."""

    match: Literal["same", "alike", "other", "empty", "gone"]
    most: int
    taken: Taken


async def fill_secret(tab: Tab, ref: str, secret: Revealed, *, append: bool = False, submit: bool = False) -> Receipt:
    """Fills a field with a text that contains secrets, if the field may receive them; see `enter_secret`.

    `submit` then sends it, as `submitted` does.
    """

    async def do(at: Located) -> Outcome:
        outcome = await enter_secret(at, secret, append=append)
        return await submitted(at, outcome) if submit else outcome

    return await perform(tab, "fill", ref, do, submits=submit)


async def select_secret(tab: Tab, ref: str, secret: Revealed, *, by: By = "text") -> Receipt:
    """Chooses the option that a secret names; see `choose_secret`."""
    return await perform(tab, "select", ref, lambda at: choose_secret(at, secret, by=by))


async def enter_secret(
    at: Located, secret: Revealed, *, append: bool = False, lines: bool = False, judged: bool = True
) -> Outcome:
    """Fills the field with a text that contains secrets; `lines` keeps its line breaks. The outcome has no value.

    `judged`: a field that holds something else then is an error; else the caller looks at that, as `complaint_about`.

    Raises BlockedByPolicy if the origin of the field's document, of a frame around it, or of the form's target is not
    among those that the secrets are for, or the field shows its value and they are only for fields that hide it.
    Raises NotInteractable, and InvalidArguments if the field did not accept the text.
    """
    allowed: dict[str, object] = {"origins": secret.origins, "hidden_only": secret.hidden_only}
    options = {**allowed, "wait_ms": at.ready_timeout_s(FIELD_WAIT_S) * 1000}
    within_s = at.call_timeout_s(FIELD_WAIT_S)
    field = await at.world.call("secretField", at.local, options, returning=_Field, timeout_s=within_s)
    if field.refusal is not None:
        raise obstacle_error(at, field.refusal, at.world)
    if field.instead:
        instead = at.refs.write(at.world, field.instead)
        raise refusal(at, "wrong_element", await element_label(at), f"takes no secret: {instead}.")
    await check_allowed(at, secret, field)
    before = at.requests.mark()
    text = secret.text if lines else " ".join(secret.text.split("\n"))
    entered = await at.world.call("enterSecret", field.local, text, {**allowed, "append": append}, returning=_Entered)
    log_line("reading", "the field was given a secret, compared to it: {}", entered.match)
    if entered.match != "gone" or entered.why != "gone":
        await check_allowed(at, secret, entered)
    taken = entered.match == "empty" and was_taken(at, entered.taken, before)
    if entered.match == "empty" and not taken:
        raise await refused_error(at, _named(secret), entered.taken)
    if judged and entered.match == "other" and entered.taken != "accepted":
        limit = f": it takes at most {entered.most} characters" if entered.most >= 0 else ""
        given = " and ".join(map(placeholder, secret.names)) or "was given"
        raise InvalidArguments(f"{await describe(at)} holds something else than {given}{limit}.")
    notes = [
        at.refs.write(at.world, field.note),
        f"{_named(secret)} was filled in",
        TAKEN if taken else TAKEN_CHANGED if entered.match == "other" and entered.taken == "accepted" else "",
        "it left the page when it was filled" if entered.match == "gone" else "",
    ]
    return Outcome(note="; ".join(filter(None, notes)), taken=taken)


async def choose_secret(at: Located, secret: Revealed, *, by: By = "text") -> Outcome:
    """Chooses the option of a native list that a secret names. Raises as `enter_secret`; see `select.select`."""
    # Custom lists are searched by typing, and the keys would go to any element that takes the focus.
    kind = await at.world.call("listKind", at.local, returning=_Kind)
    if kind.kind != "native":
        raise refusal(
            at, "wrong_element", await element_label(at), "is no native list: a secret is chosen only in such a one."
        )
    await check_allowed(at, secret, await secret_refusal(at, secret, kind.local))
    chosen = await select(at, secret.text, by=by)
    return Outcome(note=chosen.note)


class _Kind(msgspec.Struct, frozen=True):
    """A part of the result of listKind in js/act/choose.js."""

    kind: str
    local: int


async def secret_refusal(at: Located, secret: Revealed, local: int) -> SecretRefusal:
    """Asks the page whether a field, in its present state, may receive the secret."""
    allowed = {"origins": secret.origins, "hidden_only": False}
    return await at.world.call("secretRefusal", local, allowed, returning=SecretRefusal)


async def check_allowed(at: Located, secret: Revealed, refusal_found: SecretRefusal) -> None:
    """Raises BlockedByPolicy if the field may not receive the secret, NotInteractable if it has left the page."""
    named, where = _named(secret), ", ".join(secret.origins) or "no page that all of them are for"
    match refusal_found.why:
        case "gone":
            raise refusal(at, "hidden", await element_label(at), "has just left the page: take a new snapshot.")
        case "frame":
            problem = f"is on {_origin(refusal_found.where)}, or in a page of it"
            advice = "A page of another origin that asks for it is not the one it is for: leave it."
        case "form":
            problem = f"is in a form that is sent to {_origin(refusal_found.where)}"
            advice = "Do not use this form."
        case "shown":
            problem = "shows what it holds, and this secret is only for fields that hide it"
            advice = "Look for the password field."
        case _:
            return
    raise BlockedByPolicy(
        f"{await describe(at)} {problem}. {named} is only for {where}, so nothing was filled in. {advice}"
    )


def _origin(where: str) -> str:
    return "a sandboxed or local document" if where == "null" else where


def _named(secret: Revealed) -> str:
    return " and ".join(map(placeholder, secret.names)) or "What the user gave"

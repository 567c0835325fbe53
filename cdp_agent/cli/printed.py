"""The printed form of receipts, without what the caller knows already."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from cdp_agent.page.receipts.receipts import ENTER_PRESSED, Receipt
from cdp_agent.page.snapshot.lines import ref_of_change
from cdp_agent.page.snapshot.shown_pages import web_origin
from cdp_agent.tools.base import Arguments
from cdp_agent.tools.input import FillArguments, FormArguments, SelectArguments

_CHECKED, _UNCHECKED = " (now [checked])", " (no longer [checked])"


def brief(receipt: Receipt, arguments: Arguments, before: str | None) -> str:
    """The receipt's text without what the caller knows already; `before` is the address before the action.

    Left out are values equal to those given, the checked state after `check` or `uncheck`, and an unchanged origin.
    """
    shortened = receipt
    if isinstance(arguments, FillArguments | SelectArguments) and receipt.value == arguments.value:
        sends = isinstance(arguments, FillArguments) and arguments.submit
        note = "" if sends and receipt.note == ENTER_PRESSED else receipt.note
        shortened = msgspec.structs.replace(shortened, note=note, value=receipt.value if note and not sends else None)
    if receipt.action in ("check", "uncheck") and not receipt.note:
        state = _CHECKED if receipt.action == "check" else _UNCHECKED
        shortened = msgspec.structs.replace(shortened, changed=_without(shortened.changed, receipt.ref, state))
    if isinstance(arguments, FormArguments):
        changed, values = shortened.changed, arguments.values()
        for field in receipt.fields:
            if field.value is None and not field.note:
                changed = _without(changed, field.ref, _CHECKED, _UNCHECKED)
        fields = [field for field in receipt.fields if field.note or field.value not in (None, values.get(field.ref))]
        shortened = msgspec.structs.replace(shortened, changed=changed, fields=fields)
    origin = web_origin(before or "")
    if origin and receipt.navigated_to is not None and web_origin(receipt.navigated_to) == origin:
        shortened = msgspec.structs.replace(shortened, navigated_to=receipt.navigated_to.removeprefix(origin))
    return shortened.text


def _without(changed: Sequence[str], ref: str | None, *states: str) -> list[str]:
    """The changes without the lines of the element `ref` that end with one of the texts `states`."""
    return [line for line in changed if not (line.endswith(states) and ref_of_change(line) == ref)]

"""Evaluating JavaScript in the page's own world."""

from __future__ import annotations

from typing import Any

import msgspec

from cdp_agent.cdp import runtime
from cdp_agent.cdp.known_errors import is_too_deep
from cdp_agent.errors import ProtocolError, ScriptError
from cdp_agent.page.frames.world import deadline
from cdp_agent.page.receipts.dialog_stops import value_until_dialog
from cdp_agent.page.receipts.receipts import Receipt
from cdp_agent.page.tab.tab import Tab


async def evaluate(tab: Tab, expression: str, *, timeout_s: float) -> Any:
    """See `Page.evaluate`."""

    def as_receipt(value: Any) -> Receipt:
        return Receipt(action="evaluate", value=msgspec.json.encode(value).decode(), dialogs=tab.dialogs.take())

    return await value_until_dialog(tab, _evaluate(tab, expression, timeout_s), as_receipt)


async def _evaluate(tab: Tab, expression: str, timeout_s: float) -> Any:
    tree = await tab.frames()
    tree.root.is_static = False
    async with deadline(tree.root.session, timeout_s):
        try:
            answer = await tree.root.session.send(
                runtime.Evaluate(expression=expression, return_by_value=True, await_promise=True)
            )
        except ProtocolError as error:
            if is_too_deep(error):
                raise ScriptError("The value is nested too deep to be told. Ask for a part of it.") from error
            raise
    if answer.exception_details is not None:
        thrown = answer.exception_details.exception
        raise ScriptError((thrown and thrown.description) or answer.exception_details.text)
    return msgspec.json.decode(answer.result.value) if bytes(answer.result.value) else None

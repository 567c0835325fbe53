"""Evaluating a script of the caller's in the page, up to a dialog that it brings up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from cdp_agent.page.query import evaluate as query
from cdp_agent.page.receipts.dialog_stops import value_until_dialog
from cdp_agent.page.receipts.receipts import Receipt
from cdp_agent.page.tab.tab import Tab


async def evaluate(tab: Tab, source: str, arguments: Sequence[object], timeout_s: float) -> Any:
    """See `Page.evaluate`."""

    def as_receipt(value: Any) -> Receipt:
        return Receipt(action="evaluate", value=msgspec.json.encode(value).decode(), dialogs=tab.dialogs.take())

    return await value_until_dialog(tab, "evaluate", query.evaluate(tab, source, arguments, timeout_s), as_receipt)

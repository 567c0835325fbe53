"""Answering a dialog that was left open, after which the action that it stopped goes on."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec

from cdp_agent.errors import ActionError, InvalidArguments, PageUnresponsive
from cdp_agent.page.frames.world import CALL_TIMEOUT_S
from cdp_agent.page.receipts.action_runner import ActionRunner, limit_of
from cdp_agent.page.receipts.baseline import Baseline
from cdp_agent.page.receipts.dialog_stops import open_dialog, receipt_of
from cdp_agent.page.receipts.receipts import Outcome, Receipt
from cdp_agent.page.receipts.watch import Watch
from cdp_agent.page.tab.dialogs import Answer
from cdp_agent.page.tab.running_act import RunningAct
from cdp_agent.page.tab.tab import Tab


async def answer_dialog(tab: Tab, answer: Answer, text: str | None = None) -> Receipt:
    """Answers the dialog that `open_dialog` finds, and returns the receipt of the action that it stopped.

    If another dialog stops it again, the receipt has that one. After a dialog that opened while nobody acted, the
    receipt has what the answer led to. Raises ActionError if no dialog is open, InvalidArguments for a text that is for
    no prompt, and what the action raises.
    """
    tab.check_open()
    await asyncio.shield(tab.attach())  # Chrome then reports a dialog that is open
    if (opened := open_dialog(tab)) is None:
        if (running := tab.acts.take_uncollected()) is None:
            raise ActionError("No dialog is open in this tab.")
        return await receipt_of(tab, running)
    where, dialog = opened
    if text is not None and (dialog.kind != "prompt" or answer == "dismiss"):
        raise InvalidArguments(f"A text is for a prompt that is accepted; this is a {dialog.kind} to {answer}.")
    running = _stopped_act(where) or await _follow_up(where, answer)
    where.dialogs.answer(answer, text)
    try:
        async with asyncio.timeout(CALL_TIMEOUT_S):
            await running.pause.wait_until_answered()
    except TimeoutError as error:
        raise PageUnresponsive("Chrome did not close the dialog. Close the tab.") from error
    try:
        return await receipt_of(tab, running)
    except ActionError as error:
        if dialog.kind != "beforeunload" or answer == "accept":
            raise
        # The navigation did not take place, as the caller wanted.
        where.dialogs.take()  # told here, and no more by the next call
        told = [msgspec.structs.replace(dialog, answer=answer)]
        return Receipt(action="dialog", detail=answer, note=str(error), dialogs=told, log=error.log)


def _stopped_act(tab: Tab) -> RunningAct[Any] | None:
    """The action that waits for the answer: the one that has its tab to itself, before others."""
    stopped = [act for each in (tab, *tab.related) for act in each.acts if act.is_stopped]
    return max(stopped, key=lambda act: act.had_turn, default=None)


async def _follow_up(tab: Tab, answer: Answer) -> RunningAct[Receipt]:
    """An action that reports what happens once the dialog is answered, compared to what was last read of the page."""
    tree = await asyncio.shield(tab.attach())
    before = tab.history[-1].snapshot if tab.history and tab.has_read_document else None

    async def follow() -> Receipt:
        watch = Watch(tab, tree)  # made inside the action, whose next dialog pauses it, before Chrome can answer
        async with tab.act(), limit_of(tab) as limit:
            await tab.decided()
            return await ActionRunner(limit, Baseline(watch, before)).finish("dialog", Outcome(), detail=answer)

    running = tab.acts.begin(follow(), "dialog")
    running.so_far = lambda: Receipt(action="dialog", detail=answer)
    running.stop()
    return running

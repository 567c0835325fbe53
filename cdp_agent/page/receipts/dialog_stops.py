"""Actions stop at a dialog that is left open: its caller gets a receipt so far, and the whole one after the answer."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

import msgspec

from cdp_agent.action_log import Logged
from cdp_agent.errors import DialogOpen
from cdp_agent.page.frames.deadline import pause_of_act
from cdp_agent.page.tab.dialogs import Dialog, open_error
from cdp_agent.page.tab.running_act import RunningAct
from cdp_agent.page.tab.tab import Tab

from .receipts import Receipt

T = TypeVar("T")


async def receipt_until_dialog(tab: Tab, act: Coroutine[Any, Any, Receipt], begun: Receipt) -> Receipt:
    """The receipt of an action; if a dialog stops it, `begun` or what `note_so_far` noted, with that dialog.

    Raises DialogOpen if a dialog was open before, and what the action raises.
    """
    if pause_of_act.get() is not None:
        return await act  # it is a part of another action
    running = await _begin(tab, act, begun.action, begun.ref)
    running.so_far = lambda: begun
    return await receipt_of(tab, running)


async def value_until_dialog(
    tab: Tab, action: str, act: Coroutine[Any, Any, T], as_receipt: Callable[[T], Receipt]
) -> T:
    """The result of an action that gives no receipt. Raises DialogOpen if a dialog stops it, and what it raises.

    After the answer, which has to be a receipt, `as_receipt` turns the result into one.
    """
    if pause_of_act.get() is not None:
        return await act
    running = await _begin(tab, act, action)
    running.as_receipt = as_receipt
    await running.result()
    if not running.task.done():
        raise _open_error(tab, running)
    result = running.task.result()
    return msgspec.structs.replace(result, log=running.log.lines) if isinstance(result, Logged) else result


def note_so_far(tab: Tab, so_far: Callable[[], Receipt]) -> None:
    """Notes what is known of the present action's result, for the case that a dialog stops it."""
    if (act := tab.acts.present) is not None:
        act.so_far = so_far


def open_dialog(tab: Tab) -> tuple[Tab, Dialog] | None:
    """The dialog that waits for an answer in the tab, or in one that opened it or was opened by it, and its tab."""
    for each in (tab, *tab.related):
        if (dialog := each.dialogs.open) is not None:
            return each, dialog if each is tab else msgspec.structs.replace(dialog, tab=each.id)
    return None


async def receipt_of(tab: Tab, running: RunningAct[Any]) -> Receipt:
    """The receipt of an action that runs, or that goes on after the answer to a dialog; see `receipt_until_dialog`."""
    result = await running.result()
    opened = open_dialog(tab)
    if running.task.done():
        receipt = running.as_receipt(result)
        assert isinstance(receipt, Receipt)
        log = running.log.lines
        return msgspec.structs.replace(receipt, log=log, dialog=receipt.dialog if opened is None else opened[1])
    if not running.had_turn:
        await running.cancel()
        raise _open_error(tab, running)
    so_far = running.so_far()
    assert isinstance(so_far, Receipt)
    told = [*so_far.dialogs, *tab.dialogs.take()]
    dialog = None if opened is None else msgspec.structs.replace(opened[1], times=running.stops)
    return msgspec.structs.replace(so_far, log=running.log.lines, stopped=True, dialogs=told, dialog=dialog)


async def _begin(tab: Tab, act: Coroutine[Any, Any, T], action: str, ref: str | None = None) -> RunningAct[T]:
    """Begins an action. Raises DialogOpen if a dialog is open already, PageClosed, BrowserError."""
    try:
        tab.check_open()
        await tab.request_policy.hand_over()
        await tab.frames()
    except BaseException:
        act.close()
        raise
    return tab.acts.begin(act, action, ref)


def _open_error(tab: Tab, running: RunningAct[Any]) -> DialogOpen:
    found = open_dialog(tab)
    error = DialogOpen("A dialog stopped this, and was closed by somebody else meanwhile. Look at the page.")
    if found is not None:
        error = open_error(found[1], of_person=found[0].dialogs.is_of_person)
    error.log = running.log.lines
    return error

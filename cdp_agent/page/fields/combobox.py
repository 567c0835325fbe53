"""Filling in a field that has a list: it gets the option that is written so, or it must keep the text without one."""

from __future__ import annotations

from functools import partial

import msgspec

from cdp_agent.action_log import log_line
from cdp_agent.errors import InvalidArguments
from cdp_agent.page.actions.actionability import describe
from cdp_agent.page.actions.actions import click_element
from cdp_agent.page.actions.keyboard import press
from cdp_agent.page.receipts.receipts import Outcome
from cdp_agent.page.refs.locate import Located
from cdp_agent.page.snapshot.lines import quoted

from .fill import fill, fill_unless_list
from .select import OPTIONS_WAIT_S, SHORT_WAIT_S, CustomList, FoundOption, listed, once_loaded


async def fill_field(at: Located, text: str, *, append: bool = False) -> Outcome:
    """Fills the field as `fill` does. If it is a combobox whose list has an option of exactly that text, chooses it.

    Search fields are left alone: what they suggest leads elsewhere. Raises as `fill`, InvalidArguments if a combobox
    does not keep the text when it loses the focus.
    """
    local = await fill_unless_list(at, text, append=append, lists=append or not text.strip())
    if isinstance(local, Outcome):
        return local
    chooser = CustomList(at, local, "text")
    opened, sent = await chooser.begin(), at.requests.mark()
    outcome = await fill(at, text)
    if outcome.taken:
        return outcome
    option = await once_loaded(at, partial(chooser.option, text), OPTIONS_WAIT_S, sent)
    kind = "other"
    if option.state == "found" and _is_same(option.text, text):
        kind = await at.world.call("optionKind", option.local, returning=str)
    log_line("decision", "the list of the combobox: {}, an option of the kind {}", option.state, kind)
    if kind == "plain" and not option.disabled:
        return await chooser.outcome(await chooser.take(option, option.text, opened.shown))
    shown = await chooser.shown_after_blur(SHORT_WAIT_S)
    beside = await at.world.call("displayedBeside", local, returning=str)
    if shown == outcome.value or kind == "ticked" or text.casefold() in beside.casefold():
        return msgspec.structs.replace(
            outcome, suggests=False, note="; ".join(filter(None, (outcome.note, _offer(option))))
        )
    offered = await _offered(at, local, chooser, option, text)
    now = f"holds {quoted(shown)}" if shown else "is empty"
    list_note = f" Its list has {listed(offered.options, offered.total)}: choose one of these." if offered.total else ""
    raise InvalidArguments(
        f"{await describe(at)} did not keep {quoted(text)} when it lost the focus, and {now} then.{list_note}"
    )


def _is_same(option: str, text: str) -> bool:
    return option.casefold() == " ".join(text.split()).casefold()


def _offer(option: FoundOption) -> str:
    """A note on the options for a text that the field keeps without one of them."""
    return f"its list offers {listed(option.options, option.total)}" if option.total and option.meant else ""


async def _offered(at: Located, local: int, chooser: CustomList, option: FoundOption, text: str) -> FoundOption:
    """The options that the text may mean, or all that the list has."""
    if option.meant:
        return msgspec.structs.replace(option, options=option.meant, total=len(option.meant))
    log_line("decision", "opens the list, to tell what it has")
    await chooser.begin()
    await click_element(at, local=local)
    every = await chooser.option(text, SHORT_WAIT_S)
    await press(at.frame, "Escape")
    return every if every.total else option

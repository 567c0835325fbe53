"""The consequences of an action, read from the page beforehand: whether and how a form is sent, where a link leads."""

from __future__ import annotations

from typing import Literal

import msgspec

from cdp_agent.page.frames.frames import Frame
from cdp_agent.page.refs.locate import locate
from cdp_agent.page.snapshot.listeners import key_listeners
from cdp_agent.page.tab.tab import Tab
from cdp_agent.security.quoting import quote


class Submitted(msgspec.Struct, frozen=True):
    """A form that would be sent. `action`: whether its markup has an address; `fields`: how many text fields it has."""

    method: str
    action: bool
    secret: bool
    """Whether it has a password field."""
    search: bool
    """Whether its markup marks it as a search form."""
    fields: int


How = Literal["click", "enter", "form", "send"]


class Consequence(msgspec.Struct, frozen=True):
    """The consequences of a click, or of Enter, by the markup alone; scripts may do more. `url` is the frame's."""

    role: str
    name: str
    form: Submitted | None = None
    link: str = ""
    download: bool = False
    writes: bool = False
    """Whether Enter goes into a multi-line text with key listeners, where some pages take it as "send"."""
    remote: bool = False
    url: str = ""


class _Answer(msgspec.Struct, frozen=True):
    of: Consequence | None


async def consequence(tab: Tab, ref: str | None, how: How = "click") -> Consequence | None:
    """The consequences of a click on the element, Enter in it, or sending what it holds.

    Without `ref`, those for the focused element; None if nothing has the focus. Raises ActionError for a ref without an
    element, PageUnresponsive, BrowserError.
    """
    if ref is not None:
        at = await locate(tab, ref)
        return await _ask(at.frame, at.local, how)
    frames = (await tab.frames()).all()
    outer = await _ask(frames[0], None, how)
    if outer is None or not outer.remote:
        return outer
    for frame in frames[1:]:
        inner = await _ask(frame, None, how)
        if inner is not None and inner.role not in ("", "generic", "document"):
            return inner
    return outer


async def described(tab: Tab, ref: str) -> str:
    """The role and name of the element for a question to a person; raises as `consequence`."""
    found = await consequence(tab, ref)
    return "" if found is None else f"{found.role} {quote(found.name)}"


async def _ask(frame: Frame, local: int | None, how: How) -> Consequence | None:
    world = await frame.world()
    outcome = (await world.call("consequenceOf", local, how, False, returning=_Answer)).of
    if outcome is not None and outcome.writes:
        with world.group() as group:
            if (listeners := await key_listeners(world, group)) is not None:
                outcome = (await world.call("consequenceOf", local, how, True, *listeners, returning=_Answer)).of
    return msgspec.structs.replace(outcome, url=frame.url) if outcome is not None else None

"""What an act would set off, looked up before it is done: whether a form is sent, and how; where a link leads."""

from __future__ import annotations

from typing import Literal

import msgspec

from cdp_agent.page.frames.frames import Frame
from cdp_agent.page.refs.locate import locate
from cdp_agent.page.snapshot.listeners import hearing_keys
from cdp_agent.page.tab.tab import Tab


class Submitted(msgspec.Struct, frozen=True):
    """A form that is sent. `action`: to an address that its author wrote; `fields`: how many are written into."""

    method: str
    action: bool
    secret: bool
    """There is a password in it."""
    search: bool
    """Its author says that it is for searching."""
    fields: int


How = Literal["click", "enter", "form"]


class Consequence(msgspec.Struct, frozen=True):
    """What the markup tells of a click, or of Enter; what scripts make of it nobody knows. `url`: the frame's."""

    role: str
    name: str
    form: Submitted | None = None
    link: str = ""
    download: bool = False
    writes: bool = False
    """Enter goes into a text of several lines, where something listens for keys: some pages take it as "send"."""
    remote: bool = False
    url: str = ""


class _Answer(msgspec.Struct, frozen=True):
    of: Consequence | None


async def consequence(tab: Tab, ref: str | None, how: How = "click") -> Consequence | None:
    """Of a click on the element, of Enter in it, or of sending its form; without a ref, of what has the focus.

    None when nothing has it. Raises ActionError for a ref of nothing, PageUnresponsive, BrowserError.
    """
    if ref is not None:
        at = await locate(tab, ref)
        return await _ask(at.frame, at.local, how)
    frames = (await tab.frames()).all()
    found = await _ask(frames[0], None, how)
    if found is None or not found.remote:
        return found
    for frame in frames[1:]:
        inner = await _ask(frame, None, how)
        if inner is not None and inner.role not in ("", "generic", "document"):
            return inner
    return found


async def _ask(frame: Frame, local: int | None, how: How) -> Consequence | None:
    world = await frame.world()
    found = (await world.call("consequenceOf", local, how, False, returning=_Answer)).of
    if found is not None and found.writes:
        with world.group() as group:
            if (hearing := await hearing_keys(world, group)) is not None:
                found = (await world.call("consequenceOf", local, how, True, *hearing, returning=_Answer)).of
    return msgspec.structs.replace(found, url=frame.url) if found is not None else None

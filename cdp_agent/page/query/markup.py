"""The current markup of the page: complete, or cleaned for reading as text."""

from __future__ import annotations

import msgspec

from cdp_agent.errors import ActionError, InvalidArguments
from cdp_agent.page.refs.locate import Located, locate
from cdp_agent.page.snapshot.budget import tokens
from cdp_agent.page.snapshot.frame_part import FramePart
from cdp_agent.page.snapshot.reading import Reading, Readings, read_all
from cdp_agent.page.tab.tab import Tab


class _Markup(msgspec.Struct, frozen=True):
    """The result of `outerHtml` in page/js; `wrong`: why the selector is invalid."""

    html: str | None
    wrong: str


class _MarkupPart(FramePart, frozen=True, kw_only=True):
    """The result of `cleanHtml` in page/js, with "\\x02" around the ids of iframes with content in another world."""

    html: str


class CleanHtml(msgspec.Struct, frozen=True):
    """Markup without scripts, styles, comments and handlers. `cut`: how many characters were left off at its end."""

    text: str
    cut: int = 0


async def outer_html(tab: Tab, selector: str) -> str:
    """The markup of the first element that matches, in any frame. Raises ActionError if there is none."""
    for frame in (await tab.frames()).all():
        markup = await (await frame.world()).call("outerHtml", selector, returning=_Markup)
        if markup.wrong:
            raise InvalidArguments(f"{selector!r} is no CSS selector: {markup.wrong}")
        if markup.html is not None:
            return markup.html
    raise ActionError(f"Nothing matches {selector} in any frame.")


async def clean_html(tab: Tab, ref: str | None = None, *, budget_tokens: int | None = None) -> CleanHtml:
    """The cleaned markup of the element, or of the page, with shadow roots and the documents of its frames inside.

    With a budget it is cut after that many tokens. Raises StaleRef, PageUnresponsive, BrowserError.
    """
    tree = await tab.frames()
    at = await locate(tab, ref) if ref is not None else None
    async with tab.reading_lock:
        readings = await read_all(tree, tab.refs, "cleanHtml", _MarkupPart, {"within": _scope(at)})
    html = _whole(readings, readings.by_frame[at.frame.id] if at else readings.root)
    if budget_tokens is None or (needed := tokens(html)) <= budget_tokens:
        return CleanHtml(html)
    kept = html[: len(html) * budget_tokens // needed]
    kept = kept[: kept.rfind("<")] if "<" in kept[-500:] else kept  # no half tag
    return CleanHtml(kept, len(html) - len(kept))


def _scope(at: Located | None) -> dict[str, object] | None:
    return {"frame": at.frame.id, "id": at.local} if at is not None else None


def _whole(readings: Readings[_MarkupPart], reading: Reading[_MarkupPart]) -> str:
    before, *rest = reading.part.html.split("\x02")
    pieces = [before]
    for owner, after in zip(rest[::2], rest[1::2], strict=True):
        child = readings.child(reading, int(owner))
        pieces += ["(not readable)" if isinstance(child, str) else _whole(readings, child), after]
    return "".join(pieces)

"""A tab: what a program and a model can see of it and do in it. Each subject has a module of its own.

What only some programs use is imported where it is used: together these modules take as long as all the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal

from cdp_agent.errors import ActionError, InvalidArguments

from . import navigation
from .locate import Located, Position, locate
from .receipts import Outcome, Receipt
from .recorder import perform, perform_unaimed
from .refs import parse_ref
from .snapshot import Snapshot
from .tab import Tab

if TYPE_CHECKING:
    from cdp_agent.secrets import Revealed

    from .find import FindResult
    from .markdown import Markdown
    from .scroll import Direction, Scrolled
    from .search import SearchResult

MouseButton = Literal["left", "right", "middle"]
SelectBy = Literal["text", "value", "index"]


class Page(Tab):
    """What a program and a model can see of a tab and do in it. Every action gives a `Receipt`."""

    async def snapshot(self, *, budget_tokens: int | None = None) -> Snapshot:
        """The page as text, every element that matters with a ref, all frames in document order.

        Without a budget it is complete; with one it is at most so many tokens long and its last line accounts for
        what was left out. A ref stays valid as long as its element lives. Frames that could not be read are in
        `omitted`. Raises PageUnresponsive, DocumentGone, BrowserError.
        """
        return await self.read(budget_tokens)

    async def goto(self, url: str, *, timeout_s: float = navigation.TIMEOUT_S) -> Receipt:
        """Opens an address and waits until it is settled. Raises NavigationFailed, PageUnresponsive, BrowserError."""
        return await navigation.goto(self, url, timeout_s=timeout_s)

    async def back(self) -> Receipt:
        """Goes back in the tab's history. Raises ActionError when there is no page to go back to."""
        return await navigation.back(self)

    async def forward(self) -> Receipt:
        """Goes forward in the tab's history. Raises ActionError when there is no page to go forward to."""
        return await navigation.forward(self)

    async def reload(self) -> Receipt:
        """Loads the page anew, also after it crashed."""
        return await navigation.reload(self)

    async def click(
        self, ref: str, *, button: MouseButton = "left", count: int = 1, position: Position | None = None
    ) -> Receipt:
        """Clicks the element with the mouse, `count` 2 for a double click. Raises NotInteractable, StaleRef.

        `position` is for canvases, drawings and maps: CSS pixels right of and below the element's left top corner.
        """
        from . import actions

        detail = {1: "", 2: "twice"}.get(count, f"{count} times")
        detail = " ".join(filter(None, (detail, "" if button == "left" else f"with the {button} button")))
        return await perform(
            self, "click", ref, lambda at: actions.click(at.at(position), button=button, count=count), detail=detail
        )

    async def hover(self, ref: str, *, position: Position | None = None) -> Receipt:
        """Moves the mouse over the element, or to a position in it as in `click`. Raises NotInteractable, StaleRef."""
        from . import actions

        return await perform(self, "hover", ref, lambda at: actions.hover(at.at(position)))

    async def drag(
        self,
        from_ref: str,
        to_ref: str,
        *,
        position: Position | None = None,
        to_position: Position | None = None,
    ) -> Receipt:
        """Drags one element with the mouse and drops it on another, or on another place in the same one.

        The positions are as in `click`; without them it goes from middle to middle. Raises NotInteractable, StaleRef.
        """
        from . import drag as dragging

        async def do(at: Located) -> Outcome:
            return await dragging.drag(at.at(position), (await locate(self, to_ref)).at(to_position))

        return await perform(self, "drag", from_ref, do, detail=f"to {to_ref}")

    async def fill(self, ref: str, text: str, *, append: bool = False) -> Receipt:
        """Replaces the text of a field, or adds to it; `value` is what it has then. Raises NotInteractable."""
        from . import fill as filling

        return await perform(self, "fill", ref, lambda at: filling.fill(at, text, append=append))

    async def fill_secret(self, ref: str, secret: Revealed, *, append: bool = False) -> Receipt:
        """Fills in what has secrets in it, only where they may be; see secret_fill.py. Raises BlockedByPolicy."""
        from . import secret_fill as filling

        return await perform(self, "fill", ref, lambda at: filling.fill_secret(at, secret, append=append))

    async def select_secret(self, ref: str, secret: Revealed, *, by: SelectBy = "text") -> Receipt:
        """Chooses the option that a secret names; see `fill_secret`."""
        from . import secret_fill as filling

        return await perform(self, "select", ref, lambda at: filling.select_secret(at, secret, by=by))

    async def select(self, ref: str, option: str | Sequence[str], *, by: SelectBy = "text") -> Receipt:
        """Chooses an option of a list, native or not; several where the list takes several.

        Raises NotInteractable, InvalidArguments that names the options there are, StaleRef.
        """
        from . import select as selecting

        return await perform(self, "select", ref, lambda at: selecting.select(at, option, by=by))

    async def check(self, ref: str) -> Receipt:
        """Checks a checkbox, radio button or switch, if it is not. Raises NotInteractable, StaleRef."""
        from . import actions

        return await perform(self, "check", ref, actions.check)

    async def uncheck(self, ref: str) -> Receipt:
        """Unchecks a checkbox or switch, if it is checked. Raises NotInteractable, StaleRef."""
        from . import actions

        return await perform(self, "uncheck", ref, actions.uncheck)

    async def focus(self, ref: str) -> Receipt:
        """Moves the keyboard focus to the element. Raises NotInteractable, StaleRef."""
        from . import actions

        return await perform(self, "focus", ref, actions.focus)

    async def press(self, key: str, *, ref: str | None = None) -> Receipt:
        """Presses a key or chord ("Enter", "Control+A") where the focus is, or in the element."""
        from . import actions, keyboard

        root = (await self.frames()).root
        if ref is None:
            return await perform_unaimed(self, "press", lambda: keyboard.press(root, key), detail=key)

        async def do(at: Located) -> Outcome:
            await actions.focus(at)
            return await keyboard.press(root, key)

        return await perform(self, "press", ref, do, detail=key)

    async def upload(self, ref: str, paths: Sequence[str]) -> Receipt:
        """Gives files to a file field, or to what opens one. Raises NotInteractable, InvalidArguments, StaleRef."""
        from . import upload as uploading

        return await perform(self, "upload", ref, lambda at: uploading.upload(at, paths))

    async def search(
        self,
        pattern: str,
        *,
        regex: bool = False,
        case_sensitive: bool = False,
        context_chars: int = 80,
        max_results: int = 10,
        cover: Callable[[str], str] | None = None,
    ) -> SearchResult:
        """Where the text that a reader sees matches, over all frames; see `search.search`."""
        from . import search as searching  # with the regex package

        tree = await self.frames()
        await self.adopt_saved()
        async with self.reading:
            result = await searching.search(
                tree,
                self.refs,
                pattern,
                regex=regex,
                case_sensitive=case_sensitive,
                context_chars=context_chars,
                max_results=max_results,
                cover=cover,
            )
        self.told |= {parse_ref(match.ref) for match in result.matches if match.ref}
        return result

    async def find(
        self,
        selector: str,
        *,
        within: str | None = None,
        attributes: Sequence[str] = (),
        max_results: int = 20,
        include_text: bool = True,
    ) -> FindResult:
        """The elements that match a CSS selector, over all frames and shadow roots; see `find.find`."""
        from . import find as finding

        tree = await self.frames()
        await self.adopt_saved()
        scope = await locate(self, within) if within is not None else None
        async with self.reading:
            result = await finding.find(
                tree,
                self.refs,
                selector,
                within=scope,
                attributes=attributes,
                max_results=max_results,
                include_text=include_text,
            )
        self.told |= {parse_ref(ref) for each in result.elements for ref in (each.ref, each.near_ref) if ref}
        return result

    async def scroll(
        self,
        direction: Direction = "down",
        *,
        pages: float = 1.0,
        pixels: int | None = None,
        ref: str | None = None,
    ) -> Scrolled:
        """Scrolls the page or a box in it, until what that loads has arrived; see `scroll.scroll`."""
        from . import scroll as scrolling

        return await scrolling.scroll(self, direction, pages=pages, pixels=pixels, ref=ref)

    async def wait_for(
        self,
        *,
        text: str | None = None,
        gone: str | None = None,
        selector: str | None = None,
        url: str | None = None,
        idle: bool | float | None = None,
        timeout_s: float = 10,
    ) -> Receipt:
        """Waits until all that is given holds, see wait.py. Raises ActionError that says what is there instead."""
        from . import wait as waits

        return await waits.wait_for(
            self, text=text, gone=gone, selector=selector, url=url, idle=idle, timeout_s=timeout_s
        )

    async def markdown(self, *, budget_tokens: int | None = None) -> str:
        """All that a reader sees of the page, as Markdown; see `contents`.

        With a budget it is at most so many tokens long, the main content first, and its last line says what was cut.
        """
        found = await self.contents()
        return found.text if budget_tokens is None else found.within(budget_tokens)

    async def contents(self) -> Markdown:
        """The page as Markdown in blocks, all frames in document order. Raises PageUnresponsive, BrowserError."""
        from . import markdown as markdowns  # with lxml

        tree = await self.frames()
        async with self.reading:
            return await markdowns.take(tree, self.refs)

    async def screenshot(self, *, full_page: bool = False, marks: bool = False) -> bytes:
        """A PNG of the viewport, or of the whole page; `marks`: with refs around what can be acted on in the viewport.

        The marks are painted onto the picture, not into the page. Raises PageUnresponsive, DocumentGone, BrowserError.
        """
        from .screenshot import screenshot

        return await screenshot(self, full_page=full_page, marks=marks)

    async def html(self, selector: str = "html") -> str:
        """The markup of the first element that matches, in any frame. Raises ActionError when there is none."""
        from .screenshot import Markup

        for frame in (await self.frames()).all():
            found = await (await frame.world()).call("outerHtml", selector, returning=Markup)
            if found.wrong:
                raise InvalidArguments(f"{selector!r} is no CSS selector: {found.wrong}")
            if found.html is not None:
                return found.html
        raise ActionError(f"Nothing matches {selector} in any frame.")

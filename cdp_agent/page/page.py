"""A tab: what a program and a model can see of it and do in it. Each subject has a module of its own."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from cdp_agent.page.actions import actions, keyboard, navigation, pointing
from cdp_agent.page.actions import drag as dragging
from cdp_agent.page.actions import fill as filling
from cdp_agent.page.actions import scroll as scrolling
from cdp_agent.page.actions import secret_fill as secret_filling
from cdp_agent.page.actions import select as selecting
from cdp_agent.page.actions import upload as uploading
from cdp_agent.page.actions import wait as waits
from cdp_agent.page.actions.scroll import Direction, Scrolled
from cdp_agent.page.receipts.action_runner import perform, perform_unaimed
from cdp_agent.page.refs.locate import Located, Position, locate

from .view import View

if TYPE_CHECKING:
    from cdp_agent.page.receipts.receipts import Outcome, Receipt
    from cdp_agent.security.secrets import Revealed

MouseButton = Literal["left", "right", "middle"]
SelectBy = Literal["text", "value", "index"]


class _Public(type):
    """Tells what programs use, for `help` and completion: most of a tab is for the modules of this package."""

    __signature__ = inspect.Signature()
    """Only a browser makes pages."""

    def __dir__(cls) -> list[str]:
        own = {name for kind in (Page, View) for name in vars(kind) if not name.startswith("_")}
        return sorted(own - _INTERNAL | _OF_TAB)


_OF_TAB = {"close", "closed", "evaluate", "number", "opener", "popups", "target_id", "title", "url"}
_INTERNAL = {"contents", "har_content", "fill_secret", "select_secret"}


class Page(View, metaclass=_Public):
    """What a program and a model can see of a tab and do in it. Every action gives a `Receipt`.

    Beside `url` it has `title`; `target_id`, the tab's id in Chrome; `number`, which one of all the tabs that the
    browser has had, from 1; `opener`, the page that opened it; `popups`, those that it opened; and `closed`.
    """

    def __dir__(self) -> list[str]:
        return dir(type(self))

    async def goto(self, url: str, *, timeout_s: float | None = None) -> Receipt:
        """Opens an address and waits until it is settled: `timeout_s` seconds, or the browser's `navigation_timeout_s`.

        Raises NavigationFailed, BlockedByPolicy, PageUnresponsive, BrowserError.
        """
        return await navigation.goto(self, url, timeout_s=timeout_s)

    async def back(self) -> Receipt:
        """Goes back in the tab's history. Raises ActionError when there is none to go back to, as `goto` else."""
        return await navigation.back(self)

    async def forward(self) -> Receipt:
        """Goes forward in the tab's history. Raises ActionError when there is none to go forward to, as `goto` else."""
        return await navigation.forward(self)

    async def reload(self) -> Receipt:
        """Loads the page anew, also after it crashed. Raises as `goto`."""
        return await navigation.reload(self)

    async def click(
        self,
        ref: str,
        *,
        button: MouseButton = "left",
        count: int = 1,
        position: Position | None = None,
        modifiers: Sequence[str] = (),
    ) -> Receipt:
        """Clicks the element with the mouse, `count` 2 for a double click. Raises NotInteractable, StaleRef.

        `position` is for canvases, drawings and maps: CSS pixels right of and below the element's left top corner.
        `modifiers` are held meanwhile: "Control", "Shift", "Alt", "Meta".
        """

        async def do(at: Located) -> Outcome:
            return await actions.click(at.at(position), button=button, count=count, modifiers=modifiers)

        return await perform(self, "click", ref, do, detail=pointing.click_told(button, count, modifiers))

    async def hover(self, ref: str, *, position: Position | None = None) -> Receipt:
        """Moves the mouse over the element, or to a position in it as in `click`. Raises NotInteractable, StaleRef."""
        return await perform(self, "hover", ref, lambda at: actions.hover(at.at(position)))

    async def drag(
        self,
        from_ref: str,
        to_ref: str | None = None,
        *,
        by: Position | None = None,
        position: Position | None = None,
        to_position: Position | None = None,
        hold_s: float = 0.0,
    ) -> Receipt:
        """Drags one element with the mouse and drops it on another, elsewhere in the same one, or `by` so many pixels.

        The positions are as in `click`; without them it goes from middle to middle. `by`: CSS pixels to the right and
        down from where it begins, in place of `to_ref`. `hold_s`: seconds to hold still after the press and before the
        drop, for lists that are sorted after a long press. Raises NotInteractable, StaleRef, InvalidArguments.
        """
        goal = dragging.goal(to_ref, by)

        async def do(at: Located) -> Outcome:
            to = goal if isinstance(goal, dragging.Offset) else (await locate(self, goal)).at(to_position)
            return await dragging.drag(at.at(position), to, hold_s=hold_s)

        return await perform(self, "drag", from_ref, do, detail=dragging.said(goal))

    async def fill(self, ref: str, text: str, *, append: bool = False, submit: bool = False) -> Receipt:
        """Replaces the text of a field, or adds to it; `value` is what it has then. `submit` presses Enter afterwards.

        Raises NotInteractable, StaleRef, InvalidArguments for what the field does not take and for a text of more than
        a million characters.
        """
        do = filling.fill_and_submit if submit else filling.fill
        return await perform(self, "fill", ref, lambda at: do(at, text, append=append), submits=submit)

    async def fill_secret(self, ref: str, secret: Revealed, *, append: bool = False) -> Receipt:
        """Fills in what has secrets in it, only where they may be; see secret_fill.py. Raises BlockedByPolicy."""
        return await perform(self, "fill", ref, lambda at: secret_filling.fill_secret(at, secret, append=append))

    async def select_secret(self, ref: str, secret: Revealed, *, by: SelectBy = "text") -> Receipt:
        """Chooses the option that a secret names; see `fill_secret`."""
        return await perform(self, "select", ref, lambda at: secret_filling.select_secret(at, secret, by=by))

    async def select(self, ref: str, option: str | Sequence[str], *, by: SelectBy = "text") -> Receipt:
        """Chooses an option of a list, native or not, `by` its text, value or index; several where it takes several.

        Raises NotInteractable, InvalidArguments that names the options there are, StaleRef.
        """
        return await perform(self, "select", ref, lambda at: selecting.select(at, option, by=by))

    async def check(self, ref: str) -> Receipt:
        """Checks a checkbox, radio button or switch, if it is not. Raises NotInteractable, StaleRef."""
        return await perform(self, "check", ref, actions.check)

    async def uncheck(self, ref: str) -> Receipt:
        """Unchecks a checkbox or switch, if it is checked. Raises NotInteractable, StaleRef."""
        return await perform(self, "uncheck", ref, actions.uncheck)

    async def focus(self, ref: str) -> Receipt:
        """Moves the keyboard focus to the element. Raises NotInteractable, StaleRef."""
        return await perform(self, "focus", ref, actions.focus)

    async def press(self, key: str, *, ref: str | None = None, repeat: int = 1) -> Receipt:
        """Presses a key or chord ("Enter", "Control+A") where the focus is, or in the element; `repeat` times.

        Raises InvalidArguments for a key that there is not, NotInteractable, StaleRef.
        """
        root = (await self.frames()).root
        detail = key if repeat == 1 else f"{key} {repeat} times"
        if ref is None:
            return await perform_unaimed(self, "press", lambda: keyboard.press(root, key, repeat), detail=detail)

        async def do(at: Located) -> Outcome:
            focused = await actions.focus(at)
            await keyboard.press(root, key, repeat)
            return focused

        return await perform(self, "press", ref, do, detail=detail)

    async def type(self, text: str, *, ref: str | None = None) -> Receipt:
        """Types into what has the focus, or into the element, a key for each character; line breaks are Enter.

        For what listens to keys: terminals, grids, canvases. It replaces nothing; `fill` is for fields. Raises
        InvalidArguments for more than a million characters.
        """
        keyboard.check_enterable(text)
        root = (await self.frames()).root
        detail = keyboard.told(text)
        if ref is None:
            return await perform_unaimed(self, "type", lambda: keyboard.type_text(root, text), detail=detail)

        async def do(at: Located) -> Outcome:
            focused = await actions.focus(at)
            await keyboard.type_text(root, text)
            return focused

        return await perform(self, "type", ref, do, detail=detail)

    async def upload(self, ref: str, paths: Sequence[str]) -> Receipt:
        """Gives the files at these paths to a file field, or to what opens one.

        Raises InvalidArguments for a file that is not there, NotInteractable, StaleRef.
        """
        return await perform(self, "upload", ref, lambda at: uploading.upload(at, paths))

    async def scroll(
        self,
        direction: Direction = "down",
        *,
        pages: float = 1.0,
        pixels: int | None = None,
        ref: str | None = None,
        to_text: str | None = None,
    ) -> Scrolled:
        """Scrolls the page, or with `ref` that element or the nearest box around it, until what that loads has arrived.

        `direction` is up, down, left, right, top, bottom, or into_view with `ref`; "bottom" follows a feed as long as
        it grows. `pages` is in viewports of what scrolls (0.1 to 20), `pixels` in CSS pixels wins over it. With
        `to_text` it goes on until that text is there and brings it into view, also in a list that draws only what is
        in view; from the end it begins again at the top. Raises InvalidArguments, StaleRef, PageUnresponsive,
        BrowserError.
        """
        return await scrolling.scroll(self, direction, pages=pages, pixels=pixels, ref=ref, to_text=to_text)

    async def wait_for(
        self,
        *,
        text: str | None = None,
        gone: str | None = None,
        selector: str | None = None,
        url: str | None = None,
        ref: str | None = None,
        navigation: bool = False,
        idle: bool | float | None = None,
        timeout_s: float = 10,
    ) -> Receipt:
        """Waits until all that is given holds at the same time, in any frame, and tells what changed meanwhile.

        `text` and `gone` are texts as a reader sees them, whatever the case and white space; `selector` is a CSS
        selector, in shadow roots too, of something that is shown; `url` a part of the address, or a pattern with `*`;
        `ref` an element that is there and shown. `navigation`: another page or address than before the last action.
        `idle`: so many seconds (True: half a second) without a request, apart from those that never end. Raises
        ActionError that says what is there instead after `timeout_s` seconds, InvalidArguments, BrowserError.
        """
        return await waits.wait_for(
            self,
            text=text,
            gone=gone,
            selector=selector,
            url=url,
            ref=ref,
            navigation=navigation,
            idle=idle,
            timeout_s=timeout_s,
        )

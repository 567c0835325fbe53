"""The public classes for a tab and for elements in it. Each subject is implemented in its own module."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Concatenate, Generic, Literal, ParamSpec, TypeVar

from cdp_agent.action_log import LogLine
from cdp_agent.page import parts
from cdp_agent.page.frames.world import CALL_TIMEOUT_S
from cdp_agent.page.locators.query import Find, Has, HasText, Near, Nth, Query, words
from cdp_agent.page.locators.target import Target, TargetT, ref_of
from cdp_agent.page.tab.dialog_policy import DialogPolicy
from cdp_agent.page.tab.tab import Tab
from cdp_agent.security.secrets import mask_all

from .get_by import GetBy, Text
from .readable_page import ReadablePage

if TYPE_CHECKING:
    from cdp_agent.page.actions.scroll import Direction, Scrolled
    from cdp_agent.page.locators.matching import Facts
    from cdp_agent.page.receipts.receipts import Receipt
    from cdp_agent.page.refs.locate import Position
    from cdp_agent.page.tab.dialogs import Dialog

MouseButton = Literal["left", "right", "middle"]
SelectBy = Literal["text", "value", "index"]


class Page(ReadablePage, GetBy["Locator"]):
    """A tab: reads its page and acts in it. Actions return a `Receipt`, `scroll` a `Scrolled`.

    Every method that calls into the page may raise PageUnresponsive, DocumentGone and BrowserError. An action that
    brings up a confirm, a prompt or a beforeunload stops there, unless `dialogs` says how to answer it: its receipt has
    the `dialog`. Until `answer_dialog`, every other call raises DialogOpen; so do `evaluate` and `scroll` at a dialog.
    """

    def _inside(self, find: Find) -> Locator:
        return Locator(self, Query((find,)))

    @property
    def target_id(self) -> str:
        """The target id of the tab in Chrome."""
        return self._tab.target_id

    @property
    def number(self) -> int:
        """The number of the tab among all that the browser has had, from 1."""
        return self._tab.number

    @property
    def title(self) -> str:
        """The title of the page in the tab."""
        return self._tab.title

    @property
    def url(self) -> str:
        """The address of the page in the tab."""
        return self._tab.url

    @property
    def opener(self) -> Page | None:
        """The tab that opened this one, or None."""
        return None if self._tab.opener is None else page_of(self._tab.opener)

    @property
    def popups(self) -> list[Page]:
        """The tabs that this one opened, in order; of those that are closed, only the last few."""
        return [page_of(each) for each in self._tab.popups]

    @property
    def closed(self) -> bool:
        """Whether the tab was closed or its session has ended, so that it can no longer be used."""
        return self._tab.closed

    @property
    def dialog(self) -> Dialog | None:
        """The open dialog that waits for an answer, of this tab or of one that it opened or that opened it."""
        return None if (found := parts.dialog_stops.open_dialog(self._tab)) is None else found[1]

    @property
    def log(self) -> list[LogLine]:
        """What the last ten actions in the tab decided, waited for, sent and read, oldest first; see docs/debugging.md.

        A receipt and an error have the lines of their own action. A program's secrets are masked.
        """
        return mask_all([line for log in self._tab.acts.logs for line in log.lines])

    async def answer_dialog(self, accept: bool, text: str | None = None) -> Receipt:
        """Answers the open `dialog`, with `text` for a prompt, and returns the receipt of the action that it stopped.

        `Receipt.dialog` is the next one, if any. Raises ActionError if none is open, and what the action raises.
        """
        return await parts.dialog.answer_dialog(self._tab, "accept" if accept else "dismiss", text)

    def set_dialogs(self, policy: DialogPolicy) -> None:
        """Sets how the dialogs of the tab are answered from now on, in place of the browser's `dialogs`."""
        self._tab.dialog_policy = policy

    async def close(self) -> None:
        """Closes the tab, even if its page asks for confirmation (`beforeunload`): what was not sent is lost.

        The tab is closed even if the call is cancelled.
        """
        await self._tab.close()

    async def evaluate(self, function_or_expression: str, *arguments: object, timeout_s: float = CALL_TIMEOUT_S) -> Any:
        """The JSON value of a JavaScript function, called with JSON `arguments`, or of an expression or statements.

        Runs in the page's main world and awaits promises; undefined is None, a date is its `toJSON`. Raises ScriptError
        if it throws or gives what is no JSON value, such as an element or NaN; PageUnresponsive after `timeout_s`.
        """
        return await parts.evaluating.evaluate(self._tab, function_or_expression, arguments, timeout_s)

    async def goto(self, url: str, *, timeout_s: float | None = None, leave: bool = False) -> Receipt:
        """Opens an address and waits until the page has settled.

        `timeout_s` defaults to the browser's `navigation_timeout_s`. `leave`: even if the page asks whether to, and
        something would be lost that was filled in and not sent. Raises NavigationFailed, BlockedByPolicy.
        """
        return await parts.navigation.goto(self._tab, url, timeout_s=timeout_s, leave=leave)

    async def back(self, *, leave: bool = False) -> Receipt:
        """Goes back in the tab's history. Raises ActionError if there is no earlier page, else as `goto`."""
        return await parts.navigation.back(self._tab, leave=leave)

    async def forward(self, *, leave: bool = False) -> Receipt:
        """Goes forward in the tab's history. Raises ActionError if there is no later page, else as `goto`."""
        return await parts.navigation.forward(self._tab, leave=leave)

    async def reload(self, *, leave: bool = False) -> Receipt:
        """Reloads the page, even after it crashed. Raises as `goto`."""
        return await parts.navigation.reload(self._tab, leave=leave)

    async def click(
        self,
        ref: Target,
        *,
        button: MouseButton = "left",
        count: int = 1,
        position: Position | None = None,
        modifiers: Sequence[str] = (),
    ) -> Receipt:
        """Clicks the element with the mouse, `count` 2 for a double click. Raises NotInteractable, StaleRef.

        `position` is for canvases, drawings and maps: CSS pixels right of and below the element's top left corner.
        `modifiers` are keys held during the click: "Control", "Shift", "Alt", "Meta".
        """
        return await parts.actions.click_ref(
            self._tab, await ref_of(self._tab, ref), button=button, count=count, position=position, modifiers=modifiers
        )

    async def hover(self, ref: Target, *, position: Position | None = None) -> Receipt:
        """Moves the mouse over the element, or to a position in it as in `click`. Raises NotInteractable, StaleRef."""
        return await parts.action_runner.perform(
            self._tab, "hover", await ref_of(self._tab, ref), lambda at: parts.actions.hover(at.at(position))
        )

    async def drag(
        self,
        from_ref: Target,
        to_ref: Target | None = None,
        *,
        by: Position | None = None,
        position: Position | None = None,
        to_position: Position | None = None,
        hold_s: float = 0.0,
    ) -> Receipt:
        """Drags an element with the mouse and drops it on another one, elsewhere in the same one, or at a distance.

        Positions are as in `click`; they default to the middle of each element. `by` is the distance in CSS pixels to
        the right and down, instead of `to_ref`. `hold_s` is how many seconds to hold still after the press and before
        the drop, for lists that are sorted after a long press. Raises NotInteractable, StaleRef, InvalidArguments.
        """
        return await parts.drag.drag_ref(
            self._tab,
            await ref_of(self._tab, from_ref),
            await ref_of(self._tab, to_ref),
            by=by,
            position=position,
            to_position=to_position,
            hold_s=hold_s,
        )

    async def fill(self, ref: Target, text: str, *, append: bool = False, submit: bool = False) -> Receipt:
        """Replaces the text of a field, or appends to it; `submit` then sends it. `Receipt.value` is the new text.

        It presses Enter; where that only adds a line, it takes that away and clicks the button that sends the text.

        Raises NotInteractable, also if nothing sends it, StaleRef, and InvalidArguments for a text that the field does
        not accept, or that is not what it then holds, in whatever format, or of over a million characters.
        """
        do = parts.submitting.fill_and_submit if submit else parts.combobox.fill_field
        return await parts.action_runner.perform(
            self._tab, "fill", await ref_of(self._tab, ref), lambda at: do(at, text, append=append), submits=submit
        )

    async def fill_form(self, values: Mapping[TargetT, str], *, submit: bool = False) -> Receipt:
        """Fills in several fields, by their refs, and waits for the page once; `Receipt.fields` has the result of each.

        The value for a list is the text of an option, for a check box "on" or "off", for a radio button "on". `submit`
        then clicks the form's submit button. Raises as `fill`, `select`, `check` and `click`; the message names the
        fields that were already filled.
        """
        by_ref = {await ref_of(self._tab, target): value for target, value in values.items()}
        return await parts.form.fill_form(self._tab, by_ref, submit=submit)

    async def select(self, ref: Target, option: str | Sequence[str], *, by: SelectBy = "text") -> Receipt:
        """Chooses an option of a list, native or not, `by` its text, value or index; several if the list allows it.

        Raises NotInteractable, StaleRef, and InvalidArguments, which names the existing options.
        """
        return await parts.action_runner.perform(
            self._tab, "select", await ref_of(self._tab, ref), lambda at: parts.select.select(at, option, by=by)
        )

    async def check(self, ref: Target) -> Receipt:
        """Checks a checkbox, radio button or switch, unless it is checked. Raises NotInteractable, StaleRef."""
        return await parts.action_runner.perform(self._tab, "check", await ref_of(self._tab, ref), parts.actions.check)

    async def uncheck(self, ref: Target) -> Receipt:
        """Unchecks a checkbox or switch if it is checked. Raises as `check`; InvalidArguments for a radio button."""
        return await parts.action_runner.perform(
            self._tab, "uncheck", await ref_of(self._tab, ref), parts.actions.uncheck
        )

    async def focus(self, ref: Target) -> Receipt:
        """Moves the keyboard focus to the element. Raises NotInteractable, StaleRef."""
        return await parts.action_runner.perform(self._tab, "focus", await ref_of(self._tab, ref), parts.actions.focus)

    async def press(self, key: str, *, ref: Target | None = None, repeat: int = 1) -> Receipt:
        """Presses a key or chord ("Enter", "Control+A") `repeat` times where the focus is, or in an element.

        Several keys, separated by spaces ("g i", "Control+K Control+S"), are pressed one after the other.

        Raises InvalidArguments for a key that does not exist, NotInteractable, StaleRef.
        """
        return await parts.actions.press_key(self._tab, key, await ref_of(self._tab, ref), repeat)

    async def type(self, text: str, *, ref: Target | None = None) -> Receipt:
        """Types where the focus is, or into an element, one key per character; a line break presses Enter.

        For elements that handle keys themselves: terminals, grids, canvases. Replaces no text; `fill` is for fields.
        Where the first key opens a field, as in a grid, the others wait for it. Raises InvalidArguments for more than a
        million characters, and for a field that then holds something that does not mean what was typed.
        """
        return await parts.actions.type_keys(self._tab, text, await ref_of(self._tab, ref))

    async def upload(self, ref: Target, paths: Sequence[str]) -> Receipt:
        """Gives files to a file field, to an element that opens a file chooser, or to where files are dropped.

        Raises InvalidArguments for a file that does not exist, NotInteractable, StaleRef.
        """
        return await parts.action_runner.perform(
            self._tab, "upload", await ref_of(self._tab, ref), lambda at: parts.upload.upload(at, paths)
        )

    async def scroll(
        self,
        direction: Direction = "down",
        *,
        pages: float = 1.0,
        pixels: int | None = None,
        ref: Target | None = None,
        to_text: str | None = None,
    ) -> Scrolled:
        """Scrolls the page, or the element of `ref` or the nearest box around it, and waits for content this loads.

        `direction` is up, down, left, right, top, bottom, or into_view with `ref`; "bottom" and "top" go on while more
        is loaded. `pages` is in viewports of the scrolling box (0.1 to 20); `pixels`, in CSS pixels, is one move
        instead. With `to_text` that text is brought into view: where it is already, else by scrolling in the direction
        until it is there, even in a list that renders only visible rows; downwards it starts again from the top at the
        end. That an end is reached is told only if nothing more came there for 1.4 s. Raises ActionError if the text
        is not found, or not within 30 s: then the same call goes on; InvalidArguments, StaleRef.
        """
        at = await ref_of(self._tab, ref)
        return await parts.scroll.scroll(self._tab, direction, pages=pages, pixels=pixels, ref=at, to_text=to_text)

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
        """Waits until all given conditions hold at the same time, in any frame; the receipt has the changes meanwhile.

        `text` is visible, `gone` is not, ignoring case and white space; `selector` matches a visible element, also in
        shadow roots; `url` is a part of the address, or a pattern with `*`; the element of `ref` exists and is visible.
        `navigation`: the page or address differs from the one before the last action. `idle`: this many seconds (True:
        half a second) without a request, except those that never end. A `text` that came and went since the last
        receipt counts as well, and `Receipt.note` says so. Raises ActionError after `timeout_s` seconds, which states
        what is there instead; InvalidArguments, BrowserError.
        """
        return await parts.wait.wait_for(
            self._tab,
            text=text,
            gone=gone,
            selector=selector,
            url=url,
            ref=ref,
            navigation=navigation,
            idle=idle,
            timeout_s=timeout_s,
        )


P = ParamSpec("P")
R = TypeVar("R")


class _OfPage(Generic[P, R]):
    """A method of Page that takes an element first, as a method of the locator."""

    def __init__(self, method: Callable[Concatenate[Page, Target, P], Coroutine[Any, Any, R]]) -> None:
        self._method = method

    def __get__(self, locator: Locator, owner: type[Locator]) -> Callable[P, Coroutine[Any, Any, R]]:
        return partial(self._method, locator.page, locator)


class Locator(GetBy["Locator"]):
    """Elements of a page by what they are. It does nothing until it is used, and then looks at the page as it is.

    `str(locator)` is its text form, which is taken wherever a ref is. What acts needs one element: it waits for it, for
    the browser's `action_timeout_s` or 5 s, and raises AmbiguousLocator if several fit, NoMatch if none comes.
    """

    page: Page
    """The page that it is of."""
    query: Query
    """What it says, as a value."""

    def __init__(self, page: Page, query: Query) -> None:
        """Made by `Page.get_by_role` and the like."""
        self.page = page
        self.query = query

    def __str__(self) -> str:
        return str(self.query)

    def __repr__(self) -> str:
        return f"<Locator {self.query}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Locator) and (other.page, other.query) == (self.page, self.query)

    def __hash__(self) -> int:
        return hash((id(self.page), self.query))

    def _inside(self, find: Find) -> Locator:
        return Locator(self.page, self.query.then(find))

    def filter(self, *, has_text: Text | None = None, has: Locator | None = None) -> Locator:
        """Those that contain a text, or what another locator means."""
        steps = [HasText(words(has_text))] if has_text is not None else []
        return Locator(self.page, self.query.then(*steps, *([Has(has.query)] if has is not None else [])))

    def near(self, text: Text) -> Locator:
        """Those that share the smallest box with a text: the row, card or form in which it stands."""
        return Locator(self.page, self.query.then(Near(words(text))))

    def nth(self, index: int) -> Locator:
        """The one at that place, from 0; from the end if it is negative."""
        return Locator(self.page, self.query.then(Nth(index)))

    @property
    def first(self) -> Locator:
        """The first of them."""
        return self.nth(0)

    @property
    def last(self) -> Locator:
        """The last of them."""
        return self.nth(-1)

    async def count(self) -> int:
        """How many there are now."""
        return len(await parts.matching.matches(self.page._tab, self.query))

    async def all(self) -> list[Locator]:
        """A locator of each that there is now, by its place."""
        return [self.nth(index) for index in range(await self.count())]

    async def ref(self) -> str:
        """The ref of the element, waited for. Raises AmbiguousLocator, NoMatch."""
        return (await parts.matching.one(self.page._tab, self.query)).ref

    async def text(self) -> str:
        """The text of the element as it is shown. Raises AmbiguousLocator, NoMatch, as all that follow."""
        return (await self._facts()).text

    async def value(self) -> str | None:
        """What the field holds; None for a secret."""
        return (await self._facts()).value

    async def attribute(self, name: str) -> str | None:
        """The value of an attribute, an address made absolute; None if it has none."""
        return (await self._facts(name)).attribute

    async def box(self) -> tuple[float, float, float, float]:
        """Left, top, width and height, in CSS pixels of its frame's viewport."""
        return (await self._facts()).box

    async def is_visible(self) -> bool:
        """Whether there is such an element now, and it is shown. Does not wait."""
        tab = self.page._tab
        found = await parts.matching.matches(tab, self.query)
        return bool(found) and (await parts.matching.facts(await parts.matching.only(tab, self.query, found))).visible

    async def wait(self, *, timeout_s: float = 10) -> Locator:
        """Waits until there is such an element. Raises WaitTimeout, AmbiguousLocator."""
        await parts.matching.wait(self.page._tab, self.query, timeout_s)
        return self

    async def _facts(self, attribute: str | None = None) -> Facts:
        return await parts.matching.facts(await parts.matching.one(self.page._tab, self.query), attribute)

    click = _OfPage(Page.click)
    hover = _OfPage(Page.hover)
    drag = _OfPage(Page.drag)
    fill = _OfPage(Page.fill)
    select = _OfPage(Page.select)
    check = _OfPage(Page.check)
    uncheck = _OfPage(Page.uncheck)
    focus = _OfPage(Page.focus)
    upload = _OfPage(Page.upload)


def page_of(tab: Tab) -> Page:
    """The Page of the tab, always the same object."""
    if not isinstance(tab.page_object, Page):
        tab.page_object = Page(tab)
    return tab.page_object


def tab_of(page: Page) -> Tab:
    """The tab behind the page, for code above this package that needs more than the public methods."""
    return page._tab

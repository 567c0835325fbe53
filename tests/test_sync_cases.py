"""The blocking classes do what the async ones do: the same tests, with a blocking page or browser behind `await`."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator, Callable, Iterator
from types import FunctionType, ModuleType
from typing import Any

import pytest

from cdp_agent.page.page import Page as AsyncPage
from cdp_agent.page.tab.tab import Tab
from cdp_agent.sync import Browser, Page
from cdp_agent.sync.background import call
from tests import test_markup, test_navigation, test_page
from tests.conftest import Serve
from tests.detached import DetachedChrome
from tests.one_tab import OneTab
from tests.tiers import _names

MODULES: list[ModuleType] = [test_markup, test_navigation, test_page]
_FIXTURES = {"hanging", "monkeypatch"}
"""Those of the modules' own."""
_LEAST_NAMES = 15


class Awaited:
    """A blocking object whose calls are awaited, so that a test that was written for the async one takes it."""

    def __init__(self, face: Any) -> None:
        self._face = face

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._face, name)
        if not inspect.ismethod(value):
            return _awaited(value)

        async def call(*args: Any, **keywords: Any) -> Any:
            return _awaited(await asyncio.to_thread(value, *args, **keywords))

        return call

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Awaited) and other._face == self._face

    def __hash__(self) -> int:
        return hash(self._face)


def _awaited(value: Any) -> Any:
    if isinstance(value, list):
        return [_awaited(each) for each in value]
    return Awaited(value) if isinstance(value, (Browser, Page)) else value


_OF_TAB = {*Tab.__init__.__code__.co_names, *(name for kind in AsyncPage.__mro__ for name in vars(kind))}
_PUBLIC = {name for kind in (Browser, Page) for name in vars(kind) if not name.startswith("_")}
_INTERNAL = {"launch", "new_context", *(name for name in _OF_TAB if not name.startswith("__"))} - {*dir(AsyncPage)}
"""What no blocking object has; what a test enters by `async with` is an async one: a browser, a context."""


def _uses_what_is_public(function: Callable[..., Any], seen: set[object]) -> bool:
    """Whether the test, and the functions of the tests that it calls, keep to what programs use."""
    function = inspect.unwrap(function)
    if not isinstance(function, FunctionType) or function in seen:
        return True
    seen.add(function)
    names = set(_names(function.__code__))
    called = [function.__globals__.get(name) for name in names]
    if names & _INTERNAL or any(
        isinstance(each, (FunctionType, ModuleType)) and _is_of_package(each) for each in called
    ):
        return False
    return all(_uses_what_is_public(each, seen) for each in called if isinstance(each, FunctionType))


def _is_of_package(value: object) -> bool:
    """Whether it is a function or a module of the package, which would get what only a test is to have."""
    name = value.__module__ if isinstance(value, FunctionType) else getattr(value, "__name__", "")
    return isinstance(value, (FunctionType, ModuleType)) and name.startswith("cdp_agent.")


def _cases() -> Iterator[tuple[str, Callable[..., Any]]]:
    for module in MODULES:
        for name, function in vars(module).items():
            if name.startswith("test_") and inspect.iscoroutinefunction(function):
                yield f"{name}__{module.__name__.rpartition('.')[2]}", function


def _public_names(function: Callable[..., Any], seen: set[object]) -> set[str]:
    """What the test, and the functions of the tests that it calls, use of pages and browsers."""
    function = inspect.unwrap(function)
    if not isinstance(function, FunctionType) or function in seen:
        return set()
    seen.add(function)
    names = set(_names(function.__code__))
    called = [each for name in names if isinstance(each := function.__globals__.get(name), FunctionType)]
    return (names & _PUBLIC).union(*(_public_names(each, seen) for each in called))


def _kept() -> Iterator[tuple[str, Callable[..., Any]]]:
    """The classes are made from the async ones: of what they have, one test of each name is enough."""
    functions = {
        name: function
        for name, function in _cases()
        if _FIXTURES.isdisjoint(inspect.signature(function).parameters) and _uses_what_is_public(function, set())
    }
    used = {name: _public_names(function, set()) for name, function in functions.items()}
    shown: set[str] = set()
    while used:
        name = max(used, key=lambda each: len(used[each] - shown))
        if used[name] <= shown:
            return
        shown |= used.pop(name)
        yield name, functions[name]


_KEPT = dict(_kept())
globals().update(_KEPT)


ACTED_IN = """<title>Shop</title><p>Green tea</p><button onclick="document.title = 'Bought'">Buy</button>
<label>Name <input></label><div style="height: 3000px"></div>"""


async def test_what_is_asked_of_a_page_and_done_in_it_is_answered(page: AsyncPage, serve: Serve) -> None:
    """Shortly, what the modules take longer for."""
    await page.goto(serve(ACTED_IN))

    (button,) = (await page.find("button")).elements
    done = [
        await page.hover(button.ref),
        await page.click(button.ref),
        await page.focus((await page.find("input")).elements[0].ref),
        await page.press("a"),
    ]
    filled = await page.fill(done[2].ref or "", "Ada")
    scrolled = await page.scroll("bottom")

    assert [each.action for each in done] == ["hover", "click", "focus", "press"]
    assert (await page.search("green tea")).total == 1
    assert [(each.role, each.label) for each in (await page.schema()).elements] == [
        ("button", "Buy"),
        ("textbox", "Name"),
    ]
    assert (filled.value, scrolled.at_bottom) == ("Ada", True)
    assert await page.evaluate("[document.title, scrollY > 1000]") == ["Bought", True]


def test_much_of_what_the_classes_have_is_tried() -> None:
    tried = [*_KEPT.values(), test_what_is_asked_of_a_page_and_done_in_it_is_answered]
    assert len(set().union(*(_public_names(each, set()) for each in tried))) > _LEAST_NAMES


@pytest.fixture(scope="module")
def sync_browser(detached: DetachedChrome) -> Iterator[Browser]:
    with Browser.connect(detached.endpoint) as browser:
        yield browser


@pytest.fixture(scope="module")
def one_tab(sync_browser: Browser) -> Iterator[OneTab]:
    tab = OneTab(sync_browser._async)
    yield tab
    call(tab.close())


@pytest.fixture
async def browser(sync_browser: Browser, one_tab: OneTab) -> AsyncIterator[Awaited]:
    before = sync_browser.pages
    yield Awaited(sync_browser)
    for page in sync_browser.pages:
        if page not in before and page.target_id != one_tab.target_id:
            page.close()


@pytest.fixture
async def page(one_tab: OneTab) -> AsyncIterator[Awaited]:
    yield Awaited(Page(call(one_tab.take())))
    call(one_tab.give_back())

"""Three tiers, each test in one: `slow` says it of itself, `chrome` starts a Chrome or has one, `unit` is the rest.

Files with slow tests come first and those with unit tests alone come last: nothing long is left over for one process.
"""

from __future__ import annotations

import inspect
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, TypeGuard

import pytest

TIERS = ("slow", "chrome", "unit")
_LAUNCHING = {"launch", "start_detached", "start_with_pipe", "start_with_port"}
SLOW_TEST_S = 600.0


def sort_into_tiers(items: list[pytest.Item]) -> None:
    """Gives each test the marker of its tier, and the slow ones the time that they may take; orders the files."""
    place: dict[Path, int] = {}
    launching: dict[int, bool] = {}
    for item in items:
        marked = {mark.name for mark in item.iter_markers()}
        tier = next((name for name in TIERS if name in marked), "")
        if tier == "slow":
            item.add_marker(pytest.mark.timeout(SLOW_TEST_S))
        elif not tier:
            tier = "chrome" if _starts_chrome(item, launching) else "unit"
            item.add_marker(tier)
        place[item.path] = min(TIERS.index(tier), place.get(item.path, len(TIERS)))
    items.sort(key=lambda item: place[item.path])


def shuffle(items: list[pytest.Item], seed: str) -> None:
    """Puts the files in a random order, and in each of them its tests; the same for the same seed."""
    chance = random.Random(seed)
    place = {path: chance.random() for path in sorted({item.path for item in items})}
    chance.shuffle(items)
    items.sort(key=lambda item: place[item.path])


def _starts_chrome(item: pytest.Item, launching: dict[int, bool]) -> bool:
    """Whether the test, one of its fixtures, or a function of the tests that they call, launches a Chrome.

    The rows of a table have the same of these: what was found out of one is noted.
    """
    assert isinstance(item, pytest.Function)
    asks_for = item._fixtureinfo  # pytest has no public word for it
    if id(asks_for) not in launching:
        fixtures = [fixture.func for of in asks_for.name2fixturedefs.values() for fixture in of]
        launching[id(asks_for)] = any(map(_launches, [item.function, *fixtures]))
    return launching[id(asks_for)]


def _launches(function: Callable[..., Any], known: dict[FunctionType, bool] = {}) -> bool:  # noqa: B006 (it remembers)
    function = inspect.unwrap(function)
    if not isinstance(function, FunctionType):
        return False
    if function not in known:
        known[function] = False  # while it is looked into: functions may call each other
        names = set(_names(function.__code__))
        called = [each for name in names if _is_ours(each := function.__globals__.get(name))]
        known[function] = not names.isdisjoint(_LAUNCHING) or any(map(_launches, called))
    return known[function]


def _is_ours(value: object) -> TypeGuard[FunctionType]:
    return isinstance(value, FunctionType) and value.__module__.partition(".")[0] in ("tests", "fixtures", "bench")


def _names(code: CodeType) -> Iterator[str]:
    """Whatever the code, and what is defined inside it, names: globals, attributes, imports."""
    yield from code.co_names
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _names(inner)

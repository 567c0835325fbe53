"""TodoMVC, which keeps its list in the browser's storage, and judged by that."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.evals.own.case import Episode, Site, own, quoted
from bench.evals.task import Play, last_match
from bench.step_apps import todo_mvc

THINGS = ["Feed the cat", "Water the ferns", "Call Ada", "Mend the gate", "Bake bread", "Wax the skis", "Sow the rye"]
FIELD = "textbox"


@contextmanager
def todos(folder: Path, rng: random.Random) -> Iterator[Site]:
    with todo_mvc() as url:
        yield Site(f"{url}/react/index.html", folder)


TODOS = ("TodoMVC", todos)


def _things(rng: random.Random) -> dict[str, str]:
    return dict(zip(("first", "second", "third", "fourth"), rng.sample(THINGS, 4), strict=True))


async def _kept(episode: Episode) -> dict[str, bool]:
    """Of each thing in the list whether it is done."""
    stored = await episode.page.evaluate("localStorage.getItem('react-todos')")
    return {todo["title"]: todo["completed"] for todo in json.loads(str(stored or "[]"))}


async def _one_done(episode: Episode) -> str:
    asked = episode.asked
    kept = await _kept(episode)
    return "" if kept == {asked["first"]: False, asked["third"]: False} else f"the list is {kept}"


async def _reworded(episode: Episode) -> str:
    asked = episode.asked
    kept = await _kept(episode)
    return "" if kept == {asked["first"]: False, asked["third"]: True} else f"the list is {kept}"


async def _add(play: Play, *things: str) -> None:
    for thing in things:
        await play.call("fill", ref=play.ref(FIELD), value=thing, submit=True)


@own(
    "todos_clear",
    TODOS,
    "Add '{first}', '{second}' and '{third}' to the list. Tick off '{second}', and clear what is completed.",
    _one_done,
    asked=_things,
)
async def clear(play: Play) -> None:
    _, second, _ = things = quoted(play)
    await _add(play, *things)
    await play.call("check", ref=play.ref("checkbox", near=second))
    await play.call("click", ref=play.ref('button "Clear completed'))
    await play.answer(f"Of the list there are {play.seen('2 items left')}.")


@own(
    "todos_reword",
    TODOS,
    "Add '{first}' and '{second}' to the list. Change '{second}' to '{third}', and tick it off.",
    _reworded,
    asked=_things,
)
async def reword(play: Play) -> None:
    """By a double click on it."""
    first, second, third = quoted(play)
    await _add(play, first, second)
    places = await play.call("search_page", pattern=second)
    await play.call("click", ref=last_match(rf"«{second}».*\[ref=(E\d+)\]", places), count=2)
    await play.call("fill", ref=play.ref(f"textbox.*{second}"), value=third, submit=True)
    await play.call("check", ref=play.ref("checkbox", near=third))
    await play.answer(f"Of the list there is {play.seen('1 item left')}.")

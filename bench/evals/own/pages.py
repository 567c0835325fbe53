"""Cypress's kitchen sink, whose pages keep nothing; judged by the values and classes of their elements."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.evals.own.case import Episode, Site, own, quoted
from bench.evals.task import Play
from bench.step_apps import kitchen_sink


@contextmanager
def pages(folder: Path, rng: random.Random) -> Iterator[Site]:
    with kitchen_sink() as url:
        yield Site(url, folder)


PAGES = ("kitchen sink", pages)


def _values(rng: random.Random) -> dict[str, str]:
    return {
        "address": f"{rng.choice(['ada', 'tor', 'ine'])}@example.com",
        "coupon": rng.choice(["HALFOFF", "SPRING", "FREE"]),
        "fruit": rng.choice(["apples", "oranges", "bananas"]),
        "range": str(rng.randint(1, 20) * 5),
    }


async def _entered(episode: Episode) -> str:
    values = await episode.page.evaluate(
        "[document.querySelector('.action-email').value, document.querySelector('#couponCode1').value, "
        "document.querySelector('.action-select').selectedOptions[0].textContent, "
        "document.querySelector('.trigger-input-range').value, document.querySelector('.action-form + p') !== null]"
    )
    asked = episode.asked
    wanted = [asked["address"], asked["coupon"], asked["fruit"], asked["range"], True]
    return "" if values == wanted else f"the page has {values}"


@own(
    "pages_actions",
    PAGES,
    "On this page, enter the mail address '{address}', send the form with the coupon code '{coupon}', choose '{fruit}' "
    "in the list of fruit, and set the slider to {range}.",
    _entered,
    asked=_values,
    path="/commands/actions.html",
)
async def actions(play: Play) -> None:
    address, coupon, fruit = quoted(play)
    number = play.utterance.rpartition("slider to ")[2].rstrip(".")
    await play.call("fill", ref=play.ref('"Email address"'), value=address)
    await play.call("fill", ref=play.ref('"Coupon Code"'), value=coupon)
    await play.call("click", ref=play.ref('button "Submit"'))
    await play.call("select", ref=play.ref("combobox", near='option "apples"'), value=fruit)
    await play.call("fill", ref=play.ref("slider"), value=number)
    await play.answer(play.seen("Your form has been submitted!"))


async def _todos_left(episode: Episode) -> str:
    left = await episode.page.evaluate(
        "[...document.querySelectorAll('.todo-list li')]"
        ".map(e => [e.innerText.trim(), e.className.includes('completed')])"
    )
    wanted = [["Walk the dog", False], [episode.asked["coupon"], False]]
    return "" if left == wanted else f"the list is {left}"


@own(
    "pages_todo",
    PAGES,
    "Add '{coupon}' to this list, tick off 'Pay electric bill', and clear what is completed.",
    _todos_left,
    asked=_values,
    path="/todo.html",
)
async def todo(play: Play) -> None:
    new, old = quoted(play)
    await play.call("fill", ref=play.ref('textbox "What needs'), value=new, submit=True)
    await play.call("check", ref=play.ref("checkbox", near=old))
    await play.call("click", ref=play.ref('button "Clear completed'))
    await play.answer("Two are left.")

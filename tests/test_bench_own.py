"""Our own tasks of `python -m bench.evals`, and whether what their policies need is in the view."""

from __future__ import annotations

import pytest

from bench.evals.episodes import How, play
from bench.evals.own import tasks
from bench.evals.task import NotInView, Play
from bench.evals.views import cut, shows, words
from cdp_agent import Browser, Page
from cdp_agent.page.snapshot.budget import tokens

TABLE = """\
- row:
  - link "Ada" [ref=E1] → /1
  - button "Delete" [ref=E2]
- row:
  - link "Tor" [ref=E3] → /2
  - button "Delete" [ref=E4]
"""
SHOP = [task.name for task in tasks() if task.app == "shop"]


def playing(page: Page, view: str) -> Play:
    async def ask(tool: str, arguments: dict[str, object]) -> tuple[str, str]:
        return view, ""

    return Play(page, "", view, ask)


def test_there_are_forty_tasks_on_at_least_eight_applications() -> None:
    assert len({task.name for task in tasks()}) == len(tasks()) == 40
    assert len({task.app for task in tasks()}) >= 8


@pytest.mark.parametrize(("name", "seed"), [(name, number % 2) for number, name in enumerate(SHOP)])
async def test_the_tasks_of_the_shop_are_solved_by_their_policies(
    shared_browser: Browser, name: str, seed: int
) -> None:
    (task,) = [task for task in tasks() if task.name == name]

    episode = await play(task, seed, How(), shared_browser)

    assert (episode.solved, episode.why) == (True, "")


def test_a_line_is_told_by_the_line_that_it_is_near(page: Page) -> None:
    table = playing(page, TABLE)

    assert table.ref("Delete", near="Delete") == "E4"
    assert table.ref("link", near='"Tor"') == "E3"
    assert table.ref("Delete", near='"Tor"') == "E2"
    with pytest.raises(NotInView, match="near 'Ine'"):
        table.ref("link", near="Ine")


def test_a_snapshot_is_cut_after_its_last_whole_line() -> None:
    text = cut(TABLE, 30)

    assert TABLE.startswith(text)
    assert tokens(text) <= 30 < tokens(cut(TABLE, 1_000))


def test_an_element_is_shown_by_as_many_of_its_kind() -> None:
    line = TABLE.splitlines()[5]

    assert shows(TABLE, line, TABLE)
    assert not shows(cut(TABLE, 30), line, TABLE)


def test_a_text_is_the_same_however_it_is_parted() -> None:
    assert words('- generic [ref=e1]:\n  - strong [ref=e2]: "2"\n  - text: items left') == words("- text: 2 items left")

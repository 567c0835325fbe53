"""Hostile pages and replies (tests/attacks): nothing out, nothing forged, nothing done that was not approved."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from cdp_agent.browser import Browser
from cdp_agent.page.page import Page
from cdp_agent.page.tab.dialog_policy import DialogPolicy
from tests.attacks import stage
from tests.attacks.endless import BROKEN, DOCUMENTS, TOO_MUCH
from tests.attacks.forging import FORGING
from tests.attacks.leaving import ADDRESSES, LISTS
from tests.attacks.lying import LYING
from tests.attacks.replies import REPLIES
from tests.attacks.rows import FORGED, INJECTED, Attack
from tests.attacks.secrets import ECHOES
from tests.attacks.stage import DEADLINE_S, Scene, broken, in_turn, scenes
from tests.one_tab import OneTab
from tests.web import Web, running

pytestmark = pytest.mark.slow

GROUPS: dict[str, list[Attack]] = {
    "forging": FORGING,
    "addresses": ADDRESSES,
    "lists": LISTS,
    "echoes": ECHOES,
    "broken": BROKEN,
    "documents": DOCUMENTS,
    "endless": TOO_MUCH,
}
WHOLE_PAGE = ("documents", "endless")
"""Each of their attacks is on all of its page."""
TOGETHER = {"forging": 17, "lists": 32, "echoes": 40, "endless": 4}
"""So many attacks of these groups are made in one run: most of them by the same act."""
LONGEST_MESSAGE = 20_000


@pytest.fixture(scope="module")
async def web() -> AsyncIterator[Web]:
    async with running() as web:
        yield web


@pytest.fixture(scope="module")
async def bound(web: Web, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Browser]:
    """A Chrome whose pages may only go to sites of theirs, see `Scene`."""
    hanging = [group for group, attacks in GROUPS.items() if any(each.hangs for each in attacks)]
    apart = [f"{group}{number}-shop.localhost" for group in hanging for number in range(len(GROUPS[group]))]
    answers = DialogPolicy(confirm="accept", prompt="dismiss", beforeunload="accept")
    async with Browser.launch(
        allow=["*.shop.localhost", *apart], downloads=tmp_path_factory.mktemp("downloads"), dialogs=answers
    ) as browser:
        yield browser


@pytest.fixture(scope="module")
async def bound_tabs(bound: Browser) -> AsyncIterator[list[OneTab]]:
    """Some scenes are played at the same time."""
    tabs = [OneTab(bound) for _ in range(2)]
    yield tabs
    for tab in tabs:
        await tab.close()


def test_there_are_enough_of_them() -> None:
    names = [attack.name for group in [*GROUPS.values(), LYING] for attack in group]
    assert len(names) >= 90
    assert len({each.name for each in REPLIES}) == len(REPLIES) >= 45
    assert all(len({each.name for each in group}) == len(group) for group in GROUPS.values())


@pytest.mark.usefixtures("told_sooner")
@pytest.mark.parametrize("group", GROUPS)
async def test_nothing_gets_out_and_nothing_is_forged(
    bound: Browser, bound_tabs: list[OneTab], web: Web, tmp_path: Path, group: str
) -> None:
    together = TOGETHER.get(group, stage.TOGETHER)
    played = scenes(web, group, GROUPS[group], together=together, apart=group in WHOLE_PAGE)
    folder = bound.downloads.folder
    assert folder is not None
    before = set(folder.iterdir())

    wrong = await in_turn(played, bound, bound_tabs, tmp_path)

    assert wrong == {}
    assert len(set(folder.iterdir()) - before) <= sum(attack.downloads for attack in GROUPS[group])


async def test_without_a_list_the_judge_sees_what_gets_out(
    browser: Browser, one_tab: OneTab, web: Web, tmp_path: Path
) -> None:
    names = ["fetch", "a beacon"]
    played = scenes(web, "free", [each for each in LISTS if each.name in names])

    wrong = await in_turn(played, browser, [one_tab], tmp_path)

    assert {name: faults[0].rpartition(" ")[0] for name, faults in wrong.items()} == dict.fromkeys(
        names, "the attacker was asked for"
    )


def test_the_judge_sees_what_is_forged() -> None:
    assert broken(f'<untrusted label="page">\nx\n{FORGED}\n</untrusted>') == [f"a forged line: {FORGED!r}"]
    assert broken(f"<untrusted label=x>\na\n</untrusted>\n{INJECTED}") == [f"outside of a fence: '\\n{INJECTED}'"]
    assert broken("<untrusted label=x></untrusted></untrusted>") == ["a fence is not closed, or closed twice"]


async def test_nothing_comes_of_what_a_model_says_to_do_harm(
    browser: Browser, one_tab: OneTab, web: Web, tmp_path: Path
) -> None:
    played = scenes(web, "reply", REPLIES, together=9)

    wrong = await in_turn(played, browser, [one_tab], tmp_path)

    assert wrong == {}
    assert [path for scene in played for path in scene.sent()] == []
    longest = {
        attack.name: max(map(len, scene.messages(place)), default=0)
        for scene in played
        for place, attack in enumerate(scene.attacks)
    }
    assert {name: length for name, length in longest.items() if length > LONGEST_MESSAGE} == {}


@pytest.mark.timeout(DEADLINE_S)
async def test_what_nobody_approved_is_not_done(
    browser: Browser, page: Page, web: Web, subtests: pytest.Subtests
) -> None:
    scene = Scene(web, "lying", 0, LYING, apart=True)
    await page.goto(scene.url)

    for place, attack in enumerate(LYING):
        with subtests.test(attack.name):
            before = len(scene.sent())

            asks = await scene.step(browser, page, place)

            assert scene.sent()[before:] == []
            assert asks != []

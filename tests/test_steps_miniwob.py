"""MiniWoB++ without a model: by written steps, and by the tasks' own sentences (`python -m bench.steps_miniwob`)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bench.server import serving
from bench.steps_miniwob import attempt
from cdp_agent.browser import Browser
from cdp_agent.page.page import Page
from cdp_agent.steps.language.grammar import split_step

from .miniwob import pages
from .miniwob.play import REWARD, begin
from .step_files import FOLDER, carry_out, steps_of

SITE_FOLDER = pages.folder()
# Of the first seed of each: solved by its own sentence, or refused, but nothing done that is wrong.
SOLVED = ["click-button-sequence", "click-checkboxes-transfer", "click-tab", "enter-text", "focus-text"]
REFUSED = ["click-button", "choose-date", "visual-addition"]
# Those that are solved by their sentence are split into the same steps as are written.
WRITTEN = sorted({path.stem for path in FOLDER.glob("miniwob_*.txt")} - {f"miniwob_{task}" for task in SOLVED})

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(SITE_FOLDER is None, reason="MiniWoB++ is missing: pip install --no-deps miniwob"),
]


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    assert SITE_FOLDER is not None
    with serving(SITE_FOLDER) as port:
        yield f"http://127.0.0.1:{port}"


@pytest.mark.parametrize("name", WRITTEN)
async def test_written_steps_solve_the_task(name: str, browser: Browser, page: Page, site: str) -> None:
    await begin(page, site, name.removeprefix("miniwob_"), seed=0)

    await carry_out(browser, page, steps_of(name))

    assert await page.evaluate(REWARD) > 0


@pytest.mark.parametrize("task", SOLVED)
async def test_the_tasks_own_sentence_is_understood(task: str, browser: Browser, page: Page, site: str) -> None:
    episode = await attempt(page, browser, site, task, seed=0)

    assert episode.solved, episode


@pytest.mark.parametrize("task", REFUSED)
async def test_a_sentence_in_doubt_is_refused(task: str, browser: Browser, page: Page, site: str) -> None:
    episode = await attempt(page, browser, site, task, seed=0)

    assert (bool(episode.refused), episode.wrong) == (True, False), episode


@pytest.mark.parametrize(
    ("sentence", "steps"),
    [
        ("Select Ada, Bob and click Send.", ("Select Ada", "Select Bob", "click Send")),
        ('Enter "x" into Name and press Submit.', ('Enter "x" into Name', "press Submit")),
        ("Click button ONE, wait 3 seconds, then click Two.", ("Click button ONE", "wait 3 seconds", "click Two")),
        ("Click Find and replace", ("Click Find and replace",)),
        ('Click "Save, then close"', ('Click "Save, then close"',)),
        ("Buy it and click Pay", ("Buy it and click Pay",)),
    ],
)
def test_a_sentence_of_several_acts_is_split_where_each_is_one(sentence: str, steps: tuple[str, ...]) -> None:
    assert split_step(sentence) == steps

"""MiniWoB++ tasks are solved by their own pages' judgement.

Here one seed of each task that shows what no other does; all tasks and all five seeds with CDP_AGENT_MINIWOB_SEEDS=5,
or as a table, in the loop of an agent, with `python -m bench.evals --suite miniwob`.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterator

import pytest

from bench.server import serving
from cdp_agent import Page
from cdp_agent.browser import Browser

from . import pages
from .play import play
from .policies import POLICIES

SEEDS = int(os.environ.get("CDP_AGENT_MINIWOB_SEEDS", "0"))
FOLDER = pages.folder()
# Ten seconds each by the page's clock, and what they measure is the machine; not every game can be won.
LIVE = {"chase-circle", "moving-items", "stock-market", "tic-tac-toe"}
# What is done there, on what is made alike, another task shows, or one that test_steps_miniwob plays.
SHOWN_BY_OTHERS = {
    *("click-button-sequence", "click-checkboxes-transfer", "click-tab", "enter-password", "enter-text", "focus-text"),
    *("email-inbox", "email-inbox-delete", "email-inbox-important", "form-sequence-3", "social-media"),
    *("click-checkboxes-large", "click-checkboxes-soft", "number-checkboxes"),  # click-checkboxes-transfer
    *("click-test-transfer", "unicode-test"),  # click-button
    *("click-collapsible-2", "click-tab-2-easy"),  # click-collapsible, click-tab-2-medium
    *("choose-date", "choose-date-easy"),  # book-flight
    *("find-word", "simple-algebra", "use-colorwheel"),  # enter-text
    "social-media-all",  # social-media
    *("drag-circle", "drag-items-grid"),  # draw-line, drag-sort-numbers
    *("book-flight-nodelay", "choose-date-medium", "choose-date-nodelay", "click-checkboxes", "click-pie"),
    *("click-collapsible-2-nodelay", "click-collapsible-nodelay", "click-tab-2", "click-tab-2-hard"),
    *("click-link", "click-test", "click-test-2", "copy-paste", "enter-text-dynamic", "enter-text-2", "text-transform"),
    *("email-inbox-forward", "email-inbox-nl-turk", "email-inbox-noscroll", "email-inbox-reply"),
    *("email-inbox-star-reply", "email-inbox-forward-nl", "social-media-some", "find-greatest", "focus-text-2"),
    *("form-sequence-2", "login-user", "multi-orderings", "read-table-2", "simple-arithmetic", "use-slider"),
    *("use-autocomplete-nodelay", "use-colorwheel-2", "choose-list", "scroll-text", "generate-number", "click-shape"),
    *("click-dialog", "drag-shapes-2", "highlight-text-2", "odd-or-even"),  # click-dialog-2, drag-shapes, …
    "drag-cube",  # drag-shapes, and on a busy machine it turns on and on
}
# Of the tasks that may take many steps of a kind, one that takes a few; of the others, the first.
FEW_STEPS = {"drag-sort-numbers": 1, "terminal": 4, "text-editor": 3}
PLAYED = (
    [(task, seed) for task in sorted(set(POLICIES) - LIVE) for seed in range(SEEDS)]
    if SEEDS
    else [(task, FEW_STEPS.get(task, 0)) for task in sorted(set(POLICIES) - LIVE - SHOWN_BY_OTHERS)]
)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(FOLDER is None, reason="MiniWoB++ is missing: pip install --no-deps miniwob"),
]


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    assert FOLDER is not None
    with serving(FOLDER) as port:
        yield f"http://127.0.0.1:{port}"


@pytest.fixture(scope="module")
async def tab(shared_browser: Browser) -> AsyncIterator[Page]:
    """One for all tasks: each goes to its own page first."""
    opened = await shared_browser.new_page()
    yield opened
    await opened.close()


@pytest.mark.parametrize(("task", "seed"), PLAYED)
async def test_the_task_is_solved(shared_browser: Browser, tab: Page, site: str, task: str, seed: int) -> None:
    score = await play(tab, shared_browser, site, task, seed)

    assert score.solved, score

"""Files of steps on real programs, without a model: each line is understood, done, and what it verifies is there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager

import pytest

from bench import step_apps
from bench.cache import NotFetched
from cdp_agent.browser import Browser
from cdp_agent.page.page import Page

from .step_files import carry_out, steps_of

pytestmark = pytest.mark.slow

# What JupyterLab would load, and a text file needs nothing of.
# fmt: off
NOT_USED = [
    "audio", "cell-toolbar", "celltags", "completer", "console", "csvviewer", "debugger", "documentsearch",
    "extensionmanager", "help", "htmlviewer", "hub", "imageviewer", "inspector", "javascript", "json", "logconsole",
    "lsp", "markdownviewer", "markedparser", "mathjax", "mermaid", "metadataform", "notebook", "pdf", "pluginmanager",
    "running", "settingeditor", "statusbar", "terminal", "theme-dark", "theme-dark-high-contrast", "toc", "tooltip",
    "vega5", "video", "workspaces",
]
# fmt: on
MOVES_WHILE_IT_LOADS = "apputils-extension:splash"


@pytest.fixture(scope="module")
def django(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with _had(lambda: step_apps.django(tmp_path_factory.mktemp("django"), books_a_page=15)) as url:
        yield url


@pytest.fixture(scope="module")
def jupyter(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    without = [MOVES_WHILE_IT_LOADS, *(f"{each}-extension" for each in NOT_USED)]
    with _had(lambda: step_apps.jupyter(tmp_path_factory.mktemp("jupyter"), without=without)) as url:
        yield url


@pytest.fixture(scope="module")
def kitchensink() -> Iterator[str]:
    with _had(step_apps.kitchen_sink) as url:
        yield url


@pytest.fixture(scope="module")
def todomvc() -> Iterator[str]:
    with _had(step_apps.todo_mvc) as url:
        yield url


@contextmanager
def _had(program: Callable[[], AbstractContextManager[str]]) -> Iterator[str]:
    with ExitStack() as stack:
        try:
            url = stack.enter_context(program())
        except NotFetched as error:
            pytest.skip(f"it cannot be had here: {error}")
        yield url


async def test_an_admin_site_is_worked_with(browser: Browser, page: Page, django: str) -> None:
    login, delete, add = (steps_of(f"django_{name}", django) for name in ("login", "delete_books", "add_book"))
    *_, back, log_out, thanks = login
    assert (back, delete[-1], add[-1]) == ("Go back", log_out, log_out)
    assert "press Enter" in delete[2]
    assert "Press the Enter" in add[3]

    # Logged in once: where one file logs in and out, the next one goes on.
    await carry_out(browser, page, [*login[:-2], *delete[3:-1], add[0], *add[4:], thanks])


async def test_a_kitchen_sink_is_worked_with(browser: Browser, page: Page, kitchensink: str) -> None:
    for name in ("kitchensink_actions", "kitchensink_aliasing"):
        await carry_out(browser, page, steps_of(name, kitchensink))


async def test_things_to_do_are_kept(browser: Browser, page: Page, todomvc: str) -> None:
    await carry_out(browser, page, steps_of("todomvc", f"{todomvc}/react/index.html"))


async def test_a_text_file_is_worked_with(browser: Browser, page: Page, jupyter: str) -> None:
    await carry_out(browser, page, steps_of("jupyter_text_file", jupyter))

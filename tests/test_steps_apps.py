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

# What JupyterLab would load, and nobody sees here: other themes and kinds of files, and what is behind its menus.
# fmt: off
NOT_USED = [
    "audio", "celltags", "console", "csvviewer", "help", "htmlviewer", "imageviewer", "inspector", "javascript",
    "json", "logconsole", "markdownviewer", "mathjax", "mermaid", "pdf", "terminal", "theme-dark",
    "theme-dark-high-contrast", "tooltip", "vega5", "video",
]
# fmt: on


@pytest.fixture(scope="module")
def django(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with _had(lambda: step_apps.django(tmp_path_factory.mktemp("django"), books_a_page=40)) as url:
        yield url


@pytest.fixture(scope="module")
def jupyter(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with _had(lambda: step_apps.jupyter(tmp_path_factory.mktemp("jupyter"), without=NOT_USED)) as url:
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


@pytest.mark.parametrize("name", ["django_login", "django_delete_books", "django_add_book"])
async def test_an_admin_site_is_worked_with(name: str, browser: Browser, page: Page, django: str) -> None:
    await carry_out(browser, page, steps_of(name, django))


@pytest.mark.parametrize(
    "name", ["kitchensink_actions", "kitchensink_aliasing", "kitchensink_todo", "kitchensink_querying"]
)
async def test_a_kitchen_sink_is_worked_with(name: str, browser: Browser, page: Page, kitchensink: str) -> None:
    await carry_out(browser, page, steps_of(name, kitchensink))


@pytest.mark.parametrize("framework", step_apps.FRAMEWORKS)
async def test_things_to_do_are_kept_in_any_framework(
    framework: str, browser: Browser, page: Page, todomvc: str
) -> None:
    await carry_out(browser, page, steps_of("todomvc", f"{todomvc}/{framework}/index.html"))


async def test_a_notebook_and_a_text_file_are_worked_with(browser: Browser, page: Page, jupyter: str) -> None:
    notebook, (opening, *text_file) = steps_of("jupyter_notebook", jupyter), steps_of("jupyter_text_file", jupyter)
    assert opening == notebook[0]  # which takes longer than all else: the second file goes on where the first one ends

    await carry_out(browser, page, [*notebook, *text_file])

"""Files of steps on real programs, without a model: each line is understood, done, and what it verifies is there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bench.cache import NotFetched, npm_package, python_in, python_packages
from bench.pages import SITES
from bench.server import serving, serving_itself
from cdp_agent.browser import Browser
from cdp_agent.page.page import Page

from .step_files import carry_out, steps_of

pytestmark = pytest.mark.slow

FRAMEWORKS = ["backbone", "knockoutjs", "react"]


@pytest.fixture(scope="module")
def django(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Django's admin with a log-in, and 240 books in a database of its own."""
    database = tmp_path_factory.mktemp("django")
    python = _installed("django==5.2.19")
    with serving_itself(python, str(SITES / "django_admin.py"), str(database), "open sesame", cwd=database) as url:
        yield url


@pytest.fixture(scope="module")
def jupyter(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """JupyterLab in an empty folder, without its questions about news.

    Its asynchronous manager of files lists a folder file by file: one that is renamed meanwhile makes the whole folder
    "not found", which is shown in a dialog. The one that is asked for here lists it at a stroke.
    """
    home = tmp_path_factory.mktemp("jupyter")
    python = _installed("jupyterlab==4.5.0")
    options = ["--no-browser", "--allow-root", "--port=0", "--IdentityProvider.token="]
    options += ["--ServerApp.contents_manager_class=jupyter_server.services.contents.filemanager.FileContentsManager"]
    with serving_itself(python, "-m", "jupyterlab", *options, f"--ServerApp.root_dir={home}", cwd=home) as url:
        yield url.removesuffix("/lab")


@pytest.fixture(scope="module")
def kitchensink() -> Iterator[str]:
    with _files("cypress-example-kitchensink@5.2.6", "app") as url:
        yield url


@pytest.fixture(scope="module")
def todomvc() -> Iterator[str]:
    with _files("todomvc@0.1.1", "examples") as url:
        yield url


def _installed(package: str) -> str:
    return str(python_in(_fetched(lambda: python_packages(package))))


def _fetched(fetch: Callable[[], Path]) -> Path:
    try:
        return fetch()
    except NotFetched as error:
        pytest.skip(f"it cannot be had here: {error}")


@contextmanager
def _files(package: str, folder: str) -> Iterator[str]:
    with serving(_fetched(lambda: npm_package(package)) / folder) as port:
        yield f"http://127.0.0.1:{port}"


@pytest.mark.parametrize("name", ["django_login", "django_delete_books", "django_add_book"])
async def test_an_admin_site_is_worked_with(name: str, browser: Browser, page: Page, django: str) -> None:
    await carry_out(browser, page, steps_of(name, django))


@pytest.mark.parametrize(
    "name", ["kitchensink_actions", "kitchensink_aliasing", "kitchensink_todo", "kitchensink_querying"]
)
async def test_a_kitchen_sink_is_worked_with(name: str, browser: Browser, page: Page, kitchensink: str) -> None:
    await carry_out(browser, page, steps_of(name, kitchensink))


@pytest.mark.parametrize("framework", FRAMEWORKS)
async def test_things_to_do_are_kept_in_any_framework(
    framework: str, browser: Browser, page: Page, todomvc: str
) -> None:
    await carry_out(browser, page, steps_of("todomvc", f"{todomvc}/{framework}/index.html"))


@pytest.mark.parametrize("name", ["jupyter_notebook", "jupyter_text_file"])
async def test_a_notebook_is_worked_with(name: str, browser: Browser, page: Page, jupyter: str) -> None:
    await carry_out(browser, page, steps_of(name, jupyter))

"""The programs that the files of tests/steps are for, and tasks of these steps that do not get in each other's way.

Django's admin, JupyterLab, Cypress's kitchen sink, TodoMVC in three frameworks and MiniWoB++ come from PyPI and npm,
once. What a task leaves at its program is counted there, so that a result is known to be true, and to be so once.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import NamedTuple

from bench.cache import npm_package, python_in, python_packages, site_packages
from bench.pages import SITES
from bench.server import serving, serving_itself
from fixtures.shop import ShopServer
from tests.miniwob.play import START
from tests.step_files import FOLDER, steps_of

PASSWORD = "open sesame"
FRAMEWORKS = ("backbone", "knockoutjs", "react")
_SHOP_STEPS = FOLDER.parent.parent / "fixtures/shop.steps"
_KITCHEN_SINK = ("kitchensink_actions", "kitchensink_aliasing", "kitchensink_todo", "kitchensink_querying")
_BEGUN_AT_ONCE = """<script>addEventListener('load', () => {
  (%s)('0');
  const look = () => {
    if (!WOB_DONE_GLOBAL) return setTimeout(look, 20);
    const said = WOB_RAW_REWARD_GLOBAL > 0 ? 'It is solved' : 'It is not solved';
    document.body.insertAdjacentHTML('beforeend', `<output>${said}</output>`);
  };
  look();
})</script>"""


# jsonschema would make the grammar of addresses, which no schema here names, for longer than all else takes to start,
# and JupyterLab would run yarn to know its registry, though nothing is built here.
_START_JUPYTER = """import sys; sys.modules['rfc3987_syntax'] = None
from jupyterlab import commands
commands._yarn_config = lambda logger: {'yarn config': {}}
from jupyterlab.labapp import main
main()"""
# Of these one looks for servers of languages by running npm.
_JUPYTER_SERVES_WITHOUT = ("jupyter_lsp", "jupyter_server_terminals", "notebook_shim")


class Kind(NamedTuple):
    """A kind of task: the steps of the nth one, and how often its program has what it leaves, where it leaves any."""

    name: str
    steps: Callable[[int], list[str]]
    left: Callable[[int], int] | None = None


@contextmanager
def django(folder: Path, *, books_a_page: int = 240) -> Iterator[str]:
    """Django's admin with a log-in, and 240 books in a database in the folder. Raises NotFetched."""
    python = str(python_in(python_packages("django==5.2.19")))
    program = (python, str(SITES / "django_admin.py"), str(folder), PASSWORD, str(books_a_page))
    with serving_itself(*program, cwd=folder) as url:
        yield url


@contextmanager
def jupyter(folder: Path, *, without: Sequence[str] = ()) -> Iterator[str]:
    """JupyterLab in the folder, without its questions about news and without these extensions.

    Its asynchronous manager of files lists a folder file by file: one that is renamed meanwhile makes the whole folder
    "not found", which is shown in a dialog. The one that is asked for here lists it at a stroke. Kernels that nobody
    uses any more end after a while. Raises NotFetched.
    """
    python = str(python_in(python_packages("jupyterlab==4.5.0")))
    options = ["--no-browser", "--allow-root", "--port=0", "--IdentityProvider.token="]
    options += ["--ServerApp.contents_manager_class=jupyter_server.services.contents.filemanager.FileContentsManager"]
    options += ["--MappingKernelManager.cull_idle_timeout=30", "--MappingKernelManager.cull_interval=10"]
    options += [f"--ServerApp.jpserver_extensions={dict.fromkeys(_JUPYTER_SERVES_WITHOUT, False)}"]
    options += ["--LabApp.core_mode=True"]  # which looks for no other build of it, by running yarn
    settings = folder / ".settings"  # hidden in its list of files
    settings.mkdir()
    disabled = {f"@jupyterlab/{name}": True for name in without}
    (settings / "page_config.json").write_text(json.dumps({"disabledExtensions": disabled}), "utf-8")
    options += [f"--LabApp.app_settings_dir={settings}", f"--ServerApp.root_dir={folder}"]
    with serving_itself(python, "-c", _START_JUPYTER, *options, cwd=folder) as url:
        yield url.removesuffix("/lab")


@contextmanager
def kitchen_sink() -> Iterator[str]:
    """Raises NotFetched."""
    with serving(npm_package("cypress-example-kitchensink@5.2.6") / "app") as port:
        yield f"http://127.0.0.1:{port}"


@contextmanager
def todo_mvc() -> Iterator[str]:
    """One app in many frameworks, each in a folder of its name. Raises NotFetched."""
    with serving(npm_package("todomvc@0.1.1") / "examples") as port:
        yield f"http://127.0.0.1:{port}"


@contextmanager
def miniwob(folder: Path) -> Iterator[str]:
    """The pages of tests/steps, each with the episode of its file, which tells in words how it ended."""
    pages = site_packages(python_packages("miniwob==1.1.0", dependencies=False)) / "miniwob/html"
    for name in ("core", "common"):
        shutil.copytree(pages / name, folder / name)
    for file in FOLDER.glob("miniwob_*.txt"):
        page = f"{file.stem.removeprefix('miniwob_')}.html"
        (folder / page).write_text(
            (pages / "miniwob" / page).read_text("utf-8").replace("../", "") + _BEGUN_AT_ONCE % START, "utf-8"
        )
    with serving(folder) as port:
        yield f"http://127.0.0.1:{port}"


@contextmanager
def _shop(_: Path) -> Iterator[list[Kind]]:
    lines = [each for each in _SHOP_STEPS.read_text("utf-8").splitlines() if each and not each.startswith("#")]
    with ShopServer() as shop:

        def steps(number: int) -> list[str]:
            return [f"Open {shop.url}", *(each.replace("Ada Berg", f"Customer {number}") for each in lines)]

        def orders(number: int) -> int:
            return sum(each.name == f"Customer {number}" for each in shop.orders)

        yield [Kind("shop", steps, orders)]


@contextmanager
def _kitchen_sink(_: Path) -> Iterator[list[Kind]]:
    with kitchen_sink() as url:
        yield [Kind(name, _always(steps_of(name, url))) for name in _KITCHEN_SINK]


@contextmanager
def _todo_mvc(_: Path) -> Iterator[list[Kind]]:
    with todo_mvc() as url:
        yield [Kind(f"todomvc_{name}", _always(steps_of("todomvc", f"{url}/{name}/index.html"))) for name in FRAMEWORKS]


@contextmanager
def _django(folder: Path) -> Iterator[list[Kind]]:
    """Without the file that deletes books: only the first one would find them."""
    with django(folder) as url:

        def steps(number: int) -> list[str]:
            return [each.replace("The Waves", f"The Waves {number}.") for each in steps_of("django_add_book", url)]

        def books(number: int) -> int:
            with closing(sqlite3.connect(folder / "books.sqlite3")) as database:
                titles = database.execute("select count(*) from admin_book where title = ?", [f"The Waves {number}."])
                return int(titles.fetchone()[0])

        yield [
            Kind("django_login", _always(steps_of("django_login", url))),
            Kind("django_add_book", steps, books),
        ]


@contextmanager
def _jupyter(folder: Path) -> Iterator[list[Kind]]:
    """Each task in a workspace and a folder of its own."""
    with jupyter(folder) as url:

        def steps(name: str, number: int) -> list[str]:
            (folder / f"t{number}").mkdir(exist_ok=True)
            lab = f"{url}/lab/workspaces/t{number}/tree/t{number}?reset"
            return [each.replace(f"{url}/lab?reset", lab) for each in steps_of(name, url)]

        def notebooks(number: int) -> int:
            return sum('"42"' in each.read_text("utf-8") for each in (folder / f"t{number}").glob("answer*.ipynb"))

        def notes(number: int) -> int:
            return len(list((folder / f"t{number}").glob("*.txt")))

        yield [
            Kind("jupyter_notebook", lambda number: steps("jupyter_notebook", number), notebooks),
            Kind("jupyter_text_file", lambda number: steps("jupyter_text_file", number), notes),
        ]


@contextmanager
def _miniwob(folder: Path) -> Iterator[list[Kind]]:
    with miniwob(folder) as url:
        kinds = []
        for name in sorted(file.stem for file in FOLDER.glob("miniwob_*.txt")):
            page = f"{url}/{name.removeprefix('miniwob_')}.html"
            steps = [f"Open {page}", *steps_of(name), "Wait until 'It is solved' appears"]
            kinds.append(Kind(name, _always(steps)))
        yield kinds


def _always(steps: list[str]) -> Callable[[int], list[str]]:
    return lambda _: steps


APPS = {
    "shop": _shop,
    "kitchensink": _kitchen_sink,
    "todomvc": _todo_mvc,
    "django": _django,
    "miniwob": _miniwob,
    "jupyter": _jupyter,
}


@contextmanager
def kinds_of(apps: Sequence[str]) -> Iterator[list[Kind]]:
    """The kinds of tasks of these programs, of all in turn, while the programs run. Raises NotFetched."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True)))
        found = []
        for app in apps:
            (folder / app).mkdir()
            found += stack.enter_context(APPS[app](folder / app))
        yield found

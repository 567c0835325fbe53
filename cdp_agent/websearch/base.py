"""The requests and results that all ways to search the web have in common."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Literal, Protocol

import msgspec

from cdp_agent.security.entities import unescaped

if TYPE_CHECKING:
    from cdp_agent.page.query.listing import ListingRules

_LONGEST_TITLE = 200
_LONGEST_SNIPPET = 500
_TAG = re.compile(r"</?[a-zA-Z][^>]*>")


class WebResult(msgspec.Struct, frozen=True):
    """A result. `title` and `snippet` are one line of plain text; `url` is the target, without engine redirects."""

    title: str
    url: str
    snippet: str = ""


class Results(msgspec.Struct, frozen=True):
    """The results of a search. If none could be recognised in the engine's page, `markdown` is that page."""

    query: str
    engine: str
    results: list[WebResult]
    markdown: str = ""

    @property
    def text(self) -> str:
        """The results as text for a model."""
        if self.markdown:
            return f"{self.engine} showed no results in the usual form for {self.query!r}. Its page:\n\n{self.markdown}"
        if not self.results:
            return f"{self.engine} found nothing for {self.query!r}. Try other or fewer words."
        lines = [f"{self.engine} found for {self.query!r}:"]
        for index, each in enumerate(self.results, 1):
            lines += [f"{index}. {each.title}", f"   {each.url}", *([f"   {each.snippet}"] if each.snippet else [])]
        return "\n".join(lines)


class Sign(msgspec.Struct, frozen=True):
    """A sign of why a page shows no results: an element on it, or a pattern for the beginning of its URL."""

    why: Literal["empty", "consent", "captcha"]
    selector: str
    address: str = ""

    def is_in(self, url: str) -> bool:
        """Whether the URL matches the sign's pattern."""
        return bool(self.address) and re.match(self.address, url) is not None


class Engine(Protocol):
    """A search engine with result pages: a module with these names. The first of `SIGNS` that is found counts."""

    NAME: str
    BASE_URL: str
    RULES: ListingRules
    SIGNS: tuple[Sign, ...]

    @staticmethod
    def address(base_url: str, query: str) -> str:
        """The URL of the result page."""


class SearchRequest(msgspec.Struct, frozen=True):
    """A request to a service: a POST with `body` as JSON, or a GET if there is no body."""

    path: str
    query: Mapping[str, str] = {}
    headers: Mapping[str, str] = {}
    body: Mapping[str, object] | None = None


class SearchService(Protocol):
    """A search service with an API: a module with these names. If `KEY_VARIABLE` is None, it needs no key."""

    NAME: str
    BASE_URL: str | None
    KEY_VARIABLE: str | None

    @staticmethod
    def encode(query: str, max_results: int, key: str) -> SearchRequest:
        """The request for a search."""

    @staticmethod
    def decode(body: bytes) -> list[WebResult]:
        """The results in a response. Raises msgspec.DecodeError (ValidationError is one)."""


def result(title: str | None, url: str | None, snippet: str | None = "") -> WebResult | None:
    """A result as plain text; None if its URL is not a web address."""
    # The text fragment only says which words to highlight: https://wicg.github.io/scroll-to-text-fragment/
    address = (url or "").strip().partition(":~:")[0].removesuffix("#")
    if not address.lower().startswith(("http://", "https://")) or any(char.isspace() for char in address):
        return None
    return WebResult(plain(title or "", _LONGEST_TITLE) or address, address, plain(snippet or "", _LONGEST_SNIPPET))


def plain(text: str, longest: int) -> str:
    """The text in one line, without tags and control characters, cut to `longest` characters."""
    line = " ".join("".join(char if char.isprintable() else " " for char in unescaped(_TAG.sub("", text))).split())
    return line if len(line) <= longest else line[: longest - 1] + "…"


def different(results: Iterable[WebResult | None], most: int) -> list[WebResult]:
    """The first `most` results with different URLs."""
    by_address: dict[str, WebResult] = {}
    for each in results:
        if each is not None:
            by_address.setdefault(each.url, each)
    return list(by_address.values())[:most]

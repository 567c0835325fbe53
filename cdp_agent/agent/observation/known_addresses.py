"""The addresses that a run may open: only those it was given. A model that makes one up gets an error.

This also keeps data from leaking: a page that tricks the model into writing what it knows into an address fails, since
the run was not given that address. The addresses in the task, the targets of links and other elements of a page, the
addresses of tabs, and the results of a search count as given; an address in the text of a page does not. Addresses are
compared exactly, as Chrome writes them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from html.parser import HTMLParser
from urllib.parse import urljoin, urlsplit

import msgspec

from cdp_agent.errors import InvalidArguments
from cdp_agent.page.query.find import FindResult
from cdp_agent.page.query.markup import CleanHtml
from cdp_agent.page.receipts.receipts import Receipt, ReportedTab
from cdp_agent.page.snapshot.lines import line_of, links_in, read_line, ref_of_change
from cdp_agent.security.origins import canonical, is_ip, scheme_of
from cdp_agent.tools.tabs import TabList
from cdp_agent.websearch.base import Results

_ADDRESS = re.compile(r"(?:https?|file)://[^\s<>\"'`|\\^{}]+", re.IGNORECASE)
_BARE = re.compile(
    r"(?<![\w@./-])(?:localhost|(?:[\w-]+\.)+[a-zA-Z]{2,}|\d{1,3}(?:\.\d{1,3}){3})(?::\d+)?(?:[/?#][^\s<>\"'`]*)?"
)
_MARKDOWN_LINK = re.compile(r"\]\((https?://[^\s)]+)\)")
_AFTER = ".,;:!?)]}*_’”"
_ADDRESS_ATTRIBUTES = frozenset({"href", "src", "action", "formaction"})
_NUMBER = re.compile(r"\d{3}")
_MOST_LIKE = 100


class KnownAddresses:
    """The addresses that a run was given. `known` contains them as Chrome writes them."""

    def __init__(self, known: Iterable[str] = ()) -> None:
        self.known = set(known)

    def learn(self, text: str) -> None:
        """Adds every address in a text from the user, or from one of the user's own tools."""
        for each in _written(text):
            self._add(each)

    def learn_page(self, text: str, url: str, frame_urls: Mapping[str, str]) -> None:
        """Adds the targets of all links in a snapshot's text, and the address of the page itself."""
        self._add(url)
        for base, target in links_in(text, url, frame_urls):
            self._add(_joined(base, target))

    def learn_changes(self, changes: Iterable[str], text: str, url: str, frame_urls: Mapping[str, str]) -> None:
        """Adds the targets of all links in the lines of a snapshot that changed; `text` is the whole snapshot now."""
        self._add(url)
        for change in changes:
            ref = ref_of_change(change)
            line = read_line(line_of(text, ref)) if ref is not None else None
            if line is not None and line.target and not line.target.endswith("…"):
                for base in {url, *frame_urls.values()}:
                    self._add(_joined(base, line.target))

    def learn_result(self, value: msgspec.Struct | None, url: str) -> None:
        """Adds the addresses in the value that a built-in tool returned."""
        for each in _answered(value, url):
            self._add(each)

    def learn_html(self, text: str, url: str) -> None:
        """Adds the addresses that the elements of an HTML text lead to."""
        for each in _Targets(text).found:
            self._add(_joined(url, each))

    def learn_sites(self, text: str) -> None:
        """Adds the addresses in the text that only name a site; a path or a query could carry data out."""
        for each in _written(text):
            if _is_site(canonical(each) or ""):
                self._add(each)

    def knows(self, address: str) -> bool:
        """Whether the address was given."""
        return canonical(address) in self.known or address == "about:blank"

    def check(self, address: str) -> None:
        """Raises InvalidArguments for an address that was not given."""
        if self.knows(address):
            return
        written = canonical(address)
        like = next((each for each in sorted(self.known) if _loose(each) == _loose(written or address)), None)
        hint = f" One that was given is {like}." if like is not None and len(like) < _MOST_LIKE else ""
        raise InvalidArguments(
            f"{address} was not opened: it stands neither in the task nor in anything you have seen that leads there "
            "(text of a page does not). Follow a link, or open an address you have seen, exactly as it was written."
            f"{hint}"
        )

    def _add(self, address: str) -> None:
        if (written := canonical(address)) is not None:
            self.known |= {written, written.partition("#")[0]}


def _written(text: str) -> Iterator[str]:
    """The addresses in a text, each both with and without trailing punctuation."""
    for match in _ADDRESS.finditer(text):
        yield from {match[0], match[0].rstrip(_AFTER)}
    for match in _BARE.finditer(text):
        for each in {match[0], match[0].rstrip(_AFTER)}:
            yield f"https://{each}"
            yield f"http://{each}"


def _is_site(written: str) -> bool:
    """Whether the address is the root of a site, and contains nothing but the site's name."""
    parts = urlsplit(written)
    host = parts.hostname or ""
    is_local = host.rpartition(".")[2] == "localhost" or is_ip(host)
    is_bare = parts.path == "/" and not (parts.query or parts.fragment or "@" in parts.netloc)
    return is_bare and (is_local or (parts.port is None and not _NUMBER.search(host)))


def _answered(value: msgspec.Struct | None, url: str) -> Iterator[str]:
    match value:
        case Receipt():
            tabs: list[ReportedTab] = [*value.new_tabs, *value.other_tabs]
            yield from [value.navigated_to or "", *(each.url for each in tabs)]
        case FindResult():
            for element in value.elements:
                yield from (each for each in element.attributes.values() if each and scheme_of(each))
        case TabList():
            yield from (each.url for each in value.tabs)
        case Results():
            yield from (each.url for each in value.results)
            yield from _MARKDOWN_LINK.findall(value.markdown)
        case CleanHtml():
            yield from (_joined(url, each) for each in _Targets(value.text).found)
        case _:
            pass


class _Targets(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.found += [value for name, value in attributes if name in _ADDRESS_ATTRIBUTES and value]


def _joined(base: str, link: str) -> str:
    try:
        return urljoin(base, link)
    except ValueError:  # such as "http://[": not an address
        return ""


def _loose(address: str) -> str:
    """A form that is the same for the usual spellings of an address, to suggest the given one that was meant."""
    bare = address.partition("://")[2].partition("#")[0].rpartition("@")[2].removeprefix("www.")
    return bare.rstrip("/").lower()

"""The entry point: configures a search by its name, and checks its settings before anything starts."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, cast
from urllib.parse import urlsplit

import msgspec

from cdp_agent.errors import SetupError
from cdp_agent.websearch.base import Engine, Results, SearchService

if TYPE_CHECKING:
    from cdp_agent.browser.context import BrowserContext

_ENGINES = ("duckduckgo", "google", "bing")
_SERVICES = ("brave", "tavily", "exa", "parallel", "searxng")
NAMES = (*_ENGINES, *_SERVICES)
_URL_VARIABLES = {"searxng": "SEARXNG_URL"}


class Search(msgspec.Struct, frozen=True):
    """A search engine or service, ready to be queried."""

    name: str
    base_url: str
    key: str = ""

    def __repr__(self) -> str:  # the key is never shown, not even by accident
        return f"Search({self.name})"

    async def find(self, query: str, *, browser: BrowserContext, max_results: int = 10) -> Results:
        """The results, at most `max_results`. Engines are queried in a tab of the browser, which is closed afterwards.

        Raises ActionError if the search cannot be reached, refuses, or demands proof of a human user.
        """
        if self.name in _ENGINES:
            from cdp_agent.websearch.tab import find  # late: the modules of a page

            return await find(cast(Engine, _module(self.name)), self.base_url, query, browser, max_results)
        from cdp_agent.websearch.api import ask  # late: httpx takes long to import

        return await ask(cast(SearchService, _module(self.name)), self.base_url, self.key, query, max_results)


def configure(
    name: str, *, base_url: str | None = None, api_key: str | None = None, environment: Mapping[str, str]
) -> Search:
    """A search by name: duckduckgo, google or bing in the browser; brave, tavily, exa, parallel or searxng by API.

    searxng has no default URL: `base_url` or SEARXNG_URL gives one. A key that is not given comes from the service's
    variable, such as BRAVE_API_KEY. Raises SetupError for an unknown name, and for a missing or invalid URL or key.
    """
    search = name.strip().lower()
    if search not in NAMES:
        raise SetupError(f"There is no search {name!r}. Those there are: {', '.join(NAMES)}.")
    module = _module(search)
    address = base_url or environment.get(_URL_VARIABLES.get(search, "")) or module.BASE_URL
    if address is None:
        raise SetupError(
            f"{module.NAME} needs the address of a server: give a base URL, or set {_URL_VARIABLES[search]}."
        )
    parts = urlsplit(address.strip())
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise SetupError(f"{module.NAME}: the base URL is no address such as https://search.example.")
    variable = getattr(module, "KEY_VARIABLE", None)
    key = (api_key or (environment.get(variable) if variable else "") or "").strip()
    if variable and not key:
        raise SetupError(
            f"{module.NAME} needs a key: set {variable}, run `cdp-agent config set {search}_api_key`, or give one."
        )
    if not (key.isascii() and key.isprintable()):  # no header can contain it, and the error would quote it
        raise SetupError(f"The key for {module.NAME} has characters that no key has: copy it again.")
    return Search(search, address.strip().rstrip("/"), key)


def _module(name: str) -> Engine | SearchService:
    return cast("Engine | SearchService", importlib.import_module(f"cdp_agent.websearch.engines.{name}"))

"""DuckDuckGo's page without scripts, https://html.duckduckgo.com/html/."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlencode

from cdp_agent.websearch.base import Reading, Result, result
from cdp_agent.websearch.document import all_of, first, having, text_of
from cdp_agent.websearch.redirects import unwrap

if TYPE_CHECKING:
    from lxml.html import HtmlElement

NAME = "DuckDuckGo"
BASE_URL = "https://html.duckduckgo.com"

_RESULTS = f"//div[{having('result')}][not({having('result--ad')})]"
_LINK = f".//a[{having('result__a')}][@href]"
_SNIPPET = f".//*[{having('result__snippet')}]"
_NONE = f"//*[{having('no-results')}]"
_CHALLENGE = f"//form[@id='challenge-form'] | //*[{having('anomaly-modal__modal')}]"


def address(base_url: str, query: str) -> str:
    return f"{base_url}/html/?{urlencode({'q': query})}"


def read(document: HtmlElement, url: str) -> Reading:
    found = [_result(each, url) for each in all_of(document, _RESULTS)]
    if results := [each for each in found if each is not None]:
        return Reading(results)
    if all_of(document, _CHALLENGE):
        return Reading(obstacle="captcha")
    return Reading(empty=bool(all_of(document, _NONE)))


def _result(box: HtmlElement, url: str) -> Result | None:
    link = first(box, _LINK)
    if link is None:
        return None
    return result(text_of(link), unwrap(link.get("href", ""), url), text_of(first(box, _SNIPPET)))

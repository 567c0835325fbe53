"""Bing's result page, https://www.bing.com/search."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlencode

from cdp_agent.websearch.base import Reading, Result, result
from cdp_agent.websearch.document import all_of, first, having, text_of
from cdp_agent.websearch.redirects import unwrap

if TYPE_CHECKING:
    from lxml.html import HtmlElement

NAME = "Bing"
BASE_URL = "https://www.bing.com"

_RESULTS = f"//li[{having('b_algo')}]"
_LINK = ".//h2//a[@href]"
_SNIPPETS = (f".//*[{having('b_caption')}]//p", ".//p[starts-with(@class, 'b_lineclamp')]", ".//p")
_NONE = f"//li[{having('b_no')}]"
_CHALLENGE = f"//*[@id='b_captcha'] | //*[{having('captcha')}] | //iframe[contains(@src, 'challenges.cloudflare.com')]"


def address(base_url: str, query: str) -> str:
    return f"{base_url}/search?{urlencode({'q': query})}"


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
    snippet = text_of(first(box, *_SNIPPETS), without=lambda each: "algoSlug_icon" in each.get("class", ""))
    return result(text_of(link), unwrap(link.get("href", ""), url), snippet)

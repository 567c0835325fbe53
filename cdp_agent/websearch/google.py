"""Google's result page, https://www.google.com/search.

Its class names change often: a result is known by a link around a heading, its box by how far that link is alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast
from urllib.parse import urlencode, urlsplit

from cdp_agent.websearch.base import Reading, Result, result
from cdp_agent.websearch.document import all_of, first, having, text_of
from cdp_agent.websearch.redirects import unwrap

if TYPE_CHECKING:
    from lxml.html import HtmlElement

NAME = "Google"
BASE_URL = "https://www.google.com"

_ADS = "ancestor::*[@id='tads' or @id='tadsb' or @id='bottomads']"
_LINKS = f"//a[@href][.//h3][not({_ADS})]"
_MAIN = ("//*[@id='rso']", "//*[@id='search']", "//body")
_SNIPPETS = (f".//*[{having('VwiC3b')}]", ".//*[@data-sncf]", ".//*[contains(@style, '-webkit-line-clamp')]")
_CONSENT = "//form[contains(@action, '//consent.')]"
_CHALLENGE = "//form[@id='captcha-form'] | //*[@id='recaptcha']"


def address(base_url: str, query: str) -> str:
    return f"{base_url}/search?{urlencode({'q': query})}"


def read(document: HtmlElement, url: str) -> Reading:
    main = first(document, *_MAIN)
    found = [_result(each, url) for each in all_of(document if main is None else main, f".{_LINKS}")]
    if results := [each for each in found if each is not None]:
        return Reading(results)
    where = urlsplit(url)
    if (where.hostname or "").startswith("consent.") or all_of(document, _CONSENT):
        return Reading(obstacle="consent")
    if where.path.startswith("/sorry/") or all_of(document, _CHALLENGE):
        return Reading(obstacle="captcha")
    return Reading()


def _result(link: HtmlElement, url: str) -> Result | None:
    box = link
    while (outer := cast("HtmlElement | None", box.getparent())) is not None and len(all_of(outer, f".{_LINKS}")) == 1:
        if outer.get("id") in ("rso", "search") or outer.tag == "body":
            break
        box = outer
    snippet = text_of(first(box, *_SNIPPETS)) or text_of(box, without=lambda each: each is link or each.tag == "cite")
    return result(text_of(first(link, ".//h3")), unwrap(link.get("href", ""), url), snippet)

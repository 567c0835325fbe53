"""Bing's result page, https://www.bing.com/search."""

from __future__ import annotations

from urllib.parse import urlencode

from cdp_agent.page.query.listing import ListingRules
from cdp_agent.websearch.base import Sign

NAME = "Bing"
BASE_URL = "https://www.bing.com"

RULES = ListingRules(
    links="h2 a[href]:not([id*='relatedQnA' i] *, [class*='rqna' i] *)",
    box="li.b_algo",
    texts=(".b_caption p", "p[class^='b_lineclamp']", "p"),
    without="[class*='algoSlug_icon']",
)
SIGNS = (
    Sign("captcha", "#b_captcha, .captcha, iframe[src*='challenges.cloudflare.com']"),
    Sign("empty", "li.b_no"),
)


def address(base_url: str, query: str) -> str:
    return f"{base_url}/search?{urlencode({'q': query})}"

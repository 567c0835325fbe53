"""Google's result page, https://www.google.com/search.

Its class names change often, so a result is a link around a heading, in the largest box without another such link.
"""

from __future__ import annotations

from urllib.parse import urlencode

from cdp_agent.page.query.listing import ListingRules
from cdp_agent.websearch.base import Sign

NAME = "Google"
BASE_URL = "https://www.google.com"

RULES = ListingRules(
    links="a[href]:has(h3):not(#tads *, #tadsb *, #bottomads *, [data-q] *, .related-question-pair *)",
    within=("#rso", "#search", "body"),
    title="h3",
    texts=(".VwiC3b", "[data-sncf]", "[style*='-webkit-line-clamp']"),
    without="cite",
    rest=True,
)
SIGNS = (
    Sign("consent", "form[action*='//consent.']", r"https?://consent\."),
    Sign("captcha", "#captcha-form, #recaptcha", r"https?://[^/]+/sorry/"),
)


def address(base_url: str, query: str) -> str:
    return f"{base_url}/search?{urlencode({'q': query})}"

"""DuckDuckGo's result page without scripts, https://html.duckduckgo.com/html/."""

from __future__ import annotations

from urllib.parse import urlencode

from cdp_agent.page.query.listing import ListingRules
from cdp_agent.websearch.base import Sign

NAME = "DuckDuckGo"
BASE_URL = "https://html.duckduckgo.com"

RULES = ListingRules(links="a.result__a[href]", box="div.result:not(.result--ad)", texts=(".result__snippet",))
SIGNS = (Sign("captcha", "form#challenge-form, .anomaly-modal__modal"), Sign("empty", ".no-results"))


def address(base_url: str, query: str) -> str:
    return f"{base_url}/html/?{urlencode({'q': query})}"

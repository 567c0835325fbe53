"""The HTTP requests to search services."""

from __future__ import annotations

import re

import httpx

from cdp_agent.errors import ActionError
from cdp_agent.providers.exchange import certificates
from cdp_agent.providers.shared.json_reading import decode
from cdp_agent.websearch.base import Results, SearchService, plain

_TIMEOUTS = httpx.Timeout(30, connect=10)
_LONGEST_REASON = 200


async def ask(service: SearchService, base_url: str, key: str, query: str, max_results: int) -> Results:
    """The results of a service. Raises ActionError, whose message never contains the key."""
    call = service.encode(query, max_results, key)
    try:
        # Redirects are not followed: they would send the key to another server.
        async with httpx.AsyncClient(timeout=_TIMEOUTS, follow_redirects=False, verify=certificates()) as http:
            response = await http.request(
                "GET" if call.body is None else "POST",
                base_url + call.path,
                params=dict(call.query) or None,
                headers={"Accept": "application/json", **call.headers},
                json=call.body,
            )
    except httpx.TimeoutException as error:
        raise ActionError(f"{service.NAME} did not answer in time. Try again, or go on without.") from error
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        reason = _without(str(error), key, base_url) or type(error).__name__
        raise ActionError(f"{service.NAME} cannot be reached: {reason}. Go on without searching.") from error
    if response.status_code != 200:
        raise ActionError(_refusal(service, response, key, base_url))
    try:
        decode(response.content)  # to check how deep it is nested
        results = service.decode(response.content)
    except ValueError as error:
        reason = _without(str(error), key, base_url)
        raise ActionError(f"{service.NAME} answered with something that is no list of results: {reason}.") from error
    return Results(query, service.NAME, results[:max_results])


def _refusal(service: SearchService, response: httpx.Response, key: str, base_url: str) -> str:
    status, reason = response.status_code, _without(_reason(response.content), key, base_url)
    refused = f"{service.NAME} refused the search (HTTP {status}{f': {reason}' if reason else ''})."
    if status in (401, 403):
        if service.KEY_VARIABLE:
            return f"{refused} The key in {service.KEY_VARIABLE} may be wrong or used up: go on without searching."
        return f"{refused} Its settings may not allow the json format (search.formats): go on without searching."
    if status == 429:
        wait = response.headers.get("retry-after", "")
        return (
            f"{refused} It had too many requests: search again {f'in {wait} seconds' if wait.isdigit() else 'later'}."
        )
    return f"{refused} {'Try again later.' if status >= 500 else 'Try another query, or go on without searching.'}"


def _reason(body: bytes) -> str:
    """The error message in a JSON body: the first text, at any depth, under a key that services use for messages."""
    try:
        found = decode(body)
    except ValueError:
        return ""
    levels = [found]
    for _ in range(3):
        levels = [each for each in levels if isinstance(each, dict)]
        inner = [each[name] for each in levels for name in ("detail", "message", "error") if name in each]
        text = next((each for each in inner if isinstance(each, str) and each.strip()), None)
        if text is not None:
            return plain(text, _LONGEST_REASON)
        levels = inner
    return ""


def _without(text: str, key: str, base_url: str) -> str:
    """The text without the key, and without a password in the URL."""
    text = text.replace(key, "[key]") if key else text
    secret = re.match(r"https?://([^/@]+)@", base_url)
    return (text.replace(secret[1], "[password]") if secret else text).rstrip(". ")

"""Holds the requests of a session until the rules have spoken: `Fetch`, and what there is for what it does not hold.

Fetch is asked for the fewest requests that serve, and not at all where there are no rules; it holds every hop of a
redirect, and requests that the cache would answer. It knows nothing of WebSockets: for the sessions of tabs and of
their workers, Chrome takes those that are refused to be offline (`Network.emulateNetworkConditionsByRule`). What
neither sees is refused by Chrome's resolver, where the Chrome is ours: see chrome_flags.

A request through it took 7.3 to 8.0 ms where one without took 5.4, one after another, and 5.2 to 6.2 where 2.9, a
hundred together: medians on 2 cores under a load of 19, `python -m bench.rules`; whether it is held or only passes by,
and with how many blocked hosts, made no difference. Chrome's own list (`Network.setBlockedURLs`) costs a request less
(4.0 and 2.5 ms for 10 hosts), but lets documents and sockets pass, and took 0.6 s to be told of 1,000 hosts.
https://chromedevtools.github.io/devtools-protocol/tot/Fetch/
"""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal, Protocol

from cdp_agent.cdp import fetch, network
from cdp_agent.cdp.connection import Session
from cdp_agent.page.frames.recent import Recent
from cdp_agent.page.frames.standstill import Standstill
from cdp_agent.security.origins import is_ip

from .rules import Pattern, Refusal, RequestRules
from .unsafe import RequestKind

_MOST_HOSTS = 50
"""With more, asking about every request costs less than having each compared with so many."""
_TYPES = {
    "image": "Image",
    "stylesheet": "Stylesheet",
    "font": "Font",
    "media": "Media",
    "manifest": "Other",
    "script": "Script",
    "xhr": "XHR",
    "ping": "Ping",
    "prefetch": "Fetch",
}

_SOCKETS = {"": "ws{s}?", "http": "ws", "https": "wss"}
_REQUESTS = {"": "http{s}?", "http": "http", "https": "https"}
_HELD_TYPES = ("Document", "XHR", "Fetch", "Ping", "EventSource", "Other")
_HELD_WORDS = ("elete", "emove", "estroy", "rase", "nsubscribe", "ogout", "ancel", "urge", "ublish", "eactivate")
"""Pictures and scripts are too many to ask about each; these words are in addresses that do something."""

Outcome = Literal["Aborted", "BlockedByClient"]
Verdict = Outcome | asyncio.Future[Outcome | None] | None
"""The reason to fail a request with, None to let it go on; a future while that is asked."""


class Interception:
    """What one session may load. `judge` gives the verdict on a request."""

    def __init__(self, session: Session, judge: Callable[[fetch.RequestPaused], Verdict]) -> None:
        self._session = session
        self._judge = judge
        self._credentials: tuple[str, str] | None = None
        self._given = Recent()
        """The requests that the credentials were given for."""
        session.on(fetch.RequestPaused, self._paused)
        session.on(fetch.AuthRequired, self._asked)

    def enforce(self, rules: Sequence[RequestRules]) -> Sequence[asyncio.Future[Any]]:
        """From now on, and before anything that a later command lets the session do; the answers."""
        self._credentials = next((each.proxy_credentials for each in rules if each.proxy_credentials), None)
        patterns = patterns_of(rules)
        if not patterns:
            return [self._session.post(fetch.Disable())]
        asked = True if self._credentials else None
        return [self._session.post(fetch.Enable(patterns=patterns, handle_auth_requests=asked))]

    def _paused(self, event: fetch.RequestPaused) -> None:
        verdict = self._judge(event)
        if isinstance(verdict, asyncio.Future):
            verdict.add_done_callback(lambda decided: self._answer(event, decided.result()))
        else:
            self._answer(event, verdict)

    def _answer(self, event: fetch.RequestPaused, reason: Outcome | None) -> None:
        if reason is None:
            self._session.tell(fetch.ContinueRequest(request_id=event.request_id))
        else:
            self._session.tell(fetch.FailRequest(request_id=event.request_id, error_reason=reason))

    def _asked(self, event: fetch.AuthRequired) -> None:
        """Only a proxy gets what is for the proxy, and only once: asked again, it did not take it.

        A site's question is cancelled, which shows the page that it answered with; "Default" would fail the request.
        """
        answer = fetch.AuthChallengeResponse(response="CancelAuth")
        given = event.request_id in self._given
        if event.auth_challenge.source == "Proxy" and self._credentials is not None and not given:
            user, password = self._credentials
            answer = fetch.AuthChallengeResponse(response="ProvideCredentials", username=user, password=password)
            self._given.add(event.request_id)
        self._session.tell(fetch.ContinueWithAuth(request_id=event.request_id, auth_challenge_response=answer))


def refusal_of(rules: Sequence[RequestRules], url: str, kind: str = "", *, tab: bool = False) -> Refusal | None:
    """The first of the rules that refuses the address, see Rules.refusal."""
    return next((found for each in rules if (found := each.refusal(url, kind, tab=tab))), None)


def patterns_of(rules: Sequence[RequestRules]) -> list[fetch.RequestPattern]:
    """The requests to ask about: all that may be refused, as few as possible."""
    wide = ["http*", "file:*"]
    texts: dict[str, None] = {}
    types: set[str] = set()
    for each in rules:
        if each.allow is not None or each.block_hosts or each.proxy_credentials or len(each.deny) > _MOST_HOSTS:
            texts |= dict.fromkeys(wide)
        if each.deny:
            texts |= dict.fromkeys(_glob(denied) for denied in each.deny) | {"file:*": None}
        types |= {_TYPES[kind] for kind in each.block_types}
        if each.hold is not None or each.gate is not None:
            types |= set(_HELD_TYPES)
            texts |= dict.fromkeys(f"http*{word}*" for word in _HELD_WORDS)
    if "http*" in texts:
        return [fetch.RequestPattern(url_pattern=each) for each in wide]
    return [fetch.RequestPattern(url_pattern=each) for each in texts] + [
        fetch.RequestPattern(url_pattern="http*", resource_type=each) for each in sorted(types)
    ]


def _glob(denied: Pattern) -> str:
    """What every address has that the pattern means. Others may have it, too: they are looked at, and go on."""
    if not denied.host or is_ip(denied.host):  # an IP address can be inside of another one
        return f"{denied.scheme}:*" if denied.scheme and not denied.host else "http*"
    return f"*{denied.host}*"


def socket_conditions(rules: Sequence[RequestRules]) -> list[network.NetworkConditions]:
    """WebSockets that are refused, as being offline, and WebRTC, whose packets are lost: the first that matches counts.

    WebRTC has no addresses: under any list of origins none of its packets leaves. What it sends by TCP, nothing holds.
    """
    found = [_condition(text, offline=refused) for text, refused in _refused(rules, _SOCKETS)]
    return [*found, _WITHOUT_WEBRTC] if any(each.bound for each in rules) else found


def blocked_urls(rules: Sequence[RequestRules]) -> list[network.BlockPattern]:
    """What lists of origins refuse over HTTP, for a process that looks at the addresses itself."""
    return [network.BlockPattern(url_pattern=text, block=refused) for text, refused in _refused(rules, _REQUESTS)]


def _refused(rules: Sequence[RequestRules], schemes: Mapping[str, str]) -> Iterator[tuple[str, bool]]:
    """Patterns of addresses, and whether those are refused: the first that matches counts."""
    for denied in (pattern for each in rules for pattern in each.deny):
        yield from ((text, True) for text in _url_patterns(denied, schemes))
    if allowing := list(dict.fromkeys(each.allow for each in rules if each.allow is not None)):
        for allowed in functools.reduce(_allowed_by_both, allowing):
            yield from ((text, False) for text in _url_patterns(allowed, schemes))
        yield from ((text, True) for text in _url_patterns(_ANY, schemes))


@functools.lru_cache
def _allowed_by_both(first: tuple[Pattern, ...], second: tuple[Pattern, ...]) -> tuple[Pattern, ...]:
    return tuple(both for one in first for other in second if (both := one.meet(other)) is not None)


_ANY = Pattern("*")
_WITHOUT_WEBRTC = network.NetworkConditions(
    url_pattern="", latency=0, download_throughput=-1, upload_throughput=-1, packet_loss=100
)


def _condition(pattern: str, *, offline: bool) -> network.NetworkConditions:
    return network.NetworkConditions(
        url_pattern=pattern, latency=0, download_throughput=-1, upload_throughput=-1, offline=True if offline else None
    )


def _url_patterns(pattern: Pattern, schemes: Mapping[str, str]) -> list[str]:
    """One for all names of a host: Chrome reads them anew for each document and worker, and slowly.

    https://urlpattern.spec.whatwg.org/#pattern-strings
    """
    if pattern.scheme not in schemes:
        return []
    if not pattern.host or is_ip(pattern.host):
        hosts = [_in_url_pattern(each) for each in pattern.written_as()]
    else:
        before = "" if not pattern.subdomains else "{*.}?" if pattern.itself else "*."
        hosts = [f"{before}{_in_url_pattern(pattern.host)}{{.}}?"]
    return [f"{schemes[pattern.scheme]}://{each}:{pattern.port or '*'}/*" for each in hosts]


def _in_url_pattern(host: str) -> str:
    """A host, `*.` before it or not, in the words of https://urlpattern.spec.whatwg.org/."""
    return "".join(each if each.isalnum() or each in "*.-_[]" else f"\\{each}" for each in host)


class Gate(Protocol):
    """What requests of a task pass one by one: for whoever paces them, or has to know of them before they are sent.

    These are every request for a document, and all that `unsafe_kind` has a word for. It stands behind the rules: what
    these refuse, or somebody is asked about first, comes to it when that is over.
    """

    standstill: Standstill
    """Stands still while something waits at the gate, so that the waiting is no delay of a page."""

    async def refusal(self, event: fetch.RequestPaused, kind: RequestKind | None, *, document: bool) -> str | None:
        """None, as soon as it may be sent, or why it may not (as `Blocked.why`).

        `document`: it is for the document of a tab.
        """

"""Holds the requests of a session until the rules decide: by `Fetch`, and by other means for what Fetch does not hold.

Fetch is enabled for as few requests as possible, and not at all if there are no rules; it holds every hop of a
redirect, and requests that the cache would answer. It does not see WebSockets: for the sessions of tabs and their
workers, Chrome treats refused ones as offline (`Network.emulateNetworkConditionsByRule`). In a Chrome of ours, what
neither sees is refused by Chrome's resolver, see `settings_for_network`.

With Fetch, a request took 7.3 to 8.0 ms, without it 5.4, one after another; a hundred at once took 5.2 to 6.2 ms each,
without it 2.9: medians on 2 cores under a load of 19, `python -m bench.rules`. It made no difference whether Fetch held
the request or not, or how many hosts were blocked. Chrome's own list (`Network.setBlockedURLs`) costs less per request
(4.0 and 2.5 ms for 10 hosts), but lets documents and sockets pass, and setting 1,000 hosts took 0.6 s.
https://chromedevtools.github.io/devtools-protocol/tot/Fetch/
"""

from __future__ import annotations

import asyncio
import functools
import re
from collections.abc import Awaitable, Iterator, Mapping, Sequence

from cdp_agent.cdp import fetch, network, target
from cdp_agent.cdp.connection import Session, retrieve_exception
from cdp_agent.cdp.types import Empty
from cdp_agent.page.frames.recent import RecentSet
from cdp_agent.security.origins import is_ip

from .holding import Gate
from .judge import AwaitFrame, Consult, FailReason, Refuse, SiteWorker, TabGroup, Table, judge, reason_for
from .rules import Blocked, Pattern, RequestRules
from .unsafe import RequestKind, unsafe_kind

_KNOWN_WITHIN_S = 1.0
"""How long to wait for the event of a new frame, which may come after its first request."""

_MOST_HOSTS = 50
"""Above this number, holding every request costs less than the patterns, which Chrome compares with each request."""
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


_waiting: set[asyncio.Task[None]] = set()
"""The tasks that wait for decisions: asyncio itself keeps only weak references."""


class Interception:
    """Holds the requests of one session, and does what is decided of them. Gives a proxy its credentials."""

    def __init__(self, session: Session, table: Table, holder: TabGroup | SiteWorker | None = None) -> None:
        """`holder`: see `judge`."""
        self._session = session
        self._table = table
        self._holder = holder
        self._unknown: dict[str, list[fetch.RequestPaused]] = {}
        """The requests of unknown frames, by frame id."""
        self._credentials: tuple[str, str] | None = None
        self._authenticated = RecentSet()
        """The ids of requests for which the credentials were given."""
        session.on(fetch.RequestPaused, self._paused)
        session.on(fetch.AuthRequired, self._authenticate)

    def enforce(self, rules: Sequence[RequestRules]) -> asyncio.Future[Empty]:
        """Puts rules in force before any later command takes effect. Returns a future of Chrome's answer."""
        self._credentials = next((each.proxy_credentials for each in rules if each.proxy_credentials), None)
        patterns = patterns_of(rules)
        command = fetch.Enable(patterns=patterns, handle_auth_requests=True if self._credentials else None)
        answer = self._session.post(command if patterns else fetch.Disable())
        answer.add_done_callback(retrieve_exception)  # the session may end at any time
        return answer

    def frame_known(self, frame_id: str) -> None:
        """Decides on the requests that waited for that frame."""
        for event in self._unknown.pop(frame_id, []):
            self._table.awaited.add(frame_id)
            self._paused(event)

    def _paused(self, event: fetch.RequestPaused) -> None:
        match judge(self._table, event, self._holder):
            case None:
                self._answer_request(event, None)
            case Refuse(reason, blocked, ledger):
                if ledger is not None:
                    ledger.record(blocked, event.network_id)
                self._answer_request(event, reason)
            case Consult() as consult:
                self._consult(event, consult)
            case AwaitFrame():
                self._await_frame(event)

    def _answer_request(self, event: fetch.RequestPaused, reason: FailReason | None) -> None:
        if reason is None:
            self._session.tell(fetch.ContinueRequest(request_id=event.request_id))
        else:
            self._session.tell(fetch.FailRequest(request_id=event.request_id, error_reason=reason))

    def _await_frame(self, event: fetch.RequestPaused) -> None:
        frame_id = event.frame_id
        if frame_id not in self._unknown:
            info = self._session.connection.browser.post(target.GetTargetInfo(target_id=frame_id))
            info.add_done_callback(lambda answer: self._target_info_received(frame_id, answer))
            asyncio.get_running_loop().call_later(_KNOWN_WITHIN_S, self.frame_known, frame_id)
        self._unknown.setdefault(frame_id, []).append(event)

    def _target_info_received(self, frame_id: str, answer: asyncio.Future[target.FoundTarget]) -> None:
        """Takes in the target info of a worker that another worker started, for which Chrome sends no event."""
        if answer.cancelled() or answer.exception() is not None:
            return
        parent = answer.result().target_info.parent_frame_id or ""
        if (group := self._table.group_of(parent)) is not None:
            self._table.add_frame(group, frame_id)
            self.frame_known(frame_id)

    def _consult(self, event: fetch.RequestPaused, consult: Consult) -> None:
        may_pass: Awaitable[bool] | bool = True
        if consult.hold is not None:
            group = consult.group
            tab = group.activity_of(event.frame_id) if group is not None else None
            may_pass = consult.hold.request(event, tab, group.beside(tab) if group is not None else ())
        if consult.gate is not None and may_pass is not False:
            kind = unsafe_kind(event.request, event.resource_type)
            if consult.is_document or kind is not None:
                may_pass = _passes_gate(event, consult.gate, kind, consult, may_pass)
        if isinstance(may_pass, bool):
            self._answer_request(event, None if may_pass else reason_for(consult.is_document))
            return
        waiting = asyncio.ensure_future(self._wait(event, may_pass, reason_for(consult.is_document)))
        _waiting.add(waiting)
        waiting.add_done_callback(_waiting.discard)

    async def _wait(self, event: fetch.RequestPaused, may_pass: Awaitable[bool], refused: FailReason) -> None:
        """Answers once it is decided. If deciding fails, the request is not sent."""
        reason: FailReason | None = refused
        try:
            reason = None if await may_pass else refused
        finally:
            self._answer_request(event, reason)

    def _authenticate(self, event: fetch.AuthRequired) -> None:
        """Gives the proxy's credentials to proxies only, and once per request: a second challenge means a refusal.

        A site's challenge is cancelled, so that its 401 response is shown; "Default" would fail the request.
        """
        response = fetch.AuthChallengeResponse(response="CancelAuth")
        is_first = event.request_id not in self._authenticated
        if event.auth_challenge.source == "Proxy" and self._credentials is not None and is_first:
            user, password = self._credentials
            response = fetch.AuthChallengeResponse(response="ProvideCredentials", username=user, password=password)
            self._authenticated.add(event.request_id)
        self._session.tell(fetch.ContinueWithAuth(request_id=event.request_id, auth_challenge_response=response))


async def _passes_gate(
    event: fetch.RequestPaused, gate: Gate, kind: RequestKind | None, consult: Consult, may_pass: Awaitable[bool] | bool
) -> bool:
    """Whether the gate lets a request pass, once `may_pass` does."""
    if not (may_pass if isinstance(may_pass, bool) else await may_pass):
        return False
    why = await gate.refusal(event, kind, document=consult.is_document)
    if why is not None and consult.group is not None:
        consult.group.ledger.record(Blocked(event.request.url, why, consult.is_document))
    return why is None


def patterns_of(rules: Sequence[RequestRules]) -> list[fetch.RequestPattern]:
    """The patterns of requests to hold: of all that may be refused, and of as few others as possible."""
    wide = ["http*", "file:*"]
    texts: dict[str, None] = {}
    types: set[str] = set()
    for rule in rules:
        holds_all = rule.hold is not None or rule.gate is not None or rule.allow is not None or rule.block_hosts
        if holds_all or rule.proxy_credentials or len(rule.deny) > _MOST_HOSTS:
            texts |= dict.fromkeys(wide)
        if rule.deny:
            texts |= dict.fromkeys(_glob(denied) for denied in rule.deny) | {"file:*": None}
        types |= {_TYPES[kind] for kind in rule.block_types}
    if "http*" in texts:
        return [fetch.RequestPattern(url_pattern=each) for each in wide]
    return [fetch.RequestPattern(url_pattern=each) for each in texts] + [
        fetch.RequestPattern(url_pattern="http*", resource_type=each) for each in sorted(types)
    ]


def _glob(denied: Pattern) -> str:
    """A glob for all addresses that the pattern means. Other addresses that it matches are judged, and let through."""
    if not denied.host or is_ip(denied.host):  # an IPv4 address also has an IPv4-mapped IPv6 form
        return f"{denied.scheme}:*" if denied.scheme and not denied.host else "http*"
    return f"*{denied.host}*"


def socket_conditions(rules: Sequence[RequestRules], *, upload: float = -1) -> list[network.NetworkConditions]:
    """Conditions that put refused WebSockets offline, and drop all packets of WebRTC; the first match counts.

    `upload`: what the others may send, in bytes per second, -1 for no limit. WebRTC has no addresses, so under any list
    of origins all its packets are dropped. What it sends by TCP is not held.
    """
    found = [condition(text, offline=refused, upload=upload) for text, refused in _refused(rules, _SOCKETS)]
    if upload != -1:
        found += [condition(text, upload=upload) for text in _url_patterns(_ANY, _SOCKETS)]
    return [*found, _WITHOUT_WEBRTC] if any(each.has_origin_lists for each in rules) else found


def blocked_urls(rules: Sequence[RequestRules]) -> list[network.BlockPattern]:
    """What lists of origins refuse over HTTP, as patterns for `Network.setBlockedURLs`."""
    return [network.BlockPattern(url_pattern=text, block=refused) for text, refused in _refused(rules, _REQUESTS)]


def _refused(rules: Sequence[RequestRules], schemes: Mapping[str, str]) -> Iterator[tuple[str, bool]]:
    """URL patterns, each with whether it is refused; the first match counts."""
    for denied in (pattern for each in rules for pattern in each.deny):
        yield from ((text, True) for text in _url_patterns(denied, schemes))
    if allowing := list(dict.fromkeys(each.allow for each in rules if each.allow is not None)):
        for allowed in functools.reduce(_allowed_by_both, allowing):
            yield from ((text, False) for text in _url_patterns(allowed, schemes))
        yield from ((text, True) for text in _url_patterns(_ANY, schemes))


@functools.lru_cache
def _allowed_by_both(first: tuple[Pattern, ...], second: tuple[Pattern, ...]) -> tuple[Pattern, ...]:
    return tuple(both for one in first for other in second if (both := one.intersection(other)) is not None)


_ANY = Pattern("*")
_WITHOUT_WEBRTC = network.NetworkConditions(
    url_pattern="", latency=0, download_throughput=-1, upload_throughput=-1, packet_loss=100
)


def condition(pattern: str, *, offline: bool = False, upload: float = -1) -> network.NetworkConditions:
    """Conditions for those addresses; `upload` is in bytes per second, -1 for no limit."""
    return network.NetworkConditions(
        url_pattern=pattern,
        latency=0,
        download_throughput=-1,
        upload_throughput=upload,
        offline=True if offline else None,
    )


def exact_pattern(url: str) -> str:
    """A URL pattern for one address without its query, whatever the query is."""
    scheme, _, rest = url.partition("://")
    host, slash, path = rest.partition("/")
    escaped = re.sub(r"([^\w/%.~-])", r"\\\1", path, flags=re.ASCII)
    return f"{scheme}://{host}{slash}{escaped}"


def _url_patterns(pattern: Pattern, schemes: Mapping[str, str]) -> list[str]:
    """As few URL patterns as possible, since Chrome parses them anew, and slowly, for each document and worker.

    https://urlpattern.spec.whatwg.org/#pattern-strings
    """
    if pattern.scheme not in schemes:
        return []
    if not pattern.host or is_ip(pattern.host):
        hosts = [_in_url_pattern(each) for each in pattern.chrome_host_patterns()]
    else:
        before = "" if not pattern.subdomains else "{*.}?" if pattern.itself else "*."
        hosts = [f"{before}{_in_url_pattern(pattern.host)}{{.}}?"]
    return [f"{schemes[pattern.scheme]}://{each}:{pattern.port or '*'}/*" for each in hosts]


def _in_url_pattern(host: str) -> str:
    """A host, with or without `*.` before it, in the syntax of https://urlpattern.spec.whatwg.org/."""
    return "".join(each if each.isalnum() or each in "*.-_[]" else f"\\{each}" for each in host)

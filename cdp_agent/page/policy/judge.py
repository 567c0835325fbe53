"""Who sent a request, and what the rules say of it: a table of senders, and a pure function of it.

Nothing here waits, or tells Chrome anything: `PolicyRegistry` owns the table, `Interception` does what is decided.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple
from weakref import WeakValueDictionary

import msgspec

from cdp_agent.cdp import fetch
from cdp_agent.page.frames.recent import RecentSet
from cdp_agent.security.origins import origin_of

from .holding import Gate, Hold
from .rules import Blocked, Refusal, RequestRules

if TYPE_CHECKING:
    from cdp_agent.page.activity.activity import Activity

FailReason = Literal["Aborted", "BlockedByClient"]
_LONGEST_ORIGIN = 300
_REMEMBERED = 1_000


class Ledger:
    """The requests that were kept from being sent, until whoever reports them takes them."""

    def __init__(self) -> None:
        self._blocked: list[Blocked] = []
        self._recorded = RecentSet()
        """The ids of recorded requests, with their addresses."""

    def record(self, blocked: Blocked, request_id: str = "") -> None:
        """Adds a request. One with an id (of the domain Network) counts once: Chrome may report it in two ways."""
        if request_id:
            if (name := f"{request_id} {blocked.url}") in self._recorded:
                return
            self._recorded.add(name)
        self._blocked.append(blocked)
        del self._blocked[:-_REMEMBERED]

    def take(self) -> list[Blocked]:
        """The requests since the last call."""
        taken, self._blocked = self._blocked, []
        return taken


class Site(NamedTuple):
    """An origin in a browser context. Different contexts have different workers for it."""

    context: str | None
    origin: str


class TabGroup:
    """A tab and the tabs that it opened. `browser_rules` apply to the whole browser, `tab_rules` to these tabs alone.

    In the table it stands for its frames and dedicated workers while their documents are there.
    """

    def __init__(
        self, browser_rules: Sequence[RequestRules], tab_rules: Sequence[RequestRules], context: str | None = None
    ) -> None:
        """`context`: the browser context of its tabs."""
        self.browser_rules = browser_rules
        self.tab_rules = list(tab_rules)
        self.context = context
        self.ledger = Ledger()
        self.activities: WeakValueDictionary[str, Activity] = WeakValueDictionary()
        """The activities of the tabs, by tab id."""
        self.open_tabs: set[str] = set()
        self.tabs = RecentSet()
        """The tabs' ids, also of closed ones, which are the ids of their root frames."""
        self.frames = RecentSet()
        """The ids of other frames and of dedicated workers, also of those that are gone."""
        self.requests = RecentSet()
        """The ids of its documents' requests: those that are sent while rules end may be reported later."""
        self._visited = RecentSet()
        """The origins of requested documents."""

    @property
    def rules(self) -> list[RequestRules]:
        """All rules of these tabs."""
        return [*self.browser_rules, *self.tab_rules]

    def note_visit(self, url: str) -> Site | None:
        """Notes the request of a document. Returns its site if that is new here, and the tabs have rules of their own.

        In Chrome's form of addresses the origin ends at the third slash.
        """
        origin = _origin("/".join(url.split("/", 3)[:3])[:_LONGEST_ORIGIN])
        is_new = origin not in self._visited
        self._visited.add(origin)
        return Site(self.context, origin) if is_new and self.tab_rules else None

    def has_visited(self, site: Site) -> bool:
        """Whether a document of that site was requested here. The opaque origin, "None", may be any document's."""
        is_same = site.origin == "None" or self._visited.full or site.origin in self._visited
        return is_same and self.context == site.context

    @property
    def shown(self) -> set[Site]:
        """The sites of the documents in its open tabs."""
        tabs = (tab for name, tab in self.activities.items() if name in self.open_tabs)
        return {Site(self.context, _origin(tab.document.url)) for tab in tabs}

    def activity_of(self, frame_id: str) -> Activity | None:
        """The activity of the tab that contains, or contained, that frame."""
        activities = self.activities.values()
        return self.activities.get(frame_id) or next((tab for tab in activities if frame_id in tab.frame_ids), None)

    def tab_of_document(self, loader_id: str) -> Activity | None:
        """The activity of the tab that shows the document; if none does, of the only open tab."""
        tabs = [tab for name, tab in self.activities.items() if name in self.open_tabs]
        return next((tab for tab in tabs if loader_id in tab.loaders), tabs[0] if len(tabs) == 1 else None)

    def beside(self, tab: Activity | None) -> list[Activity]:
        """The activities of its other open tabs."""
        return [other for name, other in self.activities.items() if name in self.open_tabs and other is not tab]


class Leaving(msgspec.Struct, frozen=True, eq=False):
    """A frame or worker that is gone. Its last requests may come later, and keep to the `rules` that it had."""

    rules: Sequence[RequestRules]


class Freed(msgspec.Struct, frozen=True, eq=False):
    """A tab that was freed of `rules`, which still apply to the requests of its former documents, see `Table.free`."""

    group: TabGroup
    rules: Sequence[RequestRules]
    requests: RecentSet
    """The ids of those requests. The ones that a document sends as it is unloaded have none."""

    def covers(self, event: fetch.RequestPaused) -> bool:
        """Whether the request is, or may be, one of a former document."""
        return event.resource_type != "Document" and (not event.network_id or event.network_id in self.requests)


class SiteWorker(msgspec.Struct, eq=False):
    """A shared or service worker, or one that such a worker started. `site` is that of the outermost."""

    target_id: str
    site: Site
    origin_lists: list[RequestRules] = []
    """The lists of origins of all tabs that were at its site at or since its start. They apply while it runs."""


class Table:
    """Who may send requests in a browser, by the `frameId` that Chrome gives them, and under which rules."""

    def __init__(self, rules: RequestRules | None = None, *, all_ours: bool = True) -> None:
        """`rules` apply to tabs that we opened; with `all_ours`, in a Chrome of ours, to the whole of it."""
        self.all_ours = all_ours
        self.browser_rules = [rules] if all_ours and rules is not None else []
        self.rules_of_ours = [rules] if not all_ours and rules is not None else []
        """The rules of all tabs that we opened, in somebody else's Chrome."""
        self.context_rules: list[RequestRules] = []
        """The rules of open browser contexts, with or without tabs."""
        self.groups: list[TabGroup] = []
        """Those with open tabs."""
        self.senders: dict[str, TabGroup | Leaving | Freed | SiteWorker] = {}
        self.leaving_rules: list[Sequence[RequestRules]] = []
        """The rules of documents and workers that are gone since a moment ago: their last requests are still held."""
        self.awaited = RecentSet()
        """The unknown frames that were waited for, in vain or not."""
        self._gone = RecentSet()

    @property
    def rules(self) -> list[RequestRules]:
        """The rules of the browser, of open contexts and of open tabs."""
        of_tabs = (rules for group in self.groups for rules in group.tab_rules)
        return distinct([*self.browser_rules, *self.context_rules, *of_tabs])

    @property
    def has_tab_rules(self) -> bool:
        """Whether there are, or will be, rules of single tabs, which apply to workers of the sites that they visit."""
        return bool(self.rules_of_ours or self.context_rules or any(group.tab_rules for group in self.groups))

    def add_tab(self, group: TabGroup, target_id: str) -> None:
        """Adds a tab, by its root frame."""
        group.open_tabs.add(target_id)
        if group not in self.groups:
            self.groups.append(group)
        self._add(group.tabs, target_id, group)

    def add_frame(self, group: TabGroup, frame_id: str) -> None:
        """Adds a frame or a dedicated worker. One that leaves, or whose tabs are closed, keeps to their last rules."""
        if not group.open_tabs:
            self._add(self._gone, frame_id, Leaving(group.rules))
        elif not isinstance(self.senders.get(frame_id), Leaving):
            self._add(group.frames, frame_id, group)

    def add_worker(self, worker: SiteWorker) -> None:
        """Adds a shared or service worker, or one that such a worker started, unless it leaves."""
        if not isinstance(self.senders.get(worker.target_id), Leaving):
            self.senders[worker.target_id] = worker

    def remove_worker(self, worker: SiteWorker) -> None:
        """Removes a worker that is gone."""
        if self.senders.get(worker.target_id) is worker:
            del self.senders[worker.target_id]

    def remove(self, group: TabGroup) -> list[RequestRules]:
        """Removes a group whose tabs are closed. Returns its rules if any are its own: last requests may come later."""
        self.groups.remove(group)
        frame_ids, rules = [*group.tabs, *group.frames], group.rules if group.tab_rules else []
        for frame_id in frame_ids:
            self.senders.pop(frame_id, None)
        if rules:
            self.leave(frame_ids, rules)
        return rules

    def leave(self, frame_ids: Iterable[str], rules: Sequence[RequestRules]) -> None:
        """Notes that the documents of these frames, or these workers, are gone; `rules` applied to them."""
        self.leaving_rules.append(rules)
        for frame_id in frame_ids:
            self._add(self._gone, frame_id, Leaving(rules))

    def free(self, group: TabGroup) -> list[RequestRules]:
        """Notes that the group's tabs are blank, and will be free of rules of theirs. Returns the rules until now."""
        rules = group.rules
        self.leave(group.frames, rules)
        self.senders |= dict.fromkeys(group.tabs, Freed(group, rules, group.requests))
        group.frames, group.requests = RecentSet(), RecentSet()
        return rules

    def forget(self, rules: Sequence[RequestRules]) -> None:
        """Ends what `leave` and `free` noted for `rules`, when requests under them are not to be expected any more.

        Frames that are gone keep to them as long as others' rules have their requests held.
        """
        self.leaving_rules = [leaving for leaving in self.leaving_rules if leaving is not rules]
        for frame_id, sender in self.senders.items():
            if isinstance(sender, Freed) and sender.rules is rules:
                self.senders[frame_id] = sender.group

    def group_of(self, frame_id: str) -> TabGroup | None:
        """The group of a frame that is there."""
        sender = self.senders.get(frame_id)
        return sender.group if isinstance(sender, Freed) else sender if isinstance(sender, TabGroup) else None

    def groups_at(self, site: Site) -> list[TabGroup]:
        """The groups under rules of their own that have visited the site."""
        return [group for group in self.groups if group.tab_rules and group.has_visited(site)]

    def rules_at(self, site: Site) -> list[RequestRules]:
        """The rules of tabs that apply to the site's workers."""
        return [rules for group in self.groups_at(site) for rules in group.tab_rules]

    def lists_of(self, worker: SiteWorker) -> list[RequestRules]:
        """The lists that apply to a worker as long as it runs."""
        present = [rules for rules in self.rules_at(worker.site) if rules.hold is None and rules.gate is None]
        return distinct([*worker.origin_lists, *present])

    def rules_of(self, worker: SiteWorker) -> list[RequestRules]:
        """All rules that apply to a worker now."""
        return distinct([*self.browser_rules, *self.lists_of(worker), *self.rules_at(worker.site)])

    def _add(self, names: RecentSet, frame_id: str, sender: TabGroup | Leaving) -> None:
        oldest = next(iter(names), frame_id)
        names.add(frame_id)
        if oldest not in names:
            self.senders.pop(oldest, None)
        self.senders[frame_id] = sender


class Refuse(msgspec.Struct, frozen=True):
    """The request must not be sent. `ledger` is to record that it was blocked; None if nobody is to be told."""

    reason: FailReason
    blocked: Blocked
    ledger: Ledger | None


class Consult(msgspec.Struct, frozen=True):
    """No list refuses the request. It waits until the `hold` and then the `gate`, where there are such, let it pass."""

    hold: Hold | None
    gate: Gate | None
    group: TabGroup | None
    """Whose request it is."""
    is_document: bool
    """Whether it is for the document of a tab."""


class AwaitFrame(msgspec.Struct, frozen=True):
    """Its frame is unknown, and rules differ: it waits until the frame is known, and is then judged again."""


def judge(
    table: Table, event: fetch.RequestPaused, holder: TabGroup | SiteWorker | None = None
) -> Refuse | Consult | AwaitFrame | None:
    """What is to become of a held request; None to let it through.

    `holder`: who sends what is held on that session; None for the browser's session, where the request's frame tells.
    """
    group: TabGroup | None = None
    match holder or table.senders.get(event.frame_id):
        case Leaving(rules=rules):
            pass
        case Freed(rules=rules) as freed if freed.covers(event):
            pass
        case Freed(group=group) | (TabGroup() as group):
            rules = group.rules
        case SiteWorker() as worker:
            rules, group = table.rules_of(worker), next(iter(table.groups_at(worker.site)), None)
        case _:
            rules, groups = table.rules, table.groups
            is_awaited = not event.frame_id or event.frame_id in table.awaited
            if not is_awaited and any(other.rules != rules for other in groups):
                return AwaitFrame()
            group = next((bound for bound in groups if bound.tab_rules), groups[0] if groups else None)
    is_document = event.resource_type == "Document" and group is not None and event.frame_id in group.tabs
    if (refusal := refusal_of(rules, event.request.url, event.resource_type, tab=is_document)) is not None:
        ledger = group.ledger if group is not None and refusal.violates else None
        return Refuse(reason_for(is_document), Blocked(event.request.url, refusal.why, is_document), ledger)
    hold, gate = hold_of(rules), gate_of(rules)
    return None if hold is None and gate is None else Consult(hold, gate, group, is_document)


def reason_for(is_document: bool) -> FailReason:
    """ "Aborted" leaves a tab where it is; with the other reason it would show Chrome's error page."""
    return "Aborted" if is_document else "BlockedByClient"


def refusal_of(rules: Sequence[RequestRules], url: str, kind: str = "", *, tab: bool = False) -> Refusal | None:
    """The refusal by the first of the rules that refuses the address, see RequestRules.refusal."""
    return next((refusal for each in rules if (refusal := each.refusal(url, kind, tab=tab))), None)


def violation_of(rules: Sequence[RequestRules], url: str) -> Blocked | None:
    """The refusal of a request or socket that was not held, if a list of origins refuses it."""
    refusal = refusal_of(rules, url)
    return Blocked(url, refusal.why) if refusal is not None and refusal.violates else None


def hold_of(rules: Sequence[RequestRules]) -> Hold | None:
    """The newest Hold of the rules, if possible that of a run that is not over; None if there is none."""
    holds = [each.hold for each in reversed(rules) if each.hold is not None]
    return min(holds, key=lambda hold: hold.over, default=None)


def gate_of(rules: Sequence[RequestRules]) -> Gate | None:
    """The Gate of the rules, if any."""
    return next((each.gate for each in rules if each.gate is not None), None)


def distinct(rules: Sequence[RequestRules]) -> list[RequestRules]:
    """The rules, each once."""
    return list({id(each): each for each in rules}.values())


@functools.lru_cache(_REMEMBERED)
def _origin(url: str) -> str:
    return str(origin_of(url))

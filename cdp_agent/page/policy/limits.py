"""Rules of a run, or of the acts of a session: for the tabs that it opens and those that it names, until it ends."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Iterable, Iterator
from contextvars import ContextVar
from typing import TYPE_CHECKING

from cdp_agent.errors import BrowserError, ProtocolError

if TYPE_CHECKING:
    from .holding import Act, Hold
    from .judge import Site
    from .request_policy import RequestPolicy
    from .rules import RequestRules


class TabLimits:
    """Rules for the tabs that are opened inside its `block`, or passed to it, until `end`."""

    def __init__(self, rules: RequestRules) -> None:
        self._rules = rules
        self._policies: list[RequestPolicy] = []
        """The policies in which they are in force."""
        self._around: TabLimits | None = None
        """The limits of the enclosing block."""

    @property
    def hold(self) -> Hold:
        """The Hold among them; not to be asked for where there is none."""
        assert self._rules.hold is not None
        return self._rules.hold

    @contextlib.contextmanager
    def block(self) -> Iterator[None]:
        """A block in which they apply to all tabs that this task, or one that it starts, opens or passes to `limit`."""
        self._around = _limits.get()
        _limits.set(self)
        try:
            yield
        finally:
            _limits.set(self._around)

    async def apply_to(self, policy: RequestPolicy) -> None:
        """Puts them in force in a tab. Raises BrowserError."""
        if self._around is not None:
            await self._around.apply_to(policy)
        if policy not in self._policies:
            self._policies.append(policy)
            await policy.enforce(self._rules)

    async def begin(self, act: Act, others: Iterable[RequestPolicy]) -> None:
        """Begins an act: its effects are held, also in those of `others` that it may have act. Raises BrowserError."""
        await self._apply_beside(others)
        held = [policy for policy in self._policies if policy.hold is self.hold]
        self.hold.begin(act, [tab for policy in held for tab in policy.group.activities.values()])
        for policy in held:
            policy.hold_sockets()

    @contextlib.contextmanager
    def lifted(self) -> Iterator[None]:
        """A block in which the user acts in the pages themselves: nothing is held."""
        for policy in self._policies:
            policy.release_sockets()
        with self.hold.lifted():
            yield

    async def _apply_beside(self, policies: Iterable[RequestPolicy]) -> None:
        """Puts them in force in tabs of ours, too, that show a site of the tabs which they apply to.

        By storage, a channel or a worker, one tab may have another act. Raises BrowserError.
        """
        shown: set[Site] = set().union(*(policy.group.shown for policy in self._policies))
        for policy in policies:
            if policy not in self._policies and not policy.is_foreign and policy.group.shown & shown:
                self._policies.append(policy)
                await policy.enforce(self._rules)

    async def end(self) -> None:
        """Ends them, except for lists of origins and refusals; see `limited`."""
        rules = self._rules
        for policy in self._policies:
            if rules.hold is not None and rules.hold.has_acted and not policy.is_foreign:
                policy.linger(rules)
                continue
            policy.release_sockets()
            if rules.gate is None and (rules.hold is None or rules.hold.refuses):
                policy.retire(rules)
            else:
                with contextlib.suppress(BrowserError, ProtocolError):  # the tab is gone, and its rules with it
                    await policy.lift(rules)


_limits: ContextVar[TabLimits | None] = ContextVar("limits", default=None)


@contextlib.asynccontextmanager
async def limited(rules: RequestRules | None) -> AsyncIterator[TabLimits | None]:
    """Inside the block the rules apply to all tabs that this task, or one that it starts, opens or passes to `limit`.

    None means no rules. After the block, lists of origins stay in force in these tabs, since pages keep what was
    entered into them, and so do refusals; nothing else is held any more, since there is nobody to ask.
    """
    if rules is None:
        yield None
        return
    limits = TabLimits(rules)
    with limits.block():
        try:
            yield limits
        finally:
            await limits.end()


async def limit(policy: RequestPolicy) -> None:
    """Puts the rules of the enclosing `limited` block, if any, in force in a tab. Raises BrowserError."""
    if (limits := _limits.get()) is not None:
        await limits.apply_to(policy)

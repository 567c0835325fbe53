"""Finds out from Chrome's count of style recalculations whether the style rules that a world knows are unchanged.

Without it, a world has to walk over all rules, at 1.4 µs each. Any change of a rule makes Chrome recalculate styles
before the document is read, and each recalculation is counted. So if there are many rules and the count did not change
between two readings, the world is told to assume that they are unchanged, and the count after its answer shows whether
they were. The same is assumed of states such as `:hover`, media and computed styles, since none was computed anew.

`Performance.getMetrics` takes 0.1 ms more than the counters that other readings ask for. It also needs a round trip of
its own after the reading, since Chrome answers it at once, even while a script that was called before is running.
"""

from __future__ import annotations

from cdp_agent.cdp import performance
from cdp_agent.cdp.connection import Session

MANY = 400
"""From this number of rules on, counting recalculations is faster than walking over the rules."""


class StyleRules:
    """What is known about the style rules of a world's document."""

    def __init__(self) -> None:
        self.are_many = False
        """Whether there are so many rules that recalculations are counted after each reading."""
        self._known_at: int | None = None
        """The count at which the world knew the present rules; None if it may not know them."""
        self._last: int | None = None

    @property
    def may_have_stayed(self) -> bool:
        """Whether the count did not change between the last readings, so that the rules may be assumed unchanged."""
        return self._known_at is not None

    def count_from_now_on(self, session: Session, rules: int) -> None:
        """Begins to count recalculations if there are at least MANY rules."""
        if rules >= MANY and not self.are_many:
            self.are_many = True
            session.tell(performance.Enable())

    def is_valid(self, recalculations: int, *, same_rules: bool) -> bool:
        """Whether a reading is valid, by the count after it. `same_rules`: it assumed that the rules are unchanged."""
        stayed = recalculations == (self._known_at if same_rules else self._last)
        # If the count did not change, the world walked over the rules between two equal counts.
        self._known_at = recalculations if stayed else None
        self._last = recalculations
        return stayed or not same_rules

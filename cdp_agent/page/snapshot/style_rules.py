"""Whether the rules of style sheets are still those that a world knows, by Chrome's count of style recalculations.

A world finds out by walking over all rules, 1.4 µs each. Whatever changes a rule makes Chrome recalculate styles before
anything is read of the document, and each recalculation is counted. So where rules are many and the count stood still
between two readings, the world is told to take them for the same, and the count after its answer decides whether that
was right. States such as `:hover`, media and computed styles are taken for the same then, too: none was computed anew.

`Performance.getMetrics` takes 0.1 ms more than the counters that other readings ask for, and a round trip of
its own: Chrome answers it at once, in the middle of a script that was called before it.
"""

from __future__ import annotations

from cdp_agent.cdp import performance
from cdp_agent.cdp.connection import Session

MANY = 400
"""So many rules take longer to be walked over than to be counted for."""


class StyleRules:
    """What is known of the rules in a world's document."""

    def __init__(self) -> None:
        self.are_many = False
        """Style recalculations are counted, after each reading."""
        self._known_at: int | None = None
        """The world knows the rules as they are for as long as this is the count."""
        self._last: int | None = None

    @property
    def may_have_stayed(self) -> bool:
        """The count stood still between the last readings, so that it may do so still."""
        return self._known_at is not None

    def count_from_now_on(self, session: Session, rules: int) -> None:
        """Where there are so many rules that it pays."""
        if rules >= MANY and not self.are_many:
            self.are_many = True
            session.tell(performance.Enable())

    def stands(self, recalculations: int, *, same_rules: bool) -> bool:
        """Whether a reading stands that took the rules for the same, or did not; by the count after it."""
        stayed = recalculations == (self._known_at if same_rules else self._last)
        # Where it stayed, the rules were walked over between two counts that are the same.
        self._known_at = recalculations if stayed else None
        self._last = recalculations
        return stayed or not same_rules

"""What was observed of an act, and whether more is waited for: without a browser."""

from __future__ import annotations

from cdp_agent.page.receipts.observed import FALLBACK_S, Observed, effect_awaited_s
from cdp_agent.page.receipts.receipts import Outcome
from cdp_agent.page.snapshot.snapshot import Snapshot
from tests.tables import table

PICTURE = "~ - canvas [ref=E1]: its picture changed"
AWAITED = {
    "no effect": ([], False, False, 1.0),
    "an effect": (["+ - paragraph: done"], True, False, 0.0),
    "a change of the page's own": (["~ - paragraph (now 2, before 1)"], False, False, 1.0),
    "a button that clears the field": (['+ - button "Clear" [ref=E2]'], True, True, 1.0),
    "a list beside that button": (['+ - button "Clear" [ref=E2]', "+ - listbox"], True, True, 0.0),
    "that button, after a click": (['+ - button "Clear" [ref=E2]'], True, False, 0.0),
    "the picture of a described canvas": ([PICTURE], True, False, FALLBACK_S),
    "and a line": ([PICTURE, "+ - paragraph: done"], True, False, 0.0),
}


@table(("changed", "has_effect", "lists", "awaited_s"), AWAITED)
def test_an_effect_is_waited_for(changed: list[str], has_effect: bool, lists: bool, awaited_s: float) -> None:
    after = Snapshot(text="- canvas [ref=E1]:\n  - grid", url="", title="", omitted=[], frame_urls={})
    observed = Observed(Outcome(), after=after, changed=changed, has_effect=has_effect)

    assert effect_awaited_s(observed, 1.0, lists=lists) == awaited_s


def test_the_picture_of_a_canvas_that_nothing_describes_is_an_effect() -> None:
    after = Snapshot(text="- canvas [ref=E1]", url="", title="", omitted=[], frame_urls={})
    observed = Observed(Outcome(), after=after, changed=[PICTURE], has_effect=True)

    assert effect_awaited_s(observed, 1.0, lists=False) == 0.0

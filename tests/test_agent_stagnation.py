"""Being stuck is seen by what the page is and what actions did, never by what they are called."""

import pytest

from cdp_agent.agent import prompts
from cdp_agent.agent.stagnation import Stagnation, Stuck
from cdp_agent.browser import Browser
from cdp_agent.events import AgentObserved
from cdp_agent.page.page import Page
from fixtures.replay import reply, tool_call
from tests.agents import DONE, of, play, result_of, said
from tests.conftest import Serve

CALENDAR = """<title>Calendar</title><button onclick="page(1)">Next</button><button onclick="page(-1)">Previous</button>
<p>Month 0</p><script>let month = 0
function page(step) { document.querySelector('p').textContent = 'Month ' + (month += step) }</script>"""
DEAD = "<title>Dead</title><button>Dead</button><p>Text</p>"
NEXT = tool_call("click", {"ref": "{{ref:button Next}}"})
PREVIOUS = tool_call("click", {"ref": "{{ref:button Previous}}"})
PRESS_DEAD = tool_call("click", {"ref": "{{ref:button Dead}}"})


def noted(states: str) -> list[Stuck]:
    stagnation = Stagnation()
    return [stagnation.note("https://x.org", state, "clicked") for state in states]


@pytest.mark.parametrize(
    ("states", "last"),
    [
        ("AA", Stuck.NO),
        ("AAA", Stuck.TELL),
        ("AAAA", Stuck.SHOW),
        ("AAAAA", Stuck.END),
        ("AAAAAA", Stuck.END),
        ("AABAA", Stuck.NO),
        ("ABABA", Stuck.NO),
        ("ABABAB", Stuck.TELL),
        ("ABABABAB", Stuck.SHOW),
        ("ABABABABAB", Stuck.END),
        ("ABCABCABC", Stuck.TELL),
        ("ABCABCABCABCABC", Stuck.END),
        ("ABCDABCDABCDABCDABCD", Stuck.NO),
        ("ABCDEFGHIJKLMNOPQRST", Stuck.NO),
        ("QRSTABCABCABC", Stuck.TELL),
    ],
)
def test_states_that_come_back_are_counted(states: str, last: Stuck) -> None:
    assert noted(states)[-1] is last


def test_the_same_page_with_another_result_is_another_state() -> None:
    stagnation = Stagnation()

    assert [stagnation.note("a", "b", str(number)) for number in range(9)] == [Stuck.NO] * 9


async def test_paging_through_a_calendar_passes(browser: Browser, page: Page, serve: Serve) -> None:
    events, _ = await play(browser, page, [*[NEXT] * 12, DONE], url=serve(CALENDAR))

    assert result_of(events).success
    assert "Month 12" in (await page.snapshot()).text


async def test_the_same_without_effect_is_told_then_shown_and_then_ends(
    browser: Browser, page: Page, serve: Serve
) -> None:
    events, server = await play(browser, page, [PRESS_DEAD] * 6, url=serve(DEAD))

    assert prompts.STUCK_TOLD not in said(server, 3)
    assert said(server, 4).endswith(prompts.STUCK_TOLD)
    assert f"{prompts.STUCK_SHOWN}\n\nThe page now:" in said(server, 5)
    assert [bool(event.snapshot) for event in of(events, AgentObserved)] == [True, True]
    error = result_of(events).error
    assert error is not None
    assert (error.code, len(server.turns)) == ("stuck", 5)


async def test_a_cycle_of_two_is_found(browser: Browser, page: Page, serve: Serve) -> None:
    events, server = await play(browser, page, [NEXT, PREVIOUS] * 6, url=serve(CALENDAR))

    error = result_of(events).error
    assert error is not None
    assert (error.code, len(server.turns)) == ("stuck", 10)


async def test_every_action_of_a_batch_counts(browser: Browser, page: Page, serve: Serve) -> None:
    look = ("search_page", {"pattern": "Nothing"})

    events, server = await play(
        browser, page, [reply(look, look, look), reply(look, look)], url=serve(DEAD), max_actions_per_step=3
    )

    assert said(server, 2).endswith(prompts.STUCK_TOLD)
    error = result_of(events).error
    assert error is not None
    assert error.code == "stuck"

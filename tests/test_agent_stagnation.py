"""Being stuck is seen by what the page is and what actions did, never by what they are called."""

import pytest

from cdp_agent.agent import prompts
from cdp_agent.agent.restless import Restless
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


TICKING = """<title>Ticking</title><h1>Dead</h1><p id=clock>0</p><button>Dead</button>
<button onclick="page(1)">Next</button>
<ul><li>Month 0</li><li>a</li><li>b</li><li>c</li><li>d</li></ul><script>let month = 0, ticks = 0
function page(step) { document.querySelector('li').textContent = 'Month ' + (month += step) }
setInterval(() => { clock.innerHTML = '<b>' + ++ticks + ' ticks</b>' }, 5)</script>"""


async def test_a_clock_on_the_page_hides_no_standstill(browser: Browser, page: Page, serve: Serve) -> None:
    events, _ = await play(browser, page, [PRESS_DEAD] * 12, url=serve(TICKING))

    error = result_of(events).error
    assert error is not None
    assert error.code == "stuck"
    assert result_of(events).stats.steps <= 8


async def test_a_clock_on_the_page_makes_no_standstill_of_paging(browser: Browser, page: Page, serve: Serve) -> None:
    events, _ = await play(browser, page, [*[NEXT] * 9, DONE], url=serve(TICKING))

    assert result_of(events).success


def page_with(clock: str, month: str) -> str:
    return f"- banner:\n  - timer [ref=E1]: {clock}\n- main:\n  - heading: {month}\n  - a\n  - b\n  - c\n  - d\n  - e"


def test_what_changed_twice_without_an_action_is_restless() -> None:
    restless = Restless()

    restless.learn("u", page_with("1", "May"), page_with("2", "May"))
    once = restless.rest_of("u", page_with("3", "May"))
    restless.learn("u", page_with("3", "May"), page_with("4", "May"))

    assert once == page_with("3", "May")
    assert restless.rest_of("u", page_with("5", "May")) == restless.rest_of("u", page_with("6", "May"))
    assert restless.rest_of("u", page_with("5", "May")) != restless.rest_of("u", page_with("5", "June"))
    assert restless.rest_of("v", page_with("5", "May")) == page_with("5", "May")


def test_a_page_that_became_another_one_by_itself_is_not_restless() -> None:
    restless = Restless()

    for _ in range(3):
        restless.learn("u", "- a\n- b\n- c", "- d\n- e\n- f")
        restless.learn("u", "- a\n- b\n- c\n- d\n- e", "- a\n- x\n- b\n- c\n- d\n- e")

    assert not restless

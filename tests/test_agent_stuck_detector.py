"""Being stuck is seen by what the page is and what actions did, never by what they are called."""

import pytest

from cdp_agent.agent.base.task import Limits
from cdp_agent.agent.model import prompts
from cdp_agent.agent.observation.stuck_detector import _OWN, Stuck, StuckDetector
from cdp_agent.agent.observation.volatile_lines import VolatileLines
from cdp_agent.browser import Browser
from cdp_agent.events import AgentObserved
from cdp_agent.page.page import Page
from cdp_agent.tools import BUILT_IN
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
LONG = 7
"""So many turns no run has that brings nothing new: it ends before."""


def noted(states: str) -> list[Stuck]:
    stagnation = StuckDetector()
    return [stagnation.judge(new=stagnation.learn("https://x.org", state, "clicked")) for state in states]


@pytest.mark.parametrize(
    ("states", "worst"),
    [
        ("AA", Stuck.NO),
        ("AAA", Stuck.TELL),
        ("AAAA", Stuck.SHOW),
        ("AAAAA", Stuck.END),
        ("AABAA", Stuck.NO),
        ("ABABA", Stuck.NO),
        ("ABABAB", Stuck.TELL),
        ("ABABABAB", Stuck.SHOW),
        ("ABABABABAB", Stuck.END),
        ("ABCABCA", Stuck.TELL),
        ("ABCDABCDABCD", Stuck.END),
        ("ABCDEFGHIJKLMNOPQRST", Stuck.NO),
        ("ABACADAEAFAGAHAIA", Stuck.NO),
    ],
)
def test_states_that_bring_nothing_new_add_up(states: str, worst: Stuck) -> None:
    assert max(noted(states)) is worst


def test_each_stage_is_told_once_and_none_is_left_out() -> None:
    assert noted("AAAAAAA") == [Stuck.NO, Stuck.NO, Stuck.TELL, Stuck.SHOW, *[Stuck.END] * 3]


def test_the_same_page_with_another_result_is_another_state() -> None:
    stagnation = StuckDetector()

    assert all(stagnation.learn("a", "b", str(number)) for number in range(9))


def test_other_refs_are_nothing_new() -> None:
    stagnation = StuckDetector()
    stagnation.learn("a", '- button "Go" [ref=E3]', 'Clicked button "Go" E3.')

    assert not stagnation.learn("a", '- button "Go" [ref=E103]', 'Clicked button "Go" E103.')


def test_what_the_model_typed_itself_is_nothing_new() -> None:
    stagnation = StuckDetector()
    found = []
    for words in ("green tea", "black tea", "white tea"):
        stagnation.said({"query": words})
        found.append(
            stagnation.learn(f"/s?q={words.replace(' ', '+')}", f"Nothing for {words}", f"found for '{words}':")
        )

    assert found == [True, False, False]


def test_waiting_is_told_late() -> None:
    stagnation = StuckDetector()

    told = [stagnation.judge(new=stagnation.learn("a", "b", "Waited."), waited=True) for _ in range(17)]

    assert [place for place, each in enumerate(told) if each] == [8, 12, 16]


async def test_paging_through_a_calendar_passes(browser: Browser, page: Page, serve: Serve) -> None:
    events, _ = await play(browser, page, [*[NEXT] * LONG, DONE], url=serve(CALENDAR))

    assert result_of(events).success
    assert f"Month {LONG}" in (await page.snapshot()).text


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


async def test_a_batch_counts_once(browser: Browser, page: Page, serve: Serve) -> None:
    press = ("press", {"keys": "ArrowDown"})

    events, server = await play(browser, page, [reply(*[press] * 6), DONE], url=serve(DEAD), max_actions_per_step=6)

    assert result_of(events).success
    assert prompts.STUCK_TOLD not in said(server, 2)


async def turns_until_stuck(browser: Browser, page: Page, calls: list[bytes], url: str) -> int:
    """How many turns there were; each warning came before the end."""
    events, server = await play(browser, page, calls, url=url, limits=Limits(max_steps=len(calls)))
    error = result_of(events).error
    assert error is not None
    assert error.code == "stuck"
    told = [said(server, turn) for turn in range(1, len(server.turns) + 1)]
    assert [prompts.STUCK_TOLD in each for each in told].index(True) < len(told) - 1
    assert any(prompts.STUCK_SHOWN in each for each in told)
    return len(server.turns)


async def test_going_to_one_address_again_and_again_is_noticed(browser: Browser, page: Page, serve: Serve) -> None:
    url = serve(DEAD)

    assert await turns_until_stuck(browser, page, [tool_call("goto", {"url": url})] * 40, url) <= 6


async def test_going_round_in_a_circle_is_noticed(browser: Browser, page: Page, serve: Serve) -> None:
    urls = [serve(f"<title>{name}</title><h1>Page {name}</h1><a href=x>Link</a>", path=f"/{name}") for name in "ABCD"]
    links = "".join(f"<a href='{url}'>{url[-1]}</a>" for url in urls)
    calls = [tool_call("goto", {"url": url}) for url in urls] * 8

    assert await turns_until_stuck(browser, page, calls, serve(links, path="/start")) <= 14


async def test_reloading_is_noticed(browser: Browser, page: Page, serve: Serve) -> None:
    assert await turns_until_stuck(browser, page, [tool_call("reload", {})] * 20, serve(DEAD)) <= 6


FORM = """<title>Search</title><form><input name=q aria-label=Words><button>Go</button></form><p></p>
<script>const q = new URLSearchParams(location.search).get('q')
if (q) document.querySelector('p').textContent = 'Nothing was found for ' + q</script>"""


async def test_searching_in_other_words_for_what_is_not_there_is_noticed(
    browser: Browser, page: Page, serve: Serve
) -> None:
    calls: list[bytes] = []
    for number in range(15):
        calls.append(tool_call("fill", {"ref": "{{ref:textbox Words}}", "value": f"word{number} tea"}))
        calls.append(tool_call("click", {"ref": "{{ref:button Go}}"}))

    assert await turns_until_stuck(browser, page, calls, serve(FORM)) <= 14


async def test_waiting_for_something_slow_passes(browser: Browser, page: Page, serve: Serve) -> None:
    events, _ = await play(browser, page, [*[tool_call("wait", {"seconds": 0})] * 6, DONE], url=serve(DEAD))

    assert result_of(events).success


CANVAS = """<title>Map</title><canvas width=200 height=200></canvas><button onclick="zoom()">Zoom</button><script>
const pen = document.querySelector('canvas').getContext('2d'); let size = 4
function zoom() { pen.clearRect(0, 0, 200, 200); pen.fillRect(0, 0, size += 8, 20) }</script>"""
SLIDES = """<title>Slides</title><div style="width:90px;height:90px;background:red"></div>
<button onclick="next()">Zoom</button><script>let slide = 0
function next() { document.querySelector('div').style.background = `hsl(${slide += 20} 90% 50%)` }</script>"""


@pytest.mark.parametrize("content", [CANVAS, SLIDES], ids=["canvas", "slides"])
async def test_what_only_a_picture_shows_is_progress(browser: Browser, page: Page, serve: Serve, content: str) -> None:
    zoom = tool_call("click", {"ref": "{{ref:button Zoom}}"})

    events, _ = await play(browser, page, [*[zoom] * LONG, DONE], url=serve(content))

    assert result_of(events).success


TICKING = """<title>Ticking</title><h1>Dead</h1><p id=clock>0</p><button>Dead</button>
<button onclick="page(1)">Next</button>
<ul><li>Month 0</li><li>a</li><li>b</li><li>c</li><li>d</li></ul><script>let month = 0, ticks = 0
function page(step) { document.querySelector('li').textContent = 'Month ' + (month += step) }
setInterval(() => { clock.innerHTML = '<b>' + ++ticks + ' ticks</b>' }, 50)</script>"""


async def test_a_clock_on_the_page_hides_no_standstill(browser: Browser, page: Page, serve: Serve) -> None:
    events, _ = await play(browser, page, [PRESS_DEAD] * 12, url=serve(TICKING))

    error = result_of(events).error
    assert error is not None
    assert error.code == "stuck"
    assert result_of(events).stats.steps <= 8


async def test_a_clock_on_the_page_makes_no_standstill_of_paging(browser: Browser, page: Page, serve: Serve) -> None:
    events, _ = await play(browser, page, [*[NEXT] * LONG, DONE], url=serve(TICKING))

    assert result_of(events).success


def page_with(clock: str, month: str) -> str:
    return f"- banner:\n  - timer [ref=E1]: {clock}\n- main:\n  - heading: {month}\n  - a\n  - b\n  - c\n  - d\n  - e"


def test_what_changed_twice_without_an_action_is_restless() -> None:
    restless = VolatileLines()

    restless.learn("u", page_with("1", "May"), page_with("2", "May"))
    once = restless.rest_of("u", page_with("3", "May"))
    restless.learn("u", page_with("3", "May"), page_with("4", "May"))

    assert once == page_with("3", "May")
    assert restless.rest_of("u", page_with("5", "May")) == restless.rest_of("u", page_with("6", "May"))
    assert restless.rest_of("u", page_with("5", "May")) != restless.rest_of("u", page_with("5", "June"))
    assert restless.rest_of("v", page_with("5", "May")) == page_with("5", "May")


def test_a_page_that_became_another_one_by_itself_is_not_restless() -> None:
    restless = VolatileLines()

    for _ in range(3):
        restless.learn("u", "- a\n- b\n- c", "- d\n- e\n- f")
        restless.learn("u", "- a\n- b\n- c\n- d\n- e", "- a\n- x\n- b\n- c\n- d\n- e")

    assert not restless


@pytest.mark.new_tab  # its history is counted
async def test_going_back_and_forth_is_noticed(browser: Browser, page: Page, serve: Serve) -> None:
    first, second = (serve(f"<title>{name}</title><h1>Page {name}</h1><p>Text", path=f"/{name}") for name in "AB")
    calls = [tool_call("goto", {"url": second}), *[tool_call("back", {}), tool_call("forward", {})] * 15]

    assert await turns_until_stuck(browser, page, calls, first) <= 12


@pytest.mark.parametrize(
    ("tool", "argument", "wording"),
    [
        ("search_page", "pattern", "no {} here"),
        ("find_elements", "selector", "#no{}"),
        ("scroll", "to_text", "no {}"),
    ],
)
async def test_looking_in_other_words_for_what_is_not_on_the_page_is_noticed(
    browser: Browser, page: Page, serve: Serve, tool: str, argument: str, wording: str
) -> None:
    calls = [tool_call(tool, {argument: wording.format(f"tea{number}")}) for number in range(15)]

    assert await turns_until_stuck(browser, page, calls, serve(DEAD)) <= 8


GAME = """<title>Game</title><canvas width=200 height=20></canvas><script>
const pen = document.querySelector('canvas').getContext('2d'); let x = 0
function draw() { pen.clearRect(0, 0, 200, 20); pen.fillRect(x, 0, 9, 20) }
addEventListener('keydown', event => { if (event.key === 'ArrowRight') x += 9; draw() }); draw()</script>"""


async def test_keys_that_move_something_drawn_are_progress(browser: Browser, page: Page, serve: Serve) -> None:
    right = tool_call("press", {"key": "ArrowRight"})

    events, _ = await play(browser, page, [*[right] * LONG, DONE], url=serve(GAME))

    assert result_of(events).success


def test_every_argument_in_words_of_the_models_own_is_known_as_such() -> None:
    free = {
        name
        for tool in BUILT_IN.values()
        for name, schema in tool.parameters["properties"].items()
        if schema.get("type") == "string" and not schema.keys() & {"enum", "pattern"}
    }

    assert free - {*_OWN, "url", "key", "tab", "path", "page_ranges", "result", "reason", "kind", "status"} == set()

"""Being stuck is seen by what the page is and what actions did, never by what they are called."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from cdp_agent.agent.agent import Agent
from cdp_agent.agent.model import prompts
from cdp_agent.agent.observation.stuck_detector import _MODEL_WORDS, Stuck, StuckDetector, VolatileLines
from cdp_agent.browser import Browser
from cdp_agent.events import AgentObserved
from cdp_agent.page.page import Page
from cdp_agent.tools import BUILT_IN
from fixtures.replay import ReplayServer, reply, tool_call
from tests.agents import DONE, of, play, result_of, said
from tests.conftest import Serve
from tests.tables import table
from tests.writing import put

DEAD = "<title>Dead</title><button>Dead</button><p>Text</p>"
NEXT = tool_call("click", {"ref": "{{ref:button Next}}"})
TO_DEAD = ("focus", {"ref": "{{ref:button Dead}}"})
"""Once it has the focus, this changes nothing, and nothing is waited for."""
NOTHING = reply(TO_DEAD)
LONG = 4
"""So many turns no run has that leave the page as it was and is told nothing of it."""


def noted(states: str) -> list[Stuck]:
    stuck_detector = StuckDetector()
    return [stuck_detector.judge(new=stuck_detector.learn("https://x.org", state, "clicked")) for state in states]


@table(
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
    stuck_detector = StuckDetector()

    assert all(stuck_detector.learn("a", "b", str(number)) for number in range(9))


def test_other_refs_are_nothing_new() -> None:
    stuck_detector = StuckDetector()
    stuck_detector.learn("a", '- button "Go" [ref=E3]', 'Clicked button "Go" E3.')

    assert not stuck_detector.learn("a", '- button "Go" [ref=E103]', 'Clicked button "Go" E103.')


def test_what_the_model_typed_itself_is_nothing_new() -> None:
    stuck_detector = StuckDetector()
    found = []
    for words in ("green tea", "black tea", "white tea"):
        stuck_detector.learn_arguments({"query": words})
        found.append(
            stuck_detector.learn(f"/s?q={words.replace(' ', '+')}", f"Nothing for {words}", f"found for '{words}':")
        )

    assert found == [True, False, False]


def judged(attempts: Sequence[str]) -> list[Stuck]:
    detector = StuckDetector()
    news = (detector.learn("a", "Wrong", "clicked", [attempt]) for attempt in attempts)
    return [detector.judge(new=new) for new in news]


def test_what_was_not_tried_before_is_told_late_and_never_ends_a_run() -> None:
    told = judged([f"fill {number}" for number in range(99)])

    assert [place for place, each in enumerate(told) if each] == [8, 12]
    assert set(told) == {Stuck.NO, Stuck.TELL, Stuck.SHOW}
    assert judged(["fill 1", "fill 2"] * 4)[-1] is Stuck.END


def test_waiting_is_told_late() -> None:
    stuck_detector = StuckDetector()

    told = [stuck_detector.judge(new=stuck_detector.learn("a", "b", "Waited."), waited=True) for _ in range(17)]

    assert [place for place, each in enumerate(told) if each] == [8, 12, 16]


async def test_the_same_without_effect_is_told_then_shown_and_then_ends(browser: Browser, page: Page) -> None:
    events, server = await play(browser, page, [NOTHING] * 6, content=DEAD)

    assert prompts.STUCK_WARNING not in said(server, 3)
    assert said(server, 4).endswith(prompts.STUCK_WARNING)
    assert f"{prompts.STUCK_SHOWN}\n\nThe page now:" in said(server, 5)
    assert [bool(event.snapshot) for event in of(events, AgentObserved)] == [True, True]
    error = result_of(events).error
    assert error is not None
    assert said(server, 6).startswith("This is your last turn: Turn after turn nothing new was seen or told")
    assert (error.code, len(server.turns)) == ("stuck", 6)


async def is_told(browser: Browser, page: Page, calls: list[bytes], url: str | None = None, **options: Any) -> bool:
    """Whether after these turns a run knows for the first time that it is stuck. What follows is always the same."""
    events, server = await play(browser, page, [*calls, DONE], url=url, **options)
    assert result_of(events).success
    told = [prompts.STUCK_WARNING in said(server, turn) for turn in range(1, len(calls) + 2)]
    assert not any(told[:-1]), f"after {told.index(True)}"
    return told[-1]


async def passes(browser: Browser, page: Page, calls: list[bytes], content: str, **options: Any) -> bool:
    """Whether the run was never told that it is stuck."""
    events, server = await play(browser, page, [*calls, DONE], content=content, **options)
    told = [prompts.STUCK_WARNING in said(server, turn) for turn in range(1, len(server.turns) + 1)]
    return result_of(events).success and not any(told)


async def test_turns_without_an_act_of_weight_pass(browser: Browser, page: Page) -> None:
    """A batch counts once, and waiting for something slow weighs little."""
    waits = [tool_call("wait", {"seconds": 0})] * LONG

    assert await passes(browser, page, [reply(*[TO_DEAD] * 6), *waits], DEAD, max_actions_per_step=6)


@pytest.mark.new_tab  # its history is counted
async def test_going_to_and_fro_is_noticed(browser: Browser, page: Page, serve: Serve) -> None:
    first, second = (serve(f"<title>{name}</title><h1>Page {name}</h1><p>Text", path=f"/{name}") for name in "AB")
    here, there = (tool_call("goto", {"url": url}) for url in (first, second))
    back, forward, anew = (tool_call(name, {}) for name in ("back", "forward", "reload"))

    assert await is_told(browser, page, [there, back, forward, anew, here, there, anew], first)


FORM = """<title>Search</title><form><input name=q aria-label=Words><button>Go</button></form><p></p>
<script>const q = new URLSearchParams(location.search).get('q')
if (q) document.querySelector('p').textContent = 'Nothing was found for ' + q</script>"""


async def test_searching_in_other_words_for_what_is_not_there_is_noticed(
    browser: Browser, page: Page, serve: Serve
) -> None:
    calls: list[bytes] = []
    for number in range(6):
        calls.append(tool_call("fill", {"ref": "{{ref:textbox Words}}", "value": f"word{number} tea"}))
        calls.append(tool_call("click", {"ref": "{{ref:button Go}}"}))

    assert await is_told(browser, page, calls[:-1], serve(FORM))


SLIDES = """<title>Slides</title><div style="width:90px;height:90px;background:red"></div>
<button onclick="next()">Zoom</button><script>var slide = 0
function next() { document.querySelector('div').style.background = `hsl(${slide += 20} 90% 50%)` }</script>"""


async def test_what_only_a_picture_shows_is_progress(browser: Browser, page: Page) -> None:
    zoom = tool_call("click", {"ref": "{{ref:button Zoom}}"})

    assert await passes(browser, page, [zoom] * LONG, SLIDES)


TICKING = """<title>Ticking</title><h1>Dead</h1><p id=clock>0</p><button>Dead</button>
<button onclick="turn(1)">Next</button>
<ul><li>Month 0</li><li>a</li><li>b</li><li>c</li><li>d</li></ul><script>var month = 0, ticks = 0
function turn(step) { document.querySelector('li').textContent = 'Month ' + (month += step) }
function tick() { clock.innerHTML = '<b>' + ++ticks + ' ticks</b>' }
var ticking = setInterval(() => clock.isConnected ? tick() : clearInterval(ticking), 50)</script>"""


class WhileItThinks(ReplayServer):
    """Has the clock tick before each reply, however busy the page's process is."""

    def __init__(self, page: Page, replies: list[bytes]) -> None:
        super().__init__(replies=replies)
        self._page, self._loop = page, asyncio.get_running_loop()

    def answer(self, request: dict[str, Any]) -> bytes:
        asyncio.run_coroutine_threadsafe(self._page.evaluate("tick()"), self._loop).result(20)
        return super().answer(request)


async def test_a_clock_on_the_page_hides_no_standstill_and_makes_none_of_paging(browser: Browser, page: Page) -> None:
    await put(page, TICKING)
    paging, idle = [NEXT] * LONG, [NOTHING] * 3
    with WhileItThinks(page, [*paging, *idle, DONE]) as server:
        agent = Agent(browser, model="openai-compatible/scripted", base_url=server.base_url)
        result = await agent.run("Find tea", page=page)

    assert result.success
    told = [prompts.STUCK_WARNING in said(server, turn) for turn in range(1, len(server.turns) + 1)]
    assert (any(told[: LONG + 1]), any(told)) == (False, True)


def page_with(clock: str, month: str) -> str:
    return f"- banner:\n  - timer [ref=E1]: {clock}\n- main:\n  - heading: {month}\n  - a\n  - b\n  - c\n  - d\n  - e"


def test_what_changed_twice_without_an_action_is_restless() -> None:
    volatile_lines = VolatileLines()

    volatile_lines.learn("u", page_with("1", "May"), page_with("2", "May"))
    once = volatile_lines.rest_of("u", page_with("3", "May"))
    volatile_lines.learn("u", page_with("3", "May"), page_with("4", "May"))

    assert once == page_with("3", "May")
    assert volatile_lines.rest_of("u", page_with("5", "May")) == volatile_lines.rest_of("u", page_with("6", "May"))
    assert volatile_lines.rest_of("u", page_with("5", "May")) != volatile_lines.rest_of("u", page_with("5", "June"))
    assert volatile_lines.rest_of("v", page_with("5", "May")) == page_with("5", "May")


def test_a_page_that_became_another_one_by_itself_is_not_restless() -> None:
    volatile_lines = VolatileLines()

    for _ in range(3):
        volatile_lines.learn("u", "- a\n- b\n- c", "- d\n- e\n- f")
        volatile_lines.learn("u", "- a\n- b\n- c\n- d\n- e", "- a\n- x\n- b\n- c\n- d\n- e")

    assert not volatile_lines


async def test_looking_in_other_words_for_what_is_not_on_the_page_is_noticed(browser: Browser, page: Page) -> None:
    ways = [
        ("search_page", "pattern", "no {} here"),
        ("find_elements", "selector", "#no{}"),
    ]
    calls = [
        tool_call(tool, {argument: wording.format(f"tea{number}")})
        for number in range(5)
        for tool, argument, wording in ways
    ]

    assert await is_told(browser, page, calls, content=DEAD)


GAME = """<title>Game</title><canvas width=200 height=20></canvas><script>
var pen = document.querySelector('canvas').getContext('2d'); var x = 0
function draw() { pen.clearRect(0, 0, 200, 20); pen.fillRect(x, 0, 9, 20) }
addEventListener('keydown', event => { if (event.key === 'ArrowRight') x += 9; draw() }); draw()</script>"""


async def test_keys_that_move_something_drawn_are_progress(browser: Browser, page: Page) -> None:
    right = tool_call("press", {"key": "ArrowRight"})

    assert await passes(browser, page, [right] * LONG, GAME)


def test_every_argument_in_words_of_the_models_own_is_known_as_such() -> None:
    free = {
        name
        for tool in BUILT_IN.values()
        for name, schema in tool.parameters["properties"].items()
        if schema.get("type") == "string" and not schema.keys() & {"enum", "pattern"}
    }

    assert (
        free
        - {
            *_MODEL_WORDS,
            "url",
            "key",
            "tab",
            "path",
            "page_ranges",
            "result",
            "reason",
            "kind",
            "status",
            "file",
            "sheet",
        }
        == set()
    )

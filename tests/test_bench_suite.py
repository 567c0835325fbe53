"""The pure parts of scripts/bench: marks, comparing, tables, plots, and the numbers in the README."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from bench.cache import NotFetched
from bench.peers import FLOOR, PLAYWRIGHT_PYTHON, US, at_commit
from bench.report import Machine, Spread, spread
from bench.suite import compare, figures, readme, svg, targets, written
from bench.suite.figures import Figure, Figures, Result
from bench.suite.orders import Model

PLAYWRIGHT = PLAYWRIGHT_PYTHON.name
MACHINE = Machine("2026-01-01", "a processor", 2, 8, "Linux", "3.11", "Chrome/156", {"cdp_agent": "1"}, "scripts/bench")


def figure(measure: str, page: str, side: str, median: float, *, by: float = 0.0, unit: str = "ms") -> Figure:
    return Figure(measure, page, side, unit, Spread(median, median - by, median + by, 10))


def result(*found: Figure) -> Result:
    return Result(MACHINE, [US, PLAYWRIGHT, FLOOR], [], list(found))


def judged(*found: Figure) -> dict[tuple[str, float], tuple[str, ...]]:
    """The pages that miss a mark, of all marks of which something was measured."""
    return {(each.mark.measure, each.mark.most): each.missed for each in targets.judge(Figures(found))}


def test_a_mark_is_met_up_to_its_value() -> None:
    pages = ("API explorer", "200 + 50 iframes")
    missed = judged(*(figure(figures.REPEATED, page, US, ms) for page, ms in zip(pages, (15, 50.1), strict=True)))

    assert missed == {(figures.REPEATED, 15): (), (figures.REPEATED, 50): ("200 + 50 iframes",)}


def test_a_mark_against_the_fastest_peer_is_for_every_page_and_shows_the_worst() -> None:
    found = [figure(figures.REPEATED, page, US, ms) for page, ms in (("a", 4), ("b", 6), ("c", 1))]
    found += [figure(figures.REPEATED, page, PLAYWRIGHT, 5) for page in "abc"]
    found += [figure(figures.REPEATED, "c", "puppeteer-core", 0.5), figure(figures.REPEATED, "c", FLOOR, 0.1)]

    fastest = next(each for each in targets.judge(Figures(found)) if each.mark.against == targets.FASTEST)

    assert (fastest.page, fastest.value, fastest.pages, fastest.missed) == ("c", 2, 3, ("b", "c"))


def test_the_words_of_a_page_are_no_part_of_what_its_snapshot_is_held_against() -> None:
    found = [
        figure(figures.CHARACTERS, "a", side, n, unit="") for side, n in ((US, 60), (PLAYWRIGHT, 100), (FLOOR, 20))
    ]

    assert judged(*found) == {(figures.CHARACTERS, 0.5): ()}


def test_worse_is_what_is_beyond_the_bounds_of_both_runs() -> None:
    before = [figure("click", "form", US, 2.0, by=0.3)]

    assert [str(each) for each in compare.worse(before, [figure("click", "form", US, 3.0, by=0.5)])] == [
        "click, form: 2.00 (1.70–2.30) → 3.00 (2.50–3.50) ms, 1.50 times"
    ]


@pytest.mark.parametrize(
    "now",
    [
        pytest.param(figure("click", "form", US, 2.2, by=0.1), id="within the bounds before"),
        pytest.param(Figure("click", "form", US, "ms", Spread(4, 4, 4, 2)), id="measured twice only"),
        pytest.param(figure("click", "form", US, 3.0, by=1.5), id="with bounds that reach what was before"),
        pytest.param(figure("click", "form", US, 1.0), id="better"),
        pytest.param(figure("click", "form", PLAYWRIGHT, 9.0), id="a peer"),
        pytest.param(figure("click", "other form", US, 9.0), id="new"),
    ],
)
def test_nothing_is_worse_for(now: Figure) -> None:
    assert compare.worse([figure("click", "form", US, 2.0, by=0.3)], [now]) == []


def test_an_older_state_is_compared_within_the_run() -> None:
    older, found = "cdp_agent 1234567", [figure("click", "form", US, 3.0), figure("fill", "form", US, 1.0)]
    found += [figure("click", "form", older, 2.0), figure("fill", "form", older, 2.0)]

    assert [each.measure for each in compare.worse_than(older, found)] == ["click"]


def test_a_commit_that_is_unknown_is_named() -> None:
    with pytest.raises(NotFetched, match="no-such-commit"):
        at_commit("no-such-commit")


def test_sizes_that_never_spread_may_grow_a_little() -> None:
    before = [figure(figures.CHARACTERS, "a", US, 10_000, unit="")]

    assert compare.worse(before, [figure(figures.CHARACTERS, "a", US, 10_400, unit="")]) == []
    assert len(compare.worse(before, [figure(figures.CHARACTERS, "a", US, 10_900, unit="")])) == 1


def test_times_are_set_against_how_much_slower_the_machine_is_and_sizes_are_not() -> None:
    before = [figure("click", "form", US, 2.0), figure(figures.MEMORY, "form", US, 30, unit="MB")]
    now = [figure("click", "form", US, 2.9), figure(figures.MEMORY, "form", US, 40, unit="MB")]

    assert [each.measure for each in compare.worse(before, now, slower=1.5)] == [figures.MEMORY]


def test_a_median_is_known_better_by_more_values_and_not_better_than_turns_differ() -> None:
    even, shaken = list(range(100)), [*[10] * 50, *[12] * 50]

    assert spread(even).bounds == (40, 59)
    assert spread(even[:4]).bounds == (0, 3)
    assert spread(shaken, [0] * 50 + [1] * 50).bounds == (10, 12)


def test_something_where_nothing_was_is_worse() -> None:
    before = [figure(figures.MISSING, "a", US, 0, unit="")]

    found = compare.worse(before, [figure(figures.MISSING, "a", US, 2, unit="")])

    assert [str(each) for each in found] == [f"{figures.MISSING}, a: 0.00 (0.00–0.00) → 2.00 (2.00–2.00)"]


def test_the_floor_tells_what_the_machine_has_to_do_with_it() -> None:
    before = [figure("click", "form", FLOOR, 1.0), figure("fill", "form", FLOOR, 2.0)]
    now = [figure("click", "form", FLOOR, 2.0), figure("fill", "form", FLOOR, 1.0)]

    assert compare.machine_factor(before, now) == pytest.approx(1.0)
    assert compare.machine_factor(before, []) == 1.0


def test_a_table_has_ours_in_bold_and_how_many_times_it_the_others_take() -> None:
    page = written.page(
        result(
            figure(figures.ELEMENTS, "admin table", "", 2_589, unit=""),
            figure(figures.REPEATED, "admin table", US, 3.0, by=0.5),
            figure(figures.REPEATED, "admin table", PLAYWRIGHT, 12.0),
        )
    )

    assert "| admin table (2,589 elements) | **3.00 (2.50–3.50)** | 12.0 [4.00×] |" in page
    assert "| snapshot, times that of the fastest peer | admin table | ≤ 1 | 0.25 | met |" in page


def test_what_was_not_measured_is_named() -> None:
    page = written.page(Result(MACHINE, [US], ["agent-browser: no npm on this machine"], []))

    assert "- agent-browser: no npm on this machine" in page


def test_growth_is_drawn_over_elements_frames_tabs_and_steps() -> None:
    pages = {
        figures.REPEATED: ("documentation, 100", "documentation, 1,500", "frames, 5", "200 + 50 iframes"),
        figures.TABS: ("1 tab", "64 tabs"),
        figures.TURN: ("up to step 1", "up to step 500"),
    }

    plot = written.plot(Figures(figure(measure, page, US, 5) for measure in pages for page in pages[measure]))

    drawn = [each.text for each in ElementTree.fromstring(plot).iter() if each.text in written.AXES]
    assert drawn == ["elements", "frames", "tabs at once", "steps before it"]
    assert written.plot(Figures([figure(figures.REPEATED, "documentation, 100", US, 5)])) == ""


def test_a_plot_is_well_formed_and_places_tenfolds_evenly() -> None:
    line = svg.Line("ours", [(1, 1), (10, 10), (100, 100)])
    plot = svg.panels([svg.Panel("A < B", "elements", "ms", [line])], ["ours"])

    circles = [each for each in ElementTree.fromstring(plot).iter() if each.tag.endswith("circle")]
    places = [(float(each.attrib["cx"]), float(each.attrib["cy"])) for each in circles[:3]]
    assert places == [(62.0, 256.0), (230.0, 149.0), (398.0, 42.0)]


def test_the_block_of_the_readme_is_put_between_its_markers() -> None:
    text = f"Before\n{readme.BEGIN}\nold\n{readme.END}\nafter\n"
    found = result(figure(figures.REPEATED, "mail task", US, 0.9), figure(figures.REPEATED, "mail task", PLAYWRIGHT, 4))

    new = readme.renewed(text, found)

    assert new == f"Before\n{readme.BEGIN}\n{readme.block(found)}\n{readme.END}\nafter\n"
    assert "| snapshot again, 103 elements, ms | 0.90 | 4.00 | – |" in new


def test_a_readme_without_the_markers_is_refused() -> None:
    with pytest.raises(ValueError, match="the README has no"):
        readme.renewed("# cdp_agent", result())


@pytest.mark.skipif(not readme.REFERENCE.exists(), reason="no results of the reference machine yet: scripts/bench")
def test_the_numbers_in_the_readme_are_those_of_the_results() -> None:
    """Renewed by: python -m bench.suite.readme."""
    text = readme.README.read_text(encoding="utf-8")

    assert text == readme.renewed(text, readme.read())


def test_the_model_of_the_orders_has_its_agent_look_again_until_what_it_wants_is_there() -> None:
    tools = [{"function": {"name": name}} for name in ("click", "snapshot")]
    seen = "Order for Customer 3."
    model = Model()

    replies = []
    for page in ("", '<page label="page">\n- link "Enamel mug, blue" [ref=E7]', '<page label="page">\n- heading "Mug"'):
        seen += page
        replies.append(model.answer({"tools": tools, "messages": [{"role": "user", "content": seen}]}).decode())

    assert ["call_snapshot_0" in each for each in replies] == [True, False, True]
    assert "E7" in replies[1]

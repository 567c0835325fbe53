"""The pure parts of scripts/bench: marks, comparing, tables, plots, and the numbers in the README."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from bench.cache import NotFetched
from bench.peers import FLOOR, PLAYWRIGHT_PYTHON, US, at_commit
from bench.report import Machine, Spread
from bench.suite import compare, figures, readme, svg, targets, written
from bench.suite.figures import Figure, Figures, Result

PLAYWRIGHT = PLAYWRIGHT_PYTHON.name
MACHINE = Machine("2026-01-01", "a processor", 2, 8, "Linux", "3.11", "Chrome/156", {"cdp_agent": "1"}, "scripts/bench")


def figure(measure: str, page: str, side: str, median: float, *, by: float = 0.0, unit: str = "ms") -> Figure:
    return Figure(measure, page, side, unit, Spread(median, median - by, median + by, 10))


def result(*found: Figure) -> Result:
    return Result(MACHINE, [US, PLAYWRIGHT, FLOOR], [], list(found))


def judged(*found: Figure) -> dict[tuple[str, str], bool | None]:
    return {(each.mark.measure, each.page): each.met for each in targets.judge(Figures(found))}


def test_a_mark_is_met_up_to_its_value() -> None:
    met = judged(figure(figures.REPEATED, "mail task", US, 1.0), figure(figures.REPEATED, "admin table", US, 3.1))

    assert met[figures.REPEATED, "mail task"] is True
    assert met[figures.REPEATED, "admin table"] is False


def test_what_was_not_measured_is_neither_met_nor_missed() -> None:
    assert judged()[figures.EVALUATE, "small form"] is None


def test_a_mark_against_a_peer_is_for_every_page_and_a_ratio() -> None:
    met = judged(
        figure(figures.CHARACTERS, "a", US, 49, unit=""),
        figure(figures.CHARACTERS, "a", PLAYWRIGHT, 100, unit=""),
        figure(figures.CHARACTERS, "b", US, 51, unit=""),
        figure(figures.CHARACTERS, "b", PLAYWRIGHT, 100, unit=""),
    )

    assert (met[figures.CHARACTERS, "a"], met[figures.CHARACTERS, "b"]) == (True, False)


def test_worse_is_what_is_beyond_the_spread_of_both_runs() -> None:
    before = [figure("click", "form", US, 2.0, by=0.3)]

    assert [str(each) for each in compare.worse(before, [figure("click", "form", US, 3.0, by=0.5)])] == [
        "click, form: 2.00 (1.70–2.30) → 3.00 (2.50–3.50) ms, 1.50 times"
    ]


@pytest.mark.parametrize(
    "now",
    [
        pytest.param(figure("click", "form", US, 2.2, by=0.1), id="within the spread before"),
        pytest.param(figure("click", "form", US, 3.0, by=1.5), id="spreads over what was before"),
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

    assert compare.worse(before, [figure(figures.CHARACTERS, "a", US, 10_100, unit="")]) == []
    assert len(compare.worse(before, [figure(figures.CHARACTERS, "a", US, 10_900, unit="")])) == 1


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
    assert "| snapshot | admin table | ≤ 3 ms | 3.00 ms |  | met |" in page


def test_what_was_not_measured_is_named() -> None:
    page = written.page(Result(MACHINE, [US], ["agent-browser: no npm on this machine"], []))

    assert "- agent-browser: no npm on this machine" in page


def test_growth_is_drawn_over_the_number_of_elements() -> None:
    sizes = [("documentation, 100", 100), ("documentation, 1,500", 1_500)]
    found = [figure(figures.ELEMENTS, name, "", size, unit="") for name, size in sizes]
    found += [figure(figures.REPEATED, name, US, size / 100) for name, size in sizes]

    plots = written.plots(Figures(found))

    assert list(plots) == ["growth"]
    assert "Snapshot over the size of the page" in plots["growth"]


def test_a_plot_is_well_formed_and_places_tenfolds_evenly() -> None:
    plot = svg.log_log("A < B", "elements", "ms", [svg.Line("ours", [(1, 1), (10, 10), (100, 100)])])

    drawn = ElementTree.fromstring(plot)
    circles = [each for each in drawn if each.tag.endswith("circle")]
    places = [(float(each.attrib["cx"]), float(each.attrib["cy"])) for each in circles]
    assert places == [(70.0, 390.0), (320.0, 215.0), (570.0, 40.0)]


def test_the_block_of_the_readme_is_put_between_its_markers() -> None:
    text = f"Before\n{readme.BEGIN}\nold\n{readme.END}\nafter\n"
    found = result(figure(figures.REPEATED, "mail task", US, 0.9), figure(figures.REPEATED, "mail task", PLAYWRIGHT, 4))

    new = readme.renewed(text, found)

    assert new == f"Before\n{readme.BEGIN}\n{readme.block(found)}\n{readme.END}\nafter\n"
    assert "| mail task |  | 0.90 | 4.00 | – |" in new


def test_a_readme_without_the_markers_is_refused() -> None:
    with pytest.raises(ValueError, match="the README has no"):
        readme.renewed("# cdp_agent", result())


@pytest.mark.skipif(not readme.REFERENCE.exists(), reason="no results of the reference machine yet: scripts/bench")
def test_the_numbers_in_the_readme_are_those_of_the_results() -> None:
    """Renewed by: python -m bench.suite.readme."""
    text = readme.README.read_text(encoding="utf-8")

    assert text == readme.renewed(text, readme.read())

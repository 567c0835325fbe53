"""The second result, the last item in the cart: entries of lists, however a page marks them up and names them."""

from __future__ import annotations

import pytest

from cdp_agent.agent.agent import Agent
from cdp_agent.browser import Browser
from cdp_agent.page.page import Page
from tests.conftest import Serve
from tests.outlines import done
from tests.tables import table
from tests.writing import show

# Around every list there are others, of which none may be taken for it.
NAVIGATION = """\
- navigation "Main":
  - list:
    - listitem:
      - link "Home" [ref=E90] → /
    - listitem:
      - link "About" [ref=E91] → /about
"""
RELATED = """\
- heading "Related" [level=2]
- list:
  - listitem:
    - link "Other 1" [ref=E80] → /o1
  - listitem:
    - link "Other 2" [ref=E81] → /o2
  - listitem:
    - link "Other 3" [ref=E82] → /o3
"""
_NUMBERS = (1, 2, 3, 4)


def _entries(role: str, *, remove: bool = True) -> str:
    """Four of them: a link of E1 to E4, and a button of E11 to E14 in front of it."""
    return "".join(
        f"- {role}:\n"
        + (f'  - button "Remove" [ref=E{10 + each}]\n' if remove else "")
        + f'  - link "Thing {each}" [ref=E{each}] → /t{each}\n  - text: 3.00\n'
        for each in _NUMBERS
    )


def _in(line: str, lines: str) -> str:
    return f"- {line}:\n" + "".join(f"  {each}\n" for each in lines.splitlines())


def _table(line: str) -> str:
    rows = "".join(
        f'- row "Thing {each} | 3.00":\n'
        f'  - cell:\n    - button "Remove" [ref=E{10 + each}]\n'
        f'  - cell:\n    - link "Thing {each}" [ref=E{each}] → /t{each}\n'
        for each in _NUMBERS
    )
    return _in(line, '- row "Name | Price"\n' + rows)


def _marked_up(name: str) -> dict[str, str]:
    heading = f'- heading "{name}" [level=2]\n'
    items = _entries("listitem")
    links = "".join(f'- link "Thing {each}" [ref=E{each}] → /t{each}\n- text: 3.00\n' for each in _NUMBERS)
    return {
        "a list under a heading": heading + _in("list", items),
        "a list with a label": _in(f'list "{name}"', items),
        "a region": _in(f'region "{name}"', heading + _in("list", items)),
        "the heading of the page": _in("main", f'- heading "All {name} (4)" [level=1]\n' + _in("list", items)),
        "articles": heading + _entries("article"),
        "a table": heading + _table("table"),
        "a table with a label": _table(f'table "{name}"'),
        "a dialog": _in(f'dialog "{name}"', _in("list", items)),
        "a list of links": heading + _in("list", links),
        "a list of links with a label": _in(f'list "{name}"', links),
        "headings": heading
        + "".join(f'- heading [level=3]:\n  - link "Thing {each}" [ref=E{each}] → /t{each}\n' for each in _NUMBERS),
    }


def _cases(name: str, steps: dict[str, str]) -> list[tuple[str, str, str]]:
    return [
        (step, NAVIGATION + page + RELATED, call)
        for how, page in _marked_up(name).items()
        for step, call in steps.items()
        if not ("Remove" in step and how in ("headings", "a list of links", "a list of links with a label"))
    ]


CASES = [
    *_cases(
        "Results",
        {
            "Click the second result": "click E2",
            "Open the last result": "click E4",
            "Click the third search result": "click E3",
            "Click the second item in Results": "click E2",
            "Click the 2nd link in the Results list": "click E2",
            "Click Remove in the second result": "click E12",
        },
    ),
    *_cases(
        "Products",
        {
            "Open the third product": "click E3",
            "Click the last product": "click E4",
            "Click Remove in the second product": "click E12",
            "Click the second product's Remove button": "click E12",
            "Open the 3rd item in Products": "click E3",
        },
    ),
    *_cases(
        "Cart",
        {
            "Click the last item in Cart": "click E4",
            "Click the last item in the cart": "click E4",
            "Click Remove in the last item in Cart": "click E14",
            "Click the second item of the 'Cart' list": "click E2",
        },
    ),
]


@table(("step", "page", "call"), CASES)
def test_an_entry_is_told_by_its_place_in_the_list_that_is_called_so(step: str, page: str, call: str) -> None:
    assert done(step, page) == call


@pytest.mark.parametrize(
    "page",
    [
        _in("list", _entries("listitem")) + '- heading "Recently viewed products" [level=2]\n' + RELATED,
        _entries("article") + RELATED,
        _in('list "Products"', _entries("listitem")) + _in('region "Products"', RELATED),
    ],
    ids=["called something else", "articles and a list", "two of that name"],
)
def test_an_entry_of_one_of_several_lists_is_refused(page: str) -> None:
    assert done("Open the third product", NAVIGATION + page).startswith("Nothing on the page is third item")


SHOWN = [
    ('<ul aria-label=Results><li><a href="#a">A</a><li><a href="#b">B</a></ul>', "Click the second result"),
    ('<h2>Cart</h2><ul><li><a href="#a">A</a> 3<li><a href="#b">B</a> 4</ul>', "Click the last item in Cart"),
    (
        '<h2>Products</h2><div><h3><a href="#a">A</a></h3><p>Good</div><div><h3><a href="#b">B</a></h3><p>x</div>',
        "Open the second product",
    ),
    (
        '<h2>Cart</h2><table><tr><th>Name<th>Price<th><tr><td><a href="#a">A</a><td>3<td><button>Remove</button>'
        '<tr><td><a href="#b">B</a><td>4<td><button>Remove</button></table>',
        "Click the second item in the cart",
    ),
]


async def test_an_entry_is_found_on_a_page_as_chrome_shows_it(
    browser: Browser, page: Page, serve: Serve, subtests: pytest.Subtests
) -> None:
    menu = '<nav><ul><li><a href="#x">X</a><li><a href="#y">Y</a></ul></nav>'
    await page.goto(serve(""))

    for html, step in SHOWN:
        with subtests.test(step, html=html):
            await show(page, menu + html)
            await page.evaluate("location.hash = ''")

            result = await Agent(browser).do([step], page=page)

            assert result.success, result.error
            assert page.url.endswith("#b")

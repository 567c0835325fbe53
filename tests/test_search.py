"""Searching the text of a page."""

import re
from typing import Any

import msgspec
import pytest

from cdp_agent.errors import InvalidArguments, StaleRef
from cdp_agent.page.page import Page, tab_of
from cdp_agent.page.query import search as searching
from cdp_agent.page.refs.locate import locate
from cdp_agent.page.snapshot import snapshot as snapshots
from tests.conftest import Serve
from tests.every_frame import every_frame
from tests.writing import opened, show


async def test_what_lost_its_role_is_generic(sheet: Page) -> None:
    await show(sheet, "<div role=presentation onclick=go()>Qty</div>")

    (match,) = (await sheet.search("qty")).matches

    assert match.role == "generic"


async def test_a_match_after_emoji_is_in_its_own_element(sheet: Page) -> None:
    await show(sheet, f"<meta charset=utf-8><p>{'&#128105;' * 9}</p><button>One</button><button>Two</button>")

    (match,) = (await sheet.search("two")).matches

    assert (match.role, match.name, match.text) == ("button", "Two", "Two")


async def test_words_run_through_inline_elements_and_short_blocks_of_one_line(sheet: Page) -> None:
    await show(sheet, "<p>Log<b>out</b></p><div>one</div><div>two</div><table><td>a<td>b</table>")

    totals = [(await sheet.search(pattern)).total for pattern in ("logout", "onetwo", "one two", "ab")]

    assert totals == [1, 0, 1, 0]  # "- text: one | two" is one line


async def test_what_the_snapshot_shows_is_found_once_and_where_it_is(sheet: Page) -> None:
    await show(sheet, EVERYTHING)

    found = {
        pattern: [(match.role, match.name) for match in (await sheet.search(pattern)).matches] for pattern in FOUND
    }

    assert found == {pattern: [where] for pattern, where in FOUND.items()}


async def test_every_line_of_the_snapshot_is_one_line_to_search(sheet: Page) -> None:
    await show(sheet, EVERYTHING)
    text = (await sheet.snapshot()).text

    lines = re.findall(r"^ *(?:- [a-z]+:|\|) (.+)$", text, re.M)
    names = [msgspec.json.decode(name) for name in re.findall(r'"(?:[^"\\]|\\.)*"', text)]

    assert [each for each in lines + names if (await sheet.search(each)).total == 0] == []
    assert len(lines) > 5
    assert len(names) > 12


async def test_options_that_the_snapshot_leaves_out_are_found(sheet: Page) -> None:
    options = "".join(f"<option>Country number {number}" for number in range(300))
    await show(sheet, f"<select aria-label=Country>{options}</select>")

    (match,) = (await sheet.search("country number 277")).matches

    assert "number 277" not in (await sheet.snapshot()).text
    assert (match.role, match.name) == ("combobox", "Country")


async def test_a_link_in_a_sentence_does_not_end_it(sheet: Page) -> None:
    await show(
        sheet,
        "<p>See our <a href=/t>terms</a>, if you like</p><p>Read our <a href=/t>rules</a>.</p>"
        "<p>Pay<button>now</button></p><p>a <a href=/1>b</a> and <a href=/2>c</a></p>",
    )

    totals = [(await sheet.search(each)).total for each in ("our terms, if", "read our rules", "paynow", "a b and c")]

    assert totals == [1] * 4


async def test_each_of_many_equal_texts_has_its_own_place(sheet: Page) -> None:
    blocks = "".join(f"<div id=d{n}>same words here</div>{'<a href=/x>same</a>' * (n % 2)}" for n in range(6))
    await show(sheet, f"{blocks}<div style='margin-top:3000px'>same words here</div>")

    found = (await sheet.search("same words")).matches
    ids = {row.ref: row.attributes["id"] for row in (await sheet.find("div", attributes=["id"])).elements}

    assert [(ids[match.ref], match.in_viewport) for match in found] == [
        *((f"d{n}", True) for n in range(6)),
        (None, False),
    ]


async def test_the_total_is_true_when_fewer_are_returned(sheet: Page) -> None:
    await show(sheet, "<p>row</p>" * 1234)

    found = await sheet.search("row", max_results=3)

    assert (len(found.matches), found.total) == (3, 1234)


async def test_case_folding_is_that_of_unicode(sheet: Page) -> None:
    await show(sheet, "<p>STRASSE</p><p>ΣΊΣΥΦΟΣ</p>")

    assert (await sheet.search("straße")).total == 1
    assert (await sheet.search("σίσυφος")).total == 1
    assert (await sheet.search("strasse", case_sensitive=True)).total == 0


async def test_a_regular_expression_matches_within_blocks(sheet: Page) -> None:
    await show(sheet, "<p>Price: 12.50 EUR</p><p>Price: 7 EUR</p>")

    found = await sheet.search(r"\d+(?:\.\d+)? EUR$", regex=True)

    assert [match.text for match in found.matches] == ["12.50 EUR", "7 EUR"]


async def test_the_nearest_spelling_is_told_when_there_is_no_match(sheet: Page) -> None:
    expected = {
        "privacy polcy": ["Privacy Policy"],
        "cancellation terms of the shop": ["Cancel | Terms of delivery"],
        "Delivery adress": ["Delivery address"],
        "xylophone": [],
    }
    await show(
        sheet,
        "<p>Privacy Policy</p><p>Private policies</p><p>Imprint</p><input aria-label='Delivery address'>"
        "<div>Cancel</div><div>Terms of delivery</div>",
    )

    near = {pattern: (await sheet.search(pattern)).near for pattern in expected}

    assert near == expected


async def test_an_expression_that_is_there_to_the_letter_is_said_to_be(sheet: Page) -> None:
    await show(sheet, "<p>Price (EUR)</p>")

    assert (await sheet.search("price (EUR)", regex=True)).near == ["Price (EUR)"]


async def test_a_match_out_of_the_viewport_is_said_to_be(sheet: Page) -> None:
    await show(sheet, "<p>word</p><p style='margin-top:5000px'>word</p>")

    assert [match.in_viewport for match in (await sheet.search("word")).matches] == [True, False]


async def test_a_pattern_may_set_flags_of_its_own(sheet: Page) -> None:
    await show(sheet, "<p>Größe 12")

    found = await sheet.search(r"(?a)\w+", regex=True, max_results=1)

    assert found.matches[0].text == "Gr"


async def test_a_catastrophic_pattern_is_a_clear_error(sheet: Page) -> None:
    await show(sheet, "<p>" + "a" * 5000 + "b</p>" + "<p>aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab</p>" * 100)

    with pytest.raises(InvalidArguments, match=r"takes too long on this page"):
        await sheet.search("(a+)+$", regex=True)


async def test_accents_match_however_they_are_composed(sheet: Page) -> None:
    await show(sheet, "<p>Cafe\u0301 Zoe\u0308 and na\u00efve</p><button>After e\u0301</button><p>Cafe</p>")

    spellings = ("caf\u00e9 zo\u00eb", "cafe\u0301", "nai\u0308ve", "after \u00e9")
    found = [(await sheet.search(each)).matches for each in spellings]
    by_regex = await sheet.search("caf[\u00e9]", regex=True)

    assert [[match.text for match in matches] for matches in found] == [
        ["Caf\u00e9 Zo\u00eb"],
        ["Caf\u00e9"],
        ["na\u00efve"],
        ["After \u00e9"],
    ]
    assert (found[3][0].role, found[3][0].name) == ("button", "After e\u0301")
    assert by_regex.total == 1


async def test_matches_are_given_in_parts(sheet: Page) -> None:
    await show(sheet, "".join(f"<p>cup {n}</p>" for n in range(5)))

    parts = [await sheet.search("cup", max_results=2, offset=offset) for offset in (0, 2, 4, 6)]

    assert [[match.after.split()[0] for match in part.matches] for part in parts] == [["0", "1"], ["2", "3"], ["4"], []]
    assert {part.total for part in parts} == {5}


async def test_what_listens_for_the_whole_page_is_not_what_a_text_is_in(sheet: Page) -> None:
    """The root of an app does, for whatever is in it: a click on its middle would be another one."""
    heard = "document.querySelectorAll('div').forEach((each) => each.addEventListener('click', () => {}))"
    await show(sheet, f"<div style='height:90vh'><p>Alone</p><div><p>Card</p></div></div><script>{heard}</script>")

    found = [(await sheet.search(each)).matches[0].ref for each in ("Alone", "Card")]

    tags = [(await sheet.find("p")).elements[0].ref, (await sheet.find("div div")).elements[0].ref]
    assert found == tags


async def test_what_only_a_search_gave_is_told_as_gone_without_its_page(sheet: Page) -> None:
    await show(sheet, "<div>Standup</div>")
    [match] = (await sheet.search("Standup")).matches
    await sheet.evaluate("document.querySelector('div').remove()")

    with pytest.raises(StaleRef, match="no snapshot of late showed it: search again, or take one"):
        await sheet.click(match.ref)


async def test_every_frame_and_shadow_root_is_searched_and_every_ref_works(page: Page, serve: Serve) -> None:
    await page.goto(every_frame(serve))

    found = await page.search("needle", max_results=20)

    assert [(match.text + match.after).split(" link")[0] for match in found.matches] == [
        "needle in page",
        "needle in same-origin",
        "needle in nested",
        "needle in other-site",
        "needle in deep",
        "needle in open-root",
        "needle in closed-root",
    ]
    assert (found.total, found.near, found.unread) == (7, [], [])
    for match in found.matches:
        await locate(tab_of(page), match.ref)


async def test_a_match_tells_its_context_and_the_element_to_act_on(page: Page, serve: Serve) -> None:
    url = serve("<p>Before it</p><p>You may <a href=/x>Log <b>out</b> now</a> if you like</p>")
    await page.goto(url)

    (match,) = (await page.search("log out", context_chars=9)).matches

    assert (match.text, match.before, match.after) == ("Log out", "it You may "[-9:], " now if y")
    assert (match.role, match.name, match.frame_url, match.in_viewport) == ("link", "Log out now", url, True)


async def test_what_neither_a_reader_nor_the_snapshot_sees_is_not_found(page: Page, serve: Serve) -> None:
    await opened(
        page,
        serve,
        "<style>.q::before{content:'generated '} .picture{content:linear-gradient(red,blue)/'in its place'}</style>"
        "<p class=picture>secret</p>"
        "<p hidden>secret</p><p style='visibility:hidden'>secret <span style='visibility:visible'>shown</span></p>"
        "<script>secret</script><!-- secret -->"
        "<input type=password value=secret><input autocomplete=one-time-code value=secret>"
        "<input value='typed text'><textarea>long text</textarea>"
        "<select><option>other<option selected>chosen</select>"
        "<p class=q>text</p>",
    )

    totals = {
        word: (await page.search(word)).total
        for word in ("secret", "shown", "typed", "long", "chosen", "other", "generated text", "its place")
    }

    once = ("shown", "typed", "long", "chosen", "other", "generated text", "its place")
    assert totals == {"secret": 0, **dict.fromkeys(once, 1)}


EVERYTHING = """
<button aria-label="Remove row 3">Delete</button><button title="Log off"><svg></svg></button>
<img alt="A red kettle" src=x><input placeholder="Your e-mail"><input aria-label=Amount value=12.50>
<label>Colour <select><option>Red<option selected>Green<option>Blue</select></label>
<canvas>Sales of 2025</canvas><div contenteditable role=textbox aria-label=Body>Dear all</div>
<textarea aria-label=Note>first line
second line</textarea>
<svg role=img><title>Chart of sales</title></svg><a href=/x title="All the rules">§</a>
<div role=slider tabindex=0 aria-label=Volume aria-valuetext="half loud"></div>
<table aria-label=Cart><tr><th>What<th>Price<tr><td>Tea<td>4.50 <b>EUR</b><tr><td>Milk<td><a href=/m>free</a></table>
<p>Main Street 5<br>1234 Town</p><h2>Orders <small>of today</small></h2>"""


FOUND = {
    "remove row": ("button", "Remove row 3"),
    "delete": ("button", "Remove row 3"),
    "log off": ("button", "Log off"),
    "red kettle": ("img", "A red kettle"),
    "your e-mail": ("textbox", "Your e-mail"),
    "amount": ("textbox", "Amount"),
    "12.50": ("textbox", "Amount"),
    "blue": ("combobox", "Colour"),
    "green": ("combobox", "Colour"),
    "sales of 2025": ("generic", ""),
    "body": ("textbox", "Body"),
    "dear all": ("textbox", "Body"),
    "second line": ("textbox", "Note"),
    "chart of sales": ("img", "Chart of sales"),
    "all the rules": ("link", "§"),
    "half loud": ("slider", "Volume"),
    "tea 4.50 eur": ("cell", "Tea"),
    "tea | 4.50": ("cell", "Tea"),
    "4.50 EUR": ("cell", "4.50 EUR"),
    "free": ("link", "free"),
    "street 5 1234 town": ("paragraph", ""),
    "orders of today": ("heading", "Orders of today"),
    "your e‑mail": ("textbox", "Your e-mail"),
}
"""The role and the name of where each is found there."""


async def test_a_search_between_two_readings_leaves_the_next_one_true(
    page: Page, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = "".join(f"<tr><td><a href=/{n}>Order {n}</a><td>open" for n in range(200))
    await opened(page, serve, f"<table>{rows}</table><p id=p>before")
    await page.snapshot()

    for word in ("after", "later", "last"):
        await page.evaluate(
            f"p.textContent = '{word}'; document.querySelector('td:nth-child(2)').textContent = '{word}'"
        )
        assert (await page.search(word)).total == 2
        await page.evaluate(f"document.querySelector('tr:nth-child(9) td').innerHTML += '<button>{word}</button>'")
        assert (await page.search(word)).total == 3
        kept = (await page.snapshot()).text
        monkeypatch.setattr(snapshots, "_base", lambda world: {"base": None})  # tells nothing of what is known
        assert kept == (await page.snapshot()).text
        monkeypatch.undo()


async def test_a_page_that_was_only_searched_is_read_by_what_changed_since(
    page: Page, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts: list[str] = []
    whole = searching._whole

    def noting_text(world: Any, part: Any, is_valid: bool) -> Any:
        texts.append(part.text)
        return whole(world, part, is_valid)

    monkeypatch.setattr(searching, "_whole", noting_text)
    rows = "".join(f"<tr><td>Order {n}<td><a href=/{n}>open</a>" for n in range(200))
    await opened(page, serve, f"<table>{rows}</table>")

    totals = [(await page.search("Order 7")).total for _ in range(2)]
    await page.evaluate("document.querySelector('tr:nth-child(9) td').textContent = 'Order 700'")
    totals.append((await page.search("Order 7")).total)
    by_what_changed = (await page.snapshot()).text
    monkeypatch.setattr(snapshots, "_base", lambda world: {"base": None})  # tells nothing of what is known

    assert totals == [11, 11, 12]
    assert [text != "" for text in texts][-2:] == [False, True]  # one that stayed is not sent again
    assert by_what_changed == (await page.snapshot()).text


async def test_a_text_between_lines_has_its_own_place_in_whatever_order_they_are_shown(sheet: Page) -> None:
    row = "<div style='display:flex;flex-direction:%s'><i>left</i><button>B</button><i>right</i></div>"
    await show(sheet, f"<main><p>{'<a href=/>x</a> one <b>two</b> ' * 3}</p>{row % 'row'}{row % 'row-reverse'}</main>")

    found = [(await sheet.search(word)).matches for word in ("one", "two", "left", "right")]

    assert [[match.name for match in matches] for matches in found] == [[""] * 3, [""] * 3, [""] * 2, [""] * 2]
    assert len({match.ref for match in found[1]}) == 3  # each <b>


BAD_INPUT: list[tuple[dict[str, object], str]] = [
    ({"pattern": "(x", "regex": True}, "The pattern '(x' is no regular expression: missing ) at position 2."),
    ({"pattern": "  "}, "The pattern is empty: give the text to look for."),
    ({"pattern": "x", "context_chars": 501}, "context_chars is 501: give 0 to 500."),
    ({"pattern": "x", "max_results": 0}, "max_results is 0: give 1 to 50."),
    ({"pattern": "x" * 1_001}, "The pattern has 1,001 characters, and 1,000 is the most: look for a"),
    ({"pattern": "x" * 300_000, "regex": True}, "The pattern has 300,000 characters, and 1,000 is the most"),
    ({"pattern": "(" * 500 + ")" * 500, "regex": True}, "The pattern has too many brackets inside of brackets"),
    ({"pattern": "[" * 500, "regex": True}, "The pattern has too many brackets inside of brackets"),
    ({"pattern": "(?Lu)a", "regex": True}, "The pattern '(?Lu)a' is no regular expression: ASCII, LOCALE and"),
    ({"pattern": "(?V0)a", "regex": True}, "The pattern '(?V0)a' is no regular expression: VERSION0 and"),
]


async def test_bad_input_is_a_clear_error(page: Page, subtests: pytest.Subtests) -> None:
    for arguments, message in BAD_INPUT:
        with subtests.test(message):
            with pytest.raises(InvalidArguments) as caught:
                await page.search(**arguments)  # type: ignore[arg-type]  # what a model may send

            assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("script", "times", "matches"),
    [
        pytest.param("list.replaceWith(list.cloneNode(true))", 1, [("Row 234", True)], id="rendered anew"),
        pytest.param(
            "list.replaceWith(list.cloneNode(true))", 9, [("Row 234", False)], id="rendered anew again and again"
        ),
        pytest.param("list.remove()", 1, [], id="gone"),
    ],
)
async def test_what_leaves_the_page_while_it_is_searched_is_looked_for_anew(
    page: Page, serve: Serve, monkeypatch: pytest.MonkeyPatch, script: str, times: int, matches: list[tuple[str, bool]]
) -> None:
    find, scripts = searching._matches, [script] * times

    async def find_late(*given: Any) -> Any:
        if scripts:
            await page.evaluate(scripts.pop())
        return await find(*given)

    monkeypatch.setattr(searching, "_matches", find_late)
    await opened(page, serve, "<ul id=list><li>Row <b>234</b> of many</ul>")

    found = await page.search("Row 234")

    assert [(match.text, match.in_viewport) for match in found.matches] == matches


async def test_a_text_of_more_than_a_million_characters_is_searched_whole(sheet: Page) -> None:
    await show(sheet, "<pre></pre><p>After")
    await sheet.evaluate("document.querySelector('pre').textContent = 'line of a log\\n'.repeat(100_000) + 'needle'")

    result = await sheet.search("needle")

    assert (result.total, result.unread) == (1, [])
    assert (await sheet.search("After")).total == 1
    assert (await sheet.search(r"[a-z ]+\sneedle", regex=True)).total == 1  # harmless, though it takes some time
    assert "needle" not in (await sheet.snapshot()).text

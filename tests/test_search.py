import pytest

from cdp_agent.errors import InvalidArguments
from cdp_agent.page.page import Page
from tests.conftest import Serve
from tests.every_frame import every_frame


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
        await page.hover(match.ref)


async def test_a_match_tells_its_context_and_the_element_to_act_on(page: Page, serve: Serve) -> None:
    url = serve("<p>Before it</p><p>You may <a href=/x>Log <b>out</b> now</a> if you like</p>")
    await page.goto(url)

    (match,) = (await page.search("log out", context_chars=9)).matches

    assert (match.text, match.before, match.after) == ("Log out", "it You may "[-9:], " now if y")
    assert (match.role, match.name, match.frame_url, match.in_viewport) == ("link", "Log out now", url, True)


async def test_words_run_through_inline_elements_and_stop_at_blocks(page: Page, serve: Serve) -> None:
    await page.goto(serve("<p>Log<b>out</b></p><div>one</div><div>two</div><table><td>a<td>b</table>"))

    totals = [(await page.search(pattern)).total for pattern in ("logout", "onetwo", "one two", "ab")]

    assert totals == [1, 0, 0, 0]


async def test_what_a_reader_does_not_see_is_not_found(page: Page, serve: Serve) -> None:
    await page.goto(
        serve(
            "<style>.q::before{content:'generated '}</style>"
            "<p hidden>secret</p><p style='visibility:hidden'>secret <span style='visibility:visible'>shown</span></p>"
            "<details><summary>More</summary>secret</details><script>secret</script><!-- secret -->"
            "<input type=password value=secret><input autocomplete=one-time-code value=secret>"
            "<input value='typed text'><textarea>long text</textarea>"
            "<select><option>secret<option selected>chosen</select>"
            "<p class=q>text</p>"
        )
    )

    totals = {
        word: (await page.search(word)).total
        for word in ("secret", "shown", "typed", "long", "chosen", "generated text")
    }

    assert totals == {"secret": 0, "shown": 1, "typed": 1, "long": 1, "chosen": 1, "generated text": 1}


async def test_the_total_is_true_when_fewer_are_returned(page: Page, serve: Serve) -> None:
    await page.goto(serve("<p>row</p>" * 1234))

    found = await page.search("row", max_results=3)

    assert (len(found.matches), found.total) == (3, 1234)


async def test_case_folding_is_that_of_unicode(page: Page, serve: Serve) -> None:
    await page.goto(serve("<p>STRASSE</p><p>ΣΊΣΥΦΟΣ</p>"))

    assert (await page.search("straße")).total == 1
    assert (await page.search("σίσυφος")).total == 1
    assert (await page.search("strasse", case_sensitive=True)).total == 0


async def test_a_regular_expression_matches_within_blocks(page: Page, serve: Serve) -> None:
    await page.goto(serve("<p>Price: 12.50 EUR</p><p>Price: 7 EUR</p>"))

    found = await page.search(r"\d+(?:\.\d+)? EUR$", regex=True)

    assert [match.text for match in found.matches] == ["12.50 EUR", "7 EUR"]


async def test_close_spellings_are_offered_when_there_is_no_match(page: Page, serve: Serve) -> None:
    await page.goto(serve("<p>Privacy Policy</p><p>Private policies</p><p>Imprint</p>"))

    assert (await page.search("privacy polcy")).near == ["Privacy Policy"]


async def test_a_match_out_of_the_viewport_is_said_to_be(page: Page, serve: Serve) -> None:
    await page.goto(serve("<p>word</p><p style='margin-top:5000px'>word</p>"))

    assert [match.in_viewport for match in (await page.search("word")).matches] == [True, False]


async def test_a_catastrophic_pattern_is_a_clear_error(page: Page, serve: Serve) -> None:
    await page.goto(serve("<p>" + "a" * 5000 + "b</p>" + "<p>aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab</p>" * 2000))

    with pytest.raises(InvalidArguments, match=r"takes too long on this page"):
        await page.search("(a+)+$", regex=True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"pattern": "(x", "regex": True}, "The pattern '(x' is no regular expression: missing ) at position 2."),
        ({"pattern": "  "}, "The pattern is empty: give the text to look for."),
        ({"pattern": "x", "context_chars": 501}, "context_chars is 501: give 0 to 500."),
        ({"pattern": "x", "max_results": 0}, "max_results is 0: give 1 to 50."),
    ],
    ids=["bad pattern", "empty pattern", "too much context", "no results"],
)
async def test_bad_input_is_a_clear_error(page: Page, arguments: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidArguments) as caught:
        await page.search(**arguments)  # type: ignore[arg-type]  # what a model may send

    assert str(caught.value).startswith(message)

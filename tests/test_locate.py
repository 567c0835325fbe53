"""From refs to elements, and from elements that were rendered anew to those that took their place."""

from __future__ import annotations

import asyncio

import pytest

from cdp_agent.browser import Browser
from cdp_agent.errors import InvalidArguments, StaleRef
from cdp_agent.page.page import Page, tab_of
from cdp_agent.page.refs.locate import locate
from cdp_agent.page.snapshot.lines import refs_in

from .conftest import Serve
from .writing import opened, put


async def ref(page: Page, name: str) -> str:
    snapshot = await page.snapshot()
    return next(each.ref for each in snapshot.refs.values() if each.name == name)


async def test_a_ref_is_found_however_it_is_written(page: Page, serve: Serve) -> None:
    await opened(page, serve, "<button>Save</button>")
    await page.snapshot()

    found = {each: await locate(tab_of(page), each) for each in ("E1", "e1", "ref=E1", "[ref=E1]", " E1 ")}

    assert {each: (it.ref, it.note) for each, it in found.items()} == dict.fromkeys(found, ("E1", ""))


async def test_what_is_no_ref_is_refused(page: Page) -> None:
    with pytest.raises(InvalidArguments, match='"Save" is no ref'):
        await locate(tab_of(page), "Save")


async def test_a_ref_that_was_never_given_is_refused(page: Page, serve: Serve) -> None:
    await opened(page, serve, "<button>Save</button>")
    await page.snapshot()

    with pytest.raises(StaleRef, match="There is no E7: the refs go up to E1") as caught:
        await locate(tab_of(page), "E7")

    assert caught.value.ref == "E7"


async def test_a_ref_of_another_tab_is_refused_with_the_name_of_that_tab(browser: Browser, page: Page) -> None:
    await put(page, "<button>Keep</button>")
    other = await browser.new_page("data:text/html,<button>Remove all</button>")
    await page.snapshot()

    assert (await other.snapshot()).text == '- button "Remove all" [ref=E2]'
    with pytest.raises(
        StaleRef, match=rf"E1 is of tab t{page.number}, and this is t{other.number}\. Go to that tab first"
    ):
        await other.click("E1")
    with pytest.raises(StaleRef, match=rf"E2 is of tab t{other.number}, and this is t{page.number}\."):
        await page.click("E2")

    await other.close()
    with pytest.raises(StaleRef, match="There is no E2 any more, in this tab or another"):
        await page.click("E2")


async def test_no_ref_is_given_in_two_contexts_nor_told_from_one_to_the_other(browser: Browser, page: Page) -> None:
    await put(page, "<button>Keep</button>")
    await page.snapshot()
    async with await browser.new_context() as context:
        theirs = await context.new_page("data:text/html,<button>Buy</button>")

        assert (await theirs.snapshot()).text == '- button "Buy" [ref=E2]'
        with pytest.raises(StaleRef, match="There is no E1 any more"):
            await theirs.click("E1")


async def test_tabs_that_are_read_at_a_time_give_no_ref_twice(browser: Browser, page: Page) -> None:
    await put(page, "<button>One</button>" * 3)
    pages = [page, *[await browser.new_page(f"data:text/html,{'<button>Two</button>' * 3}") for _ in range(2)]]

    texts = [each.text for each in await asyncio.gather(*(each.snapshot() for each in pages))]

    refs = [ref for text in texts for ref in refs_in(text)]
    assert sorted(refs) == [f"E{number}" for number in range(1, 10)]
    for each, text in zip(pages, texts, strict=True):
        for ref in refs_in(text):
            assert (await locate(tab_of(each), ref)).ref == ref


async def test_an_element_that_was_rendered_anew_is_found_again(page: Page, serve: Serve) -> None:
    await opened(page, serve, "<main><button>Save</button><button>Cancel</button></main>")
    save = await ref(page, "Save")
    await page.evaluate("document.querySelector('main').innerHTML += ''")

    found = await locate(tab_of(page), save)

    assert (found.ref, found.note) == ("E3", "E1 was rendered anew: it is E3 now")


async def test_an_element_that_was_there_before_is_another_one(page: Page, serve: Serve) -> None:
    await opened(page, serve, "<li><button id=first>Delete</button><li><button>Delete</button>")
    await page.snapshot()
    await page.evaluate("first.remove()")

    with pytest.raises(
        StaleRef, match=r"E1 \(button \"Delete\"\) is gone. Others of that name were there before .* E2"
    ):
        await locate(tab_of(page), "E1")


async def test_what_is_gone_and_had_no_name_is_not_likened_to_others_without_one(page: Page, serve: Serve) -> None:
    await opened(page, serve, "<button id=first class=undo></button><button class=redo></button>")
    await page.snapshot()
    await page.evaluate("first.remove()")

    with pytest.raises(StaleRef, match=r"E1 \(button without a name\) is gone: take a new snapshot"):
        await locate(tab_of(page), "E1")


async def test_what_is_gone_for_good_is_said_to_be(page: Page, serve: Serve) -> None:
    await opened(page, serve, "<button>Save</button>")
    await page.snapshot()
    await page.evaluate("document.body.textContent = ''")

    with pytest.raises(StaleRef, match="nothing of that name has taken its place"):
        await locate(tab_of(page), "E1")


ROWS = "".join(f"<tr><td>{name}</td><td><button>Edit</button></td></tr>" for name in ("Ada", "Bob", "Cleo"))


async def test_of_several_the_one_in_the_same_place_is_meant(page: Page, serve: Serve) -> None:
    await opened(page, serve, f"<table>{ROWS}</table>")
    edits = [each.ref for each in (await page.snapshot()).refs.values() if each.name == "Edit"]
    # Rendered anew in another order: Bob's row is the last one now.
    await page.evaluate(
        """(() => { const table = document.querySelector('table'); table.innerHTML += '';
        const rows = table.querySelectorAll('tr'); rows[0].parentNode.append(rows[1]) })()"""
    )

    found = await locate(tab_of(page), edits[1])

    assert await text_around(page, found.ref) == "Bob"


async def text_around(page: Page, ref: str) -> str:
    """What the row says that the ref is in."""
    await page.snapshot()
    lines = tab_of(page).history[-1].snapshot.text.split("\n")
    at = next(index for index, line in enumerate(lines) if f"[ref={ref}]" in line)
    return next(name for line in reversed(lines[: at + 1]) for name in ("Ada", "Bob", "Cleo") if name in line)


async def test_a_page_that_reads_as_before_has_its_elements_in_the_same_order(page: Page, serve: Serve) -> None:
    await opened(page, serve, "<main><button>+</button><button>+</button><button>+</button></main>")
    await page.snapshot()
    await page.evaluate("document.querySelector('main').innerHTML += ''")

    assert (await locate(tab_of(page), "E2")).ref == "E5"


async def test_several_that_cannot_be_told_apart_are_named(page: Page, serve: Serve) -> None:
    await opened(page, serve, "<main><button>Add</button></main>")
    await page.snapshot()
    await page.evaluate("document.querySelector('main').innerHTML = '<button>Add</button><button>Add</button>'")

    with pytest.raises(StaleRef, match="2 look like it") as caught:
        await locate(tab_of(page), "E1")

    assert "[ref=E2]" in str(caught.value)
    assert "[ref=E3]" in str(caught.value)


async def test_rows_without_a_name_are_named_by_what_they_begin_with(page: Page, serve: Serve) -> None:
    rows = "<tr><td onclick=0>{0}<td><button>{1}</button>"
    await opened(page, serve, f"<table>{rows.format('A', 'Off')}{rows.format('B', 'On')}</table>")
    await page.snapshot()
    await page.evaluate(
        f"void (document.querySelector('table').innerHTML = `{rows.format('C', 'Off')}{rows.format('D', 'Off')}`)"
    )

    with pytest.raises(StaleRef, match="2 look like it") as caught:
        await locate(tab_of(page), "E2")

    assert 'button "Off" [ref=E5] in row of "C", button "Off" [ref=E6] in row of "D". Choose' in str(caught.value)


async def test_refs_of_another_page_are_not_found_again(page: Page, serve: Serve) -> None:
    first, second = serve("<button>Save</button>"), serve("<button>Save</button>")
    await page.goto(first)
    await page.snapshot()
    await page.goto(second)

    with pytest.raises(StaleRef, match=f"was on {first}. The page is {second} now"):
        await locate(tab_of(page), "E1")


async def test_refs_survive_a_reload_by_role_and_name(page: Page, serve: Serve) -> None:
    await page.goto(serve("<button>Save</button>"))
    await page.snapshot()
    await page.reload()

    assert (await locate(tab_of(page), "E1")).note == "E1 was rendered anew: it is E2 now"


async def test_an_element_in_an_iframe_that_was_removed_is_gone(page: Page, serve: Serve) -> None:
    inner = serve("<button>Inside</button>")
    await page.goto(serve(f"<iframe src='{inner}'></iframe>"))
    inside = await ref(page, "Inside")
    await page.evaluate("document.querySelector('iframe').remove()")

    with pytest.raises(StaleRef):
        await locate(tab_of(page), inside)


@pytest.mark.parametrize("other_site", [False, True], ids=["same-process", "out-of-process"])
async def test_an_iframe_that_was_loaded_anew_keeps_its_meaning(page: Page, serve: Serve, other_site: bool) -> None:
    inner = serve("<button>Inside</button>", other_site=other_site)
    await page.goto(serve(f"<iframe src='{inner}'></iframe>"))
    inside = await ref(page, "Inside")
    await page.evaluate("document.querySelector('iframe').outerHTML += ''")
    await page.wait_for(idle=0.1)

    assert (await locate(tab_of(page), inside)).note.startswith(f"{inside} was rendered anew")


async def test_a_hidden_element_is_still_the_same_one(page: Page, serve: Serve) -> None:
    await opened(page, serve, "<button>Save</button>")
    await page.snapshot()
    await page.evaluate("document.querySelector('button').hidden = true")

    assert (await locate(tab_of(page), "E1")).ref == "E1"


async def test_an_element_that_moved_keeps_its_ref(page: Page, serve: Serve) -> None:
    await opened(page, serve, "<button>Save</button><footer></footer>")
    await page.snapshot()
    await page.evaluate("document.querySelector('footer').append(document.querySelector('button'))")

    assert (await locate(tab_of(page), "E1")).note == ""

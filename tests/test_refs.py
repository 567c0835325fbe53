"""Numbers for elements: never given twice, and good in another process too."""

from __future__ import annotations

from typing import Any, cast

import msgspec
import pytest

from cdp_agent.browser import Browser
from cdp_agent.errors import InvalidArguments, StaleRef
from cdp_agent.page.frames.world import Handle, World
from cdp_agent.page.page import Page
from cdp_agent.page.snapshot.refs import RefTable, parse_ref
from cdp_agent.page.tab.saved_refs import SavedRefs
from tests.detached import DetachedChrome

from .conftest import Serve


def world() -> World:
    return World(cast(Any, None), "F", 1, Handle("1"))


def test_a_world_keeps_its_own_numbers() -> None:
    table, only = RefTable(), world()
    table.claim(only, 1, 4)

    assert [table.number(only, local) for local in (1, 2, 3)] == [1, 2, 3]
    assert table.locate(2) == (only, 2)
    assert table.next == 4


def test_numbers_that_two_worlds_chose_are_shifted() -> None:
    table, first, second = RefTable(), world(), world()
    table.claim(first, 1, 4)
    table.claim(second, 1, 3)

    assert [table.number(second, local) for local in (1, 2)] == [4, 5]
    assert table.locate(5) == (second, 2)
    assert table.write(second, "- button [ref=\x012]") == "- button [ref=E5]"


def test_a_number_that_was_never_given_names_nothing() -> None:
    table, only = RefTable(), world()
    table.claim(only, 3, 5)

    assert [table.locate(number) for number in (1, 5, 99)] == [None, None, None]


def test_an_element_can_be_bound_to_the_number_it_had() -> None:
    table, old, new = RefTable(), world(), world()
    table.claim(old, 1, 4)
    table.bind(new, 1, 9)

    assert table.locate(9) == (new, 1)
    assert table.number(new, 1) == 9
    assert table.next == 10


def test_numbers_of_documents_that_have_gone_were_given_and_keep_nothing() -> None:
    table = RefTable()
    for number in range(100):
        table.claim(world(), 1 + 2 * number, 3 + 2 * number)  # nobody else holds it
    last = world()
    table.claim(last, 201, 203)

    assert [table.locate(number) for number in (1, 100, 202, 203)] == [None, None, (last, 202), None]
    assert [table.was_given(number) for number in (0, 1, 100, 202, 203)] == [False, True, True, True, False]
    assert len(table._by_number) == 2


@pytest.mark.parametrize("text", ["", "12", "E", "Ex", "E1 E2", "E1234567890", None, 12])
def test_what_is_no_ref_is_refused(text: Any) -> None:
    with pytest.raises(InvalidArguments):
        parse_ref(text)


async def handed_over(page: Page) -> SavedRefs:
    """What another process reads from the file of this one."""
    return msgspec.json.decode(msgspec.json.encode(await page.export_refs()), type=SavedRefs)


async def same_tab(browser: Browser, page: Page) -> Page:
    return next(each for each in browser.pages if each.target_id == page.target_id)


def with_frames(serve: Serve) -> str:
    inner = "<button onclick=\"this.textContent = 'pressed'\">{}</button>"
    near, far = serve(inner.format("Near")), serve(inner.format("Far"), other_site=True)
    return serve(f"<button>Top</button><iframe src='{near}'></iframe><iframe src='{far}'></iframe>")


async def test_another_process_can_use_the_refs(detached: DetachedChrome, serve: Serve) -> None:
    async with Browser.connect(detached.endpoint) as first, Browser.connect(detached.endpoint) as second:
        page = await first.new_page(with_frames(serve))
        refs = {each.name: each.ref for each in (await page.snapshot()).refs.values()}
        other = await same_tab(second, page)
        other.import_refs(await handed_over(page))

        near, far = await other.click(refs["Near"]), await other.click(refs["Far"])

        assert [near.changed, far.changed] == [
            [f'~ - button "Near" → "pressed" [ref={refs["Near"]}]'],
            [f'~ - button "Far" → "pressed" [ref={refs["Far"]}]'],
        ]


async def test_another_process_gives_the_same_refs_and_new_numbers(detached: DetachedChrome, serve: Serve) -> None:
    async with Browser.connect(detached.endpoint) as first, Browser.connect(detached.endpoint) as second:
        page = await first.new_page(with_frames(serve))
        before = await page.snapshot()
        other = await same_tab(second, page)
        other.import_refs(await handed_over(page))

        assert (await other.snapshot()).text == before.text
        await other.evaluate("document.body.prepend(document.createElement('hr'), document.createElement('button'))")
        added = set((await other.snapshot()).refs) - set(before.refs)
        assert {int(ref[1:]) for ref in added} == {page.refs.next}


async def test_another_process_finds_again_what_was_rendered_anew(detached: DetachedChrome, serve: Serve) -> None:
    async with Browser.connect(detached.endpoint) as first, Browser.connect(detached.endpoint) as second:
        page = await first.new_page(serve("<main><button>Save</button></main>"))
        await page.snapshot()
        saved = await handed_over(page)
        await page.evaluate("document.querySelector('main').innerHTML += ''")
        other = await same_tab(second, page)
        other.import_refs(saved)

        assert (await other.click("E1")).note == "E1 was rendered anew: it is E2 now"


async def test_a_process_that_uses_no_ref_hands_them_on(detached: DetachedChrome, serve: Serve) -> None:
    async with Browser.connect(detached.endpoint) as first, Browser.connect(detached.endpoint) as second:
        page = await first.new_page(serve("<p>Mail</p><button>Save</button>"))
        await page.snapshot()
        other = await same_tab(second, page)
        other.import_refs(await handed_over(page))
        await other.evaluate("document.querySelector('p').remove()")
        page.import_refs(await handed_over(other))

        assert (await page.click("E1")).text.startswith('clicked E1 button "Save"')


async def test_what_another_process_names_before_it_reads_has_the_refs_that_were_given(
    detached: DetachedChrome, serve: Serve
) -> None:
    """The field that has the focus is looked at for a key before anything is read; E1 is another element."""
    async with Browser.connect(detached.endpoint) as first, Browser.connect(detached.endpoint) as second:
        grows = "onkeydown=\"document.body.append(document.createElement('hr'))\""
        page = await first.new_page(serve(f"<button>First</button><input aria-label=Second autofocus {grows}>"))
        before = await page.snapshot()
        other = await same_tab(second, page)
        other.import_refs(await handed_over(page))

        await other.press("a")

        after = await other.snapshot()
        assert {each.name: each.ref for each in after.refs.values()} == {
            each.name: each.ref for each in before.refs.values()
        }
        assert (await other.click("E1")).text.startswith('clicked E1 button "First"')


async def test_refs_of_a_document_that_is_gone_name_nothing(detached: DetachedChrome, serve: Serve) -> None:
    async with Browser.connect(detached.endpoint) as first, Browser.connect(detached.endpoint) as second:
        page = await first.new_page(serve("<button>Save</button>"))
        await page.snapshot()
        saved = await handed_over(page)
        await page.goto(serve("<button>Delete</button>", other_site=True))
        other = await same_tab(second, page)
        other.import_refs(saved)

        with pytest.raises(StaleRef):
            await other.click("E1")


async def test_before_anything_was_read_there_is_nothing_to_hand_over(page: Page) -> None:
    exported: Any = await page.export_refs()

    assert exported is None

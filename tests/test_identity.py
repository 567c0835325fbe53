"""Which element a ref means after its list was rendered anew: the same row's, or none."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

import pytest

from cdp_agent.errors import StaleRef
from cdp_agent.page.actions.actions import ELEMENT_GONE
from cdp_agent.page.page import Page, tab_of
from cdp_agent.page.refs.locate import locate

from .conftest import Serve
from .writing import opened

LIST = """<h1>Orders</h1><ul></ul><p id=log></p>
<script>
  var list = document.querySelector('ul'), row = {
    keyed: ({key, name, more = ''}) => `<li data-id="${key}"><b>${name}</b> <i>${more}</i> <button>Open</button></li>`,
    linked: ({key, name, more = ''}) => `<li><a href="/o/${key}">${name}</a> <i>${more}</i> <button>Open</button></li>`,
    plain: ({name, more = ''}) => `<li><b>${name}</b> <i>${more}</i> <button>Open</button></li>`,
    card: ({name, more = ''}) => `<div><div>${name}</div><div>${more}</div><button>Open</button></div>`,
    headed: ({name, more = ''}) => `<li><h2>${name}</h2> <i>${more}</i> <button>Open</button></li>`,
    counted: ({name, more = ''}, at) => `<li data-id="${at}"><b>${name}</b> <i>${more}</i> <button>Open</button></li>`,
    own: ({key, name}) => `<li>${name} <button id="open-${key}">Open</button></li>`,
    same: ({name}) => `<li>${name} <button name="open">Open</button></li>`,
    generated: ({name}, at) => `<li>${name} <button id=":r${at}:">Open</button></li>`,
    after: ({name}) => `<span>${name}</span><button>Open</button>`,
    ahead: ({name}) => `<button>Open</button><span>${name}</span>`,
    defined: ({name}) => `<dt>${name}</dt><dd><button>Open</button></dd>`,
    counting: ({name}, at) => `<span>${name}</span><button data-id="${at + 1}">Open</button>`,
    boxed: ({name}) => `<b>${name}</b><span><i></i><button>Open</button></span>`,
  }
  function render(kind, items, whole) {
    const list = document.getElementById(kind) ?? document.querySelector('ul')
    if (whole) {
      const anew = list.cloneNode()
      list.replaceWith(anew)
      return render(kind, items)
    }
    list.innerHTML = (list.localName === 'section' ? '<h2>All</h2>' : '') + items.map(row[kind]).join('')
    list.querySelectorAll('button').forEach((each, at) => {
      each.onclick = () => { log.textContent += items[at].name + ' ' }
    })
  }
</script>"""
ADA, BOB, CLEO, DAN = ({"key": key, "name": name} for key, name in enumerate(("Ada", "Bob", "Cleo", "Dan"), 7))
Item = dict[str, object]
KINDS = ("keyed", "linked", "plain", "card", "headed", "counted", "own", "same", "generated")
SILENT = ("after", "ahead", "defined", "counting", "boxed")
"""Rows that say nothing themselves: what they are about stands beside them, below a heading of all."""


async def show(page: Page, kind: str, items: list[Item]) -> None:
    await page.evaluate(f"log.textContent = ''; render({kind!r}, {items})")


async def opens(page: Page) -> list[str]:
    """The refs of the buttons, in order."""
    return [each.ref for each in (await page.snapshot()).refs.values() if each.name == "Open"]


Rows = list[Item]
LISTS = LIST.replace(
    "<ul></ul>",
    "".join(f"<{tag} id={kind}></{tag}>" for tag, kinds in (("ul", KINDS), ("section", SILENT)) for kind in kinds),
)


async def meant_in_each(
    page: Page, before: Rows, after: Rows, *, nth: int = 1, kinds: Sequence[str] = KINDS, whole: bool = False
) -> dict[str, object]:
    """Whose button the ref means afterwards that the nth had before, in lists of all these kinds; None: nobody's.

    They are beside each other, and say of which kind they are.
    """

    async def shown(items: Rows, whole: bool = False) -> dict[str, list[str]]:
        calls = []
        for kind in (*KINDS, *SILENT):
            rows = [{**each, "name": f"{each['name']} {kind}"} for each in items] if kind in kinds else []
            calls.append(f"render({kind!r}, {rows}, {str(whole).lower()})")
        await page.evaluate("; ".join(calls))
        refs = iter(await opens(page))
        return {kind: [next(refs) for _ in items] for kind in (*KINDS, *SILENT) if kind in kinds}

    refs = await shown(before)
    now = await shown(after, whole)
    found: dict[str, object] = {}
    for kind in kinds:
        ref = await located(page, refs[kind][nth])
        found[kind] = None if ref is None else after[now[kind].index(ref)]["name"]
    return found


async def located(page: Page, ref: str) -> str | None:
    """None: it is gone, or was rendered anew as nobody knows what."""
    try:
        return (await locate(tab_of(page), ref)).ref
    except StaleRef as error:
        if re.match(rf'{ref} \(button "Open"\) (is gone|was rendered anew)', str(error)):
            return None
        raise


def with_more(items: list[Item], more: str) -> list[Item]:
    return [{**each, "more": more} for each in items]


AFTER = {
    "as before": [ADA, BOB, CLEO],
    "in another order": [CLEO, ADA, BOB],
    "one before it": [DAN, ADA, BOB, CLEO],
    "one less": [BOB, CLEO],
    "alone": [BOB],
}


async def test_the_same_rows_button_is_meant(page: Page, serve: Serve) -> None:
    await opened(page, serve, LISTS)

    found = {name: await meant_in_each(page, [ADA, BOB, CLEO], after) for name, after in AFTER.items()}

    assert found == dict.fromkeys(AFTER, dict.fromkeys(KINDS, "Bob"))


async def test_the_button_that_is_meant_is_pressed(page: Page, serve: Serve) -> None:
    await opened(page, serve, LIST)

    found = {}
    for kind, after in zip(("keyed", "plain", "generated"), itertools.islice(AFTER.values(), 1, None), strict=False):
        await show(page, kind, [ADA, BOB, CLEO])
        bob = (await opens(page))[1]
        await show(page, kind, after)
        await page.click(bob)
        found[kind] = await page.evaluate("log.textContent")

    assert found == dict.fromkeys(found, "Bob ")


async def test_nobody_elses_button_is_meant(page: Page, serve: Serve) -> None:
    await opened(page, serve, LISTS)

    found = [
        await meant_in_each(page, [*others, BOB], others + came, nth=len(others))
        for others, came in (([ADA, CLEO], [DAN]), ([ADA], []), ([], []), ([], [DAN]))
    ]

    assert found == [dict.fromkeys(KINDS)] * 4


async def test_where_a_row_says_nothing_what_stands_around_it_tells_or_nobodys_button_is_meant(
    page: Page, serve: Serve, subtests: pytest.Subtests
) -> None:
    """Their lists are rendered anew inside, or with what they are in, of which only the latter is still whole then."""
    await opened(page, serve, LISTS)
    changes = AFTER | {
        "another in its place": [ADA, DAN, CLEO],
        "without it": [ADA, CLEO],
        "two before it": [DAN, CLEO, ADA, BOB],
    }

    for whole, (name, after) in itertools.product((False, True), changes.items()):
        with subtests.test(f"{name}{', the whole list' * whole}"):
            found = await meant_in_each(page, [ADA, BOB, CLEO], after, kinds=SILENT, whole=whole)

            sure = name == "as before" or (whole and name == "one before it")
            assert {found[kind] for kind in SILENT} <= ({"Bob"} if sure else {"Bob", None})


TITLED = """<section><h2>Admins</h2><div>Ada <button>Open</button></div></section>
<ul><li>Bob <button>Open</button></li></ul>"""


async def test_the_only_one_of_a_list_is_not_known_by_the_lists_heading(page: Page, serve: Serve) -> None:
    await opened(page, serve, TITLED)
    ada = (await opens(page))[0]
    anew = "<div>Dan <button>Open</button></div>"
    await page.evaluate(f"document.querySelector('section').outerHTML = '<section><h2>Admins</h2>{anew}</section>'")

    assert await located(page, ada) is None


ALONE = """<p id=said>Records per page</p><button>Open</button><script>
  function render(text) {
    const fresh = document.createElement('button')
    fresh.textContent = 'Open'
    document.querySelector('button').replaceWith(fresh)
    said.textContent = text
  }
</script>"""


async def test_the_only_one_is_known_while_all_is_said_that_was(
    page: Page, serve: Serve, subtests: pytest.Subtests
) -> None:
    for text, known in (("1 selected. Records per page", True), ("Records of Ada", False)):
        with subtests.test(text):
            await opened(page, serve, ALONE)
            ref = (await opens(page))[0]
            await page.evaluate(f"render('{text}')")
            if known:
                assert [(await locate(tab_of(page), ref)).ref] == await opens(page)
            else:
                with pytest.raises(StaleRef, match="may be another"):
                    await locate(tab_of(page), ref)


async def test_nothing_is_pressed_where_nobodys_button_is_meant(page: Page, serve: Serve) -> None:
    await opened(page, serve, LIST)
    await show(page, "plain", [ADA, BOB])
    bob = (await opens(page))[1]
    await show(page, "plain", [ADA, DAN])

    with pytest.raises(StaleRef):
        await page.click(bob)

    assert await page.evaluate("log.textContent") == ""


async def test_a_row_is_known_although_a_time_in_it_changed(page: Page, serve: Serve) -> None:
    before, after = with_more([ADA, BOB, CLEO], "12:03:04"), with_more([DAN, ADA, BOB, CLEO], "12:03:05")
    await opened(page, serve, LISTS)

    found = await meant_in_each(page, before, after, kinds=("keyed", "linked", "plain", "headed"))

    assert found == dict.fromkeys(found, "Bob")


async def test_a_row_is_known_although_words_in_it_changed(page: Page, serve: Serve) -> None:
    before, after = with_more([ADA, BOB], "new"), with_more([BOB, ADA], "sent today")
    await opened(page, serve, LISTS)

    found = await meant_in_each(page, before, after, kinds=("keyed", "linked", "headed"))

    assert found == dict.fromkeys(found, "Bob")


async def test_a_number_that_is_the_rows_own_is_no_time(page: Page, serve: Serve) -> None:
    before: list[Item] = [{"name": "Order", "more": "1001"}]
    after: list[Item] = [{"name": "Order", "more": "1002"}]
    await opened(page, serve, LISTS)

    found = await meant_in_each(page, before, after, nth=0, kinds=("plain", "card", "counted"))

    assert found == dict.fromkeys(found)


async def test_of_equal_rows_the_nth_is_the_nth_when_there_are_as_many(page: Page, serve: Serve) -> None:
    await opened(page, serve, LIST)
    for kind in ("plain", "card", "headed", "generated"):
        await show(page, kind, [ADA, ADA, BOB])
        second = (await opens(page))[1]
        await show(page, kind, [ADA, ADA, BOB])

        found = await locate(tab_of(page), second)

        assert found.ref == (await opens(page))[1], kind


async def test_of_equal_rows_none_is_taken_when_the_list_differs(page: Page, serve: Serve) -> None:
    before = [{**ADA, "key": 71}, {**ADA, "key": 70}, BOB]
    await opened(page, serve, LISTS)

    found = {
        name: await meant_in_each(page, before, after)
        for name, after in {"less": [ADA, BOB], "more": [ADA, ADA, ADA, BOB], "others": [ADA, ADA, CLEO]}.items()
    }

    assert found == dict.fromkeys(found, dict.fromkeys(KINDS))


async def test_a_list_that_renders_itself_is_acted_on_turn_by_turn(page: Page, serve: Serve) -> None:
    await opened(page, serve, LIST)
    await page.evaluate(
        """(() => { let turn = 0; const again = () => render('plain', ['Ada', 'Bob', 'Cleo'].map((name) => (
        {name, more: `12:00:${10 + turn++}`}))); again(); const shown = list
        const timer = setInterval(() => shown.isConnected ? again() : clearInterval(timer), 700) })()"""
    )
    cleo = (await opens(page))[2]

    receipts = [await page.click(cleo) for _ in range(4)]

    # One that is rendered anew just while it is pressed gets no click, and the receipt says so.
    assert await page.evaluate("log.textContent") == "Cleo " * sum(each.note != ELEMENT_GONE for each in receipts)
    assert receipts[0].target == 'button "Open"'


async def test_a_list_that_is_rendered_anew_in_the_middle_of_a_click_gets_the_click_once(
    page: Page, serve: Serve
) -> None:
    await opened(page, serve, LIST)
    await show(page, "plain", [ADA, BOB, CLEO])
    bob = (await opens(page))[1]
    await page.evaluate(
        """list.addEventListener('mousemove', () => {
        render('plain', ['Dan', 'Ada', 'Bob'].map((name) => ({name}))) }, {once: true})"""
    )

    receipt = await page.click(bob)

    assert await page.evaluate("log.textContent") == "Bob "
    assert receipt.note.startswith(f"{bob} was rendered anew: it is {receipt.ref} now")


async def test_an_element_that_stands_for_another_row_now_is_not_pressed(page: Page, serve: Serve) -> None:
    await opened(page, serve, LIST)
    await show(page, "keyed", [ADA, BOB, CLEO])
    refs = await opens(page)
    await page.evaluate(
        """[...list.children].forEach((row, at) => { row.dataset.id = 10 + at;
        row.querySelector('b').textContent = ['Bob', 'Cleo', 'Dan'][at] })"""
    )

    with pytest.raises(
        StaleRef, match=rf"{refs[1]} \(button \"Open\"\) stands for another row now: .*Cleo.*, not .*Bob"
    ):
        await page.click(refs[1])

    assert await page.evaluate("log.textContent") == ""


async def test_none_is_pressed_when_another_row_says_the_same_now(page: Page, serve: Serve) -> None:
    await opened(page, serve, LIST)
    await show(page, "plain", [ADA, BOB])
    await page.evaluate("list.children[0].querySelector('button').textContent = 'Close'")
    (bob,) = await opens(page)
    await page.evaluate(
        """list.children[1].replaceWith(list.children[1].cloneNode(true));
        list.children[0].querySelector('button').textContent = 'Open';
        list.children[0].querySelector('b').textContent = 'Bob'"""
    )

    with pytest.raises(StaleRef):
        await locate(tab_of(page), bob)


async def test_an_element_whose_row_was_told_of_is_pressed(page: Page, serve: Serve) -> None:
    await opened(page, serve, LIST)
    await show(page, "keyed", [ADA, BOB, CLEO])
    refs = await opens(page)
    await page.evaluate("list.children[1].querySelector('b').textContent = 'Dan'")
    await page.snapshot()

    await page.click(refs[1])

    assert await page.evaluate("log.textContent") == "Bob "


RECYCLED = """<h1>People</h1><div id=people></div><p>That is all.</p><p id=log></p><script>
  var rows = []
  var build = (html) => {
    log.textContent = ''
    rows.forEach((row) => row.remove())
    rows = [...Array(6).keys()].map(() => {
      const row = document.createElement('div')
      row.innerHTML = html
      row.onclick = () => { log.textContent += row.record + ' ' }
      people.append(row)
      return row
    })
    draw(0)
  }
  var draw = (from) => rows.forEach((row, n) => {
    row.record = `Person ${'ABCDEFGHIJKLMNOPQRSTUVWXYZ'[from + n]}${from + n}`;
    (row.querySelector('span') ?? row).textContent = row.record
  })
</script>"""
ROWS = {
    "text before a button": "<span></span> <button>Open</button>",
    "text after a button": "<button>Open</button> <span></span>",
    "text on both sides": "Here is <span></span> <button>Open</button> <i>to be opened</i>",
    "a row that is clicked": "",
}


async def third_row(page: Page, html: str) -> str:
    """The ref of the third row of such, made anew, or of the button in it."""
    await page.evaluate(f"build({html!r})")
    refs = (await page.snapshot()).refs.values()
    return [each.ref for each in refs if each.name == "Open" or each.name.startswith("Person")][2]


@pytest.mark.parametrize("by", [1, 10], ids=["by one", "by more than are seen"])
async def test_a_row_without_a_role_that_was_given_another_record_is_not_pressed(
    page: Page, serve: Serve, by: int
) -> None:
    await opened(page, serve, RECYCLED)
    for name, html in ROWS.items():
        third = await third_row(page, html)
        await page.evaluate(f"draw({by})")

        with pytest.raises(StaleRef, match=f'stands for another row now: ".*{by + 2}.*", not ".*C2'):
            await page.click(third)

        assert await page.evaluate("log.textContent") == "", name


async def test_a_row_without_a_role_is_pressed_once_its_new_record_was_told(page: Page, serve: Serve) -> None:
    await opened(page, serve, RECYCLED)
    for name, html in ROWS.items():
        third = await third_row(page, html)
        await page.evaluate("draw(1)")
        await page.snapshot()

        told = await (page.focus(third) if "button" in html else page.click(third))
        assert told.ref == third, name

    assert await page.evaluate("log.textContent") == "Person D3 "


CHANGES = {
    "another row's": "rows[1].querySelector('span').textContent = 'Somebody else'",
    "more words": "rows[2].querySelector('span').after(' waits')",
    "more words in all": "rows.forEach((row, n) => row.prepend(n % 2 ? 'new' : 'read'))",
    "all toggled": "document.querySelectorAll('button').forEach((each) => each.textContent = 'Close')",
    "all counted": "document.querySelectorAll('button').forEach((each, n) => each.textContent = `Open (${n})`)",
    "moved": "rows[2].remove(), people.prepend(rows[2])",
}


async def test_a_row_without_a_role_whose_record_stays_is_pressed(page: Page, serve: Serve) -> None:
    await opened(page, serve, RECYCLED)
    for name, change in CHANGES.items():
        third = await third_row(page, ROWS["text before a button"])
        await page.evaluate(change)

        assert (await page.focus(third)).ref == third, name

    await page.click(third)
    assert await page.evaluate("log.textContent") == "Person C2 "

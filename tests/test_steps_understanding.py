"""Steps held against pages in a browser: what comes late is waited for, what may be several things is not."""

from __future__ import annotations

import time

import pytest

from cdp_agent.page.page import Page
from cdp_agent.steps.resolve.call import StepCall
from cdp_agent.steps.resolve.resolve import Unclear
from cdp_agent.steps.resolve.understanding import understand_step
from tests.writing import put

from .conftest import Serve

LATE = "<script>setTimeout(() => { document.body.innerHTML = '<button>Save</button>' }, 400)</script>Loading"

BETTER = """<script>setTimeout(() => document.body.append(Object.assign(document.createElement('button'),
{textContent: 'Save'})), 150)</script>"""


async def test_what_is_not_there_yet_is_waited_for(page: Page) -> None:
    await put(page, LATE)

    call = await understand_step("Click Save", page, patience_s=5)

    assert isinstance(call, StepCall)
    assert (call.tool, call.about.startswith('button "Save"')) == ("click", True)


async def test_what_fits_only_partly_is_not_acted_on_while_what_fits_better_may_come(page: Page) -> None:
    await put(page, f"<button>Save draft</button>{BETTER}")

    call = await understand_step("Click Save", page)

    assert isinstance(call, StepCall)
    assert call.about.startswith('button "Save" ')


async def test_what_fits_only_partly_is_acted_on_when_nothing_better_comes(page: Page) -> None:
    await put(page, "<button>Save draft</button>")

    call = await understand_step("Click Save", page)

    assert isinstance(call, StepCall)
    assert call.about.startswith('button "Save draft" ')


TODO = "<input class=new-todo placeholder='What needs to be done?'><input placeholder=Filter id=oldTodo>"


async def test_a_field_may_be_called_as_it_is_in_the_markup(page: Page, subtests: pytest.Subtests) -> None:
    await put(page, TODO)
    for where in ("New todo", "the New todo field", "the new todo box", "What needs to be done?"):
        with subtests.test(where):
            call = await understand_step(f"Type 'Buy milk' into {where}", page)

            assert isinstance(call, StepCall)
            assert (call.tool, call.about.startswith('textbox "What needs to be done?"')) == ("fill", True)


async def test_names_in_the_markup_that_are_the_same_are_refused(page: Page) -> None:
    await put(page, "<input class=new-todo placeholder=One><input class=new-todo placeholder=Two>")

    found = await understand_step("Type 'Buy milk' into New todo", page)

    assert str(found).startswith('2 elements may be "New todo" field: ')


@pytest.mark.new_tab
async def test_without_a_page_it_is_said_how_to_come_to_one(page: Page) -> None:
    found = await understand_step("Click Save", page)

    assert str(found) == (
        'No page is open yet: let the first step be "Open https://…", '
        "or give the address where it begins (--url; url=)."
    )


async def test_what_may_be_several_things_is_not_waited_for(page: Page) -> None:
    await put(page, "<button>Save</button><button>Save</button>")
    started = time.monotonic()

    found = await understand_step("Click Save", page, patience_s=30)

    assert str(found).startswith('2 elements may be "Save": ')
    assert time.monotonic() - started < 15


async def test_elements_of_frames_and_shadow_roots_are_told_by_their_place(page: Page, serve: Serve) -> None:
    inner = serve("<div><template shadowrootmode=open><button>Pay</button></template></div>", other_site=True)
    await page.goto(serve(f"<button>Pay</button><iframe title=Payment src='{inner}'></iframe>"))

    call = await understand_step("Click Pay in the Payment frame", page)

    assert isinstance(call, StepCall)
    await page.click(call.arguments["ref"])
    assert '- button "Pay" [focused]' in (await page.snapshot()).text.split("iframe")[1]


async def test_plain_text_is_found_when_it_is_called_a_label(page: Page) -> None:
    await put(page, "<ul><li><span>Buy milk</span><li><span>Buy bread</span></ul>")

    call = await understand_step("Double-click the 'Buy milk' label", page)

    assert isinstance(call, StepCall)
    assert (call.tool, call.arguments["count"], call.about.startswith('text "Buy milk"')) == ("click", 2, True)


async def test_a_sentence_of_several_acts_is_refused_with_its_acts(page: Page) -> None:
    await put(page, "<button>Save</button>")

    found = await understand_step("Click Open and click Save", page, patience_s=0)

    assert str(found) == (
        'Nothing on the page is "Open and click Save". If these are 2 acts, give each a line: Click Open / click Save: '
        'button "Save" (E1).'
    )


async def test_a_cell_of_plain_text_is_found_in_its_row(page: Page) -> None:
    rows = "".join(f"<tr><td>{number}<td>Ada<td>20.00<td><button>Edit</button>" for number in (11, 12, 13))
    await put(page, f"<table><tr><th>Invoice<th>Customer<th>Total<th>Act{rows}</table>")

    found = await understand_step("Click column Total in the row of Invoice 12", page, patience_s=0)

    assert isinstance(found, StepCall)
    [cell] = [each for each in (await page.find("tr:nth-child(3) td")).elements if each.text == "20.00"]
    assert found.arguments == {"ref": cell.ref}


async def test_a_tab_of_the_browser_is_told_by_its_title(page: Page) -> None:
    await put(page, "<title>Orders</title>")

    call = await understand_step("Switch to the Orders tab", page, tabs=[page])

    assert call == StepCall("manage_tabs", {"action": "switch", "tab": f"t{page.number}"})


BARE = """<h1>Sign up</h1><label>Email <input></label><label>Colour <select><option>Red<option>Blue</select></label>
<a href=#a>Prices</a><a href=#b>Help</a><p>Terms</p><a href=#c>Contact</a>
<button>Next</button><button>Save draft</button>"""


SHORT = [
    ("Next", "click", 'button "Next"'),
    ("2. Next.", "click", 'button "Next"'),
    ("The Next button", "click", 'button "Next"'),
    ("Email: a@b.c", "fill", 'textbox "Email"'),
    ("Email = a@b.c", "fill", 'textbox "Email"'),
    ("Colour: Blue", "select", 'combobox "Colour": "Red"'),
    ("Type a@b.c into Email", "fill", 'textbox "Email"'),
    ("Click the link above Terms", "click", 'link "Help"'),
    ("Click the link right before 'Terms'", "click", 'link "Help"'),
    ("Click the link below Terms", "click", 'link "Contact"'),
]


async def test_a_step_may_be_short(page: Page, subtests: pytest.Subtests) -> None:
    await put(page, BARE)
    for step, tool, about in SHORT:
        with subtests.test(step):
            call = await understand_step(step, page)

            assert isinstance(call, StepCall)
            assert (call.tool, call.about.rpartition(" (")[0]) == (tool, about)


async def test_words_without_a_verb_are_no_act_where_nothing_is_called_just_so(
    page: Page, subtests: pytest.Subtests
) -> None:
    await put(page, BARE)
    for step in ("Save", "Phone: 12", "Compare what they cost", "Sign up"):
        with subtests.test(step):
            call = await understand_step(step, page)

            assert isinstance(call, Unclear)
            assert call.why.startswith("This is not one act in words that are known")


CELLS = """<table><tr><th>Name<th>Price<th>Qty<th>Note
<tr><td>Tea | green<td>3<td><input name=qty1><td><input name=note1>
<tr><td>Milk<td><td><input name=qty2><td><input name=note2>
<tr><td><button>Rice</button><td><td><input name=qty3><td><input name=note3>
<tr><td><td><button>Add</button><td><input name=qty4><td>a|b</table>"""


FIELDS_OF_CELLS = [
    ("the Qty cell of row 1", "qty1"),
    ("the Note cell of row 1", "note1"),
    ("the Note column of 'Tea | green'", "note1"),
    ("the Qty cell of Milk", "qty2"),
    ("the Note cell of row 3", "note3"),
    ("the Qty cell of row 4", "qty4"),
]


async def test_a_bar_in_a_cell_and_empty_cells_leave_the_others_in_their_columns(
    page: Page, subtests: pytest.Subtests
) -> None:
    await put(page, CELLS)
    for cell, name in FIELDS_OF_CELLS:
        with subtests.test(cell):
            call = await understand_step(f"Type '7' into {cell}", page, patience_s=0)

            assert isinstance(call, StepCall), call
            (field,) = (await page.find(f"[name={name}]")).elements
            assert call.arguments == {"ref": field.ref, "value": "7"}
    with subtests.test("its text"):
        call = await understand_step("Click the Name cell of row 1", page, patience_s=0)

        assert isinstance(call, StepCall), call
        [found] = [each for each in (await page.find("td")).elements if each.text == "Tea | green"]
        assert call.arguments == {"ref": found.ref}


async def test_an_option_that_says_a_bar_is_one_option(page: Page) -> None:
    options = "".join(f"<option>{number} | kg" for number in range(40))
    await put(page, f"<select aria-label=Amount>{options}</select>")

    call = await understand_step("Select '7 | kg' in Amount", page, patience_s=0)

    assert isinstance(call, StepCall), call
    assert call.arguments["value"] == "7 | kg"

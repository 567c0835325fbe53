"""Options are chosen in native lists and in those that pages make themselves."""

from __future__ import annotations

import pytest

from cdp_agent.errors import InvalidArguments, NotInteractable
from cdp_agent.page.fields.select import By, select
from cdp_agent.page.page import Page
from cdp_agent.page.receipts.receipts import Outcome
from tests.acting import LOGGING, at, log, now, ref
from tests.conftest import Serve
from tests.listing import counted_from
from tests.writing import opened, show

CITIES = "['Oslo', 'Bergen', 'Stavanger', 'Trondheim']"
NATIVE = """<select aria-label=City id=s><option value=1>Oslo<option value=2>Bergen<option value=3>New Bergen
<option value=4 disabled>Moon</select>"""
SELECT_ONLY = f"""<div id=c role=combobox tabindex=0 aria-label=City aria-expanded=false aria-controls=l>Choose</div>
<ul id=l role=listbox hidden></ul><script>for (const city of {CITIES}) {{
  const item = Object.assign(document.createElement("li"), {{role: "option", textContent: city}});
  item.onclick = () => {{ c.textContent = city; l.hidden = true }};
  l.append(item)
}}
c.onclick = () => l.hidden = !l.hidden
onkeydown = ({{key}}) => {{ if (key == "Escape") l.hidden = true }}</script>"""
PORTAL = f"""<button id=c aria-haspopup=listbox aria-label=City>none</button><script>
c.onclick = () => setTimeout(() => {{
  const list = Object.assign(document.createElement("div"), {{role: "listbox"}});
  list.style = "position:absolute;top:200px;left:300px";
  for (const city of {CITIES}) {{
    const item = Object.assign(document.createElement("div"), {{role: "option", textContent: city}});
    item.onclick = () => {{ c.textContent = city; list.remove() }};
    list.append(item)
  }}
  document.body.append(list)
}}, 100)</script>"""
SUGGESTIONS = f"""<input id=c role=combobox aria-autocomplete=list aria-label=City aria-controls=l>
<ul id=l role=listbox></ul><script>c.oninput = () => setTimeout(() => {{
  l.innerHTML = "";
  for (const city of {CITIES}.filter((each) => c.value && each.toLowerCase().includes(c.value.toLowerCase()))) {{
    const item = Object.assign(document.createElement("li"), {{role: "option", textContent: city + ", Norway"}});
    item.onclick = () => {{ c.value = city; l.innerHTML = "" }};
    l.append(item)
  }}
}}, 100)</script>"""
SEARCHED = f"""<div id=c role=combobox tabindex=0 aria-label=City>Choose</div>
<div id=p hidden><input id=q><ul id=l role=listbox></ul></div><script>
const items = {CITIES};
c.onclick = () => {{ p.hidden = false; q.focus() }};
q.oninput = () => {{
  const found = items.filter((city) => q.value && city.includes(q.value));
  l.innerHTML = found.map((city) => `<li role=option>${{city}}`).join("");
}};
l.onclick = (event) => {{ c.textContent = event.target.textContent; p.hidden = true }}</script>"""
PLAIN_INPUT = SUGGESTIONS.replace(
    "role=combobox aria-autocomplete=list aria-label=City aria-controls=l", "aria-label=City"
)
WITHOUT_ROLES = f"""<div id=c tabindex=0 aria-label=City role=group style="width:200px">Pick</div>
<div id=m style="display:none;position:absolute;top:60px"></div><script>for (const city of {CITIES}) {{
  const item = Object.assign(document.createElement("div"), {{innerHTML: `<span>${{city}}</span>`}});
  item.onclick = () => {{ c.textContent = city; m.style.display = "none" }};
  m.append(item)
}}
c.onclick = () => m.style.display = "block"</script>"""
IN_A_GRID = """<textarea role=combobox aria-label=City aria-controls=l aria-expanded=true></textarea>
<div role=listbox id=l><div role=option>Oslo</div><div role=option>Bergen</div></div><div id=cells>▼</div><script>
l.onmousedown = (event) => {
  document.querySelector('textarea').value = event.target.textContent;
  l.style.display = 'none';
  cells.innerHTML = '<div>▼</div><div>▼</div>';
}</script>"""
"""Its list is shut by the press, and the page renders anew what is no list."""

BEHIND = f"""<div id=b tabindex=-1 style="position:relative;width:200px;height:40px">
<span id=t>Pick</span>
<input id=c role=combobox readonly aria-label=City aria-expanded=false aria-controls=l value=none
  style="position:absolute;inset:0;opacity:0;z-index:-1">
<input aria-hidden=true tabindex=-1 style="position:absolute;inset:0;opacity:0;z-index:-1"></div>
<ul id=l role=listbox hidden></ul><script>for (const city of {CITIES}) {{
  const item = Object.assign(document.createElement("li"), {{role: "option", textContent: city}});
  item.onclick = () => {{ c.value = t.textContent = city; l.hidden = true }};
  l.append(item)
}}
b.onmousedown = () => l.hidden = !l.hidden</script>"""
UNFOLDING = f"""<style>@keyframes unfold {{ from {{ transform: scaleX(0) }} }}
#l {{ animation: unfold 0.4s steps(1) }}</style>
<div id=c role=combobox tabindex=0 aria-label=City>Choose</div>
<div id=l role=listbox tabindex=-1 hidden style="overflow:auto;width:200px"></div>
<script>for (const city of {CITIES}) {{
  const item = Object.assign(document.createElement("div"), {{role: "option", textContent: city}});
  item.onclick = () => {{ c.textContent = city; l.hidden = true }};
  l.append(item)
}}
c.onclick = () => l.hidden = false</script>"""
PASSED_THROUGH = f"""<div id=b role=combobox style="width:200px;height:40px"><span id=t>Pick</span>
<input id=c role=combobox readonly aria-label=City aria-controls=l value=none style="pointer-events:none"></div>
{BEHIND[BEHIND.index("<ul") :]}"""
HIGHLIGHTS = f"""<div id=b><span id=t></span><input id=c aria-label=City></div>
<ul id=l role=listbox aria-multiselectable=true style="margin:0" hidden></ul><script>for (const city of {CITIES}) {{
  const item = Object.assign(document.createElement("li"), {{role: "option", textContent: city}});
  item.ariaSelected = "false";
  item.onmousemove = () => {{ for (const each of l.children) each.ariaSelected = String(each === item) }};
  item.onclick = () => {{ t.textContent += city; item.remove() }};
  l.append(item)
}}
c.onfocus = () => l.hidden = false</script>"""
VIRTUAL = """<div id=c role=combobox tabindex=0 aria-label=City>Choose</div>
<div id=l role=listbox style="display:none;height:100px;overflow:auto">
<div id=m style="height:20000px;position:relative"></div></div>
<script>const draw = () => {
  m.innerHTML = "";
  const first = Math.floor(l.scrollTop / 20);
  for (let i = first; i < first + 8; i++) {
    const item = Object.assign(document.createElement("div"), {role: "option", textContent: "Item " + i});
    item.style = `position:absolute;height:20px;top:${i * 20}px`;
    item.onclick = () => { c.textContent = item.textContent; l.style.display = "none" };
    m.append(item)
  }
};
l.onscroll = draw; c.onclick = () => { l.style.display = "block"; draw() }</script>"""
SCROLLED_TO = (
    VIRTUAL.replace("20000px", "800px")
    .replace("first + 8", "Math.min(first + 8, 40)")
    .replace("draw() }", "l.scrollTop = 20 * %d; draw() }")
)
FILTERS_BY_CODE = """<input id=c role=combobox aria-label=City aria-controls=l>
<div id=l role=listbox style="display:none;height:100px;overflow:auto"><div id=m style="position:relative"></div></div>
<span id=t></span><script>const draw = () => {
  m.style.height = c.value ? "20px" : "20000px";
  m.innerHTML = "";
  if (c.value) return m.innerHTML = "<div role=option>Nothing found</div>";
  const first = Math.floor(l.scrollTop / 20);
  for (let i = first; i < first + 8; i++) {
    const item = Object.assign(document.createElement("div"), {role: "option", textContent: "Item " + i});
    item.style = `position:absolute;height:20px;top:${i * 20}px`;
    item.onclick = () => { t.textContent = item.textContent; l.style.display = "none" };
    m.append(item)
  }
};
l.onscroll = draw;
c.oninput = () => setTimeout(draw, 700);
c.onclick = () => { l.style.display = "block"; draw() }</script>"""
IN_SLOTS = """<x-select><x-option>Oslo</x-option><x-option>Bergen</x-option></x-select><span id=t></span><script>
customElements.define("x-option", class extends HTMLElement {
  connectedCallback() {
    this.attachShadow({mode: "open"}).innerHTML = "<li role=option style='display:block'><slot></slot></li>";
    this.onclick = () => t.textContent += this.textContent;
  }
});
customElements.define("x-select", class extends HTMLElement {
  connectedCallback() {
    this.attachShadow({mode: "open"}).innerHTML = `<div style="position:relative">
      <input role=combobox readonly aria-label=City aria-expanded=false aria-controls=l><b></b></div>
      <ul id=l role=listbox aria-multiselectable=true hidden><slot></slot></ul>`;
    const [field, cover] = this.shadowRoot.firstElementChild.children;
    field.onclick = () => { this.shadowRoot.lastElementChild.hidden = false; field.ariaExpanded = "true";
      cover.style = "position:absolute;inset:0;background:#fff" };
  }
})</script>"""
LIST_BOX = """<ul role=listbox aria-label=City tabindex=0 aria-multiselectable=true>
<li role=option aria-selected=false>Oslo
<li role=option aria-selected=true>Bergen</ul><script>
for (const each of document.querySelectorAll("li"))
  each.onclick = () => each.ariaSelected = each.ariaSelected != "true"</script>"""

TICKS = """<div id=c role=combobox tabindex=0 aria-label=City onclick="l.hidden = false">Some</div>
<div id=l role=listbox hidden><x-option role=option>Oslo</x-option><x-option role=option>Bergen</x-option></div><script>
for (const each of document.querySelectorAll("x-option"))
  each.attachShadow({mode: "open"}).innerHTML = "<label><input type=checkbox><slot></slot></label>"</script>"""


async def test_select_says_what_may_be_meant_in_all_of_a_list_that_holds_what_is_seen(sheet: Page) -> None:
    await show(sheet, SCROLLED_TO % 10)

    with pytest.raises(InvalidArguments) as refused:
        await select(await at(sheet, "City"), "tem 3")

    names = ", ".join(f'"Item {number}"' for number in (3, *range(30, 40)))
    assert f'has 11 options with "tem 3": {names}. Give the whole text of one.' in str(refused.value)


async def test_select_several(sheet: Page) -> None:
    await show(sheet, NATIVE.replace("<select", "<select multiple"))

    assert now(await select(await at(sheet, "City"), ["Oslo", "New Bergen"])) == Outcome("Oslo, New Bergen")


async def test_options_that_a_press_moves_from_the_list_to_what_is_chosen(sheet: Page) -> None:
    await show(sheet, MOVES_CHOICES)
    city = await at(sheet, "City")

    await select(city, "Bergen")
    await select(city, "Oslo")

    assert await sheet.evaluate("t.textContent") == "Pick BergenOslo"


async def test_select_waits_for_an_option(sheet: Page) -> None:
    await show(sheet, f"{NATIVE}<script>setTimeout(() => s.add(new Option('Paris')), 200)</script>")

    assert now(await select(await at(sheet, "City"), "Paris")) == Outcome("Paris")


async def test_select_says_what_to_do_instead(sheet: Page, subtests: pytest.Subtests) -> None:
    for content, message in NO_LISTS:
        with subtests.test(message):
            first = await show(sheet, content)

            with pytest.raises(NotInteractable) as refused:
                await select(await at(sheet, "City"), "Oslo")

            assert (refused.value.why, counted_from(first, str(refused.value))) == ("wrong_element", message)


async def test_a_choice_that_the_page_undoes_until_it_is_at_rest_is_an_error(sheet: Page) -> None:
    # After the timers that are waited for, however late these are.
    change = "const later = n => setTimeout(() => { if (n) later(n - 1); else this.selectedIndex = 0 }); later(4)"
    await show(sheet, f"<select aria-label=City onchange='{change}'><option>Rome<option>Oslo</select>")

    with pytest.raises(InvalidArguments, match=r'"City" shows "Rome", not "Oslo": the page changed it since\.'):
        await sheet.select(await ref(sheet, "City"), "Oslo")


async def test_a_choice_that_the_page_undoes_at_once_is_an_error(sheet: Page) -> None:
    change = "this.selectedIndex = 0"
    await show(sheet, f"<select aria-label=City onchange='{change}'><option>Rome<option>Oslo</select>")

    with pytest.raises(InvalidArguments, match=r'shows "Rome", not "Oslo": the page changed it since\.'):
        await sheet.select(await ref(sheet, "City"), "Oslo")


async def test_a_list_that_does_what_is_chosen_and_goes_back_tells_both(sheet: Page) -> None:
    adds = "out.textContent = `Where ${value}`; selectedIndex = 0"
    await show(sheet, f'<select aria-label=Filter onchange="{adds}"><option><option>Price</select><p id=out></p>')
    at = await ref(sheet, "Filter")

    with pytest.raises(InvalidArguments) as failed:
        await sheet.select(at, "Price")

    assert str(failed.value) == (
        f'Combobox {at} "Filter" shows "", not "Price": the page changed it since.'
        " What changed all the same: + paragraph: Where Price"
    )


async def test_a_receipt_tells_once_what_was_selected(sheet: Page, subtests: pytest.Subtests) -> None:
    other = "<select id=f hidden size=2 aria-label=Faiths><option selected>None</select>"
    other += "<style>select:focus { border-color: red }</style>"
    for what, (after, changed) in AFTERWARDS.items():
        with subtests.test(what):
            options = "<optgroup label=Here><option>Oslo<option>Bergen"
            first = await show(sheet, f'<select aria-label=City onchange="{after}">{options}</select>{other}')

            receipt = await sheet.select(await ref(sheet, "City"), "Bergen")

            assert receipt.value == "Bergen"
            assert [counted_from(first, each) for each in receipt.changed] == changed


async def test_a_field_with_suggestions_says_which_when_it_is_clicked(sheet: Page) -> None:
    await show(sheet, "<input list=d aria-label=City><datalist id=d><option value=OSL label=Oslo><option>Bergen")

    receipt = await sheet.click(await ref(sheet, "City"))

    assert receipt.note == 'it suggests "Oslo", "Bergen"'


async def test_several_of_a_list_that_is_a_dialog_of_boxes_to_tick(sheet: Page) -> None:
    """It covers its control until it is closed, and no attribute says whose it is."""
    await show(
        sheet,
        """<!doctype html><button id=b aria-haspopup=dialog aria-expanded=false>Extras</button>
<dialog id=d><button role=checkbox>Bag</button><button role=checkbox>Meal</button></dialog>
<script>b.onclick = () => { d.showModal(); b.ariaExpanded = true }
d.onclick = ({ target }) => { target.ariaChecked = target.ariaChecked != "true" }</script>""",
    )

    receipt = await sheet.select(await ref(sheet, "Extras"), ["Bag", "Meal"])

    assert receipt.note == '"Bag" was clicked; "Meal" was clicked'
    assert await sheet.evaluate("[...d.children].map((each) => each.ariaChecked)") == ["true", "true"]


CHOSEN: list[tuple[str | int, By, Outcome]] = [
    ("Bergen", "text", Outcome("Bergen")),
    ("bergen", "text", Outcome("Bergen")),
    ("new", "text", Outcome("New Bergen")),
    ("oslo", "text", Outcome("Oslo", "it was chosen before")),
    ("3", "value", Outcome("New Bergen")),
    (1, "index", Outcome("Bergen")),
]


async def test_select_in_a_native_list(page: Page, serve: Serve, subtests: pytest.Subtests) -> None:
    await opened(page, serve, LOGGING)
    for option, by, outcome in CHOSEN:
        with subtests.test(option=option, by=by):
            await show(page, NATIVE)

            assert now(await select(await at(page, "City"), option, by=by)) == outcome
            assert await log(page) == ([] if outcome.note else ["input s", "change s"])


async def test_select_in_a_list_whose_options_stand_in_slots(page: Page, serve: Serve) -> None:
    """And whose field is covered by what was chosen, while the list is open."""
    await opened(page, serve, IN_SLOTS)

    await select(await at(page, "City"), ["Oslo", "Bergen"])

    assert await page.evaluate("t.textContent") == "OsloBergen"


async def test_options_with_boxes_to_tick_are_chosen_where_those_are_ticked(page: Page, serve: Serve) -> None:
    await page.goto(serve(TICKS))
    field = await at(page, "City")

    first = now(await select(field, ["Oslo", "Bergen"]))
    second = now(await select(field, "Oslo"))

    assert (first.note, second.note) == ('"Oslo" was clicked; "Bergen" was clicked', '"Oslo" was chosen before')


MOVES_CHOICES = """<div id=c role=combobox tabindex=0 aria-label=City><p id=t>Pick </p>
<div id=l role=listbox aria-multiselectable=true hidden></div></div><script>
const options = ['Oslo', 'Bergen', 'Moss'], render = () => l.innerHTML = options.map((each, i) =>
  `<div role=option ${i ? '' : 'class=is-highlighted aria-selected=true'}>${each}</div>`).join('');
c.onfocus = () => l.hidden = false
l.onmousedown = ({target}) => {
  options.splice(options.indexOf(target.textContent), 1); t.append(target.textContent); render() }
render()</script>"""


async def test_an_option_that_the_mouse_is_over_was_not_chosen_before(page: Page, serve: Serve) -> None:
    await opened(page, serve, f"<!doctype html><body style='margin:0'>{HIGHLIGHTS}")
    field = await at(page, "City")

    await select(field, "Bergen")
    below = now(await select(field, "Stavanger"))

    assert below == Outcome(note='"Stavanger" was clicked')
    assert await page.evaluate("t.textContent") == "BergenStavanger"


SUGGESTED = "<input list=d aria-label=City><datalist id=d><option value=OSL label=Oslo><option value=BGO></datalist>"
LISTS = {
    "select-only combobox": (SELECT_ONLY, "Stavanger", Outcome("Stavanger")),
    "a list at the end of the page, later": (PORTAL, "bergen", Outcome("Bergen")),
    "suggestions": (SUGGESTIONS, "Bergen", Outcome("Bergen", '"Bergen, Norway" was clicked')),
    "a search field in the list": (SEARCHED, "Bergen", Outcome("Bergen")),
    "suggestions for a plain field": (PLAIN_INPUT, "Bergen", Outcome("Bergen", '"Bergen, Norway" was clicked')),
    "without roles": (WITHOUT_ROLES, "Bergen", Outcome("Bergen")),
    "shut by the press": (IN_A_GRID, "Bergen", Outcome("Bergen")),
    "behind what draws it": (BEHIND, "Bergen", Outcome("Bergen")),
    "in what gets its clicks": (PASSED_THROUGH, "Bergen", Outcome("Bergen")),
    "a list that unfolds": (UNFOLDING, "Bergen", Outcome("Bergen")),
    "only what is seen is there": (VIRTUAL, "Item 20", Outcome("Item 20")),
    "one is seen that begins so": (SCROLLED_TO % 23, "Item 3", Outcome("Item 3")),
    "several are seen that begin so": (SCROLLED_TO % 20, "Item 2", Outcome("Item 2")),
    "another one is written so but for its case": (SCROLLED_TO % 29, "item 3", Outcome("Item 3")),
    "the only one of all that has it": (SCROLLED_TO % 0, "tem 27", Outcome("Item 27")),
    "filtered by what it does not show": (FILTERS_BY_CODE, "Item 20", Outcome(note='"Item 20" was clicked')),
    "list box": (LIST_BOX, "Oslo", Outcome("Oslo, Bergen")),
    "chosen before": (LIST_BOX, "Bergen", Outcome("Bergen", '"Bergen" was chosen before')),
    "datalist": ("<input list=d aria-label=City><datalist id=d><option>Oslo</datalist>", "Oslo", Outcome("Oslo")),
    "what a suggestion stands for": (SUGGESTED, "oslo", Outcome("OSL")),
    "no suggestion": (SUGGESTED, "Paris", Outcome("Paris", 'none of its suggestions is meant by that: "Oslo", "BGO"')),
}


async def test_select_in_a_list_of_the_page(page: Page, serve: Serve, subtests: pytest.Subtests) -> None:
    await opened(page, serve, "<!doctype html><body>")
    for which, (content, option, outcome) in LISTS.items():
        with subtests.test(which):
            await show(page, content)

            assert now(await select(await at(page, "City"), option)) == outcome


UNKNOWN: list[tuple[str, str | list[str], str]] = [
    (
        NATIVE,
        "Paris",
        'Combobox E1 "City" has no option with the text "Paris". It has "Oslo", "Bergen", "New Bergen", "Moon".',
    ),
    (
        NATIVE,
        "er",
        'Combobox E1 "City" has 2 options with "er": "Bergen", "New Bergen". Give the whole text of one.',
    ),
    (NATIVE, "Moon", 'Combobox E1 "City" has the option "Moon" disabled.'),
    (NATIVE, ["Oslo", "Bergen"], 'Combobox E1 "City" takes one option, not several.'),
    (
        SELECT_ONLY,
        "Paris",
        'Combobox E1 "City" has no option with the text "Paris". It has "Oslo", "Bergen", "Stavanger", "Trondheim".',
    ),
    (
        SUGGESTIONS,
        "Zzz",
        'Combobox E1 "City" showed no options for "Zzz": look at a new snapshot of what is there.',
    ),
]


async def test_select_lists_the_options_there_are(page: Page, serve: Serve, subtests: pytest.Subtests) -> None:
    await page.goto(serve(""))
    for content, option, message in UNKNOWN:
        with subtests.test(message):
            first = await show(page, content)

            with pytest.raises(InvalidArguments) as refused:
                await select(await at(page, "City"), option)

            assert counted_from(first, str(refused.value)) == message
            assert await page.evaluate("!window.l?.children.length || l.hidden")  # it is shut again


NO_LISTS = [
    (
        "<div role=radiogroup aria-label=City tabindex=0><input type=radio><input type=radio></div>",
        'Radiogroup E1 "City" is no list to select from: it is made of radio buttons: use check on one of them.',
    ),
    ("<textarea aria-label=City></textarea>", 'Textbox E1 "City" is no list to select from: fill it with text.'),
    ("<button role=tab>City</button>", 'Tab E1 "City" is no list to select from: click the tab.'),
]


AFTERWARDS: dict[str, tuple[str, list[str]]] = {
    "only the choice": ("", []),
    "an option came": ("this.add(new Option('Moss'))", ['+ - option "Moss"']),
    "another list": (
        "f.hidden = false",
        ['+ - listbox "Faiths" [ref=E2]', '+   - option "None" [selected] [ref=E3]'],
    ),
}


DRAWN = "<style>select, ::picker(select) { appearance: base-select }</style>" + NATIVE


async def test_an_open_list_whose_options_the_page_draws_has_them_to_be_clicked(page: Page, serve: Serve) -> None:
    await opened(page, serve, f"<!doctype html>{DRAWN}")

    clicked = await page.click(await ref(page, "City"))
    text = (await page.snapshot()).text
    await page.click(await ref(page, "Bergen"))

    assert clicked.note == ""
    assert text.split("\n")[:2] == [
        '- combobox "City" [expanded] [ref=E1]: Oslo',
        '  - option "Oslo" [selected] [focused] [ref=E2]',
    ]
    assert (await page.snapshot()).text.split("\n")[0] == '- combobox "City" [focused] [ref=E1]: Bergen'


IN_THE_CONTROL = """<!doctype html><style>#c, li { cursor: pointer } ul { opacity: 0; pointer-events: none }
.open ul { opacity: 1; pointer-events: auto }</style>
<div id=c tabindex=0><div id=now>Oslo</div><ul><li>Oslo<li>Bergen<li>Stavanger</ul></div><script>
document.onclick = (event) => {
  if (event.target.closest("li")) now.textContent = event.target.textContent;
  c.classList.toggle("open");
}</script>"""


async def test_select_in_a_list_that_is_in_its_control_and_only_transparent_before(page: Page, serve: Serve) -> None:
    await opened(page, serve, IN_THE_CONTROL)
    [control] = (await page.snapshot()).refs

    receipt = await page.select(control, "Bergen")

    assert receipt.value == "Bergen"
    with pytest.raises(InvalidArguments, match='It has "Oslo", "Bergen", "Stavanger"'):
        await page.select(control, "Oxford")


async def test_items_that_open_in_what_is_clicked_have_refs_while_they_take_clicks(page: Page, serve: Serve) -> None:
    await opened(page, serve, IN_THE_CONTROL)
    [control] = (await page.snapshot()).refs

    await page.click(control)

    assert (
        (await page.snapshot()).text
        == """\
- generic [focused] [ref=E1]: Oslo
  - list:
    - listitem [ref=E2]: Oslo
    - listitem [ref=E3]: Bergen
    - listitem [ref=E4]: Stavanger"""
    )

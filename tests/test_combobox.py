"""Fields with a list of their own: what is filled in is one of its options, or stays without being one.

The page below is like react-select with `beside`, MUI's Autocomplete with `strict` and as freeSolo without, and the
creatable lists of react-select with `creates`.
"""

from __future__ import annotations

import pytest

from cdp_agent.errors import ActionError, InvalidArguments, NotInteractable
from cdp_agent.page.page import Page
from tests.acting import ref
from tests.conftest import Serve
from tests.writing import opened, show

BOX = """<input id=c role=combobox aria-autocomplete=list aria-label=Country aria-controls=l aria-expanded=false>
<b id=b></b><ul id=l role=listbox hidden></ul><button>Send</button><script>
var all = ["Norway", "Sweden", "Niger", "Nigeria"], late = 0, strict = true, beside = false, creates = false;
var value = "", before = "";
var open = (names) => setTimeout(() => {
  l.replaceChildren(...names.map((name) => {
    const item = Object.assign(document.createElement("li"), { role: "option", textContent: name });
    item.onmousedown = (event) => event.preventDefault();
    item.onclick = () => choose(name);
    return item;
  }));
  l.hidden = !names.length;
  c.ariaExpanded = String(!l.hidden);
}, late);
var choose = (name) => { value = name.replace(/^Create "(.*)"$/, "$1"); l.hidden = true; c.ariaExpanded = "false";
  if (beside) { b.textContent = value; c.value = "" } else c.value = value };
var matching = () => {
  const names = all.filter((name) => name.toLowerCase().includes(c.value.toLowerCase()));
  return creates && c.value && !all.includes(c.value) ? [...names, `Create "${c.value}"`] : names;
};
c.oninput = () => open(matching());
c.onclick = () => open(matching());
c.onkeydown = ({ key }) => { if (key === "Escape") l.hidden = true };
c.onblur = () => { l.hidden = true; if (strict && c.value !== value) c.value = beside ? "" : value };
</script>"""


def box(**settings: object) -> str:
    """The page with other settings of its script, such as `strict`: only what the list has is kept."""
    changed = "".join(f"{name} = {str(value).lower()};" for name, value in settings.items())
    return f"<!doctype html>{BOX}<script>{changed}</script>"


LINKS = box().replace("item.onclick = () => choose(name)", 'item.innerHTML = `<a href="#${name}">${name}</a>`')
TAKEN = {
    "what is in its list": (box(), "Norway"),
    "in other letters": (box(), "norway"),
    "though another begins so": (box(), "Niger"),
    "shown beside it": (box(beside=True), "Norway"),
    "the list comes late": (box(late=700), "Sweden"),
    "the field clears itself a while after": (
        box()
        .replace("c.onblur = () => {", "c.onblur = () => setTimeout(() => {")
        .replace('beside ? "" : value };', 'beside ? "" : value }, 150);'),
        "Sweden",
    ),
}


async def test_the_option_is_chosen_that_is_written_so(page: Page, serve: Serve, subtests: pytest.Subtests) -> None:
    await opened(page, serve, "")
    for what, (content, text) in TAKEN.items():
        with subtests.test(what):
            await show(page, content)

            receipt = await page.fill(await ref(page, "Country"), text)
            await page.click(await ref(page, "Send"))

            assert await page.evaluate("[value, c.value || b.textContent]") == [text.title()] * 2
            assert receipt.value in (text.title(), None)


LATE_CLEARING = TAKEN["the field clears itself a while after"][0]
REFUSED = {
    "not in it": (
        box(),
        "Norge",
        'is empty then. Its list has "Norway", "Sweden", "Niger", "Nigeria": choose one of these.',
    ),
    "a part of one": (box(), "Nor", 'is empty then. Its list has "Norway": choose one of these.'),
    "a part of several": (box(), "Ni", 'is empty then. Its list has "Niger", "Nigeria": choose one of these.'),
    "cleared a while after": (LATE_CLEARING, "Norge", 'is empty then. Its list has "Norway", "Sweden"'),
    "beside another": (
        box(beside=True).replace("</b>", "Sweden</b>"),
        "Norge",
        'did not keep "Norge" when it lost the focus',
    ),
    "to be created": (box(creates=True), "Norge", 'Its list has "Create \\"Norge\\""'),
}


async def test_what_does_not_stay_is_an_error_with_what_the_list_has(
    page: Page, serve: Serve, subtests: pytest.Subtests
) -> None:
    await opened(page, serve, "")
    for what, (content, text, message) in REFUSED.items():
        with subtests.test(what):
            await show(page, content)

            with pytest.raises(InvalidArguments) as refused:
                await page.fill(await ref(page, "Country"), text)

            assert message in str(refused.value)
            assert await page.evaluate("l.hidden && value") == ""


async def test_one_that_kept_another_choice_says_so(page: Page, serve: Serve) -> None:
    await opened(page, serve, box())
    country = await ref(page, "Country")
    await page.fill(country, "Sweden")

    with pytest.raises(InvalidArguments, match='did not keep "Norge" when it lost the focus, and holds "Sweden" then'):
        await page.fill(country, "Norge")


async def test_a_form_is_not_sent_without_what_its_list_did_not_take(page: Page, serve: Serve) -> None:
    await opened(page, serve, f"<form onsubmit='window.sent = true; return false'>{BOX}<input aria-label=Name></form>")

    with pytest.raises(ActionError, match='did not keep "Norge"'):
        await page.fill_form({await ref(page, "Name"): "Ada", await ref(page, "Country"): "Norge"}, submit=True)
    await page.fill_form({await ref(page, "Country"): "Norway", await ref(page, "Name"): "Ada"}, submit=True)

    assert await page.evaluate("[sent, value]") == [True, "Norway"]


KEPT = {
    "any text": (box(strict=False), "Norge", ""),
    "a part of an option": (box(strict=False), "Nig", 'its list offers "Niger", "Nigeria"'),
    "a search": (box(strict=False).replace("Country", "'Search Country'"), "Norway", ""),
    "a search in another language": (box(strict=True).replace("Country", "'Pakete durchsuchen'"), "Atlantis", ""),
    "a search for something": (box(strict=False).replace("<input", "<search><input"), "Norway", ""),
    "options that are links": (LINKS.replace("strict = true", "strict = false"), "Norway", ""),
}


async def test_a_field_that_takes_any_text_keeps_it(page: Page, serve: Serve, subtests: pytest.Subtests) -> None:
    await opened(page, serve, "")
    for what, (content, text, note) in KEPT.items():
        with subtests.test(what):
            await show(page, content)

            receipt = await page.fill((await page.find("#c")).elements[0].ref, text)

            assert (receipt.value, receipt.note) == (text, note)
            assert await page.evaluate("[c.value, value, location.hash]") == [text, "", ""]


MADE = " was clicked, an option that the list makes of any text"
CREATED = r'"Create \"Norge\""' + MADE
CREATES = {
    "in the field": (box(creates=True), "Norge", "Norge", CREATED),
    "beside it": (box(creates=True, beside=True), "Norge", "Norge", CREATED),
    "one of that name is there": (box(creates=True), "Norway", "Norway", ""),
    "one of that name comes with a request": (box(creates=True, late=300), "Sweden", "Sweden", ""),
    "one begins so": (box(creates=True), "Nor", "Norway", ""),
    "an option of what is typed, without more": (
        box(creates=True).replace('`Create "${c.value}"`', "c.value"),
        "Norge",
        "Norge",
        '"Norge"' + MADE,
    ),
}


async def test_what_is_typed_is_created_only_where_nothing_is_written_so(
    page: Page, serve: Serve, subtests: pytest.Subtests
) -> None:
    await opened(page, serve, "")
    for what, (content, text, value, note) in CREATES.items():
        with subtests.test(what):
            await show(page, content)

            receipt = await page.select(await ref(page, "Country"), text)

            told = "" if receipt.note == f'"{value}" was clicked' else receipt.note
            assert (await page.evaluate("value"), told) == (value, note)


UNTAKEN = {
    "an option that ignores clicks": box().replace("choose(name);", "{};"),
    "a choice that is undone": box().replace("else c.value = value };", "else c.value = '' };"),
    "one that is undone on blur": box().replace("else c.value = value };", "else c.value = name; value = '' };"),
    "one that is undone by a timer": box().replace(
        "else c.value = value };", "else { c.value = name; setTimeout(() => c.value = '', 20) } };"
    ),
    "another one": box().replace("value = name.replace(", 'name = "Sweden"; value = name.replace('),
}


async def test_a_choice_that_does_not_stay_is_an_error(page: Page, serve: Serve, subtests: pytest.Subtests) -> None:
    await opened(page, serve, "")
    for what, content in UNTAKEN.items():
        with subtests.test(what):
            await show(page, content)

            with pytest.raises((NotInteractable, InvalidArguments), match=r'did not take "Niger"|not "Niger"'):
                await page.select(await ref(page, "Country"), "Niger")


GROUPED = """<!doctype html>
<div id=c role=combobox tabindex=0 aria-label=Size aria-expanded=false aria-controls=l>-</div>
<div id=l role=listbox hidden>
<div role=group aria-label=Shirts><div role=option>Small</div><div role=option>Large</div></div>
<div role=group aria-label=Shoes><div role=option data-value=9>Small</div></div>
<div><p>Hats</p><div><div role=option>Small</div></div></div></div><script>
c.onclick = () => l.hidden = !l.hidden;
onkeydown = ({ key }) => { if (key === "Escape") l.hidden = true };
l.onclick = ({ target }) => {
  c.textContent = target.textContent;
  window.group = target.parentNode.ariaLabel ?? "Hats";
  l.hidden = true;
};
</script>"""


async def test_options_of_the_same_text_are_told_apart_by_their_groups(page: Page, serve: Serve) -> None:
    await opened(page, serve, GROUPED)
    size = await ref(page, "Size")

    with pytest.raises(InvalidArguments) as refused:
        await page.select(size, "Small")
    await page.select(size, "Shoes > Small")

    told = 'has 3 options "Small": in "Shirts", index 0; in "Shoes", value "9", index 2; in "Hats", index 3. Use value'
    assert told in str(refused.value)
    assert await page.evaluate("group") == "Shoes"
    await page.select(size, "3", by="index")
    assert await page.evaluate("group") == "Hats"


@pytest.mark.parametrize("by", ["its button", "Enter"])
async def test_what_is_chosen_from_the_list_is_sent(page: Page, serve: Serve, by: str) -> None:
    form = "<form onsubmit='window.sent = value; return false'><input"
    content = box(strict=True).replace("<input", form, 1)
    await opened(page, serve, content if by == "its button" else content.replace("<button>Send</button>", ""))

    receipt = await page.fill(await ref(page, "Country"), "norway", submit=True)

    assert await page.evaluate("window.sent") == "Norway"
    assert ('button "Send" was clicked' in receipt.note) == (by == "its button")
    with pytest.raises(InvalidArguments, match="did not keep"):
        await page.fill(await ref(page, "Country"), "Norge", submit=True)

"""Several fields are filled in as one action, and told as one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from cdp_agent.errors import ActionError, InvalidArguments, NotInteractable, StaleRef
from cdp_agent.page.fields import form
from cdp_agent.page.page import Page, tab_of
from cdp_agent.page.receipts.receipts import FilledField
from cdp_agent.page.tab.settings import PageSettings
from tests.acting import ref
from tests.conftest import Serve
from tests.writing import opened

FORM = """<!doctype html><form><input aria-label=Name><textarea aria-label=Note></textarea>
<select aria-label=Country><option>-<option>Norway<option>Sweden</select>
<label><input type=checkbox>Terms</label><label><input type=checkbox checked>News</label>
<label><input type=radio name=p>Card</label><label><input type=radio name=p>Invoice</label>
<div role=switch tabindex=0 aria-checked=false aria-label=Dark
  onclick="this.ariaChecked = this.ariaChecked !== 'true'">D</div>
<button type=button role=combobox aria-label=Size aria-expanded=false aria-controls=list
  onclick="list.hidden = false" id=s>S</button>
<ul id=list role=listbox hidden><li role=option onclick="size(this)">S<li role=option onclick="size(this)">XL</ul>
<input role=combobox readonly aria-label=City aria-expanded=false aria-controls=cities
  onclick="cities.hidden = false" id=c>
<ul id=cities role=listbox hidden><li role=option onclick="c.value = 'Oslo'; cities.hidden = true">Oslo
<li role=option>Rome</ul>
<button>Send</button></form><script>var size = (it) => { s.textContent = it.textContent; list.hidden = true };
var held = () => [...document.querySelectorAll("input,textarea,select")].map(
  (each) => each.type === "checkbox" || each.type === "radio" ? each.checked : each.value).join()
  + document.querySelector("[role=switch]").ariaChecked + s.textContent</script>"""


async def refs(page: Page, **values: str) -> dict[str, str]:
    return {await ref(page, name): value for name, value in values.items()}


async def test_fields_of_every_kind_are_filled_in_one_action(page: Page, serve: Serve) -> None:
    await opened(page, serve, FORM)
    values = await refs(
        page,
        Name="Ada",
        Note="a\nb",
        Country="Norway",
        Terms="on",
        News="off",
        Invoice="on",
        Dark="yes",
        Size="XL",
        City="Oslo",
    )

    receipt = await page.fill_form(values)

    assert await page.evaluate("held()") == "Ada,a\nb,Norway,true,false,false,true,OslotrueXL"
    assert receipt.detail == "9 fields"
    assert [each.ref for each in receipt.fields] == list(values)
    assert [each.value for each in receipt.fields] == ["Ada", "a\nb", "Norway", None, None, None, None, "XL", "Oslo"]
    assert not any(each.note for each in receipt.fields)
    told = {line.rpartition(" (")[2] for line in receipt.changed}
    assert told == {"now [checked])", "no longer [checked])"}  # each value stands in `fields`
    assert receipt.text.startswith(f'filled 9 fields\n{next(iter(values))} textbox "Name": "Ada"\n')


async def test_a_radio_button_may_be_named_by_another_of_its_group(page: Page, serve: Serve) -> None:
    await opened(page, serve, FORM)

    await page.fill_form(await refs(page, Card="Invoice"))

    assert "false,true" in str(await page.evaluate("held()"))


MISFITS: list[tuple[dict[str, str], type[ActionError], str]] = [
    ({"Name": "Ada", "Terms": "maybe"}, InvalidArguments, "It takes true or false."),
    ({"Name": "Bo", "Card": "Cash"}, InvalidArguments, 'It has "Card", "Invoice", and nothing else.'),
    ({"Name": "Cy", "Country": "Oz"}, InvalidArguments, 'no option with the text "Oz"'),
    ({"Name": "Dee", "Send": "x"}, NotInteractable, "cannot be filled in"),
]


async def test_a_value_that_does_not_fit_is_told_with_what_was_filled_before_it(
    page: Page, serve: Serve, subtests: pytest.Subtests
) -> None:
    await opened(page, serve, FORM)
    for values, kind, says in MISFITS:
        with subtests.test(says):
            given = await refs(page, **values)

            with pytest.raises(kind) as refused:
                await page.fill_form(given)

            assert str(refused.value).startswith(f"Filled before that: {next(iter(given))}. ")
            assert says in str(refused.value)
            assert await page.evaluate("document.querySelector('input').value") == values["Name"]


async def test_where_one_is_not_there_nothing_is_filled(page: Page, serve: Serve) -> None:
    await opened(page, serve, FORM)

    with pytest.raises(StaleRef, match="There is no E99"):
        await page.fill_form(await refs(page, Name="Ada") | {"E99": "x"})

    assert await page.evaluate("document.querySelector('input').value") == ""


CHANGES_ONE = """<!doctype html><input aria-label=A><input aria-label=B id=b><input aria-label=C><p id=p></p>
<ul><li>1<li>2<li>3<li>4</ul>
<script>document.querySelectorAll("input")[2].onchange = document.querySelectorAll("input")[2].oninput =
() => setTimeout(() => {{ b.value = "{}"; p.textContent = "seen" }}, 40)</script>"""


async def test_what_the_page_makes_of_it_is_told_of_each_field(page: Page, serve: Serve) -> None:
    await opened(page, serve, CHANGES_ONE.format("BO"))
    a, b, c = [*await refs(page, A="", B="", C="")]

    receipt = await page.fill_form({a: "long", b: "Bo", c: "y"})

    assert receipt.fields == [
        FilledField(a, 'textbox "A"', "long"),
        FilledField(b, 'textbox "B"', "BO", 'the page changed it since: it held "Bo"'),
        FilledField(c, 'textbox "C"', "y"),
    ]
    assert receipt.changed == ["+ - paragraph: seen"]


async def test_what_did_not_stay_in_a_field_while_others_were_filled_is_an_error(page: Page, serve: Serve) -> None:
    await opened(page, serve, CHANGES_ONE.format("B!"))

    with pytest.raises(InvalidArguments, match=r'Textbox E\d+ "B" holds "B!", not "Bo".'):
        await page.fill_form(await refs(page, A="long", B="Bo", C="y"))


async def test_a_field_that_depends_on_the_one_before_is_waited_for_and_found_anew(page: Page, serve: Serve) -> None:
    await opened(
        page,
        serve,
        """<!doctype html><select aria-label=Country id=c><option>-<option>Norway</select>
            <div id=d><input aria-label=City name=city disabled></div><script>c.onchange = () => setTimeout(() => {
            d.innerHTML = "<input aria-label=City name=city>"; d.querySelector("input").focus() }, 20)</script>""",
    )

    receipt = await page.fill_form(await refs(page, Country="Norway", City="Oslo"))

    assert await page.evaluate("document.querySelector('input').value") == "Oslo"
    assert "rendered anew" in receipt.fields[1].note


async def test_a_page_that_goes_elsewhere_meanwhile_is_told_with_what_is_left(page: Page, serve: Serve) -> None:
    there = serve("<!doctype html><title>There</title>")
    await opened(
        page,
        serve,
        f"<!doctype html><input aria-label=A oninput=\"location = '{there}'\"><select aria-label=B></select>",
    )
    a, b = [*await refs(page, A="", B="")]

    receipt = await page.fill_form({a: "x", b: "y"})

    assert receipt.navigated_to == there
    left = [each for each in (a, b) if each not in [field.ref for field in receipt.fields]]
    assert receipt.note == f"the page went elsewhere before {', '.join(left)} {'were' if left[1:] else 'was'} done"
    assert b in left


@pytest.mark.parametrize(("last", "value"), [("Name", "Ada"), ("Dark", "on")], ids=["a control of it", "around it"])
async def test_the_form_of_the_last_field_may_be_sent(page: Page, serve: Serve, last: str, value: str) -> None:
    await opened(page, serve, FORM.replace("<form>", f"<form action={serve('<title>Sent</title>')}>"))
    given = await refs(page, News="off", **{last: value})

    receipt = await page.fill_form(given, submit=True)

    assert (receipt.title, receipt.note) == ("Sent", 'button "Send" was clicked')
    assert [each.ref for each in receipt.fields] == list(given)


async def test_where_no_button_sends_the_form_that_is_an_error(page: Page, serve: Serve) -> None:
    await opened(page, serve, "<input aria-label=Name>")

    with pytest.raises(NotInteractable, match=r'Filled before that: E1.*"Name" was filled in, but not sent: no button'):
        await page.fill_form(await refs(page, Name="Ada"), submit=True)


async def test_a_button_that_cannot_be_clicked_is_told_with_what_was_filled(
    page: Page, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tab_of(page), "settings", PageSettings(action_timeout_s=0.3))
    await opened(page, serve, "<form><input aria-label=Name><button disabled>Send</button></form>")
    given = await refs(page, Name="Ada")

    with pytest.raises(NotInteractable, match="disabled") as refused:
        await page.fill_form(given, submit=True)

    assert str(refused.value).startswith(f"Filled before that: {next(iter(given))}. ")


async def test_nothing_is_sent_where_no_field_is_given(page: Page, serve: Serve) -> None:
    await opened(page, serve, FORM)

    assert (await page.fill_form({}, submit=True)).detail == "0 fields"


FILES = """<input aria-label=Name><input type=file aria-label=CV><label>Papers<input type=file multiple hidden></label>
<select aria-label=Country><option>-<option>Norway</select>"""


async def test_file_fields_are_given_files_by_their_paths_one_a_line(page: Page, serve: Serve, tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("cv.pdf", "a.txt", "b.txt")]
    for path in paths:
        path.write_text(path.name)
    cv, *papers = map(str, paths)
    await opened(page, serve, FILES)
    label = (await page.find("label")).elements[0].ref

    receipt = await page.fill_form({**await refs(page, Name="Ada", CV=cv), label: "\n".join(papers)})

    assert [each.value for each in receipt.fields] == ["Ada", "cv.pdf", "a.txt, b.txt"]
    assert await page.evaluate("[...document.querySelectorAll('[type=file]')].map((each) => each.files.length)") == [
        1,
        2,
    ]


async def test_files_that_do_not_exist_or_may_not_be_given_are_an_error(page: Page, serve: Serve) -> None:
    def none(paths: Sequence[str]) -> Sequence[str]:
        raise InvalidArguments(f"not {paths}")

    await opened(page, serve, FILES)

    with pytest.raises(InvalidArguments, match=r"Filled before that: E\d+\. There is no file /nowhere/cv\.pdf"):
        await page.fill_form(await refs(page, Name="Ada", CV="/nowhere/cv.pdf"))
    with pytest.raises(InvalidArguments, match=r"not \['/nowhere/cv\.pdf'\]"):
        await form.fill_form(tab_of(page), await refs(page, CV="/nowhere/cv.pdf"), allowed=none)


async def test_a_list_that_a_later_field_resets_is_an_error(page: Page, serve: Serve) -> None:
    await opened(
        page,
        serve,
        FILES.replace("aria-label=Name", "aria-label=Name oninput=document.querySelector('select').value='-'"),
    )

    with pytest.raises(InvalidArguments, match='"Country" shows "-", not "Norway": the page changed it since'):
        await page.fill_form({**await refs(page, Country="Norway"), **await refs(page, Name="Ada")})

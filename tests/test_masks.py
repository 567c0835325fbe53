"""Fields that write a value their own way get it as it is meant, at a pace that they can follow; or it is told."""

from __future__ import annotations

import pytest

from cdp_agent.errors import InvalidArguments
from cdp_agent.page.page import Page
from tests.acting import ref, until_named
from tests.conftest import Serve
from tests.listing import counted_from
from tests.writing import show

FORMATTED = "the page formatted it"
OTHER_MARK = "typed with the other decimal mark, since the given one did nothing"


def field(script: str, attributes: str = "") -> str:
    return f"<input aria-label=F id=i {attributes}><p id=out></p><script>{script}</script>"


# As jquery-mask-plugin: the caret stays where it was until it is put right some time after the key.
PUTS_CARET_RIGHT = """let timer; i.oninput = () => {
  const caret = i.selectionStart, text = i.value;
  i.value = format(text.replace(/[^0-9]/g, ""));
  i.setSelectionRange(caret, caret);
  const right = i.value.length;
  clearTimeout(timer);
  if (i.value !== text) timer = setTimeout(() => i.setSelectionRange(right, right), MS);
};"""
PHONE = (
    "const format = (d) => d.length > 6 ? `(${d.slice(0, 3)}) ${d.slice(3, 6)}-${d.slice(6, 10)}`"
    " : d.length > 3 ? `(${d.slice(0, 3)}) ${d.slice(3)}` : d && `(${d}`;"
)
CARD = "const format = (d) => d.slice(0, 16).replace(/(.{4})(?=.)/g, '$1 ');"
SLOW_PHONE, SLOWER_PHONE, SLOW_CARD = (
    field(mask + PUTS_CARET_RIGHT.replace("MS", ms), "maxlength=14" if mask is PHONE else "")
    for mask, ms in ((PHONE, "10"), (PHONE, "60"), (CARD, "15"))
)
# As Inputmask's decimal alias with radixPoint ",": other marks are dropped.
GROUPS = """i.oninput = () => {
  const [whole, ...rest] = i.value.replace(/[^0-9,-]/g, "").split(",");
  i.value = [whole.replace(/(?<=[0-9])(?=([0-9]{3})+$)/g, "."), ...rest].join(",");
}"""
COMMA = field(GROUPS)
CENTS = field("i.oninput = () => { i.value = (Number(i.value.replace(/[^0-9]/g, '')) / 100).toFixed(2) }")
DIGITS = field("i.oninput = () => { i.value = i.value.replace(/[^0-9]/g, '') }")
NUMBER = "<input aria-label=F id=i type=number step=any>"

KEPT = [
    (SLOW_PHONE, "5551234567", "(555) 123-4567", FORMATTED),
    (SLOWER_PHONE, "5551234567", "(555) 123-4567", FORMATTED),
    (SLOW_CARD, "4111222233334444", "4111 2222 3333 4444", FORMATTED),
    (COMMA, "1234,5", "1.234,5", FORMATTED),
    (COMMA, "1234.5", "1.234,5", OTHER_MARK),
    (COMMA, "-1234567.25", "-1.234.567,25", OTHER_MARK),
    (field(GROUPS, "inputmode=decimal"), "12.5", "12,5", OTHER_MARK),
    (field(GROUPS, "lang=de"), "12.5", "12,5", OTHER_MARK),
    ("<input aria-label=F type=email multiple>", "a@b.de, c@d.de", "a@b.de,c@d.de", FORMATTED),
    (COMMA, "1234", "1.234", FORMATTED),
    (COMMA, "123456", "123.456", FORMATTED),
    (field(GROUPS, "lang=de"), "1.234", "1.234", ""),
    (NUMBER, "-5", "-5", ""),
    (NUMBER, "14.50", "14.50", ""),
    (NUMBER, "1,234", "1234", FORMATTED),
]


async def test_a_value_is_filled_in_as_it_is_meant(sheet: Page, subtests: pytest.Subtests) -> None:
    await show(sheet, "")
    for content, text, value, note in KEPT:
        with subtests.test(content, text=text):
            await show(sheet, content)

            receipt = await sheet.fill(await ref(sheet, "F"), text)

            assert (receipt.value, receipt.note) == (value, note)


LOST = [
    (NUMBER, "12,5", 'Spinbutton E1 "F" holds "125", not "12,5". It takes a number such as 12.5.'),
    (DIGITS, "14.50", 'Textbox E1 "F" holds "1450", not "14.50".'),
    (field("i.oninput = () => { i.value = i.value.replace('.', '') }"), "14.50",
     'Textbox E1 "F" holds "14,50", not "14.50".'),
    (DIGITS, "-5", 'Textbox E1 "F" holds "5", not "-5".'),
    (DIGITS, "x5", 'Textbox E1 "F" holds "5", not "x5".'),
    (DIGITS, "10-20", 'Textbox E1 "F" holds "1020", not "10-20".'),
    (CENTS, "1234", 'Textbox E1 "F" holds "12.34", not "1234".'),
    (COMMA, "12.5.2026", 'Textbox E1 "F" holds "1.252.026", not "12.5.2026".'),
    (SLOW_PHONE, "55512345678901", 'Textbox E1 "F" holds "(555) 123-4567", not "55512345678901": '
     "it takes at most 14 characters."),
    ("<input aria-label=F maxlength=8 oninput='this.value = [...this.value].sort().join(\"\")'>", "20260305",
     'Textbox E1 "F" holds "00022356", not "20260305".'),
    ("<input aria-label=F oninput='this.value = this.value.slice(0, 4)'>", "abcdef",
     'Textbox E1 "F" holds "abcd", not "abcdef".'),
    ("<textarea aria-label=F oninput='this.value = this.value.replace(/x/g, String())'></textarea>", "axb",
     'Textbox E1 "F" holds "ab", not "axb".'),
    ("<input type=date aria-label=F oninput='this.value = \"2026-03-06\"'>", "2026-03-05",
     'Textbox E1 "F" holds "2026-03-06", not "2026-03-05". It takes a date such as 2026-03-05.'),
    ("<div contenteditable role=textbox aria-label=F oninput='this.textContent = \"1450\"'></div>", "14.50",
     'Textbox E1 "F" holds something else than was given: from character 3 on "50", not ".50".'),
    ("<input aria-label=F oninput='setTimeout(() => { this.value = \"14.6\" }, 45)'>", "14.55",
     'Textbox E1 "F" holds "14.6", not "14.55".'),
    ("<input type=password aria-label=F oninput='this.value = this.value.slice(0, 6)'>", "hunter2!",
     'Textbox E1 "F" holds something else than was given.'),
]  # fmt: skip


async def test_what_did_not_stay_is_an_error_that_names_both(sheet: Page, subtests: pytest.Subtests) -> None:
    await show(sheet, "")
    for content, text, message in LOST:
        with subtests.test(content, text=text):
            first = await show(sheet, content)

            with pytest.raises(InvalidArguments) as refused:
                await sheet.fill(await ref(sheet, "F"), text)

            assert counted_from(first, str(refused.value)) == message


TYPED = [
    (SLOW_PHONE, "5551234567", "(555) 123-4567"),
    (SLOW_CARD, "4111222233334444", "4111 2222 3333 4444"),
    (field(GROUPS, "value=0 onfocus='this.select()'"), "1234,5", "1.234,5"),
    (COMMA, "123456", "123.456"),
    (NUMBER, "-5", "-5"),
    ("<input aria-label=F id=i value=ab onfocus='this.setSelectionRange(1, 1)'>", "12", "a12b"),
    ("<input aria-label=F id=i oninput='this.value = this.value.toUpperCase()'>", "ada", "ADA"),
]


async def test_keys_are_typed_at_the_pace_of_the_field(sheet: Page, subtests: pytest.Subtests) -> None:
    await show(sheet, "")
    for content, text, value in TYPED:
        with subtests.test(content, text=text):
            await show(sheet, content)

            await sheet.type(text, ref=await ref(sheet, "F"))

            assert await sheet.evaluate("i.value") == value


async def test_keys_that_came_too_early_are_held_back_from_the_page_and_come_once(sheet: Page) -> None:
    noting = "addEventListener('keydown', ({key}) => sent.push(key)); globalThis.sent = [];"
    await show(sheet, SLOW_CARD.replace("<script>", f"<script>i.{noting}"))

    await sheet.type("41112222\n", ref=await ref(sheet, "F"))

    assert await sheet.evaluate("sent.splice(0)") == [*"41112222", "Enter"]


NOT_TYPED = [(NUMBER, "12,5", "125"), (DIGITS, "14.50", "1450"), (CENTS, "1234", "12.34")]


async def test_what_was_typed_and_did_not_stay_is_an_error_that_names_both(
    sheet: Page, subtests: pytest.Subtests
) -> None:
    await show(sheet, "")
    for content, text, value in NOT_TYPED:
        with subtests.test(content, text=text):
            await show(sheet, content)

            with pytest.raises(InvalidArguments, match=f'"F" holds "{value}", not "{text}"'):
                await sheet.type(text + "\t", ref=await ref(sheet, "F"))


async def test_a_field_in_a_frame_of_another_process_is_typed_into_at_its_pace(page: Page, serve: Serve) -> None:
    url = serve(SLOW_PHONE, other_site=True)
    await page.goto(serve(f"<!doctype html><iframe src='{url}'></iframe>"))
    into = await until_named(page, "F")

    await page.type("5551234567", ref=into)

    assert "(555) 123-4567" in (await page.snapshot()).text


ADD = "globalThis.sent = []; const add = (tag) => { if (tag) { sent.push(tag); out.append(tag) } };"
BY_INPUT = "i.oninput = () => { if (i.value.includes(',')) { i.value.split(',').forEach(add); i.value = '' } }"
BY_KEY = (
    "i.onkeydown = (event) => { if (event.key === ',' || event.key === 'Enter')"
    " { event.preventDefault(); add(i.value); i.value = '' } }"
)
BY_KEY_LATER = (
    "i.onkeydown = (event) => { if (event.key === ',') { event.preventDefault(); const tag = i.value;"
    " setTimeout(() => { add(tag); i.value = '' }, 10) } }"
)
TAGGED = {"by input": BY_INPUT, "by key": BY_KEY}
CHANGED = "the page took it and changed what the field holds"
EMPTIED = "the page took it and emptied the field"


async def test_each_tag_comes_once(sheet: Page, subtests: pytest.Subtests) -> None:
    await show(sheet, "")
    for how, script in TAGGED.items():
        for text, value, note in (("red,green,blue,", "", EMPTIED), ("red, big cat,blue", "blue", CHANGED)):
            with subtests.test(how, text=text):
                await show(sheet, field(ADD + script))

                receipt = await sheet.fill(await ref(sheet, "F"), text)

                sent = await sheet.evaluate("sent.map((tag) => tag.trim())")
                assert [*sent, *filter(None, [value])] == [each.strip() for each in text.strip(",").split(",")]
                assert (receipt.value, receipt.note) == (value, note)


TYPED_TAGS = [
    (BY_INPUT, "red,green,blue,"),
    (BY_KEY_LATER, "red,green,blue,"),
    (BY_KEY, "red,green,blue\n"),
    (BY_KEY, "red\ngreen\nblue\n"),
]


async def test_each_typed_tag_comes_once(sheet: Page, subtests: pytest.Subtests) -> None:
    await show(sheet, "")
    for script, text in TYPED_TAGS:
        with subtests.test(script, text=text):
            await show(sheet, field(ADD + script))

            await sheet.type(text, ref=await ref(sheet, "F"))

            assert await sheet.evaluate("sent") == ["red", "green", "blue"]


async def test_a_field_that_takes_no_letters_is_no_field_for_tags(sheet: Page) -> None:
    refuses = "i.oninput = () => { if (/[^0-9]/.test(i.value)) { i.value = ''; out.append('Digits only!') } }"
    await show(sheet, field(refuses))

    with pytest.raises(InvalidArguments, match='did not take "red,green" and is empty'):
        await sheet.fill(await ref(sheet, "F"), "red,green")


async def test_tags_that_are_taken_some_time_after_their_commas_wait_for_each_other(sheet: Page) -> None:
    await show(sheet, field(ADD + BY_KEY_LATER))

    await sheet.fill(await ref(sheet, "F"), "red,green,blue,")

    assert await sheet.evaluate("sent") == ["red", "green", "blue"]


async def test_a_tag_that_the_page_dropped_is_an_error(sheet: Page) -> None:
    knows = BY_KEY.replace("add(i.value)", "if (i.value !== 'gren') add(i.value)")
    await show(sheet, field(ADD + knows))

    with pytest.raises(InvalidArguments, match='holds "blue", not "red,gren,blue": the page took a part of that'):
        await sheet.fill(await ref(sheet, "F"), "red,gren,blue")

    assert await sheet.evaluate("sent") == ["red"]


async def test_a_tab_in_a_text_is_no_key(sheet: Page) -> None:
    await show(sheet, field(""))

    receipt = await sheet.fill(await ref(sheet, "F"), "a\tb")

    assert receipt.value == "a\tb"


async def test_what_was_done_for_a_mask_is_in_the_log(sheet: Page) -> None:
    await show(sheet, COMMA)

    receipt = await sheet.fill(await ref(sheet, "F"), "1234.5")

    told = [line.text for line in receipt.log if line.kind in ("retry", "decision")]
    assert "the field holds something else: the text is typed again, each key 30 ms after the last change" in told
    assert "with the other decimal mark" in told

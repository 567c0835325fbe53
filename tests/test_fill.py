"""Fields of every kind take text, and tell what they hold then."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
import pytest

from cdp_agent.errors import InvalidArguments, NotInteractable
from cdp_agent.page.fields.fill import fill
from cdp_agent.page.frames.world import World
from cdp_agent.page.page import Page
from cdp_agent.page.receipts.receipts import Outcome
from tests.acting import WATCHING, at, in_frame, now, ref, running_after, until_named
from tests.conftest import Serve
from tests.listing import counted_from
from tests.writing import opened, show

FORMATTED = "the page formatted it"
MASK = """<input aria-label=F id=i><script>i.oninput = () => {
const digits = i.value.replace(/\\D/g, "").slice(0, 10);
i.value = digits.replace(/(\\d{3})(\\d{3})(\\d+)/, "($1) $2-$3")}</script>"""
BY_KEYS = """<input aria-label=F id=i><script>
i.onbeforeinput = (event) => { if (event.data && event.data.length > 1) event.preventDefault() }</script>"""
OPENS = """<div role=textbox tabindex=0 aria-label=F onclick='this.outerHTML = "<input id=i>"; i.focus()'>Edit</div>"""
SLIDER = """<div role=slider tabindex=0 aria-label=F aria-valuemin=0 aria-valuemax=100 aria-valuenow=20 id=s></div>
<script>s.onkeydown = ({key}) => setTimeout(() => {
  const by = {ArrowRight: 5, ArrowLeft: -5}[key] ?? 0;
  s.ariaValueNow = Math.min(100, Math.max(0, Number(s.ariaValueNow) + by));
}, 30)</script>"""
LEFTWARDS = SLIDER.replace("ArrowRight: 5, ArrowLeft: -5", "ArrowRight: -1, ArrowLeft: 1")
UPWARDS = SLIDER.replace("ArrowRight: 5, ArrowLeft: -5", "ArrowUp: 0.5, ArrowDown: -0.5")
ROUNDED = SLIDER.replace("s.ariaValueNow = Math.min(", "s.ariaValueNow = (s.ariaValueText = ").replace(
    "100, Math.max(0, Number(s.ariaValueNow) + by));", "(s.exact = (s.exact ?? 20) + by / 20).toFixed(2)).slice(0, -1);"
)
GIVES_UP = SLIDER.replace("setTimeout(() => {", "{ n++ || requestAnimationFrame(() => n = 0); if (n > 50) s.remove();")
GIVES_UP = GIVES_UP.replace("}, 30)", "}; let n = 0").replace("5, ArrowLeft: -5", "1, ArrowLeft: -1")
RANGE = "<input aria-label=F type=range max=10>"
OWN_KEYS = RANGE + "<script>document.querySelector('input').onkeydown = (event) => event.preventDefault()</script>"
FILLED = [
    ("<input aria-label=F value=old>", "Ada Lovelace", Outcome("Ada Lovelace")),
    ("<input aria-label=F value=old>", "", Outcome("")),
    ("<input aria-label=F type=number value=3>", "12.5", Outcome("12.5")),
    ("<input aria-label=F type=search>", "ä 😀", Outcome("ä 😀")),
    ("<input aria-label=F type=password>", "hunter2", Outcome(None, "filled, 7 characters")),
    ("<input aria-label=F autocomplete=new-password>", "hunter2", Outcome(None, "filled, 7 characters")),
    ("<input aria-label=F role=combobox autocomplete=new-password>", "Oslo", Outcome("Oslo")),
    ("<input aria-label=F autocomplete=cc-number>", "4111 1111", Outcome(None, "filled, 9 characters")),
    ("<input aria-label=F>", "a\nb\n", Outcome("a b", "it has a single line: line breaks became spaces")),
    ("<input aria-label=F type=date>", "2026-3-5", Outcome("2026-03-05")),
    ("<input aria-label=F type=time>", "9:05", Outcome("09:05")),
    ("<input aria-label=F type=datetime-local>", "2026-03-05 14:30", Outcome("2026-03-05T14:30")),
    ("<input aria-label=F type=month>", "2026-03", Outcome("2026-03")),
    ("<input aria-label=F type=week>", "2026-W10", Outcome("2026-W10")),
    ("<input aria-label=F type=color>", "#1E90FF", Outcome("#1e90ff")),
    ("<input aria-label=F type=range max=10>", "7", Outcome("7")),
    ("<input aria-label=F type=range max=10 step=any>", "2.5", Outcome("2.5")),
    (OWN_KEYS, "7", Outcome("7")),
    ("<textarea aria-label=F>old</textarea>", "a\nb\n\nc", Outcome("a\nb\n\nc")),
    ("<div contenteditable role=textbox aria-label=F><p>old<p>x</div>", "new!\nline 2", Outcome("new!\nline 2")),
    ("<div contenteditable role=textbox aria-label=F><p>old</p></div>", "", Outcome("")),
    ("<div role=group tabindex=0 aria-label=F><i>x</i><input></div>", "x", Outcome("x", "textbox E2 was filled")),
    ("<input aria-label=F disabled id=i><script>setTimeout(() => i.disabled = false, 200)</script>", "x", Outcome("x")),
    (MASK, "5551234567", Outcome("(555) 123-4567", FORMATTED)),
    (BY_KEYS, "hello", Outcome("hello")),
    (OPENS, "x", Outcome("x")),
    (SLIDER, "75", Outcome("75")),
    (SLIDER, "0", Outcome("0")),
    (LEFTWARDS, "23", Outcome("23")),
    (UPWARDS, "17.5", Outcome("17.5")),
    (ROUNDED, "21.75", Outcome("21.75")),
    (GIVES_UP, "90", Outcome("90")),
    (SLIDER.replace("tabindex=0", "").replace(" id=s>", " id=s><i tabindex=0></i>"), "75", Outcome("75")),
    (f"<div role=group tabindex=0 aria-label=F>{SLIDER.replace(' aria-label=F', '')}</div>", "30",
     Outcome("30", "slider E2 was filled")),
]  # fmt: skip


async def test_fill(sheet: Page, subtests: pytest.Subtests) -> None:
    await show(sheet, "<!doctype html>")
    for content, text, outcome in FILLED:
        with subtests.test(content, text=text):
            first = await show(sheet, content)

            filled = now(await fill(await at(sheet, "F"), text))

            assert msgspec.structs.replace(filled, note=counted_from(first, filled.note)) == outcome


async def test_the_last_step_of_a_slider_is_a_key_as_a_hand_presses_it(sheet: Page) -> None:
    noting = "for (const type of ['keydown', 'input', 'change', 'keyup'])"
    noting += " i.addEventListener(type, (event) => told.push(`${type} ${event.isTrusted} ${i.value}`))"
    await show(sheet, f"<input aria-label=F type=range max=10 id=i><script>globalThis.told = []; {noting}</script>")

    await fill(await at(sheet, "F"), "8")

    assert await sheet.evaluate("told") == [
        "input false 7", "keydown true 7", "input true 8", "change true 8", "keyup true 8",
    ]  # fmt: skip


APPENDED = [
    ("<input aria-label=F value=old>", "old new"),
    ("<input aria-label=F type=email value=a@b>", "a@b new"),
    ("<textarea aria-label=F>old</textarea>", "old new"),
    ("<div contenteditable role=textbox aria-label=F><p>one</p><p>old</p></div>", "one\nold new"),
]


async def test_fill_appends(sheet: Page, subtests: pytest.Subtests) -> None:
    await show(sheet, "<!doctype html>")
    for content, value in APPENDED:
        with subtests.test(content):
            await show(sheet, content)

            assert (await fill(await at(sheet, "F"), " new", append=True)).value == value


REFUSED = [
    (SLIDER, "some", 'Slider E1 "F" takes a number from 0 to 100, not "some".'),
    (SLIDER, "101", 'Slider E1 "F" takes a number from 0 to 100, not "101".'),
    (SLIDER.replace("max=100", "max=9999"), "9000",
     'Slider E1 "F" would take more than 500 presses of ArrowRight to 9000: drag its handle, or try the keys '
     "PageUp, PageDown, Home, End."),
    ("<div role=slider tabindex=0 aria-label=F aria-valuenow=1></div>", "2",
     'Slider E1 "F" is not moved by the arrow keys: drag its handle.'),
    ("<input type=date aria-label=F>", "tomorrow", 'Textbox E1 "F" takes a date such as 2026-03-05, not "tomorrow".'),
    ("<input type=color aria-label=F>", "blueish", 'Textbox E1 "F" takes a colour such as #1e90ff, not "blueish".'),
    (SLIDER, "42", 'Slider E1 "F" holds 40: its steps do not meet 42.'),
    ("<input type=range aria-label=F>", "high", 'Slider E1 "F" takes a number from 0 to 100, not "high".'),
    ("<input type=range aria-label=F max=10>", "70", 'Slider E1 "F" takes a number from 0 to 10, not "70".'),
    ("<input type=range aria-label=F step=5>", "42", 'Slider E1 "F" holds 40: its steps do not meet 42.'),
    ("<input aria-label=F maxlength=3>", "abcdef",
     'Textbox E1 "F" holds "abc", not "abcdef": it takes at most 3 characters.'),
    ("<input type=number aria-label=F>", "abc",
     'Spinbutton E1 "F" did not take "abc" and is empty. It takes a number such as 12.5.'),
]  # fmt: skip


async def test_fill_says_what_a_field_takes(sheet: Page, subtests: pytest.Subtests) -> None:
    await show(sheet, "")
    for content, text, message in REFUSED:
        with subtests.test(content, text=text):
            first = await show(sheet, content)

            with pytest.raises((InvalidArguments, NotInteractable)) as refused:
                await fill(await at(sheet, "F"), text)

            assert counted_from(first, str(refused.value)) == message


PARTS = """<div id=g><span contenteditable role=spinbutton tabindex=0 aria-label=F aria-valuemax=31>--</span><span
contenteditable role=spinbutton tabindex=0 aria-label=Month aria-valuemax=12>--</span><span
contenteditable role=spinbutton tabindex=0 aria-label=Year aria-valuemax=9999>--</span></div><script>
const parts = [...g.children], typed = new Map();
const show = (part) => { const text = typed.get(part) ?? ""; part.textContent = text ? text.padStart(2, "0") : "--" };
for (const [index, part] of parts.entries()) {
  part.onfocus = () => { part.fresh = true; getSelection().selectAllChildren(part) };
  part.onkeydown = (event) => {
    event.preventDefault();
    if (event.key === "Delete") typed.delete(part);
    else if (event.ctrlKey) { typed.clear(); parts.forEach(show) }
    else if (/^\\d$/.test(event.key)) typed.set(part, String(Number((part.fresh ? "" : typed.get(part)) + event.key)));
    part.fresh = event.key === "Delete";
    show(part);
    if (Number(typed.get(part)) * 10 > Number(part.ariaValueMax)) parts[index + 1]?.focus();
  };
  part.onbeforeinput = (event) => { event.preventDefault(); typed.clear(); parts.forEach(show) };
}</script>"""
"""A date as component libraries make it: what is not typed by keys, or meant for all of it, does something else."""


PART_TYPED = [
    ("24", Outcome("24"), "24----"),
    ("7", Outcome("07", FORMATTED), "07----"),
    ("", Outcome("--"), "------"),
]


async def test_fill_types_a_part_of_a_value_and_leaves_the_others(sheet: Page, subtests: pytest.Subtests) -> None:
    await show(sheet, "")
    for text, outcome, shown in PART_TYPED:
        with subtests.test(text):
            await show(sheet, PARTS)

            filled = now(await fill(await at(sheet, "F"), text))

            assert (filled, await sheet.evaluate("g.textContent")) == (outcome, shown)


async def test_a_part_of_a_value_that_takes_no_such_number_is_told(sheet: Page) -> None:
    first = await show(sheet, PARTS)

    with pytest.raises(InvalidArguments) as refused:
        await fill(await at(sheet, "F"), "99")

    assert counted_from(first, str(refused.value)) == 'Spinbutton E1 "F" holds "09", not "99".'


STEALS = """<input id=a aria-label=Search value=kept>{}<script>let left = {};
const f = document.querySelector("[aria-label=F]");
f.onfocus = () => {{ if (left-- > 0) queueMicrotask(() => a.focus()) }}</script>"""
STOLEN_FROM = ["<input aria-label=F>", "<div contenteditable aria-label=F role=textbox></div>"]


async def test_fill_tries_again_when_the_page_takes_the_focus_away_before_the_text_comes(
    sheet: Page, subtests: pytest.Subtests
) -> None:
    await show(sheet, "")
    for field in STOLEN_FROM:
        with subtests.test(field):
            await show(sheet, STEALS.format(field, 1))

            assert now(await fill(await at(sheet, "F"), "Ada")) == Outcome("Ada")
            assert await sheet.evaluate("a.value") == "kept"


GIVEN_KEYS: dict[str, Callable[[Page, str], Awaitable[object]]] = {
    "fill": lambda page, ref: page.fill(ref, "Ada"),
    "press": lambda page, ref: page.press("Delete", ref=ref),
    "type": lambda page, ref: page.type("x", ref=ref),
}


async def test_nothing_else_is_given_text_or_keys_when_the_page_keeps_the_focus_elsewhere(
    sheet: Page, subtests: pytest.Subtests
) -> None:
    await show(sheet, "")
    for way, field in [("fill", STOLEN_FROM[1]), *((way, STOLEN_FROM[0]) for way in GIVEN_KEYS)]:
        with subtests.test(way, field=field):
            first = await show(sheet, STEALS.format(field, 99))

            with pytest.raises(NotInteractable) as refused:
                await GIVEN_KEYS[way](sheet, await ref(sheet, "F"))
            await sheet.type("!")

            assert counted_from(first, str(refused.value)) == (
                'Textbox E2 "F" does not keep the focus: the page gives it to textbox E1 "Search".'
            )
            assert await sheet.evaluate("a.value") in ("!", "!kept", "kept!")


EDITORS = {
    "draws in its own time": (
        """onpaste="event.preventDefault(); const text = event.clipboardData.getData('text/plain');
        requestAnimationFrame(() => requestAnimationFrame(() => { this.innerText = text }))"
        onbeforeinput="if (event.inputType != 'insertText' || !/^\\w$/.test(event.data)) event.preventDefault()"
        >old""",
        "a\nb",
    ),
    "is closed by the page at once": ('oninput="this.contentEditable = false">old', "new"),
    "takes text in place of its own, and not of what is around that": (
        """onbeforeinput="if (getSelection().anchorNode.nodeType == 1) {
        event.preventDefault(); this.contentEditable = false }"><p>old</p><p>text</p>""",
        "new",
    ),
}


async def test_fill_reads_an_editor_that_has_its_own_way(sheet: Page, subtests: pytest.Subtests) -> None:
    await show(sheet, "")
    for which, (editor, text) in EDITORS.items():
        with subtests.test(which):
            await show(sheet, f"<div contenteditable role=textbox aria-label=F {editor}</div>")

            assert now(await fill(await at(sheet, "F"), text)) == Outcome(text)


async def test_fill_is_seen_by_a_page_that_looks_at_no_key_of_an_input_method(sheet: Page) -> None:
    looks = "if (event.keyCode != 229) { sent.textContent = this.textContent }"
    await show(sheet, f'<div contenteditable role=textbox aria-label=F onkeyup="{looks}">old</div><p id=sent>')

    assert now(await fill(await at(sheet, "F"), "new")) == Outcome("new")
    assert await sheet.evaluate("sent.textContent") == "new"


async def test_fill_takes_no_whole_value_for_a_part_of_it(sheet: Page) -> None:
    first = await show(sheet, PARTS)

    with pytest.raises(InvalidArguments) as refused:
        await fill(await at(sheet, "F"), "2026-12-24")

    assert counted_from(first, str(refused.value)) == (
        'Spinbutton E1 "F" is one part of a value: fill each part by itself, not "2026-12-24".'
    )
    assert await sheet.evaluate("g.textContent") == "------"


WRONG_ELEMENTS = [
    ("<input readonly aria-label=F>", "readonly",
     'Textbox E1 "F" is read-only: if it opens a picker, click it and choose there.'),
    ("<input role=combobox readonly aria-label=F>", "readonly", 'Combobox E1 "F" is read-only: choose with select.'),
    ("<input disabled aria-label=F>", "disabled", 'Textbox E1 "F" is disabled.'),
    ("<input type=checkbox aria-label=F>", "wrong_element",
     'Checkbox E1 "F" cannot be filled in: use check or uncheck.'),
    ("<select aria-label=F><option>a</select>", "wrong_element",
     'Combobox E1 "F" cannot be filled in: choose from it with select.'),
    ("<input type=file aria-label=F>", "wrong_element",
     'Button E1 "F" cannot be filled in: give it files with upload.'),
    ("<div role=slider tabindex=0 aria-label=F></div>", "wrong_element",
     'Slider E1 "F" does not say its value: drag its handle.'),
    ("<div role=slider tabindex=0 aria-label=F aria-valuenow=1 aria-disabled=true></div>", "disabled",
     'Slider E1 "F" is disabled.'),
    (
        "<div role=group tabindex=0 aria-label=F><input aria-label=A><input aria-label=B></div>",
        "wrong_element",
        'Group E1 "F" cannot be filled in: it has 2 fields in it: textbox E2 "A", textbox E3 "B".',
    ),
    ("<button>F</button>", "wrong_element",
     'Button E1 "F" cannot be filled in: click it if it opens a field, and fill that.'),
]  # fmt: skip


async def test_fill_says_what_to_do_instead(sheet: Page, subtests: pytest.Subtests) -> None:
    await show(sheet, "")
    for content, why, message in WRONG_ELEMENTS:
        with subtests.test(content):
            first = await show(sheet, content)

            with pytest.raises(NotInteractable) as refused:
                await fill(msgspec.structs.replace(await at(sheet, "F"), wait_s=0.1), "x")

            assert (refused.value.why, counted_from(first, str(refused.value))) == (why, message)


async def test_fill_leaves_nothing_in_the_page(sheet: Page) -> None:
    await show(sheet, f"<input aria-label=F><input type=date aria-label=D>{WATCHING}")

    await fill(await at(sheet, "F"), "x")
    await fill(await at(sheet, "D"), "2026-03-05")

    assert await sheet.evaluate("records") == 0


FORM = """<form onsubmit="event.preventDefault(); sent.textContent = 'sent ' + field.value">
<label>Field <input id=field type={kind}></label>{others}</form><p id=sent>"""
VALUES = {
    "text": "tea", "number": "3", "date": "2026-03-05", "week": "2026-W10", "color": "#1e90ff", "range": "7",
}  # fmt: skip


async def test_a_field_of_any_kind_submits_a_form_that_has_a_button(sheet: Page, subtests: pytest.Subtests) -> None:
    await show(sheet, "")
    for kind, value in VALUES.items():
        with subtests.test(kind):
            await show(sheet, FORM.format(kind=kind, others="<button>Send</button>"))

            receipt = await sheet.fill(await ref(sheet, "Field"), value, submit=True)

            assert await sheet.evaluate("sent.textContent") == f"sent {value}"
            assert receipt.note == ("" if kind == "color" else "Enter was pressed")  # a colour takes no Enter


SUBMITTING_NOTHING = {"two texts": ("text", "<input name=other>"), "a date alone": ("date", "")}
REFUSING = {
    "a colour alone": ("color", "", "its form has no submit button."),
    "a disabled button": ("text", "<button disabled>Send</button>", 'button E2 "Send", which submits it, is disabled.'),
}


async def test_what_submits_nothing_is_an_error(sheet: Page, subtests: pytest.Subtests) -> None:
    await show(sheet, "")
    for which, (kind, others) in SUBMITTING_NOTHING.items():
        with subtests.test(which):
            await show(sheet, FORM.format(kind=kind, others=others))

            with pytest.raises(NotInteractable, match="was filled in, but not sent: its form has no submit button"):
                await sheet.fill(await ref(sheet, "Field"), VALUES[kind], submit=True)


async def test_a_text_alone_is_sent_by_enter(sheet: Page) -> None:
    await show(sheet, FORM.format(kind="text", others=""))

    receipt = await sheet.fill(await ref(sheet, "Field"), "tea", submit=True)

    assert (await sheet.evaluate("sent.textContent"), receipt.note) == ("sent tea", "Enter was pressed")


async def test_what_cannot_be_submitted_is_an_error(sheet: Page, subtests: pytest.Subtests) -> None:
    await show(sheet, "")
    for which, (kind, others, why) in REFUSING.items():
        with subtests.test(which):
            first = await show(sheet, FORM.format(kind=kind, others=others))

            with pytest.raises(NotInteractable) as refused:
                await sheet.fill(await ref(sheet, "Field"), VALUES[kind], submit=True)

            told = f'It was filled in, but not sent. Textbox E1 "Field" cannot be submitted: {why}'
            assert counted_from(first, str(refused.value)) == told
            assert await sheet.evaluate("field.value") == VALUES[kind]


# After what was filled in is read, and before the page counts as being at rest.
CHANGES_IT = {
    "a moment later": ("<input aria-label=F id=f>", "setTimeout(() => f.value = f.value.toUpperCase(), 45)"),
    "in the frame after": ("<input aria-label=F id=f>", "requestAnimationFrame(() => f.value = 'ADA')"),
    "in an editor": ("<p aria-label=F id=f role=textbox contenteditable></p>", "setTimeout(() => f.innerText = 'ADA')"),
}
EMPTIES = """<input aria-label=F onkeydown="if (event.key === 'Enter') setTimeout(() => { this.value = '';%s }, 50)">
<p id=out></p>"""


async def test_a_receipt_tells_what_the_field_holds_when_the_page_is_at_rest(
    sheet: Page, subtests: pytest.Subtests
) -> None:
    for how, (content, change) in CHANGES_IT.items():
        with subtests.test(how):
            await show(sheet, content)

            async with running_after(sheet, "compared to the text", change):
                receipt = await sheet.fill(await ref(sheet, "F"), "Ada")

            assert (receipt.value, receipt.note) == ("ADA", 'the page changed it since: it held "Ada"')


async def test_a_receipt_tells_that_enter_emptied_the_field(sheet: Page) -> None:
    await show(sheet, EMPTIES % "out.textContent = 'Sent'")

    receipt = await sheet.fill(await ref(sheet, "F"), "Ada", submit=True)

    assert receipt.value == ""
    assert 'Enter was pressed; the page changed it since: it held "Ada"' in receipt.text
    assert "no change seen" not in receipt.text


async def test_a_password_that_the_page_emptied_is_an_error(sheet: Page) -> None:
    await show(sheet, "<input type=password aria-label=F oninput='setTimeout(() => this.value = \"\", 45)'>")

    with pytest.raises(InvalidArguments, match="did not take the text and is empty"):
        await sheet.fill(await ref(sheet, "F"), "hunter2")


async def test_enter_that_only_emptied_the_field_is_an_error(sheet: Page) -> None:
    await show(sheet, EMPTIES % "")

    with pytest.raises(InvalidArguments, match='did not take "Ada" and is empty, unless the page took it unseen'):
        await sheet.fill(await ref(sheet, "F"), "Ada", submit=True)


CHANGES_LATER = """<input aria-label=F><button>Go</button><script>
function change() { const f = document.querySelector('input'); f.value = 'ADA'; f.setAttribute('aria-invalid', 'true') }
</script>"""


async def test_a_canvas_that_is_written_in_holds_what_is_given_alone(sheet: Page) -> None:
    await show(sheet, "<canvas id=c tabindex=0></canvas><script>c.editContext = new EditContext()</script>")
    canvas = (await sheet.find("canvas")).elements[0].ref

    await sheet.fill(canvas, "before")
    filled = await sheet.fill(canvas, "now")
    added = await sheet.fill(canvas, ", then", append=True)

    assert (filled.value, added.value) == ("now", "now, then")
    assert await sheet.evaluate("c.editContext.text") == "now, then"


async def test_fill_in_frames_of_this_and_of_another_process(page: Page, serve: Serve) -> None:
    url = serve("<input aria-label=F id=i value=old>", other_site=True)
    here = "<iframe srcdoc='<input aria-label=Here value=1>'></iframe>"
    editor = "<iframe title=Editor srcdoc='<body contenteditable>old</body>'></iframe>"
    await page.goto(serve(f"<!doctype html>{here}{editor}<iframe src='{url}'></iframe>"))
    await until_named(page, "F")

    assert now(await fill(await at(page, "F"), "näw")) == Outcome("näw")
    assert await in_frame(page, "i.value") == "näw"
    assert now(await fill(await at(page, "Here"), "xyz")) == Outcome("xyz")
    filled = now(await fill(await at(page, "Editor"), "xyz"))
    assert filled.value == "xyz"
    assert re.fullmatch(r'body E\d+ "old" was filled', filled.note)


async def test_fill_is_noticed_by_those_who_listen_to_keys_and_to_input(page: Page, serve: Serve) -> None:
    types = ["focusin", "keydown", "keypress", "beforeinput", "input", "keyup"]
    note = "(event) => log.push(`${event.type} ${event.target.value}${event.isTrusted ? '' : '!'}`)"
    script = f"<script>window.log = []; for (const type of {types}) addEventListener(type, {note})</script>"
    await page.goto(serve(f"<input aria-label=F value=old>{script}"))

    await fill(await at(page, "F"), "Ada")

    assert await page.evaluate("log") == [
        "focusin old",
        "beforeinput old",
        "input A",
        "keydown A",
        "keypress A",
        "beforeinput A",
        "input Ad",
        "keyup Ad",
        "keydown Ad",
        "keypress Ad",
        "beforeinput Ad",
        "input Ada",
        "keyup Ada",
    ]


async def test_the_next_receipt_tells_what_the_page_made_of_a_field_later_unless_a_snapshot_has(
    page: Page, serve: Serve
) -> None:
    await opened(page, serve, CHANGES_LATER)
    field, button = await ref(page, "F"), await ref(page, "Go")

    filled = await page.fill(field, "Ada")
    await page.evaluate("change()")
    receipts = [await page.click(button), await page.click(button)]

    assert (filled.value, filled.meanwhile) == ("Ada", [])
    told = f'~ - textbox "F" [ref={field}] (now [invalid]; now ADA, before Ada)'
    assert [each.meanwhile for each in receipts] == [[told], []]
    assert f"changed before that:\n  {told}\n" in receipts[0].text
    await page.fill(field, "Eve")
    await page.evaluate("change()")
    assert ": ADA" in (await page.snapshot()).text
    assert (await page.click(button)).meanwhile == []


GRID = """<div role=grid><div role=row><div role=gridcell id=cell tabindex=-1 ondblclick="edit()">
<span tabindex=-1>mug</span>
</div></div></div><script>
  var draw = (text) => { cell.innerHTML = `<span tabindex=-1>${text}</span><button style="display:block">⋮</button>` }
  var edit = () => {
    cell.innerHTML = '<input>'
    cell.firstChild.onkeydown = (event) => { if (event.key === 'Enter') draw(cell.firstChild.value) }
    cell.firstChild.focus()
  }
</script>"""


async def test_the_text_of_a_grids_cell_is_filled_in_as_its_cell(page: Page, serve: Serve) -> None:
    await opened(page, serve, GRID)
    mug = (await page.find("span")).elements[0].ref

    receipt = await page.fill(mug, "cup")

    assert (receipt.value, receipt.note) == ("cup", "")
    assert await page.evaluate("cell.firstChild.textContent") == "cup"


async def test_what_a_field_holds_at_the_last_key_is_told_by_the_page_without_another_question(
    sheet: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    await show(sheet, "<input aria-label=Name>")
    field = await ref(sheet, "Name")
    called: list[str] = []
    call = World.call

    async def noting(world: World, name: str, *args: object, **options: Any) -> Any:
        called.append(name)
        return await call(world, name, *args, **options)

    monkeypatch.setattr(World, "call", noting)
    receipt = await sheet.fill(field, "Ada")
    assert receipt.value == "Ada"
    assert called.count("fillResult") == 1  # once it is at rest

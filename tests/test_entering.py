"""A page that has had a whole text does not get it again; and one that takes no such text is told to refuse it."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from cdp_agent.errors import InvalidArguments, NotInteractable
from cdp_agent.page.fields.secret_fill import fill_secret
from cdp_agent.page.page import Page, tab_of
from cdp_agent.security.secrets import Revealed
from tests.acting import ref
from tests.conftest import Serve
from tests.writing import show

TAKEN = "the page took it and emptied the field"
FIELD = "<input aria-label=F id=i>"
TAKES = "{ if (i.value.length === 6) { sent.push(i.value); i.value = '' } }"
EDITOR = "<div contenteditable role=textbox aria-label=F id=i>{}</div>"
EDITED = (
    "{ if (i.textContent.length === 6) { sent.push(i.textContent); i.textContent = ''; out.textContent = 'Sent' } }"
)
BOXES = "<form>{}</form>".format("".join(f"<input maxlength=1 aria-label={'FABCDE'[n]}>" for n in range(6)))
ROW = "const row = [...document.querySelectorAll('input')]; const code = () => row.map((each) => each.value).join('');"
MOVES = f"{ROW} for (const box of row) box.oninput = () => {{ row[row.indexOf(box) + 1]?.focus(); DO }}"


class Row(NamedTuple):
    content: str
    script: str
    note: str = TAKEN
    text: str = "123456"
    value: str | None = ""


ROWS = {
    "at its input": Row(FIELD, f"i.oninput = () => {TAKES}"),
    "at the key": Row(FIELD, f"i.onkeyup = () => {TAKES}"),
    "in a promise": Row(FIELD, f"i.oninput = async () => {{ await 0; {TAKES} }}"),
    "in a field that is disabled then": Row(FIELD, f"i.oninput = () => {{ {TAKES}; i.disabled = !i.value }}"),
    "in a password": Row("<input type=password aria-label=F id=i>", f"i.oninput = () => {TAKES}", value=None),
    "in a number": Row("<input type=number aria-label=F id=i>", f"i.oninput = () => {TAKES}"),
    "in a shadow root": Row(
        "<div id=h></div>",
        "const r = h.attachShadow({mode: 'closed'}); r.innerHTML = '<input aria-label=F>'; const i = r.firstChild;"
        f"i.oninput = () => {TAKES}",
    ),
    "in a frame": Row(
        "<iframe id=f></iframe>",
        "f.contentDocument.body.innerHTML = '<input aria-label=F>';"
        f"const i = f.contentDocument.querySelector('input'); i.oninput = () => {TAKES}",
    ),
    "in a text area": Row(
        "<textarea aria-label=F id=i></textarea>",
        f"i.oninput = () => {{ {TAKES}; out.textContent = i.value ? '-' : 'Sent' }}",
        text="Hello!",
    ),
    "a letter": Row(
        FIELD, "i.oninput = () => { sent.push(i.value); out.textContent += i.value; i.value = '' }", text="a"
    ),
    "a tag that becomes a button": Row(
        FIELD,
        "i.oninput = () => { if (!i.value.endsWith(',')) return; sent.push(i.value);"
        " i.before(Object.assign(document.createElement('button'), {textContent: i.value})); i.value = '' }",
        text="red,",
    ),
    "in an editor": Row(EDITOR.format(""), f"i.oninput = () => {EDITED}"),
    "in an editor that held something": Row(EDITOR.format("old"), f"i.oninput = () => {EDITED}"),
    "in an editor, at the key": Row(EDITOR.format(""), f"i.onkeyup = () => {EDITED}"),
    "in a field that is replaced": Row(
        FIELD,
        "i.oninput = () => { if (i.value.length === 6) { sent.push(i.value); i.outerHTML = '<b>Verified</b>' } }",
        note="it left the page when it was filled",
        value=None,
    ),
    "in a field that shows something else": Row(
        FIELD,
        "i.oninput = () => { if (i.value.length === 6) i.disabled = sent.push(i.value) && (i.value = 'Checking') }",
        note="the page took it and changed what the field holds",
        value="Checking",
    ),
    "in a row of boxes": Row(
        BOXES,
        MOVES.replace("DO", "if (code().length === 6) { sent.push(code()); for (const box of row) box.value = '' }"),
        note=f"its row of 6 fields was filled; {TAKEN}",
    ),
    "in a row of boxes that keep it": Row(
        BOXES,
        MOVES.replace("DO", "if (code().length === 6) sent.push(code())"),
        note="its row of 6 fields was filled",
        value="123456",
    ),
    "in a row of boxes that do not move on": Row(
        BOXES,
        f"{ROW} row.at(-1).onkeyup = () => sent.push(code())",
        note="its row of 6 fields was filled",
        value="123456",
    ),
}


async def test_what_the_page_took_is_not_entered_again(sheet: Page, subtests: pytest.Subtests) -> None:
    for what, row in ROWS.items():
        with subtests.test(what):
            await _show(sheet, row.content, row.script)

            receipt = await sheet.fill(await ref(sheet, "F"), row.text)

            assert await sheet.evaluate("sent") == [row.text]
            assert (receipt.note, receipt.value) == (row.note, row.value)


async def _show(page: Page, content: str, script: str) -> None:
    await show(page, f"{content}<p id=out>-</p><script>globalThis.sent = []; {script}</script>")


async def test_a_text_that_listeners_of_the_window_took_before_ours_is_not_entered_again(
    page: Page, serve: Serve
) -> None:
    hearing = f"globalThis.sent = []; addEventListener('input', () => {TAKES}, true)"
    await page.goto(serve(f"{FIELD}<script>{hearing}</script>"))

    receipt = await page.fill(await ref(page, "F"), "123456")

    assert (await page.evaluate("sent"), receipt.note) == (["123456"], TAKEN)


DROPS = "i.value = i.value.replace(/\\D/g, '')"
REFUSING = {
    "at its input": (f"i.oninput = () => {{ {DROPS} }}", "abcdef", 'did not take "[a-z]+" and is empty'),
    "at each key": (f"i.onkeyup = () => {{ {DROPS} }}", "abcdef", 'did not take "[a-z]+" and is empty'),
    "before it": (
        "i.onbeforeinput = (event) => { if (/\\D/.test(event.data)) event.preventDefault() }",
        "abcdef",
        'did not take "[a-z]+" and is empty',
    ),
    "a letter": (
        f"i.oninput = () => {{ {DROPS} }}",
        "a",
        'did not take "[a-z]+" and is empty, unless the page took it unseen',
    ),
}


async def test_a_field_that_takes_no_such_text_is_told(sheet: Page, subtests: pytest.Subtests) -> None:
    for what, (script, text, told) in REFUSING.items():
        with subtests.test(what):
            await _show(sheet, FIELD, script)

            with pytest.raises(InvalidArguments, match=told):
                await sheet.fill(await ref(sheet, "F"), text)


async def test_an_appended_text_that_the_page_took_is_not_entered_again(sheet: Page) -> None:
    await _show(sheet, "<input aria-label=F id=i value=123>", f"i.oninput = () => {TAKES}")

    receipt = await sheet.fill(await ref(sheet, "F"), "456", append=True)

    assert (await sheet.evaluate("sent"), receipt.note) == (["123456"], TAKEN)


async def test_a_field_that_the_page_has_emptied_is_not_submitted(sheet: Page) -> None:
    await _show(
        sheet, FIELD, f"i.oninput = () => {TAKES}; i.onkeydown = ({{key}}) => {{ if (key === 'Enter') sent.push(key) }}"
    )

    receipt = await sheet.fill(await ref(sheet, "F"), "123456", submit=True)

    assert (await sheet.evaluate("sent"), receipt.note) == (["123456"], f"{TAKEN}: Enter was not pressed")


@pytest.mark.parametrize("hears", ["input", "keyup"])
async def test_a_secret_that_the_page_took_is_not_entered_again(sheet: Page, hears: str) -> None:
    await _show(sheet, FIELD, f"i.on{hears} = () => {{ {TAKES}; out.textContent = sent.length }}")
    secret = Revealed("123456", ["code"], [await sheet.evaluate("origin")], False)

    receipt = await fill_secret(tab_of(sheet), await ref(sheet, "F"), secret)

    assert (await sheet.evaluate("sent"), receipt.note) == (["123456"], f"<secret:code> was filled in; {TAKEN}")


async def test_a_form_goes_on_and_the_server_gets_the_code_once(
    page: Page, serve: Serve, httpserver: HTTPServer
) -> None:
    codes: list[bytes] = []

    def take(request: Request) -> Response:
        codes.append(request.data)
        return Response("Welcome")

    httpserver.expect_request("/code", method="POST").respond_with_handler(take)
    send = "fetch('/code', {method: 'POST', body: i.value}).then((r) => r.text()).then((t) => out.textContent = t)"
    script = f"<script>i.oninput = () => {{ if (i.value.length === 6) {{ {send}; i.value = '' }} }}</script>"
    await page.goto(serve(f"<form>{FIELD}<input aria-label=Name><button>Go</button></form><p id=out></p>{script}"))
    code, name = await ref(page, "F"), await ref(page, "Name")

    receipt = await page.fill_form({code: "123456", name: "Ada"})
    last = await page.fill_form({name: "Bob", code: "654321"}, submit=True)

    assert codes == [b"123456", b"654321"]
    assert [(each.value, each.note) for each in receipt.fields] == [("", TAKEN), ("Ada", "")]
    assert receipt.changed == ["+ - paragraph: Welcome"]
    assert last.note == "nothing was clicked, since the page took the last one by itself: see whether that was all"


async def test_what_leaves_the_page_as_it_is_clicked_is_not_clicked_again(sheet: Page) -> None:
    opening = (
        "document.querySelector('div').onclick = ({target}) => { sent.push(1); target.outerHTML = target.outerHTML }"
    )
    await _show(sheet, "<div role=textbox tabindex=0 aria-label=F>Edit</div>", opening)

    with pytest.raises(NotInteractable, match="left the page when it was clicked"):
        await sheet.fill(await ref(sheet, "F"), "x")

    assert await sheet.evaluate("sent") == [1]


# As controlled inputs that refuse a text: the field shows it until it is rendered again.
REFUSED_LATER = {
    "in the next frame": "requestAnimationFrame(() => { i.value = '' })",
    "some time later": "setTimeout(() => { i.value = '' }, 20)",
    "in a new field": "setTimeout(() => { i.outerHTML = '<input aria-label=F>' })",
}


async def test_a_text_that_only_vanished_was_not_taken(sheet: Page, subtests: pytest.Subtests) -> None:
    for when, refuse in REFUSED_LATER.items():
        with subtests.test(when):
            await _show(sheet, FIELD, f"i.oninput = () => {refuse}")

            with pytest.raises(InvalidArguments, match='"F" did not take "Ada" and is empty'):
                await sheet.fill(await ref(sheet, "F"), "Ada")

"""What was filled in is sent: by Enter where that does it, else by the button that a person would click."""

from __future__ import annotations

import pytest

from cdp_agent.errors import NotInteractable
from cdp_agent.page.page import Page
from tests.acting import ref
from tests.conftest import Serve
from tests.tables import table
from tests.writing import show

FORM = """<form id=f onsubmit="event.preventDefault();
sent.textContent = JSON.stringify([field.value, event.submitter?.textContent])">
<textarea id=field aria-label=Text></textarea>%s</form>%s<p id=sent></p>"""
EDITOR = """<div><div id=field contenteditable role=textbox aria-multiline=true aria-label=Text></div>
<button onclick="sent.textContent = JSON.stringify([field.innerText.trim(), 'Send'])" %s</button></div>
<p id=sent></p>"""
BUTTON = "<button id=b disabled>Send</button>"
SENT = "sent.textContent && JSON.parse(sent.textContent)"

BY_ITS_BUTTON = {
    "its button": FORM % ("<button>Send</button>", ""),
    "the first of several": FORM
    % ("<button type=button>Bold</button><button>Send</button><button>Preview</button>", ""),
    "a button outside": FORM % ("", "<button form=f>Send</button>"),
    "after a preview": FORM % ("<button>Preview</button><button>Send</button>", ""),
    "after one that would delete it": FORM % ("<button>Delete</button><button>Send</button>", ""),
    "after a hidden one": FORM % ("<button style='display:none'>Hidden</button><button>Send</button>", ""),
    "after a disabled one": FORM % ("<button disabled>Draft</button><button>Send</button>", ""),
    "an editor's": EDITOR % ">Send",
    "an editor's, by its label": EDITOR % "aria-label='Send message'>➤",
}


@table("content", BY_ITS_BUTTON)
async def test_a_text_of_several_lines_is_sent_by_the_button(sheet: Page, content: str) -> None:
    await show(sheet, content)

    receipt = await sheet.fill(await ref(sheet, "Text"), "two\nlines", submit=True)

    text, button = await sheet.evaluate(SENT)
    assert (text, button) in (("two\nlines", "Send"),)
    assert receipt.note.startswith('Enter only added a line, which was taken away; button "Send')
    assert receipt.note.endswith("was clicked")


# Chats take Enter, and so get no click as well.
BY_ENTER = {
    "at once": """onkeydown="if (event.key !== 'Enter') return; event.preventDefault();
        sent.textContent += value; value = ''\"""",
    "at keyup": "onkeyup=\"if (event.key === 'Enter') { sent.textContent += value.trim(); value = '' }\"",
    "by a request": "onkeydown=\"if (event.key === 'Enter') { fetch('/x'); sent.textContent += value }\"",
}


@pytest.mark.parametrize("handler", BY_ENTER.values(), ids=BY_ENTER)
async def test_a_text_that_enter_sends_is_sent_once(page: Page, serve: Serve, handler: str) -> None:
    await page.goto(
        serve(f"""<form onsubmit="event.preventDefault(); sent.textContent += 'again'">
        <textarea aria-label=Text {handler}></textarea><button>Send</button></form><p id=sent></p>""")
    )

    receipt = await page.fill(await ref(page, "Text"), "hello", submit=True)

    assert await page.evaluate("sent.textContent") == "hello"
    assert receipt.note.startswith("Enter was pressed")


async def test_control_enter_sends_where_no_button_does(sheet: Page) -> None:
    await show(
        sheet,
        """<textarea aria-label=Text onkeydown="if (event.key === 'Enter' && event.ctrlKey) {
        sent.textContent = value; value = '' }"></textarea><p id=sent></p>""",
    )

    receipt = await sheet.fill(await ref(sheet, "Text"), "hello", submit=True)

    assert await sheet.evaluate("sent.textContent") == "hello"
    assert "Enter only added a line, which was taken away; Control+Enter was pressed" in receipt.note


UNSENT = {
    "no button": (
        "<textarea aria-label=Text id=field></textarea>",
        "has nothing that sends it: Enter only added a line",
    ),
    "one of two": (
        "<textarea aria-label=Text id=field></textarea><button>Send now</button><button>Send later</button>",
        r'is sent by one of button E\d+ "Send now", button E\d+ "Send later": click it',
    ),
    "a disabled one": (FORM % ("<button disabled>Send</button>", ""), 'utton "Send" of E1 is disabled'),
}


@pytest.mark.parametrize(("content", "why"), UNSENT.values(), ids=UNSENT)
async def test_what_cannot_be_sent_is_an_error_and_stays_as_given(
    sheet: Page, content: str, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cdp_agent.page.actions.actions.DEADLINE_S", 0.2)
    await show(sheet, content)

    with pytest.raises(NotInteractable, match=rf"It was filled in, but not sent\. .*{why}"):
        await sheet.fill(await ref(sheet, "Text"), "hello", submit=True)

    assert await sheet.evaluate("field.value") == "hello"


async def test_a_button_that_the_page_enables_for_the_text_is_waited_for(sheet: Page) -> None:
    enables = "oninput='setTimeout(() => { b.disabled = false }, 40)'"
    await show(sheet, FORM.replace("<textarea", f"<input {enables}").replace("</textarea>", "") % (BUTTON, ""))

    await sheet.fill(await ref(sheet, "Text"), "hello", submit=True)

    assert await sheet.evaluate(SENT) == ["hello", "Send"]

"""Keys and chords arrive in the page as from a keyboard."""

from __future__ import annotations

import pytest

from cdp_agent.errors import InvalidArguments
from cdp_agent.page.actions.keyboard import check_enterable, events_of, press
from cdp_agent.page.actions.keys import KEYS, Chord, find_key, parse_chord, parse_sequence
from cdp_agent.page.page import Page, tab_of
from tests.acting import log, ref
from tests.conftest import Serve
from tests.tables import table
from tests.writing import opened, show

FIELD = """<input id=i value=abc autofocus><script>
window.log = [];
const held = (event) => ["ctrl", "alt", "shift", "meta"].filter((name) => event[name + "Key"]).join("+");
i.focus(); i.setSelectionRange(3, 3);
i.onkeydown = (event) => log.push([event.key, event.code, event.keyCode, event.location, held(event)].join(" ").trim());
i.oninput = () => log.push("= " + i.value);
</script>"""


PRESSED = [
    ("x", ["x KeyX 88 0", "= abcx"]),
    ("X", ["X KeyX 88 0 shift", "= abcX"]),
    ("Shift+x", ["Shift ShiftLeft 16 1 shift", "X KeyX 88 0 shift", "= abcX"]),
    ("!", ["! Digit1 49 0 shift", "= abc!"]),
    ("é", ["é  0 0", "= abcé"]),
    ("Space", ["Space 32 0", "= abc "]),
    ("Numpad5", ["5 Numpad5 101 3", "= abc5"]),
    ("Backspace", ["Backspace Backspace 8 0", "= ab"]),
    ("ctrl + a", ["Control ControlLeft 17 1 ctrl", "a KeyA 65 0 ctrl"]),
    ("Control+Shift+P", ["Control ControlLeft 17 1 ctrl", "Shift ShiftLeft 16 1 ctrl+shift",
                         "P KeyP 80 0 ctrl+shift"]),
    ("Control++", ["Control ControlLeft 17 1 ctrl", "+ Equal 187 0 ctrl+shift"]),
    ("ControlOrMeta+Home", ["Control ControlLeft 17 1 ctrl", "Home Home 36 0 ctrl"]),
    ("cmd+K", ["Meta MetaLeft 91 1 meta", "k KeyK 75 0 meta"]),
    ("F2", ["F2 F2 113 0"]),
]  # fmt: skip


async def test_press(page: Page, serve: Serve, subtests: pytest.Subtests) -> None:
    await page.goto(serve(""))
    for chord, noticed in PRESSED:
        with subtests.test(chord):
            await show(page, FIELD)

            await press((await tab_of(page).frames()).root, chord)

            assert await log(page) == noticed


async def test_press_edits_as_chords_do(page: Page, serve: Serve) -> None:
    await opened(page, serve, FIELD)
    root = (await tab_of(page).frames()).root

    for chord in ("ControlOrMeta+A", "ControlOrMeta+C", "End", "ControlOrMeta+V", "Shift+ArrowLeft", "Delete"):
        await press(root, chord)

    assert await page.evaluate("i.value") == "abcab"


async def test_enter_submits_and_tab_moves_on(page: Page, serve: Serve) -> None:
    form = "<form onsubmit='document.title = 1; return false'><input id=a><input id=b><button></button></form>"
    await opened(page, serve, f"{form}<script>a.focus()</script>")
    root = (await tab_of(page).frames()).root

    await press(root, "Enter")
    await press(root, "Tab")

    assert await page.evaluate("[document.title, document.activeElement.id]") == ["1", "b"]


SEQUENCES = {
    "g i": ["g", "i"],
    "G G": ["G", "G"],
    "Control+K Control+S": ["Control+k", "Control+s"],
    "ctrl + k  s": ["Control+k", "s"],
    "Control++ 1": ["Control++", "1"],
    "Shift Shift": ["Shift", "Shift"],
    "Page Down": ["PageDown"],
    "Control+Page Down x": ["Control+PageDown", "x"],
    "F 1": ["F", "1"],
    " ": [" "],
}


@table("text", [*SEQUENCES])
def test_several_keys_are_read_one_after_the_other(text: str) -> None:
    chords = parse_sequence(text, mac=False)

    assert ["+".join([*each.modifiers, each.key.key]) for each in chords] == SEQUENCES[text]


def test_a_modifier_that_would_be_let_go_before_its_key_is_refused() -> None:
    with pytest.raises(InvalidArguments, match=r"Control is let go before a\. To hold it: Control\+a\."):
        parse_sequence("Control a", mac=False)


def test_a_text_for_keys_is_told_what_types_it() -> None:
    with pytest.raises(InvalidArguments, match=r"text is for type \(as a tool: type_text\)"):
        parse_sequence("hello", mac=False)


# As shortcuts of Vim, Gmail and VS Code: forgotten when the next key does not come soon.
CHORDS = """<p>-</p><script>
let first = "", at = 0;
addEventListener("keydown", event => {
  if (event.key === "Control") return;
  const key = (event.ctrlKey ? "^" : "") + event.key, now = performance.now();
  if (event.ctrlKey) event.preventDefault();
  document.querySelector("p").textContent = now - at < 300 && first ? first + " " + key : "-";
  [first, at] = [key, now];
});
</script>"""


@pytest.mark.parametrize(("keys", "taken"), [("g i", "g i"), ("g g", "g g"), ("Control+K Control+S", "^k ^s")])
async def test_keys_of_one_call_come_before_the_page_forgets_the_first(
    page: Page, serve: Serve, keys: str, taken: str
) -> None:
    await opened(page, serve, CHORDS)

    await page.press(keys)

    assert await page.evaluate("document.querySelector('p').textContent") == taken


@table(
    ("chord", "message"),
    [
        ("Entr", 'There is no key "Entr". Did you mean Enter'),
        ("Control+Entre", 'There is no key "Entre". Did you mean Enter'),
        ("Foo+A", 'There is no key "Foo".'),
        ("A+B", '"A" cannot be held: only Control, Shift, Alt and Meta can.'),
        ("hello", 'There is no key "hello".'),
        ("", 'There is no key "".'),
    ],
)
def test_unknown_keys_are_refused_with_close_ones(chord: str, message: str) -> None:
    with pytest.raises(InvalidArguments) as refused:
        parse_chord(chord, mac=False)

    assert str(refused.value).startswith(message)


@table(
    ("name", "key"),
    [("esc", "Escape"), ("Return", "Enter"), ("del", "Delete"), ("arrowdown", "ArrowDown"),
     ("Up", "ArrowUp"), ("Page Down", "PageDown")],
)  # fmt: skip
def test_keys_have_the_names_that_people_use(name: str, key: str) -> None:
    assert find_key(name) == KEYS[key]


def test_chords_of_a_mac_bring_the_commands_that_they_mean() -> None:
    down = events_of(parse_chord("ControlOrMeta+A", mac=True), mac=True)[1]

    assert (down.key, down.modifiers, down.commands) == ("a", 4, ["selectAll"])  # type: ignore[attr-defined]


def test_modifiers_are_let_go_in_the_opposite_order() -> None:
    events = events_of(Chord(["Control", "Shift"], KEYS["Enter"]))

    assert [(each.type, each.key) for each in events] == [  # type: ignore[attr-defined]
        ("rawKeyDown", "Control"),
        ("rawKeyDown", "Shift"),
        ("rawKeyDown", "Enter"),
        ("keyUp", "Enter"),
        ("keyUp", "Shift"),
        ("keyUp", "Control"),
    ]


TEXTS = {
    "input": "<input aria-label=Text value=abc>",
    "textarea": "<textarea aria-label=Text>abc</textarea>",
    "email": "<input type=email aria-label=Text value=abc>",
    "number": "<input type=number aria-label=Text value=123>",
    "editable": "<div contenteditable role=textbox aria-label=Text>ab<b>c</b></div>",
}
HELD = "(e => e.value ?? e.textContent)(document.querySelector('[aria-label]'))"


async def test_a_key_for_a_text_that_had_no_caret_goes_to_its_end(
    page: Page, serve: Serve, subtests: pytest.Subtests
) -> None:
    await page.goto(serve(""))
    for kind, field in TEXTS.items():
        with subtests.test(kind):
            await show(page, field)

            await page.press("Backspace", ref=await ref(page, "Text"))

            assert await page.evaluate(HELD) in ("ab", "12")


async def test_a_key_for_a_text_leaves_its_caret_where_it_was(
    page: Page, serve: Serve, subtests: pytest.Subtests
) -> None:
    await page.goto(serve(""))
    for kind in ("input", "textarea", "editable"):
        with subtests.test(kind):
            await show(page, TEXTS[kind])
            text = await ref(page, "Text")

            for key in ("Home", "ArrowRight", "Backspace"):
                await page.press(key, ref=text)

            assert await page.evaluate(HELD) == "bc"


async def test_a_key_for_a_text_leaves_what_the_page_selected(page: Page, serve: Serve) -> None:
    await opened(page, serve, "<input aria-label=Text value=abc onfocus='this.setSelectionRange(0, 2)'>")

    await page.press("Backspace", ref=await ref(page, "Text"))

    assert await page.evaluate("document.querySelector('input').value") == "c"


async def test_a_text_that_would_keep_the_tab_busy_is_refused_before_anything_is_done(page: Page, serve: Serve) -> None:
    await opened(page, serve, "<input aria-label=F value=before>")
    field = await ref(page, "F")
    text = "x" * 10_000_000

    for filled in (page.fill(field, text), page.type(text, ref=field)):
        with pytest.raises(InvalidArguments) as refused:
            await filled

        assert str(refused.value) == (
            "The text has 10,000,000 characters, and a page takes at most 1,000,000 at a time. Nothing was entered: "
            "give less, or upload it as a file."
        )
    assert await page.evaluate("document.querySelector('input').value") == "before"


def test_a_text_of_a_million_characters_may_be_entered() -> None:
    check_enterable("x" * 1_000_000)

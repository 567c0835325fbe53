"""A text that is typed: its keys wait for the field that the first of them opens, and follow the focus."""

from __future__ import annotations

import time

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from cdp_agent.errors import InvalidArguments
from cdp_agent.page.page import Page
from tests.acting import ref
from tests.conftest import Serve
from tests.writing import opened, show

# As the cells of grids and of data editors: the field comes some time after the key that opens it, with that key in it.
CELLS = """<div id=grid>%s</div><script>
const cells = [...grid.querySelectorAll(".cell")];
for (const cell of cells) cell.addEventListener("keydown", event => {
  if (event.target !== cell || event.key.length > 1 || cell.opening) return;
  cell.opening = true;
  event.preventDefault();
  setTimeout(() => {
    cell.textContent = "";
    cell.innerHTML = `%s`;
    const field = cell.firstElementChild;
    const text = "value" in field ? "value" : "textContent";
    field[text] = event.key;
    field.focus();
    if (text === "value") field.setSelectionRange(1, 1);
    else getSelection().collapse(field.firstChild, 1);
    field.onkeydown = ended => {
      if (ended.key !== "Enter") return;
      ended.preventDefault();
      ended.stopPropagation();
      setTimeout(() => {
        cell.textContent = field[text];
        cell.opening = false;
        (cells[cells.indexOf(cell) + 1] ?? cell).focus();
      }, 40);
    };
  }, %d);
});
cells[0].focus();
</script>"""
ROWS = "<div class=cell tabindex=0></div>" * 3
SHOWN = "[...document.querySelectorAll('.cell')].map(each => each.firstElementChild?.value ?? each.textContent)"


@pytest.mark.parametrize("delay_ms", [0, 30, 80, 200])
async def test_the_keys_wait_for_the_field_that_the_first_one_opens(page: Page, serve: Serve, delay_ms: int) -> None:
    await opened(page, serve, CELLS % (ROWS, "<input>", delay_ms))

    await page.type("12345")

    assert await page.evaluate(SHOWN) == ["12345", "", ""]


@pytest.mark.parametrize("field", ["<input>", "<textarea></textarea>", "<p contenteditable></p>"])
async def test_each_line_opens_the_field_of_the_next_cell(page: Page, serve: Serve, field: str) -> None:
    await opened(page, serve, CELLS % (ROWS, field, 50))

    await page.type("12\n34\n5x\n")

    assert await page.evaluate(SHOWN) == ["12", "34", "5x"]


async def test_the_keys_wait_for_a_field_in_a_shadow_root(page: Page, serve: Serve) -> None:
    await opened(page, serve, """<x-cell tabindex=0></x-cell><script>
      const cell = document.querySelector("x-cell");
      const root = cell.attachShadow({mode: "open"});
      cell.onkeydown = event => root.firstChild || setTimeout(() => {
        root.innerHTML = "<input>";
        root.firstChild.value = event.key;
        root.firstChild.focus();
      }, 60);
      cell.focus();
    </script>""")  # fmt: skip

    await page.type("12345")

    assert await page.evaluate("document.querySelector('x-cell').shadowRoot.firstChild.value") == "12345"


@pytest.mark.parametrize("other_site", [False, True], ids=["same site", "other site"])
async def test_the_keys_wait_for_a_field_in_a_frame(page: Page, serve: Serve, other_site: bool) -> None:
    cell = "<div class=cell tabindex=0 role=button aria-label=Cell></div>"
    inner = serve(CELLS % (cell, "<input>", 60), other_site=other_site)
    await page.goto(serve(f"<iframe src='{inner}'></iframe>"))

    receipt = await page.type("12345", ref=await ref(page, "Cell"))

    assert ": 12345" in receipt.text


async def test_the_keys_wait_for_an_editor_that_is_loaded_first(
    page: Page, serve: Serve, httpserver: HTTPServer
) -> None:
    """As of data editors that load the editor of a cell when the first one is opened."""

    def answer(_: Request) -> Response:
        time.sleep(0.5)
        return Response("globalThis.loaded()", content_type="text/javascript")

    httpserver.expect_request("/editor.js").respond_with_handler(answer)
    script = httpserver.url_for("/editor.js")
    await opened(page, serve, f"""<canvas tabindex=0></canvas><script>
      const canvas = document.querySelector("canvas");
      canvas.onkeydown = event => {{
        globalThis.loaded = () => {{
          document.body.insertAdjacentHTML("beforeend", "<div class=overlay><textarea></textarea></div>");
          const area = document.querySelector("textarea");
          area.value = event.key;
          area.focus();
        }};
        import("{script}");
      }};
      canvas.focus();
    </script>""")  # fmt: skip

    await page.type("12")

    assert await page.evaluate("document.querySelector('textarea').value") == "12"


async def test_the_keys_of_a_code_follow_the_focus_from_box_to_box(page: Page, serve: Serve) -> None:
    boxes = "<input size=1 maxlength=1 aria-label=Digit>" * 6
    await opened(page, serve, f"""{boxes}<script>
      for (const box of document.querySelectorAll("input"))
        box.oninput = () => setTimeout(() => box.nextElementSibling?.focus(), 40);
      document.querySelector("input").focus();
    </script>""")  # fmt: skip

    await page.type("123456")

    assert await page.evaluate("[...document.querySelectorAll('input')].map(each => each.value).join('')") == "123456"


async def test_the_keys_follow_a_field_that_is_replaced_at_the_first_one(page: Page, serve: Serve) -> None:
    await opened(page, serve, """<input><script>
      const field = document.querySelector("input");
      field.onkeydown = event => {
        event.preventDefault();
        setTimeout(() => {
          const other = document.createElement("input");
          field.replaceWith(other);
          other.value = event.key;
          other.focus();
        }, 50);
      };
      field.focus();
    </script>""")  # fmt: skip

    await page.type("12345")

    assert await page.evaluate("document.querySelector('input').value") == "12345"


async def test_keys_that_open_nothing_are_not_held_up_again(page: Page, serve: Serve) -> None:
    await opened(page, serve, "<div tabindex=0 id=game></div><script>game.focus()</script>")
    await page.evaluate("""() => {
        globalThis.times = [];
        addEventListener("keydown", () => times.push(performance.now()));
    }""")

    await page.type("word\ngame")

    pauses = await page.evaluate("times.slice(1).map((each, index) => each - times[index])")
    assert len([each for each in pauses if each > 200]) <= 1


async def test_a_field_that_drops_what_was_typed_is_named(page: Page, serve: Serve) -> None:
    await opened(page, serve, CELLS % (ROWS, "<input aria-label=Cell maxlength=3>", 20))

    with pytest.raises(InvalidArguments, match=r'extbox.* "Cell" holds "123", not "12345"'):
        await page.type("12345")


LATE = """<div id=cell tabindex=0 style="width:99px;height:20px"></div><p id=done></p><script>
cell.focus(); cell.onkeydown = ({key}) => { if (document.querySelector('input')) return; setTimeout(() => {
  cell.insertAdjacentHTML('afterend', '<input aria-label=Cell>');
  const field = document.querySelector('input'); field.focus(); %s
  field.onkeydown = ({key}) => { if (key === 'Enter') { done.textContent = field.value; field.remove() } };
}, %d) }; window.onkeydown = (event) => { if (event.target === cell) event.preventDefault() }</script>"""
OPENS_WRONG = {
    "without the first key": ("", 40, "-5\n", "5"),
    "without a point": ("field.value = key; field.oninput = () => { field.value = field.value.replace('.', '') };",
                        40, "14.50\n", "1450"),
    "too late": ("field.value = key;", 650, "12345\n", "1"),
}  # fmt: skip


async def test_an_editor_that_lacks_what_was_typed_is_an_error_and_takes_nothing_over(
    sheet: Page, subtests: pytest.Subtests
) -> None:
    for how, (opens, after_ms, text, held) in OPENS_WRONG.items():
        with subtests.test(how):
            await show(sheet, LATE % (opens, after_ms))

            with pytest.raises(InvalidArguments, match=f'"Cell" holds "{held}", not "{text.strip()}'):
                await sheet.type(text)

            assert await sheet.evaluate("done.textContent") == ""


async def test_a_field_that_drops_the_first_key_is_an_error(sheet: Page) -> None:
    await show(sheet, "<input aria-label=F oninput='this.value = this.value.replace(/-/, String())'>")

    with pytest.raises(InvalidArguments, match='"F" holds "5", not "-5"'):
        await sheet.type("-5", ref=await ref(sheet, "F"))


@pytest.mark.parametrize("text", ["12\n", "E5", "-x"])
async def test_whatever_is_typed_is_a_text(page: Page, serve: Serve, text: str) -> None:
    await show(page, "<textarea aria-label=F></textarea>")

    await page.type(text, ref=await ref(page, "F"))

    assert await page.evaluate("document.querySelector('textarea').value") == text


async def test_keys_behind_one_that_opens_an_editor_wait_for_it(sheet: Page) -> None:
    await show(sheet, LATE % ("", 120))

    await sheet.press("F2 a b Enter")

    assert await sheet.evaluate("done.textContent") == "ab"

"""Half of a character, which JavaScript's strings may hold and no UTF-8 does, keeps nothing from being read or done."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from cdp_agent.browser import Browser
from cdp_agent.errors import InvalidArguments
from cdp_agent.page.page import Page, tab_of
from cdp_agent.page.tab.dialog_policy import DialogPolicy
from cdp_agent.page.tab.dialogs import dialogs_answered
from cdp_agent.tools import BUILT_IN

from .acting import ref
from .conftest import Serve
from .test_tools_more import call

HALVES = ["\udc00", "\ud800", "a\ud83db", "\ude00\ud83d"]
EVERYWHERE = """<body><script>
const say = %s;
document.title = 'T' + say;
const put = (tag, attributes, text = 'x' + say) => {
  const element = Object.assign(document.createElement(tag), {textContent: text});
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  document.body.append(element);
  return element;
};
put('p', {title: 'x' + say, id: 'x' + say, class: 'x' + say, 'data-x': 'x' + say});
put('a', {href: '/' + say + '?' + say + '#' + say});
put('input', {'aria-label': 'F'}, '').value = 'x' + say;
put('textarea', {'aria-label': 'x' + say, placeholder: 'x' + say}, '').value = 'x' + say;
put('select', {'aria-label': 'L'}, '').append(new Option('x' + say, 'x' + say));
put('iframe', {title: 'x' + say, name: 'x' + say, srcdoc: '<p>x' + say}, '');
put('div', {}, '').attachShadow({mode: 'closed'}).textContent = 'x' + say;
put('div', {contenteditable: '', 'aria-label': 'E'});
put('table', {}, '').insertRow().insertCell().textContent = 'x' + say;
put('button', {}, 'Go').onclick = () => {
  console.log(say); console.error(new Error(say)); alert('x' + say); confirm('x' + say); prompt('x' + say, 'x' + say);
  fetch('/' + say).catch(() => {}); location.hash = say; document.title = 'U' + say;
  document.querySelector('p').textContent = 'y' + say; open('about:blank#' + say);
};
localStorage.setItem('x' + say, 'x' + say);
document.cookie = 'x=' + say;
history.replaceState({say}, 'x' + say, '?' + say);
</script>"""


EACH = "x".join(HALVES)
"""It begins and ends with half of a character, too."""


async def test_a_page_is_read_whatever_half_it_holds(browser: Browser, page: Page, serve: Serve) -> None:
    await page.goto(serve(EVERYWHERE % json.dumps(EACH)))
    told: dict[str, Any] = {
        "snapshot": {},
        "get_html": {},
        "get_schema": {},
        "search_page": {"pattern": "x"},
        "find_elements": {"selector": "p,a,input", "attributes": ["title", "id", "class", "data-x", "href", "value"]},
    }

    for name, arguments in told.items():
        text = (await call(name, page, browser, **arguments)).text
        assert "x" in text
        text.encode()
    await page.markdown()
    assert (await page.evaluate(f"'x' + {json.dumps(EACH)}")).startswith("x")
    with pytest.raises(Exception, match="x"):
        await page.evaluate(f"(() => {{ throw new Error('x' + {json.dumps(EACH)}) }})()")
    await page.screenshot(marks=True)
    (await tab_of(page).read()).text.encode()


async def test_what_comes_of_an_action_is_told_whatever_half_it_holds(page: Page, serve: Serve) -> None:
    await page.goto(serve(EVERYWHERE % json.dumps(EACH)))

    with dialogs_answered(DialogPolicy.all("accept")):
        receipt = await page.click(await ref(page, "Go"))

    assert [each.kind for each in receipt.dialogs] == ["alert", "confirm", "prompt"]
    assert len(receipt.new_tabs) == 1
    receipt.text.encode()


@pytest.mark.parametrize("half", HALVES[:2], ids=ascii)
def test_a_call_with_halves_is_refused_with_what_is_wrong(half: str) -> None:
    with pytest.raises(InvalidArguments, match="the arguments are not JSON"):
        BUILT_IN["fill"].parse(json.dumps({"ref": "E1", "value": f"x{half}y"}))


async def test_half_a_character_is_not_entered_and_neither_is_what_is_around_it(
    page: Page, serve: Serve, subtests: pytest.Subtests
) -> None:
    await page.goto(serve("<input aria-label=F value=before autofocus>"))
    field = await ref(page, "F")
    calls: dict[str, Callable[[str], Awaitable[object]]] = {
        "fill": lambda text: page.fill(field, text),
        "append": lambda text: page.fill(field, text, append=True),
        "type": lambda text: page.type(text, ref=field),
        "type where the focus is": lambda text: page.type(text),
    }

    for way, call_with in calls.items():
        for half in HALVES:
            with subtests.test(way, half=ascii(half)):
                with pytest.raises(InvalidArguments, match=r"The text holds \\ud.* at \d, half of a character"):
                    await call_with(f"ab{half}c")

                assert await page.evaluate("document.querySelector('input').value") == "before"

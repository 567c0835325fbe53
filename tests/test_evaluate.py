"""A script of the caller's gives its value as JSON, or an error that names what has none: never `{}` for it."""

from __future__ import annotations

from typing import Any

import pytest

from cdp_agent.errors import InvalidArguments, ScriptError
from cdp_agent.page.page import Page
from tests.writing import show

SHOWN = "<p id=shown>Tea</p>"
VALUES: dict[str, Any] = {
    "() => shown.textContent": "Tea",
    "async () => (await Promise.resolve(shown)).textContent": "Tea",
    "function () { return shown.textContent }": "Tea",
    "async function read() { return shown.textContent }": "Tea",
    "// the text\n() => shown.textContent // no more": "Tea",
    "/* that */ ((() => shown.textContent));": "Tea",
    "document.querySelector('#shown').textContent;": "Tea",
    "const first = 1; first + 1": 2,
    "{a: 1, 'b': [, undefined, null]}": {"a": 1, "b": [None, None, None]},
    "{ const inner = 1; inner }": 1,
    "undefined": None,
    "-0": 0,
    "new Date(0)": "1970-01-01T00:00:00.000Z",
    "new DOMPoint(1, 2)": {"x": 1, "y": 2, "z": 0, "w": 1},
    "((both) => [both, both])([1])": [[1], [1]],
    "new (class Mug { price = 5 })": {"price": 5},
    "Promise.resolve({then: null})": {"then": None},
    "JSON.parse('{\"__proto__\": [1]}')": {"__proto__": [1]},
}
NO_JSON = {
    "shown": "HTMLParagraphElement",
    "() => ({list: [shown]})": "HTMLParagraphElement at .list[0]",
    "window": "Window",
    "({a: {'b c': () => 1}})": 'function at .a["b c"]',
    "shown.onclick = () => { shown.remove() }": "function",
    "document.write": "function",
    "Symbol('x')": "Symbol",
    "1n": "bigint",
    "[1n]": "bigint at [0]",
    "NaN": "NaN",
    "[-Infinity]": "-Infinity at [0]",
    "new Map([[1, 2]])": "Map",
    "({set: new Set})": "Set at .set",
    "new Uint8Array(2)": "Uint8Array",
    "/x/": "RegExp",
    "new Error('x')": "Error",
    "[Promise.resolve(1)]": "Promise at [0]",
    "new (class Mug { #price = 5 })": "Mug",
    "const ring = {}; ring.ring = ring; ring": "an object inside itself at .ring",
}
THROWN = {
    "() => { throw new TypeError('no') }": "TypeError: no\n    at <anonymous>:1:16",
    "async () => { throw 'plain' }": 'Uncaught (in promise) "plain"',
    "Promise.reject({code: 5})": "Object",
    "a b": "SyntaxError: Unexpected identifier 'b'",
    "class Mug {}": "TypeError: Class constructor Mug cannot be invoked without 'new'",
}


async def test_functions_are_called_and_values_are_json(sheet: Page, subtests: pytest.Subtests) -> None:
    await show(sheet, SHOWN)
    for source, value in VALUES.items():
        with subtests.test(source):
            assert await sheet.evaluate(source) == value


async def test_what_has_no_json_value_is_named(sheet: Page, subtests: pytest.Subtests) -> None:
    await show(sheet, SHOWN)
    for source, what in NO_JSON.items():
        with subtests.test(source), pytest.raises(ScriptError) as raised:
            await sheet.evaluate(source)
        assert f"It ran, but gave what is no JSON value: {what}. Give what you need" in str(raised.value), source


async def test_what_a_script_throws_is_told_without_our_own_part_of_the_stack(
    sheet: Page, subtests: pytest.Subtests
) -> None:
    for source, thrown in THROWN.items():
        with subtests.test(source), pytest.raises(ScriptError) as raised:
            await sheet.evaluate(source)
        assert str(raised.value) == thrown


async def test_a_function_takes_json_arguments(sheet: Page) -> None:
    assert await sheet.evaluate("(one, {two}, ...rest) => [two, one, rest]", "a", {"two": None}, [2.5], True) == [
        None, "a", [[2.5], True],
    ]  # fmt: skip

    with pytest.raises(InvalidArguments, match=r"JSON values: Object of type object"):
        await sheet.evaluate("(it) => it", object())
    with pytest.raises(InvalidArguments, match="JSON values: Out of range"):
        await sheet.evaluate("(it) => it", float("nan"))
    with pytest.raises(InvalidArguments, match="Arguments are for a function"):
        await sheet.evaluate("document", 1)


@pytest.mark.parametrize(
    "source",
    ["++n, JSON.parse('{')", "() => { n++; JSON.parse('{') }", "n++; JSON.parse('{')"],
    ids=lambda source: source,
)
async def test_a_script_whose_own_parsing_fails_is_not_run_again(sheet: Page, source: str) -> None:
    await sheet.evaluate("globalThis.n = 0")

    with pytest.raises(ScriptError, match="in JSON at position"):
        await sheet.evaluate(source)

    assert await sheet.evaluate("n") == 1


async def test_nothing_is_left_in_the_page(sheet: Page) -> None:
    before = await sheet.evaluate("Object.getOwnPropertyNames(globalThis).length")

    await sheet.evaluate("function named() { return {a: 1} }")

    assert await sheet.evaluate("Object.getOwnPropertyNames(globalThis).length") == before

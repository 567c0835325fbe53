"""What pages log and throw: kept by Chrome, asked for when somebody wants it, told where an action caused it."""

from __future__ import annotations

import pytest

from cdp_agent.errors import InvalidArguments
from cdp_agent.page.activity.console import Level
from cdp_agent.page.page import Page
from tests.acting import ref
from tests.conftest import Serve
from tests.writing import opened

LOGS = """<script>
console.log('Saved', 42, {a: 1}); console.warn('careful'); console.error(new Error('boom'));
setTimeout(() => { setTimeout(() => Promise.reject('no reason')); throw new TypeError('late'); });
</script><h1>Hi</h1>"""


async def test_what_was_logged_and_thrown_before_anybody_asked_is_told(page: Page, serve: Serve) -> None:
    await page.goto(serve(LOGS))

    found = await page.console()

    assert [(each.level, each.text.partition("\n")[0], each.uncaught) for each in found.messages] == [
        ("log", "Saved 42 {a: 1}", False),
        ("warning", "careful", False),
        ("error", "Error: boom", False),
        ("error", "Uncaught TypeError: late", True),
        ("error", "Uncaught (in promise) no reason", True),
    ]
    assert found.messages[-1].line == 3
    levels: list[Level] = ["all", "warning", "error"]
    assert [(await page.console(level=level)).total for level in levels] == [5, 4, 3]

    await page.goto(serve("<h1>quiet</h1>"))

    assert (await page.console()).messages == []  # a new document begins with nothing


VALUES = {
    "{code: 'E-417', retry: false, at: null}": '{code: "E-417", retry: false, at: null}',
    "[1, 'two', {three: 3}], {}": '[1, "two", {…}] {}'.replace("{…}", "{three: 3}"),
    "new Map([['a', {b: 1}]]), new Set([1, 'x'])": 'Map(1) {"a" => {b: 1}} Set(2) {1, "x"}',
    "new (class Order { id = 7; lines = [1] })": "Order {id: 7, lines: [1]}",
    "{error: {code: 'E-417', at: {line: 3}}}": '{error: {code: "E-417", at: Object}}',
    "'%s has %d%%', 'Ada', 3, {}": "Ada has 3% {}",
    "'%cred', 'color: red', {a: 1}": "red {a: 1}",
    "'%cSaved %d of %s in %o', 'color: red', 2.9, 'four', true, 'rest'": "Saved 2 of four in true rest",
    "'%i, %f, %d, %s', '42px', '1.5em', 'x'": "42, 1.5, NaN, %s",
    "'a %d', {a: 1}": "a NaN",
    "{e: new TypeError('late'), f() {}, d: null}": None,
    "document.documentElement, {}": "html {}",
    "Symbol('s'), {n: 5n, s: Symbol('t')}": "Symbol(s) {n: 5n, s: Symbol(t)}",
    "[[1, [2]], new Date(NaN), /x/g], new WeakMap()": None,
    "[undefined, null, NaN, -0], {}": "[undefined, null, NaN, -0] {}",
    "Object.fromEntries(Array.from({length: 9}, (_, i) => [`k${i}`, i]))": "{k0: 0, k1: 1, k2: 2, k3: 3, k4: 4, …}",
    "{get late() { window.noticed = 1; return 2 }}": "{late: (…)}",
    "new Proxy({}, {get() { window.noticed = 1 }, ownKeys() { window.noticed = 1; return [] }})": "Proxy(Object) {}",
    "{p: new Proxy({}, {get() { window.noticed = 1 }, ownKeys() { window.noticed = 1; return [] }})}": None,
    "'a', 1, 'b'": "a 1 b",
    "['a', 'b']": '["a", "b"]',
    "[[1, 2], [3]]": "[[1, 2], [3]]",
    "[]": "[]",
    "''": "",
    "'1,000 rows'": "1,000 rows",
    "'No Error'": "No Error",
}


async def test_logged_values_are_told_and_the_page_notices_nothing(page: Page, serve: Serve) -> None:
    scripts = "\n".join(f"console.log({written});" for written in VALUES)
    await page.goto(serve(f"<script>{scripts}</script>"))

    texts = [message.text for message in (await page.console()).messages]

    pairs = zip(texts, VALUES.values(), strict=True)
    assert [text for text, told in pairs if told is not None and text != told] == []
    assert texts[list(VALUES).index("{e: new TypeError('late'), f() {}, d: null}")].startswith("{e: TypeError: late")
    assert await page.evaluate("typeof window.noticed") == "undefined"


async def test_thrown_objects_are_told(page: Page, serve: Serve) -> None:
    values = ["{code: 7}", "new (class Refused { at = [1] })", "[1, 'two']", "null", "undefined", "Symbol('s')", "-0"]
    throws = "".join(f"setTimeout(() => {{ throw {value} }});" for value in values)
    await page.goto(serve(f"<script>{throws} Promise.reject({{code: 7}});</script>"))

    texts = {message.text.removeprefix("Uncaught ") for message in (await page.console(level="error")).messages}

    told = {"{code: 7}", "(in promise) {code: 7}", "Refused {at: [1]}", '[1, "two"]'}
    assert texts == {*told, "null", "undefined", "Symbol(s)", "-0"}


async def test_an_error_is_told_with_the_place_where_it_was_made(page: Page, serve: Serve) -> None:
    await page.goto(serve("<script>function inner() { console.log(new RangeError('too much')) } inner()</script>"))

    (message,) = (await page.console()).messages

    first, second = message.text.split("\n")
    assert first == "RangeError: too much"
    assert second.startswith("    at inner (http")


async def test_the_same_place_logs_plain_texts_and_objects(page: Page, serve: Serve) -> None:
    await page.goto(serve("<script>for (const value of ['a', {n: 1}, 'b', {n: 2}]) console.log(value)</script>"))

    assert [message.text for message in (await page.console()).messages] == ["a", "{n: 1}", "b", "{n: 2}"]


async def test_the_latest_with_a_text_are_told_and_all_counted(page: Page, serve: Serve) -> None:
    await page.goto(
        serve("<script>for (let i = 0; i < 30; i++) console.log(`row ${i}`, i % 2 ? 'odd' : 'even')</script>")
    )

    found = await page.console(text="ODD", max_results=2)

    assert ([each.text for each in found.messages], found.total) == (
        ["row 27 27 odd".replace("27 ", "", 1), "row 29 odd"],
        15,
    )


async def test_those_of_frames_in_other_processes_are_told(page: Page, serve: Serve) -> None:
    inner = serve("<script>console.info('from the frame')</script>", other_site=True)
    await page.goto(serve(f"<script>console.log('from the page')</script><iframe src='{inner}'></iframe>"))

    assert {each.text for each in (await page.console()).messages} == {"from the page", "from the frame"}


async def test_a_bad_level_is_told(page: Page) -> None:
    with pytest.raises(InvalidArguments, match="level is error, warning, all, not 'loud'"):
        await page.console(level="loud")  # type: ignore[arg-type]


async def test_a_page_cannot_notice_that_its_console_is_read(page: Page, serve: Serve) -> None:
    await opened(
        page,
        serve,
        """<script>
        window.seen = [];
        const error = new Error('trap');
        for (const name of ['stack', 'message', 'name'])
            Object.defineProperty(error, name, {get() { seen.push(name); return 'x'; }});
        Error.prepareStackTrace = () => seen.push('stack trace');
        console.log(error, new Proxy({}, {get() { seen.push('get'); }, ownKeys() { seen.push('keys'); return []; }}));
        seen.length = 0;
        </script>""",
    )

    await page.console()

    assert await page.evaluate("seen") == []


async def test_a_receipt_tells_what_an_action_made_a_script_throw(page: Page, serve: Serve) -> None:
    await opened(
        page,
        serve,
        """<script>setTimeout(() => { throw new Error('long ago'); })</script>
        <button onclick="nothing.here()">Save</button><button>Other</button>""",
    )

    receipt = await page.click(await ref(page, "Save"))

    assert [each.partition(" (")[0] for each in receipt.uncaught] == ["ReferenceError: nothing is not defined"]
    assert "uncaught in the page: ReferenceError: nothing is not defined" in receipt.text
    assert (await page.click(await ref(page, "Other"))).uncaught == []


async def test_as_much_thrown_in_the_next_document_is_told_as_well(page: Page, serve: Serve) -> None:
    throwing = serve("<button onclick='nothing.here()'>Save</button>")
    for _ in range(2):
        await page.goto(throwing)

        receipt = await page.click(await ref(page, "Save"))

        assert len(receipt.uncaught) == 1

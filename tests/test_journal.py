"""Who caused a change: what js/activity/journal.js answers by how a node has behaved."""

from pathlib import Path

from cdp_agent import Page
from cdp_agent.page import js
from tests.acting import ref, running_after
from tests.conftest import Serve

RESTLESS = {
    "three changes": ([4, 4.5, 5], 5.9, True),
    "three changes, and quiet for as long": ([4, 4.5, 5], 6.4, False),
    "three changes long ago": ([4, 4.5, 5], 300, False),
    "three changes and two new ones": ([4, 4.5, 5, 20, 20.5], 21, True),
    "three changes and a new one": ([4, 4.5, 5, 20], 20.5, False),
    "one change": ([4], 4.1, False),
    "two changes, the next when it was to come": ([4, 5], 6.1, True),
    "a clock of 20 ms": ([at / 50 for at in range(500)], 10, True),
    "a clock of 1 s, a tick of which is late": (list(range(20)), 20.9, True),
    "a clock of 10 s": ([0, 10, 20], 30.1, True),
    "a clock of 60 s": ([0, 60, 120], 180.2, True),
    "changes that have nothing to do with each other": ([0, 3600, 7200], 7201, False),
    "one that ticked for an hour and stopped": (list(range(3600)), 3603, False),
    "one that paused and goes on": ([0, 1, 2, 600, 601, 602], 603, True),
    "bursts, within one": ([0, 0.1, 0.2, 20, 20.1, 20.2], 20.3, True),
    "bursts, between them": ([0, 0.1, 0.2, 20, 20.1, 20.2], 22, False),
}
"""When a node changed by itself and when one looks, in seconds, and whether it is a clock then."""


def source() -> str:
    folder = Path(js.__file__).parent
    files = ("core/lifetime.js", "core/dom.js", "core/text.js", "activity/journal.js")
    return "".join((folder / name).read_text("utf-8") for name in files) + "journal.acted = true;\n"


async def test_what_has_been_quiet_as_long_as_it_was_restless_is_no_clock(sheet: Page) -> None:
    clocks = await sheet.evaluate(
        f"""(rows) => {{
            {source()}
            return rows.map(([changes, looked]) => {{
                const node = document.createElement("p");
                for (const at of changes) recordIdleChange(node, at * 1000);
                return isRestless(behaviours.get(node), looked * 1000);
            }});
        }}""",
        [[changes, looked] for changes, looked, _ in RESTLESS.values()],
    )

    assert dict(zip(RESTLESS, clocks, strict=True)) == {what: row[2] for what, row in RESTLESS.items()}


CAUSES = {
    "right after the input": ([], 10.0, 10.01, "text", "action"),
    "late, where nothing had changed": ([], 10.0, 14.0, "text", "action"),
    "right after the input, where something changed just before": ([9.5], 10.0, 10.01, "text", "unknown"),
    "late, where something changed long ago": ([3.0], 10.0, 14.0, "text", "action"),
    "late, where something changed just before": ([9.5], 10.0, 14.0, "text", "unknown"),
    "late, in a document that is new": ([], 0.5, 4.0, "text", "unknown"),
    "a clock": ([7.0, 8.0, 9.0], 9.5, 10.0, "text", "page"),
    "a clock, right after the input": ([7.0, 8.0, 9.0], 9.99, 10.0, "text", "page"),
    "a clock that has stopped": ([1.0, 2.0, 3.0], 10.0, 14.0, "text", "action"),
    "a clock that stops while one waits": ([7.0, 8.0, 9.0], 9.5, 20.0, "text", "page"),
    "an attribute right after the input": (
        [],
        10.0,
        10.01,
        "attribute",
        "unknown: an attribute, which the mouse alone may change",
    ),
    "an attribute of what changes by itself": (
        [7.0, 8.0, 9.0],
        9.5,
        10.0,
        "attribute",
        "page: it changed by itself before",
    ),
    "a text that is gone": ([], 10.0, 10.01, "emptied", "unknown: no text is there any more"),
    "before the input": ([], None, 10.0, "text", "unknown"),
}
"""When a node changed while nobody acted, when the input came, and when what changed, in seconds since the document was
there; and who caused that."""


async def test_who_caused_a_change(sheet: Page) -> None:
    causes = await sheet.evaluate(
        f"""(rows) => {{
            {source()}
            return rows.map(([before, input, at, kind]) => {{
                const node = document.createElement("p");
                if (kind !== "emptied") node.textContent = "Saved";
                observedSince.set(node, 0);
                for (const each of before) recordIdleChange(node, each * 1000);
                const inputAt = input === null ? Infinity : input * 1000;
                const {{ by, why }} = causeOf(node, kind !== "attribute", at * 1000, inputAt);
                return kind === "text" ? by : `${{by}}: ${{why}}`;
            }});
        }}""",
        [list(row[:4]) for row in CAUSES.values()],
    )

    assert dict(zip(CAUSES, causes, strict=True)) == {what: row[4] for what, row in CAUSES.items()}


CLOCK = """<title>Page</title><p role=status id=clock>12 people</p><ul id=list><li>Mug</ul>
<button onclick="setTimeout(() => { list.innerHTML += '<li>A new order' }, 300)">New order</button>
<script>let people = 12; function tick() { clock.textContent = `${++people} people` }</script>"""
TICKS = "new Promise((done) => { let n = 4; const go = () => { tick(); --n ? setTimeout(go, 80) : done() }; go() })"


async def test_the_log_tells_the_cause_of_each_change(page: Page, serve: Serve) -> None:
    await page.goto(serve(CLOCK))
    button = await ref(page, "New order")
    await page.evaluate("new Promise((done) => setTimeout(done, 1200))")  # the document is no longer new
    await page.evaluate(TICKS)

    async with running_after(page, "aimed at", "tick()"), running_after(page, "the mouse hit it", "tick()"):
        receipt = await page.click(button)

    causes = {line.text for line in receipt.log if line.kind == "change"}
    assert any("people" in text and "the page by itself (it changed by itself before, " in text for text in causes)
    assert any(
        text.startswith('ul "Mug" changed') and "cause: the action (nothing had changed there before" in text
        for text in causes
    )

"""The page of a trace, in a real browser: what it shows, and what it never does."""

from __future__ import annotations

import json
import os
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from cdp_agent.browser import Browser
from cdp_agent.cdp import emulation
from cdp_agent.errors import SetupError
from cdp_agent.page.actions.keyboard import press
from cdp_agent.page.page import Page, tab_of
from cdp_agent.trace import write_html
from cdp_agent.trace.html import MOST_BYTES
from tests.commands import Cli

EVIL = '</script><script>document.title = "taken"</script><img src=x onerror="document.title=\'taken\'"><!--'
PIXEL = bytes.fromhex(
    "ffd8ffe000104a46494600010100000100010000ffdb004300080606070605080707070909080a0c140d0c0b0b0c1912130f141d1a1f1e1d"
    "1a1c1c20242e2720222c231c1c2837292c30313434341f27393d38323c2e333432ffc0000b080001000101011100ffc4001f000001050101"
    "0101010100000000000000000102030405060708090a0bffc400b5100002010303020403050504040000017d010203000411051221314106"
    "13516107227114328191a1082342b1c11552d1f02433627282090a161718191a25262728292a3435363738393a434445464748494a535455"
    "565758595a636465666768696a737475767778797a838485868788898a92939495969798999aa2a3a4a5a6a7a8a9aab2b3b4b5b6b7b8b9ba"
    "c2c3c4c5c6c7c8c9cad2d3d4d5d6d7d8d9dae1e2e3e4e5e6e7e8e9eaf1f2f3f4f5f6f7f8f9faffda0008010100003f00fbd3ffd9"
)


def written(folder: Path, *, steps: int = 3, task: str = "Buy two mugs", cost: float = 0.002) -> Path:
    """The folder of a run as a recorder writes it, with pages of some length and a step that failed."""
    (folder / "pictures").mkdir(parents=True)
    (folder / "pictures/0001.jpeg").write_bytes(PIXEL)
    files: dict[str, list[dict[str, Any]]] = {
        name: [] for name in ("events", "model", "pictures", "network", "console")
    }
    at = 1_700_000_000.0

    def add(where: str, kind: str, step: int, **rest: Any) -> None:
        files[where].append({"type": kind, "timestamp": at, "step": step, **rest})

    files["events"].append({"type": "trace:started", "format": 1})
    add(
        "events",
        "task:setup",
        0,
        task=task,
        provider="openai",
        model="gpt",
        url="https://shop.example",
        browser="Chrome",
    )
    add(
        "events",
        "task:started",
        0,
        task=task,
        success_criteria="Two mugs are ours.",
        plan="1. Buy.",
        action_items=["Buy"],
    )
    add("model", "model:message", 0, number=1, message={"type": "system", "text": "You work." + "s" * 4_000})
    page = "\n".join(f'- link "Mug {number}" [ref=E{number}] → /mug/{number}' for number in range(200))
    messages = [1]
    for step in range(1, steps + 1):
        at += 1
        view = page if step == 1 else ""
        changed = (
            [] if step == 1 else ['+ - text "In the cart"', '- - text "Empty"', '~ - button "Buy" (now [disabled])']
        )
        add(
            "events",
            "agent:observed",
            step - 1,
            url="https://shop.example/",
            title="Shop",
            snapshot=view,
            changed=changed,
        )
        add("events", "agent:step", step)
        shown = {"type": "text", "text": f"The page now:\n{view or changed}"}
        messages = [*messages, len(messages) + 1]
        add("model", "model:message", step, number=messages[-1], message={"type": "user", "parts": [shown]})
        asked = {"number": step, "operation": "action", "provider": "openai", "model": "gpt", "messages": messages}
        add("model", "model:request", step, **asked, tools=None, tool_choice="required")
        at += 2
        usage = {"input_tokens": 1_000 * step, "output_tokens": 20, "cached_tokens": 500, "cost": cost}
        reply = {"number": step, "duration_s": 2.0, "text": "", "reasoning": f"I take mug {step}.", "tool_calls": []}
        add("model", "model:reply", step, **reply, finish_reason="stop", usage=usage, refusal="")
        add("events", "agent:reasoned", step, reasoning=f"I take mug {step}. {EVIL}")
        add("events", "agent:action", step, action="click", arguments={"ref": f"E{step}"})
        picture = {"number": step, "tab": "t1", "url": "https://shop.example/", "file": "pictures/0001.jpeg"}
        add("pictures", "picture", step, **picture, width=1280, height=800)
        box = {"left": 128, "top": 200, "right": 256, "bottom": 240}
        add("pictures", "picture:target", step, picture=step, tool="click", ref=f"E{step}", boxes=[box])
        at += 0.5
        text = (
            f'clicked E{step} link "Mug {step}"\nchanged:\n  + - text "In the cart"'
            if step != 2
            else f"Covered by {EVIL}"
        )
        add("events", "browser:action_completed", step, action="click", success=step != 2, text=text, duration_s=0.5)
    request = {"number": 1, "method": "POST", "url": f"https://shop.example/{EVIL}", "kind": "fetch", "status": 422}
    add("network", "network:request", 2, tab="t1", request=request | {"error": None, "duration_ms": 12.0, "size": 5})
    message = {
        "level": "error",
        "text": EVIL,
        "uncaught": True,
        "url": "https://shop.example/a.js",
        "line": 3,
        "column": 1,
    }
    add("console", "console:message", 2, tab="t1", message=message)
    stats: dict[str, float] = {
        "steps": steps,
        "actions": steps - 1,
        "errors": 1,
        "input_tokens": 6_000,
        "output_tokens": 60,
    }
    stats |= {"input_tokens": 6_000, "output_tokens": 60, "cached_tokens": 1_500}
    stats |= {"duration_s": 10.5, "cost": steps * cost}
    result = {"success": True, "answer": "It is **FF-1**.", "error": None, "stats": stats, "validation": "passed"}
    add("events", "task:completed", steps, result=result)
    for name, lines in files.items():
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder


@pytest.fixture(scope="module")
def run_html(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("html")
    write_html(written(folder / "run"), folder / "run.html")
    return folder / "run.html"


@pytest.fixture
async def opened(page: Page, run_html: Path) -> Page:
    """The page of a run, opened from the disk."""
    await page.goto(run_html.as_uri())
    await page.wait_for(text="clicked E3")
    return page


@pytest.fixture(scope="module")
async def read(shared_browser: Browser, run_html: Path) -> AsyncIterator[Page]:
    """The same for tests that only look at it: one tab for all of them."""
    page = await shared_browser.new_page(run_html.as_uri())
    await page.wait_for(text="clicked E3")
    yield page
    await page.close()


async def shown(page: Page, script: str) -> Any:
    return await page.evaluate(script)


async def test_the_page_reads_well_to_whoever_does_not_see_it(read: Page) -> None:
    text = (await read.snapshot()).text

    first = text.index('- article "Step 1')
    assert re.sub(r" \[ref=E\d+\]", "", text[: text.index("- status")]) == (
        '- banner: Buy two mugs\n  - searchbox "Search in all steps" [placeholder="Search /"]\n'
        '  - button "◐ Theme"\n  - button "Keys"\n'
    )
    assert '- link "Step 2: click E2, 6.0 s"' in text
    assert '- navigation "Steps":' in text
    lines = text[first : text.index('- article "Step 2')].strip().splitlines()
    assert [line.strip().partition(" [ref")[0] for line in lines if not line.strip().startswith("- text")] == [
        '- article "Step 1: clicked E1 link \\"Mug 1\\"":',
        '- heading "clicked E1 link \\"Mug 1\\"" [level=2]',
        "- paragraph: 3.5 s · $0.0020",
        '- figure "https://shop.example/ · marked: click E1":',
        '- button "Picture of step 1, enlarge"',
        '- img "The window at https://shop.example/"',
        '- heading "Saw" [level=3]',
        '- summary "Shop: the page, 200 lines" [expanded=false]',
        '- heading "Said" [level=3]',
        f"- paragraph: I take mug 1. {EVIL}",
        '- heading "Did, and what came of it" [level=3]',
        "- paragraph: click ref: E1 · 0.5 s",
        '| clicked E1 link "Mug 1"',
        "| changed:",
        '- summary "Prompt · action: openai/gpt · 2.0 s · 1,000 in (500 cached), 20 out · $0.0020" [expanded=false]',
    ]


async def test_nothing_but_the_file_itself_is_ever_asked_for(read: Page) -> None:
    asked = (await read.requests()).requests
    found = await shown(read, "document.querySelector('meta[http-equiv]').content")

    assert [each.url.rpartition("/")[2] for each in asked if not each.url.startswith("data:")] == ["run.html"]
    assert found.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in found


async def test_what_pages_said_is_text(read: Page) -> None:
    state = await shown(
        read, "[document.title, document.querySelectorAll('img[src=x]').length, document.scripts.length]"
    )

    assert state == ["Buy two mugs – Done", 0, 3]
    assert EVIL in await shown(read, "document.querySelector('#s1 .said').textContent")


async def test_the_element_that_was_acted_on_is_marked_where_it_was(read: Page) -> None:
    place = await shown(
        read,
        """(() => {
            const box = (each) => document.querySelector('#s1 ' + each).getBoundingClientRect();
            const [shot, mark] = [box('.shot'), box('.target')];
            return [(mark.left - shot.left) / shot.width, (mark.top - shot.top) / shot.height, mark.width / shot.width];
        })()""",
    )

    assert place == pytest.approx([0.1, 0.25, 0.1], abs=0.01)


async def test_what_changed_is_coloured_and_what_failed_is_marked(read: Page) -> None:
    lines = await shown(
        read, "[...document.querySelectorAll('#s2 .diff span')].map((each) => [each.className, each.textContent])"
    )
    bad = await shown(read, "[...document.querySelectorAll('article.bad')].map((each) => each.id)")

    assert [tone for tone, _ in lines] == ["add", "del", "mod"]
    assert lines[0][1] == '+ - text "In the cart"'
    assert bad == ["s2"]
    assert "1 failed" in await shown(read, "document.querySelector('#s2 .more').textContent")


async def test_keys_lead_through_the_steps_and_search_and_a_prompt_opens(opened: Page) -> None:
    frame = (await tab_of(opened).frames()).root
    still = emulation.MediaFeature("prefers-reduced-motion", "reduce")  # it would glide from step to step
    await frame.session.send(emulation.SetEmulatedMedia(features=[still]))
    now = "document.querySelector('[data-card].now')?.id"
    visible = "[...document.querySelectorAll('article')].filter((each) => !each.hidden).map((each) => each.id)"

    places = []
    for key in ("g", "j", "j", "k", "G"):
        await press(frame, key)
        places.append(await shown(opened, now))
    assert places == ["s0", "s1", "s2", "s1", "s3"]

    await press(frame, "?")
    assert await shown(opened, "document.querySelector('dialog').open")
    await press(frame, "Escape")
    assert not await shown(opened, "document.querySelector('dialog').open")

    await press(frame, "/")
    await opened.type("covered by")
    assert await shown(opened, visible) == ["s2"]
    assert await shown(opened, "document.querySelector('output').textContent") == "1 of 3 steps"
    await press(frame, "Escape")
    assert len(await shown(opened, visible)) == 3

    await shown(opened, "document.querySelectorAll('#s2 .more details')[0].open = true")
    await opened.wait_for(text="messages as in the request before")
    prompt = await shown(opened, "document.querySelector('#s2 .more').textContent")
    assert "2 messages as in the request before" in prompt
    assert "I take mug 2." in prompt


async def test_it_fits_the_window_prints_and_is_light_or_dark(opened: Page) -> None:
    frame = (await tab_of(opened).frames()).root
    colour = "getComputedStyle(document.body).backgroundColor"
    seen, wider = [], []

    for scheme in ("light", "dark"):
        feature = emulation.MediaFeature("prefers-color-scheme", scheme)
        await frame.session.send(emulation.SetEmulatedMedia(features=[feature]))
        seen.append(await shown(opened, colour))
    await press(frame, "t")  # the system's no longer counts
    seen.append(await shown(opened, colour))
    assert seen == ["rgb(246, 247, 249)", "rgb(15, 18, 22)", "rgb(246, 247, 249)"]

    await frame.session.send(emulation.SetEmulatedMedia(media="print"))
    printed = await shown(
        opened,
        """[getComputedStyle(document.querySelector('.bar')).display,
            getComputedStyle(document.querySelector('.call pre')).maxHeight,
            getComputedStyle(document.body).backgroundColor]""",
    )
    await frame.session.send(emulation.SetEmulatedMedia(media=""))
    assert printed == ["none", "none", "rgb(255, 255, 255)"]

    await shown(opened, "document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    for width in (1440, 400):
        metrics = emulation.SetDeviceMetricsOverride(width=width, height=900, device_scale_factor=1, mobile=False)
        await frame.session.send(metrics)
        if await shown(opened, "document.documentElement.scrollWidth > innerWidth"):
            wider.append(width)
    metrics = emulation.SetDeviceMetricsOverride(width=0, height=0, device_scale_factor=0, mobile=False)
    await frame.session.send(metrics)
    assert wider == []


async def test_two_runs_stand_beside_each_other(page: Page, tmp_path: Path) -> None:
    write_html(written(tmp_path / "a"), tmp_path / "both.html", other=written(tmp_path / "b", steps=5, cost=0.001))
    await page.goto((tmp_path / "both.html").as_uri())
    await page.wait_for(text="clicked E5")

    rows = await shown(
        page,
        "[...document.querySelectorAll('.compare tr')].map((each) => [...each.cells].map((cell) => cell.textContent))",
    )
    assert rows[0][1:] == ["Run 1 a", "Run 2 b"]
    assert ["Steps", "3", "5"] in rows
    assert ["Cost", "$0.0060", "$0.0050"] in rows
    beside = await shown(
        page, "['s1', 'r1'].map((each) => Math.round(document.getElementById(each).getBoundingClientRect().top))"
    )
    assert beside[0] == beside[1]


def test_a_long_run_is_a_small_file(tmp_path: Path) -> None:
    folder = written(tmp_path / "run", steps=40)
    lines = [json.loads(line) for line in (folder / "events.jsonl").read_text().splitlines()]
    for line in lines:
        if line["type"] == "agent:observed":  # each a page of its own, that no two share
            line["snapshot"] = "\n".join(f'- link "{os.urandom(12).hex()}" [ref=E{number}]' for number in range(400))
    (folder / "events.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))

    write_html(folder, tmp_path / "run.html", pictures=False)

    assert 30_000 < (tmp_path / "run.html").stat().st_size <= MOST_BYTES == 300_000


def test_a_run_that_was_killed_is_shown_as_far_as_it_came(tmp_path: Path) -> None:
    folder = written(tmp_path / "run")
    whole = (folder / "events.jsonl").read_text()
    (folder / "events.jsonl").write_text(whole[: whole.index('"task:completed"')])

    write_html(folder, tmp_path / "run.html")

    assert (tmp_path / "run.html").exists()


def test_a_line_that_is_broken_is_named(tmp_path: Path) -> None:
    folder = written(tmp_path / "run")
    (folder / "network.jsonl").write_text("{}\nno line\n{}\n")

    with pytest.raises(SetupError, match=r"network\.jsonl, line 2, is no line of a trace"):
        write_html(folder, tmp_path / "run.html")


def test_a_task_is_text_in_the_title(tmp_path: Path) -> None:
    folder = written(tmp_path / "run", task="</title><script>x</script> {{records}}{{script}}")

    write_html(folder, tmp_path / "run.html")

    page = (tmp_path / "run.html").read_text()
    assert "<title>&lt;/title&gt;&lt;script&gt;x&lt;/script&gt; {{records}}{{script}} – trace</title>" in page
    assert "<script>x" not in page


def test_the_command_takes_the_folder_that_holds_runs(cli: Cli, tmp_path: Path) -> None:
    written(tmp_path / "traces/1-old", task="Old")
    written(tmp_path / "traces/2-new", task="New")

    made = cli.here("trace", "html", str(tmp_path / "traces"), "-o", str(tmp_path / "out.html"))

    assert (made.returncode, made.stdout, made.stderr) == (0, f"{tmp_path}/out.html\n", "")
    assert "<title>New – trace</title>" in (tmp_path / "out.html").read_text()


def test_a_folder_without_a_trace_is_told(cli: Cli, tmp_path: Path) -> None:
    made = cli.here("trace", "html", str(tmp_path), status=2)

    assert (made.returncode, made.stderr) == (2, f"cdp-agent: There is no trace of a run in {tmp_path}.\n")

"""A page as Markdown: the pages of tests/markdown are held against the whole text that belongs to them."""

from __future__ import annotations

import asyncio
import re
import time
from pathlib import Path

import pytest

from cdp_agent.page.markdown import markdown
from cdp_agent.page.markdown.markdown import fit, join, parse
from cdp_agent.page.markdown.markdown_pieces import split
from cdp_agent.page.markdown.markdown_sink import Block
from cdp_agent.page.markdown.markdown_writer import blocks_of
from cdp_agent.page.page import Page, tab_of
from cdp_agent.page.snapshot.budget import tokens
from tests.conftest import LOOP, Serve
from tests.tables import table
from tests.writing import opened, write

CASES = Path(__file__).parent / "markdown"


async def test_a_page_as_markdown(page: Page, serve: Serve, subtests: pytest.Subtests) -> None:
    await opened(page, serve, "")
    for path in sorted(CASES.glob("*.html")):
        content = f"<!doctype html><title>T</title>{path.read_text('utf-8')}"
        # A plug-in fails later in a document that is written.
        await (page.goto(serve(content)) if "<object" in content else write(page, content))

        found = await page.markdown()

        with subtests.test(path.stem):
            address = page.url.removeprefix("http://")
            expected = path.with_suffix(".md").read_text("utf-8").replace("HOST/PAGE", address)
            found = re.sub(r"click E\d+", "click E1", found)
            assert found + "\n" == expected.replace("HOST", address.partition("/")[0])


async def test_frames_of_all_kinds_stand_in_their_place_with_their_name(page: Page, serve: Serve) -> None:
    deepest = serve("<p>Deepest")
    other = serve(f"<h2>Other</h2><iframe title=Nested src='{deepest}'></iframe>", other_site=True)
    same = serve("<p>Same <a href='x'>link</a>")
    content = f"""<p>Before<ul><li>Item <iframe title='Same one' src='{same}'></iframe></ul>
        <iframe src='{other}'></iframe><iframe width=1 height=1 src='{same}'></iframe><p>After"""
    await page.goto(serve(content))

    found = await markdown.take(tab_of(page))

    link = f"[link]({same.rpartition('/')[0]}/x)"
    item = f'- Item\n\n  [Frame "Same one" {same}]\n\n  Same {link}\n\n  [End of frame "Same one"]'
    nested = f'[Frame "Nested" {deepest}]\n\nDeepest\n\n[End of frame "Nested"]'
    assert found.text == f"Before\n\n{item}\n\n[Frame {other}]\n\n## Other\n\n{nested}\n\n[End of frame]\n\nAfter"
    assert found.unreadable == []


@pytest.mark.parametrize("base", ["", "<base href='deep/down/?q#f'>"])
async def test_a_link_leads_where_chrome_says(page: Page, serve: Serve, base: str) -> None:
    targets = "a.html a/b.html#c-1 ./a ../a a/../b a/.b .. a//b a/ a.b/ ~x/y.z ?q=1 a?b #f a#b%20c a:b //h/a A%41 ä"
    links = "".join(f"<p><a href='{target}'>x</a>" for target in targets.split())
    await opened(page, serve, base + links)

    found = await page.markdown()

    wanted = await page.evaluate("[...document.links].map((link) => link.href)")
    assert found == "\n\n".join(f"[x]({target})" for target in wanted)


@pytest.mark.usefixtures("held_loop")
async def test_a_frame_that_does_not_answer_is_named(page: Page, serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cdp_agent.page.snapshot.reading.READ_TIMEOUT_S", 1.0)
    script = f"onmessage = () => {{ parent.postMessage('soon', '*'); setTimeout(() => {{ {LOOP} }}); }}"
    busy = serve(f"<p>busy<script>{script}</script>", other_site=True)
    await page.goto(serve(f"<p>Here<iframe title=Busy src='{busy}'></iframe>"))
    await page.evaluate("new Promise((done) => { onmessage = () => done(1); frames[0].postMessage('go', '*'); })")

    found = await markdown.take(tab_of(page))

    assert found.text.startswith('Here\n\n[Frame "Busy" could not be read: The page did not answer within 1 s')
    assert [what for what, _ in found.unreadable] == ['Frame "Busy"']


async def test_nothing_is_written_into_the_page(page: Page, serve: Serve) -> None:
    await opened(page, serve, "<form name=f><input name=children><input name=firstChild value=v></form><p>text")
    before = await page.html()

    await page.markdown()

    assert await page.html() == before


async def test_a_page_nested_deeper_than_any_stack_is_read_to_its_ground(page: Page, serve: Serve) -> None:
    script = """let at = document.body;
        for (let i = 0; i < 1500; i++) at = at.appendChild(document.createElement(i % 2 ? 'div' : 'blockquote'));
        at.textContent = 'ground'"""
    await opened(page, serve, f"<p>top<script>{script}</script>")

    assert (await page.markdown()).endswith("ground")


async def test_every_character_can_stand_in_a_text_and_in_a_name(page: Page, serve: Serve) -> None:
    # Not all that are in between: those are letters, for which Chrome would look through all of its fonts.
    script = """var all = '';
        for (const [first, end] of [[0, 0x300], [0x2000, 0x2100], [0xd700, 0xe100], [0xfd00, 0x10100]])
            for (let code = first; code < end; code++) all += String.fromCodePoint(code);
        all += '\\u{10fff}\\u{1ffff}\\u{10ffff}.';
        document.querySelector('p').textContent = document.querySelector('img').alt = all"""
    await opened(page, serve, f"<p></p><img width=50 height=50><script>{script}</script>")

    text, image = (await page.markdown()).split("\n\n")

    assert text.endswith("\U00010fff\U0001ffff\U0010ffff.")
    assert image.endswith("\U00010fff\U0001ffff\U0010ffff.]()")


ARTICLE = "".join(f"<h2>Section {i}</h2>" + "<p>Some words to fill the page with.</p>" * 20 for i in range(30))


async def test_a_budget_holds_keeps_the_main_content_and_says_what_was_cut(page: Page, serve: Serve) -> None:
    await opened(page, serve, f"<nav>{'<a href=/x>Menu</a> ' * 50}</nav><main>{ARTICLE}</main>")

    found = await page.markdown(budget_tokens=600)

    assert tokens(found) <= 600
    assert found.startswith("…\n\n## Section 0\n\nSome words")
    assert found.splitlines()[-1].startswith("… left out: ")
    assert '"Section 29"' not in found
    assert "what is around the main content" in found or "a block around the main content" in found


def test_without_anything_to_cut_a_budget_changes_nothing() -> None:
    blocks = [Block("a", "p", 0), Block("b", "p", 0)]

    assert fit(blocks, 1000) == join(blocks) == "a\n\nb"


TABLE = Block("| A |\n| --- |\n" + "\n".join(f"| row {i} |" for i in range(200)), "t", 0, head=2)
CODE = Block("```py\n" + "\n".join(f"line({i})" for i in range(200)) + "\n```", "c", 0, head=1, tail="```")


def test_a_block_too_large_for_the_budget_is_cut_between_its_lines() -> None:
    found = fit([Block("# T", "h", 0), CODE, Block("end", "p", 0)], 300)

    assert tokens(found) <= 300
    shown, note = found.split("\n\n… ")
    assert shown.startswith("# T\n\n```py\nline(0)\n")
    assert shown.endswith(")\n```")
    assert note.startswith("left out: 1 of 3 blocks and the end of 1 more, about ")


@table("budget", [2, 20, 60, 100, 150, 500])
def test_any_budget_holds(budget: int) -> None:
    assert tokens(fit([TABLE, CODE, Block("word " * 500, "p", 1)], budget)) <= budget


def test_pieces_hold_everything_and_each_part_of_a_table_has_its_head() -> None:
    pieces = list(map(join, split([Block("# T", "h", 0), TABLE, CODE, Block("word " * 500, "p", 0)], 300)))

    assert max(tokens(piece) for piece in pieces) <= 300
    rows = [line for piece in pieces for line in piece.splitlines() if line.startswith("| row")]
    assert rows == TABLE.text.splitlines()[2:]
    lines = [line for piece in pieces for line in piece.splitlines() if line.startswith("line(")]
    assert lines == CODE.text.splitlines()[1:-1]
    assert sum(piece.count("word") for piece in pieces) == 500
    assert all("| A |\n| --- |" in piece for piece in pieces if "| row" in piece)


def test_ten_thousand_elements_take_less_than_a_tenth_of_a_second() -> None:
    row = '<tr><td>5</td><td><a h="https://example.com/5">Order <b>5</b></a></td><td>Customer of some kind</td></tr>'
    table = f"<table><tr><th>N</th><th>O</th><th>C</th></tr>{row * 1000}</table>"
    text = f"<doc>{table}<ul>{'<li><c>x</c> y</li>' * 2000}</ul></doc>"
    took = []
    for _ in range(3):
        began = time.process_time()
        document = parse(text)
        join(blocks_of(document, lambda _: "", []))
        took.append(time.process_time() - began)

    assert sum(1 for _ in document.iter()) > 10_000
    assert min(took) < 0.1


async def test_many_readings_at_once_are_all_whole(page: Page, serve: Serve) -> None:
    await opened(
        page, serve, "<h1>T</h1><div id=h></div><script>h.attachShadow({mode: 'closed'}).innerHTML = 'x'</script>"
    )

    found = await asyncio.gather(*(page.markdown() for _ in range(5)))

    assert found == ["# T\n\nx"] * 5

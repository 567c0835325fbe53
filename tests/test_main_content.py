"""The main content of pages of all kinds, and what a line says that was around it."""

from __future__ import annotations

import re

import pytest

from cdp_agent.errors import InvalidArguments
from cdp_agent.page.page import Page
from cdp_agent.page.snapshot.budget import tokens
from tests.conftest import Serve
from tests.writing import opened, write

SENTENCE = "It rained on the bridge all night, and the river rose by half a metre until the lamps went out. "
MENU = "<div class=top>" + "".join(f"<a href=/m{i}>Menu{i}</a> " for i in range(9)) + "</div>"
RELATED = (
    "<div>"
    + "".join(f"<div><a href=/r{i}>A headline that leads to another text, Rel{i}</a></div>" * 2 for i in range(9))
    + "</div>"
)
ARTICLE = "<h1>The bridge</h1>" + "".join(f"<p>Text{i} {SENTENCE * 3}" for i in range(9))
IMPRINT = f"<div id=end>Imprint: {SENTENCE}<a href=/law>Law</a> <a href=/who>Who</a></div>"
CARD = "<div class=card><a href=/p><img alt=Mug src=x></a><h3><a href=/p>Mug</a></h3>{}<a href=/b>Buy</a></div>"
COMMENTS = "".join(f"<tr><td><div class=comment>Said{i} {SENTENCE * 2}</div>" for i in range(20))
# A page each, the words that are to be there, and those that are not.
PAGES = {
    "boxes without names": (f"{MENU}<div>{ARTICLE}</div>{RELATED}{IMPRINT}", "bridge Text0 Text8", "Menu1 Imprint"),
    "one in a table": (f"<table><tr><td>{MENU}<td>{ARTICLE}<td>{RELATED}</table>", "Text0 Text8", "Menu1 Rel1"),
    "an article, declared": (
        f"<header>Head</header>{MENU}<p>{SENTENCE}</p><article>{ARTICLE}<footer>By Ann</footer></article>{IMPRINT}",
        "Text0 Text8",
        "Head Menu1 Ann Imprint",
    ),
    "a text with its title before it": (
        f"<div class=head><h1>A day</h1>{MENU}</div><div itemprop=articleBody>{ARTICLE.partition('</h1>')[2]}</div>",
        "day Text0",
        "Menu1",
    ),
    "what is in an article and around it": (
        f"<main>{ARTICLE}<aside>Note {SENTENCE}</aside><div class=shareButtons>Tell</div>"
        "<ul><li><a href=/s>See</a></ul>"
        "<div class=newsletter-box>Letter</div><nav><a href=/n>Next</a></nav><p class=tags><a href=/t>Tag</a></main>",
        "Text8 Note See",
        "Tell Letter Next Tag",
    ),
    "a section of a manual called so": (
        f"<main>{ARTICLE}<section id=comments><h2>Hash</h2><p>{SENTENCE}</section><dl><dt>Dt<dd>Dd</dl></main>",
        "Text8 Hash Dt",
        "",
    ),
    "a frame": (f"{MENU}<iframe width=900 height=900 srcdoc='{ARTICLE}'></iframe>{IMPRINT}", "Text8", "Menu1 Imprint"),
    "a shadow root": (f"{MENU}<div><template shadowrootmode=open>{ARTICLE}</template></div>", "Text8", "Menu1"),
    "cards": (f"{MENU}<div>{''.join(CARD.format(f'€{i}.50') for i in range(9))}</div>{IMPRINT}", "Mug 8.50 Buy", ""),
    "a talk": (f"<table><tr><td>{MENU}<tr><td><table>{COMMENTS}</table></table>", "Said0 Said19", ""),
    "contents in the main part": (
        f"<nav><a href=/>Start</a></nav><div role=main><h1>Index</h1>{RELATED}</div>{IMPRINT}",
        "Index Rel8",
        "Start",
    ),
    "a form": ("<h1>Sign up</h1><form class=signup><label>Mail <input></label></form>", "Sign Mail", ""),
    "nothing": ("", "", ""),
}


async def test_the_main_content_of_pages_of_all_kinds(page: Page, serve: Serve, subtests: pytest.Subtests) -> None:
    await opened(page, serve, "")
    for name, (body, there, left_out) in PAGES.items():
        content = f"<!doctype html><title>A day at the bridge</title>{body}"
        await (page.goto(serve(content)) if "<iframe" in body else write(page, content))

        text = await page.markdown(main=True)

        with subtests.test(name):
            words = set(re.findall(r"\w+(?:\.\d+)?", text))
            assert (set(there.split()) - words, set(left_out.split()) & words) == (set(), set())
            assert ("… left out: " in text) == bool(left_out)


async def test_the_last_line_says_what_was_left_out(page: Page, serve: Serve) -> None:
    around = "<header>A B</header><nav><a href=x>C</a> <a href=y>D</a></nav>"
    content = f"{around}<main><h1>T</h1>{ARTICLE}</main><div><aside>E</aside><footer>F G</footer></div><p>H I</p>"
    await page.goto(serve(content + "<iframe src='about:blank'></iframe>"))

    text = await page.markdown(main=True)

    assert text.startswith("# T\n\n# The bridge\n\nText0 It rained")
    line = "\n\n… left out: header, navigation, aside, footer, other part, frame: 9 words, 2 links"
    assert text.endswith(line)


async def test_the_main_content_in_a_frame_of_another_process(page: Page, serve: Serve) -> None:
    inner = serve(f"<nav>Inner</nav>{ARTICLE}", other_site=True)
    await page.goto(serve(f"{MENU}<div><iframe src='{inner}' width=900 height=900></iframe></div>{IMPRINT}"))

    text = await page.markdown(main=True)

    assert "Text8" in text
    assert not {"Menu1", "Imprint", "Inner"} & set(re.findall(r"\w+", text))


async def test_a_budget_keeps_the_main_text_of_a_page_without_landmarks(page: Page, serve: Serve) -> None:
    await opened(page, serve, f"{MENU}{RELATED * 5}<div>{ARTICLE}</div>{IMPRINT}")
    main = await page.markdown(main=True)

    text = await page.markdown(budget_tokens=tokens(main) + 100)

    assert all(f"Text{i}" in text for i in range(9))
    assert "what is around the main content" in text
    assert tokens(text) <= tokens(main) + 100
    both = await page.markdown(main=True, budget_tokens=400)
    assert "Text0" in both
    assert both.endswith(main.partition("… left out: ")[2])  # what was cut and what is around it


LINKS = "<p><a href=/a>A</a> <a href=/b>B</a> <a href=/a>C</a> [x][1] <img alt=P src=/p.png> <a href=/d><b>D</b></a>"


async def test_links_in_full_as_numbers_and_left_out(page: Page, serve: Serve) -> None:
    await page.goto(serve(f"{LINKS}<pre>a[1][2] <a href=/b>b</a></pre>"))
    at = page.url.rpartition("/")[0]

    numbered, none = [await page.markdown(links=links) for links in ("numbered", "none")]

    assert numbered == (
        "[A][1] [B][2] [C][1] [x\\][1] ![P][3] [**D**][4]\n\n```\na[1][2] b\n```\n\nLinks in this code: [`b`][2]\n\n"
        f"[1]: {at}/a\n[2]: {at}/b\n[3]: {at}/p.png\n[4]: {at}/d"
    )
    assert none == "A B C [x\\][1] ![P] **D**\n\n```\na[1][2] b\n```"
    with pytest.raises(InvalidArguments, match="links is full, numbered, none, not 'all'"):
        await page.markdown(links="all")  # type: ignore[arg-type]  # what is refused


async def test_the_list_of_numbered_links_is_within_the_budget(page: Page, serve: Serve) -> None:
    await opened(
        page, serve, "".join(f"<p>Words that lead to <a href=/{i}{'x' * 40}>number {i}</a>" for i in range(200))
    )

    text = await page.markdown(links="numbered", budget_tokens=1000)

    assert tokens(text) <= 1000
    used = set(re.findall(r"\]\[(\d+)\]", text))
    assert len(used) > 5
    assert used == set(re.findall(r"^\[(\d+)\]: http", text, re.MULTILINE))
    assert text.rpartition("\n\n")[2].startswith("… left out: ")


async def test_what_is_closed_opens_by_its_ref(page: Page, serve: Serve) -> None:
    await opened(page, serve, "<p>Intro<details><summary>More</summary>Hidden words</details>")
    ref = re.search(r"▸ More \(closed: click (E\d+)\)", await page.markdown())
    assert ref is not None

    await page.click(ref[1])

    assert (await page.markdown()).endswith("▾ More\n\nHidden words")

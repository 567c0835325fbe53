"""Whole snapshots of small pages: tests/snapshots/NAME.html reads as NAME.txt."""

from __future__ import annotations

import re
import runpy
from collections import Counter
from pathlib import Path

import pytest

from cdp_agent.page import js
from cdp_agent.page.page import Page

from .conftest import Serve
from .listing import counted_anew
from .writing import opened, write

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "tests/snapshots"


NAVIGATED = {
    "a_plug_in_that_fails_shows_what_it_holds": "a plug-in fails later in a document that is written",
    "frames_stand_under_their_line": "frames come later into a document that is written",
    "the_part_that_a_component_names_is_meant": "declarative shadow roots have no effect in what is written",
    "what_a_modal_dialog_shuts_off_is_inert": "it has a frame",
    "what_the_keys_of_a_list_are_on_is_active": "a document that is written gives nothing the focus",
}
"""The pages that have to be opened, and why."""


async def test_a_page_reads_as_expected(page: Page, serve: Serve, subtests: pytest.Subtests) -> None:
    await opened(page, serve, "")
    for path in sorted(FOLDER.glob("*.html")):
        content = path.read_text("utf-8")
        await (page.goto(serve(content)) if path.stem in NAVIGATED else write(page, content))

        text = (await page.snapshot()).text

        with subtests.test(path.stem):
            expected = path.with_suffix(".txt").read_text("utf-8").rstrip("\n")
            assert counted_anew(text) == counted_anew(expected)


async def test_reading_again_gives_the_same_text_and_refs(page: Page, serve: Serve) -> None:
    await opened(page, serve, "<button>A</button><a href=/x>B</a><input aria-label=C>")

    assert (await page.snapshot()).text == (await page.snapshot()).text


async def test_pages_may_nest_deeper_than_the_stack(page: Page, serve: Serve) -> None:
    levels = 2_500
    nest = f"var at = document.body; for (let i = 0; i < {levels}; i++) {{ at.append(document.createElement('ul'));"
    nest += " at = at.lastChild; at.append('level'); } at.innerHTML = '<a href=/x>innermost</a>'"
    await opened(page, serve, f"<body><script>{nest}</script>")

    text = (await page.snapshot()).text

    assert (text.count("level"), text.splitlines()[-1].strip()) == (levels - 1, '- link "innermost" [ref=E1] → /x')


async def test_half_a_megabyte_of_text_in_one_node_is_read(page: Page, serve: Serve) -> None:
    await opened(page, serve, "<p>" + "word " * 100_000)

    assert len((await page.snapshot()).text) == len("- paragraph: ") + 5 * 100_000 - 1


async def test_a_label_in_a_drawing_is_none(page: Page, serve: Serve) -> None:
    draw = "document.querySelector('svg').append(document.createElementNS('http://www.w3.org/2000/svg', 'label'))"
    await opened(page, serve, f"<svg></svg><label for=name>Name</label><input id=name><script>{draw}</script>")

    assert (await page.snapshot()).text == '- img [ref=E1]\n- textbox "Name" [ref=E2]'


def test_the_bundle_has_one_byte_for_each_letter() -> None:
    assert all(part.isascii() for part in js.parts_of(js.unpacked()))


def test_what_a_wheel_has_is_half_as_long_and_has_the_same_functions(tmp_path: Path) -> None:
    pack = runpy.run_path(str(ROOT / "scripts/pack.py"))
    if pack["minified"]() is None:
        pytest.skip("esbuild is not there")

    assert js.PACKED in pack["scripts_of_wheel"](tmp_path)

    packed, plain = js.parts_of((tmp_path / js.PACKED).read_text("utf-8")), js.parts_of(js.unpacked())
    assert len(packed) == len(plain) == len(js.PARTS)
    for short, long in zip(packed, plain, strict=True):
        assert len(short) < 0.6 * len(long)
        assert js.exported(short) == js.exported(long)


def test_to_open_and_to_read_a_page_takes_the_first_part_alone_and_to_search_it_the_second() -> None:
    assert {js.part_of(name) for name in ("changes", "stopWatching", "snapshot")} == {0}
    assert {js.part_of(name) for name in ("shownText", "placesOf", "findElements", "readable", "schema")} == {1}


def test_no_two_files_of_the_bundle_declare_the_same_name() -> None:
    files = [Path(js.__file__).parent / name for name in (*js.READING, *js.EXPLORING, *js.ACTING)]
    source = "\n".join(each.read_text("utf-8") for each in files)
    declared = re.findall(r"^(?:async )?(?:function|const|let) (\w+)", source, re.M)

    assert [name for name, times in Counter(declared).items() if times > 1] == []


NAMES = "A AREA AUDIO BUTTON DETAILS DIALOG FORM FRAME IFRAME IMG INPUT LABEL LI METER OPTION SELECT TABLE TD TEXTAREA"


NAMESPACES = {"http://www.w3.org/2000/svg": False, "http://www.w3.org/1998/Math/MathML": True, "urn:other": True}
"""And whether text in their elements is shown."""


async def test_elements_of_other_languages_with_names_of_html_are_read_as_what_they_are(
    page: Page, serve: Serve, subtests: pytest.Subtests
) -> None:
    many = len(NAMES.split())
    for namespace, shown in NAMESPACES.items():
        await opened(page, serve, "<p id=z>named")
        await page.evaluate(
            f"""for (const name of '{NAMES}'.split(' ')) {{
              const made = document.createElementNS('{namespace}', name);
              made.setAttribute('href', '/x');
              made.setAttribute('type', 'checkbox');
              made.append(`text of ${{name}}`);
              document.body.append(made);
            }}"""
        )

        texts = [(await page.snapshot()).text, await page.markdown()]
        html, found = await page.clean_html(), await page.find("*", max_results=100)

        with subtests.test(namespace):
            assert [text.count("text of") for text in texts] == [many if shown else 0] * 2
            assert (html.text.count("text of"), found.total) == (many, many + 4)

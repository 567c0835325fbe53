"""Node-RED, a flow editor with a server: palette, wires, dialogs and deploying, judged by the flows that it runs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bench.cache import NotFetched
from bench.evals.own.flows import deployed, node_red_in
from cdp_agent.cdp import network
from cdp_agent.page.page import Page, tab_of
from tests.acting import ref

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def node_red(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Its address, with one empty flow."""
    try:
        with node_red_in(tmp_path_factory.mktemp("node-red")) as url:
            yield url
    except NotFetched as error:
        pytest.skip(f"it cannot be had here: {error}")


async def drawn(page: Page) -> list[str]:
    """The lines of its drawing, from the canvas to what is only counted."""
    lines = [line.strip() for line in (await page.snapshot()).text.splitlines()]
    first = [line.startswith("- img [") for line in lines].index(True)
    return lines[first : ["800 line" in line for line in lines].index(True)]


def ref_in(lines: list[str], words: str) -> str:
    """Of the first of them with these words."""
    (line, *_) = [line for line in lines if words in line]
    return line.partition("[ref=")[2].partition("]")[0]


async def part(page: Page, label: str, of: str) -> str:
    """The ref of a part of the node with that label."""
    lines = await drawn(page)
    return ref_in(lines[[line.startswith(f'- g "{label}"') for line in lines].index(True) :], of)


async def test_a_flow_is_built_wired_edited_and_deployed(page: Page, node_red: str) -> None:
    # 3 MB for diagrams in notes, of which there are none.
    diagrams = network.BlockPattern(url_pattern="*://*:*/vendor/mermaid/*", block=True)
    await (await tab_of(page).frames()).root.session.send(network.SetBlockedURLs(url_patterns=[diagrams]))
    await page.goto(node_red)
    await page.wait_for(selector=".red-ui-palette-node")
    canvas = (await page.find("#red-ui-workspace-chart svg")).elements[0].ref

    await page.drag(await ref(page, "inject"), canvas, to_position=(120, 100))
    await page.drag(await ref(page, "debug"), canvas, to_position=(400, 160))
    out, into = await part(page, "timestamp", "port-output"), await part(page, "debug 1", "port-input")
    wired = await page.drag(out, into)
    await page.click(await ref(page, "debug 1", "g"), count=2)
    await page.fill(await ref(page, "Name", "textbox"), "Shown")
    renamed = await page.click(await ref(page, "Done"))
    moved = await page.drag(await ref(page, "Shown", "g"), by=(100, 60))
    done = await page.click(await ref(page, "Deploy"))

    assert f"+ - g [class=red-ui-flow-link] [from={out}] [to={into}] [ref=" in wired.text
    assert '~ - g "debug 1" → "Shown" [id="' in renamed.text
    assert moved.note == "it moved by 100, 60"
    assert "Successfully deployed" in done.text
    inject, debug = deployed(node_red)
    assert [inject["type"], inject["wires"]] == ["inject", [[debug["id"]]]]
    width = await page.evaluate("RED.nodes.filterNodes({type: 'debug'})[0].w")  # as wide as its label
    assert [debug["type"], debug["name"], debug["x"] - width / 2, debug["y"]] == ["debug", "Shown", 420, 220]

    await page.click(await ref(page, "Shown", "g"))
    removed = await page.press("Delete")

    assert f"- - g [class=red-ui-flow-link] [from={out}] [to={into}]" in removed.text
    assert '- - g "Shown"' in removed.text
    assert await page.evaluate("RED.nodes.createCompleteNodeSet().map(({type, wires}) => [type, wires])") == [
        ["tab", None],
        ["inject", [[]]],
    ]

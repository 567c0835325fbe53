"""Node-RED, a flow editor with a server: palette, wires, dialogs and deploying, judged by the flows that it runs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from urllib.request import urlopen

import pytest

from bench.cache import NotFetched, npm_environment
from bench.server import serving_itself
from cdp_agent.cdp import network
from cdp_agent.page.page import Page, tab_of
from tests.acting import ref
from tests.ports import free_port

pytestmark = pytest.mark.slow

PACKAGE = "node-red@4.1.8"
# What takes long to load and is not needed: the palette but for two nodes, and all that is for editing code.
# fmt: off
EXCLUDED = [
    "05-tls.js", "06-httpproxy.js", "10-file.js", "10-mqtt.js", "16-range.js", "17-split.js", "18-sort.js",
    "19-batch.js", "21-httpin.js", "21-httprequest.js", "22-websocket.js", "23-watch.js", "31-tcpin.js", "32-udp.js",
    "70-CSV.js", "70-HTML.js", "70-JSON.js", "70-XML.js", "70-YAML.js", "80-template.js", "89-trigger.js",
    "90-exec.js", "rbe.js", "05-junction.js", "10-function.js", "10-switch.js", "15-change.js", "24-complete.js",
    "25-catch.js", "25-status.js", "60-link.js", "89-delay.js", "90-comment.js",
]
# fmt: on


@pytest.fixture(scope="module")
def node_red(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Its address, with one empty flow."""
    try:
        modules = npm_environment(PACKAGE) / "node_modules"
    except NotFetched as error:
        pytest.skip(f"it cannot be had here: {error}")
    home = tmp_path_factory.mktemp("node-red")
    settings = {
        "uiHost": "127.0.0.1",
        "nodesExcludes": EXCLUDED,
        "editorTheme.tours": False,
        "editorTheme.codeEditor.lib": "ace",
        "editorTheme.palette.editable": False,
        "telemetry.enabled": False,
    }
    told = [each for name, value in settings.items() for each in ("-D", f"{name}={json.dumps(value)}")]
    command = ("node", f"{modules}/node-red/red.js", "-u", str(home), "-p", str(free_port()), *told)
    with serving_itself(*command, cwd=home) as url:
        yield url


def deployed(url: str) -> list[dict[str, Any]]:
    """The nodes that its server runs, as they were added."""
    with urlopen(f"{url}flows") as answer:
        return [each for each in json.load(answer) if each["type"] != "tab"]


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

"""Node-RED, an editor of flows; judged by the flows that its server runs."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from bench.cache import npm_environment
from bench.evals.own.case import Episode, Site, own, quoted
from bench.evals.task import Play
from bench.server import serving_itself
from tests.ports import free_port

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


@contextmanager
def node_red_in(home: Path) -> Iterator[str]:
    """Its address, with one empty flow. Raises NotFetched."""
    modules = npm_environment(PACKAGE) / "node_modules"
    settings = {
        "uiHost": "127.0.0.1",
        "nodesExcludes": EXCLUDED,
        "editorTheme.tours": False,
        "editorTheme.codeEditor.lib": "ace",
        "editorTheme.palette.editable": False,
        "telemetry.enabled": False,
    }
    options = [word for name, value in settings.items() for word in ("-D", f"{name}={json.dumps(value)}")]
    command = ("node", f"{modules}/node-red/red.js", "-u", str(home), "-p", str(free_port()), *options)
    with serving_itself(*command, cwd=home) as url:
        yield url


def deployed(url: str) -> list[dict[str, Any]]:
    """The nodes that its server runs, as they were added."""
    with urlopen(f"{url}flows") as answer:
        return [node for node in json.load(answer) if node["type"] != "tab"]


@contextmanager
def flows(folder: Path, rng: random.Random) -> Iterator[Site]:
    with node_red_in(folder) as url:
        yield Site(url, folder)


FLOWS = ("Node-RED", flows)


async def _runs(episode: Episode) -> str:
    nodes = {node["type"]: node for node in deployed(episode.site.url)}
    if nodes.keys() != {"inject", "debug"}:
        return f"the server runs {sorted(nodes)}"
    if nodes["inject"]["wires"] != [[nodes["debug"]["id"]]]:
        return "they are not wired"
    return "" if nodes["debug"]["name"] == episode.asked["name"] else f"it is called {nodes['debug']['name']}"


@own(
    "flows_wire",
    FLOWS,
    "Put an inject and a debug node on the canvas, wire the first to the second, call the debug node '{name}', deploy.",
    _runs,
    asked=lambda rng: {"name": rng.choice(["Shown", "Listener", "Last stop"])},
)
async def wire(play: Play) -> None:
    """By dragging nodes from the palette, and the wire between them."""
    (name,) = quoted(play)
    await play.call("wait_for", text="inject")
    await play.look()
    canvas = (
        str(await play.call("find_elements", selector="#red-ui-workspace-chart svg"))
        .partition("[ref=")[2]
        .partition("]")[0]
    )
    await play.call("drag", from_ref=play.ref('"inject"'), to_ref=canvas, to_at=[120, 100])
    await play.call("drag", from_ref=play.ref('"debug"'), to_ref=canvas, to_at=[400, 160])
    await play.look()
    ports = [play.ref("port-output", nth=0), play.ref("port-input", nth=-1)]
    await play.call("drag", from_ref=ports[0], to_ref=ports[1])
    await play.call("click", ref=play.ref('- g "debug 1"'), count=2)
    await play.call("fill", ref=play.ref('textbox "Name'), value=name)
    await play.call("click", ref=play.ref('button "Done"'))
    await play.call("click", ref=play.ref('(button|link) "Deploy"'))
    await play.answer(play.seen("Successfully deployed"))

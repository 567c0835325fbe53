"""A trace as a trace.zip: what its parts hold, and that Playwright's own commands read it."""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import msgspec
import pytest

from bench.cache import NotFetched, npm_environment
from cdp_agent.browser import Browser
from cdp_agent.errors import SetupError
from cdp_agent.page.page import Page, tab_of
from cdp_agent.security.secrets import Secret, Secrets
from cdp_agent.trace import documents, write_zip
from fixtures.replay import tool_call
from tests.agents import CLICK, DONE, FILL, play
from tests.commands import Cli
from tests.conftest import Serve

Playwright = Callable[[list[list[str]], Path], list[str]]

SHOP = """<!doctype html><html class=wide><head><title>Shop</title><link rel=stylesheet href={sheet}></head><body>
<h1>Shop</h1><input aria-label="Search" value=old><input type=password value=hidden-word aria-label=Word>
<select aria-label=Size><option>S<option selected>M</select><input type=checkbox checked aria-label=Gift>
<button onclick="document.querySelector('p').textContent = 'Found'; console.warn('looked'); fetch('/none')">Go</button>
<p>Nothing yet</p><div id=host></div><iframe srcdoc="<p>Inside"></iframe><script>
document.getElementById('host').attachShadow({{mode: 'closed'}}).innerHTML = '<b>Shadow</b>'</script></body></html>"""


async def _traced(browser: Browser, page: Page, serve: Serve, folder: Path, *, leak: str = "", **options: Any) -> Path:
    sheet = serve("h1 { color: red }", content_type="text/css", path="/shop.css")
    url = serve(SHOP.format(sheet=sheet) + leak)
    await play(browser, page, options.pop("replies", [FILL, CLICK, DONE]), url=url, trace=folder, **options)
    return folder


def _lines(path: Path, name: str) -> list[dict[str, Any]]:
    with ZipFile(path) as file:
        return [json.loads(line) for line in file.read(name).splitlines()]


def _text(html: Any) -> str:
    return html if isinstance(html, str) else " ".join(_text(each) for each in html[2:])


def _find(html: Any, name: str) -> list[Any]:
    if isinstance(html, str):
        return []
    inside = [found for child in html[2:] for found in _find(child, name)]
    return [html, *inside] if html[0] == name else inside


async def test_a_zip_has_what_was_asked_done_shown_and_said_and_no_secret(
    browser: Browser, page: Page, serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cdp_agent.trace.watcher._LATEST_S", 5.0)  # else there are none where that takes long
    fill = tool_call("fill", {"ref": "{{ref:textbox Search}}", "value": "<secret:password>"})
    leak = "<script>console.error('kiwi-77-plum'); fetch('/none?kiwi-77-plum')</script>"
    secret_sheet = serve("/* kiwi-77-plum */", content_type="text/css", path="/kiwi-77-plum.css")
    leak += f"<link rel=stylesheet href={secret_sheet}>"
    await _traced(
        browser, page, serve, tmp_path / "runs",
        leak=leak, replies=[fill, CLICK, DONE], secrets={"password": Secret("kiwi-77-plum")},
    )  # fmt: skip

    write_zip(tmp_path / "runs", tmp_path / "trace.zip")

    lines = _lines(tmp_path / "trace.zip", "trace.trace")
    context = lines[0]
    assert (context["version"], context["browserName"], context["title"]) == (8, "chromium", "Find tea")
    assert context["options"]["viewport"] == {"width": 1280, "height": 800}
    begun = {each["callId"]: each for each in lines if each["type"] == "before"}
    ended = {each["callId"]: each for each in lines if each["type"] == "after"}
    assert begun.keys() == ended.keys()
    assert all(begun[call]["startTime"] <= ended[call]["endTime"] for call in begun)
    titles = [each["title"].partition("(")[0].partition(":")[0] for each in begun.values()]
    asked = "Ask openai-compatible/scripted"
    assert titles == [asked, *("Step 1", asked, "fill"), *("Step 2", asked, "click"), *("Step 3", asked, "done", asked)]
    assert {each["parentId"] for each in begun.values() if each["title"].startswith(("fill", "click"))} == {
        "step@1",
        "step@2",
    }
    assert [each["text"] for each in lines if each["type"] == "console"] == ["<secret:password>", "looked"]
    frames = [each for each in lines if each["type"] == "screencast-frame"]
    with ZipFile(tmp_path / "trace.zip") as file:
        assert all(file.read(f"resources/{each['sha1']}").startswith(b"\xff\xd8") for each in frames)
        network = _lines(tmp_path / "trace.zip", "trace.network")
        (sheet,) = {
            each["snapshot"]["response"]["content"].get("_sha1")
            for each in network
            if each["snapshot"]["request"]["url"].endswith("/shop.css")
        }
        assert file.read(f"resources/{sheet}") == b"h1 { color: red }"
        texts = {name: file.read(name) for name in file.namelist() if not name.endswith(".jpeg")}
    assert frames
    assert not [name for name, text in texts.items() if b"kiwi" in text]
    assert b"<secret:password>" in texts["trace.trace"]
    unpacked = [gzip.decompress(path.read_bytes()) for path in (tmp_path / "runs").glob("*/snapshots/*.gz")]
    assert unpacked
    assert not [each for each in unpacked if b"kiwi" in each]


async def test_documents_are_kept_as_they_are_seen(page: Page, serve: Serve) -> None:
    await page.goto(serve(SHOP.format(sheet="/none.css")))
    await page.evaluate("document.querySelector('input').value = 'typed'")

    found = documents.documents_of(await documents.capture(tab_of(page)), Secrets())

    assert found is not None
    main, inner = found
    assert [each[1].get("__playwright_value_") for each in _find(main.html, "INPUT")] == ["typed", None, "on"]
    assert "hidden-word" not in json.dumps(main.html)
    assert [each[1]["__playwright_selected_"] for each in _find(main.html, "OPTION")] == ["false", "true"]
    assert _find(main.html, "INPUT")[2][1]["__playwright_checked_"] == "true"
    (shadow,) = _find(main.html, "TEMPLATE")
    assert (shadow[1], _text(shadow)) == ({"__playwright_shadow_root_": "true"}, "Shadow")
    assert _find(main.html, "SCRIPT") == []
    assert _find(main.html, "BASE")[0][1]["href"] == page.url
    assert _find(main.html, "IFRAME")[0][1]["src"] == f"/snapshot/{inner.frame_id}"
    assert (_text(inner.html).strip(), inner.main, main.main) == ("Inside", False, True)
    assert main.html[1]["class"] == "wide"


async def test_secrets_are_masked_in_documents_or_there_are_none(page: Page, serve: Serve) -> None:
    secrets = Secrets({"password": Secret("kiwi-77-plum", ["https://shop.example"])})
    whole = serve("<p data-x='kiwi-77-plum'>kiwi-77-plum</p><input value='kiwi-77-plum'>")
    spread = serve("<p>" + "".join(f"<i>{letter}</i>" for letter in "kiwi-77-plum") + "</p>")

    await page.goto(whole)
    masked = documents.documents_of(await documents.capture(tab_of(page)), secrets)
    await page.goto(spread)
    none = documents.documents_of(await documents.capture(tab_of(page)), secrets)

    assert masked is not None
    written = msgspec.json.encode(masked).decode()
    assert (written.count("<secret:password>"), "kiwi" in written) == (4, False)
    assert none is None


async def test_a_run_that_fails_says_so(browser: Browser, page: Page, serve: Serve, tmp_path: Path) -> None:
    wrong = tool_call("click", {"ref": "E99"})
    await _traced(browser, page, serve, tmp_path / "runs", replies=[wrong])

    write_zip(tmp_path / "runs", tmp_path / "trace.zip")

    lines = _lines(tmp_path / "trace.zip", "trace.trace")
    errors = [each["error"]["name"] for each in lines if each["type"] == "after" and "error" in each]
    assert errors[0] == "ActionError"
    assert [each["message"].partition(":")[0] for each in lines if each["type"] == "error"] == ["failed"]


async def test_the_acts_of_steps_are_inside_their_call(
    browser: Browser, page: Page, serve: Serve, tmp_path: Path
) -> None:
    steps = tool_call("steps", {"steps": ["Type 'tea' into Search", "Click Go"]})
    await _traced(browser, page, serve, tmp_path / "runs", replies=[steps, DONE])

    write_zip(tmp_path / "runs", tmp_path / "trace.zip")

    lines = _lines(tmp_path / "trace.zip", "trace.trace")
    acts = {line["callId"]: line["method"] for line in lines if line["type"] == "before" and line["class"] == "Page"}
    ended = [acts[line["callId"]] for line in lines if line["type"] == "after" and line["callId"] in acts]
    assert ended == ["fill", "click", "steps", "done"]


_IN_TURN = """
const [lib, commands] = process.argv.slice(1);
require(`${lib}/bootstrap`);
const { libCli } = require(`${lib}/coreBundle`);
const { program } = require(`${lib}/utilsBundle`);
libCli.decorateProgram(program);
const left = JSON.parse(commands);
process.on('beforeExit', () => {
  process.stdout.write('\\0');
  if (left.length) program.parse(['trace', ...left.shift()], { from: 'user' });
});
"""
"""What Playwright's `cli.js` does, for several commands: it takes half a second to be loaded."""


@pytest.fixture
def playwright() -> Playwright:
    if shutil.which("npm") is None or shutil.which("node") is None:
        pytest.skip("there is no npm on this machine")
    try:
        folder = npm_environment("playwright-core@1.65.1")
    except NotFetched as error:
        pytest.skip(f"playwright-core cannot be had here: {error}")

    def run(commands: list[list[str]], cwd: Path) -> list[str]:
        command = ["node", "-e", _IN_TURN, str(folder / "node_modules/playwright-core/lib"), json.dumps(commands)]
        said = subprocess.run(command, cwd=cwd, check=True, capture_output=True, text=True, timeout=60).stdout
        return said.split("\0")[1:-1]

    return run


@pytest.mark.chrome
def test_playwrights_own_command_reads_it(playwright: Playwright, attached: Cli, serve: Serve, tmp_path: Path) -> None:
    """The one that the command makes of a run by steps."""
    url = serve("<title>Tea</title><button>Pour</button>")
    (tmp_path / "steps").write_text(f"Open {url}\nClick 'Pour'\n")
    attached.here("do", str(tmp_path / "steps"), "--trace", str(tmp_path / "runs"))
    attached.here("trace", "zip", str(tmp_path / "runs"), "-o", str(tmp_path / "trace.zip"))

    commands = [["open", str(tmp_path / "trace.zip")], ["actions"], ["errors"], ["requests"]]
    opened, actions, errors, requests = playwright(commands, tmp_path)

    assert "Browser:      chromium" in opened
    words = ["Step 1", "goto(", "Step 2", "click("]
    assert [word for word in words if word in actions] == words
    assert "No errors" in errors
    assert url.rpartition("/")[2] in requests


def test_a_folder_without_a_run_has_no_zip(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match="There is no trace of a run"):
        write_zip(tmp_path, tmp_path / "trace.zip")

"""Twenty secrets, planted wherever a run can meet them: none is in its trace, its page, or what is shown live of it."""

from __future__ import annotations

import asyncio
import base64
import gzip
import json
import re
from pathlib import Path
from urllib.parse import quote, quote_plus
from zipfile import ZipFile

import pytest
from pytest_httpserver import HTTPServer

from cdp_agent import Agent
from cdp_agent.browser import Browser
from cdp_agent.page.page import Page, tab_of
from cdp_agent.page.tab.saving import har_content
from cdp_agent.security.secrets import Secret, Secrets
from cdp_agent.server.live import LiveRun
from cdp_agent.trace import TraceOptions, write_html, write_zip
from cdp_agent.trace.options import run_folders
from fixtures.replay import ReplayServer, reply, tool_call
from tests.pictures import REDS

PLACES = (
    *("title", "heading", "link_address", "attribute", "field", "comment", "page_address", "redirect", "cookie"),
    *("header", "body", "error_body", "request_body", "console_log", "console_error", "thrown", "alert", "prompt_text"),
    *("frame", "option"),
)
SECRETS = {place: f"{place.title().replace('_', '')}-Kx7!{number:02}q&z" for number, place in enumerate(PLACES)}

PAGE = """<title>{title}</title><h1>{heading}</h1><p style="background: #00ff00">{heading}</p>
<a href="/next?key={link_address}">On</a><i data-key="{attribute}" title="{attribute}">i</i>
<input aria-label="Field" value="{field}"><!-- {comment} --><p id="said">nothing</p>
<select aria-label="List"><option>{option}<option>other</select>
<button onclick="meet()">Do it</button><iframe src="/frame" title="Frame"></iframe>
<script>
document.cookie = 'key=' + encodeURIComponent({js_cookie});
async function meet() {{
  console.log('logged', {js_console_log});
  console.error({js_console_error});
  setTimeout(() => {{ throw new Error({js_thrown}); }});
  const headers = {{'x-key': encodeURIComponent({js_header})}};
  await fetch('/redirect?key=' + encodeURIComponent({js_redirect}), {{headers}});
  const answer = await fetch('/fails', {{method: 'POST', body: {js_request_body}}});
  document.querySelector('#said').textContent = (await answer.json()).error;
  history.pushState(null, '', '?key=' + encodeURIComponent({js_page_address}));
  alert({js_alert});
  prompt('Your key?', {js_prompt_text});
}}
</script>"""


def spellings(secret: str) -> set[str]:
    """As what a secret may not be found."""
    packed = base64.b64encode(secret.encode()).decode().rstrip("=")
    in_markup = secret.replace("&", "&amp;")
    return {secret, quote(secret), quote_plus(secret), json.dumps(secret)[1:-1], packed[:-2], in_markup}


def found_in(content: str) -> dict[str, list[str]]:
    texts = [content, content.replace('\\"', '"'), content.replace("\\\\", "\\")]
    found = dict[str, list[str]]()
    for place, secret in SECRETS.items():
        if written := [each for each in spellings(secret) if any(each in text for text in texts)]:
            found[place] = written
    return found


def shop(server: HTTPServer) -> str:
    scripts = {f"js_{place}": json.dumps(secret) for place, secret in SECRETS.items()}
    marked = {place: secret.replace("&", "&amp;") for place, secret in SECRETS.items()}
    page = PAGE.format(**marked | {"link_address": quote(SECRETS["link_address"])}, **scripts)
    for path, body in {"/": page, "/next": "<title>Next</title>", "/frame": f"<p>{marked['frame']}</p>"}.items():
        server.expect_request(path).respond_with_data(body, content_type="text/html; charset=utf-8")
    there = {"location": "/there?key=" + quote(SECRETS["redirect"])}
    server.expect_request("/redirect").respond_with_data("", status=302, headers=there)
    server.expect_request("/there").respond_with_json({"key": SECRETS["body"]})
    server.expect_request("/fails").respond_with_json({"error": SECRETS["error_body"]}, status=422)
    return server.url_for("/")


@pytest.mark.whole_chrome
async def test_none_of_them_is_anywhere(
    browser: Browser, page: Page, httpserver: HTTPServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for limit in ("_LATEST_S", "_SLOW_S"):  # nothing is left out, however slow this machine is
        monkeypatch.setattr(f"cdp_agent.trace.watcher.{limit}", 30)
    url = shop(httpserver)
    origin = url.rstrip("/")
    live = LiveRun(asyncio.Event(), asyncio.Event())
    replies = [
        reply(("click", {"ref": "{{ref:button Do it}}"}), text=f"I saw {SECRETS['heading']}."),
        tool_call("read_page", {}),
        tool_call("dialog", {"action": "dismiss"}),
        tool_call("snapshot", {}),
        tool_call("fill", {"ref": "{{ref:textbox Field}}", "value": "<secret:field>"}),
        tool_call("search_page", {"pattern": SECRETS["error_body"]}),
        tool_call("click", {"ref": "{{ref:link On}}"}),
        tool_call("done", {"result": f"It is {SECRETS['body']}."}),
    ]
    with ReplayServer(replies=replies) as server:
        agent = Agent(
            browser,
            model="openai-compatible/scripted",
            base_url=server.base_url,
            secrets={place: Secret(secret, [origin]) for place, secret in SECRETS.items()},
            trace=TraceOptions(folder=tmp_path / "traces", follow=live.follow),
        )
        result = await agent.run(f"Say what {SECRETS['title']} is", url=url, page=page)

    [folder] = run_folders(tmp_path / "traces")
    write_html(folder, tmp_path / "run.html")
    write_zip(folder, tmp_path / "trace.zip")
    with ZipFile(tmp_path / "trace.zip") as file:
        parts = [file.read(name).decode() for name in file.namelist() if not name.endswith(".jpeg")]
    packed = [gzip.decompress(each.read_bytes()).decode() for each in sorted(folder.glob("snapshots/*.gz"))]
    mask = Secrets({place: Secret(secret, [origin]) for place, secret in SECRETS.items()}).mask
    await page.goto(url)
    await page.click(next(each.ref for each in (await page.snapshot()).refs.values() if each.name == "Do it"))
    await page.answer_dialog(False)
    har, _, _ = await har_content(tab_of(page), credentials=True, mask=mask)
    await page.goto((tmp_path / "run.html").as_uri())
    await page.wait_for(text="Time line")
    await page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    live.log.close()
    streamed = b"".join([line.data async for line in live.log.after(0)]).decode()
    places = {
        **{each.name: each.read_text() for each in folder.glob("*.jsonl")},
        "name": folder.name,
        "html": await page.evaluate("document.documentElement.outerHTML"),
        "live": streamed,
        "zip": "\n".join(parts),
        "documents": "\n".join(packed),
        "har": har.decode(),
    }

    assert result.answer == "It is <secret:body>."
    assert {name: found_in(content) for name, content in places.items() if found_in(content)} == {}
    # Each was met: what stands in its place does.
    met = {name for content in places.values() for name in re.findall(r"<secret:(\w+)>", content)}
    told = {"title", "heading", "link_address", "field", "page_address", "redirect", "error_body", "console_log"}
    assert met >= told | {"console_error", "thrown", "alert", "frame", "option", "body"}
    assert len(places["network.jsonl"].splitlines()) > 6
    assert packed
    in_har = {"title", "field", "redirect", "cookie", "header", "body", "error_body", "request_body"}
    assert set(re.findall(r"<secret:(\w+)>", places["har"])) >= in_har


async def test_a_picture_has_a_cover_where_a_secret_is_seen(
    browser: Browser, page: Page, httpserver: HTTPServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cdp_agent.trace.watcher._LATEST_S", 5.0)  # else there is none where that takes long
    html = """<style>body { margin: 0; background: #fff } p { margin: 0; font: 40px monospace; color: #f00 }</style>
        <p>Visible-Kx7</p><button>Go</button>"""
    httpserver.expect_request("/").respond_with_data(html, content_type="text/html")
    url = httpserver.url_for("/")
    seen = {}
    for name, secret in (("covered", "Visible-Kx7"), ("plain", "something else")):
        agent = Agent(browser, secrets={"key": Secret(secret, [url.rstrip("/")])}, trace=tmp_path / name)
        await agent.do(["Click Go"], url=url, page=page)
        [folder] = run_folders(tmp_path / name)
        picture = base64.b64encode((folder / "pictures/0001.jpeg").read_bytes()).decode()
        seen[name] = await page.evaluate(f"({REDS})('{picture}')")

    assert seen["covered"] == 0
    assert seen["plain"] > 200

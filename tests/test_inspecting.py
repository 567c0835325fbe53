"""The tools that tell what a page logged and asked for."""

from __future__ import annotations

from cdp_agent.browser import Browser
from cdp_agent.session import Session
from tests.conftest import Serve


async def test_a_model_finds_out_why_a_form_was_not_saved(browser: Browser, serve: Serve) -> None:
    url = serve('{"detail": "Street is required"}', status=422, content_type="application/json", path="/api/orders")
    save = f"fetch('{url}', {{method: 'POST'}}).then(() => nothing.here())"
    session = Session(browser)
    await session.call("goto", {"url": serve(f'<button onclick="{save}">Save</button>')})
    await session.call("snapshot")

    clicked = await session.call("click", {"ref": "E1"})
    failed = await session.call("read_network", {"status": "failed", "kind": "api"})
    number = int(failed.text.split("\n")[1].removeprefix("- ").partition(":")[0])
    body = await session.call("read_network", {"body_of": number})
    errors = await session.call("read_console", {"level": "error"})

    assert f"failed: POST {url} 422: Street is required" in clicked.text
    assert failed.text.startswith(f"1 request:\n- {number}: POST {url} 422 (fetch, application/json, ")
    assert body.text == '{"detail": "Street is required"}'
    assert "- error: Uncaught (in promise) ReferenceError: nothing is not defined" in errors.text
    await session.close()


async def test_what_there_is_nothing_of_is_said(browser: Browser, serve: Serve) -> None:
    session = Session(browser)
    await session.call("goto", {"url": serve("<h1>Quiet</h1>")})

    assert (await session.call("read_console")).text == "No message."
    assert (await session.call("read_network", {"kind": "xhr"})).text == "No request."
    unknown = await session.call("read_network", {"body_of": 99})
    assert unknown.error is not None
    assert unknown.text == "No request has the number 99: list those that there are."
    await session.close()


async def test_a_long_body_is_cut_to_its_budget(browser: Browser, serve: Serve) -> None:
    data = serve("word " * 1_000, content_type="text/plain")
    session = Session(browser)
    await session.call("goto", {"url": serve(f"<script>fetch('{data}').then(it => it.text())</script>")})
    listed = await session.call("read_network", {"kind": "api"})
    number = listed.value.requests[0].number  # type: ignore[union-attr]

    cut = await session.call("read_network", {"body_of": number, "budget_tokens": 100})

    assert cut.text == "word " * 80 + "\n… cut here: 4,600 characters more."
    await session.close()

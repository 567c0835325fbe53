"""Workers and worklets run as they do without us."""

from __future__ import annotations

import pytest

from cdp_agent.page.page import Page

from .conftest import Serve

SCRIPTS = {
    "worker": "postMessage('ran')",
    "nested": "new Worker('/worker').onmessage = told => postMessage(told.data)",
    "shared": "onconnect = event => event.ports[0].postMessage('ran')",
    # It leaves, or Chrome asks for it again and again as long as it lives.
    "service": "onmessage = event => { event.source.postMessage('ran'); registration.unregister() }",
    "audio": "registerProcessor('quiet', class extends AudioWorkletProcessor { process() { return false } })",
    "paint": "registerPaint('plain', class { paint() {} })",
}
STARTS = {
    "worker": "new Worker('/worker').onmessage = told => done(told.data)",
    "nested": "new Worker('/nested').onmessage = told => done(told.data)",
    "shared": "new SharedWorker('/shared').port.onmessage = told => done(told.data)",
    "service": """navigator.serviceWorker.onmessage = told => done(told.data)
        navigator.serviceWorker.register('/service')
        navigator.serviceWorker.ready.then(registration => registration.active.postMessage(0))""",
    "audio": """const audio = new OfflineAudioContext(1, 100, 44100)
        audio.audioWorklet.addModule('/audio').then(() => { new AudioWorkletNode(audio, 'quiet'); done('ran') })""",
    "paint": "CSS.paintWorklet.addModule('/paint').then(() => done('ran'))",
}


@pytest.mark.parametrize("kind", STARTS)
@pytest.mark.parametrize("other_site", [False, True], ids=["in the tab", "in an iframe of another process"])
async def test_a_worker_runs(page: Page, serve: Serve, kind: str, other_site: bool) -> None:
    for name, script in SCRIPTS.items():
        serve(script, path=f"/{name}", content_type="text/javascript")
    inner = serve(
        f"<script>const done = told => parent.postMessage(told, '*'); {STARTS[kind]}</script>", other_site=other_site
    )
    heard = "<script>const told = new Promise(done => onmessage = event => done(event.data))</script>"

    await page.goto(serve(f"{heard}<iframe src='{inner}'></iframe>"))

    assert await page.evaluate("told", timeout_s=5) == "ran"

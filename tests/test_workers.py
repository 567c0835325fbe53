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


# Who has not told by then is missing.
HEARD = """<script>
const told = {};
addEventListener('message', ({data: [kind, said]}) => { told[kind] = said });
const all = new Promise(done => {
  setInterval(() => { if (Object.keys(told).length === COUNT) done(told) }, 20);
  setTimeout(done, 5000, told);
});
</script>""".replace("COUNT", str(len(STARTS)))


@pytest.mark.parametrize("other_site", [False, True], ids=["in the tab", "in iframes of another process"])
async def test_workers_run(page: Page, serve: Serve, other_site: bool) -> None:
    for name, script in SCRIPTS.items():
        serve(script, path=f"/{name}", content_type="text/javascript")
    iframes = []
    for kind, starts in STARTS.items():
        script = f"const done = said => parent.postMessage(['{kind}', said], '*'); {starts}"
        iframes.append(f"<iframe src='{serve(f'<script>{script}</script>', other_site=other_site)}'></iframe>")

    await page.goto(serve(HEARD + "".join(iframes)))

    assert await page.evaluate("all", timeout_s=10) == dict.fromkeys(STARTS, "ran")

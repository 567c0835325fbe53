"""Workers and worklets run as they do without us."""

from __future__ import annotations

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


# Of another process, as each of these is attached to by itself.
ELSEWHERE = ("worker", "nested", "shared", "service")

# Who has not told by then is missing.
HEARD = """<script>
const told = {};
addEventListener('message', ({data: [kind, said]}) => { told[kind] = said });
const all = new Promise(done => {
  setInterval(() => { if (Object.keys(told).length === COUNT) done(told) }, 20);
  setTimeout(done, 5000, told);
});
</script>""".replace("COUNT", str(len(STARTS) + len(ELSEWHERE)))


async def test_workers_run_in_iframes_of_this_and_of_another_process(page: Page, serve: Serve) -> None:
    for name, script in SCRIPTS.items():
        serve(script, path=f"/{name}", content_type="text/javascript")
    places = {False: tuple(STARTS), True: ELSEWHERE}
    iframes = []
    for other_site, kinds in places.items():
        starts = "".join(
            f"{{ const done = said => parent.postMessage(['{kind} {other_site}', said], '*'); {STARTS[kind]} }}"
            for kind in kinds
        )
        iframes.append(f"<iframe src='{serve(f'<script>{starts}</script>', other_site=other_site)}'></iframe>")

    await page.goto(serve(HEARD + "".join(iframes)))

    told = await page.evaluate("all", timeout_s=10)
    assert told == {f"{kind} {other_site}": "ran" for other_site, kinds in places.items() for kind in kinds}

"""What is held otherwise than by `Fetch`, which knows no sockets, and comes too late for some workers."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator

import msgspec
import pytest

from cdp_agent.browser import Browser
from cdp_agent.cdp import runtime, target
from cdp_agent.page.page import Page, tab_of
from cdp_agent.page.policy.holding import Act, Held, Hold
from cdp_agent.page.policy.limits import limit, limited
from cdp_agent.page.policy.rules import rules_of
from tests.detached import DetachedChrome
from tests.web import Web, running

ALLOWED: dict[str, list[str] | None] = {"allow": ["good.localhost"], "deny": None}
DENIED = {"allow": [], "deny": ["evil.localhost", "127.0.0.1"]}
_TRIES = """
const who = self.name || "plain";
const ended = (asked) => new Promise((done) => { asked.onopen = asked.onloadend = asked.onerror = done; });
const xhr = new XMLHttpRequest();
xhr.open("GET", `EVIL/${who}-xhr`);
xhr.send();
const ways = [
  fetch(`EVIL/${who}-fetch`, {mode: "no-cors"}).catch(() => 0),
  fetch(`GOOD/to-evil?${who}`, {mode: "no-cors"}).catch(() => 0),
  ended(xhr),
  ended(new EventSource(`EVIL/${who}-events`)),
  ended(new WebSocket(`SOCKET/${who}-socket`)),
  import(`EVIL/${who}-module.js`).catch(() => 0),
];
const waiting = new XMLHttpRequest();
waiting.open("GET", `EVIL/${who}-waiting-xhr`, false);
try { waiting.send(); } catch {}
try { importScripts(`EVIL/${who}-import.js`); } catch {}
try { importScripts("GOOD/to-evil"); } catch {}
const all = Promise.all(ways).then(() => fetch(`GOOD/tried-${who}`, {mode: "no-cors"}));
onconnect = ({ports: [port]}) => all.then(() => port.postMessage("tried"));
"""
_STARTS = """<script>
const script = SCRIPT;
const workers = [
  new SharedWorker("/shared.js"),
  new SharedWorker(URL.createObjectURL(new Blob([script])), "blob"),
  new SharedWorker("data:text/javascript," + encodeURIComponent(script), "data"),
];
const tried = Promise.all(workers.map(({port}) => new Promise((done) => { port.onmessage = done; })));
</script>"""


OTHER_NAMES = {
    "evil.localhost.": "refused",
    "sub.evil.localhost.": "refused",
    "[::ffff:127.0.0.1]": "refused",
    "other.localhost.": "open",
}


def _opened(name: str, web: Web) -> str:
    """What becomes of a socket to that name, as a script tells it."""
    return (
        f"new Promise((done) => {{ const socket = new WebSocket('ws://{name}:{web.port}/socket');"
        " socket.onopen = () => done('open'); socket.onerror = () => done('refused'); })"
    )


def _in_worker(script: str) -> str:
    """What a new shared worker of no origin answers: the promise of the script."""
    whole = f"onconnect = ({{ports: [port]}}) => {script}.then((how) => port.postMessage(how))"
    url = f"'data:text/javascript,' + encodeURIComponent({json.dumps(whole)})"
    return f"new Promise((done) => {{ new SharedWorker({url}).port.onmessage = (told) => done(told.data) }})"


@pytest.fixture
async def web() -> AsyncIterator[Web]:
    async with running() as web:
        yield web


@contextlib.asynccontextmanager
async def under(lists: str, where: str, browser: Browser, detached: DetachedChrome) -> AsyncIterator[Browser]:
    """A browser whose tabs are under a list: one that is somebody else's, ours, or ours with a run in it."""
    allow, deny = ALLOWED[lists], DENIED[lists]
    match where:
        case "theirs":
            async with Browser.connect(detached.endpoint, allow=allow, deny=deny) as connected:
                yield connected
        case "run":
            async with limited(rules_of(allow=allow, deny=deny)):
                yield browser
        case _:
            async with Browser.launch(allow=allow, deny=deny) as launched:
                yield launched


def put_workers(web: Web) -> str:
    """A page that starts shared workers, whose scripts are there sooner or later."""
    script = _TRIES.replace("EVIL", web.origin("evil")).replace("GOOD", web.origin("good"))
    script = script.replace("SOCKET", f"ws://evil.localhost:{web.port}")
    web.redirect("good", "/to-evil", web.origin("evil") + "/redirected")
    web.put("good", "/shared.js", script, "text/javascript")
    return web.put("good", "/", _STARTS.replace("SCRIPT", json.dumps(script)))


@pytest.mark.parametrize("where", ["theirs", "run", "ours"])
@pytest.mark.parametrize("lists", DENIED)
async def test_no_shared_worker_gets_to_what_is_refused(
    browser: Browser, detached: DetachedChrome, web: Web, lists: str, where: str, subtests: pytest.Subtests
) -> None:
    told = 24 if where == "ours" else 27  # there the resolver refuses their sockets, and tells nobody

    async with under(lists, where, browser, detached) as bound:
        page = await bound.new_page()
        refused = (await page.goto(put_workers(web))).blocked
        await page.evaluate("tried.then(() => 0)", timeout_s=20)
        async with asyncio.timeout(10):
            while len(refused) < told:
                await page.evaluate("0")
                refused += tab_of(page).request_policy.take()
        if lists == "deny":
            with subtests.test("no socket gets to another name of what is denied"):
                assert [await page.evaluate(_opened(name, web)) for name in OTHER_NAMES] == list(OTHER_NAMES.values())

    assert web.paths("evil") == []
    assert {"/tried-plain", "/tried-blob", "/tried-data"} <= set(web.paths("good"))
    assert len(refused) == told
    assert len({each.url for each in refused}) == told - 5  # the two redirects of each lead to the same place


async def test_what_a_worker_of_no_origin_was_refused_is_told_in_each_tab_that_it_may_be_of(
    browser: Browser, web: Web
) -> None:
    async with limited(rules_of(deny=["evil.localhost"])):
        tabs = [await browser.new_page(web.origin(name)) for name in ("free", "good")]
        how = await tabs[1].evaluate(_in_worker(_opened("evil.localhost", web)))
    told = [[refused.url for refused in tab_of(tab).request_policy.take()] for tab in tabs]

    assert how == "refused"
    assert told == [[f"ws://evil.localhost:{web.port}/socket"]] * 2


@pytest.mark.parametrize("lists", DENIED)
async def test_no_socket_gets_to_what_is_refused_while_acts_are_held(browser: Browser, web: Web, lists: str) -> None:
    """Nor while a message waits for its approval, and then no new worker sends any."""
    asked_for = asyncio.Event()

    async def never(_: Held) -> bool:
        asked_for.set()
        return await asyncio.Future()

    opened = _opened("evil.localhost", web)
    rules = rules_of(allow=ALLOWED[lists], deny=DENIED[lists])
    assert rules is not None
    async with limited(msgspec.structs.replace(rules, hold=Hold())) as limits:
        assert limits is not None
        page = await browser.new_page(web.origin("good"))
        await limits.begin(Act(never), [])
        held = [await page.evaluate(opened), await page.evaluate(_in_worker(opened))]
        sends = "new Promise((done) => { const socket = new WebSocket('ws://good.localhost:%s/socket');"
        sends += " socket.onopen = () => { socket.send(%r); done('open'); }; })"
        await page.evaluate(sends % (web.port, "waits"))
        await asked_for.wait()
        meanwhile = [await page.evaluate(_in_worker(script)) for script in (opened, sends % (web.port, "new"))]

    assert (held, meanwhile) == (["refused", "refused"], ["refused", "open"])
    assert web.paths("evil") == []
    assert "MESSAGE" not in [method for method, _ in web.methods]


async def test_without_rules_shared_workers_get_there(browser: Browser, web: Web) -> None:
    page = await browser.new_page()
    await page.goto(put_workers(web))
    await page.evaluate("tried.then(() => 0)", timeout_s=20)

    ways = ["events", "fetch", "import.js", "module.js", "socket", "waiting-xhr", "xhr"]
    assert web.paths("evil") == sorted(
        ["/redirected", *(f"/{who}-{way}" for who in ("blob", "data", "plain") for way in ways)]
    )


_SAYS = """onconnect = ({ports: [port]}) => { port.onmessage = ({data: [how, where]}) => {
  const asked = how === "fetch" ? fetch(where, {mode: "no-cors"}) : new Promise((done, fail) => {
    const socket = new WebSocket(where); socket.onopen = done; socket.onerror = fail; });
  asked.then(() => port.postMessage("sent"), () => port.postMessage("refused")); }; };"""
_ASKS = """<script>
const {port} = new SharedWorker("/says.js");
const ask = (how, where) => new Promise((done) => {
  port.onmessage = (told) => done(told.data); port.postMessage([how, where]); });
</script>"""


def put_asks(web: Web, name: str) -> str:
    """A page whose `ask` has its shared worker ask for something."""
    web.put(name, "/says.js", _SAYS, "text/javascript")
    return web.put(name, "/", _ASKS)


async def asked(page: Page, web: Web, name: str) -> list[str]:
    """What becomes of a request and a socket to that host, of the page's shared worker."""
    fetched = await page.evaluate(f"ask('fetch', '{web.origin(name)}/x')")
    return [str(fetched), str(await page.evaluate(f"ask('socket', 'ws://{name}.localhost:{web.port}/x')"))]


async def test_a_shared_worker_that_runs_keeps_to_the_rules_of_a_tab_that_comes_to_its_site(
    web: Web, detached: DetachedChrome
) -> None:
    async with Browser.connect(detached.endpoint) as theirs:
        free = await theirs.new_page(put_asks(web, "good"))
        before = await asked(free, web, "evil")
        async with Browser.connect(detached.endpoint, deny=["evil.localhost"]) as ours:
            beside = await asked(free, web, "evil")
            page = await ours.new_page(put_asks(web, "good"))
            async with asyncio.timeout(10):
                while (since := await asked(page, web, "evil")) != ["refused", "refused"]:
                    pass
            other = await asked(page, web, "other")
        async with asyncio.timeout(10):
            while (afterwards := await asked(free, web, "evil")) != ["sent", "sent"]:
                pass

    assert (before, beside) == (["sent", "sent"], ["sent", "sent"])
    assert (since, other) == (["refused", "refused"], ["sent", "sent"])
    assert afterwards == ["sent", "sent"]


async def test_what_frames_that_are_there_start_keeps_to_the_lists_of_a_run_in_a_tab_of_a_user(
    web: Web, detached: DetachedChrome
) -> None:
    starts = f"new SharedWorker(URL.createObjectURL(new Blob([{json.dumps(_SAYS)}]))).port"
    put_asks(web, "other")
    async with Browser.connect(detached.endpoint) as theirs, Browser.connect(detached.endpoint) as ours:
        tab = await theirs.new_page(web.put("good", "/", f"<iframe src='{web.origin('other')}'></iframe>"))
        page = ours.find_page(tab.target_id)
        async with limited(rules_of(deny=["evil.localhost"])):
            await limit(tab_of(page).request_policy)
            await page.snapshot()
            frame = next(each for each in (await tab_of(tab).frames()).all() if each.parent is not None)
            start = f"new Promise((done) => {{ const port = {starts}; port.onmessage = (told) => done(told.data);"
            start += f" port.postMessage(['fetch', '{web.origin('evil')}/x']); }})"
            answer = await frame.session.send(runtime.Evaluate(expression=start, await_promise=True))

    assert bytes(answer.result.value or b"") == b'"refused"'
    assert web.paths("evil") == []


@pytest.mark.parametrize("beside", [False, True], ids=["of our tab alone", "of a tab of its user, too"])
async def test_a_shared_worker_that_would_outlive_its_pages_ends_as_we_leave(
    web: Web, detached: DetachedChrome, beside: bool
) -> None:
    web.put("good", "/outlives.js", "onconnect = ({ports: [port]}) => port.postMessage('begun')", "text/javascript")
    starts = """<script>const {port} = new SharedWorker("/outlives.js", {extendedLifetime: true});
    const begun = new Promise((done) => { port.onmessage = (told) => done(told.data); });</script>"""
    async with Browser.connect(detached.endpoint) as theirs:
        async with Browser.connect(detached.endpoint, deny=["evil.localhost"]) as ours:
            page = await ours.new_page(web.put("good", "/", starts))
            begun = await page.evaluate("begun")
            if beside:
                await (await theirs.new_page(web.origin("good"))).evaluate("begun")
        listed = target.GetTargets(filter=[target.FilterEntry(type="shared_worker")])
        found = await theirs._instance.session.send(listed)

    script = web.origin("good") + "/outlives.js"
    assert begun == "begun"
    assert [each.url for each in found.target_infos if each.url == script] == [script] * beside


async def test_a_worker_gets_to_what_each_of_several_lists_allows(web: Web, detached: DetachedChrome) -> None:
    async with (
        Browser.connect(detached.endpoint, allow=["*.localhost"], deny=["evil.localhost"]) as browser,
        limited(rules_of(allow=["good.localhost", "other.localhost", "evil.localhost"])),
    ):
        page = await browser.new_page(put_asks(web, "good"))

        assert await asked(page, web, "other") == ["sent", "sent"]
        assert await asked(page, web, "evil") == ["refused", "refused"]
        assert await asked(page, web, "third") == ["refused", "refused"]

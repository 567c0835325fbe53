"""What a first reading says: the same text for all who read it, and nothing that a later reading would not say."""

from __future__ import annotations

import msgspec
import pytest

from cdp_agent.errors import NotInteractable
from cdp_agent.page.actions import actions
from cdp_agent.page.page import Page
from cdp_agent.page.snapshot import snapshot as snapshots

from .acting import at
from .conftest import Serve
from .writing import opened, write

SPOKEN = ".sr{position:absolute;width:1px;height:1px;overflow:hidden;clip:rect(0,0,0,0)}"
TEX_IN_MATHML = (
    "{}<math><semantics><mrow><mi>c</mi><mo>=</mo><msup><mi>a</mi><mn>2</mn></msup></mrow>"
    "<annotation encoding='application/x-tex'>{{\\displaystyle c = a^2}}</annotation></semantics></math>"
)
FILL = "<p class=filling>filling</p>" * 120
"""Enough for a document to be kept between readings."""


async def read_anew(page: Page) -> str:
    snapshots._kept_texts.clear()
    return (await page.snapshot()).text


SAID = {
    "painted but not spoken": (
        "<p>a <b aria-hidden=true>painted</b>",
        "a painted",
        "a **painted**",
    ),
    "spoken but not painted": (
        "<p>a <span class=sr>spoken</span>",
        "a spoken",
        "a spoken",
    ),
    "both, in two forms": (
        "<p>a <span class=sr>$9.50</span><span aria-hidden=true>$9<sup>50</sup></span>",
        "a $9.50",
        "a $9.50",
    ),
    "neither": (
        "<p>a<i style='visibility:hidden'>b</i><i hidden>c</i>",
        "a",
        "a",
    ),
    "neither, since it is transparent": (
        "<p>a<b aria-hidden=true style='visibility:hidden'><i style='visibility:visible;opacity:0'>b</i></b>",
        "a",
        "a",
    ),
    "raised": (
        "<p>10<sup>2</sup> of $1<sup>99</sup>, x<sup>n+1</sup>y",
        "10^2 of $1^99, x^(n+1) y",
        "10<sup>2</sup> of $1<sup>99</sup>, x<sup>n+1</sup>y",
    ),
    "lowered": (
        "<p>log<sub>10</sub>2 H<sub>2</sub>O",
        "log10 2 H2O",
        "log<sub>10</sub>2 H<sub>2</sub>O",
    ),
    "struck out": (
        "<p><del>old</del> new",
        "~~old~~ new",
        "~~old~~ new",
    ),
    "struck out by style": (
        "<p><u style='text-decoration:line-through'>old</u> new",
        "~~old~~ new",
        "~~old~~ new",
    ),
    "drawn by an icon font": (
        "<p><i style='font-family:Material Icons'>star</i> Best",
        "Best",
        "Best",
    ),
    "a formula": (
        "<p>An area of <math><mn>4</mn><mi>π</mi><msup><mi>r</mi><mn>2</mn></msup></math>.",
        "An area of 4 π r^2.",
        "An area of 4 π r^2.",
    ),
    "a formula of many parts": (
        "<p><math><mfrac><mrow><mo>−</mo><mi>b</mi></mrow><mrow><mn>2</mn><mo>\u2062</mo><mi>a</mi></mrow></mfrac><mo>="
        "</mo><msqrt><mi>x</mi></msqrt><mo>+</mo><munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>0</mn></mrow><mi>n"
        "</mi></munderover><msub><mi>a</mi><mi>i</mi></msub><mphantom><mi>z</mi></mphantom></math>",
        "(−b)/(2 a)=√x+∑_(i=0)^n a_i",
        "(−b)/(2 a)=√x+∑\\_(i=0)^n a_i",
    ),
    "a matrix": (
        "<p>So <math><mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>0</mn></mtd></mtr>"
        "<mtr><mtd><mi>a</mi></mtd><mtd><mi>b</mi></mtd></mtr></mtable></math>",
        "So [1, 0; a, b]",
        "So [1, 0; a, b]",
    ),
    "a formula with its TeX": (
        f"<p>So {TEX_IN_MATHML.format('<span>')}</span> it is",
        "So $c = a^2$ it is",
        "So $c = a^2$ it is",
    ),
    "a formula that is drawn beside its MathML": (
        f"<p>So {TEX_IN_MATHML.format('<span class=sr>')}</span><span aria-hidden=true>c<b>=a</b><i>2</i></span> it is",
        "So $c = a^2$ it is",
        "So $c = a^2$ it is",
    ),
    "a formula that rules draw beside its MathML": (
        "<style>i::before { content: attr(data-c) }</style>"
        f"<p>So <b aria-hidden=true><i data-c=c></i></b>{TEX_IN_MATHML.format('<span class=sr>')}</span> it is",
        "So $c = a^2$ it is",
        "So $c = a^2$ it is",
    ),
    "a formula with a name": (
        "<p><math aria-label='pi squared'><msup><mi>π</mi><mn>2</mn></msup></math>",
        "pi squared",
        "pi squared",
    ),
}
"""What each says in a snapshot and to a search, and as Markdown."""


async def test_snapshot_search_and_markdown_say_the_same(page: Page, serve: Serve) -> None:
    await opened(page, serve, "")

    found = {}
    for name, (content, _, _) in SAID.items():
        await write(page, f"<style>{SPOKEN}</style>{content}")
        said = (await page.snapshot()).text.removeprefix("- paragraph: ").replace(" | ", " ")
        matches = (await page.search(".+", regex=True)).matches
        found[name] = (said, [match.text.strip() for match in matches], (await page.markdown()).strip())

    assert found == {name: (text, [text], markdown) for name, (_, text, markdown) in SAID.items()}


CHANGES = {
    "a modal opens": "m.showModal()",
    "a modal closes": "m.showModal(); m.close()",
    "one modal over another": "m.showModal(); n.showModal()",
    "the lower one remains": "m.showModal(); n.showModal(); n.close()",
    "a drawer comes into view": "d.className = 'drawer open'",
    "a curtain covers the drawer": "d.className = 'drawer open'; c.hidden = false",
    "a rule strikes out": "s.sheet.insertRule('.was { text-decoration: line-through }', 0)",
    "a rule of its own strikes out": "w.style.textDecoration = 'line-through'",
    "what was transparent comes": "k.style.opacity = 1",
    "a part of a formula": "f.textContent = '7'",
    "a formula as a name": "g.textContent = '7'",
    "what is before a power": "q.previousSibling.data = '7 '",
    "a rule writes in capitals": "s.sheet.insertRule('button { text-transform: uppercase }', 0)",
    "a rule keeps the mouse away": "s.sheet.insertRule('.filling ~ button { pointer-events: none }', 0)",
    "what a rule keeps it from comes": "n.parentNode.className = 'still'",
    "what keeps it away comes by itself": "document.body.style.pointerEvents = 'none'",
    "a slide comes in": "v.scrollLeft = 100",
    "a twin says something else": "t.textContent = 'ten'",
    "a cell is selected": "y.ariaSelected = 'true'",
    "a header is sorted": "x.ariaSort = 'ascending'",
    "where one is": "z.ariaCurrent = 'page'",
    "a list is drawn in the place of one": "b.className = 'sr'; b.ariaHidden = 'true'; b.tabIndex = -1",
}
OVER_ALL = (*list(CHANGES)[:6], "a rule strikes out")
"""What these do is over all else, so each has a document of its own; the others come one after another in the last."""
KEPT = f"""<style id=s>{SPOKEN}
.drawer{{position:fixed;left:-500px;top:0;width:300px;height:300px;background:#fff}}.open{{left:0}}
#c{{position:fixed;inset:0;background:#0008}}#v{{width:100px;height:20px;overflow:hidden;white-space:nowrap}}
#v div{{display:inline-block;width:100px}}.still + section + aside{{pointer-events:none}}</style>{FILL}
<p>9<sup id=q>2</sup> <span id=w class=was>old</span> <span id=z>here</span></p><button>Save</button>
<p>Gap <b aria-hidden=true><i id=k style="opacity:0">kept open</i></b></p>
<p>So <math><msup><mi>a</mi><mn id=f>2</mn></msup></math></p>
<button>Try <math><msup><mi>a</mi><mn id=g>2</mn></msup></math></button>
<p><span class=sr id=t>$9.50</span><span aria-hidden=true>$9<sup>50</sup></span></p>
<div id=v><div>One</div><div aria-hidden=true>Two</div></div><table><tr><th id=x>A<th>B<tr><td id=y>1<td>2</table>
<dialog id=m>First <button>OK</button><dialog id=n>Second <button>Really</button></dialog></dialog>
<section>
<div class=drawer id=d role=dialog aria-modal=true><button>Shut</button></div><div id=c hidden></div></section>
<aside><button>Next</button></aside><label for=b>Language</label><select id=b><option>Rust</select>"""


async def test_a_later_reading_says_what_a_fresh_one_would(page: Page, serve: Serve, subtests: pytest.Subtests) -> None:
    await opened(page, serve, "")
    for name, change in CHANGES.items():
        if name in OVER_ALL:
            await write(page, KEPT)
            await page.snapshot()

        for step in change.split("; "):
            await page.evaluate(f"(() => {{ {step} }})()")
            before = (await page.snapshot()).text
            again = (await page.snapshot()).text

            with subtests.test(name, step=step):
                assert before == again == await read_anew(page)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("<button>Out</button><dialog id=d aria-label=Ask>?</dialog><script>d.showModal()</script>", 'dialog "Ask"'),
        (
            "<button>Out</button><div style='position:fixed;inset:0'></div><div role=dialog aria-modal=true"
            " aria-label=Ask style='position:fixed;top:50px;left:0;width:90px;height:90px'>?</div>",
            'dialog "Ask"',
        ),
    ],
    ids=["a modal dialog", "a dialog that calls itself modal"],
)
async def test_a_click_outside_of_a_modal_dialog_names_the_dialog(
    content: str, told: str, page: Page, serve: Serve
) -> None:
    await opened(page, serve, content)
    out = msgspec.structs.replace(await at(page, "Out"), wait_s=0.1)

    with pytest.raises(NotInteractable) as caught:
        await actions.click(out)

    assert str(caught.value) == f'Button E1 "Out" is covered by {told}: close it first.'


async def test_what_is_cut_from_a_name_stands_below_it(page: Page, serve: Serve) -> None:
    await opened(page, serve, f"<a href=/x>{'word ' * 300}<p>the end</p></a>")

    text = (await page.snapshot()).text

    words = "word " * 300
    assert text == f'- link "{words[:119]}…" [ref=E1] → /x: {words.strip()}\n  - paragraph: the end'


LONG = "Press enter to select this node, and the arrow keys to move it about."


async def test_a_long_description_that_many_share_is_said_once(page: Page, serve: Serve) -> None:
    nodes = "".join(f"<button aria-describedby=how onclick=this.remove()>{name}</button>" for name in "ABC")
    copied = f"<pre>\n- button &quot;D&quot; [description=&quot;{LONG}&quot;]\nof the page's own</pre>"
    await opened(page, serve, f"<p id=how hidden>{LONG}</p>{nodes}{copied}")

    whole = (await page.snapshot()).text
    receipt = await page.click("E1")

    assert [line for line in whole.split("\n") if "[ref" in line] == [
        f'- button "A" [description="{LONG}"] [ref=E1]',
        '- button "B" [description="Press enter to selec…"] [ref=E2]',
        '- button "C" [description="Press enter to selec…"] [ref=E3]',
    ]
    assert whole.count(LONG) == 2  # what the page wrote itself is as it was
    assert receipt.changed == [f'- - button "A" [description="{LONG}"] [ref=E1]']
    assert f'- button "B" [description="{LONG}"] [ref=E2]' in (await page.snapshot()).text


async def test_a_page_kept_from_screen_readers_by_a_menu_is_read_as_before(page: Page, serve: Serve) -> None:
    icon = "<svg aria-label=yes role=img width=16 height=16></svg>"
    icon += "<i style='display:inline-block;width:9px;height:9px;background:red'></i>"
    await opened(
        page, serve, f"<div id=root><button>Menu</button><p>{icon}</p></div><ul role=menu><li role=menuitem>Copy</ul>"
    )
    before = (await page.snapshot()).text

    await page.evaluate("root.ariaHidden = 'true'")

    assert (await page.snapshot()).text == before

"""What stands in a shadow root itself has no element around it: every reader takes that, whatever it is."""

from __future__ import annotations

from cdp_agent.page.page import Page
from tests.conftest import Serve

HTML = (
    "a abbr address area article aside audio b blockquote br button canvas caption cite code col colgroup data dd del "
    "details dfn dialog div dl dt em embed fieldset figcaption figure footer form h1 head header hgroup hr i iframe "
    "img input ins kbd label legend li link main map mark math menu meta meter nav object ol optgroup option output p "
    "picture pre progress q rp rt ruby s samp search section select slot small source span strong style sub summary "
    "sup table tbody td template textarea tfoot th thead time title tr track u ul var video wbr"
)
SVG = "svg g path circle text tspan a use image title desc foreignObject line rect symbol"
ROOTS = """<!doctype html><body><script>
const marks = [
  {}, {"aria-hidden": "true"}, {role: "button"}, {role: "row"}, {role: "option"}, {role: "treeitem"}, {tabindex: "0"},
  {style: "cursor:pointer"}, {style: "cursor:pointer", cursor: "pointer"}, {contenteditable: "true"}, {title: "tip"},
  {hidden: "until-found"}, {"aria-labelledby": "x y"}, {"aria-owns": "x"}, {id: "x"}, {popover: "auto"}, {inert: ""},
  {"aria-describedby": "x"}, {for: "x"},
];
window.roots = [];
const host = (make) => {
  const at = document.body.appendChild(document.createElement("div"));
  const [mode, word] = roots.length % 2 ? ["open", "between"] : ["closed", "beneath"];
  const root = at.attachShadow({mode});
  roots.push(root);
  for (const each of marks) {
    const element = make();
    for (const [name, value] of Object.entries(each)) element.setAttribute(name, value);
    element.append("Word");
    root.append(word, element);
  }
  root.append("last");
};
for (const tag of "HTML".split(" ")) host(() => document.createElement(tag));
for (const tag of "SVG".split(" ")) host(() => document.createElementNS("http://www.w3.org/2000/svg", tag));
</script>"""
WORDS = ["between", "beneath"]
"""What stands in open roots, and in closed ones."""
CHANGES = """for (const root of roots) {
  root.firstChild.data = "first";
  root.lastChild.data = "end";
  root.children[3].remove();
  root.children[1].removeAttribute("aria-hidden");
}"""


async def test_all_readers_take_what_stands_in_a_shadow_root_itself(page: Page, serve: Serve) -> None:
    """Every other one of them is closed."""
    await page.goto(serve(ROOTS.replace('"HTML"', f'"{HTML}"').replace('"SVG"', f'"{SVG}"')))

    before = (await page.snapshot()).text
    assert all(before.count(word) > len(HTML.split()) for word in WORDS)
    assert "Word" in await page.markdown()
    found = (await page.search("|".join(WORDS), regex=True)).total
    assert found >= sum(map(before.count, WORDS)) > 15 * len(HTML.split())  # more than those of one kind of root
    assert (await page.find("p")).total > 10
    assert "Word" in (await page.clean_html()).text
    await page.schema()
    await page.evaluate(CHANGES)
    after = (await page.snapshot()).text
    assert "first" in after
    assert all(word in after for word in WORDS)

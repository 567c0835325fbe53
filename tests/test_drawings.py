"""What of a drawing is told, beside the pages in tests/snapshots: how much, when it changes, and to whom."""

from __future__ import annotations

from cdp_agent.page.page import Page

from .conftest import Serve
from .writing import opened


async def test_a_large_drawing_is_told_in_part_and_the_rest_counted(page: Page, serve: Serve) -> None:
    circles = "<circle r=2 class=live onclick=0 />" * 450
    lines = "<line x2=9 />" * 80 + "<path d='M0 0h9'/>"
    await opened(page, serve, f"<svg width=400 height=300><g>{lines}</g><g>{circles}</g></svg>")

    text = (await page.snapshot()).text.splitlines()

    assert text[:2] == ["- img [ref=E1]:", "  - circle [class=live] [ref=E2]"]
    assert [line for line in text if "circle [" not in line] == [
        "- img [ref=E1]:",
        "  - shapes: 250 more circle | 80 line | 1 path",
    ]
    assert len(text) == 202


async def test_many_shapes_in_a_part_are_counted(page: Page, serve: Serve) -> None:
    await opened(page, serve, f"<svg width=400 height=300><g onclick=0 class=plot>{'<circle r=1 />' * 90}</g></svg>")

    assert (await page.snapshot()).text == "- img [ref=E1]:\n  - g [class=plot] [ref=E2]:\n    - shapes: 90 circle"


async def test_a_drawing_in_a_large_page_is_read_anew_where_it_changed(page: Page, serve: Serve) -> None:
    node = "<g id=n{0} class=node><rect class=live onclick=0 width=40 height=20 /><text y=9>Node {0}</text></g>"
    drawing = f"<svg width=400 height=300><g class=layer>{''.join(node.format(n) for n in range(60))}</g></svg>"
    await opened(page, serve, drawing + "<p>text</p>" * 50)
    before = (await page.snapshot()).text

    await page.evaluate("""(() => {
      document.querySelector('#n3 text').firstChild.data = 'Renamed';
      document.querySelector('#n4').style.display = 'none';
      document.querySelector('#n5').setAttribute('aria-label', 'Labelled');
      document.querySelector('#n6').removeAttribute('id');
      document.querySelector('#n7').setAttribute('transform', 'translate(9, 9)');
      const wire = document.querySelector('#n8 rect').cloneNode();
      wire.id = 'wire';
      document.querySelector('.layer').append(wire);
    })()""")
    after = (await page.snapshot()).text

    was, now = ({line.strip().partition(" [ref")[0] for line in text.splitlines()} for text in (before, after))
    assert was - now == {f'- g "Node {n}" [id="n{n}"]' for n in (3, 4, 5, 6)}
    assert now - was == {
        '- g "Renamed" [id="n3"]',
        '- group "Labelled" [id="n5"]',
        '- rect [id="wire"]',
        '- g "Node 6"',
    }


async def test_text_of_a_drawing_is_found(page: Page, serve: Serve) -> None:
    await opened(
        page,
        serve,
        "<svg width=300 height=90><text><tspan x=0 dy=9>Two</tspan><tspan x=0 dy=9>lines</tspan></text></svg>",
    )

    found = await page.search("two lines")

    assert [match.text for match in found.matches] == ["Two lines"]
    assert await page.markdown() == "Two lines"


async def test_a_part_is_clicked_where_no_text_keeps_the_click_from_it(page: Page, serve: Serve) -> None:
    node = "<g id=n><rect width=120 height=60 onclick='document.title += 1' /><text y=35 font-size=30>Node</text></g>"
    await opened(page, serve, f"<svg width=300 height=200>{node}</svg>")
    (ref,) = [ref for ref, each in (await page.snapshot()).refs.items() if each.name == "Node"]

    await page.click(ref)

    assert await page.evaluate("document.title") == "1"


FLOW = """<style>path { fill: none; stroke: black }</style><svg width=400 height=300 onmousedown=0><g class=layer>
<g id=a class=node transform='translate(10 10)' onclick=0><rect width=80 height=40 /><text y=20>Fetch</text>
<circle class=out cx=80 cy=10 r=4 onclick=0 /><circle class=out cx=80 cy=30 r=4 onclick=0 /></g>
<g id=b class=node transform='translate(200 100)' onclick=0><rect width=80 height=40 /><text y=20>Store</text></g>
<path id=one onclick=0 d='M90 40C140 40 150 120 200 120' /><path id=loose onclick=0 d='M90 20C140 20 150 220 200 220' />
</g></svg>"""


async def test_a_wire_says_what_it_joins(page: Page, serve: Serve) -> None:
    await opened(page, serve, FLOW)

    assert (
        (await page.snapshot()).text
        == """\
- img [ref=E1]:
  - g "Fetch" [id="a"] [ref=E2]:
    - circle [class=out] [ref=E3]
    - circle [class=out] [ref=E4]
  - g "Store" [id="b"] [ref=E5]
  - path [id="one"] [from=E4] [to=E5] [ref=E6]
  - path [id="loose"] [ref=E7]"""
    )


async def test_a_wire_tells_when_what_it_leads_to_moves_away(page: Page, serve: Serve) -> None:
    await opened(page, serve, FLOW + "<p>text</p>" * 100)
    joined = (await page.snapshot()).text

    await page.evaluate("b.setAttribute('transform', 'translate(200 200)')")
    apart = (await page.snapshot()).text
    await page.evaluate("loose.after(a)")
    again = (await page.snapshot()).text

    assert joined.count("[from=E4] [to=E5]") == 1
    assert 'path [id="one"] [ref=E6]' in apart
    assert 'path [id="loose"] [from=E3] [to=E5] [ref=E7]' in apart
    assert 'path [id="loose"] [from=E3] [to=E5] [ref=E7]' in again


async def test_a_wire_that_ends_where_two_things_overlap_says_nothing(page: Page, serve: Serve) -> None:
    third = "<g id=c class=node transform='translate(195 90)' onclick=0><rect width=80 height=40 /></g>"
    await opened(page, serve, FLOW.replace("<path id=one", f"{third}<path id=one"))

    assert 'path [id="one"] [ref=' in (await page.snapshot()).text


async def test_what_is_drawn_as_it_was_is_not_told_as_redrawn(page: Page, serve: Serve) -> None:
    script = """<script>go.onclick = () => {
      for (const [part, x] of [[a, 10], [b, 250]]) part.setAttribute('transform', `translate(${x} ${x ? 10 : 0})`);
    }</script>"""
    await opened(page, serve, f"{FLOW}<button id=go>Go</button>{script}")
    go = next(each.ref for each in (await page.snapshot()).refs.values() if each.name == "Go")

    receipt = await page.click(go)

    assert '- g "Store" [ref=E5]: redrawn' in receipt.text
    assert "Fetch" not in receipt.text


async def test_parts_that_nobody_knows_are_told_as_the_drawing_that_they_are_in(page: Page, serve: Serve) -> None:
    bar = "bars.innerHTML = '<path d=\"M0 0L5 50\" />'"
    script = f"<script>go.onclick = () => {{ line.setAttribute('d', 'M0 90L90 0'); {bar} }}</script>"
    chart = "<svg width=300 height=200><path id=line d='M0 0L90 90' /><g id=bars></g></svg>"
    await opened(page, serve, f"{chart}<button id=go>Go</button>{script}")
    go = next(each.ref for each in (await page.snapshot()).refs.values() if each.name == "Go")

    receipt = await page.click(go)

    assert receipt.changed == ["~ - img [ref=E1]: redrawn"]


async def test_the_paint_of_what_is_dragged_as_a_whole_is_no_line(page: Page, serve: Serve) -> None:
    icon = "<i style='display:block;width:12px;height:12px;background:red'></i>"
    tiles = "".join(f"<div style='cursor:{cursor}'>{cursor}{icon}</div>" for cursor in ("move", "grab", "pointer"))
    await opened(page, serve, tiles)

    assert (
        (await page.snapshot()).text
        == """\
- generic "move" [ref=E1]
- generic "grab" [ref=E2]
- generic [ref=E3]: pointer
  - generic [color=#ff0000] [ref=E4]"""
    )

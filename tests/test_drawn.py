"""What Chrome draws of a secret is painted over, wherever it stands in the page's code and however it moves."""

# ruff: noqa: E501 (a row is a line)

from __future__ import annotations

import asyncio
import base64
import re

import pytest

from cdp_agent.page.page import Page, tab_of
from cdp_agent.page.picture.drawn import EVERYWHERE, find_drawn, watch_text
from tests.conftest import LOOP, Serve
from tests.pictures import PLACED, SECRET, SECRETS, painted, red_page, reds, resize, show, shown

RED = "color:red;font:20px monospace;margin:0"
LETTERS = list(enumerate(SECRET))
BY_LETTER = sorted(LETTERS, key=lambda each: each[1])
SVG = f"<svg style='{PLACED}'>{{}}</svg>"
IN_SVG = f"<text x=10 y=20 fill=red>{SECRET}</text>"
LIST = "<ul style='margin-left:300px'><li class=s></ul>"
BEFORE = f"<p class=s style='{PLACED}'></p><style>p::before{{{{content:{{}}}}}}</style>"
MOVING = f"<p class=s style='{PLACED}'>{SECRET}</p>"
FRAME = f'<iframe style="{PLACED};width:200px;height:100px;{{}}" srcdoc="<p style=\'{RED}\'>{SECRET}"></iframe>'
IN_A_DRAWING = f"data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='300' height='40'><text x='10' y='20' fill='red'>{SECRET}</text></svg>"

DRAWN = {
    "text of a drawing": SVG.format(IN_SVG),
    "parts of it": SVG.format("<text x=10 y=20 fill=red>kiwi-<tspan dy=5>77</tspan><tspan dx=3>-plum</tspan></text>"),
    "letters of it": SVG.format("".join(f"<text x={10 + 12 * at} y=20 fill=red>{c}</text>" for at, c in LETTERS)),
    "along a path": SVG.format(f"<path id=a d='M10,30 Q80,0 200,30' fill=none /><text fill=red><textPath href='#a'>{SECRET}</textPath></text>"),
    "in a foreign object": SVG.format(f"<foreignObject x=10 width=200 height=30><p class=s>{SECRET}</p></foreignObject>"),
    "used": SVG.format(f"<defs><text id=a x=10 y=20>{SECRET}</text></defs><use href='#a' fill=red />"),
    "scaled and turned": SVG.format(f"<g transform='translate(60 0) rotate(10) scale(0.8)'>{IN_SVG}</g>"),
    "a string for a list": f"<style>ul{{list-style-type:'{SECRET}'}}</style>{LIST}",
    "content of its mark": f"<style>li::marker{{content:'{SECRET}'}}</style>{LIST}",
    "a style of counters": f"<style>@counter-style q{{system:cyclic;symbols:'{SECRET}';suffix:''}}</style><style>ul{{list-style-type:q}}</style>{LIST}",
    "letters as marks": f"<style>@counter-style r{{system:fixed;symbols:{' '.join(map(repr, SECRET))};suffix:''}}</style><style>ul{{list-style:inside r}}</style><ul>{'<li class=s>' * len(SECRET)}</ul>",
    "a counter": f"<style>@counter-style t{{system:cyclic;symbols:'{SECRET}';suffix:''}}</style><style>p{{counter-increment:a}}</style>{BEFORE.format('counter(a,t)')}",
    "between counters": f"<style>div{{counter-reset:a}}</style><div><div>{BEFORE.format(f'''counters(a,'{SECRET}')''')}</div></div>",
    "before, elsewhere": BEFORE.format(f"'{SECRET}';position:absolute;left:150px;top:100px"),
    "before, with other words to be said": BEFORE.format(f"'{SECRET}' / 'nothing'"),
    "before nothing to be seen": f"<style>p{{visibility:hidden}}</style>{BEFORE.format(f'''{SECRET!r};visibility:visible''')}",
    "before a box without size": f"<style>p::before{{content:'{SECRET}'}}</style><p class=s style='width:0;height:0;margin:50px'></p>",
    "before what stands in a slot": f"<div class=s><template shadowrootmode=open><style>::slotted(p)::before{{content:'{SECRET}'}}</style><slot></slot></template><p></p></div>",
    "before a part": f"<style>div::part(a)::before{{content:'{SECRET}'}}</style><div class=s><template shadowrootmode=open><p part=a></p></template></div>",
    "before a host": f"<div class=s><template shadowrootmode=open><style>:host::before{{content:'{SECRET}'}}</style></template></div>",
    "before, in a closed root": f"<div class=s></div><script>document.currentScript.previousSibling.attachShadow({{mode:'closed'}}).innerHTML='<style>p::before{{content:\"{SECRET}\"}}</style><p>'</script>",
    "before a box to tick": f"<style>input{{appearance:none}}input::before{{content:'{SECRET}'}}</style><input class=s type=checkbox>",
    "before an option": f"<style>option::before{{content:'{SECRET}';color:red}}</style><select multiple><option></select>",
    "quotation marks": f"<style>q{{quotes:'{SECRET}' ''}}</style><q class=s></q>",
    "a hyphen": f"<style>p{{hyphenate-character:'{SECRET}';width:60px;font:20px monospace}}</style><p class=s><span style='color:white'>aa</span>&shy;<span style='color:white'>bbbbbbbbbbb</span></p>",
    "signs above letters": "".join(f"<span style=\"text-emphasis:'{c}' red;font:20px monospace;color:white\">o</span>" for c in SECRET),
    "a picture that did not come": f"<img class=s style='{PLACED}' alt='{SECRET}' src='nope'>",
    "the title of one": f"<img class=s style='{PLACED}' title='{SECRET}' src='nope'>",
    "one that submits": f"<input type=image class=s style='{PLACED}' alt='{SECRET}' src='nope'>",
    "a drawing in an address": f'<img style="{PLACED}" src="{IN_A_DRAWING}">',
    "a button with another name": f"<input type=submit aria-label=x class=s style='{PLACED}' value='{SECRET}'>",
    "a group of options": f"<select multiple class=s style='{PLACED}'><optgroup label='{SECRET}'></select>",
    "an object": f'<object style="{PLACED}" data="data:text/html,<p style=\'{RED}\'>{SECRET}"></object>',
    "an object that is a drawing": f'<object type=image/svg+xml style="{PLACED}" data="{IN_A_DRAWING}"></object>',
    "embedded": f'<embed type=image/svg+xml style="{PLACED}" src="{IN_A_DRAWING}">',
    "shown of what is not": f"<p></p><title class=s style='display:block'>{SECRET}</title>",
    "of a font for icons": f"<p class=s style='{PLACED};font-family:\"Font Awesome\"'>{SECRET}</p>",
    "turned": f"<p style='{PLACED}'><span class=s style='display:inline-block;transform:rotate(-60deg) scale(2)'>{SECRET}</span></p>",
    "turned in space": f"<div style='perspective:300px'><p class=s style='{PLACED};transform:rotateY(40deg) rotateX(20deg)'>{SECRET}</p></div>",
    "over several lines": f"<p class=s style='{PLACED};width:40px;height:auto;word-break:break-all'>{SECRET}</p>",
    "in columns": f"<div class=s style='columns:3;width:300px'><span style='color:white'>{'aaa ' * 10}</span>{SECRET}</div>",
    "letters in another order": "<div class=s style='display:flex'>" + "".join(f"<b style='order:{at}'>{c}</b>" for at, c in BY_LETTER) + "</div>",
    "letters that stand anywhere": "".join(f"<b class=s style='position:absolute;left:{100 + 12 * at}px;top:50px'>{c}</b>" for at, c in BY_LETTER),
    "a turned frame": FRAME.format("transform:rotate(30deg) scale(1.5)"),
    "a frame by other properties": FRAME.format("rotate:30deg;scale:1.3;translate:50px 80px"),
    "a larger frame": FRAME.format("zoom:1.5"),
    "a frame in space": FRAME.format("transform:perspective(200px) rotateY(30deg)"),
    "letters beyond the first plane": f"<p class=s style='{PLACED}'><span style='color:white'>😀😀😀 a</span><br>{SECRET}</p>",
}  # fmt: skip

ALONE = {
    "a pattern": SVG.format(f"<pattern id=a width=200 height=40 patternUnits=userSpaceOnUse>{IN_SVG}</pattern><rect width=300 height=40 fill='url(#a)' />"),
    "a marker": SVG.format(f"<marker id=a markerWidth=200 markerHeight=40 markerUnits=userSpaceOnUse>{IN_SVG}</marker><path d='M10,5 L20,5' marker-start='url(#a)' />"),
    "a clip": SVG.format(f"<clipPath id=a>{IN_SVG}</clipPath><rect width=300 height=40 fill=red clip-path='url(#a)' />"),
    "a mask": SVG.format(f"<mask id=a><text x=10 y=20 fill=white>{SECRET}</text></mask><rect width=300 height=40 fill=red mask='url(#a)' transform='translate(99 9)' />"),
    "a shadow": f"<p style='{PLACED};color:white;text-shadow:200px 100px 0 red'>{SECRET}</p>",
    "a shadow by a filter": f"<p style='{PLACED};color:white;filter:drop-shadow(200px 100px 0 red)'>{SECRET}</p>",
    "moved by a filter": f"<svg width=0 height=0><filter id=a x=-2 y=-2 width=6 height=6><feOffset dx=150 dy=90 /></filter></svg><p class=s style='{PLACED};filter:url(#a)'>{SECRET}</p>",
    "mirrored": f"<p class=s style='{PLACED};-webkit-box-reflect:below 100px'>{SECRET}</p>",
    "scrolled down to": f"<p class=s style='margin-top:1500px'>{SECRET}</p><style>body{{height:3000px}}</style><script>scrollTo(0,1400)</script>",
}  # fmt: skip
"""What is covered far around, or as all of the picture, and a page that is scrolled."""

MOVED = {
    "by a style": f"<style>@keyframes m{{from{{translate:0 0}}to{{translate:600px 400px}}}} p{{animation:m .3s linear infinite alternate}}</style>{MOVING}",
    "frame by frame": f"{MOVING}<script>let i=0;(function f(){{document.querySelector('p').style.top=(i++*37%400)+'px';requestAnimationFrame(f)}})()</script>",
    "a marquee": f"<marquee scrollamount=30 class=s style='{PLACED};width:900px'>{f'{SECRET} ' * 30}</marquee>",
    "scrolled": f"<div id=d class=s style='height:300px;overflow:auto'>{f'<p>{SECRET}</p>' * 40}</div><script>setInterval(()=>d.scrollTop=(d.scrollTop+3)%1500,5)</script>",
    "that comes and goes": f"<p class=s style='{PLACED}'></p><script>let i=0;setInterval(()=>document.querySelector('p').textContent=i++%2?'{SECRET}':'',40)</script>",
}  # fmt: skip


WIDTH, HEIGHT, COLUMNS, ROWS = 480, 220, 3, 4
MARK = 12
STYLE = re.compile(r"(?<!open>)(?<!')<style>(?!@counter)(.*?)</style>")
"""What is for a document, not for a shadow root alone."""
REDS_OF_CELLS = f"""async image => {{
  const bitmap = await createImageBitmap(await (await fetch(`data:image/png;base64,${{image}}`)).blob());
  const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
  context.drawImage(bitmap, 0, 0);
  const {{ data }} = context.getImageData(0, 0, bitmap.width, bitmap.height);
  const reds = Array({COLUMNS * ROWS}).fill(0);
  for (let i = 0; i < data.length; i += 4) {{
    if (data[i] <= 150 || data[i + 1] >= 100 || data[i + 2] >= 100) continue;
    const x = i / 4 % bitmap.width, y = Math.floor(i / 4 / bitmap.width);
    reds[Math.floor(y / {HEIGHT}) * {COLUMNS} + Math.floor(x / {WIDTH})]++;
  }}
  return reds;
}}"""


def cell(number: int, content: str) -> str:
    """The content in a place of its own, to which its styles and names belong, with a red mark in the corner."""
    content = STYLE.sub(r"<style>@scope{\1}</style>", content)
    content = content.replace("id=a", f"id=a{number}").replace("#a", f"#a{number}")
    left, top = number % COLUMNS * WIDTH, number // COLUMNS * HEIGHT
    mark = f"<i style='position:absolute;right:4px;bottom:4px;width:{MARK}px;height:{MARK}px;background:red'></i>"
    place = f"position:absolute;left:{left}px;top:{top}px;width:{WIDTH}px;height:{HEIGHT}px"
    return f"<div style='{place}'>{content}{mark}</div>"


async def reds_of_cells(page: Page, png: bytes) -> list[int]:
    """How many red pixels each cell has beside its mark."""
    counted = await page.evaluate(f"({REDS_OF_CELLS})('{base64.b64encode(png).decode()}')")
    return [each - MARK**2 for each in counted]


@pytest.mark.parametrize("first", range(0, len(DRAWN), COLUMNS * ROWS))
async def test_a_picture_shows_nothing_of_what_is_drawn_and_all_that_is_beside_it(
    page: Page, serve: Serve, first: int, subtests: pytest.Subtests
) -> None:
    rows = list(DRAWN.items())[first : first + COLUMNS * ROWS]
    await resize(page, COLUMNS * WIDTH, ROWS * HEIGHT)
    await page.goto(serve(red_page("".join(cell(at, content) for at, (_, content) in enumerate(rows)))))

    before = await reds_of_cells(page, await page.screenshot())
    after = await reds_of_cells(page, await painted(page))

    for at, (what, _) in enumerate(rows):
        with subtests.test(what):
            assert before[at] > 50
            assert after[at] == 0


async def test_a_picture_shows_nothing_of_what_may_be_drawn_far_away(
    page: Page, serve: Serve, subtests: pytest.Subtests
) -> None:
    for what, content in ALONE.items():
        with subtests.test(what):
            await show(page, serve, content)

            before, after = await shown(page)

            assert before > 50
            assert after == 0


# In a window of the usual size: what moves has the time that a large picture takes.
@pytest.mark.parametrize("what", MOVED)
async def test_what_moves_is_covered_on_its_way(page: Page, serve: Serve, what: str) -> None:
    await page.goto(serve(red_page(MOVED[what])))
    pictures = 2 if what == "that comes and goes" else 1  # it is in every second one

    assert [await reds(page, await painted(page)) for _ in range(pictures)] == [0] * pictures


async def test_all_is_covered_where_something_moved_between_two_looks_that_were_far_apart(
    page: Page, serve: Serve
) -> None:
    await page.goto(serve(red_page(MOVING)))
    busy = "for (const end = performance.now() + 100; performance.now() < end;);"

    watched = await watch_text(
        tab_of(page), SECRETS.spans, lambda: page.evaluate(f"{busy} document.querySelector('p').style.top = '67px'")
    )

    assert EVERYWHERE in watched.text


async def test_a_picture_of_the_whole_page_is_covered_too(page: Page, serve: Serve) -> None:
    content = f"<p style='height:1500px'></p>{SVG.format(IN_SVG).replace('top:60px', 'top:1400px')}{DRAWN['content of its mark']}"
    await page.goto(serve(red_page(content + "<script>scrollTo(0, 300)</script>")))

    before, after = await shown(page, full_page=True)

    assert before > 100
    assert after == 0


async def test_frames_of_another_process_are_covered(page: Page, serve: Serve) -> None:
    inner = serve(red_page(DRAWN["content of its mark"]), other_site=True)
    middle = serve(f"<body style='margin:0'><iframe src='{inner}' style='width:500px;height:200px;zoom:1.2'></iframe>")
    await page.goto(
        serve(f"<body style='margin:0'><iframe src='{middle}' style='width:800px;height:500px;rotate:10deg'>")
    )
    await page.snapshot()

    before, after = await shown(page)

    assert before > 50
    assert after == 0


async def test_what_is_no_secret_is_not_covered(page: Page, serve: Serve) -> None:
    await page.goto(serve("<p>kiwi</p><input value=plum><input type=password value=kiwi-77-plum><img alt=x>"))

    assert await find_drawn(tab_of(page), SECRETS.spans) == ({}, {})


@pytest.mark.slow
@pytest.mark.usefixtures("held_loop")
async def test_a_frame_that_does_not_answer_is_covered_as_a_whole(
    page: Page, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cdp_agent.page.snapshot.reading.READ_TIMEOUT_S", 300.0)
    monkeypatch.setattr("cdp_agent.page.frames.world.CALL_TIMEOUT_S", 300.0)
    innermost = serve(red_page(DRAWN["content of its mark"]))
    content = f"<iframe src='{innermost}' style='width:400px'></iframe>{DRAWN['turned']}"
    hanging = f"<script>onmessage = () => {{ {LOOP} }}</script>"
    inner = serve(red_page(content + hanging), other_site=True)
    await page.goto(serve(f"<iframe src='{inner}' style='width:500px;height:300px;rotate:10deg'></iframe>"))
    await page.snapshot()
    await page.evaluate("frames[0].postMessage(1, '*')")

    async with asyncio.timeout(60):
        before, after = await shown(page)

    assert before > 50
    assert after == 0


LIT = """async image => {
  const bitmap = await createImageBitmap(await (await fetch(`data:image/png;base64,${image}`)).blob());
  const context = new OffscreenCanvas(485, 288).getContext('2d');
  context.drawImage(bitmap, -105, -62);
  const { data } = context.getImageData(0, 0, 485, 288);
  let lit = 0, lowest = 0;
  for (let i = 0; i < data.length; i += 4) if (data[i] > 30) { lit++; lowest = Math.floor(i / 4 / 485); }
  return [lit, lowest];
}"""
"""How many pixels are not black where the frame is, and in which row the last of them."""


async def test_a_frame_that_could_not_be_read_in_time_is_covered_and_the_picture_says_so(
    page: Page, serve: Serve, monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    code = f"<input class=s style='{PLACED}' autocomplete=one-time-code value=123456>"
    inner = serve(red_page(code), other_site=True)
    await resize(page, 610, 370)
    await page.goto(serve(red_page(f"<iframe src='{inner}' style='{PLACED};width:500px;height:300px'></iframe>")))
    await page.snapshot()
    monkeypatch.setattr("cdp_agent.page.picture.redactions.FRAME_TIMEOUT_S", 0.0)

    for full_page in (False, True):
        before = await reds(page, await page.screenshot(full_page=full_page))
        picture = await painted(page, full_page=full_page)
        lit, lowest = await page.evaluate(f"({LIT})('{base64.b64encode(picture).decode()}')")

        with subtests.test("the page" if full_page else "the viewport"):
            assert before > 50
            assert await reds(page, picture) == 0
            assert 200 < lit < 5_000
            assert lowest < 30

"""What a page shows is the same to whoever reads it: snapshot, search and Markdown are held against each other."""

from __future__ import annotations

from cdp_agent.page.page import Page
from tests.conftest import Serve

DOT = "data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw=="
CLIPPED = "position:absolute;width:1px;height:1px;overflow:hidden;clip:rect(0 0 0 0)"
# A piece of a page each, with WORD where its text is.
PIECES = {
    "a paragraph": "<p>WORD</p>",
    "aria-hidden": "<p aria-hidden=true>WORD</p>",
    "aria-hidden in a link": "<div aria-hidden=true><a href=x>WORD</a></div>",
    "clipped for screen readers": f"<span style='{CLIPPED}'>WORD</span>",
    "clipped in a button": f"<button>x<span style='{CLIPPED}'>WORD</span></button>",
    "clip-path": "<div style='clip-path:inset(50%);position:absolute'>WORD</div>",
    "left of the page": "<p style='position:absolute;left:-9999px'>WORD</p>",
    "text-indent": "<p style='text-indent:-9999px;overflow:hidden'>WORD</p>",
    "visibility": "<p style='visibility:hidden'>WORD</p>",
    "opacity": "<p style='opacity:0'>WORD</p>",
    "no font size": "<p style='font-size:0'>WORD</p>",
    "transparent": "<p style='color:transparent'>WORD</p>",
    "scaled to nothing": "<div style='transform:scale(0)'>WORD</div>",
    "no height": "<div style='height:0;overflow:hidden'>WORD</div>",
    "below a box's edge": "<div style='height:5px;overflow:hidden'><div style='height:30px'></div>WORD</div>",
    "below in a box that scrolls": "<div style='height:20px;overflow:auto'><div style='height:90px'></div>WORD</div>",
    "covered": "<div style='position:relative'>WORD<div style='position:absolute;inset:0;background:#fff'></div></div>",
    "closed details": "<details><summary>x</summary>WORD</details>",
    "hidden": "<div hidden>WORD</div>",
    "hidden until found": "<div hidden=until-found>WORD</div>",
    "content-visibility": "<div style='content-visibility:hidden'>WORD</div>",
    "a closed dialog": "<dialog>WORD</dialog>",
    "an open dialog": "<dialog open>WORD</dialog>",
    "a closed popover": "<div popover>WORD</div>",
    "inert": "<div inert>WORD</div>",
    "display: contents": "<div style='display:contents'>WORD</div>",
    "::before": "<style>.b::before{content:'WORD'}</style><p class=b></p>",
    "::marker": "<style>.m::marker{content:'WORD'}</style><ul><li class=m>x</li></ul>",
    "an open shadow root": "<div><template shadowrootmode=open>WORD</template></div>",
    "a closed shadow root": "<div><template shadowrootmode=closed>WORD</template></div>",
    "no slot": "<div><template shadowrootmode=open>x</template>WORD</div>",
    "a frame": "<iframe srcdoc='WORD'></iframe>",
    "a picture": f"<img alt=WORD src='{DOT}'>",
    "a picture for looks": f"<img role=presentation alt=WORD width=9 height=9 src='{DOT}'>",
    "a drawing's text": "<svg width=90 height=20><text y=15>WORD</text></svg>",
    "a drawing's title": "<svg width=90 height=20><title>WORD</title><rect width=9 height=9 /></svg>",
    "a placeholder": "<input placeholder=WORD>",
    "a value": "<input value=WORD>",
    "a hidden value": "<input type=hidden value=WORD>",
    "a password": "<input type=password value=WORD>",
    "a text area": "<textarea>WORD</textarea>",
    "an editable text": "<div contenteditable>WORD</div>",
    "a caption": "<table><caption>WORD</caption><tr><td>x</table>",
    "a legend": "<fieldset><legend>WORD</legend></fieldset>",
    "ruby": "<ruby>k<rt>WORD</rt></ruby>",
    "noscript": "<noscript>WORD</noscript>",
    "a template": "<template>WORD</template>",
    "a video's fallback": "<video>WORD</video>",
    "an object's fallback": "<object data='nothere:x'>WORD</object>",
    "an option": "<select><option>a<option>WORD</select>",
    "a tooltip": "<abbr title=WORD>x</abbr>",
    "a name": "<button aria-label=WORD>x</button>",
    "a region's name": "<div role=region aria-label=WORD>x</div>",
    "a description": "<button aria-description=WORD>x</button>",
    "a canvas' fallback": "<canvas width=9 height=9>WORD</canvas>",
    "a table in a canvas": "<canvas width=9 height=9><table role=grid><tr><td>WORD</table></canvas>",
    "aria-hidden in a button": "<button>x<span aria-hidden=true>WORD</span></button>",
}
# Markdown is what is seen; a snapshot says what may be chosen and is called so, in names as ARIA has them.
NAMED_ONLY = {"an option", "a name", "a region's name", "a description"}
SEEN_ONLY = {"aria-hidden in a button"}


async def test_a_snapshot_a_search_and_markdown_show_the_same(page: Page, serve: Serve) -> None:
    words = {piece: f"word{number:02}z" for number, piece in enumerate(PIECES)}
    pieces = [PIECES[piece].replace("WORD", word) for piece, word in words.items()]
    await page.goto(serve("".join(f"<div>{each}</div>" for each in pieces)))

    snapshot = (await page.snapshot()).text
    markdown = await page.markdown()
    shown = {piece for piece, word in words.items() if word in snapshot}
    halves = [await page.search(f"word[{tens}]\\dz", regex=True, max_results=50) for tens in ("0-2", "3-5")]
    matched = {match.text for half in halves for match in half.matches}
    found = {piece for piece, word in words.items() if word in matched}
    read = {piece for piece, word in words.items() if word in markdown}

    assert found == shown | {"closed details"}  # with how to open it
    assert (shown - read, read - shown) == (NAMED_ONLY, SEEN_ONLY)

"""A page with a frame of each kind and both kinds of shadow roots, each holding a word, a link and a scrollable box."""

from __future__ import annotations

from tests.conftest import Serve

PLACES = ["page", "same-origin", "nested", "other-site", "deep", "open-root", "closed-root"]


def holding(place: str) -> str:
    """A word, a link and a box that scrolls."""
    return (
        f"<p>needle in {place}</p><a class=where href='/{place}'>link in {place}</a>"
        f"<div class=box tabindex=0 aria-label='box in {place}' style='height:60px;overflow:auto'>"
        "<div style='height:600px'>tall</div></div>"
    )


def every_frame(serve: Serve) -> str:
    """The page's address. It has an iframe of the same origin and one of another site, each with one more inside."""
    nested = serve(holding("nested"))
    same = serve(holding("same-origin") + f"<iframe title=nested src='{nested}'></iframe>")
    deep = serve(holding("deep"))
    other = serve(holding("other-site") + f"<iframe title=deep src='{deep}'></iframe>", other_site=True)
    return serve(
        "<style>iframe{width:500px;height:300px}</style>"
        + holding("page")
        + f"<iframe title=same src='{same}'></iframe><iframe title=other src='{other}'></iframe>"
        + "<div id=open></div><div id=closed></div>"
        + "<script>"
        + f"document.getElementById('open').attachShadow({{mode:'open'}}).innerHTML = `{holding('open-root')}`;"
        + f"document.getElementById('closed').attachShadow({{mode:'closed'}}).innerHTML = `{holding('closed-root')}`;"
        + "</script>"
    )

"""One content after the other in the same window: to navigate costs more than most tests do in a small page.

`write` is for whole documents, `show` for what a body holds, with scripts that may declare the same names again.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from cdp_agent.page.page import Page, tab_of

if TYPE_CHECKING:
    from tests.conftest import Serve

_WRITE = """new Promise((done) => {
  document.open();
  document.write(%s);
  document.close();
  if (document.readyState === 'complete') done();
  else addEventListener('load', () => done(), {once: true});
})"""
_SHOW = """(html) => {
  document.body.innerHTML = html;
  scrollTo({top: 0, left: 0, behavior: "instant"});
  for (const script of document.body.querySelectorAll("script")) {
    const run = document.createElement("script");
    run.textContent = `{ ${script.textContent} }`;
    script.replaceWith(run);
  }
}"""


async def write(page: Page, content: str) -> None:
    """Has the page show this in the place of what it shows, once its scripts have run and all is loaded.

    Nothing of what was read before is kept, as the root is another element. Its address and the window stay, and with
    them what scripts declared outside of blocks, timers, and properties that were registered. Not for pages with frames
    or plug-ins, which may come after that, or where something is to have the focus from the beginning.
    """
    await page.evaluate(_WRITE % msgspec.json.encode(content).decode())


async def put(page: Page, content: str) -> None:
    """The same in any page, also in the blank one of a new tab, of which a run would show nothing."""
    if page.url == "about:blank":
        await page.goto("data:text/html,")
    await write(page, content)


async def opened(page: Page, serve: Serve, content: str) -> None:
    """The same at an address of the tests' server, to which the page goes first if it is elsewhere.

    The address is one for each file. Scripts in the content declare names that other tests of the file use as well with
    `var` or in a block.
    """
    file = os.environ["PYTEST_CURRENT_TEST"].partition("::")[0]
    address = serve("", path=f"/written/{Path(file).stem}.html")
    if page.url != address:
        await page.goto(address)
    await page.evaluate("scrollTo({top: 0, left: 0, behavior: 'instant'})")
    await write(page, content)


async def show(page: Page, content: str) -> int:
    """Puts the content in the place of all that the page shows, at a tenth of what going to a page costs.

    Each script is a block of its own. Their timers, and what listens to the window or the document, stay: who has
    such a row goes to a page of its own. Returns the number of the first ref that will be given: see `counted_from`.
    """
    await page.evaluate(f"({_SHOW})({msgspec.json.encode(content).decode()})")
    return tab_of(page).refs.next

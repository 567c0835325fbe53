"""One document after the other in the same window: to navigate costs more than most tests do in a small page."""

from __future__ import annotations

import msgspec

from cdp_agent.page.page import Page

_WRITE = """new Promise((done) => {
  document.open();
  document.write(%s);
  document.close();
  if (document.readyState === 'complete') done();
  else addEventListener('load', () => done(), {once: true});
})"""


async def write(page: Page, content: str) -> None:
    """Has the page show this in the place of what it shows, once its scripts have run and all is loaded.

    Nothing of what was read before is kept, as the root is another element. Its address and the window stay, and with
    them what scripts declared outside of blocks, timers, and properties that were registered. Not for pages with frames
    or plug-ins, which may come after that, or where something is to have the focus from the beginning.
    """
    await page.evaluate(_WRITE % msgspec.json.encode(content).decode())

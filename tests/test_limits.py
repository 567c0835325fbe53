"""No call outlives its limit, whatever a page does meanwhile."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from pytest_httpserver import HTTPServer

from cdp_agent.browser import Browser
from cdp_agent.errors import ActionError
from cdp_agent.page.page import Page, tab_of
from cdp_agent.page.receipts import action_runner
from cdp_agent.page.tab.limit import REPORT_S
from tests.acting import ref
from tests.conftest import Serve, held

LEAVES_FOR_EVER = "setInterval(() => location = '{}?' + Math.random(), 5)"
FLOODS = """<title>Floods</title><button>Save</button><script>
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    history.replaceState(null, '', '?' + Math.random());
    port2.postMessage(0);
  };
  port2.postMessage(0);
</script>"""


class Watch:
    """Measures how long a block takes, in seconds."""

    took_s: float

    def __enter__(self) -> Watch:
        self._begun = time.monotonic()
        return self

    def __exit__(self, *_: object) -> None:
        self.took_s = time.monotonic() - self._begun


@pytest.fixture
def hanging(httpserver: HTTPServer) -> Iterator[str]:
    """An address whose server answers only when the test is over."""
    with held(httpserver, "/hanging", "late"):
        yield httpserver.url_for("/hanging")


@pytest.mark.new_tab
async def test_a_click_reports_what_it_saw_until_then(
    page: Page, serve: Serve, hanging: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(action_runner, "CALL_S", 1.0)
    leaves = LEAVES_FOR_EVER.format(hanging)
    await page.goto(serve(f'<title>Leaves</title><button onclick="title.id = 1; {leaves}">Leave</button>'))

    with Watch() as watch:
        receipt = await page.click(await ref(page, "Leave"))

    assert watch.took_s < 1.0 + REPORT_S
    assert receipt.settled == "not at rest 1 s after the call began"


@pytest.mark.new_tab
async def test_a_wait_ends_while_no_answer_comes(page: Page, serve: Serve, hanging: str) -> None:
    await page.goto(serve("<title>Leaves</title><p>Here"))
    await page.evaluate(f"setTimeout(() => location = '{hanging}')")
    while not tab_of(page).activity.navigating():
        await tab_of(page).activity.wait_for_event(1)

    with Watch() as watch, pytest.raises(ActionError, match="in vain"):
        await page.wait_for(text="There", timeout_s=0.3)

    assert watch.took_s < 0.3 + REPORT_S + 1


async def test_a_page_that_changes_its_address_all_the_time_leaves_chrome_free(browser: Browser, serve: Serve) -> None:
    page = await browser.new_page()

    with Watch() as watch:
        await page.goto(serve(FLOODS), timeout_s=10)
        receipt = await page.click(await ref(page, "Save"))
        await page.close()

    assert receipt.target == 'button "Save"'
    assert watch.took_s < 25


async def test_keys_for_a_document_without_elements(page: Page, serve: Serve) -> None:
    await page.goto(serve("<title>Empty</title><p>Here"))
    await page.evaluate("document.documentElement.remove()")

    receipt = await page.press("a")

    assert receipt.settled == "quiet"

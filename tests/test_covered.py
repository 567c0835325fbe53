"""A click that something open keeps from an element: what that is, and where to go on, is told before long."""

from __future__ import annotations

import asyncio

import pytest

from cdp_agent.errors import NotInteractable
from cdp_agent.page.page import Page
from tests.acting import ref
from tests.tables import table
from tests.writing import show

ASK = "<h2>We value your privacy</h2><button>Accept all</button>"
OVER = "position:fixed;left:200px;top:100px;background:white"
NO_EVENTS = "<script>document.body.style.pointerEvents = 'none'</script>"
CLOSED = f"""<div id=host></div><script>
  host.attachShadow({{mode: 'closed'}}).innerHTML = `<div style="position:fixed;inset:0;background:red">{ASK}</div>`;
</script>"""

OPEN = {
    "a dialog, while the body takes no mouse events": (
        f"<div role=dialog aria-label=Rename style='{OVER};pointer-events:auto'><button>OK</button></div>{NO_EVENTS}",
        'is not shown: the page takes no mouse events while dialog "Rename" is open: close that first, as with Escape',
    ),
    "a box without a role, while the body takes no mouse events": (
        f"<div style='{OVER};pointer-events:auto'>{ASK}</div>{NO_EVENTS}",
        'takes no mouse events while div "We value your privacy" is open',
    ),
    "a box over a backdrop": (
        f"<div style='position:fixed;inset:0;background:gray'></div><div style='{OVER}'>{ASK}</div>",
        'is covered by div, over which div "We value your privacy" is open: deal with that first (it has button',
    ),
    "a box in a backdrop": (
        f"<div style='position:fixed;inset:0;background:gray'><div style='margin:99px'>{ASK}</div></div>",
        'is covered by div "We value your privacy": deal with that first (it has button',
    ),
    "in a closed shadow root": (CLOSED, 'is covered by div "We value your privacy": deal with that first (it has'),
    "a backdrop that is clicked": (
        "<div style='position:fixed;inset:0' onclick='this.remove()'></div>",
        ": it says nothing. It may go by itself, with Escape, or with a click on it.",
    ),
    "a box that nobody sees": (
        "<div id=blocker style='position:fixed;inset:0'></div>",
        "is covered by div#blocker: it says nothing. It may go by itself",
    ),
    "a backdrop beside a dialog, while the body takes no mouse events": (
        "<div style='position:fixed;inset:0;background:gray;pointer-events:auto'></div>"
        f"<div role=dialog aria-label=Rename style='{OVER};pointer-events:auto'><button>OK</button></div>{NO_EVENTS}",
        'takes no mouse events while dialog "Rename" is open: close that first, as with Escape (it has button',
    ),
    "nothing, while the body takes no mouse events": (
        NO_EVENTS,
        "the page takes no mouse events, and nothing is seen that is open over it: wait for it, or press Escape.",
    ),
    "a listbox, while the body takes no mouse events": (
        f"<div role=listbox aria-label=City style='{OVER};pointer-events:auto'><div role=option>Oslo</div></div>"
        f"{NO_EVENTS}",
        '"City" is open: close that first, as with Escape',
    ),
    "a frame": (
        f"<iframe title=Consent style='position:fixed;inset:0;width:100%;height:100%' srcdoc='{ASK}'></iframe>",
        "is covered by iframe E",
    ),
    "a modal dialog": (f"<dialog id=d>{ASK}</dialog><script>d.showModal()</script>", "is covered by dialog"),
    "a box, while the rest is inert": (
        f"<div style='{OVER}'>{ASK}</div><script>document.querySelector('main').inert = true</script>",
        'is disabled (inert while div "We value your privacy" is open: deal with that first)',
    ),
    "a popover, while the element takes no mouse events": (
        f"<div popover=manual id=p>{ASK}</div><script>"
        "p.showPopover(); document.querySelector('main').style.pointerEvents = 'none'</script>",
        'is not shown: it takes no mouse events, and div#p "We value your privacy" is open: deal with that first (it',
    ),
}


@table("case", [*OPEN])
async def test_what_is_open_is_named_without_waiting_for_it_to_go(case: str, sheet: Page) -> None:
    html, told = OPEN[case]
    await show(sheet, f"<main><button>Under</button></main>{html}")
    under = await ref(sheet, "Under")

    with pytest.raises(NotInteractable) as refused:
        async with asyncio.timeout(2):  # what may go by itself is waited for 3 s
            await sheet.click(under)

    assert told in str(refused.value)
    await sheet.evaluate("document.body.style.pointerEvents = ''")


GOES = {
    "a veil": "<div id=veil style='position:fixed;inset:0;background:gray'></div>",
    "a veil that says that it is busy": (
        "<div id=veil aria-busy=true style='position:fixed;inset:0;background:gray'><button>Cancel</button></div>"
    ),
}


@pytest.mark.parametrize("case", GOES)
async def test_what_goes_by_itself_is_waited_for(case: str, sheet: Page) -> None:
    await show(
        sheet,
        f"<button onclick='this.textContent = `Got it`'>Under</button>{GOES[case]}"
        "<script>setTimeout(() => veil.remove(), 1200)</script>",
    )

    receipt = await sheet.click(await ref(sheet, "Under"))

    assert "Got it" in "".join(receipt.changed)


async def test_the_free_part_of_an_element_that_is_half_covered_is_clicked(sheet: Page) -> None:
    await show(
        sheet,
        "<button style='width:300px' onclick='this.textContent = `Got it`'>Under</button>"
        f"<div style='position:fixed;left:0;top:0;width:200px;height:99px'>{ASK}</div>",
    )

    assert "Got it" in "".join((await sheet.click(await ref(sheet, "Under"))).changed)

"""What a receipt says of what an action did, in a real page."""

from __future__ import annotations

from pathlib import Path
from threading import Event

import msgspec
import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from cdp_agent.errors import NotInteractable
from cdp_agent.page.dialogs import Dialog
from cdp_agent.page.network import Failure
from cdp_agent.page.page import Page
from cdp_agent.page.receipts import NewTab, Receipt

from .conftest import Serve


async def ref(page: Page, name: str) -> str:
    snapshot = await page.snapshot()
    return next(each.ref for each in snapshot.refs.values() if each.name == name)


async def click(page: Page, name: str) -> Receipt:
    return await page.click(await ref(page, name))


async def test_a_click_that_does_nothing_says_so(page: Page, serve: Serve) -> None:
    await page.goto(serve("<button>Idle</button>"))

    receipt = await click(page, "Idle")

    assert receipt.text == 'clicked E1 button "Idle"\nnothing changed'
    assert receipt.nothing_changed


async def test_changed_lines_are_told(page: Page, serve: Serve) -> None:
    await page.goto(
        serve(
            """<button onclick="this.textContent = 'Cart (1)'; out.textContent = '1 item'">Cart (0)</button>
            <div role=status id=out></div><button id=gone>Sign in</button>
            <script>document.querySelector('button').addEventListener('click', () => gone.remove())</script>"""
        )
    )

    receipt = await click(page, "Cart (0)")

    assert receipt.text == (
        'clicked E1 button "Cart (0)"\n'
        "changed:\n"
        '  ~ - button "Cart (0)" → "Cart (1)" [ref=E1]\n'
        "  + - status: 1 item\n"
        '  - - button "Sign in" [ref=E2]'
    )


async def test_facts_are_there_for_programs(page: Page, serve: Serve) -> None:
    await page.goto(serve("<button onclick='this.disabled = true'>Once</button>"))

    receipt = await click(page, "Once")

    facts = msgspec.structs.replace(receipt, acted_ms=0, settled_ms=0)
    assert facts == Receipt(
        action="click", ref="E1", target='button "Once"', changed=['~ - button "Once" [ref=E1] (now [disabled])']
    )
    assert receipt.acted_ms > 0
    assert receipt.settled_ms > 0


async def test_a_navigation_is_told_instead_of_lines(page: Page, serve: Serve) -> None:
    goal = serve("<title>Goal</title><p>here")
    await page.goto(serve(f"<a href='{goal}'>go</a>"))

    receipt = await click(page, "go")

    assert receipt.text == f'clicked E1 link "go"\nnavigated to {goal} "Goal"'
    assert page.url == goal


async def test_a_fragment_is_no_other_document(page: Page, serve: Serve) -> None:
    address = serve("<a href='#part'>jump</a>")
    await page.goto(address)

    receipt = await click(page, "jump")

    assert (receipt.navigated_to, receipt.same_document) == (f"{address}#part", True)
    assert receipt.text == f'clicked E1 link "jump"\nthe address is now {address}#part'


async def test_the_history_api_changes_the_address(page: Page, serve: Serve) -> None:
    await page.goto(serve("""<button onclick="history.pushState(0, '', '/cart')">cart</button>"""))

    receipt = await click(page, "cart")

    assert receipt.text.endswith("/cart")
    assert receipt.same_document


async def test_a_new_tab_is_named(page: Page, serve: Serve) -> None:
    goal = serve("<title>Goal</title><p>here")
    await page.goto(serve(f"<a href='{goal}' target=_blank>go</a>"))

    receipt = await click(page, "go")

    assert receipt.new_tabs == [NewTab(page.popups[0].target_id, goal, "Goal")]
    assert receipt.text == f'clicked E1 link "go"\nnew tab: "Goal" {goal}'


async def test_a_popup_without_an_address_is_named_by_its_title(page: Page, serve: Serve) -> None:
    script = "const w = window.open(''); w.document.write('<title>Written</title>hello'); w.document.close()"
    await page.goto(serve(f'<button onclick="{script}">open</button>'))

    receipt = await click(page, "open")

    assert [(tab.url, tab.title) for tab in receipt.new_tabs] == [("about:blank", "Written")]


async def test_a_dialog_is_told_with_its_answer(page: Page, serve: Serve) -> None:
    address = serve("<button onclick=\"confirm('Delete it?')\">Delete</button>")
    await page.goto(address)

    receipt = await click(page, "Delete")

    assert receipt.dialogs == [Dialog("confirm", "Delete it?", address, "accept")]
    assert receipt.text == 'clicked E1 button "Delete"\ndialog confirm "Delete it?" was accepted'


async def test_a_download_is_told_with_its_place(page: Page, serve: Serve) -> None:
    file = serve("1234", headers={"Content-Disposition": "attachment; filename=report.csv"}, content_type="text/csv")
    await page.goto(serve(f"<a href='{file}'>report</a>"))

    receipt = await click(page, "report")

    (download,) = receipt.downloads
    assert download.path is not None
    assert Path(download.path).read_text() == "1234"  # noqa: ASYNC240
    assert receipt.text == f'clicked E1 link "report"\ndownloaded report.csv (4 bytes) to {download.path}'


async def test_requests_that_failed_are_told(page: Page, serve: Serve) -> None:
    refused = serve("no", path="/api", status=500)
    await page.goto(serve(f"<button onclick=\"fetch('{refused}', {{method: 'POST'}})\">Send</button>"))

    receipt = await click(page, "Send")

    assert receipt.failed_requests == [Failure("POST", refused, status=500)]
    assert receipt.text == f'clicked E1 button "Send"\nfailed: POST {refused} 500\nnothing changed'


async def test_a_page_that_answers_with_an_error_is_told_once(page: Page, serve: Serve) -> None:
    missing = serve("<title>Not here</title>", status=404)

    receipt = await page.goto(missing)

    assert receipt.text == f'went to {missing}\nnavigated to {missing} "Not here" (HTTP 404)'


async def test_a_failed_picture_is_no_news(page: Page, serve: Serve) -> None:
    missing = serve("", status=404, content_type="image/png")
    await page.goto(serve(f"<button onclick=\"document.body.append(new Image()).src = '{missing}'\">Show</button>"))

    assert (await click(page, "Show")).failed_requests == []


async def test_filling_tells_the_value_once(page: Page, serve: Serve) -> None:
    await page.goto(serve("<input aria-label=Name>"))

    receipt = await page.fill(await ref(page, "Name"), "Ada")

    assert receipt.text == 'filled E1 textbox "Name"\nvalue: "Ada"'


async def test_focus_that_went_elsewhere_is_told(page: Page, serve: Serve) -> None:
    await page.goto(serve("<button onclick='name_.focus()'>Edit</button><input id=name_ aria-label=Name>"))

    receipt = await click(page, "Edit")

    assert receipt.text == 'clicked E1 button "Edit"\nfocus: textbox "Name" [ref=E2]'


async def test_a_key_says_where_it_went(page: Page, serve: Serve) -> None:
    await page.goto(serve("<input aria-label=First><input aria-label=Second>"))
    await page.focus(await ref(page, "First"))

    receipt = await page.press("Tab")

    assert receipt.text == 'pressed Tab\nfocus: textbox "Second" [ref=E2]'


async def test_changes_in_an_iframe_on_another_site_are_told(page: Page, serve: Serve) -> None:
    inner = serve("<button onclick=\"this.textContent = 'Paid'\">Pay</button>", other_site=True)
    await page.goto(serve(f"<iframe title=Payment src='{inner}'></iframe>"))
    pay = await ref(page, "Pay")

    receipt = await page.click(pay)

    assert receipt.changed == [f'~ - button "Pay" → "Paid" [ref={pay}]']


async def test_a_tab_that_closes_itself_is_told(page: Page, serve: Serve) -> None:
    closing = serve("<title>Closing</title><button onclick='window.close()'>Close</button>")
    await page.goto(serve(f"<button onclick=\"window.open('{closing}')\">Open</button>"))
    await click(page, "Open")
    (popup,) = page.popups

    receipt = await click(popup, "Close")

    assert receipt.closed
    assert receipt.text == 'clicked E1 button "Close"\nthe tab is closed'


async def test_what_happened_between_two_actions_is_not_the_second_ones_doing(page: Page, serve: Serve) -> None:
    await page.goto(serve("<button>Idle</button><p id=out></p>"))
    button = await ref(page, "Idle")
    await page.evaluate("out.textContent = 'changed by the page itself'")

    assert (await page.click(button)).changed == []


async def test_an_action_that_is_refused_leaves_no_watching_behind(page: Page, serve: Serve) -> None:
    await page.goto(serve("<button disabled>Off</button>"))
    button = await ref(page, "Off")

    with pytest.raises(NotInteractable):
        await page.click(button)

    world = await (await page.frames()).root.world()
    assert (await world.call("changes"))["count"] == 0


async def test_what_a_slow_request_brings_belongs_to_the_action(
    page: Page, serve: Serve, httpserver: HTTPServer
) -> None:
    asked = Event()

    def answer(request: Request) -> Response:
        asked.wait(0.4)  # longer than any quiet window
        return Response("42 results")

    httpserver.expect_request("/search").respond_with_handler(answer)
    script = "fetch('/search').then((r) => r.text()).then((t) => (out.textContent = t))"
    await page.goto(serve(f'<button onclick="{script}">Search</button><p id=out></p>'))

    assert (await click(page, "Search")).changed == ["+ - paragraph: 42 results"]


async def test_a_value_that_the_page_writes_otherwise_later_is_told(page: Page, serve: Serve) -> None:
    await page.goto(
        serve("<input aria-label=Name oninput='setTimeout(() => { this.value = this.value.toUpperCase() }, 20)'>")
    )

    await page.snapshot()

    receipt = await page.fill("E1", "tea")

    assert "TEA" in receipt.text
